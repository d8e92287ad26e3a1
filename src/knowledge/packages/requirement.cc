// The grammar is that of nvidia-container-cli, which `docker run --gpus` and the legacy mode of the runtime
// ask (NVIDIA/libnvidia-container, src/cli/dsl.c, src/cli/configure.c): OR of ANDs of "property operator
// value", from left to right, for each GPU. It stops with an error at a condition that it does not know; the
// mode for Jetson (NVIDIA/nvidia-container-toolkit, internal/requirements) skips that, so there is no answer.
//
// NVML names the brand of a GPU, and libnvidia-container (src/driver.c) has words for some of them and calls
// the others "unknown"; which ones depends on its version. nvidia-smi -q shows GeForce for GeForce RTX 2080
// to 5090, NVIDIA for T4, H100 and GH200, NVIDIA RTX for RTX A2000 ("Product Brand" in public bug reports).
#include "knowledge/packages/requirement.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "knowledge/arch.h"

namespace culprit::knowledge {
namespace {

using Alternative = RequirementAlternative;

constexpr auto kBrands = std::to_array<std::string_view>(
    {"unknown", "quadro", "tesla", "nvs", "grid", "geforce", "titan", "vapps", "vpc", "vcs", "vws",
     "cloudgaming", "quadrortx", "nvidiartx", "nvidia", "geforcertx", "titanrtx"});
constexpr auto kOfGeForce = std::to_array<std::string_view>({"geforce", "geforcertx"});
constexpr auto kOfTitan = std::to_array<std::string_view>({"titan", "titanrtx", "unknown"});
constexpr auto kOfDataCentre = std::to_array<std::string_view>({"nvidia", "tesla", "unknown"});
constexpr auto kOfQuadro = std::to_array<std::string_view>({"quadro", "quadrortx", "unknown"});

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

enum class ConditionOperator { kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual };
constexpr std::array<std::pair<std::string_view, ConditionOperator>, 6> kOperators = {
    {{"=", ConditionOperator::kEqual},
     {"!=", ConditionOperator::kNotEqual},
     {"<", ConditionOperator::kLess},
     {"<=", ConditionOperator::kLessEqual},
     {">", ConditionOperator::kGreater},
     {">=", ConditionOperator::kGreaterEqual}}};
constexpr std::array<std::pair<std::string_view, RequirementProperty>, 4> kProperties = {
    {{"cuda", RequirementProperty::kCuda},
     {"driver", RequirementProperty::kDriver},
     {"arch", RequirementProperty::kArch},
     {"brand", RequirementProperty::kBrand}}};

struct ParsedCondition {
  RequirementProperty property = RequirementProperty::kCuda;
  ConditionOperator op = ConditionOperator::kEqual;
  base::Version version{};  // of the others
  std::string brand{};      // lower-case
  std::string_view text{};
};

// nullopt for one that the runtime does not understand.
std::optional<ParsedCondition> ParseCondition(std::string_view text) {
  const size_t at = text.find_first_of("<>=!");
  if (at == 0 || at == std::string_view::npos) return std::nullopt;
  const size_t end = std::min(text.find_first_not_of("<>=!", at), text.size());
  const std::string name = LowerCase(text.substr(0, at));
  const auto property =
      std::ranges::find(kProperties, name, &std::pair<std::string_view, RequirementProperty>::first);
  const auto op = std::ranges::find(kOperators, text.substr(at, end - at),
                                    &std::pair<std::string_view, ConditionOperator>::first);
  const std::string_view value = text.substr(end);
  if (property == kProperties.end() || op == kOperators.end() || value.empty()) return std::nullopt;
  ParsedCondition condition{.property = property->second, .op = op->second, .text = text};
  if (condition.property == RequirementProperty::kBrand) {
    if (condition.op != ConditionOperator::kEqual && condition.op != ConditionOperator::kNotEqual)
      return std::nullopt;
    condition.brand = LowerCase(value);
    return condition;
  }
  const auto version = base::Version::Parse(value);
  if (!version) return std::nullopt;
  condition.version = *version;
  return condition;
}

Met ToMet(bool met) { return met ? Met::kYes : Met::kNo; }

bool CompareVersions(const base::Version& a, ConditionOperator op, const base::Version& b) {
  switch (op) {
    case ConditionOperator::kEqual:
      return a == b;
    case ConditionOperator::kNotEqual:
      return a != b;
    case ConditionOperator::kLess:
      return a < b;
    case ConditionOperator::kLessEqual:
      return a <= b;
    case ConditionOperator::kGreater:
      return a > b;
    case ConditionOperator::kGreaterEqual:
      return a >= b;
  }
  return false;
}

// Of a driver that is newer than the tables: it supports at least `known`.
Met CompareAtLeast(const base::Version& known, ConditionOperator op, const base::Version& wanted) {
  if (known > wanted) {
    if (op == ConditionOperator::kGreater || op == ConditionOperator::kGreaterEqual ||
        op == ConditionOperator::kNotEqual)
      return Met::kYes;
    return Met::kNo;
  }
  if (known == wanted && (op == ConditionOperator::kGreaterEqual || op == ConditionOperator::kLess))
    return ToMet(op == ConditionOperator::kGreaterEqual);
  return Met::kUnknown;
}

Met CheckCondition(const ParsedCondition& condition, const RequirementFacts& facts, const RequirementGpu& gpu,
                   std::span<const std::string_view> brands) {
  const auto compare = [&](const std::optional<base::Version>& have) {
    return have ? ToMet(CompareVersions(*have, condition.op, condition.version)) : Met::kUnknown;
  };
  switch (condition.property) {
    case RequirementProperty::kCuda:
      return facts.cuda && facts.cuda_at_least ? CompareAtLeast(*facts.cuda, condition.op, condition.version)
                                               : compare(facts.cuda);
    case RequirementProperty::kDriver:
      return compare(facts.driver);
    case RequirementProperty::kArch:
      return compare(gpu.arch);
    case RequirementProperty::kBrand:
      break;
  }
  const bool named = std::ranges::find(brands, condition.brand) != brands.end();
  if (named && brands.size() > 1) return Met::kUnknown;
  return ToMet(named == (condition.op == ConditionOperator::kEqual));
}

// nullopt: one that the runtime does not understand.
using ConditionList = std::vector<std::optional<ParsedCondition>>;

struct ParsedRequirement {
  std::vector<ConditionList> alternatives{};
  std::string_view not_understood{};  // the first condition of that kind
};

std::vector<std::string_view> SplitAt(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(separator, at), text.size());
    if (end > at) pieces.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return pieces;
}

ParsedRequirement ReadRequirement(std::string_view text) {
  ParsedRequirement requirement;
  for (const std::string_view alternative : SplitAt(text, ' ')) {
    ConditionList conditions;
    for (const std::string_view piece : SplitAt(alternative, ',')) {
      conditions.push_back(ParseCondition(piece));
      if (!conditions.back() && requirement.not_understood.empty()) requirement.not_understood = piece;
    }
    if (!conditions.empty()) requirement.alternatives.push_back(std::move(conditions));
  }
  return requirement;
}

// nullopt: the runtime comes to a condition that it does not understand, and ends.
std::optional<Met> AllHold(const ConditionList& conditions, const RequirementFacts& facts,
                           const RequirementGpu& gpu, std::string_view brand) {
  Met all = Met::kYes;
  for (const std::optional<ParsedCondition>& condition : conditions) {
    if (!condition) return std::nullopt;
    const Met met = CheckCondition(*condition, facts, gpu, std::span(&brand, 1));
    if (met == Met::kNo) return met;
    if (met == Met::kUnknown) all = met;
  }
  return all;
}

Met ForBrand(const ParsedRequirement& requirement, const RequirementFacts& facts, const RequirementGpu& gpu,
             std::string_view brand) {
  bool unknown = false;
  for (const ConditionList& conditions : requirement.alternatives) {
    const auto met = AllHold(conditions, facts, gpu, brand);
    if (!met) return Met::kUnknown;
    if (*met == Met::kYes) return *met;
    unknown |= *met == Met::kUnknown;
  }
  if (unknown) return Met::kUnknown;
  return requirement.alternatives.empty() ? Met::kYes : Met::kNo;
}

std::span<const std::string_view> BrandsOfGpu(const RequirementGpu& gpu) {
  return gpu.brands.empty() ? std::span<const std::string_view>(kBrands) : gpu.brands;
}

Met ForGpu(const ParsedRequirement& requirement, const RequirementFacts& facts, const RequirementGpu& gpu) {
  std::optional<Met> all;
  for (const std::string_view brand : BrandsOfGpu(gpu)) {
    const Met met = ForBrand(requirement, facts, gpu, brand);
    if (all && met != *all) return Met::kUnknown;
    all = met;
  }
  return *all;
}

std::vector<Alternative> ProofOf(const ParsedRequirement& requirement, const RequirementFacts& facts,
                                 const RequirementGpu& gpu) {
  std::vector<Alternative> proof;
  for (const ConditionList& conditions : requirement.alternatives) {
    Alternative& alternative = proof.emplace_back();
    for (const std::optional<ParsedCondition>& condition : conditions) {
      if (!condition) break;  // one before it does not hold
      alternative.push_back(
          {condition->property, condition->text, CheckCondition(*condition, facts, gpu, BrandsOfGpu(gpu))});
    }
  }
  return proof;
}

}  // namespace

std::span<const std::string_view> BrandsOf(std::string_view name, const std::optional<base::Version>& arch) {
  const std::string lower = LowerCase(name);
  const auto has = [&](std::string_view word) { return lower.find(word) != std::string::npos; };
  if (has("geforce")) return kOfGeForce;
  if (has("titan")) return kOfTitan;
  if (has("quadro")) return kOfQuadro;
  const auto data_centre = arch ? IsDataCentreGpu(*arch, name) : std::nullopt;
  if (data_centre == true) return kOfDataCentre;
  return data_centre == false ? std::span<const std::string_view>(kOfGeForce) : kBrands;
}

RequirementAnswer EvaluateRequirement(std::string_view text, const RequirementFacts& facts) {
  const ParsedRequirement requirement = ReadRequirement(text);
  const std::vector<RequirementGpu> any(1);
  const std::vector<RequirementGpu>& gpus = facts.gpus.empty() ? any : facts.gpus;
  RequirementAnswer answer;
  for (size_t i = 0; i < gpus.size(); ++i) {
    const Met met = ForGpu(requirement, facts, gpus[i]);
    if (met == Met::kNo) return {.met = met, .alternatives = ProofOf(requirement, facts, gpus[i]), .gpu = i};
    if (met == Met::kUnknown) answer = {.met = met, .gpu = i, .not_understood = requirement.not_understood};
  }
  return answer;
}

bool IsTrueForToolkit(std::string_view value) {
  static constexpr auto kTrueWords = std::to_array<std::string_view>({"1", "t", "T", "true", "TRUE", "True"});
  return std::ranges::find(kTrueWords, value) != kTrueWords.end();
}

}  // namespace culprit::knowledge
