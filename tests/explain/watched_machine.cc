// See watched_machine.h.
#include "watched_machine.h"

#include <toml++/toml.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <utility>

#include "render/run/run.h"
#include "run/judge/run.h"

namespace culprit::watched {
namespace {

// Records that the process loaded, or did not find, what is in the graph.
void Add(const loader::LoadGraph& graph, record::Process& process) {
  for (const loader::Request& request : graph.requests) {
    const std::string requester =
        request.requester == loader::kNone ? request.requester_path : graph.objects[request.requester].path;
    const bool dlopen = request.opened_by == loader::OpenedBy::kDlopen;
    if (request.object == loader::kNone) {
      record::Request failed{
          .at = 9 * kSecond, .name = request.name, .requester = requester, .dlopen = dlopen};
      for (const loader::Attempt& attempt : request.attempts)
        failed.attempts.push_back({attempt.path, attempt.via, attempt.outcome});
      process.failed_requests.push_back(std::move(failed));
    } else if (request.loaded_now && request.object > 0) {
      process.loads.push_back({.at = 2 * kSecond,
                               .path = graph.objects[request.object].path,
                               .name = request.name,
                               .requester = requester,
                               .via = request.via,
                               .dlopen = dlopen});
    }
  }
}

}  // namespace

Machine::Machine(const std::string& description) : machine_(CULPRIT_SOURCE_DIR "/tests/rules") {
  machine_.Apply(toml::parse(description));
  diagnosis_.emplace(engine::Subject{.machine = {std::shared_ptr<const void>(), &machine_.system},
                                     .limit = std::chrono::minutes(1)});
  if (auto looked = diagnosis_->Look(); !looked) throw std::runtime_error(looked.error().message);
  diagnosis_->Play();
  diagnosis_->Judge();
  const auto played = diagnosis_->scene().scenarios;
  played_.assign(played.begin(), played.end());
}

record::Run Machine::Run(const std::string& output, bool torch) const {
  record::Process process{.id = kPid, .program = "/usr/bin/python3.11", .arguments = {"python3", "train.py"}};
  process.loads.push_back({.path = "/usr/bin/python3.11"});
  for (const loader::Scenario& scenario : played_) {
    if (torch && scenario.kind == loader::Scenario::Kind::kFramework) Add(scenario.graph, process);
  }
  return {.command = {"python3", "train.py"},
          .duration = 10 * kSecond,
          .exit_status = 1,
          .watched = {{record::Channel::kLoads, "LD_AUDIT", ""}, {record::Channel::kCalls, "CUPTI", ""}},
          .processes = {std::move(process)},
          .texts = {{.name = record::Channel::kOutput, .beginning = output}}};
}

report::RunReport Machine::Explain(const record::Run& run) {
  diagnosis_->Play(std::make_shared<const record::Run>(run));
  auto report = diagnosis_->Judge(
      [&](const auto& scene, const auto& check) { return run::ExplainRun(run, scene, check); });
  if (std::getenv("CULPRIT_SHOW") != nullptr) std::puts(render::ToText(report, {}).c_str());
  return report;
}

record::FailedCall Call(const char* function, int64_t code, uint64_t at, const char* detail) {
  const bool driver =
      std::string_view(function).starts_with("cu") && !std::string_view(function).starts_with("cuda");
  return {.at = at,
          .thread = kPid,
          .api = driver ? base::CudaApi::kDriver : base::CudaApi::kRuntime,
          .function = function,
          .code = code,
          .detail = detail,
          .source = base::CallSource::kCupti};
}

std::string FirstCause(const report::RunReport& report) {
  return report.explanation.causes.empty() ? "" : report.explanation.causes.front().cause;
}
double Confidence(const report::RunReport& report) {
  return report.explanation.causes.empty() ? 0 : report.explanation.causes.front().confidence;
}
bool Has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace culprit::watched
