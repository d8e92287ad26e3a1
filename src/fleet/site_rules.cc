#include "fleet/site_rules.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "base/node_set.h"
#include "base/text.h"

namespace culprit::fleet {
namespace {

using policy::Kind;
using report::NodeFact;

// The words of a brief (docs/fleet.md). A fact begins with what it is; a value with a version or a name, and
// what follows a comma are details.
constexpr std::string_view kNone = "none";
constexpr std::string_view kCapabilityWords = "compute capability ";

bool BeginsWithNumber(std::string_view text) {
  return !text.empty() && text.front() >= '0' && text.front() <= '9';
}

std::string_view FirstOf(std::string_view value) { return value.substr(0, value.find(", ")); }

class BriefReader {
 public:
  policy::Facts Read(const std::vector<NodeFact>& facts, const report::LeftOut& left_out) {
    for (const NodeFact& fact : facts) ReadFact(fact);
    AddWhatEveryNodeHas();
    for (size_t i = 0; left_out.any && i < policy::WordsOf(Kind{}).size(); ++i) {
      const auto kind = static_cast<Kind>(i);
      if (left_out.after.empty() || kind == Kind::kPackage)
        AddUnknown(kind, "left out of the brief snapshot because of its size limit");
    }
    return std::move(facts_);
  }

 private:
  void Add(policy::Fact fact) {
    seen_[fact.kind] = true;
    facts_.all.push_back(std::move(fact));
  }
  void AddUnknown(Kind kind, std::string_view why) {
    facts_.unknown.try_emplace(kind, policy::Unknown{std::string(why), false});
  }
  // None, or unknown.
  void AddNone(Kind kind, std::string_view value) {
    seen_[kind] = true;
    if (value != kNone) AddUnknown(kind, value);
  }

  void ReadFact(const NodeFact& fact) {
    static const std::map<std::string_view, Kind> kWhole = {{"system", Kind::kSystem},
                                                            {"kernel", Kind::kKernel},
                                                            {"CPU", Kind::kCpu},
                                                            {"container", Kind::kContainer},
                                                            {"virtual machine", Kind::kVirtualMachine},
                                                            {"secure boot", Kind::kSecureBoot},
                                                            {"driver: libcuda", Kind::kLibcuda}};
    static const std::map<std::string_view, Kind> kFirst = {
        {"GPU", Kind::kGpu},       {"toolkit", Kind::kToolkit}, {"cuDNN", Kind::kCudnn},
        {"Python", Kind::kPython}, {"package", Kind::kPackage}, {"variable", Kind::kVariable}};
    if (const auto whole = kWhole.find(fact.what); whole != kWhole.end())
      return Add({.kind = whole->second, .value = fact.value});
    if (fact.what == report::kDriverFact) {
      const bool version = BeginsWithNumber(fact.value);
      return version ? Add({.kind = Kind::kDriver, .value = fact.value}) : AddNone(Kind::kDriver, fact.value);
    }
    const std::string_view first = std::string_view(fact.what).substr(0, fact.what.find(' '));
    const auto kind = kFirst.find(first);
    if (kind == kFirst.end()) return ReadFramework(fact);
    const std::string_view rest =
        std::string_view(fact.what).substr(std::min(first.size() + 1, fact.what.size()));
    if (rest.empty()) return AddNone(kind->second, fact.value);
    ReadNamed(kind->second, rest, fact.value);
  }

  void ReadNamed(Kind kind, std::string_view rest, const std::string& value) {
    const size_t in = std::min(rest.find(" in "), rest.size());
    switch (kind) {
      case Kind::kGpu:
        return ReadGpu(std::string(rest), value);
      case Kind::kVariable:
        return Add({.kind = kind, .name = std::string(rest), .value = value});
      case Kind::kPackage:
        return Add({.kind = kind,
                    .name = std::string(rest.substr(0, in)),
                    .value = value,
                    .where = std::string(rest.substr(std::min(in + 4, rest.size())))});
      default:
        return Add({.kind = kind, .value = Version(FirstOf(value)), .where = std::string(rest)});
    }
  }

  // "NVIDIA L4, compute capability 8.9, passed through"
  void ReadGpu(const std::string& number, const std::string& value) {
    policy::Fact model{.kind = Kind::kGpu, .name = number},
        capability{.kind = Kind::kCapability, .name = number};
    for (const std::string& word : base::Split(value, ',')) {
      const std::string_view part = base::Trim(word);
      if (part.starts_with(kCapabilityWords)) {
        capability.value = part.substr(kCapabilityWords.size());
      } else if (model.value.empty() && capability.value.empty()) {
        model.value = part;
      }
    }
    Add(std::move(model));
    Add(std::move(capability));
  }

  // "torch in /opt/venv", and "torch in /opt/venv: cuDNN" with the value "9.1.0 (/opt/venv/lib)".
  void ReadFramework(const NodeFact& fact) {
    const size_t in = fact.what.find(" in ");
    if (in == fact.what.npos || fact.what.contains(report::kPartFacts)) return;
    const std::string_view where = std::string_view(fact.what).substr(in + 4);
    const size_t colon = where.rfind(": ");
    if (colon == where.npos)
      return Add({.kind = Kind::kFramework,
                  .name = fact.what.substr(0, in),
                  .value = Version(FirstOf(fact.value)),
                  .where = std::string(where)});
    const size_t place = std::min(fact.value.find(" ("), fact.value.size());
    const bool closed = place < fact.value.size() && fact.value.ends_with(')');
    Add({.kind = Kind::kLoaded,
         .name = std::string(where.substr(colon + 2)),
         .value = Version(fact.value.substr(0, place)),
         .where = closed ? fact.value.substr(place + 2, fact.value.size() - place - 3) : "",
         .by = fact.what.substr(0, in + 4 + colon)});
  }

  // "" for words that say that it is not known.
  static std::string Version(std::string_view value) {
    return std::string(BeginsWithNumber(value) ? value : std::string_view());
  }

  // If a brief snapshot lacks these, they are unknown.
  void AddWhatEveryNodeHas() {
    for (const Kind kind : {Kind::kDriver, Kind::kGpu, Kind::kToolkit, Kind::kCudnn, Kind::kPython,
                            Kind::kSystem, Kind::kKernel, Kind::kCpu, Kind::kSecureBoot}) {
      if (!seen_[kind]) AddUnknown(kind, "not in the brief snapshot");
    }
    const auto follow = [&](Kind of, Kind kind) {
      if (const auto unknown = facts_.unknown.find(of); unknown != facts_.unknown.end())
        AddUnknown(kind, unknown->second.why);
    };
    follow(Kind::kDriver, Kind::kLibcuda);
    follow(Kind::kGpu, Kind::kCapability);
    for (const Kind kind : {Kind::kPackage, Kind::kFramework, Kind::kLoaded}) follow(Kind::kPython, kind);
  }

  policy::Facts facts_;
  std::map<Kind, bool> seen_;
};

}  // namespace

policy::Facts FactsOf(const std::vector<NodeFact>& facts, const report::LeftOut& left_out) {
  return BriefReader().Read(facts, left_out);
}

void AddSiteRules(const policy::Policy& policy, report::FleetReport& report) {
  using Pair = std::pair<std::string, std::string>;
  std::map<Pair, report::FleetFinding> findings;     // by code and subject, as those of the nodes
  std::map<Pair, std::vector<std::string>> lacking;  // by what and why
  const auto append = [](std::vector<std::string>& nodes, const std::vector<std::string>& more) {
    nodes.insert(nodes.end(), more.begin(), more.end());
  };
  for (const report::FleetGroup& group : report.groups) {
    const policy::Facts facts = FactsOf(group.stack, group.left_out);
    bool blind = false;
    for (const policy::Ruling& ruling : policy::Judge(policy, facts)) {
      blind |= ruling.rule->severity == report::Severity::kError && !ruling.lacking.empty();
      for (const report::NotChecked& item : ruling.lacking)
        append(lacking[{item.what, item.why}], group.nodes);
      if (!ruling.finding) continue;
      const report::Finding& found = *ruling.finding;
      const auto [at, fresh] = findings.try_emplace(
          Pair(found.code, found.subject),
          report::FleetFinding{found.code, found.cause, found.severity, found.summary, found.subject, {}});
      if (!fresh && at->second.summary != found.summary)
        at->second.summary = ruling.rule->text;  // true of all
      append(at->second.nodes, group.nodes);
    }
    if (blind) append(report.unjudged, group.nodes);
  }
  report.unjudged = base::SortedNodes(std::move(report.unjudged));
  for (auto& [key, finding] : findings) {
    finding.nodes = base::SortedNodes(std::move(finding.nodes));
    report.findings.push_back(std::move(finding));
  }
  for (auto& [key, nodes] : lacking) {
    nodes = base::SortedNodes(std::move(nodes));
    report.not_checked.push_back({key.first, key.second, std::move(nodes)});
  }
}

}  // namespace culprit::fleet
