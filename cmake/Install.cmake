# SPDX-License-Identifier: Apache-2.0
# Header, library, command, pkg-config file, CMake package, shell completions.
include(CMakePackageConfigHelpers)

install(TARGETS gristmill EXPORT GristmillTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(EXISTS ${CMAKE_SOURCE_DIR}/include/gristmill.h)
    install(FILES include/gristmill.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endif()
if(GM_INSTALL_DUCKDB AND EXISTS "${GM_DEPS_DIR}/duckdb/libduckdb.so")
    file(GLOB gm_duckdb_files "${GM_DEPS_DIR}/duckdb/libduckdb.so" "${GM_DEPS_DIR}/duckdb/*.duckdb_extension")
    install(FILES ${gm_duckdb_files} DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()

configure_file(cmake/gristmill.pc.in gristmill.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/gristmill.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(gm_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Gristmill)
configure_package_config_file(cmake/GristmillConfig.cmake.in GristmillConfig.cmake INSTALL_DESTINATION ${gm_cmake_dir})
write_basic_package_version_file(GristmillConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/GristmillConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/GristmillConfigVersion.cmake
    DESTINATION ${gm_cmake_dir})
install(EXPORT GristmillTargets NAMESPACE Gristmill:: DESTINATION ${gm_cmake_dir})

if(TARGET gristmill_cmd)
    install(TARGETS gristmill_cmd RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    # The command prints its own completions; a shell whose script it cannot print is left out.
    foreach(pair bash|share/bash-completion/completions/gristmill
                 zsh|share/zsh/site-functions/_gristmill
                 fish|share/fish/vendor_completions.d/gristmill.fish)
        string(REPLACE "|" ";" pair "${pair}")
        list(GET pair 0 shell)
        list(GET pair 1 where)
        install(CODE "
            execute_process(COMMAND \"$<TARGET_FILE:gristmill_cmd>\" completion ${shell}
                RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_QUIET)
            if(code EQUAL 0)
                set(file \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${where}\")
                message(STATUS \"Installing: \${file}\")
                file(WRITE \"\${file}\" \"\${text}\")
            endif()")
    endforeach()
endif()
