#include "system/loader_conf.h"

#include <algorithm>

#include "base/text.h"

namespace culprit::system {
namespace {

using base::JoinPath;

constexpr int kDepth = 10;  // of files that include each other

// In the order of glob(3): sorted.
std::vector<std::string> Included(const System& machine, const std::string& pattern) {
  const std::string directory(base::DirName(pattern));
  const std::string_view name = base::BaseName(pattern);
  if (name.find_first_of("*?") == name.npos) return {pattern};
  std::vector<std::string> files;
  if (const auto entries = machine.List(directory)) {
    for (const auto& entry : *entries) {
      if (!entry.name.starts_with('.') && base::MatchesPattern(name, entry.name))
        files.push_back(JoinPath(directory, entry.name));
    }
  }
  return files;
}

void Read(const System& machine, const std::string& file, int depth, LoaderConf& conf) {
  const auto text = ReadWholeFile(machine, file, kLoaderConfLimit);
  // One that was read adds nothing a second time; files may include each other.
  if (!text || depth == 0 || std::ranges::find(conf.files, file) != conf.files.end()) return;
  conf.files.push_back(file);
  for (const std::string& whole : base::Split(*text, '\n')) {
    const std::string_view line = base::Trim(std::string_view(whole).substr(0, whole.find('#')));
    const std::vector<std::string> words = base::SplitWords(line, " \t");
    if (words.empty() || words.front() == "hwcap") continue;
    if (words.front() != "include") {
      if (std::string directory = DirectoryOfLine(line); !directory.empty())
        conf.directories.push_back(std::move(directory));
      continue;
    }
    for (size_t i = 1; i < words.size(); ++i) {
      for (const std::string& next : Included(machine, JoinPath(base::DirName(file), words[i])))
        Read(machine, next, depth - 1, conf);
    }
  }
}

}  // namespace

LoaderConf ReadLoaderConf(const System& machine) {
  LoaderConf conf;
  Read(machine, kLoaderConf, kDepth, conf);
  return conf;
}

std::string DirectoryOfLine(std::string_view line) {
  line = base::Trim(line.substr(0, line.find('#')));
  line = base::Trim(line.substr(0, line.find('=')));
  return line.starts_with('/') ? base::CleanPath(line) : "";
}

}  // namespace culprit::system
