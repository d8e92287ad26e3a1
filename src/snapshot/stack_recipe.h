// A file from which containers are made or started (Dockerfile, compose.yaml, Kubernetes manifest): what it
// says, in its order, each with its line. Plain values; "" means "not said".
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.h"

namespace culprit::snapshot {

enum class RecipeKind { kUnknown, kDockerfile, kCompose, kKubernetes };
constexpr std::array<std::string_view, 4> WordsOf(RecipeKind) {
  return {"", "Dockerfile", "compose", "Kubernetes"};
}

enum class StepKind {
  kUnknown,
  kRun,     // one command of RUN: its words, without "sudo" and variables before it
  kStart,   // ENTRYPOINT, CMD, command, args: the words
  kSet,     // a variable of the container: name, value
  kCopy,    // COPY, ADD: the sources, then the target
  kMount,   // a directory or file of the host: source, target
  kDevice,  // a device of the host: its path
  kHealth   // HEALTHCHECK, a probe of Kubernetes: a command that is run beside what was started
};
constexpr std::array<std::string_view, 8> WordsOf(StepKind) {
  return {"", "run", "start", "set", "copy", "mount", "device", "health"};
}

struct RecipeStep {
  StepKind kind = StepKind::kUnknown;
  std::vector<std::string> words;
  uint64_t line = 0;
  bool may_fail = false;               // kRun: "|| true" and the like follow
  bool vague = false;                  // kSet, kCopy: a word has a variable in it whose value is not known
  bool device = false;                 // kRun: RUN --device gives it a device of the host
  uint64_t from = 0;                   // kCopy: the number of the stage that it copies from; 0: none
  bool mounts = false;                 // kRun: RUN --mount gives it files of another image or stage
  bool conditional = false;            // kRun: inside `if`, `case` or a loop: it may never run
  std::vector<std::string> variables;  // kRun: NAME=VALUE that stand before the command

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("kind", self.kind);
    visit("words", self.words);
    visit("line", self.line);
    visit("may_fail", self.may_fail);
    visit("vague", self.vague);
    visit("device", self.device);
    visit("from", self.from);
    visit("mounts", self.mounts);
    visit("conditional", self.conditional);
    visit("variables", self.variables);
  }
  bool operator==(const RecipeStep&) const = default;
};

// How a container is given GPUs.
enum class GpuWay {
  kUnknown,
  kDevices,  // compose: one of deploy.resources.reservations.devices
  kGpus,     // compose: gpus
  kRuntime,  // compose: runtime
  kCdi,      // compose: devices with a CDI name, nvidia.com/gpu=all
  kLimit,    // Kubernetes: resources.limits
  kRequest,  // Kubernetes: resources.requests
  kClaim,    // Kubernetes: one of resources.claims
  kClass,    // Kubernetes: runtimeClassName
  kNode      // Kubernetes: a label of nodes with GPUs in nodeSelector or a required affinity
};
constexpr std::array<std::string_view, 10> WordsOf(GpuWay) {
  return {"", "devices", "gpus", "runtime", "cdi", "limit", "request", "claim", "class", "node"};
}

struct GpuRequest {
  GpuWay way = GpuWay::kUnknown;
  std::string name;   // driver, runtime, resource ("nvidia.com/gpu"), claim, runtime class or label
  std::string count;  // as written; kGpus: "all" or what stands in its place
  std::vector<std::string> ids;  // kClaim: the claims of the pod
  std::vector<std::string> capabilities;
  bool says_capabilities = false;
  std::string misshapen;  // kDevices: the key that must have a list and has none
  uint64_t line = 0;

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("way", self.way);
    visit("name", self.name);
    visit("count", self.count);
    visit("ids", self.ids);
    visit("capabilities", self.capabilities);
    visit("says_capabilities", self.says_capabilities);
    visit("misshapen", self.misshapen);
    visit("line", self.line);
  }
  bool operator==(const GpuRequest&) const = default;
};

// A stage of a Dockerfile, a service, a container of a pod.
struct RecipePart {
  std::string name;    // "stage build", "service trainer", "container train of Job mnist"
  std::string image;   // with the values of its variables in it; "" if it builds on an earlier part
  std::string as;      // the name that other stages know it by
  uint64_t from = 0;   // the number of the earlier part that it builds on, from 1; 0: none
  std::string build;   // the Dockerfile that it is built from
  std::string target;  // the stage of it; "" for the last one
  bool open =
      false;  // more of it stands in a file that was not read, or build arguments change the Dockerfile
  uint64_t line = 0;     // of the image
  bool vague = false;    // the image has a variable in it whose value is not known
  bool passing = false;  // a stage on the way to the last one
  std::string shm_size;  // as written; "host" for the host's own
  std::vector<RecipeStep> steps;
  std::vector<GpuRequest> gpus;

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("name", self.name);
    visit("image", self.image);
    visit("as", self.as);
    visit("from", self.from);
    visit("build", self.build);
    visit("target", self.target);
    visit("open", self.open);
    visit("line", self.line);
    visit("vague", self.vague);
    visit("passing", self.passing);
    visit("shm_size", self.shm_size);
    visit("steps", self.steps);
    visit("gpus", self.gpus);
  }
  bool operator==(const RecipePart&) const = default;
};

// What of a recipe was not read.
struct RecipeGap {
  std::string what;  // "the env_file of service web"
  std::string why;

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("what", self.what);
    visit("why", self.why);
  }
  bool operator==(const RecipeGap&) const = default;
};

struct Recipe {
  std::string path;
  RecipeKind kind = RecipeKind::kUnknown;
  std::vector<RecipePart> parts;
  std::vector<RecipeGap> unread;

  // More of it stands in a file of its own.
  void LeaveOut(std::string what) { unread.push_back({std::move(what), "defined outside " + path}); }
  // There is more of it than is read.
  void CutOff(std::string what) { unread.push_back({std::move(what), path + " has more than is read"}); }

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("path", self.path);
    visit("kind", self.kind);
    visit("parts", self.parts);
    visit("unread", self.unread);
  }
  bool operator==(const Recipe&) const = default;
};

}  // namespace culprit::snapshot
