// Asks the pods of culprit's DaemonSet, which have the program and see the files
// of their node below /host. Nodes with a GPU and without such a pod, and pods that do not run, are rows.
#include <algorithm>
#include <map>

#include "base/json.h"
#include "base/text.h"
#include "cli/fleet/engines.h"

namespace culprit::cli {
namespace {

using base::Json;

constexpr std::string_view kRootInPod = "/host";

// The value at a path of an object, or null.
const Json& At(const Json& json, std::initializer_list<const char*> place) {
  static const Json nothing;
  const Json* at = &json;
  for (const char* name : place) {
    const auto found = at->is_object() ? at->find(name) : at->end();
    if (!at->is_object() || found == at->end()) return nothing;
    at = &*found;
  }
  return *at;
}

std::string TextAt(const Json& json, std::initializer_list<const char*> place) {
  const Json& text = At(json, place);
  return text.is_string() ? text.get<std::string>() : "";
}

// The condition of this type; null if there is none.
const Json& Condition(const Json& object, const std::string& type) {
  static const Json nothing;
  for (const Json& one : At(object, {"status", "conditions"})) {
    if (TextAt(one, {"type"}) == type) return one;
  }
  return nothing;
}

// "ContainersNotReady: ...", as far as it is there.
std::string Reason(const Json& condition) {
  const std::string reason = TextAt(condition, {"reason"}), message = TextAt(condition, {"message"});
  return reason + (reason.empty() || message.empty() ? "" : ": ") + message;
}

// Why a pod cannot be asked; "" if it can.
std::string WhyNot(const Json& pod) {
  const std::string name = "pod " + TextAt(pod, {"metadata", "name"}),
                    phase = TextAt(pod, {"status", "phase"});
  if (!At(pod, {"metadata", "deletionTimestamp"}).is_null()) return name + " is being removed";
  for (const Json& container : At(pod, {"status", "containerStatuses"})) {
    const std::string why = Reason(At(container, {"state", "waiting"}));
    if (!why.empty()) return name + ": " + why;
  }
  if (phase != "Running") {
    const std::string why = Reason(Condition(pod, "PodScheduled"));
    return name + " is " + (phase.empty() ? "in an unknown phase" : phase) + (why.empty() ? "" : ": " + why);
  }
  return "";
}

bool HasGpu(const Json& node) {
  if (TextAt(node, {"metadata", "labels", "nvidia.com/gpu.present"}) == "true") return true;
  const std::string count = TextAt(node, {"status", "capacity", "nvidia.com/gpu"});
  return !count.empty() && count != "0";
}

// Whether it is safe as an argument of kubectl.
bool IsName(const std::string& text) {
  return !text.empty() && text.front() != '-' && text.size() <= 253 && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
  });
}

base::Result<Json> Get(const FleetRun& run, std::vector<std::string> words) {
  words.insert(words.begin(), "get");
  words.insert(words.end(), {"-o", "json", "--request-timeout=" + std::to_string(run.seconds) + "s"});
  words.insert(words.end(), run.words.begin(), run.words.end());
  const auto heard = RunTool("kubectl", std::move(words), run.seconds, run.stop);
  if (!heard) return std::unexpected(heard.error());
  Json json = base::ParseJson(heard->output);
  if (heard->end.exit_status != 0 || !json.is_object())
    return base::Fail(base::ErrorCode::kNotReadable, "kubectl: " + ReasonOf(*heard, run.seconds));
  return json;
}

struct Cluster {
  std::map<std::string, std::string> pods{};  // that can be asked, by node
  std::map<std::string, std::string> why{};   // nodes that cannot
};

// The node that a pending pod of a DaemonSet waits for: only its affinity names it. "" if it may be any.
std::string NodeItWaitsFor(const Json& pod) {
  const Json& wants = At(pod, {"spec", "affinity", "nodeAffinity",
                               "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"});
  for (const Json& term : wants) {
    for (const Json& field : At(term, {"matchFields"})) {
      const Json& values = At(field, {"values"});
      if (TextAt(field, {"key"}) == "metadata.name" && values.is_array() && values.size() == 1 &&
          values[0].is_string())
        return values[0].get<std::string>();
    }
  }
  return "";
}

void AddPods(const Json& list, Cluster& cluster) {
  for (const Json& pod : At(list, {"items"})) {
    const std::string name = TextAt(pod, {"metadata", "name"});
    std::string node = TextAt(pod, {"spec", "nodeName"});
    if (node.empty()) node = NodeItWaitsFor(pod);
    const std::string why =
        IsName(name) && (node.empty() || IsName(node)) ? WhyNot(pod) : "its name is not valid";
    const std::string row = node.empty() ? name : node;  // a pod without a node gets its own row
    if (row.empty()) continue;
    if (why.empty() && !node.empty()) {
      cluster.pods[node] = name;
    } else {
      cluster.why.emplace(row, why.empty() ? "pod " + name + " has no node" : why);
    }
  }
  for (const auto& [node, pod] : cluster.pods) cluster.why.erase(node);
}

void AddNodes(const Json& list, const FleetRun& run, Cluster& cluster) {
  for (const Json& node : At(list, {"items"})) {
    const std::string name = TextAt(node, {"metadata", "name"});
    const Json& ready = Condition(node, "Ready");
    const bool pod = cluster.pods.contains(name);
    if (name.empty() || (!pod && !HasGpu(node))) continue;
    if (ready.is_object() && TextAt(ready, {"status"}) != "True") {
      cluster.pods.erase(name);
      cluster.why[name] = "the node is not ready: " + Reason(ready);
    } else if (!pod) {
      cluster.why.emplace(
          name, "no pod with label " + run.selector + " in namespace " + run.name_space + " runs on it");
    }
  }
}

}  // namespace

base::Result<std::string> AskOverKubernetes(const FleetRun& run, const std::vector<std::string>& nodes,
                                            Answers& answers) {
  const auto pods = Get(run, {"pods", "-n", run.name_space, "-l", run.selector});
  if (!pods) return std::unexpected(pods.error());
  Cluster cluster;
  AddPods(*pods, cluster);
  // Without permission to list nodes, the nodes with a pod remain.
  const auto all = Get(run, {"nodes"});
  if (all) {
    AddNodes(*all, run, cluster);
  } else {
    Note(run.common, "cannot list GPU nodes without a pod: " + all.error().message);
  }
  const auto wanted = [&](const std::string& node) {
    return nodes.empty() || std::ranges::find(nodes, node) != nodes.end();
  };
  for (const auto& [node, why] : cluster.why) {
    if (wanted(node)) answers.Say(node, why.substr(0, kLongestReason));
  }
  std::vector<std::string> asked;
  for (const auto& [node, pod] : cluster.pods) {
    if (wanted(node)) asked.push_back(node);
  }
  const bool rooted = std::ranges::any_of(
      run.ask, [](const std::string& word) { return word == "--root" || word.starts_with("--root="); });
  const auto ask = [&](const std::string& node) {
    std::vector<std::string> words = {"exec", "-n", run.name_space, cluster.pods.at(node)};
    words.insert(words.end(), run.words.begin(), run.words.end());
    words.insert(words.end(), {"--", "culprit", "snapshot", "--brief", "--quiet", "--node", node});
    if (!rooted) words.insert(words.end(), {"--root", std::string(kRootInPod)});
    words.insert(words.end(), run.ask.begin(), run.ask.end());
    return RunTool("kubectl", std::move(words), run.seconds, run.stop, kMostOfNode);
  };
  AskEach(run, asked, ask, answers);
  return "no pod with label " + run.selector + " in namespace " + run.name_space + " runs on it";
}

}  // namespace culprit::cli
