#include "image/config.h"

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "base/text.h"
#include "image/json_member.h"

namespace culprit::image {
namespace {

using base::Json;

std::vector<std::string> TextsOf(const Json& object, const char* key) {
  std::vector<std::string> texts;
  const Json& list = Member(object, key);
  if (!list.is_array()) return texts;
  for (const Json& item : list) {
    if (item.is_string()) texts.push_back(item.get<std::string>());
  }
  return texts;
}

void ReadRunning(const Json& running, ImageConfig& config) {
  for (const std::string& variable : TextsOf(running, "Env")) {
    const size_t equals = variable.find('=');
    if (equals != std::string::npos && equals > 0)
      config.environment[variable.substr(0, equals)] = variable.substr(equals + 1);
  }
  config.entrypoint = TextsOf(running, "Entrypoint");
  config.command = TextsOf(running, "Cmd");
  config.user = MemberText(running, "User");
  config.working_directory = MemberText(running, "WorkingDir");
  const Json& labels = Member(running, "Labels");
  if (!labels.is_object()) return;
  for (const auto& [name, value] : labels.items()) {
    if (value.is_string()) config.labels[name] = value.get<std::string>();
  }
}

// What an instruction sets a variable to: "ENV NAME=value", also as one of several, or the old "ENV NAME
// value".
std::optional<std::string> ValueSet(std::string_view instruction, const std::string& variable) {
  constexpr std::string_view kEnv = "ENV ";
  if (!instruction.starts_with(kEnv)) return std::nullopt;
  const std::string settings = " " + std::string(base::Trim(instruction.substr(kEnv.size())));
  if (settings.starts_with(" " + variable + " ")) return settings.substr(variable.size() + 2);
  const size_t at = settings.find(" " + variable + "=");
  if (at == settings.npos) return std::nullopt;
  const size_t begin = at + variable.size() + 2;
  const bool quoted = begin < settings.size() && settings[begin] == '"';
  const size_t from = begin + (quoted ? 1 : 0);
  return settings.substr(from, settings.find(quoted ? '"' : ' ', from) - from);
}

// Whether a search path lost a directory. One that refers to its old value did not.
bool LostADirectory(const std::string& before, const std::string& now) {
  if (base::Contains(now, "$")) return false;
  const std::vector<std::string> left = base::Split(now, ':');
  return std::ranges::any_of(base::Split(before, ':'), [&](const std::string& directory) {
    return !directory.empty() && std::ranges::find(left, directory) == left.end();
  });
}

}  // namespace

std::string ImagePlatform::ToString() const {
  return os + "/" + architecture + (variant.empty() ? "" : "/" + variant);
}

bool ImagePlatform::Fits(const ImagePlatform& wanted) const {
  const auto fits = [](const std::string& has, const std::string& asked) {
    return asked.empty() || has == asked;
  };
  return fits(os, wanted.os) && fits(architecture, wanted.architecture) &&
         (variant.empty() || fits(variant, wanted.variant));
}

base::Result<ImagePlatform> ParsePlatform(std::string_view text) {
  const std::vector<std::string> parts = base::Split(text, '/');
  const bool good = parts.size() >= 2 && parts.size() <= 3 &&
                    std::ranges::none_of(parts, [](const std::string& part) { return part.empty(); });
  if (!good) {
    return base::Fail(base::ErrorCode::kBadFormat,
                      std::string(text) + ": not a platform such as linux/amd64 or linux/arm64/v8");
  }
  return ImagePlatform{parts[0], parts[1], parts.size() == 3 ? parts[2] : ""};
}

std::vector<std::string> ImageConfig::CreatedBy(size_t layers) const {
  std::vector<std::string> steps;
  for (const HistoryStep& step : history) {
    if (!step.empty_layer) steps.push_back(step.created_by);
  }
  if (steps.size() != layers) steps.assign(layers, "");
  return steps;
}

std::optional<VariableStep> ImageConfig::SetBy(std::string_view variable, size_t layers, Setting kind) const {
  std::optional<VariableStep> last;
  std::string before;
  size_t below = 0;
  for (const HistoryStep& step : history) {
    if (!step.empty_layer) {
      ++below;
      continue;
    }
    const auto value = ValueSet(Instruction(step.created_by), std::string(variable));
    if (!value) continue;
    if (kind == Setting::kAny || LostADirectory(before, *value)) last = {below, step.created_by};
    before = *value;
  }
  return below == layers ? last : std::nullopt;
}

base::Result<ImageConfig> ParseConfig(const std::string& text) {
  const Json json = base::ParseJson(text);
  if (!json.is_object())
    return base::Fail(base::ErrorCode::kBadFormat, "the image's configuration is not valid JSON");
  ImageConfig config;
  config.platform = {MemberText(json, "os"), MemberText(json, "architecture"), MemberText(json, "variant")};
  ReadRunning(Member(json, "config"), config);
  config.diff_ids = TextsOf(Member(json, "rootfs"), "diff_ids");
  const Json& history = Member(json, "history");
  if (history.is_array()) {
    for (const Json& step : history) {
      const Json& empty = Member(step, "empty_layer");
      config.history.push_back({MemberText(step, "created_by"), empty.is_boolean() && empty.get<bool>()});
    }
  }
  return config;
}

std::string Instruction(std::string_view created_by) {
  constexpr std::string_view kShell = "/bin/sh -c ", kNothing = "#(nop) ", kBuildKit = " # buildkit";
  std::string_view text = base::Trim(created_by);
  if (text.ends_with(kBuildKit)) text = base::Trim(text.substr(0, text.size() - kBuildKit.size()));
  const bool run = text.starts_with("RUN ");
  if (run) text = base::Trim(text.substr(4));
  if (text.starts_with(kShell)) {
    text = base::Trim(text.substr(kShell.size()));
    if (text.starts_with(kNothing)) return std::string(base::Trim(text.substr(kNothing.size())));
    return "RUN " + std::string(text);
  }
  return (run ? "RUN " : "") + std::string(text);
}

}  // namespace culprit::image
