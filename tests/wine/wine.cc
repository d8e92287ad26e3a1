#include "wine.h"

#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <stdexcept>

#include "base/text.h"
#include "base/windows/path.h"
#include "gold/child.h"

namespace culprit::wine {
namespace {

namespace fs = std::filesystem;
using OpKind = Operation::Kind;

constexpr int kTimeoutMs = 180'000;

std::string Contents(const TreeFile& file) {
  std::string bytes = Bytes(file.dll);
  switch (file.kind) {
    case TreeFile::Kind::kDll:
    case TreeFile::Kind::kDirectory:
      break;
    case TreeFile::Kind::kText:
      return "this is not a program\n";
    case TreeFile::Kind::kEmpty:
      return "";
    case TreeFile::Kind::kShort:
      return "MZ";
    case TreeFile::Kind::kSectionCut:
      bytes.resize(bytes.size() / 2);
      break;
    case TreeFile::Kind::kHeaderCut:
      bytes.resize(0x100);
      break;
  }
  return bytes;
}

std::string Line(const char* word, const std::string& first, const std::string& second = "") {
  return std::string(word) + "\t" + first + (second.empty() ? "" : "\t" + second) + "\n";
}

std::string Hex(uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof(text), "%x", value);
  return text;
}

std::string Folded(const std::string& path) { return base::FoldCase(base::FromWindowsPath(path)); }

}  // namespace

Wine::Wine(std::string program, std::string prefix, const std::string& driver)
    : program_(std::move(program)), prefix_(std::move(prefix)), drive_c_(fs::path(prefix_) / "drive_c") {
  fs::create_directories(prefix_);
  RemoveOld();
  const fs::path program_directory = HostPath(kProgramDirectory);
  fs::create_directories(program_directory);
  fs::copy_file(driver, program_directory / "driver.exe", fs::copy_options::overwrite_existing);
  const fs::path marker = fs::path(prefix_) / "made_by_gold_wine";
  booted_ = fs::exists(marker);
  if (!booted_) Run("");
  std::ofstream(marker) << "complete\n";
  booted_ = true;
  fs::create_directories(drive_c_ / "windows/system");
  // An interrupted run leaves it turned off.
  std::ifstream registry(fs::path(prefix_) / "system.reg");
  for (std::string line; std::getline(registry, line);) {
    if (line != "\"SafeDllSearchMode\"=dword:00000000") continue;
    Run("safe\t1\n");
    break;
  }
}

// Leftovers of an earlier run, also in the Windows directories.
void Wine::RemoveOld() const {
  fs::remove_all(drive_c_ / "gold");
  for (const char* directory : {"windows", "windows/system", "windows/system32"}) {
    if (!fs::exists(drive_c_ / directory)) continue;
    std::vector<fs::path> old;
    for (const auto& entry : fs::directory_iterator(drive_c_ / directory)) {
      const std::string name = entry.path().filename();
      const size_t digits = name.find_first_not_of("0123456789", 1);
      if (name.starts_with('t') && digits > 1 && digits < name.size() && name[digits] == '_') {
        old.push_back(entry.path());
      }
    }
    for (const fs::path& path : old) fs::remove_all(path);
  }
}

fs::path Wine::HostPath(const std::string& path) const { return drive_c_ / path.substr(4); }

void Wine::Write(const Tree& tree) {
  for (const std::string& directory : tree.directories) fs::create_directories(HostPath(directory));
  for (const TreeFile& file : tree.files) {
    const fs::path path = HostPath(file.path);
    if (file.kind == TreeFile::Kind::kDirectory) {
      fs::create_directories(path);
      continue;
    }
    std::ofstream(path, std::ios::binary) << Contents(file);
  }
}

std::string Wine::Run(const std::string& plan) {
  const fs::path file = HostPath(std::string(kTop) + "/plan.txt");
  std::ofstream(file, std::ios::binary) << plan;
  std::map<std::string, std::string> environment = {
      {"WINEPREFIX", prefix_},
      {"WINEDEBUG", "-all"},
      {"WINEDLLOVERRIDES", booted_ ? "mscoree,mshtml=;wineboot.exe=d" : "mscoree,mshtml="},
      {"HOME", prefix_}};
  if (const char* path = std::getenv("PATH")) environment["PATH"] = path;
  const gold::Ran ran =
      gold::Spawn(program_, program_,
                  {base::ToWindowsPath(kDriver), base::ToWindowsPath(std::string(kTop) + "/plan.txt")},
                  environment, drive_c_ / "gold", kTimeoutMs);
  constexpr int kCannot = 77;
  if (WIFEXITED(ran.status) && WEXITSTATUS(ran.status) == kCannot) throw NoWine(ran.err);
  if (ran.timed_out || ran.out.find("end") == std::string::npos) {
    throw std::runtime_error("the driver did not reach the end of its plan: " + ran.out + ran.err);
  }
  return ran.out;
}

std::string PlanOf(const Tree& tree, const std::vector<Expected>& expected) {
  std::string plan = Line("tree", tree.name);
  size_t at = 0;
  for (const Operation& operation : tree.operations) {
    switch (operation.kind) {
      case OpKind::kChangeDirectory:
        plan += Line("cd", operation.text);
        break;
      case OpKind::kPath:
        plan += Line("path", operation.text);
        break;
      case OpKind::kDllDirectory:
        plan += Line("dlldir", operation.text);
        break;
      case OpKind::kAdd:
        plan += Line("adddir", operation.text);
        break;
      case OpKind::kRemove:
        plan += Line("removedir", operation.text);
        break;
      case OpKind::kDefaults:
        plan += Line("defaults", Hex(operation.flags));
        break;
      case OpKind::kRun:
        plan += Line("run", operation.text);
        ++at;
        break;
      case OpKind::kLoad:
        plan += Line("load", Hex(operation.flags), operation.text);
        for (const auto& [dll, function] : expected[at].missing_functions) {
          plan += Line("function", base::ToWindowsPath(dll), function);
        }
        ++at;
        break;
    }
    if (at == expected.size()) break;
  }
  return plan;
}

std::vector<std::pair<std::string, Heard>> Listen(const std::string& output) {
  std::vector<std::pair<std::string, Heard>> trees;
  for (const std::string& line : base::SplitWords(output, "\r\n")) {
    const auto fields = base::Split(line, '\t');
    if (fields.size() < 2) continue;
    if (fields[0] == "tree") {
      trees.push_back({fields[1], {}});
      continue;
    }
    if (trees.empty()) continue;
    Heard& heard = trees.back().second;
    if (fields[0] == "error") {
      heard.endings.push_back(
          {.code = static_cast<uint32_t>(std::stoul(fields[1])), .path = "", .modules = {}});
    } else if (fields[0] == "exit") {
      heard.endings.push_back(
          {.code = static_cast<uint32_t>(std::stoul(fields[1], nullptr, 16)), .path = "", .modules = {}});
    } else if (fields[0] == "loaded") {
      heard.endings.push_back({.code = 0, .path = Folded(fields[1]), .modules = {}});
    } else if (fields[0] == "module" && !heard.endings.empty()) {
      heard.endings.back().modules.push_back(Folded(fields[1]));
    } else if (fields[0] == "function") {
      heard.functions.push_back(fields[1] == "1");
    }
  }
  for (auto& [name, heard] : trees) {
    for (Ending& ending : heard.endings) std::ranges::sort(ending.modules);
  }
  return trees;
}

}  // namespace culprit::wine
