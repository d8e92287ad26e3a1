#include "collect/maintainer.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>

#include "base/text.h"
#include "base/version.h"
#include "collect/toolkit/exact_version.h"
#include "collect/toolkit/nvcc.h"

namespace culprit::collect {
namespace {

using snapshot::Compiler;
using system::System;

constexpr uint64_t kProcessorText = 8 << 20;  // 1.5 KB for each of some thousand processors
constexpr size_t kMostTools = 40;

// What stands behind "NAME :" in a line of /proc/cpuinfo; "" if the line is another one.
std::string ValueOfLine(const std::string& line, std::string_view name) {
  const size_t colon = line.find(':');
  if (colon == std::string::npos || base::Trim(std::string_view(line).substr(0, colon)) != name) return "";
  return std::string(base::Trim(std::string_view(line).substr(colon + 1)));
}

void ReadProcessors(const System& system, MaintainerFacts& facts) {
  const auto text = system::ReadWholeFile(system, "/proc/cpuinfo", kProcessorText);
  if (!text) return;
  std::string implementer, part;
  for (const std::string& line : base::Split(*text, '\n')) {
    if (!ValueOfLine(line, "processor").empty()) ++facts.processors;
    if (facts.processor.empty()) facts.processor = ValueOfLine(line, "model name");
    if (implementer.empty()) implementer = ValueOfLine(line, "CPU implementer");
    if (part.empty()) part = ValueOfLine(line, "CPU part");
  }
  // Arm's kernels give numbers instead of a name.
  if (facts.processor.empty() && !part.empty())
    facts.processor = "implementer " + implementer + ", part " + part;
}

void ReadMemory(const System& system, MaintainerFacts& facts) {
  const auto text = system::ReadWholeFile(system, "/proc/meminfo", 64 << 10);
  if (!text) return;
  for (const std::string& line : base::Split(*text, '\n')) {
    const std::string value = ValueOfLine(line, "MemTotal");
    std::from_chars(value.data(), value.data() + value.size(), facts.memory_kib);
  }
}

void ReadWindowsProcessors(const System& system, MaintainerFacts& facts) {
  const std::string list = "HKLM/HARDWARE/DESCRIPTION/System/CentralProcessor";
  if (const auto key = system.ReadRegistry(list)) facts.processors = key->keys.size();
  const auto first = system.ReadRegistry(list + "/0");
  if (first && first->values.contains("ProcessorNameString"))
    facts.processor = base::Trim(first->values.at("ProcessorNameString"));
}

// "gcc" for gcc and gcc-12, "clang" for clang-19, "cmake"; "" for every other name, as gcc-ar-12.
std::string ToolOf(std::string_view name) {
  const size_t dash = name.find('-');
  const std::string_view tool = name.substr(0, dash);
  if (dash != std::string_view::npos && !base::Version::Parse(name.substr(dash + 1))) return "";
  return tool == "gcc" || tool == "clang" || tool == "cmake" ? std::string(tool) : "";
}

std::string ExactVersion(const System& system, const Compiler& tool, const std::string& real) {
  if (tool.name == "clang") return ExactClang(system, real);
  if (tool.name == "cmake") return ExactCmake(system, real);
  if (tool.name != "gcc") return "";
  const std::string_view name = base::BaseName(real);
  const std::string last(name.substr(name.rfind('-') + 1));
  return ExactGcc(system, real, base::Version::Parse(last) ? last : "");
}

// A file may have several names on PATH, and several directories of PATH may be one.
void AddTool(const System& system, Compiler tool, std::set<std::string>& seen, MaintainerFacts& facts) {
  constexpr uint32_t kAnyExecute = 0111;
  const auto status = system.Stat(tool.path);
  const std::string real = system.RealPath(tool.path).value_or(tool.path);
  if (!status || status->type != system::FileType::kRegular || (status->mode & kAnyExecute) == 0) return;
  if (facts.tools.size() == kMostTools || !seen.insert(real).second) return;
  if (const std::string exact = ExactVersion(system, tool, real); !exact.empty() && exact != tool.version) {
    tool.source += ", " + (tool.version.empty() ? "version" : exact) + " from its own files";
    tool.version = exact;
  }
  facts.tools.push_back(std::move(tool));
}

// Those that a build would take, with who chose them, then every other one on PATH.
void ReadTools(const System& system, const snapshot::Snapshot& snapshot, MaintainerFacts& facts) {
  std::set<std::string> seen;
  if (snapshot.stack.toolkits) {
    for (const Compiler& compiler : snapshot.stack.toolkits->host_compilers)
      AddTool(system, compiler, seen, facts);
  }
  for (const std::string& directory : base::SplitWords(base::ValueOf(snapshot.environment, "PATH"), ":")) {
    const auto entries =
        directory.starts_with('/') ? system.List(directory) : std::unexpected(system::PathError::kNoEntry);
    if (!entries) continue;
    for (const auto& entry : *entries) {
      if (std::string tool = ToolOf(entry.name); !tool.empty())
        AddTool(system,
                {.name = std::move(tool), .path = base::JoinPath(directory, entry.name), .source = "on PATH"},
                seen, facts);
    }
  }
}

}  // namespace

MaintainerFacts LookForMaintainer(const System& system, const snapshot::Snapshot& snapshot) {
  MaintainerFacts facts;
  if (system.platform() == base::Platform::kWindows) {
    ReadWindowsProcessors(system, facts);
    return facts;
  }
  ReadProcessors(system, facts);
  ReadMemory(system, facts);
  ReadTools(system, snapshot, facts);
  if (snapshot.stack.toolkits) {
    for (const snapshot::Toolkit& toolkit : snapshot.stack.toolkits->copies) {
      if (toolkit.nvcc.empty()) continue;
      facts.nvcc_builds[toolkit.nvcc] = NvccBuild(system, ReadNvcc(system, toolkit.nvcc).program);
    }
  }
  if (snapshot.stack.environments) {
    for (const snapshot::PythonEnvironment& environment : *snapshot.stack.environments)
      facts.pythons[environment.prefix] =
          ExactPython(system, environment.prefix, environment.interpreter, environment.python);
  }
  return facts;
}

}  // namespace culprit::collect
