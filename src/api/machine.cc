#include "api/machine.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "api/process.h"
#include "base/text.h"
#include "engine/diagnosis.h"
#include "engine/findings.h"
#include "loader/scenario.h"
#include "probe/cuda/library.h"

namespace culprit::api {
namespace {

using loader::Scenario;

// Never destroyed: a collector that hangs may still be running when the process ends.
struct State {
  std::mutex mutex;
  std::shared_ptr<const system::System> system = system::RealSystem();
  std::shared_ptr<const snapshot::Snapshot> facts;
  // Keyed by the requested cuDNN and the loaded libraries.
  std::map<std::pair<uint32_t, std::vector<std::string>>, std::shared_ptr<const Judgement>> judgements;
  bool hopeless = false;
};
State& TheState() {
  static State& state = *new State;
  return state;
}

bool IsIn(std::string_view directory, std::string_view list) {
  return std::ranges::any_of(base::Split(list, ':'), [&](const std::string& element) {
    return !element.empty() &&
           base::CleanPath(element + "/") == base::CleanPath(std::string(directory) + "/");
  });
}

// The libraries that are in this process now, as if a loader model had loaded them.
Scenario OwnProcess(const std::string& program, const snapshot::Snapshot& facts, snapshot::FileView& view) {
  Scenario scenario{.title = "this process"};
  scenario.graph.target = program;
  const auto variable = facts.environment.find("LD_LIBRARY_PATH");
  const std::string searched = variable == facts.environment.end() ? "" : variable->second;
  std::vector<std::string> paths = cuda::MappedLibraries();
  paths.insert(paths.begin(), program);
  for (const std::string& path : paths) {
    const snapshot::FileFacts& file = view.Open(path);
    if (file.elf == nullptr) continue;
    const bool by_variable = IsIn(base::DirName(path), searched);
    scenario.graph.objects.push_back({.name = std::string(base::BaseName(path)),
                                      .path = path,
                                      .real_path = view.RealPath(path),
                                      .id = file.id,
                                      .via = by_variable ? loader::Via::kLdLibraryPath : loader::Via::kPath,
                                      .opened_by = loader::OpenedBy::kDlopen,
                                      .elf = file.elf});
  }
  return scenario;
}

std::string CudnnName(uint32_t major) { return "libcudnn.so." + std::to_string(major); }

const loader::Object* FindCudnn(const Scenario& scenario, uint32_t major) {
  const std::string name = CudnnName(major);
  for (const loader::Object& object : scenario.graph.objects) {
    const bool has_name = object.elf != nullptr && object.elf->soname && *object.elf->soname == name;
    if (has_name || object.name == name) return &object;
  }
  return nullptr;
}

// The program as the loader would start it, opening cuDNN right after.
Scenario Played(const std::string& program, const snapshot::Snapshot& facts, snapshot::FileView& view,
                uint32_t cudnn_major) {
  Scenario scenario{.title = program};
  loader::Question question{.target = program,
                            .interpreter = facts.loaders.empty() ? "" : facts.loaders.front().path};
  if (cudnn_major != 0) question.imports.push_back({.names = {CudnnName(cudnn_major)}});
  scenario.graph = loader::Load(facts, view, question);
  return scenario;
}

// Simulate loading cuDNN only if it is not loaded yet. This process comes last, its program before it.
std::vector<Scenario> PlayAll(const std::string& program, const snapshot::Snapshot& facts,
                              snapshot::FileView& view, uint32_t cudnn_major) {
  std::vector<Scenario> scenarios = loader::PlayScenarios(facts, view, {});
  Scenario own = OwnProcess(program, facts, view);
  const bool loaded = cudnn_major != 0 && FindCudnn(own, cudnn_major) != nullptr;
  scenarios.push_back(Played(program, facts, view, loaded ? 0 : cudnn_major));
  scenarios.push_back(std::move(own));
  return scenarios;
}

Judgement Judge(const rules::Scene& scene, uint32_t cudnn_major) {
  Judgement judgement{.findings = engine::Findings(scene)};
  const loader::Object* cudnn = FindCudnn(scene.scenarios.back(), cudnn_major);
  if (cudnn == nullptr) cudnn = FindCudnn(scene.scenarios[scene.scenarios.size() - 2], cudnn_major);
  if (cudnn != nullptr) {
    judgement.cudnn_path = cudnn->path;
    if (const auto version = scene.view.Version(cudnn->path)) judgement.cudnn_version = version->version;
  }
  const auto& driver = scene.stack().driver;
  if (driver && driver->kernel_version) judgement.kernel_driver = *driver->kernel_version;
  return judgement;
}

// Collects facts unless `known` has them already. Within `limit` in total; nullopt if that passes.
std::optional<Judgement> Diagnose(engine::Diagnosis& diagnosis, uint32_t cudnn_major,
                                  std::chrono::milliseconds limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  if (!diagnosis.Look()) return std::nullopt;
  diagnosis.Play([program = OwnProgram(), cudnn_major](const auto& facts, auto& view) {
    return PlayAll(program, facts, view, cudnn_major);
  });
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
  return diagnosis.AskInTime(std::max(left, std::chrono::milliseconds(1)),
                             [cudnn_major](const rules::Scene& scene) { return Judge(scene, cudnn_major); });
}

}  // namespace

std::shared_ptr<const Judgement> JudgeMachine(uint32_t cudnn_major, std::chrono::milliseconds limit) {
  State& state = TheState();
  const std::lock_guard lock(state.mutex);
  if (state.hopeless) return nullptr;
  const std::pair key(cudnn_major, cuda::MappedLibraries());
  if (const auto known = state.judgements.find(key); known != state.judgements.end()) return known->second;
  engine::Subject subject{.machine = state.system,
                          .known = state.facts,
                          .environment = OwnEnvironment(),
                          .no_python = true,
                          .limit = limit * 3 / 4};  // a look takes at most a third more
  if (const std::string program = OwnProgram(); !program.empty()) subject.programs.push_back(program);
  engine::Diagnosis diagnosis(std::move(subject));
  auto judgement = Diagnose(diagnosis, cudnn_major, limit);
  if (!judgement) {
    state.hopeless = true;
    return nullptr;
  }
  state.facts = diagnosis.shared_snapshot();
  return state.judgements[key] = std::make_shared<const Judgement>(std::move(*judgement));
}

}  // namespace culprit::api
