#include "rules/rule.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "base/windows/path.h"

namespace culprit::rules {

std::string_view Scene::Variable(const std::string& name) const {
  const auto found = snapshot.environment.find(name);
  return found == snapshot.environment.end() ? std::string_view() : found->second;
}

std::string Scene::PathOf(std::string_view text) const {
  return OnWindows() ? base::FromWindowsPath(text, snapshot.working_directory) : base::CleanPath(text);
}

const snapshot::PythonEnvironment* Scene::EnvironmentOf(const loader::Scenario& scenario) const {
  if (!stack().environments || scenario.environment >= stack().environments->size()) return nullptr;
  return &(*stack().environments)[scenario.environment];
}

const snapshot::Framework* Scene::FrameworkOf(const loader::Scenario& scenario) const {
  const snapshot::PythonEnvironment* environment = EnvironmentOf(scenario);
  if (environment == nullptr || scenario.framework >= environment->frameworks.size()) return nullptr;
  return &environment->frameworks[scenario.framework];
}

namespace {

// What most rules of a family explain.
Explains UsuallyExplains(Family family) {
  switch (family) {
    case Family::kDriver:
      return Explains::kCudaStart | Explains::kNvml | Explains::kFramework;
    case Family::kVisibility:
      return Explains::kCudaStart;
    case Family::kCudnn:
      return Explains::kCudnnFiles | Explains::kFramework;
    case Family::kToolkit:
      return Explains::kCudaFiles | Explains::kFramework;
    case Family::kLoading:
      return Explains::kDriverFiles | Explains::kCudaFiles | Explains::kCudnnFiles | Explains::kFramework;
    case Family::kPython:
    case Family::kGpuCode:
      return Explains::kFramework;
    case Family::kBuilding:
    case Family::kLive:
    case Family::kSite:
      return Explains::kNothing;
  }
  return Explains::kNothing;
}

}  // namespace

bool Rule::CanExplain(Explains failure) const {
  const Explains all = explains.value_or(UsuallyExplains(family));
  return (static_cast<uint16_t>(all) & static_cast<uint16_t>(failure)) != 0;
}

report::Finding& Ruling::Fire(std::string summary, std::string subject, std::vector<std::string> about) {
  return findings_.emplace_back(report::Finding{.code = std::string(rule_.code),
                                                .cause = std::string(rule_.cause),
                                                .family = rule_.family,
                                                .root = rule_.root,
                                                .by_size = rule_.by_size,
                                                .severity = rule_.severity,
                                                .summary = std::move(summary),
                                                .subject = std::move(subject),
                                                .about = std::move(about)});
}

void Ruling::NotEnoughFacts(std::string what, std::string why, bool of_host) {
  not_checked_.push_back({std::move(what), std::move(why), of_host});
}

void Ruling::Remark(std::string what, std::string why) {
  remarks_.push_back({std::move(what), std::move(why)});
}

bool AppliesTo(const Rule& rule, const Scene& scene) {
  if (rule.looks_at != LooksAt::kBoth &&
      (rule.looks_at == LooksAt::kRecipe) != scene.stack().recipes.value.has_value())
    return false;
  return rule.where == Where::kEverywhere || (rule.where == Where::kWindows) == scene.OnWindows();
}

const Rule* FindRule(std::string_view code) {
  const auto same = [](char a, char b) {
    return std::toupper(static_cast<unsigned char>(a)) == std::toupper(static_cast<unsigned char>(b));
  };
  for (const Rule* rule : AllRules()) {
    if (std::ranges::equal(rule->code, code, same)) return rule;
  }
  return nullptr;
}

}  // namespace culprit::rules
