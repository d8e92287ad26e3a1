#include "collect/toolkit/host_compiler.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "base/version.h"

namespace culprit::collect {
namespace {

using base::BaseName;
using base::DirName;
using base::JoinPath;
using snapshot::Compiler;
using system::System;

constexpr int kLinkLimit = 40;

// "12" for "x86_64-linux-gnu-gcc-12" and "g++-12", "15" for "clang++-15", "" for "gcc".
std::string VersionInName(std::string_view name) {
  const size_t dash = name.rfind('-');
  if (dash == std::string_view::npos) return "";
  const std::string_view text = name.substr(dash + 1);
  return base::Version::Parse(text) ? std::string(text) : "";
}

std::string Kind(std::string_view name) {
  if (name.find("clang") != std::string_view::npos) return "clang";
  if (name.find("gcc") != std::string_view::npos || name.find("g++") != std::string_view::npos) return "gcc";
  return "";
}

// Follows symlinks one by one, since each name may say it; fills in kind and version.
std::string FollowNames(const System& system, std::string path, Compiler& compiler) {
  for (int links = 0; links < kLinkLimit; ++links) {
    const std::string_view name = BaseName(path);
    if (compiler.name.empty()) compiler.name = Kind(name);
    if (compiler.version.empty()) {
      compiler.version = VersionInName(name);
      if (!compiler.version.empty()) compiler.source += ", version from the name " + path;
    }
    const auto target = system.ReadLink(path);
    if (!target) break;
    path = base::CleanPath(JoinPath(DirName(path), *target));
  }
  return path;
}

// GCC keeps its own files in lib/gcc/TRIPLE/VERSION. If there is only one version, it is that one.
void FromOwnDirectory(const System& system, const std::string& real_path, Compiler& compiler) {
  const std::string prefix(DirName(DirName(real_path)));
  std::vector<std::string> versions;
  std::string found_in;
  for (const char* lib : {"lib/gcc", "lib64/gcc"}) {
    const std::string root = JoinPath(prefix, lib);
    const auto triples = system.List(root);
    if (!triples) continue;
    for (const auto& triple : *triples) {
      const std::string directory = JoinPath(root, triple.name);
      const auto names = system.List(directory);
      if (!names) continue;
      for (const auto& entry : *names) {
        if (!base::Version::Parse(entry.name)) continue;
        if (std::ranges::find(versions, entry.name) == versions.end()) versions.push_back(entry.name);
        found_in = JoinPath(directory, entry.name);
      }
    }
  }
  if (versions.size() != 1) return;
  compiler.version = versions.front();
  compiler.source += ", version from " + found_in;
}

std::string AsPath(const Surroundings& around, const std::string& value) {
  // CC may contain arguments or a launcher ("ccache gcc"): the last word that is a program counts.
  std::string path;
  for (const std::string& word : base::SplitWords(value, " \t")) {
    if (word.starts_with('-')) break;
    path = word.starts_with('/')                 ? word
           : word.find('/') == std::string::npos ? FindOnPath(around, word)
                                                 : base::CleanPath(JoinPath(around.working_directory, word));
  }
  return path;
}

void AddCompiler(const Surroundings& around, const std::string& path, const std::string& chosen_by,
                 std::vector<Compiler>& compilers) {
  if (path.empty()) return;
  Compiler compiler{.path = path, .source = chosen_by};
  const auto status = around.system.Stat(path);
  if (!status) {
    compiler.source += ": " + std::string(base::Strerror(status.error()));
    compilers.push_back(std::move(compiler));
    return;
  }
  if (status->type == system::FileType::kDirectory) {  // nvcc also accepts a directory: the gcc in it
    AddCompiler(around, JoinPath(path, "gcc"), chosen_by, compilers);
    return;
  }
  const std::string real = FollowNames(around.system, path, compiler);
  if (compiler.version.empty() && compiler.name == "gcc") FromOwnDirectory(around.system, real, compiler);
  compilers.push_back(std::move(compiler));
}

// The value of -ccbin in a variable of nvcc flags: "-ccbin X", "-ccbin=X", "--compiler-bindir=X".
std::string Ccbin(const std::string& flags) {
  const auto words = base::SplitWords(flags, " \t");
  for (size_t i = 0; i < words.size(); ++i) {
    for (const std::string_view option : {"-ccbin", "--compiler-bindir"}) {
      if (words[i] == option && i + 1 < words.size()) return words[i + 1];
      if (words[i].starts_with(std::string(option) + "=")) return words[i].substr(option.size() + 1);
    }
  }
  return "";
}

}  // namespace

std::string FindOnPath(const Surroundings& around, const std::string& program) {
  constexpr uint32_t kAnyExecute = 0111;
  for (const std::string& directory : base::SplitWords(base::ValueOf(around.environment, "PATH"), ":")) {
    if (!directory.starts_with('/')) continue;
    const std::string path = JoinPath(directory, program);
    const auto status = around.system.Stat(path);
    if (status && status->type == system::FileType::kRegular && (status->mode & kAnyExecute) != 0)
      return path;
  }
  return "";
}

Compiler CompilerAt(const Surroundings& around, const std::string& named, const std::string& source) {
  std::vector<Compiler> found;
  AddCompiler(around, AsPath(around, named), source, found);
  return found.empty() ? Compiler{.path = named, .source = source} : found.front();
}

std::vector<Compiler> HostCompilers(const Surroundings& around) {
  std::vector<Compiler> compilers;
  for (const char* name : {"NVCC_APPEND_FLAGS", "NVCC_PREPEND_FLAGS"}) {
    AddCompiler(around, AsPath(around, Ccbin(base::ValueOf(around.environment, name))),
                std::string("chosen by -ccbin in ") + name, compilers);
  }
  AddCompiler(around, AsPath(around, base::ValueOf(around.environment, "NVCC_CCBIN")), "chosen by NVCC_CCBIN",
              compilers);
  AddCompiler(around, FindOnPath(around, "gcc"), "chosen by PATH", compilers);
  for (const char* name : {"CUDAHOSTCXX", "CC", "CXX"}) {
    AddCompiler(around, AsPath(around, base::ValueOf(around.environment, name)),
                std::string("chosen by ") + name, compilers);
  }
  std::vector<Compiler> each;
  for (Compiler& compiler : compilers) {
    const bool known =
        std::ranges::any_of(each, [&](const Compiler& other) { return other.path == compiler.path; });
    if (!known) each.push_back(std::move(compiler));
  }
  return each;
}

}  // namespace culprit::collect
