# culprit_source_library(PREFIX INCLUDE folder SOURCES files...): the target PkgConfig::PREFIX, a static library built
# from a Debian source package (packaging/fetch-debian-source) with our own list of sources.
function(culprit_source_library prefix)
  cmake_parse_arguments(ARG "" "INCLUDE" "SOURCES;PRIVATE_INCLUDE;DEFINITIONS" ${ARGN})
  string(TOLOWER source_${prefix} target)
  add_library(${target} STATIC ${ARG_SOURCES})
  target_include_directories(${target} SYSTEM PUBLIC ${ARG_INCLUDE})
  target_include_directories(${target} PRIVATE ${ARG_PRIVATE_INCLUDE})
  target_compile_definitions(${target} PRIVATE ${ARG_DEFINITIONS})
  target_compile_options(${target} PRIVATE -w -ffunction-sections -fdata-sections)
  add_library(PkgConfig::${prefix} ALIAS ${target})
endfunction()
