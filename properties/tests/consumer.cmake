# Installs the build into PREFIX, then configures, builds and tests the consumer project against it.
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "failed with ${code}: ${ARGN}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/installed)
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/consumer -B ${WORK}/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER}
    -DCMAKE_PREFIX_PATH=${WORK}/installed -DCMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${CMAKE_CTEST_COMMAND} --test-dir ${WORK}/build --no-tests=error --output-on-failure)

find_program(clang NAMES clang++-19 clang++)
if(clang)
  run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/consumer_fuzz -B ${WORK}/fuzz -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${clang}
      -DCMAKE_PREFIX_PATH=${WORK}/installed -DCMAKE_BUILD_TYPE=Release)
  run(${CMAKE_COMMAND} --build ${WORK}/fuzz)
  run(${CMAKE_CTEST_COMMAND} --test-dir ${WORK}/fuzz --no-tests=error --output-on-failure)
else()
  message(FATAL_ERROR "the fuzz target of a consumer's project needs clang-19")
endif()
