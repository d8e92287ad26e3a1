// requirements.txt, as pip's documentation of the format has it: a requirement or an option on each line,
// "\" at the end continues it, " #" begins a comment.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "plan/project/reading.h"

namespace culprit::plan {
namespace {

constexpr size_t kLongestLine = 64 * 1024;

std::string_view WithoutComment(std::string_view line) {
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t'))
      return base::Trim(line.substr(0, i));
  }
  return base::Trim(line);
}

std::string_view Unquoted(std::string_view value) {
  value = base::Trim(value);
  const bool quoted =
      value.size() > 1 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front();
  return quoted ? value.substr(1, value.size() - 2) : value;
}

// "--index-url=URL", "--index-url URL", "-i URL", "-rfile"
struct OptionLine {
  std::string_view name, value;
};
OptionLine TakeApart(std::string_view line) {
  if (!line.starts_with("--") && line.size() > 2 && line[2] != ' ' && line[2] != '\t')
    return {line.substr(0, 2), Unquoted(line.substr(line[2] == '=' ? 3 : 2))};
  const size_t end = std::min(line.find_first_of(" \t="), line.size());
  return {line.substr(0, end), Unquoted(line.substr(std::min(end + 1, line.size())))};
}

enum class Act { kInclude, kConstrain, kEditable, kIndex, kExtraIndex, kFindLinks, kPassOn, kNothing };
struct KnownOption {
  std::string_view name;
  Act act;
};
constexpr std::array<KnownOption, 19> kOptions = {{
    {"-r", Act::kInclude},
    {"--requirement", Act::kInclude},
    {"-c", Act::kConstrain},
    {"--constraint", Act::kConstrain},
    {"-e", Act::kEditable},
    {"--editable", Act::kEditable},
    {"-i", Act::kIndex},
    {"--index-url", Act::kIndex},
    {"--pypi-url", Act::kIndex},
    {"--extra-index-url", Act::kExtraIndex},
    {"-f", Act::kFindLinks},
    {"--find-links", Act::kFindLinks},
    {"--pre", Act::kPassOn},
    {"--no-index", Act::kPassOn},
    {"--prefer-binary", Act::kPassOn},
    {"--trusted-host", Act::kPassOn},
    {"--only-binary", Act::kPassOn},
    {"--no-binary", Act::kPassOn},
    {"--require-hashes", Act::kNothing},
}};

}  // namespace

base::Result<void> Reading::ReadOption(std::string_view line, const report::Origin& origin,
                                       bool constraints) {
  const auto [name, value] = TakeApart(line);
  const auto known = std::ranges::find(kOptions, name, &KnownOption::name);
  if (known == kOptions.end()) {
    Note(origin, "the option " + base::Printable(name.substr(0, 40)) + " is not passed to pip");
    return {};
  }
  switch (known->act) {
    case Act::kInclude:
      return Include(value, origin, constraints);
    case Act::kConstrain:
      return Include(value, origin, true);
    case Act::kEditable: {
      auto dependency = ParseDependency(value);
      // "-e foo" is the directory foo.
      if (!dependency || dependency->kind == report::RequirementKind::kNamed)
        dependency = ParseDependency("./" + std::string(value));
      if (!dependency) return WrongAt(origin, dependency.error().message);
      dependency->editable = true;
      if (dependency->text.starts_with("./") && !value.starts_with("./")) dependency->text.erase(0, 2);
      dependency->origin = origin;
      Add(*std::move(dependency));
      return {};
    }
    case Act::kIndex:
      AddIndex(IndexKind::kIndex, value, origin);
      break;
    case Act::kExtraIndex:
      AddIndex(IndexKind::kExtraIndex, value, origin);
      break;
    case Act::kFindLinks:
      AddIndex(IndexKind::kFindLinks, value, origin);
      break;
    case Act::kPassOn:
      project_.flags.push_back(std::string(name) + (value.empty() ? "" : " " + std::string(value)));
      break;
    case Act::kNothing:
      break;
  }
  return {};
}

base::Result<void> Reading::ReadLine(std::string_view line, const report::Origin& origin, bool constraints) {
  if (line.starts_with('-')) return ReadOption(line, origin, constraints);
  // Options of one requirement: "torch==2.1 --hash=sha256:...".
  const size_t options = std::min(line.find(" --"), line.find("\t--"));
  const std::string_view own = base::Trim(line.substr(0, options));
  const std::string_view rest = options == std::string_view::npos ? "" : line.substr(options);
  if (base::Contains(rest, "--hash")) {
    const std::string note = base::Printable(origin.file) + ": its hashes are left out of the commands";
    if (std::ranges::find(project_.notes, note) == project_.notes.end()) project_.notes.push_back(note);
  } else if (!rest.empty()) {
    Note(origin, "the options of this requirement are not passed to pip");
  }
  return AddText(own, origin, constraints ? Use::kBound : Use::kInstall);
}

base::Result<void> Reading::ReadRequirements(std::string_view bytes, const std::string& file,
                                             bool constraints) {
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  std::string whole;
  size_t number = 0, first = 0;
  while (!bytes.empty()) {
    std::string_view line = bytes.substr(0, bytes.find('\n'));
    bytes.remove_prefix(std::min(bytes.size(), line.size() + 1));
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (whole.empty()) first = number;
    const bool comment = base::Trim(line).starts_with('#');
    const bool continues = !comment && line.ends_with('\\') && !bytes.empty();
    if (!comment) whole += continues ? line.substr(0, line.size() - 1) : line;
    if (whole.size() > kLongestLine) return WrongAt({file, number}, "the line is too long");
    if (continues) {
      whole += ' ';
      continue;
    }
    const std::string_view plain = WithoutComment(whole);
    if (!plain.empty()) {
      if (auto done = ReadLine(plain, {file, first}, constraints); !done) return done;
    }
    whole.clear();
  }
  return {};
}

}  // namespace culprit::plan
