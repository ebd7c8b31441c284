# Flags that hold for every target. Presets choose: HOLDFAST_SANITIZE (list for -fsanitize=), HOLDFAST_FUZZ,
# HOLDFAST_TIDY, HOLDFAST_SPLIT_DEBUG.
set(HOLDFAST_SANITIZE "" CACHE STRING "sanitizers, as -fsanitize= takes them")
option(HOLDFAST_FUZZ "build the libFuzzer targets (clang only)" OFF)
option(HOLDFAST_TIDY "run clang-tidy beside the compiler" OFF)
option(HOLDFAST_SPLIT_DEBUG "keep the debug information of holdfast in holdfast.debug" OFF)

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -fno-strict-aliasing)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  if(HOLDFAST_SANITIZE)
    # g++ 12 raises these falsely in instrumented code; the release preset keeps them as errors.
    add_compile_options(-Wno-error=maybe-uninitialized -Wno-error=restrict -Wno-error=stringop-overflow
      -Wno-error=stringop-overread -Wno-error=array-bounds -Wno-error=dangling-pointer -Wno-error=use-after-free
      -Wno-error=free-nonheap-object -Wno-error=tsan)
  endif()
  # g++ 12 misfires with these on std::string's operator+ and find (GCC bugs 105329, 105651).
  add_compile_options(-Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
else()
  # clang counts signedness among conversions, g++ does not in C++.
  add_compile_options(-Wthread-safety -Wnon-virtual-dtor -Wreserved-identifier -Wno-gnu-statement-expression
    -Wno-sign-conversion)
endif()
if(HOLDFAST_SANITIZE)
  add_compile_options(-fsanitize=${HOLDFAST_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${HOLDFAST_SANITIZE})
  if(HOLDFAST_SANITIZE MATCHES "address.*undefined" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # What g++ keeps for the words of each undefined-behaviour check, the address sanitizer guards like any other data:
    # 12 million relocations and 300 MB of data in `holdfast`, gone through whenever it starts. A trap needs none of it,
    # and with handle_sigill=1 (tools/run_tests) the address sanitizer prints the stack, with the line, all the same.
    add_compile_options(-fsanitize-undefined-trap-on-error)
    add_compile_options($<$<NOT:$<STREQUAL:$<TARGET_PROPERTY:TYPE>,MODULE_LIBRARY>>:-fno-pie>)
    add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
  endif()
endif()
if(HOLDFAST_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

find_program(HOLDFAST_CCACHE ccache)
if(HOLDFAST_CCACHE)
  # Precompiled headers need the sloppiness to be cacheable; paths are hashed from the source folder on, so that a second
  # clone or work tree finds what the first one compiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
    CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_MAXSIZE=20G ${HOLDFAST_CCACHE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-fpch-preprocess)
  endif()
endif()
find_program(HOLDFAST_MOLD mold)
if(HOLDFAST_MOLD)
  add_link_options(-fuse-ld=mold)
endif()
if(HOLDFAST_TIDY)
  find_program(HOLDFAST_CLANG_TIDY NAMES clang-tidy-14 clang-tidy REQUIRED)
endif()

find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(ZLIB REQUIRED)
find_package(CURL REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(fmt REQUIRED)
find_package(date REQUIRED)
find_package(spdlog REQUIRED)
find_package(prometheus-cpp REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(yaml_cpp REQUIRED IMPORTED_TARGET yaml-cpp)
pkg_check_modules(re2 REQUIRED IMPORTED_TARGET re2)
pkg_check_modules(simdjson REQUIRED IMPORTED_TARGET simdjson)
pkg_check_modules(seccomp REQUIRED IMPORTED_TARGET libseccomp)
pkg_check_modules(sodium REQUIRED IMPORTED_TARGET libsodium)
pkg_check_modules(archive REQUIRED IMPORTED_TARGET libarchive)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
find_package(GTest REQUIRED)
find_package(CLI11 REQUIRED)
