# find_package(normcheck): targets normcheck::norm, ::reference, ::properties, ::fuzz; one call gates a kernel, one fuzzes it.
include(CMakeFindDependencyMacro)
foreach(dependency hwy fmt nlohmann_json rapidcheck)
  find_dependency(${dependency} CONFIG)
endforeach()
find_dependency(Boost 1.81)
find_dependency(Threads)
include(${CMAKE_CURRENT_LIST_DIR}/normcheckTargets.cmake)

# normcheck_gate(NAME SOURCE...): a GoogleTest program NAME of the sources, linked to normcheck, and its tests in ctest. A
# source holds: TEST(MyKernel, KeepsEveryLaw) { EXPECT_TRUE(normcheck::properties::KeepsEveryLaw(MyKernel())); }
function(normcheck_gate name)
  find_package(GTest REQUIRED)
  include(GoogleTest)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE normcheck::properties GTest::gtest_main)
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST)
endfunction()

# normcheck_fuzz_target(NAME SOURCE...): a libFuzzer program NAME of the sources, with normcheck's mutator. A source holds:
# NORMCHECK_FUZZ_TARGET(normcheck::norm::Op::kRmsNorm, MyKernel())   from "fuzz/fuzz_kernel.h". Needs clang.
find_file(normcheck_mutator mutator.cc PATHS ${CMAKE_CURRENT_LIST_DIR}/../../../share/normcheck
  ${CMAKE_CURRENT_LIST_DIR}/../../../../share/normcheck NO_DEFAULT_PATH REQUIRED)
function(normcheck_fuzz_target name)
  add_executable(${name} ${ARGN} ${normcheck_mutator})
  target_link_libraries(${name} PRIVATE normcheck::fuzz)
  target_compile_options(${name} PRIVATE -fsanitize=fuzzer-no-link)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
endfunction()
