# Programs that know drivers know them by a list: a file list.def with a line HOLDFAST_DRIVER(NAME) for each. The list of the
# product is src/drivers/list.def; a test can have a longer one, and gets the same programs with its own drivers in them.
set(HOLDFAST_LISTS ${CMAKE_SOURCE_DIR}/src/drivers)  # what reads a list: all.cpp, verbs/verbs.cpp, models.cpp

# holdfast_listed_drivers(VARIABLE FOLDER): the names that the lines of FOLDER/list.def have.
function(holdfast_listed_drivers variable folder)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/list.def)
  file(STRINGS ${folder}/list.def drivers REGEX "^HOLDFAST_DRIVER")
  list(TRANSFORM drivers REPLACE "^HOLDFAST_DRIVER\\((.+)\\)$" "\\1")
  set(${variable} ${drivers} PARENT_SCOPE)
endfunction()

# holdfast_program(NAME LIST folder DRIVERS names…): the whole binary. Its lists come before those in the libraries below.
function(holdfast_program name)
  cmake_parse_arguments(PROGRAM "" "LIST" "DRIVERS" ${ARGN})
  add_executable(${name} ${CMAKE_SOURCE_DIR}/src/cli/main.cpp ${HOLDFAST_LISTS}/all.cpp ${HOLDFAST_LISTS}/verbs/verbs.cpp)
  target_include_directories(${name} PRIVATE ${PROGRAM_LIST} ${HOLDFAST_LISTS}/include ${HOLDFAST_LISTS}/verbs/include)
  foreach(driver ${PROGRAM_DRIVERS})
    target_link_libraries(${name} PRIVATE holdfast_driver_${driver}_verbs holdfast_driver_${driver})
  endforeach()
  target_link_libraries(${name} PRIVATE holdfast_cli)
endfunction()

# holdfast_simulation(NAME LIST folder DRIVERS names…): the simulation, NAME, and NAME-sabotaged: the same with a runtime and
# drivers whose promises can be switched off one by one, to show that each would be missed.
function(holdfast_simulation name)
  cmake_parse_arguments(PROGRAM "" "LIST" "DRIVERS" ${ARGN})
  set(sources ${CMAKE_SOURCE_DIR}/src/sim/main.cpp ${HOLDFAST_LISTS}/models.cpp)
  add_executable(${name} ${sources})
  add_executable(${name}-sabotaged ${sources} $<TARGET_OBJECTS:holdfast_sabotaged>)
  target_compile_definitions(${name}-sabotaged PRIVATE HOLDFAST_SABOTAGE)
  foreach(program ${name} ${name}-sabotaged)
    target_include_directories(${program} PRIVATE ${PROGRAM_LIST} ${HOLDFAST_LISTS}/include)
  endforeach()
  foreach(driver ${PROGRAM_DRIVERS})
    target_link_libraries(${name} PRIVATE holdfast_driver_${driver}_model)
    target_sources(${name}-sabotaged PRIVATE $<TARGET_OBJECTS:holdfast_driver_${driver}_sabotaged>)
    add_dependencies(${name}-sabotaged holdfast_driver_${driver}_model)
    target_link_libraries(${name}-sabotaged PRIVATE $<TARGET_FILE:holdfast_driver_${driver}_model>)
  endforeach()
  target_link_libraries(${name} PRIVATE holdfast_sim fmt::fmt CLI11::CLI11)
  # A quarter of a run is allocation, and the next allocator halves it. Sanitizers bring their own.
  if(NOT HOLDFAST_SANITIZE)
    pkg_check_modules(tcmalloc REQUIRED IMPORTED_TARGET libtcmalloc_minimal)
    target_link_libraries(${name} PRIVATE -Wl,--no-as-needed PkgConfig::tcmalloc -Wl,--as-needed)
  endif()
  # By file, so that they do not bring the unbroken runtime with them.
  add_dependencies(${name}-sabotaged holdfast_sim holdfast_workloads holdfast_protect)
  target_include_directories(${name}-sabotaged PRIVATE
    $<TARGET_PROPERTY:holdfast_sim,INTERFACE_INCLUDE_DIRECTORIES>
    $<TARGET_PROPERTY:holdfast_protect,INTERFACE_INCLUDE_DIRECTORIES>
    $<TARGET_PROPERTY:holdfast_control,INTERFACE_INCLUDE_DIRECTORIES>)
  target_link_libraries(${name}-sabotaged PRIVATE $<TARGET_FILE:holdfast_sim> $<TARGET_FILE:holdfast_workloads>
    $<TARGET_FILE:holdfast_protect> holdfast_repo holdfast_blob holdfast_apiserver holdfast_kube holdfast_net
    holdfast_model holdfast_base date::date-tz PkgConfig::archive fmt::fmt prometheus-cpp::core CLI11::CLI11)
endfunction()
