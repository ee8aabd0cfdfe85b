# SPDX-License-Identifier: Apache-2.0
# tests/unit/test_X.c and tests/conform/X.c: one cmocka program each. tests/fuzz/fuzz_X.c: a libFuzzer program, or
# (other presets) a program that replays tests/fuzz/corpus/X. All are ctest cases with a time limit.
pkg_check_modules(cmocka QUIET IMPORTED_TARGET cmocka)
file(GLOB gm_unit CONFIGURE_DEPENDS tests/unit/test_*.c)
file(GLOB gm_conform CONFIGURE_DEPENDS tests/conform/*.c)
file(GLOB gm_fuzz CONFIGURE_DEPENDS tests/fuzz/fuzz_*.c)
set(gm_shared_out conform_stages conform_torture)
set(GM_TEST_TIMEOUT 300 CACHE STRING "Seconds one test program may take")

# EXCLUDE_FROM_ALL: plain `make` builds no tests; the target `tests` does.
add_library(gristmill_test STATIC EXCLUDE_FROM_ALL ${gm_objects})
set_target_properties(gristmill_test PROPERTIES LINKER_LANGUAGE C)
target_link_libraries(gristmill_test PUBLIC gm_flags gm_deps)
add_custom_target(tests)

set(gm_test_env
    "GRISTMILL_DUCKDB=${GM_DEPS_DIR}/duckdb/libduckdb.so"
    "GRISTMILL_SOURCE_DIR=${CMAKE_SOURCE_DIR}"
    # No detect_stack_use_after_return: GCC 12 misaligns 64-byte vectors on its fake stack (GCC bug 110027).
    "ASAN_OPTIONS=strict_string_checks=1:allocator_may_return_null=1"
    "TSAN_OPTIONS=suppressions=${CMAKE_SOURCE_DIR}/tests/tsan.supp:halt_on_error=1"
    "UBSAN_OPTIONS=print_stacktrace=1")

function(gm_add_test name label)
    add_executable(${name} EXCLUDE_FROM_ALL ${ARGN})
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
    target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
    target_compile_definitions(${name} PRIVATE GM_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
    target_link_libraries(${name} PRIVATE gristmill_test)
    if(GM_SANITIZE)
        target_compile_definitions(${name} PRIVATE GM_SANITIZED=1)
    endif()
    add_dependencies(tests ${name})
endfunction()

function(gm_test_properties name label)
    set_tests_properties(${name} PROPERTIES LABELS ${label} TIMEOUT ${GM_TEST_TIMEOUT} ENVIRONMENT "${gm_test_env}")
endfunction()

if(GM_LIBFUZZER)
    # Only the fuzz targets.
elseif(cmocka_FOUND)
    foreach(kind unit conform)
        foreach(file IN LISTS gm_${kind})
            get_filename_component(name ${file} NAME_WE)
            if(kind STREQUAL conform)
                string(REGEX REPLACE "^test_" "" name ${name})
                set(name conform_${name})
            endif()
            gm_add_test(${name} ${kind} ${file})
            target_link_libraries(${name} PRIVATE PkgConfig::cmocka)
            if(name STREQUAL conform_races) # it stands in for the database
                target_link_options(${name} PRIVATE LINKER:--wrap=gm_scan LINKER:--wrap=gm_table_rowfn)
            endif()
            if(name IN_LIST gm_shared_out) # four cases, each with its share of the stages
                foreach(share RANGE 3)
                    add_test(NAME ${name}_${share} COMMAND ${name} ${share}/4 WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
                    gm_test_properties(${name}_${share} ${kind})
                endforeach()
                continue()
            endif()
            add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
            gm_test_properties(${name} ${kind})
        endforeach()
    endforeach()
elseif(gm_unit OR gm_conform)
    # Not in silence: a test run without them would look green.
    add_custom_target(tests_without_cmocka VERBATIM COMMAND ${CMAKE_COMMAND} -E echo
        "cmocka is not here: no unit test can be built (tools/deps.sh test brings it)" COMMAND ${CMAKE_COMMAND} -E false)
    add_dependencies(tests tests_without_cmocka)
endif()

foreach(file IN LISTS gm_fuzz)
    get_filename_component(name ${file} NAME_WE)
    string(REPLACE "fuzz_" "" short ${name})
    set(corpus ${CMAKE_SOURCE_DIR}/tests/fuzz/corpus/${short})
    if(GM_LIBFUZZER)
        gm_add_test(${name} fuzz ${file})
        target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    else()
        gm_add_test(${name} fuzz ${file} ${CMAKE_SOURCE_DIR}/tests/fuzz/main.c)
        add_test(NAME ${name} COMMAND ${name} ${corpus} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
        gm_test_properties(${name} fuzz)
    endif()
endforeach()

# bench/X.c: a program that measures inner parts, in the target `benches`.
file(GLOB gm_benches CONFIGURE_DEPENDS bench/*.c)
add_custom_target(benches)
foreach(file IN LISTS gm_benches)
    get_filename_component(name ${file} NAME_WE)
    add_executable(${name} EXCLUDE_FROM_ALL ${file})
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bench")
    target_link_libraries(${name} PRIVATE gristmill_test)
    add_dependencies(benches ${name})
endforeach()

file(GLOB gm_examples CONFIGURE_DEPENDS examples/c/*.c)
if(gm_examples)
    add_test(NAME install COMMAND ${CMAKE_SOURCE_DIR}/tools/check_install.sh ${CMAKE_BINARY_DIR}
        WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    gm_test_properties(install install)
endif()
