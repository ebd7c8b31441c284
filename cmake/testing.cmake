# Registration of tests with ctest. Each counts its cases: GoogleTest programs by the report they write to
# results/NAME.xml, scripts by a closing line `tests: N passed, M failed, K skipped`, and a test that
# gives neither counts as one. Exit code 77 means skipped, with the reason as the last line printed.
#
# holdfast_test(NAME name COMMAND command… [CONFORMANCE] [SERIAL] [BUSY] [TIMEOUT seconds] [SECONDS seconds]
#               [ENVIRONMENT VAR=value…])
#   CONFORMANCE: needs peers beyond Debian packages; run by `make conformance`, not by `make test`.
#   SERIAL: measures time or needs the whole machine; nothing runs beside it.
#   BUSY: keeps a core busy all the time. Two tests run on each core, as most of them wait; this one counts as two.
#   SECONDS: how long it takes, if that is long. The longest start first, so that none of them is left for the end.
function(holdfast_test)
  cmake_parse_arguments(TEST "CONFORMANCE;SERIAL;BUSY" "NAME;TIMEOUT;SECONDS" "COMMAND;ENVIRONMENT" ${ARGN})
  if(NOT TEST_TIMEOUT)
    set(TEST_TIMEOUT 600)
  endif()
  add_test(NAME ${TEST_NAME} COMMAND ${TEST_COMMAND})
  set_tests_properties(${TEST_NAME} PROPERTIES
    ENVIRONMENT "GTEST_OUTPUT=xml:${CMAKE_BINARY_DIR}/results/${TEST_NAME}.xml;HOLDFAST_SOURCE_DIR=${CMAKE_SOURCE_DIR};HOLDFAST_BINARY=${CMAKE_BINARY_DIR}/holdfast;${TEST_ENVIRONMENT}"
    SKIP_RETURN_CODE 77 TIMEOUT ${TEST_TIMEOUT})
  # The folder is a label, so that times can be summed by it.
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE folder)
  set(labels folder=${folder})
  if(TEST_CONFORMANCE)
    list(APPEND labels conformance)
  endif()
  set_tests_properties(${TEST_NAME} PROPERTIES LABELS "${labels}")
  if(TEST_BUSY)
    set_tests_properties(${TEST_NAME} PROPERTIES PROCESSORS 2)
  endif()
  if(TEST_SECONDS)
    set_tests_properties(${TEST_NAME} PROPERTIES COST ${TEST_SECONDS})
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
