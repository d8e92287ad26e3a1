#include "collect/toolkit/exact_version.h"

#include <string_view>
#include <vector>

#include "base/text.h"
#include "base/version.h"
#include "collect/library/text_search.h"

namespace culprit::collect {
namespace {

using base::DirName;
using base::JoinPath;
using system::System;

constexpr uint64_t kLargestProgram = 256 << 20;  // libclang-cpp has 70 MB
constexpr uint64_t kSmallText = 64 << 10;

std::string PrefixOf(const std::string& program) { return std::string(DirName(DirName(program))); }

// Whether `version` is `known`, or says more: 12.2.0 of 12.
bool Refines(const std::string& version, const std::string& known) {
  return base::Version::Parse(version) &&
         (known.empty() || version == known || version.starts_with(known + "."));
}

std::string ConstantIn(const System& system, const std::string& path, const std::string& prefix) {
  const auto file = system.Open(path);
  return file && file->bytes ? VersionConstant(*file->bytes, prefix, kLargestProgram) : "";
}

// "12.2.0" of "GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"; the words in brackets are the packager's.
std::string Signature(const System& system, const std::string& object) {
  const auto file = system.Open(object);
  if (!file || !file->bytes) return "";
  const auto text = TextAfter(*file->bytes, "GCC: (", SearchFrom::kEnd, kSmallText);
  const size_t end = text ? text->find(") ") : std::string::npos;
  if (end == std::string::npos) return "";
  const auto words = base::SplitWords(text->substr(end + 2), " ");
  return words.empty() ? "" : words.front();
}

// The names in a directory that begin with `start`, without it.
std::vector<std::string> Rests(const System& system, const std::string& directory, std::string_view start) {
  std::vector<std::string> rests;
  const auto entries = system.List(directory);
  if (!entries) return rests;
  for (const auto& entry : *entries) {
    if (entry.name.starts_with(start)) rests.push_back(entry.name.substr(start.size()));
  }
  return rests;
}

// The only version among the names; "" if there are several.
std::string OnlyVersion(const std::vector<std::string>& names) {
  std::string only;
  for (const std::string& name : names) {
    if (!base::Version::Parse(name)) continue;
    if (!only.empty()) return "";
    only = name;
  }
  return only;
}

// The text between the quotes of: #define PY_VERSION "3.11.7"
std::string PatchLevel(const System& system, const std::string& header) {
  const auto text = system::ReadWholeFile(system, header, kSmallText);
  if (!text) return "";
  for (const std::string& line : base::Split(*text, '\n')) {
    const auto words = base::SplitWords(line, " \t\"\r");
    if (words.size() >= 3 && words[0] == "#define" && words[1] == "PY_VERSION") return words[2];
  }
  return "";
}

// Where a virtual environment keeps its version; uv writes version_info.
std::string VenvVersion(const System& system, const std::string& prefix) {
  const auto text = system::ReadWholeFile(system, JoinPath(prefix, "pyvenv.cfg"), kSmallText);
  if (!text) return "";
  for (const std::string& line : base::Split(*text, '\n')) {
    const auto words = base::SplitWords(line, " \t=\r");
    if (words.size() == 2 && (words[0] == "version" || words[0] == "version_info")) return words[1];
  }
  return "";
}

}  // namespace

std::string NvccBuild(const System& system, const std::string& program) {
  const auto file = system.Open(program);
  if (!file || !file->bytes) return "";
  const auto text = TextAfter(*file->bytes, "\nBuild cuda_", SearchFrom::kEnd, kLargestProgram);
  return text ? "cuda_" + *text : "";
}

std::string ExactGcc(const System& system, const std::string& program, const std::string& version) {
  std::string exact;
  for (const char* lib : {"lib/gcc", "lib64/gcc"}) {
    const std::string root = JoinPath(PrefixOf(program), lib);
    for (const std::string& triple : Rests(system, root, "")) {
      for (const std::string& name : Rests(system, JoinPath(root, triple), version)) {
        const std::string own = JoinPath(JoinPath(JoinPath(root, triple), version + name), "crtend.o");
        const std::string signature = Signature(system, own);
        if (!Refines(signature, version)) continue;
        if (base::BaseName(program).find(triple) != std::string::npos) return signature;
        if (!exact.empty() && exact != signature) return "";  // of several GCCs, none named
        exact = signature;
      }
    }
  }
  return exact;
}

std::string ExactClang(const System& system, const std::string& program) {
  const std::string prefix = PrefixOf(program);
  const std::string known = OnlyVersion(Rests(system, JoinPath(prefix, "lib/clang"), ""));
  if (known.empty() || known.find('.') != std::string::npos) return known;
  std::string exact = ConstantIn(system, program, known + ".");
  const std::string lib = JoinPath(prefix, "lib");
  for (const std::string& name : Rests(system, lib, "libclang-cpp.so." + known)) {
    if (exact.empty())
      exact = ConstantIn(system, JoinPath(lib, "libclang-cpp.so." + known + name), known + ".");
  }
  return exact.empty() ? known : exact;
}

std::string ExactCmake(const System& system, const std::string& program) {
  const std::string known = OnlyVersion(Rests(system, JoinPath(PrefixOf(program), "share"), "cmake-"));
  if (known.empty()) return "";
  const std::string exact = ConstantIn(system, program, known + ".");
  return exact.empty() ? known : exact;
}

std::string ExactPython(const System& system, const std::string& prefix, const std::string& interpreter,
                        const std::string& version) {
  if (version.empty()) return "";
  const std::string own = PatchLevel(system, JoinPath(prefix, "include/python" + version + "/patchlevel.h"));
  if (Refines(own, version)) return own;
  const std::string real = system.RealPath(interpreter).value_or("");
  if (!real.empty()) {
    const std::string lib = JoinPath(PrefixOf(real), "lib/libpython" + version + ".so.1.0");
    for (const std::string& path : {real, lib}) {
      if (std::string exact = ConstantIn(system, path, version + "."); !exact.empty()) return exact;
    }
  }
  const std::string venv = VenvVersion(system, prefix);
  return Refines(venv, version) ? venv : "";
}

}  // namespace culprit::collect
