# How tests are told to ctest. Each counts its cases: GoogleTest programs by the report they write to
# results/NAME.xml, scripts by a closing line `tests: N passed, M failed, K skipped`, and a test that
# gives neither counts as one. Exit code 77 means skipped, with the reason as the last line printed.
#
# holdfast_test(NAME name COMMAND command… [CONFORMANCE] [SERIAL] [TIMEOUT seconds] [ENVIRONMENT VAR=value…])
#   CONFORMANCE: needs peers beyond Debian packages; run by `make conformance`, not by `make test`.
#   SERIAL: measures time or needs the whole machine; nothing runs beside it.
function(holdfast_test)
  cmake_parse_arguments(TEST "CONFORMANCE;SERIAL" "NAME;TIMEOUT" "COMMAND;ENVIRONMENT" ${ARGN})
  if(NOT TEST_TIMEOUT)
    set(TEST_TIMEOUT 600)
  endif()
  add_test(NAME ${TEST_NAME} COMMAND ${TEST_COMMAND})
  set_tests_properties(${TEST_NAME} PROPERTIES
    ENVIRONMENT "GTEST_OUTPUT=xml:${CMAKE_BINARY_DIR}/results/${TEST_NAME}.xml;HOLDFAST_SOURCE_DIR=${CMAKE_SOURCE_DIR};HOLDFAST_BINARY=${CMAKE_BINARY_DIR}/holdfast;${TEST_ENVIRONMENT}"
    SKIP_RETURN_CODE 77 TIMEOUT ${TEST_TIMEOUT})
  if(TEST_CONFORMANCE)
    set_tests_properties(${TEST_NAME} PROPERTIES LABELS conformance)
  endif()
  if(TEST_SERIAL)
    set_tests_properties(${TEST_NAME} PROPERTIES RUN_SERIAL ON)
  endif()
endfunction()

# holdfast_suite(NAME SOURCES files… LIBS targets…): a GoogleTest program that may see every room. It is only
# built; say with holdfast_test how, and against which subjects, it runs.
function(holdfast_suite name)
  cmake_parse_arguments(SUITE "" "" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} ${SUITE_SOURCES})
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${SUITE_LIBS} GTest::gtest_main)
  target_precompile_headers(${name} REUSE_FROM holdfast_gtest_pch)
endfunction()
