#include "engine/stack_rows.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "base/version.h"
#include "engine/not_seen.h"
#include "knowledge/libraries.h"
#include "rules/kit/load_facts.h"
#include "rules/kit/recipe/recipe_facts.h"

namespace culprit::engine {
namespace {

using report::StackKind;
using report::StackRow;
using Rows = std::vector<StackRow>;

// "not known: Permission denied" and the like for a fact that is not there.
template <typename T>
std::string InWords(const snapshot::Fact<T>& fact) {
  switch (fact.state) {
    case snapshot::FactState::kAbsent:
      return "none";
    case snapshot::FactState::kNotApplicable:
      return "not checked";
    default:
      return "unknown: " + fact.why;
  }
}

// Whether it may exist although it was not seen.
template <typename T>
bool IsUnknown(const snapshot::Fact<T>& fact) {
  return !fact && fact.state != snapshot::FactState::kAbsent;
}

// "none", unless something that would hold it could not be read.
template <typename T>
std::string NoneSeen(const rules::Scene& scene, const snapshot::Fact<T>& fact) {
  if (!fact) return InWords(fact);
  return NotSeen(scene.snapshot).empty() ? "none" : "none seen: not everything could be read";
}

void Join(std::string& text, const std::string& more, const char* separator = ", ") {
  if (more.empty()) return;
  if (!text.empty()) text += separator;
  text += more;
}

// The libcuda that any program in this shell gets.
const loader::Object* WinningLibcuda(const rules::Scene& scene) {
  for (const loader::Scenario& scenario : scene.scenarios) {
    if (scenario.kind != loader::Scenario::Kind::kAnyProgram) continue;
    for (const loader::Object& object : scenario.graph.objects) {
      if (object.name == "libcuda.so.1" || object.name == "nvcuda.dll") return &object;
    }
  }
  return nullptr;
}

// How a file came into a process, as short as it can be said: "LD_LIBRARY_PATH, for libcudnn.so.9".
std::string Way(const loader::Scenario& scenario, const loader::Object& object) {
  const bool known = object.via != loader::Via::kUnknown;
  std::string way = known ? rules::FoundThrough(scenario.graph, object.path) : "";
  if (object.via == loader::Via::kRpath) way = "RPATH";
  if (object.via == loader::Via::kRunpath) way = "RUNPATH";
  if (object.requester < scenario.graph.objects.size())
    Join(way, "for " + std::string(base::BaseName(scenario.graph.objects[object.requester].path)));
  return way;
}

// What a process that was seen has of CUDA, file by file.
void AddProcess(Rows& rows, const rules::Scene& scene, const loader::Scenario& scenario) {
  StackRow row{.what = "process", .value = scenario.title, .where = scenario.graph.target};
  Rows libraries;
  for (const loader::Object& object : scenario.graph.objects) {
    const auto* library = LibraryOf(object);
    if (library == nullptr) continue;
    const auto version = scene.view.Version(object.path);
    libraries.push_back({.kind = StackKind::kLibrary,
                         .what = std::string(library->title),
                         .value = version && !version->version.empty() ? version->version : "unknown version",
                         .where = object.real_path,
                         .detail = Way(scenario, object),
                         .depth = 1});
  }
  for (const loader::Object& object : scenario.replaced) {
    if (const auto* library = LibraryOf(object))
      libraries.push_back({.kind = StackKind::kLibrary,
                           .what = std::string(library->title),
                           .value = "unknown version",
                           .where = object.path,
                           .detail = "its file was replaced since it was loaded",
                           .depth = 1});
  }
  const auto& program = scenario.graph.objects.empty() ? nullptr : scenario.graph.objects.front().elf;
  if (program != nullptr && program->problem == binfmt::ElfProblem::kNoDynamic)
    Join(row.detail, "statically linked: the CUDA code inside is not visible");
  else if (libraries.empty())
    Join(row.detail, "no CUDA library is mapped");
  for (const std::string& device : scenario.devices) {
    const bool gpu = device.find_first_not_of("0123456789", sizeof("/dev/nvidia") - 1) == std::string::npos;
    if (gpu) Join(row.detail, "has open " + device);
  }
  rows.push_back(std::move(row));
  rows.insert(rows.end(), libraries.begin(), libraries.end());
}

// The one that was asked about; of several, as a run has them, those that use CUDA.
void AddProcesses(Rows& rows, const rules::Scene& scene) {
  const bool one = std::ranges::count_if(scene.scenarios, &loader::Scenario::WasSeen) == 1;
  for (const loader::Scenario& scenario : scene.scenarios) {
    if (!scenario.WasSeen()) continue;
    const bool cuda = std::ranges::any_of(scenario.graph.objects,
                                          [](const auto& object) { return LibraryOf(object) != nullptr; });
    if (one || cuda) AddProcess(rows, scene, scenario);
  }
}

void AddDriver(Rows& rows, const rules::Scene& scene) {
  const auto& driver = scene.stack().driver;
  if (!driver) {
    rows.push_back({.kind = StackKind::kDriver,
                    .what = "driver",
                    .value = InWords(driver),
                    .none = true,
                    .unknown = IsUnknown(driver)});
    return;
  }
  StackRow row{.kind = StackKind::kDriver,
               .what = "driver",
               .value = driver->kernel_version ? *driver->kernel_version : InWords(driver->kernel_version),
               .none = !driver->kernel_version,
               .unknown = IsUnknown(driver->kernel_version)};
  if (driver->assumed) {
    row.detail = "assumed: --host";
  } else if (const loader::Object* libcuda = WinningLibcuda(scene)) {
    row.where = libcuda->real_path;
    if (driver->kernel_version) row.detail = driver->kernel_flavor;
  } else {
    row.detail = std::string(scene.OnWindows() ? "nvcuda.dll" : "libcuda.so.1") + " is not found";
  }
  rows.push_back(std::move(row));
}

void AddGpus(Rows& rows, const rules::Scene& scene) {
  const auto& gpus = scene.stack().gpus;
  if (!gpus || gpus->empty()) {
    rows.push_back({.kind = StackKind::kGpu,
                    .what = "GPU",
                    .value = gpus ? "none" : InWords(gpus),
                    .none = true,
                    .unknown = IsUnknown(gpus)});
    return;
  }
  for (size_t i = 0; i < gpus->size(); ++i) {
    const snapshot::Gpu& gpu = (*gpus)[i];
    StackRow row{
        .kind = StackKind::kGpu,
        .what = "GPU " + std::to_string(i),
        .value = gpu.name.empty() ? (gpu.chip.empty() ? "NVIDIA " + gpu.device_id : gpu.chip) : gpu.name,
        .where = gpu.bus_id};
    if (gpu.assumed) row.value = gpu.name.empty() ? "compute capability " + gpu.compute_capability : gpu.name;
    Join(row.detail, gpu.assumed ? "assumed: --host" : "");
    if (!gpu.compute_capability.empty() && !row.value.starts_with("compute")) {
      Join(row.detail, "compute capability " + gpu.compute_capability);
    }
    const auto& context = scene.stack().context;
    if (gpu.virtual_gpu) {
      Join(row.detail, "a vGPU");
    } else if (context && !context->virtual_machine.empty() && !gpu.assumed) {
      Join(row.detail, "passed through");
    }
    if (!gpu.bound_to.empty() && gpu.bound_to != "nvidia") Join(row.detail, "bound to " + gpu.bound_to);
    rows.push_back(std::move(row));
  }
}

void AddToolkits(Rows& rows, const rules::Scene& scene) {
  const auto& toolkits = scene.stack().toolkits;
  if (!toolkits || toolkits->copies.empty()) {
    rows.push_back(
        {.kind = StackKind::kToolkit, .what = "toolkit", .value = NoneSeen(scene, toolkits), .none = true});
    return;
  }
  for (const snapshot::Toolkit& toolkit : toolkits->copies) {
    StackRow row{.kind = StackKind::kToolkit,
                 .what = "toolkit",
                 .value = toolkit.version.empty() ? "unknown version" : toolkit.version,
                 .where = toolkit.root,
                 .detail = toolkit.kind == snapshot::ToolkitKind::kToolkit
                               ? ""
                               : std::string(base::Word(toolkit.kind))};
    for (const std::string& link : toolkit.links) {
      if (!link.starts_with("/etc/alternatives/")) Join(row.detail, "also " + link);
    }
    if (!toolkit.nvcc.empty() && toolkit.nvcc == toolkits->nvcc_on_path) Join(row.detail, "nvcc on PATH");
    rows.push_back(std::move(row));
  }
}

void AddCudnn(Rows& rows, const rules::Scene& scene) {
  const auto& copies = scene.stack().cudnn;
  if (!copies || copies->empty()) {
    rows.push_back(
        {.kind = StackKind::kCudnn, .what = "cuDNN", .value = NoneSeen(scene, copies), .none = true});
    return;
  }
  for (const snapshot::CudnnCopy& copy : *copies) {
    StackRow row{
        .kind = StackKind::kCudnn,
        .what = "cuDNN",
        .value = copy.version.empty() ? std::to_string(copy.major) + ", unknown release" : copy.version,
        .where = copy.directory};
    if (!copy.cuda.empty()) row.detail = "for CUDA " + copy.cuda;
    Join(row.detail, copy.owner.text());
    if (!copy.missing_parts.empty())
      Join(row.detail, std::to_string(copy.missing_parts.size()) + " sub-libraries missing");
    rows.push_back(std::move(row));
  }
}

// What a framework loads of the libraries that people ask about, as rows of their own.
Rows Loads(const rules::Scene& scene, const loader::Scenario& scenario) {
  static constexpr std::string_view kShown[] = {"cudnn", "cudart", "cublas"};
  Rows rows;
  for (const std::string_view name : kShown) {
    for (const loader::Object& object : scenario.graph.objects) {
      const auto* library = LibraryOf(object);
      if (library == nullptr || library->name != name) continue;
      const auto version = scene.view.Version(object.path);
      rows.push_back({.kind = StackKind::kLibrary,
                      .what = std::string(library->title),
                      .value = version ? version->version : "unknown version",
                      .where = std::string(base::DirName(object.real_path)),
                      .depth = 2});
      break;
    }
  }
  return rows;
}

void AddFrameworks(Rows& rows, const rules::Scene& scene, size_t environment) {
  std::vector<std::pair<std::string, Rows>> known;  // what was said of the frameworks before
  for (const loader::Scenario& scenario : scene.scenarios) {
    const snapshot::Framework* framework = scene.FrameworkOf(scenario);
    if (framework == nullptr || scenario.environment != environment) continue;
    if (scenario.WasSeen() && std::ranges::any_of(scene.scenarios, [&](const loader::Scenario& other) {
          return &other < &scenario && scene.FrameworkOf(other) == framework;
        }))
      continue;
    StackRow row{
        .kind = StackKind::kFramework, .what = framework->name, .value = framework->version, .depth = 1};
    Rows loads = framework->cpu_only ? Rows() : Loads(scene, scenario);
    const auto same = std::ranges::find(known, loads, [](const auto& entry) { return entry.second; });
    if (framework->cpu_only) {
      row.detail = "built without CUDA";
    } else if (!loads.empty() && same != known.end()) {
      row.detail = "loads the same libraries as " + same->first;
      loads.clear();
    }
    if (!loads.empty()) known.emplace_back(framework->name, loads);
    rows.push_back(std::move(row));
    rows.insert(rows.end(), loads.begin(), loads.end());
  }
}

void AddEnvironments(Rows& rows, const rules::Scene& scene) {
  const auto& environments = scene.stack().environments;
  if (environments.state == snapshot::FactState::kAbsent) return;  // not asked for
  if (!environments || environments->empty()) {
    rows.push_back({.kind = StackKind::kPython,
                    .what = "Python",
                    .value = environments ? "no environment" : InWords(environments),
                    .none = true});
    return;
  }
  for (size_t e = 0; e < environments->size(); ++e) {
    const snapshot::PythonEnvironment& environment = (*environments)[e];
    rows.push_back({.kind = StackKind::kPython,
                    .what = "Python",
                    .value = environment.python.empty() ? "unknown version" : environment.python,
                    .where = environment.prefix,
                    .detail = std::string(base::Word(environment.kind)) + ", " +
                              std::string(base::Word(environment.why))});
    AddFrameworks(rows, scene, e);
  }
}

// A virtual machine: its host decides which GPUs it has.
void AddVirtualMachine(Rows& rows, const rules::Scene& scene) {
  const auto& context = scene.stack().context;
  if (context && !context->virtual_machine.empty())
    rows.push_back({.what = "machine", .value = "virtual", .detail = context->virtual_machine});
}

// What a build folder took.
void AddBuilds(Rows& rows, const rules::Scene& scene) {
  if (!scene.stack().builds) return;
  for (const snapshot::BuildFolder& folder : *scene.stack().builds) {
    StackRow row{.kind = StackKind::kBuild, .what = "build", .value = "no CUDA", .where = folder.path};
    std::string codes;
    bool named = false;
    for (const snapshot::BuildSetting& setting : folder.settings) {
      using Item = snapshot::BuildItem;
      if (setting.item == Item::kNvcc && !std::exchange(named, true))
        row.value = "CUDA " + (setting.version.empty() ? "of unknown version" : setting.version);
      if (setting.item == Item::kArchitectures && codes.empty()) codes = setting.value;
    }
    Join(row.detail, std::string(base::Word(folder.system)));
    for (const std::string& code : base::SplitWords(codes, " ")) Join(row.detail, code);
    if (!folder.host_compiler.version.empty())
      Join(row.detail, folder.host_compiler.name + " " + folder.host_compiler.version);
    rows.push_back(std::move(row));
  }
}

// What is started, and what it is built on.
void AddRecipes(Rows& rows, const rules::Scene& scene) {
  for (const rules::PartView& view : rules::Started(scene)) {
    const bool named = view.base != nullptr && !view.base->image.empty();
    rows.push_back({.what = view.part->name,
                    .value = named ? view.base->image : "an image without a name",
                    .where = rules::PlaceOf(*view.recipe, view.part->line),
                    .detail = view.image.cuda.empty() ? "" : "CUDA " + view.image.cuda});
  }
}

}  // namespace

Rows StackRows(const rules::Scene& scene) {
  Rows rows;
  if (scene.stack().recipes) {
    AddRecipes(rows, scene);
    if (scene.stack().driver) AddDriver(rows, scene);
    if (scene.stack().gpus) AddGpus(rows, scene);
    return rows;
  }
  AddProcesses(rows, scene);
  AddBuilds(rows, scene);
  AddVirtualMachine(rows, scene);
  AddDriver(rows, scene);
  AddGpus(rows, scene);
  AddToolkits(rows, scene);
  AddCudnn(rows, scene);
  AddEnvironments(rows, scene);
  return rows;
}

}  // namespace culprit::engine
