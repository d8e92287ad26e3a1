# culprit_folder(NAME [COLD] [PLATFORM] [TESTS_ALONE] [UNIT name] SOURCES ... WITHOUT ... ALONE ... HOT ... SEES ...
#                LINKS ... TEST_LINKS ...)
#   Builds the library culprit_NAME from every source of the calling folder, and the test program NAME_test from every
#   *_test.cc: a new file is built because it is there. SOURCES are generated ones; WITHOUT leaves files out. SEES names the
#   rooms whose headers may be included; tests/layers_test checks the includes. LINKS are external libraries.
#   UNIT: rooms of one unit are compiled together in a unity build, as one library; ALONE names sources that are not.
#   All of them are COLD, or none.
#   HOT: sources of a COLD room that are compiled for speed. SMALL: sources of another room that are compiled for size.
#   COLD: runs once and waits for files or people, so the release compiles it for size (CULPRIT_COLD_LEVEL): 0.7 of what -O1 gives.
#   PLATFORM: linux/ and *_linux.cc are compiled for Linux only, windows/ and *_windows.cc for Windows only.
#   TESTS_ALONE: tests that are compiled by themselves even in a unity build.
#   With CULPRIT_UNITY=N, one compiler run takes N sources of a unit at once; with CULPRIT_PCH, the headers of the
#   standard library are precompiled. Together the first build takes a sixth of the time. The `dev` preset and
#   `./test --all` use neither, so they catch a missing include.

# g++ 12 wrongly warns about overlapping and too long copies in "literal" + std::string (GCC bugs 105651 and 105329, fixed in 13),
# and with -Os about an empty std::optional (GCC bug 80635).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  set(CULPRIT_FALSE_WARNINGS -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow
                              -Wno-stringop-overread -Wno-maybe-uninitialized)
endif()

add_library(culprit_flags INTERFACE)
target_include_directories(culprit_flags INTERFACE ${PROJECT_SOURCE_DIR}/src)
if(MSVC)
  target_compile_options(culprit_flags INTERFACE /utf-8 /W3 /permissive- /Zc:__cplusplus /EHsc)
else()
  # A user's build (tools/build-program) does not look for what ours must not have.
  if(CULPRIT_WERROR)
    target_compile_options(culprit_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
                                                   -Wno-missing-field-initializers ${CULPRIT_FALSE_WARNINGS})
  endif()
  target_compile_options(culprit_flags INTERFACE $<$<BOOL:${CULPRIT_STATIC}>:-ffunction-sections -fdata-sections>)
endif()
if(NOT WIN32)  # RE2 requires it, and precompiled headers only work for sources with the same macros
  target_compile_options(culprit_flags INTERFACE -pthread)
endif()
if(WIN32)  # Windows 10 and later
  target_compile_definitions(culprit_flags INTERFACE _WIN32_WINNT=0x0A00 UNICODE _UNICODE NOMINMAX)
endif()

# Needed for libculprit.so. Hidden, so that calls and variables need no table: programs are as fast as without it.
function(culprit_as_room target)
  if(NOT WIN32)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                                               VISIBILITY_INLINES_HIDDEN ON)
  endif()
endfunction()

# MinGW's libstdc++ defines std::type_info::operator== once more than C++23 allows, which shows where it is not inlined (GCC bug 110572).
if(MINGW)
  set(CULPRIT_COLD $<$<CONFIG:Release>:-O1>)
elseif(NOT MSVC)
  set(CULPRIT_COLD $<$<CONFIG:Release>:${CULPRIT_COLD_LEVEL}>)
endif()

# As many compilers as cores: ninja would start two more, which only take memory.
cmake_host_system_information(RESULT megabytes QUERY TOTAL_PHYSICAL_MEMORY)
cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
set_property(GLOBAL PROPERTY JOB_POOLS compile=${cores})
set(CMAKE_JOB_POOL_COMPILE compile)

# Compiled once: culprit_headers for the rooms, culprit_test_headers for the tests. Sources still include what they use.
set(CULPRIT_HEADERS <algorithm> <array> <chrono> <cstdint> <expected> <functional> <map> <memory> <optional> <set> <span>
                    <string> <string_view> <utility> <vector> <fmt/format.h> <nlohmann/json.hpp>)
file(WRITE ${CMAKE_BINARY_DIR}/empty.cc "")
function(culprit_precompile target)
  add_library(${target} OBJECT ${CMAKE_BINARY_DIR}/empty.cc)
  target_link_libraries(${target} PRIVATE culprit_flags nlohmann_json::nlohmann_json ${CULPRIT_FMT} ${ARGN})
  target_precompile_headers(${target} PRIVATE ${CULPRIT_HEADERS})
endfunction()
if(CULPRIT_PCH)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # so that ccache knows what is in them
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
    # Where there is memory for it (1.8 GB for each compiler, 2.1 GB for the whole), it need not search for what it can free: 8 % of
    # its time, and 6 % more.
    math(EXPR megabytes "${megabytes} / ${cores}")
    if(megabytes GREATER 4000)
      add_compile_options($<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=8000000>)
    elseif(megabytes GREATER 3000)
      add_compile_options($<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=1000000>)
    endif()
  endif()
  foreach(headers IN ITEMS culprit_headers culprit_cold_headers)
    culprit_precompile(${headers})
    culprit_as_room(${headers})
  endforeach()
  target_compile_options(culprit_cold_headers PRIVATE ${CULPRIT_COLD})
  if(CULPRIT_TESTS)
    culprit_precompile(culprit_test_headers GTest::gtest)
    target_precompile_headers(culprit_test_headers PRIVATE <gtest/gtest.h>)
    target_compile_options(culprit_test_headers PRIVATE $<$<CONFIG:Release>:-O0>)
  endif()
endif()

# Some sixty test programs are linked: a fast linker, where there is one, saves several seconds for each. What is shipped
# is linked by the usual one.
if(CULPRIT_TESTS AND NOT WIN32)
  find_program(CULPRIT_FAST_LINKER NAMES ld.lld ld.gold)
  if(CULPRIT_FAST_LINKER MATCHES "ld[.](lld|gold)$")
    set(CULPRIT_TEST_LINKER -fuse-ld=${CMAKE_MATCH_1})
    if(NOT CMAKE_BUILD_TYPE STREQUAL "Release")
      add_link_options(${CULPRIT_TEST_LINKER})
    endif()
  endif()
endif()

# culprit_sources(SOURCES [TESTS] [PLATFORM] [WITHOUT ...]): the sources of the calling folder and its subfolders
# that are not separate rooms (have no CMakeLists.txt), for this platform.
function(culprit_sources sources)
  cmake_parse_arguments(ARG "TESTS;PLATFORM" "" "WITHOUT" ${ARGN})
  set(here ${CMAKE_CURRENT_SOURCE_DIR})
  file(GLOB_RECURSE found CONFIGURE_DEPENDS RELATIVE ${here} ${here}/*.cc)
  file(GLOB_RECURSE rooms RELATIVE ${here} ${here}/*/CMakeLists.txt)
  foreach(room IN LISTS rooms)
    get_filename_component(room ${room} DIRECTORY)
    list(FILTER found EXCLUDE REGEX "^${room}/")
  endforeach()
  if(WIN32)
    set(other linux)
  else()
    set(other windows)
  endif()
  if(ARG_PLATFORM)
    list(FILTER found EXCLUDE REGEX "^${other}/|_${other}(_test)?[.]cc$")
  endif()
  if(ARG_TESTS)
    list(FILTER found INCLUDE REGEX "_test[.]cc$")
  else()
    list(FILTER found EXCLUDE REGEX "_test[.]cc$")
  endif()
  if(ARG_WITHOUT)
    list(REMOVE_ITEM found ${ARG_WITHOUT})
  endif()
  set(${sources} ${found} PARENT_SCOPE)
endfunction()

function(culprit_unity target)
  if(CULPRIT_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${CULPRIT_UNITY})
  endif()
endfunction()

# culprit_test(TARGET [ALONE SOURCE...] [WHOLE]): adds a test program as a test, and compiles it fast. ALONE names
# sources that are compiled by themselves even in a unity build. The code under test is optimized; the tests themselves need
# not be. WHOLE: tests several rooms or the program. The target unit_tests and the label "unit" stand for all others.
function(culprit_test target)
  cmake_parse_arguments(ARG "WHOLE" "" "ALONE" ${ARGN})
  culprit_unity(${target})
  if(ARG_ALONE)
    set_source_files_properties(${ARG_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O0>)
  target_link_options(${target} PRIVATE $<$<CONFIG:Release>:${CULPRIT_TEST_LINKER}>)
  if(CULPRIT_PCH)
    target_precompile_headers(${target} REUSE_FROM culprit_test_headers)
  endif()
  add_test(NAME ${target} COMMAND ${target})
  if(NOT ARG_WHOLE)
    set_tests_properties(${target} PROPERTIES LABELS unit)
    if(NOT TARGET unit_tests)
      add_custom_target(unit_tests)
    endif()
    add_dependencies(unit_tests ${target})
  endif()
endfunction()

# culprit_home(HOME ROOM): the library that holds the code of a room: its unit's, or its own.
function(culprit_home home room)
  get_property(found GLOBAL PROPERTY culprit_home_${room})
  if(NOT found)
    set(found culprit_${room})
  endif()
  set(${home} ${found} PARENT_SCOPE)
endfunction()

# culprit_add_home(HOME KIND COLD): the empty library (STATIC, OBJECT) for one room or a unit of them.
function(culprit_add_home home kind cold)
  add_library(${home} ${kind})
  culprit_unity(${home})
  culprit_as_room(${home})
  set(headers culprit_headers)
  if(cold)
    set(headers culprit_cold_headers)
    target_compile_options(${home} PRIVATE ${CULPRIT_COLD})
  endif()
  if(CULPRIT_PCH)
    target_precompile_headers(${home} REUSE_FROM ${headers})
  endif()
endfunction()

function(culprit_folder name)
  cmake_parse_arguments(ARG "COLD;PLATFORM" "UNIT" "SOURCES;WITHOUT;ALONE;HOT;SMALL;TESTS_ALONE;SEES;LINKS;TEST_LINKS" ${ARGN})
  set(target culprit_${name})
  set(platform "")
  if(ARG_PLATFORM)
    set(platform PLATFORM)
  endif()
  culprit_sources(sources ${platform} WITHOUT ${ARG_WITHOUT})
  set(home ${target})
  set(scope PUBLIC)
  if(NOT sources)
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  elseif(ARG_UNIT AND CULPRIT_UNITY AND NOT (WIN32 AND ARG_UNIT STREQUAL ground))  # it includes <windows.h> and its macros
    set(home culprit_unit_${ARG_UNIT})
    set_property(GLOBAL PROPERTY culprit_home_${name} ${home})
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE ${home})
  endif()
  if(NOT TARGET ${home})
    culprit_add_home(${home} STATIC ${ARG_COLD})
  endif()
  set(homes ${home})
  foreach(kind IN ITEMS HOT SMALL)
    if(NOT ARG_${kind})
      continue()
    endif()
    set(part ${home}_${kind})
    list(REMOVE_ITEM sources ${ARG_${kind}})
    list(APPEND homes ${part})
    if(NOT TARGET ${part})
      string(COMPARE EQUAL ${kind} SMALL small)
      culprit_add_home(${part} OBJECT ${small})
      target_sources(${home} PRIVATE $<TARGET_OBJECTS:${part}>)
    endif()
    list(TRANSFORM ARG_${kind} PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
    target_sources(${part} PRIVATE ${ARG_${kind}})
  endforeach()
  if(sources)
    list(TRANSFORM sources PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
    target_sources(${home} PRIVATE ${sources} ${ARG_SOURCES})
  endif()
  if(ARG_ALONE)
    list(TRANSFORM ARG_ALONE PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
    set_source_files_properties(${ARG_ALONE} TARGET_DIRECTORY ${home} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
  set(seen "")
  foreach(room IN LISTS ARG_SEES)
    culprit_home(other ${room})
    if(NOT other STREQUAL home)
      list(APPEND seen ${other})
    endif()
  endforeach()
  foreach(part IN LISTS homes)
    target_link_libraries(${part} ${scope} culprit_flags ${seen} ${ARG_LINKS})
  endforeach()
  culprit_sources(tests TESTS ${platform})
  if(CULPRIT_TESTS AND CULPRIT_UNIT_TESTS AND tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE ${target} ${ARG_TEST_LINKS} GTest::gtest_main)
    culprit_test(${name}_test ALONE ${ARG_TESTS_ALONE})
  endif()
endfunction()
