// The ranks of a job in the JSON format of docs/json-output.md.
#include "base/json.h"

#include "base/node_set.h"
#include "render/document.h"
#include "render/place.h"
#include "render/ranks/ranks.h"

namespace culprit::render {
namespace {

using base::Json;

Json RankFindingJson(const report::RankFinding& finding) {
  if (finding == report::RankFinding{}) return nullptr;
  return {{"headline", finding.headline},     {"cause", TextOrNull(finding.cause)},
          {"code", TextOrNull(finding.code)}, {"because", finding.because},
          {"evidence", finding.evidence},     {"fix", finding.fix},
          {"commands", finding.commands},     {"last_words", TextOrNull(finding.last_words)}};
}

Json FirstJson(const report::FirstRank& first) {
  return {{"rank", first.rank},
          {"node", first.node},
          {"end", base::Word(first.end)},
          {"ended", first.ended},
          {"at", TextOrNull(first.at)},
          {"seconds", first.seconds},
          {"before_next", first.before_next ? Json(*first.before_next) : Json(nullptr)},
          {"maybe_before", base::FoldNumbers(first.maybe_before)},
          {"finding", RankFindingJson(first.finding)}};
}

Json DifferenceJson(const report::RankDifference& difference) {
  Json values = Json::array();
  for (const auto& value : difference.values) {
    values.push_back({{"value", TextOrNull(value.value)},
                      {"where", TextOrNull(value.where)},
                      {"count", value.ranks.size()},
                      {"ranks", base::FoldNumbers(value.ranks)}});
  }
  return {{"kind", base::Word(difference.kind)}, {"what", difference.what}, {"values", std::move(values)}};
}

}  // namespace

std::string ToJson(const report::RanksReport& report) {
  Json ends = Json::array(), waits = Json::array(), differences = Json::array(), shared = Json::array(),
       not_read = Json::array();
  for (const report::RankEnds& one : report.ends) {
    ends.push_back({{"end", base::Word(one.end)},
                    {"ended", one.ended},
                    {"count", one.ranks.size()},
                    {"ranks", base::FoldNumbers(one.ranks)}});
  }
  for (const report::RankWait& wait : report.waits) {
    waits.push_back({{"kind", base::Word(wait.kind)},
                     {"what", wait.what},
                     {"sequence", wait.sequence},
                     {"group", TextOrNull(wait.group)},
                     {"seconds", wait.seconds},
                     {"count", wait.ranks.size()},
                     {"ranks", base::FoldNumbers(wait.ranks)}});
  }
  for (const report::RankDifference& one : report.differences) differences.push_back(DifferenceJson(one));
  for (const report::SharedDevice& one : report.shared)
    shared.push_back({{"node", one.node}, {"device", one.device}, {"ranks", base::FoldNumbers(one.ranks)}});
  for (const report::NotRead& one : report.not_read)
    not_read.push_back({{"what", one.what}, {"why", one.why}});
  return JsonDocument({{"schema", "culprit.ranks/1"},
                       {"verdict", Name(report.verdict)},
                       {"headline", report.headline},
                       {"job", TextOrNull(report.job)},
                       {"ranks", report.ranks},
                       {"heard", report.heard},
                       {"first", report.first ? FirstJson(*report.first) : Json(nullptr)},
                       {"ends", std::move(ends)},
                       {"waits", std::move(waits)},
                       {"not_waiting", base::FoldNumbers(report.not_waiting)},
                       {"differences", std::move(differences)},
                       {"shared_devices", std::move(shared)},
                       {"not_read", std::move(not_read)},
                       {"records", TextOrNull(report.place)}});
}

}  // namespace culprit::render
