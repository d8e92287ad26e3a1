// Kubernetes manifests. Whatever an object is called (Pod, Deployment, Job, PyTorchJob, List ...), a pod is
// where a list of containers is: every one is found by that. A controller may make the container itself of
// what asks for GPUs (the model of a KServe InferenceService, a NIMService).
#include <algorithm>
#include <array>

#include "base/text.h"
#include "collect/recipe/parts.h"
#include "collect/recipe/recipe.h"

namespace culprit::collect {
namespace {

using snapshot::GpuRequest;
using snapshot::GpuWay;
using snapshot::RecipePart;
using snapshot::StepKind;
using tree::Node;

// "nvidia.com/gpu", "nvidia.com/mig-1g.5gb", "aliyun.com/gpu-mem"
bool IsGpuResource(std::string_view name) {
  return base::Contains(name, "/") && (base::Contains(name, "gpu") || base::Contains(name, "/mig-"));
}

// "gpu", which Kubernetes refuses; other objects than pods may have resources of that name.
bool IsGpuWithoutVendor(std::string_view name) {
  return name.find_first_of("/${") == name.npos &&
         (base::Contains(name, "gpu") || name.starts_with("nvidia"));
}

// Labels that choose nodes with GPUs: "gpu: true", "nvidia.com/gpu.present",
// "cloud.google.com/gke-accelerator".
bool IsGpuLabel(std::string_view label, std::string_view value) {
  const bool gpu =
      base::Contains(label, "gpu") || base::Contains(label, "nvidia") || base::Contains(label, "accelerator");
  return gpu && value != "false" && value != "none" && value != "no" && value != "0" && value != "cpu" &&
         !base::Contains(value, "tpu");
}

constexpr std::array<const char*, 3> kContainerLists = {"initContainers", "containers",
                                                        "ephemeralContainers"};

// A patch of Kustomize may say nothing of the image.
bool IsContainer(const Node& node) {
  return node.Find("image") != nullptr || node.Find("resources") != nullptr;
}
bool IsPod(const Node& node) {
  return std::ranges::any_of(kContainerLists, [&](const char* name) {
    const Node* list = node.Find(name);
    return list != nullptr && list->IsList() && std::ranges::any_of(list->items, IsContainer);
  });
}

constexpr std::array<const char*, 2> kSingleContainers = {"container", "script"};  // a template of Argo

// Whether its resources name a GPU.
bool AsksForGpu(const Node& node) {
  return std::ranges::any_of(std::array{"resources.limits", "resources.requests"}, [&](const char* path) {
    const Node* resources = node.At(path);
    return resources != nullptr && std::ranges::any_of(resources->members, [](const auto& member) {
             return IsGpuResource(member.first);
           });
  });
}

class ManifestReader {
 public:
  explicit ManifestReader(const std::string& path) {
    recipe_.path = path;
    recipe_.kind = snapshot::RecipeKind::kKubernetes;
  }

  void Object(const Node& node) {
    const std::string kind = node.TextOf("kind");
    const Node* metadata = node.Find("metadata");
    const std::string name = metadata == nullptr ? "" : metadata->TextOf("name");
    const std::string before = owner_;
    if (!kind.empty() && !kind.ends_with("List") && !name.empty()) owner_ = kind + " " + name;
    if (IsPod(node)) Pod(node);
    for (const auto& [key, member] : node.members) {
      if (std::ranges::find(kContainerLists, key) != kContainerLists.end()) continue;
      const bool single = std::ranges::find(kSingleContainers, key) != kSingleContainers.end();
      if (single && member.IsTable() && IsContainer(member))
        Add(member, node);
      else if (AsksForGpu(member))
        Add(member, member);
      Object(member);
    }
    for (const Node& item : node.items) Object(item);
    owner_ = before;
  }
  snapshot::Recipe Take() { return std::move(recipe_); }

 private:
  void Pod(const Node& pod) {
    for (const char* list : kContainerLists) {
      const Node* containers = pod.Find(list);
      if (containers == nullptr) continue;
      for (const Node& container : containers->items) Add(container, pod);
    }
  }
  void Add(const Node& container, const Node& pod) {
    if (recipe_.parts.size() < kMostParts) return Container(container, pod);
    if (!full_) recipe_.CutOff("containers after the first " + std::to_string(kMostParts));
    full_ = true;
  }

  void Container(const Node& container, const Node& pod) {
    const std::string name = container.TextOf("name").empty() ? pod.TextOf("name") : container.TextOf("name");
    RecipePart part{
        .name = "container" + (name.empty() ? "" : " " + name) + (owner_.empty() ? "" : " of " + owner_),
        .image = container.TextOf("image"),
        .line = container.line};
    if (part.image.empty()) {
      part.open = true;
      recipe_.LeaveOut("the image of " + part.name);
    }
    if (const Node* image = container.Find("image")) part.line = image->line;
    part.vague = part.image.find_first_of("${") != std::string::npos;
    if (const Node* environment = container.Find("env")) {
      for (const Node& item : environment->items) {
        const Node* value = item.Find("value");
        part.steps.push_back({.kind = StepKind::kSet,
                              .words = {item.TextOf("name"), value == nullptr ? "" : value->text},
                              .line = item.line,
                              .vague = value == nullptr && item.Find("valueFrom") != nullptr});
      }
    }
    if (container.Find("envFrom") != nullptr) recipe_.LeaveOut("envFrom of " + part.name);
    Start(container, part);
    Health(container, part);
    Resources(container, pod, part);
    if (const Node* runtime = pod.Find("runtimeClassName"); runtime != nullptr && runtime->IsText())
      part.gpus.push_back({.way = GpuWay::kClass, .name = runtime->text, .line = runtime->line});
    if (!owner_.starts_with("DaemonSet ")) Nodes(pod, part);
    if (pod.TextOf("hostIPC") == "true") part.shm_size = "host";
    Mounts(container, pod, part);
    recipe_.parts.push_back(std::move(part));
  }

  static void Start(const Node& container, RecipePart& part) {
    std::vector<std::string> words;
    uint64_t line = 0;
    for (const char* key : {"command", "args"}) {
      const Node* node = container.Find(key);
      if (node == nullptr) continue;
      if (line == 0) line = node->line;
      const auto texts = TextsOf(node);
      words.insert(words.end(), texts.begin(), texts.end());
    }
    if (const Node* source = container.Find("source"); source != nullptr && !words.empty()) {
      const std::string_view program = base::BaseName(words.front());
      if (program == "sh" || program == "bash") words.push_back("-c");
      words.push_back(source->text);
    }
    AddStart(words, line, part);
  }

  static void Health(const Node& container, RecipePart& part) {
    for (const char* path : {"livenessProbe.exec.command", "readinessProbe.exec.command",
                             "startupProbe.exec.command", "lifecycle.postStart.exec.command"}) {
      if (const Node* command = container.At(path))
        AddStart(TextsOf(command), command->line, part, StepKind::kHealth);
    }
  }

  // Labels that every node has which the pod may run on.
  static void Nodes(const Node& pod, RecipePart& part) {
    if (const Node* selector = pod.Find("nodeSelector")) {
      for (const auto& [label, value] : selector->members) {
        if (IsGpuLabel(label, value.text))
          part.gpus.push_back({.way = GpuWay::kNode, .name = label, .count = value.text, .line = value.line});
      }
    }
    const Node* terms =
        pod.At("affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms");
    if (terms == nullptr || terms->items.size() != 1) return;  // one of several suffices
    const Node* expressions = terms->items.front().Find("matchExpressions");
    if (expressions == nullptr) return;
    for (const Node& expression : expressions->items) {
      const std::string label = expression.TextOf("key"), sign = expression.TextOf("operator");
      const std::vector<std::string> values = TextsOf(expression.Find("values"));
      const bool listed =
          sign == "In" && !values.empty() &&
          std::ranges::all_of(values, [&](const auto& value) { return IsGpuLabel(label, value); });
      if (listed || (sign == "Exists" && IsGpuLabel(label, "")))
        part.gpus.push_back({.way = GpuWay::kNode,
                             .name = label,
                             .count = values.empty() ? "" : values.front(),
                             .line = expression.line});
    }
  }

  static void Resources(const Node& container, const Node& pod, RecipePart& part) {
    for (const auto& [path, way] :
         {std::pair("resources.limits", GpuWay::kLimit), std::pair("resources.requests", GpuWay::kRequest)}) {
      const Node* resources = container.At(path);
      if (resources == nullptr) continue;
      for (const auto& [name, value] : resources->members) {
        if (IsGpuResource(name) || IsGpuWithoutVendor(name))
          part.gpus.push_back({.way = way, .name = name, .count = value.text, .line = value.line});
      }
    }
    const Node *claims = container.At("resources.claims"), *of_pod = pod.Find("resourceClaims");
    if (claims == nullptr) return;
    std::vector<std::string> names;
    for (const Node& claim : of_pod == nullptr ? std::vector<Node>{} : of_pod->items)
      names.push_back(claim.TextOf("name"));
    const bool whole = IsPod(pod);  // a template of Argo may have them elsewhere
    for (const Node& claim : claims->items)
      part.gpus.push_back({.way = GpuWay::kClaim,
                           .name = whole ? claim.TextOf("name") : "",
                           .ids = names,
                           .line = claim.line});
  }

  static void Mounts(const Node& container, const Node& pod, RecipePart& part) {
    const Node *mounts = container.Find("volumeMounts"), *volumes = pod.Find("volumes");
    if (mounts == nullptr || volumes == nullptr) return;
    for (const Node& mount : mounts->items) {
      const auto volume = std::ranges::find_if(
          volumes->items, [&](const Node& item) { return item.TextOf("name") == mount.TextOf("name"); });
      if (volume == volumes->items.end()) continue;
      const std::string target = mount.TextOf("mountPath");
      if (const Node* host = volume->Find("hostPath"))
        part.steps.push_back(
            {.kind = StepKind::kMount, .words = {host->TextOf("path"), target}, .line = mount.line});
      if (base::CleanPath(target) != "/dev/shm") continue;
      const Node* size = volume->At("emptyDir.sizeLimit");
      part.shm_size = size == nullptr ? "host" : size->text;
    }
  }

  snapshot::Recipe recipe_;
  bool full_ = false;
  std::string owner_;  // "Job mnist"
};

}  // namespace

snapshot::Recipe ReadManifests(const std::vector<tree::Node>& documents, const std::string& path) {
  ManifestReader reader(path);
  for (const Node& document : documents) reader.Object(document);
  return reader.Take();
}

}  // namespace culprit::collect
