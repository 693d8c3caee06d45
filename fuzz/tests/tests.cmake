# The tests of fuzz/: units with fake workers, short campaigns, replay of what is kept, smoke runs of the targets.
set(CMAKE_UNITY_BUILD OFF)  # tests name things alike
add_executable(fuzz_test tests/campaign_kill_test.cc tests/campaign_test.cc tests/crossover_test.cc tests/finding_files_test.cc
  tests/finding_test.cc tests/guidance_test.cc tests/hang_test.cc tests/pasted_finding_test.cc tests/worst_rows_test.cc)
target_link_libraries(fuzz_test PRIVATE normcheck::fuzz GTest::gtest_main)
add_executable(fake_worker tests/fake_worker.cc)
target_link_libraries(fake_worker PRIVATE normcheck::fuzz)
add_dependencies(fuzz_test fake_worker)
target_compile_definitions(fuzz_test PRIVATE FAKE_WORKER_PATH="$<TARGET_FILE:fake_worker>"
  PASTED_FINDING="${CMAKE_CURRENT_SOURCE_DIR}/tests/pasted_finding_test.cc")
gtest_discover_tests(fuzz_test DISCOVERY_MODE PRE_TEST PROPERTIES LABELS unit)

if(NOT NORMCHECK_SANITIZE)  # mutants touch memory that is not theirs, which ends the process
  add_executable(kept_findings_test tests/kept_findings_test.cc)
  target_link_libraries(kept_findings_test PRIVATE normcheck::fuzz GTest::gtest_main)
  target_compile_definitions(kept_findings_test PRIVATE KEPT_FINDINGS="${CMAKE_CURRENT_SOURCE_DIR}/findings")
  gtest_discover_tests(kept_findings_test DISCOVERY_MODE PRE_TEST PROPERTIES LABELS replay)
endif()

add_executable(mutant_campaign_test tests/mutant_campaign_test.cc)
target_link_libraries(mutant_campaign_test PRIVATE normcheck::fuzz GTest::gtest_main)
target_compile_definitions(mutant_campaign_test PRIVATE NORMCHECK_TEST_PLUG_INS="${PROJECT_BINARY_DIR}/properties/plug_in/tests")
add_dependencies(mutant_campaign_test plug_in_frees_often plug_in_scribbles_often)
gtest_discover_tests(mutant_campaign_test DISCOVERY_MODE PRE_TEST PROPERTIES LABELS fuzz-smoke
  ENVIRONMENT NORMCHECK_FUZZ_DIR=${NORMCHECK_FUZZ_DIR})

# libFuzzer looks at each of them after every execution: about 10,000 are its measure.
add_test(NAME smoke.extra_counters COMMAND ${NORMCHECK_FUZZ_DIR}/fuzz_layer_norm -runs=0)
set_tests_properties(smoke.extra_counters PROPERTIES LABELS fuzz-smoke PASS_REGULAR_EXPRESSION "INFO: [0-9]?[0-9]?[0-9]?[0-9] Extra Counters")

foreach(target layer_norm rms_norm case_parser)
  add_test(NAME replay.${target} COMMAND replay_${target} ${CMAKE_CURRENT_SOURCE_DIR}/corpus/${target})
  set_tests_properties(replay.${target} PROPERTIES LABELS replay)
endforeach()

set(smoke ${CMAKE_CURRENT_SOURCE_DIR}/tests/smoke.sh)
add_test(NAME smoke.layer_norm COMMAND ${smoke} 0 none ${NORMCHECK_FUZZ_DIR}/fuzz_layer_norm -runs=20000 -max_len=400)
add_test(NAME smoke.rms_norm COMMAND ${smoke} 0 none ${NORMCHECK_FUZZ_DIR}/fuzz_rms_norm -runs=20000 -max_len=400)
add_test(NAME smoke.case_parser COMMAND ${smoke} 0 ${CMAKE_CURRENT_SOURCE_DIR}/corpus/case_parser
  ${NORMCHECK_FUZZ_DIR}/fuzz_case_parser -runs=20000 -max_len=4096)
add_test(NAME smoke.mutant COMMAND ${smoke} 77 none ${NORMCHECK_FUZZ_DIR}/fuzz_layer_norm -runs=20000 -max_len=400)
set_tests_properties(smoke.layer_norm smoke.rms_norm smoke.case_parser smoke.mutant PROPERTIES LABELS fuzz-smoke)
set_tests_properties(smoke.mutant PROPERTIES ENVIRONMENT NORMCHECK_KERNEL=mutant:eps-after-root)
# One fault each of state, instruction set, rare width, batch size and place in memory, found by a fixed run.
foreach(mutant second-call wide-path-tail scalar-path-skips-nan tail-of-thirteen large-batch-path stores-before-sums)
  add_test(NAME smoke.${mutant} COMMAND ${smoke} 77 none ${NORMCHECK_FUZZ_DIR}/fuzz_layer_norm -runs=20000 -max_len=400)
  set_tests_properties(smoke.${mutant} PROPERTIES LABELS fuzz-smoke ENVIRONMENT NORMCHECK_KERNEL=mutant:${mutant})
endforeach()
