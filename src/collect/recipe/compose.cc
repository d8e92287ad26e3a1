// compose.yaml, as the Compose Specification describes it (compose-spec/compose-spec: 05-services.md,
// deploy.md). Variables have the value after ":-"; one without is not known here.
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

class ComposeReader {
 public:
  ComposeReader(const Node& root, const std::string& path) : root_(root) {
    recipe_.path = path;
    recipe_.kind = snapshot::RecipeKind::kCompose;
  }

  snapshot::Recipe Run() {
    for (const auto& [name, service] : root_.Find("services")->members) {
      if (recipe_.parts.size() >= kMostParts) {
        recipe_.unread.push_back("services from " + name + " on");
        break;
      }
      if (service.IsTable()) Service(name, service);
    }
    if (root_.Find("include") != nullptr) recipe_.unread.push_back("the files that it includes");
    return std::move(recipe_);
  }

 private:
  static Substituted Filled(const std::string& text) { return Substitute(text, {}, '$', false); }

  void Service(const std::string& name, const Node& service) {
    RecipePart part{.name = "service " + name, .line = service.line};
    if (const Node* image = service.Find("image"); image != nullptr && image->IsText()) {
      const Substituted filled = Filled(image->text);
      part.image = filled.text;
      part.vague = filled.vague;
      part.line = image->line;
    }
    if (const Node* build = service.Find("build"); build != nullptr) Build(*build, part);
    Environment(service.Find("environment"), part);
    Start(service, part);
    Gpus(service, part);
    Mounts(service, part);
    if (service.Find("env_file") != nullptr) recipe_.unread.push_back("the env_file of " + part.name);
    if (service.Find("extends") != nullptr)
      recipe_.unread.push_back("the service that " + part.name + " extends");
    part.shm_size = service.TextOf("ipc") == "host" ? "host" : service.TextOf("shm_size");
    recipe_.parts.push_back(std::move(part));
  }

  void Build(const Node& build, RecipePart& part) {
    std::string context = build.IsText() ? build.text : build.TextOf("context");
    std::string file = build.TextOf("dockerfile");
    if (build.Find("dockerfile_inline") != nullptr || context.find("://") != std::string::npos ||
        Filled(context).vague)
      return;
    if (file.empty()) file = "Dockerfile";
    if (context.empty()) context = ".";
    const std::string base(base::DirName(recipe_.path));
    part.build =
        base::CleanPath(base::JoinPath(base::JoinPath(base, Filled(context).text), Filled(file).text));
  }

  static void Set(const std::string& name, const std::string& value, uint64_t line, RecipePart& part) {
    Substituted filled = Filled(value);
    part.steps.push_back({.kind = StepKind::kSet,
                          .words = {name, std::move(filled.text)},
                          .line = line,
                          .vague = filled.vague});
  }
  static void Environment(const Node* environment, RecipePart& part) {
    if (environment == nullptr) return;
    for (const auto& [name, value] : environment->members) {
      if (value.IsText()) Set(name, value.text, value.line, part);
    }
    for (const Node& item : environment->items) {
      const size_t equals = item.text.find('=');
      if (equals != std::string::npos)
        Set(item.text.substr(0, equals), item.text.substr(equals + 1), item.line, part);
    }
  }

  static void Start(const Node& service, RecipePart& part) {
    std::vector<std::string> words;
    uint64_t line = 0;
    for (const char* key : {"entrypoint", "command"}) {
      const Node* node = service.Find(key);
      if (node == nullptr) continue;
      line = node->line;
      const auto texts = node->IsText() ? LineWords(node->text) : TextsOf(node);
      words.insert(words.end(), texts.begin(), texts.end());
    }
    AddStart(words, line, part);
  }

  static void Device(const Node& device, RecipePart& part) {
    GpuRequest request{.way = GpuWay::kDevices,
                       .name = device.TextOf("driver"),
                       .count = device.TextOf("count"),
                       .ids = TextsOf(device.Find("device_ids")),
                       .line = device.line};
    if (const Node* capabilities = device.Find("capabilities")) {
      request.says_capabilities = true;
      request.capabilities = TextsOf(capabilities);
      for (const Node& inner : capabilities->items) {  // [[gpu]] of older files
        for (const std::string& text : TextsOf(inner.IsList() ? &inner : nullptr))
          request.capabilities.push_back(text);
      }
    }
    part.gpus.push_back(std::move(request));
  }

  static void Gpus(const Node& service, RecipePart& part) {
    if (const Node* devices = service.At("deploy.resources.reservations.devices")) {
      for (const Node& device : devices->items) Device(device, part);
    }
    if (const Node* generic = service.At("deploy.resources.reservations.generic_resources"))
      part.gpus.push_back({.way = GpuWay::kGpus, .name = "generic_resources", .line = generic->line});
    if (const Node* gpus = service.Find("gpus"))
      part.gpus.push_back({.way = GpuWay::kGpus, .line = gpus->line});
    if (const Node* runtime = service.Find("runtime"))
      part.gpus.push_back(
          {.way = GpuWay::kRuntime, .name = Filled(runtime->text).text, .line = runtime->line});
  }

  static void Mounts(const Node& service, RecipePart& part) {
    if (const Node* devices = service.Find("devices")) {
      for (const Node& device : devices->items) {
        const std::string text = device.IsTable() ? device.TextOf("source") : device.text;
        const std::string source = text.substr(0, text.find(':'));
        if (source.starts_with("nvidia.com/gpu") || source.starts_with("nvidia.com/mig"))
          part.gpus.push_back({.way = GpuWay::kCdi, .name = source, .line = device.line});
        else
          part.steps.push_back({.kind = StepKind::kDevice, .words = {source}, .line = device.line});
      }
    }
    const Node* volumes = service.Find("volumes");
    if (volumes == nullptr) return;
    for (const Node& volume : volumes->items) {
      std::string source = volume.TextOf("source"), target = volume.TextOf("target");
      if (volume.IsText()) {
        const auto pieces = base::Split(Filled(volume.text).text, ':');
        if (pieces.size() < 2) continue;
        source = pieces[0];
        target = pieces[1];
      }
      part.steps.push_back({.kind = StepKind::kMount, .words = {source, target}, .line = volume.line});
    }
  }

  const Node& root_;
  snapshot::Recipe recipe_;
};

}  // namespace

snapshot::Recipe ReadCompose(const tree::Node& root, const std::string& path) {
  return ComposeReader(root, path).Run();
}

}  // namespace culprit::collect
