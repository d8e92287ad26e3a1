// Kubernetes manifests. Whatever an object is called (Pod, Deployment, Job, PyTorchJob, List ...), a pod is
// where a list of containers is: every one is found by that.
#include <algorithm>

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

// Labels that choose nodes with GPUs: "gpu: true", "nvidia.com/gpu.present",
// "cloud.google.com/gke-accelerator".
bool IsGpuLabel(std::string_view label, std::string_view value) {
  const bool gpu =
      base::Contains(label, "gpu") || base::Contains(label, "nvidia") || base::Contains(label, "accelerator");
  return gpu && value != "false" && value != "none" && value != "no" && value != "0" && value != "cpu" &&
         !base::Contains(value, "tpu");
}

bool IsPod(const Node& node) {
  const Node* containers = node.Find("containers");
  return containers != nullptr && containers->IsList() &&
         std::ranges::any_of(containers->items,
                             [](const Node& item) { return item.Find("image") != nullptr; });
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
      if (key != "containers" && key != "initContainers") Object(member);
    }
    for (const Node& item : node.items) Object(item);
    owner_ = before;
  }
  snapshot::Recipe Take() { return std::move(recipe_); }

 private:
  void Pod(const Node& pod) {
    for (const char* list : {"initContainers", "containers"}) {
      const Node* containers = pod.Find(list);
      if (containers == nullptr) continue;
      for (const Node& container : containers->items) {
        if (recipe_.parts.size() < kMostParts) Container(container, pod);
      }
    }
  }

  void Container(const Node& container, const Node& pod) {
    RecipePart part{.name = "container " + container.TextOf("name") + (owner_.empty() ? "" : " of " + owner_),
                    .image = container.TextOf("image"),
                    .line = container.line};
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
    if (container.Find("envFrom") != nullptr) recipe_.unread.push_back("envFrom of " + part.name);
    Start(container, part);
    Resources(container, part);
    if (const Node* name = pod.Find("runtimeClassName"); name != nullptr && name->IsText())
      part.gpus.push_back({.way = GpuWay::kClass, .name = name->text, .line = name->line});
    if (const Node* selector = pod.Find("nodeSelector")) {
      for (const auto& [label, value] : selector->members) {
        if (IsGpuLabel(label, value.text) && !owner_.starts_with("DaemonSet "))
          part.gpus.push_back({.way = GpuWay::kNode, .name = label, .count = value.text, .line = value.line});
      }
    }
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
    AddStart(words, line, part);
  }

  static void Resources(const Node& container, RecipePart& part) {
    for (const auto& [path, way] :
         {std::pair("resources.limits", GpuWay::kLimit), std::pair("resources.requests", GpuWay::kRequest)}) {
      const Node* resources = container.At(path);
      if (resources == nullptr) continue;
      for (const auto& [name, value] : resources->members) {
        if (IsGpuResource(name))
          part.gpus.push_back({.way = way, .name = name, .count = value.text, .line = value.line});
      }
    }
    if (const Node* claims = container.At("resources.claims"))
      part.gpus.push_back({.way = GpuWay::kClaim, .line = claims->line});
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
      if (target != "/dev/shm") continue;
      const Node* size = volume->At("emptyDir.sizeLimit");
      part.shm_size = size == nullptr ? "host" : size->text;
    }
  }

  snapshot::Recipe recipe_;
  std::string owner_;  // "Job mnist"
};

}  // namespace

snapshot::Recipe ReadManifests(const std::vector<tree::Node>& documents, const std::string& path) {
  ManifestReader reader(path);
  for (const Node& document : documents) reader.Object(document);
  return reader.Take();
}

}  // namespace culprit::collect
