#include "api/machine.h"

#include <algorithm>
#include <exception>
#include <future>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "api/process.h"
#include "base/product_version.h"
#include "base/text.h"
#include "collect/look_at_stack.h"
#include "loader/scenario.h"
#include "probe/cuda/library.h"
#include "rules/rule.h"

namespace culprit::api {
namespace {

using loader::Scenario;

struct Facts {
  std::string program;
  snapshot::Snapshot snapshot;
};

// Never taken down: a collector that hangs may still be at work when the process ends.
struct State {
  std::mutex mutex;
  std::unique_ptr<system::System> system = system::RealSystem();
  std::shared_ptr<const Facts> facts;
  // By the cuDNN that was asked about and the libraries that were there.
  std::map<std::pair<uint32_t, std::vector<std::string>>, std::shared_ptr<const Judgement>> judgements;
  bool hopeless = false;
};
State& TheState() {
  static State& state = *new State;
  return state;
}

std::shared_ptr<const Facts> Collect(const system::System& system,
                                     std::map<std::string, std::string> environment,
                                     std::chrono::milliseconds limit) {
  Facts facts{.program = OwnProgram()};
  std::vector<std::string> programs;
  if (!facts.program.empty()) programs.push_back(facts.program);
  const collect::Surroundings around{.system = system,
                                     .environment = std::move(environment),
                                     .working_directory = system.WorkingDirectory(),
                                     .no_python = true};
  facts.snapshot = collect::LookAtStack(around, programs, limit).snapshot;
  facts.snapshot.tool_version = base::ProductVersion();
  return std::make_shared<const Facts>(std::move(facts));
}

bool IsIn(std::string_view directory, std::string_view list) {
  return std::ranges::any_of(base::Split(list, ':'), [&](const std::string& element) {
    return !element.empty() &&
           base::CleanPath(element + "/") == base::CleanPath(std::string(directory) + "/");
  });
}

// The libraries that are in this process now, as if a loader model had put them there.
Scenario OwnProcess(const Facts& facts, snapshot::FileView& view) {
  Scenario scenario{.title = "this process"};
  scenario.graph.target = facts.program;
  const auto variable = facts.snapshot.environment.find("LD_LIBRARY_PATH");
  const std::string searched = variable == facts.snapshot.environment.end() ? "" : variable->second;
  std::vector<std::string> paths = cuda::MappedLibraries();
  paths.insert(paths.begin(), facts.program);
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
Scenario Played(const Facts& facts, snapshot::FileView& view, uint32_t cudnn_major) {
  Scenario scenario{.title = facts.program};
  loader::Question question{
      .target = facts.program,
      .interpreter = facts.snapshot.loaders.empty() ? "" : facts.snapshot.loaders.front().path};
  if (cudnn_major != 0) question.imports.push_back({.names = {CudnnName(cudnn_major)}});
  scenario.graph = loader::Load(facts.snapshot, view, question);
  return scenario;
}

// What engine::Check also makes of them (the stack as rows, a verdict, the words of a probe) is of no use
// here, and would bring the readers of logs into the library.
std::vector<report::Finding> Findings(const rules::Scene& scene) {
  std::vector<report::Finding> findings;
  for (const rules::Rule* rule : rules::AllRules()) {
    if (!rules::AppliesTo(*rule, scene) || rule->severity == report::Severity::kNote) continue;
    rules::Ruling ruling(*rule);
    try {
      rule->check(scene, ruling);
    } catch (const std::exception&) {  // a bug in one rule is not the end of the others
      continue;
    }
    findings.insert(findings.end(), ruling.findings().begin(), ruling.findings().end());
  }
  return findings;
}

Judgement Judge(const Facts& facts, const system::System& system, uint32_t cudnn_major) {
  collect::LiveFileView view(system);
  // What is there decides; a play of cuDNN is wanted only before it is.
  std::vector<Scenario> scenarios = loader::PlayScenarios(facts.snapshot, view, {});
  Scenario own = OwnProcess(facts, view);
  const bool loaded = cudnn_major != 0 && FindCudnn(own, cudnn_major) != nullptr;
  scenarios.push_back(Played(facts, view, loaded ? 0 : cudnn_major));
  Judgement judgement;
  if (const loader::Object* cudnn = FindCudnn(loaded ? own : scenarios.back(), cudnn_major)) {
    judgement.cudnn_path = cudnn->path;
    if (const auto version = view.Version(cudnn->path)) judgement.cudnn_version = version->version;
  }
  scenarios.push_back(std::move(own));
  judgement.findings = Findings({facts.snapshot, view, scenarios});
  const auto& driver = facts.snapshot.stack.driver;
  if (driver && driver->kernel_version) judgement.kernel_driver = *driver->kernel_version;
  return judgement;
}

}  // namespace

std::shared_ptr<const Judgement> JudgeMachine(uint32_t cudnn_major, std::chrono::milliseconds limit) {
  State& state = TheState();
  const std::lock_guard lock(state.mutex);
  if (state.hopeless) return nullptr;
  const std::pair key(cudnn_major, cuda::MappedLibraries());
  if (const auto known = state.judgements.find(key); known != state.judgements.end()) return known->second;
  using Result = std::pair<std::shared_ptr<const Facts>, std::shared_ptr<const Judgement>>;
  // Files are read all the way, and a dead mount must not hold the program: the thread is waited for no
  // longer than that, and ends by itself.
  std::promise<Result> promise;
  auto result = promise.get_future();
  std::thread thread([facts = state.facts, system = state.system.get(), environment = OwnEnvironment(),
                      cudnn_major, limit, promise = std::move(promise)]() mutable {
    try {
      if (facts == nullptr) facts = Collect(*system, std::move(environment), limit * 3 / 4);
      auto judgement = std::make_shared<const Judgement>(Judge(*facts, *system, cudnn_major));
      promise.set_value({std::move(facts), std::move(judgement)});
    } catch (...) {
      promise.set_exception(std::current_exception());
    }
  });
  if (result.wait_for(limit) != std::future_status::ready) {
    thread.detach();
    state.hopeless = true;
    return nullptr;
  }
  thread.join();
  auto [facts, judgement] = result.get();
  state.facts = std::move(facts);
  state.judgements[key] = judgement;
  return judgement;
}

}  // namespace culprit::api
