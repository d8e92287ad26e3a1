# culprit_folder(NAME [COLD] SOURCES ... TESTS ... SEES ... LINKS ... TEST_LINKS ...)
#   One library culprit_NAME from the sources of the calling folder, and one test program NAME_test.
#   SEES names the culprit folders whose headers may be included (tests/layers_test checks that the
#   includes say the same); LINKS names libraries from outside. PRECOMPILE names headers that most of its sources
#   include: with CULPRIT_PCH they are compiled once. The release packages are built without, so a source that
#   forgets an include does not pass. COLD: it runs once in a run and waits for files or people, so it is optimised
#   less, which compiles in two thirds of the time.

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

function(culprit_folder name)
  cmake_parse_arguments(ARG "COLD" "" "SOURCES;TESTS;SEES;LINKS;TEST_LINKS;PRECOMPILE" ${ARGN})
  set(target culprit_${name})
  foreach(seen IN LISTS ARG_SEES)
    if(NOT TARGET culprit_${seen})
      message(WARNING "src/${name} sees ${seen}, which is no folder before it in src/CMakeLists.txt")
    endif()
  endforeach()
  list(TRANSFORM ARG_SEES PREPEND culprit_)
  if(ARG_SOURCES)
    add_library(${target} STATIC ${ARG_SOURCES})
    set(scope PUBLIC)
    # Fit for libculprit.so. Hidden, so that no call and no variable goes through a table for it: programs are as
    # quick as before.
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
  if(CULPRIT_TESTS AND CULPRIT_UNIT_TESTS AND ARG_TESTS)
    add_executable(${name}_test ${ARG_TESTS})
    target_link_libraries(${name}_test PRIVATE ${target} ${ARG_TEST_LINKS} GTest::gtest_main)
    # What is tested is optimised; the tests themselves need not be, and compile in half of the time.
    target_compile_options(${name}_test PRIVATE $<$<CONFIG:Release>:-O0>)
    list(LENGTH ARG_TESTS tests)
    if(CULPRIT_PCH AND tests GREATER 3)
      target_precompile_headers(${name}_test PRIVATE <gtest/gtest.h> <map> <optional> <set> <string> <vector>
                                                     ${ARG_PRECOMPILE})
    endif()
    add_test(NAME ${name}_test COMMAND ${name}_test)
  endif()
endfunction()
