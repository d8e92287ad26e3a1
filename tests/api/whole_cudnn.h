// The fake cuDNN 9.14 with the parts that nothing fake opens, but that a whole cuDNN 9 has: culprit would
// miss them, or find those of this machine.
#pragma once

#include <filesystem>
#include <string>

// Its directory, made at the first question.
inline const std::string& WholeCudnn() {
  namespace fs = std::filesystem;
  static const std::string directory = [] {
    const fs::path whole = fs::path(CULPRIT_FAKES) / "whole-cudnn-91400";
    fs::remove_all(whole);
    fs::copy(fs::path(CULPRIT_FAKES) / "cudnn-91400", whole);
    for (const char* part : {"engines_precompiled", "engines_runtime_compiled", "heuristic"}) {
      // The version stands in the name of the file.
      const std::string name = std::string("libcudnn_") + part + ".so.9";
      fs::copy_file(whole / "libcudnn_adv.so.9", whole / (name + ".14.0"));
      fs::create_symlink(name + ".14.0", whole / name);
    }
    return whole.string();
  }();
  return directory;
}
