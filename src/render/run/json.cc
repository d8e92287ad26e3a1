// The report of a run in the JSON format of docs/json-output.md.
#include "base/json.h"

#include "render/cause.h"
#include "render/document.h"
#include "render/finding.h"
#include "render/place.h"
#include "render/run/run.h"

namespace culprit::render {
namespace {

using base::Json;

template <typename Item, typename AsJson>
Json List(const std::vector<Item>& items, AsJson as_json) {
  Json list = Json::array();
  for (const Item& item : items) list.push_back(as_json(item));
  return list;
}

Json CallJson(const report::RunCall& call) {
  return {{"seconds", call.seconds},
          {"process", TextOrNull(call.process)},
          {"api", base::Word(call.api)},
          {"function", call.function},
          {"code", call.code},
          {"status", call.status},
          {"meaning", call.meaning},
          {"detail", call.detail},
          {"last_kernel", call.last_kernel},
          {"said", call.said},
          {"source", base::Word(call.source)},
          {"count", call.count}};
}

Json FailedLoadJson(const report::RunFailedLoad& failed) {
  return {{"seconds", failed.seconds},
          {"process", TextOrNull(failed.process)},
          {"name", failed.name},
          {"requested_by", failed.requested_by},
          {"chain", failed.chain},
          {"opened_by", failed.dlopen ? "dlopen" : "needed"},
          {"survived", failed.survived},
          {"searched", List(failed.searched, PlaceJson)},
          {"elsewhere", List(failed.elsewhere, CopyJson)}};
}

Json MixJson(const report::RunMix& mix) {
  const auto member = [](const report::RunMix::Member& one) -> Json {
    return {{"seconds", one.seconds},           {"path", one.path},
            {"version", one.version},           {"requested_by", one.requested_by},
            {"via", base::NameOrNone(one.via)}, {"odd", one.odd}};
  };
  return {{"process", TextOrNull(mix.process)},
          {"family", mix.family},
          {"because", mix.because},
          {"members", List(mix.members, member)}};
}

Json CrashJson(const report::RunCrash& crash) {
  const auto frame = [](const report::RunFrame& one) -> Json {
    return {{"object", TextOrNull(one.object)},
            {"version", TextOrNull(one.version)},
            {"function", TextOrNull(one.function)},
            {"offset", one.offset},
            {"guessed", one.guessed}};
  };
  return {{"seconds", crash.seconds},
          {"process", TextOrNull(crash.process)},
          {"signal", crash.signal},
          {"what", crash.what},
          {"frames", List(crash.frames, frame)}};
}

Json WaitJson(const report::RunWait& wait) {
  return {{"seconds", wait.seconds},
          {"process", TextOrNull(wait.process)},
          {"thread", wait.thread},
          {"function", wait.function},
          {"state", wait.state}};
}

Json KernelErrorJson(const report::RunKernelError& error) {
  return {{"tool", error.tool},
          {"kind", error.kind},
          {"kernel", error.kernel},
          {"file", TextOrNull(error.file)},
          {"line", error.line},
          {"where", error.where},
          {"detail", error.detail},
          {"count", error.count},
          {"host_frames", error.host_frames}};
}

Json LoadJson(const report::RunLoad& load) {
  Json json = {{"seconds", load.seconds},
               {"process", TextOrNull(load.process)},
               {"name", load.name},
               {"path", load.path},
               {"via", base::NameOrNone(load.via)},
               {"requested_by", load.requested_by},
               {"opened_by", base::Word(load.opened_by)},
               {"closed", load.closed}};
  if (load.real_path != load.path) json["real_path"] = load.real_path;
  if (!load.title.empty()) {
    json["title"] = load.title;
    AddVersion(json, load.version);
  }
  if (!load.problem.empty()) json["problem"] = load.problem;
  return json;
}

}  // namespace

std::string ToJson(const report::RunReport& report) {
  const auto not_watched = [](const report::NotChecked& item) -> Json {
    return {{"what", item.what}, {"why", item.why}};
  };
  return JsonDocument(
      {{"schema", "culprit.run/1"},
       {"command", report.command},
       {"ended", report.ended},
       {"failed", report.failed},
       {"exit_status", report.signal.empty() ? Json(report.exit_status) : Json(nullptr)},
       {"signal", TextOrNull(report.signal)},
       {"seconds", report.seconds},
       {"headline", report.headline},
       {"last_words", TextOrNull(report.last_words)},
       {"first_failure", report.first_failure ? CallJson(*report.first_failure) : Json(nullptr)},
       {"other_failures", List(report.other_failures, CallJson)},
       {"failed_loads", List(report.failed_loads, FailedLoadJson)},
       {"mixes", List(report.mixes, MixJson)},
       {"crash", report.crash ? CrashJson(*report.crash) : Json(nullptr)},
       {"waits", List(report.waits, WaitJson)},
       {"kernel_errors", List(report.kernel_errors, KernelErrorJson)},
       {"causes", List(report.explanation.causes, CauseJson)},
       {"symptoms", List(report.explanation.symptoms, SymptomJson)},
       {"loads", List(report.loads, LoadJson)},
       {"findings", List(report.check.findings, FindingJson)},
       {"not_watched", List(report.not_watched, not_watched)}});
}

}  // namespace culprit::render
