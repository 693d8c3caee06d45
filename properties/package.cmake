# What an installed normcheck is: libraries, headers, case files, the command, and find_package(normcheck).
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set_target_properties(normcheck_strict PROPERTIES EXPORT_NAME strict)
set_target_properties(normcheck_reference PROPERTIES EXPORT_NAME reference)
set_target_properties(normcheck_properties PROPERTIES EXPORT_NAME properties)
set_target_properties(normcheck_fuzz PROPERTIES EXPORT_NAME fuzz)
install(TARGETS normcheck_strict normcheck_reference normcheck_properties normcheck_fuzz EXPORT normcheck_targets)
install(TARGETS normcheck)
if(SKBUILD)  # pip install: the command stands inside of the package, which finds it there
  install(TARGETS normcheck RUNTIME DESTINATION normcheck/bin COMPONENT python)
endif()
install(DIRECTORY reference properties fuzz DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/normcheck
  FILES_MATCHING PATTERN "*.h" PATTERN tests EXCLUDE PATTERN regressions EXCLUDE PATTERN families EXCLUDE
  PATTERN honest EXCLUDE PATTERN laws EXCLUDE PATTERN mutants EXCLUDE)
install(DIRECTORY properties/regressions DESTINATION ${CMAKE_INSTALL_DATADIR}/normcheck)
install(DIRECTORY reports/python/normcheck DESTINATION ${CMAKE_INSTALL_DATADIR}/normcheck/python
  FILES_MATCHING PATTERN "*.py")
install(FILES fuzz/mutator.cc DESTINATION ${CMAKE_INSTALL_DATADIR}/normcheck)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/normcheck)
install(EXPORT normcheck_targets NAMESPACE normcheck:: FILE normcheckTargets.cmake DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/normcheckConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES properties/normcheckConfig.cmake ${CMAKE_BINARY_DIR}/normcheckConfigVersion.cmake DESTINATION ${package_dir})
