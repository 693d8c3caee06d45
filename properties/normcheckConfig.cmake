# find_package(normcheck): targets normcheck::norm, ::reference, ::properties, and one call that gates a kernel.
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
