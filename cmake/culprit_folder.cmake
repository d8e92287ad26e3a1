# culprit_folder(NAME [COLD] [PLATFORM] SOURCES ... WITHOUT ... SEES ... LINKS ... TEST_LINKS ... PRECOMPILE ...)
#   The library culprit_NAME from every source of the calling folder, and the test program NAME_test from every *_test.cc:
#   a new file is built because it is there. SOURCES are generated ones; WITHOUT leaves files out. SEES names the rooms
#   whose headers may be included; tests/layers_test holds the includes to it. LINKS are libraries from outside.
#   COLD: runs once and waits for files or people, so it is compiled with -O1, in two thirds of the time.
#   PLATFORM: linux/ and *_linux.cc are compiled for Linux only, windows/ and *_windows.cc for Windows only.
#   PRECOMPILE: headers that most of its sources include (CULPRIT_PCH).
#   With CULPRIT_UNITY a compiler run takes CULPRIT_UNITY sources of a folder at once; the `dev` preset, `./test --all` and
#   clang-tidy take each by itself, so a source that forgets an include does not pass.

# g++ 12 sees overlapping and overlong copies in "literal" + std::string (GCC bugs 105651 and 105329, mended in 13).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  set(CULPRIT_FALSE_WARNINGS -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow
                              -Wno-stringop-overread)
endif()

add_library(culprit_flags INTERFACE)
target_include_directories(culprit_flags INTERFACE ${PROJECT_SOURCE_DIR}/src)
if(MSVC)
  target_compile_options(culprit_flags INTERFACE /utf-8 /W3 /permissive- /Zc:__cplusplus /EHsc)
else()
  target_compile_options(culprit_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                                 -Wno-missing-field-initializers
                                                 $<$<BOOL:${CULPRIT_WERROR}>:-Werror>
                                                 ${CULPRIT_FALSE_WARNINGS}
                                                 $<$<BOOL:${CULPRIT_STATIC}>:-ffunction-sections -fdata-sections>)
endif()
if(WIN32)  # Windows 10 and later
  target_compile_definitions(culprit_flags INTERFACE _WIN32_WINNT=0x0A00 UNICODE _UNICODE NOMINMAX)
endif()

if(CULPRIT_PCH AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # so that ccache knows what is in them
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
endif()

# culprit_sources(SOURCES [TESTS] [PLATFORM] [WITHOUT ...]): the sources of the calling folder and its sub-folders
# that are no room of their own (have no CMakeLists.txt), for this platform.
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

function(culprit_folder name)
  cmake_parse_arguments(ARG "COLD;PLATFORM" "" "SOURCES;WITHOUT;SEES;LINKS;TEST_LINKS;PRECOMPILE" ${ARGN})
  set(target culprit_${name})
  set(platform "")
  if(ARG_PLATFORM)
    set(platform PLATFORM)
  endif()
  culprit_sources(sources ${platform} WITHOUT ${ARG_WITHOUT})
  list(TRANSFORM ARG_SEES PREPEND culprit_)
  if(sources)
    add_library(${target} STATIC ${sources} ${ARG_SOURCES})
    culprit_unity(${target})
    set(scope PUBLIC)
    # Fit for libculprit.so. Hidden, so that calls and variables need no table: programs are as quick as without.
    if(NOT WIN32)
      set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                                                 VISIBILITY_INLINES_HIDDEN ON)
    endif()
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_link_libraries(${target} ${scope} culprit_flags ${ARG_SEES} ${ARG_LINKS})
  if(ARG_COLD AND NOT MSVC)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  if(CULPRIT_PCH AND ARG_PRECOMPILE)
    list(TRANSFORM ARG_PRECOMPILE PREPEND ${PROJECT_SOURCE_DIR}/src/ REGEX "/")
    target_precompile_headers(${target} PRIVATE <algorithm> <map> <optional> <set> <string> <vector> ${ARG_PRECOMPILE})
  endif()
  culprit_sources(tests TESTS ${platform})
  if(CULPRIT_TESTS AND CULPRIT_UNIT_TESTS AND tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE ${target} ${ARG_TEST_LINKS} GTest::gtest_main)
    # What is tested is optimised; the tests themselves need not be, and compile in half of the time.
    target_compile_options(${name}_test PRIVATE $<$<CONFIG:Release>:-O0>)
    list(LENGTH tests count)
    if(CULPRIT_PCH AND count GREATER 3)
      target_precompile_headers(${name}_test PRIVATE <gtest/gtest.h> <map> <optional> <set> <string> <vector>
                                                     ${ARG_PRECOMPILE})
    endif()
    add_test(NAME ${name}_test COMMAND ${name}_test)
  endif()
endfunction()
