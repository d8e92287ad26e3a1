// compose.yaml, as the Compose Specification describes it (compose-spec/compose-spec: 05-services.md,
// deploy.md). Variables have the value after ":-"; one without is not known here.
#include <functional>
#include <map>

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

constexpr size_t kMostExtends = 16;
constexpr size_t kMostMerged = 200'000;  // nodes that services take over from others

size_t CountNodes(const Node& node) {
  size_t count = 1;
  for (const auto& [key, member] : node.members) count += CountNodes(member);
  for (const Node& item : node.items) count += CountNodes(item);
  return count;
}

// What a service says itself counts; lists are joined, except those that are one command.
Node WithOwn(Node below, const Node& own) {
  if (below.IsList() && own.IsList()) {
    below.items.insert(below.items.end(), own.items.begin(), own.items.end());
    return below;
  }
  if (!below.IsTable() || !own.IsTable()) return own;
  below.line = own.line;
  std::map<std::string, size_t, std::less<>> places;
  for (size_t i = 0; i < below.members.size(); ++i) places.emplace(below.members[i].first, i);
  for (const auto& [key, value] : own.members) {
    const auto place = places.find(key);
    if (place == places.end()) {
      below.members.emplace_back(key, value);
      continue;
    }
    Node& member = below.members[place->second].second;
    member = key == "command" || key == "entrypoint" ? value : WithOwn(std::move(member), value);
  }
  return below;
}

class ComposeReader {
 public:
  ComposeReader(const Node& root, const std::string& path, BuildArguments* arguments)
      : root_(root), services_(*root.Find("services")), arguments_(arguments) {
    recipe_.path = path;
    recipe_.kind = snapshot::RecipeKind::kCompose;
  }

  snapshot::Recipe Run() {
    for (const auto& [name, service] : services_.members) {
      if (recipe_.parts.size() >= kMostParts) {
        recipe_.CutOff("services from " + name + " on");
        break;
      }
      if (service.IsTable()) Extended(name, service);
    }
    if (root_.Find("include") != nullptr) recipe_.LeaveOut("the included files");
    return std::move(recipe_);
  }

 private:
  static Substituted Filled(const std::string& text) { return Substitute(text, {}, '$', false); }

  // The service with what it extends, and that with what it extends.
  void Extended(const std::string& name, const Node& own) {
    RecipePart part{.name = "service " + name, .line = own.line};
    std::vector<const Node*> chain = {&own};
    while (const Node* extends = chain.back()->Find("extends")) {
      const Node* below = services_.Find(extends->IsText() ? extends->text : extends->TextOf("service"));
      const bool elsewhere = extends->Find("file") != nullptr || below == nullptr || !below->IsTable();
      if (elsewhere || chain.size() > kMostExtends || merged_ > kMostMerged) {
        const std::string what = "the service that " + part.name + " extends";
        part.open = true;
        if (elsewhere)
          recipe_.LeaveOut(what);
        else
          recipe_.unread.push_back({what, "too many levels of extends"});
        break;
      }
      merged_ += CountNodes(*below);
      chain.push_back(below);
    }
    for (size_t i = chain.size(); i-- > 0;) Environment(chain[i]->Find("environment"), part);
    if (chain.size() == 1) return Service(own, std::move(part));
    Node whole = *chain.back();
    for (size_t i = chain.size() - 1; i-- > 0;) whole = WithOwn(std::move(whole), *chain[i]);
    Service(whole, std::move(part));
  }

  void Service(const Node& service, RecipePart part) {
    if (const Node* image = service.Find("image"); image != nullptr && image->IsText()) {
      const Substituted filled = Filled(image->text);
      part.image = filled.text;
      part.vague = filled.vague;
      part.line = image->line;
    }
    if (const Node* build = service.Find("build"); build != nullptr) Build(*build, part);
    Start(service, part);
    Health(service.Find("healthcheck"), part);
    Gpus(service, part);
    Mounts(service, part);
    if (service.Find("env_file") != nullptr) recipe_.LeaveOut("the env_file of " + part.name);
    SharedMemory(service, part);
    recipe_.parts.push_back(std::move(part));
  }

  void Build(const Node& build, RecipePart& part) {
    if (!build.IsText() && !build.IsTable()) return;
    part.target = Filled(build.TextOf("target")).text;
    const Variables arguments = Arguments(build.Find("args"));
    if (const Node* text = build.Find("dockerfile_inline"); text != nullptr && text->IsText())
      return Inline(*text, arguments, part);
    const Substituted context = Filled(build.IsText() ? build.text : build.TextOf("context"));
    const Substituted file = Filled(build.TextOf("dockerfile"));
    const bool elsewhere = base::Contains(context.text, "://") || context.text.starts_with("git@") ||
                           context.text.starts_with("github.com/");
    if (context.vague || file.vague) {
      part.open = true;
      return recipe_.unread.push_back({"the build of " + part.name, "it uses an unknown variable"});
    }
    if (elsewhere) {
      part.open = true;
      return recipe_.LeaveOut("the build of " + part.name);
    }
    const std::string base(base::DirName(recipe_.path));
    part.build =
        base::CleanPath(base::JoinPath(base::JoinPath(base, context.text.empty() ? "." : context.text),
                                       file.text.empty() ? "Dockerfile" : file.text));
    if (arguments_ != nullptr && !arguments.empty()) (*arguments_)[recipe_.parts.size()] = arguments;
  }
  // One without a value comes from wherever compose is started.
  static Variables Arguments(const Node* node) {
    Variables arguments;
    if (node == nullptr) return arguments;
    for (const auto& [name, value] : node->members)
      arguments[name] = value.IsText() ? Filled(value.text).text : "${" + name + "}";
    for (const Node& item : node->items) {
      const size_t equals = item.text.find('=');
      const std::string name = item.text.substr(0, equals);
      arguments[name] =
          equals == std::string::npos ? "${" + name + "}" : Filled(item.text.substr(equals + 1)).text;
    }
    return arguments;
  }
  // A Dockerfile in the compose file: its stages are parts before the service.
  void Inline(const Node& text, const Variables& arguments, RecipePart& part) {
    auto inner = ParseDockerfile(text.text, recipe_.path, arguments);
    if (!inner || recipe_.parts.size() + inner->parts.size() > kMostParts) {
      part.open = true;
      recipe_.unread.push_back({"the build of " + part.name,
                                inner ? "too many stages" : "its dockerfile_inline is not a Dockerfile"});
      return;
    }
    const size_t before = recipe_.parts.size();
    part.from = before + inner->parts.size();
    part.image.clear();
    part.vague = false;
    for (RecipePart& stage : inner->parts) {
      if (!part.target.empty() && stage.as == part.target) part.from = recipe_.parts.size() + 1;
      stage.name += " of " + part.name;
      stage.passing = true;
      stage.line += text.line;  // the text begins in the line after its key
      if (stage.from != 0) stage.from += before;
      for (snapshot::RecipeStep& step : stage.steps) step.line += text.line;
      recipe_.parts.push_back(std::move(stage));
    }
  }

  static void Set(const std::string& name, const std::string& value, uint64_t line, RecipePart& part) {
    Substituted filled = Filled(value);
    part.steps.push_back({.kind = StepKind::kSet,
                          .words = {name, std::move(filled.text)},
                          .line = line,
                          .vague = filled.vague});
  }
  // A variable without a value has that of the shell that starts compose.
  static void Environment(const Node* environment, RecipePart& part) {
    if (environment == nullptr) return;
    for (const auto& [name, value] : environment->members)
      Set(name, value.IsText() ? value.text : "${" + name + "}", value.line, part);
    for (const Node& item : environment->items) {
      const size_t equals = item.text.find('=');
      const std::string name = item.text.substr(0, equals);
      Set(name, equals == std::string::npos ? "${" + name + "}" : item.text.substr(equals + 1), item.line,
          part);
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

  // ["CMD", "nvidia-smi"], ["CMD-SHELL", "nvidia-smi || exit 1"], the same as a text, ["NONE"].
  static void Health(const Node* check, RecipePart& part) {
    if (check == nullptr) return;
    std::vector<std::string> words = TextsOf(check->Find("test"));
    const bool listed = words.size() > 1;
    if (!words.empty() && (!listed || words.front() == "CMD-SHELL")) words = {"sh", "-c", words.back()};
    if (listed && words.front() == "CMD") words.erase(words.begin());
    if (check->TextOf("disable") == "true") words = {"NONE"};
    AddStart(words, check->line, part, StepKind::kHealth);
  }

  static void Device(const Node& device, RecipePart& part) {
    GpuRequest request{.way = GpuWay::kDevices,
                       .name = device.TextOf("driver"),
                       .count = device.TextOf("count"),
                       .ids = TextsOf(device.Find("device_ids")),
                       .line = device.line};
    for (const char* key : {"capabilities", "device_ids"}) {
      const Node* list = device.Find(key);
      if (list != nullptr && list->IsText()) request.misshapen = key;
    }
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
    if (const Node* gpus = service.Find("gpus"); gpus != nullptr && gpus->IsText())
      part.gpus.push_back({.way = GpuWay::kGpus, .count = Filled(gpus->text).text, .line = gpus->line});
    if (const Node* gpus = service.Find("gpus"); gpus != nullptr && gpus->IsList()) {
      for (const Node& device : gpus->items) {
        Device(device, part);
        GpuRequest& request = part.gpus.back();
        if (!request.says_capabilities) request.capabilities = {"gpu"};
        request.says_capabilities = true;
      }
    }
    if (const Node* runtime = service.Find("runtime"); runtime != nullptr && runtime->IsText())
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
      if (base::CleanPath(target) == "/dev/shm") {
        const Node* size = volume.At("tmpfs.size");
        part.shm_size = size == nullptr ? "host" : size->text;
      }
      if (volume.TextOf("type") != "tmpfs")
        part.steps.push_back({.kind = StepKind::kMount, .words = {source, target}, .line = volume.line});
    }
  }

  // The size of /dev/shm; a tmpfs without a size has that of the host.
  void SharedMemory(const Node& service, RecipePart& part) const {
    const std::string size = service.TextOf("shm_size"), ipc = service.TextOf("ipc");
    if (part.shm_size.empty()) part.shm_size = size;
    for (const std::string& text : TextsOf(service.Find("tmpfs"))) {
      const std::string path = text.substr(0, text.find(':'));
      if (base::CleanPath(path) != "/dev/shm") continue;
      const size_t at = text.find("size=");
      part.shm_size = at == std::string::npos ? "host" : text.substr(at + 5, text.find(',', at) - at - 5);
    }
    if (ipc == "host" || ipc.starts_with("container:")) part.shm_size = "host";
    if (!ipc.starts_with("service:")) return;
    const Node* other = services_.Find(std::string_view(ipc).substr(8));
    part.shm_size = other == nullptr || other->TextOf("ipc") == "host" ? "host" : other->TextOf("shm_size");
  }

  const Node& root_;
  const Node& services_;
  BuildArguments* arguments_;
  size_t merged_ = 0;
  snapshot::Recipe recipe_;
};

}  // namespace

snapshot::Recipe ReadCompose(const tree::Node& root, const std::string& path, BuildArguments* arguments) {
  return ComposeReader(root, path, arguments).Run();
}

}  // namespace culprit::collect
