// A plan in the JSON format of docs/json-output.md.
#include "base/json.h"

#include "base/edition.h"
#include "render/document.h"
#include "render/edition.h"
#include "render/finding.h"
#include "render/plan/plan.h"

namespace culprit::render {
namespace {

using base::Json;

Json BoundsJson(const std::vector<report::Bound>& bounds) {
  Json list = Json::array();
  for (const report::Bound& bound : bounds) list.push_back({{"text", bound.text}, {"source", bound.source}});
  return list;
}

Json PackageJson(const report::PlannedPackage& package) {
  return {{"name", package.name},
          {"version", package.version},
          {"channel", package.channel.text()},
          {"role", base::Word(package.role)},
          {"extra", package.extra},
          {"wanted", package.wanted},
          {"present", package.present},
          {"from_source", package.from_source},
          {"was", package.was},
          {"because", BoundsJson(package.because)}};
}

Json PackagesJson(const std::vector<report::PlannedPackage>& packages) {
  Json list = Json::array();
  for (const report::PlannedPackage& package : packages) list.push_back(PackageJson(package));
  return list;
}

Json PassedJson(const std::vector<report::PassedThrough>& passed) {
  Json list = Json::array();
  for (const report::PassedThrough& one : passed) {
    list.push_back({{"name", one.name},
                    {"specifier", one.specifier},
                    {"text", one.text},
                    {"kind", base::Word(one.kind)},
                    {"editable", one.editable},
                    {"file", one.origin.file},
                    {"line", one.origin.line}});
  }
  return list;
}

}  // namespace

std::string ToJson(const report::Plan& plan, const PlanDetail& detail) {
  std::vector<report::Command> all;
  Json steps = Json::array(), conflict = Json::array(), relaxations = Json::array(), findings = Json::array(),
       not_checked = Json::array();
  for (const report::PlanStep& step : plan.steps) {
    Json one = {{"title", step.title}, {"why", step.why}, {"commands", report::Texts(step.commands)}};
    for (const report::PlanChoice& choice : step.choices) {
      one["choices"].push_back({{"how", choice.how},
                                {"commands", report::Texts(choice.commands)},
                                {"stays", choice.stays},
                                {"source", choice.source}});
    }
    steps.push_back(std::move(one));
    all.insert(all.end(), step.commands.begin(), step.commands.end());
  }
  for (const report::ConflictLine& line : plan.conflict)
    conflict.push_back({{"text", line.text}, {"source", line.source}, {"depth", line.depth}});
  for (const report::Relaxation& relaxation : plan.relaxations) {
    relaxations.push_back({{"text", relaxation.text},
                           {"option", relaxation.option},
                           {"packages", PackagesJson(relaxation.gives)}});
  }
  for (const report::Finding& finding : plan.findings) findings.push_back(FindingJson(finding));
  for (const report::NotChecked& item : plan.not_checked)
    not_checked.push_back({{"what", item.what}, {"why", item.why}});
  const auto days = base::DaysBetween(plan.knowledge_date, detail.today);
  Json knowledge = EditionJson();
  knowledge["date"] = plan.knowledge_date;
  knowledge["days"] = days ? Json(*days) : Json();
  return JsonDocument({{"schema", "culprit.plan/1"},
                       {"outcome", Name(plan.outcome)},
                       {"headline", plan.headline},
                       {"question", plan.question},
                       {"packages", PackagesJson(plan.packages)},
                       {"removed", PackagesJson(plan.removed)},
                       {"passed_through", PassedJson(plan.passed_through)},
                       {"steps", std::move(steps)},
                       {"commands", report::Texts(all)},
                       {"document", plan.document},
                       {"requirements", plan.requirements},
                       {"conflict", std::move(conflict)},
                       {"relaxations", std::move(relaxations)},
                       {"unlisted", plan.unlisted},
                       {"uncertain", plan.uncertain},
                       {"notes", plan.notes},
                       {"knowledge", std::move(knowledge)},
                       {"checked", plan.checked},
                       {"findings", std::move(findings)},
                       {"not_checked", std::move(not_checked)}});
}

}  // namespace culprit::render
