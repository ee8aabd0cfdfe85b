# SPDX-License-Identifier: Apache-2.0
# Flags of all our own C. Bits must not depend on the build: no contraction into fused operations, no fast-math,
# no -march=native; what gains from newer instructions is compiled per instruction set (see *_isa.c).
add_library(gm_flags INTERFACE)
target_compile_definitions(gm_flags INTERFACE _GNU_SOURCE GM_VERSION_STRING="${PROJECT_VERSION}")
target_compile_options(gm_flags INTERFACE
    -Wall -Wextra -Wpedantic -Wvla -Wstrict-prototypes -ffp-contract=off -fno-math-errno
    $<$<BOOL:${GM_WERROR}>:-Werror>)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    # GCC's guess is wrong for out parameters set by a call under GM_TRY; clang-tidy's analyzer looks at paths.
    target_compile_options(gm_flags INTERFACE -Wno-maybe-uninitialized)
endif()
target_include_directories(gm_flags INTERFACE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)

set(CMAKE_C_FLAGS_RELEASE "-O3 -g1" CACHE STRING "" FORCE)
set(CMAKE_C_FLAGS_DEBUG "-O1 -g -fno-omit-frame-pointer" CACHE STRING "" FORCE)
if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release)
endif()

if(GM_SANITIZE)
    target_compile_options(gm_flags INTERFACE -fsanitize=${GM_SANITIZE} -fno-sanitize-recover=all)
    target_link_options(gm_flags INTERFACE -fsanitize=${GM_SANITIZE})
endif()
if(GM_LIBFUZZER)
    if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
        message(FATAL_ERROR "GM_LIBFUZZER needs Clang: configure with -DCMAKE_C_COMPILER=clang")
    endif()
    target_compile_options(gm_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(GM_COVERAGE)
    target_compile_options(gm_flags INTERFACE --coverage -fprofile-update=atomic)
    target_link_options(gm_flags INTERFACE --coverage)
endif()
