// What an image's configuration says of the containers made from it: the environment, what is started, the
// machine, and the instruction that made each layer.
// https://github.com/opencontainers/image-spec/blob/main/config.md
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace culprit::image {

// "linux/arm64/v8".
struct ImagePlatform {
  std::string os, architecture, variant;
  std::string ToString() const;
  // Whether it is what was asked for; an empty part asks for nothing.
  bool Fits(const ImagePlatform& wanted) const;
};
// nullopt as an error: "linux" or "a/b/c/d".
base::Result<ImagePlatform> ParsePlatform(std::string_view text);

struct HistoryStep {
  std::string created_by;    // as written by the builder
  bool empty_layer = false;  // changed the configuration only
};

// A step that set a variable.
struct VariableStep {
  size_t layers = 0;  // below it
  std::string created_by;
};

struct ImageConfig {
  ImagePlatform platform;
  std::map<std::string, std::string> environment;
  std::vector<std::string> entrypoint, command;
  std::string user, working_directory;  // "" where nothing is said
  std::map<std::string, std::string> labels;
  std::vector<std::string> diff_ids;  // "sha256:..." of each layer, unpacked
  std::vector<HistoryStep> history;

  // The steps that made a layer, in the order of the layers; empty when there are more or fewer than layers.
  std::vector<std::string> CreatedBy(size_t layers) const;
  // The last step that set a variable, or that took a directory out of it (a search path); nullopt if the
  // history names none, or is not that of these layers.
  enum class Setting { kAny, kWithoutADirectory };
  std::optional<VariableStep> SetBy(std::string_view variable, size_t layers,
                                    Setting kind = Setting::kAny) const;
};

base::Result<ImageConfig> ParseConfig(const std::string& text);

// "/bin/sh -c pip install torch" -> "RUN pip install torch": as it stands in a Dockerfile.
std::string Instruction(std::string_view created_by);

}  // namespace culprit::image
