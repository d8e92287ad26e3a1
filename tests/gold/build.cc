// Writes a generated tree to disk, and describes it.
#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "base/text.h"
#include "tree.h"

namespace culprit::gold {
namespace {

namespace fs = std::filesystem;

void Expand(std::string& text, const std::string& root) {
  for (size_t at = 0; (at = text.find('@', at)) != std::string::npos; at += root.size())
    text.replace(at, 1, root);
}

void Expand(Stamp& stamp, const std::string& root) {
  if (stamp.rpath) Expand(*stamp.rpath, root);
  if (stamp.runpath) Expand(*stamp.runpath, root);
  for (auto& request : stamp.requests) Expand(request.name, root);
}

void WriteFile(const std::string& path, const std::string& contents, mode_t mode) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  const bool written =
      fd >= 0 && write(fd, contents.data(), contents.size()) == static_cast<ssize_t>(contents.size());
  const int error = errno;
  if (fd >= 0) close(fd);
  if (!written) throw std::runtime_error("cannot write " + path + ": " + std::strerror(error));
}

const char* TagName(int64_t tag) {
  return tag == DT_NEEDED ? "NEEDED" : tag == DT_AUXILIARY ? "AUXILIARY" : "FILTER";
}

std::string Describe(const Stamp& stamp) {
  std::string text;
  if (stamp.soname) text += "\n      SONAME  " + *stamp.soname;
  for (const auto& request : stamp.requests)
    text += std::string("\n      ") + TagName(request.tag) + "  " + request.name;
  if (stamp.decoys) text += "\n      (decoys)";
  if (stamp.relr) text += "\n      RELR";
  if (stamp.rpath) text += "\n      RPATH   " + *stamp.rpath;
  if (stamp.runpath) text += "\n      RUNPATH " + *stamp.runpath;
  if ((stamp.flags_1 & DF_1_NODEFLIB) != 0) text += "\n      NODEFLIB";
  if ((stamp.flags_1 & DF_1_NOOPEN) != 0) text += "\n      NOOPEN";
  for (const auto& name : stamp.version_defs) text += "\n      defines " + name;
  for (const auto& need : stamp.version_needs)
    for (const auto& name : need.versions)
      text += "\n      needs " + name + " of " + need.file + (need.weak ? " (weak)" : "");
  return text;
}

}  // namespace

Tree BuildTree(const Tree& tree, const Templates& templates, const std::string& root) {
  Tree built = tree;
  Expand(built.start, root);
  Expand(built.working_directory, root);
  for (auto& [name, value] : built.environment) Expand(value, root);
  for (auto& call : built.calls) Expand(call, root);
  for (auto& file : built.files) {
    Expand(file.target, root);
    Expand(file.stamp, root);
    const std::string path = root + "/" + file.path;
    fs::create_directories(fs::path(path).parent_path());
    switch (file.kind) {
      case TreeFile::Kind::kLibrary:
        WriteFile(path, WithFault(Stamped(templates.library, file.stamp), file.fault), 0755);
        break;
      case TreeFile::Kind::kProgram:
        WriteFile(path, Stamped(templates.program, file.stamp), 0755);
        break;
      case TreeFile::Kind::kLink:
        fs::create_symlink(file.target, path);
        break;
      case TreeFile::Kind::kDirectory:
        fs::create_directories(path);
        break;
      case TreeFile::Kind::kText:
        WriteFile(path, "text\n", 0644);
        break;
    }
  }
  for (const auto& file : built.files)
    if (file.unreadable) chmod((root + "/" + file.path).c_str(), 0);
  return built;
}

void RemoveTree(const std::string& root) {
  for (const char* name : {"locked"}) chmod((root + "/" + name).c_str(), 0700);
  std::error_code ignored;
  fs::remove_all(root, ignored);
}

std::string StartPath(const Tree& tree) {
  return base::CleanPath(base::JoinPath(tree.working_directory, tree.start));
}

bool HasFilters(const Tree& tree) {
  for (const auto& file : tree.files)
    for (const auto& request : file.stamp.requests)
      if (request.tag != DT_NEEDED) return true;
  return false;
}

std::string Describe(const Tree& tree) {
  std::string text = "  start " + tree.start + " in " + tree.working_directory + "\n";
  for (const auto& [name, value] : tree.environment) text += "  " + name + "=" + value + "\n";
  for (const auto& call : tree.calls) text += "  dlopen " + call + "\n";
  for (const auto& file : tree.files) {
    text += "  @/" + file.path;
    if (file.kind == TreeFile::Kind::kLink) text += " -> " + file.target;
    if (file.kind == TreeFile::Kind::kDirectory) text += "/";
    if (file.kind == TreeFile::Kind::kProgram) text += " (program)";
    if (file.fault != Fault::kNone) text += std::string(" (") + Name(file.fault) + ")";
    if (file.unreadable) text += " (mode 000)";
    text += Describe(file.stamp) + "\n";
  }
  return text;
}

}  // namespace culprit::gold
