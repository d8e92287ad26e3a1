#include "loader/imports.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "base/version.h"
#include "knowledge/imports.h"

namespace culprit::loader {
namespace {

using knowledge::ImportRow;
using snapshot::Framework;
using snapshot::PythonEnvironment;

// A glob with '*' and '[0-9]', which is all that the table uses.
bool Matches(std::string_view pattern, std::string_view name) {
  constexpr std::string_view kDigit = "[0-9]";
  if (pattern.empty()) return name.empty();
  if (pattern.front() == '*') {
    for (size_t at = 0; at <= name.size(); ++at) {
      if (Matches(pattern.substr(1), name.substr(at))) return true;
    }
    return false;
  }
  if (name.empty()) return false;
  if (pattern.starts_with(kDigit)) {
    return name.front() >= '0' && name.front() <= '9' &&
           Matches(pattern.substr(kDigit.size()), name.substr(1));
  }
  return pattern.front() == name.front() && Matches(pattern.substr(1), name.substr(1));
}

std::string WithoutDots(std::string text) {
  std::erase(text, '.');
  return text;
}

// "2.11.0+cu130", "2.6.0a0" -> the numbers in front.
std::optional<base::Version> Numbers(std::string_view version) {
  const size_t end = version.find_first_not_of("0123456789.");
  version = version.substr(0, end);
  while (version.ends_with('.')) version.remove_suffix(1);
  return base::Version::Parse(version);
}

class Expander {
 public:
  Expander(const PythonEnvironment& environment, const Framework& framework, snapshot::FileView& view)
      : environment_(environment), framework_(framework), view_(view) {
    site_ = base::DirName(framework.directory);
    cuda_ = framework.cuda.substr(0, framework.cuda.find('.'));
    for (const Framework& other : environment.frameworks) {
      if (other.name == "torch") torch_cuda_ = WithoutDots(other.cuda);
    }
  }

  bool Applies(const ImportRow& row) const {
    if (row.framework != framework_.name) return false;
    if (!row.cuda.empty() && std::ranges::find(row.cuda, cuda_) == row.cuda.end()) return false;
    if (row.since.empty() && row.until.empty()) return true;
    const auto version = Numbers(framework_.version);
    if (!version) return false;
    if (!row.since.empty() && *version < *base::Version::Parse(row.since)) return false;
    return row.until.empty() || *version < *base::Version::Parse(row.until);
  }

  void AddSteps(const ImportRow& row, std::vector<ImportStep>& steps) {
    static constexpr std::array<std::string_view, 1> kOne = {""};
    const std::span<const std::string_view> each = row.each.empty() ? std::span(kOne) : row.each;
    for (const std::string_view item : each) {
      std::vector<std::string> wanted;
      for (const std::string_view name : row.names) {
        if (auto filled = Fill(name, item)) wanted.push_back(*std::move(filled));
      }
      ImportStep step{.names = Choose(wanted, row.everywhere),
                      .from = CallerOf(row.from),
                      .optional = row.optional,
                      .label = std::string(row.label),
                      .after = std::string(row.after),
                      .when = row.when == knowledge::StepWhen::kFailed   ? ImportStep::When::kFailed
                              : row.when == knowledge::StepWhen::kOpened ? ImportStep::When::kOpened
                                                                         : ImportStep::When::kAlways,
                      .texts = {row.texts.begin(), row.texts.end()},
                      .loaded = std::string(row.loaded)};
      if (step.names.empty()) {
        if (row.optional) continue;
        step.wanted = wanted.empty() ? std::string(row.names.front()) : wanted.front();
      }
      steps.push_back(std::move(step));
    }
  }

 private:
  // nullopt when a value is not known.
  std::optional<std::string> Fill(std::string_view name, std::string_view item) const {
    std::string text;
    for (size_t i = 0; i < name.size();) {
      const size_t close = name[i] == '{' ? name.find('}', i) : std::string_view::npos;
      if (close == std::string_view::npos) {
        text += name[i++];
        continue;
      }
      const std::string_view key = name.substr(i + 1, close - i - 1);
      const std::string value = key == "folder"       ? std::string(base::DirName(item))
                                : key == "file"       ? std::string(base::BaseName(item))
                                : key == "python"     ? WithoutDots(environment_.python)
                                : key == "cuda"       ? cuda_
                                : key == "cudnn"      ? framework_.cudnn.substr(0, framework_.cudnn.find('.'))
                                : key == "torch_cuda" ? torch_cuda_
                                                      : "";
      if (value.empty()) return std::nullopt;
      // What `each` gives may itself ask for a value: "libcudnn.so.{cudnn}".
      const auto filled = value.find('{') == std::string::npos ? std::optional(value) : Fill(value, "");
      if (!filled) return std::nullopt;
      text += *filled;
      i = close + 1;
    }
    return text;
  }

  // A caller with '/' is a file below the framework's site-packages, which a tool may have renamed.
  std::string CallerOf(std::string_view from) {
    if (from.find('/') == std::string_view::npos) return std::string(from);
    return FindFile(base::JoinPath(site_, from)).value_or(std::string(from));
  }

  // The file that is there, or the names that the loader is asked for.
  std::vector<std::string> Choose(const std::vector<std::string>& wanted, bool everywhere) {
    std::vector<std::string> sites = {site_};
    if (everywhere) sites = environment_.site_packages;
    for (const std::string& site : sites) {
      for (const std::string& name : wanted) {
        if (name.find('/') == std::string::npos) continue;
        if (auto file = FindFile(base::CleanPath(base::JoinPath(site, name)))) return {*std::move(file)};
      }
    }
    std::vector<std::string> names;
    for (const std::string& name : wanted) {
      if (name.find('/') == std::string::npos) names.push_back(name);
    }
    return names;
  }

  std::optional<std::string> FindFile(const std::string& path) {
    if (path.find_first_of("*[") == std::string::npos) {
      const snapshot::FileFacts& facts = view_.Open(path);
      if (facts.error == base::PathError::kNoEntry || facts.error == base::PathError::kNotDirectory) {
        return std::nullopt;
      }
      return path;
    }
    const std::string directory(base::DirName(path));
    const auto items = view_.List(directory);
    if (!items) return std::nullopt;
    for (const snapshot::DirectoryItem& item : *items) {
      if (Matches(base::BaseName(path), item.name)) return base::JoinPath(directory, item.name);
    }
    return std::nullopt;
  }

  const PythonEnvironment& environment_;
  const Framework& framework_;
  snapshot::FileView& view_;
  std::string site_;
  std::string cuda_;
  std::string torch_cuda_;
};

}  // namespace

std::vector<ImportStep> ImportSteps(const PythonEnvironment& environment, const Framework& framework,
                                    snapshot::FileView& view) {
  std::vector<ImportStep> steps;
  for (const knowledge::ImportsFirst& first : knowledge::ImportsFirsts()) {
    if (first.framework != framework.name || first.other == framework.name) continue;
    for (const Framework& other : environment.frameworks) {
      if (other.name == first.other) steps = ImportSteps(environment, other, view);
    }
  }
  Expander expander(environment, framework, view);
  for (const ImportRow& row : knowledge::ImportRows()) {
    if (expander.Applies(row)) expander.AddSteps(row, steps);
  }
  return steps;
}

}  // namespace culprit::loader
