// Joins and sorts the differences. First those that a new finding mentions, because then the difference
// matters. Then those that make programs load something else, then facts by kind. A difference that follows
// from another one is listed below that one and adds its weight to it.
#include "diff/diff.h"

#include <algorithm>
#include <tuple>

#include "base/text.h"
#include "diff/parts.h"

namespace culprit::diff {
namespace {

using report::Finding;
using report::Severity;

constexpr size_t kListed = 12;  // consequences that are told one by one

void AddRemarks(Parts& parts) {
  const snapshot::Snapshot &before = parts.before.scene.snapshot, &after = parts.after.scene.snapshot;
  const auto differs = [&](const std::string& what, const std::string& was, const std::string& is) {
    if (was != is) parts.remarks.push_back(what + ": " + OrNone(was) + " and " + OrNone(is));
  };
  differs("made by different versions of culprit", before.tool_version, after.tool_version);
  differs("different machines: their CPUs are", before.cpu.machine, after.cpu.machine);
  if (before.cpu.machine == after.cpu.machine && before.cpu.isa_levels != after.cpu.isa_levels) {
    const auto best = [](const base::Cpu& cpu) {
      return cpu.isa_levels.empty() ? "" : cpu.isa_levels.front();
    };
    differs("different machines: their CPUs are", best(before.cpu), best(after.cpu));
  }
  if (parts.before.scene.OnWindows() != parts.after.scene.OnWindows())
    parts.remarks.push_back("different machines: one of them runs Windows");
}

// New files below a directory that a variable names or named: without the variable they would not be found.
void JoinToVariable(Parts& parts, size_t part) {
  for (const std::string& name : parts.list[part].names) {
    for (std::string_view above = name; above.size() > 1 && above.starts_with('/');
         above = base::DirName(above))
      parts.Explain(part, parts.Find(report::DifferenceKind::kVariable, {std::string(above)}));
  }
}

// A fact that differs because of another one, or is reported by two parts, goes below that one.
void JoinCauses(Parts& parts) {
  for (size_t i = 0; i < parts.list.size(); ++i) {
    const bool of_files = parts.list[i].difference.kind == report::DifferenceKind::kFile ||
                          parts.list[i].difference.kind == report::DifferenceKind::kCudnn ||
                          parts.list[i].difference.kind == report::DifferenceKind::kToolkit;
    if ((of_files && parts.list[i].difference.how == report::Differs::kAdded) ||
        parts.list[i].difference.kind == report::DifferenceKind::kFramework)
      JoinToVariable(parts, i);
    const report::Difference& difference = parts.list[i].difference;
    const std::vector<std::string>& names = parts.list[i].names;
    if (difference.kind == report::DifferenceKind::kFile) {
      for (const std::string& name : names) {  // of a directory its files tell
        if (!name.starts_with('/')) continue;
        const std::string owner = OwnerOf(parts, name);
        if (!owner.empty()) parts.Explain(i, parts.Find(report::DifferenceKind::kPackage, {owner}));
      }
      parts.Explain(i, parts.Find(report::DifferenceKind::kDriver, names));
      // The damage of a package and the record of files tell of the same one.
      const size_t same = parts.Find(report::DifferenceKind::kFile, {names.front()});
      if (same < i) parts.Explain(i, same);
    } else if (difference.kind == report::DifferenceKind::kCudnn ||
               difference.kind == report::DifferenceKind::kToolkit) {
      for (const std::string& name : names) {
        if (name.starts_with('/'))
          parts.Explain(i, parts.Find(report::DifferenceKind::kPackage, {OwnerOf(parts, name)}));
      }
      parts.Explain(i, parts.Find(report::DifferenceKind::kFile, names));
    } else if (difference.kind == report::DifferenceKind::kLoader &&
               difference.subject == "/etc/ld.so.cache") {
      // The cache follows the files.
      std::vector<std::string> paths;
      std::ranges::copy_if(names, std::back_inserter(paths), [&](const std::string& name) {
        return name.starts_with('/') && name != difference.subject;
      });
      parts.Explain(i, parts.Find(report::DifferenceKind::kFile, paths));
    } else if (difference.kind == report::DifferenceKind::kDriver && difference.subject.starts_with('/')) {
      parts.Explain(i, parts.Find(report::DifferenceKind::kDriver, {difference.after, difference.before}));
    }
  }
}

struct Standing {
  int score = 0;
  size_t finding = static_cast<size_t>(-1);  // the worst new one that speaks of it
  size_t count = 0;
};

// How clearly the new findings mention this part itself.
void Weigh(const Parts& parts, const std::vector<Finding>& findings, size_t part, bool itself,
           Standing& standing, std::vector<size_t>& speaking) {
  const std::vector<std::string>& names = parts.list[part].names;
  for (const std::string& name : names) {
    const auto found = parts.mentions.find(name);
    if (found == parts.mentions.end()) continue;
    for (const Mention& mention : found->second) {
      const Severity severity = findings[mention.finding].severity;
      const int most = severity == Severity::kError ? 88 : severity == Severity::kWarning ? 70 : 0;
      if (most == 0) {
        standing.score = std::max(standing.score, std::min(69, parts.list[part].difference.suspicion + 2));
      } else {
        standing.score = std::max(standing.score, most - (itself ? 0 : 4) + 3 * mention.strength);
        standing.finding = std::min(standing.finding, mention.finding);
      }
      if (std::ranges::find(speaking, mention.finding) == speaking.end()) speaking.push_back(mention.finding);
    }
  }
}

std::string WhyOf(const report::Difference& difference, const std::vector<Finding>& findings,
                  const Standing& standing, bool leads_to_loads) {
  if (standing.finding < findings.size()) {
    const Finding& finding = findings[standing.finding];
    return std::string(Name(finding.severity)) + " " + finding.code +
           " is new and mentions it: " + finding.summary;
  }
  if (leads_to_loads) return "it changes which libraries are loaded";
  if (difference.kind == report::DifferenceKind::kLoad || difference.kind == report::DifferenceKind::kRun)
    return "other libraries were loaded, or the run ended differently";
  if (difference.suspicion >= 40) return "it is part of the CUDA stack";
  return "no finding mentions it";
}

// The topmost layer of the image that touched one of these paths.
std::optional<report::Layer> TopLayer(const Side& side, const std::vector<std::string>& paths) {
  std::optional<report::Layer> top;
  for (const std::string& path : paths) {
    if (!path.starts_with('/')) continue;
    auto layer = side.layer_of(path);
    if (layer && (!top || layer->index > top->index)) top = std::move(layer);
  }
  return top;
}

// First the place of the change itself decides, then everything known by its names, then what follows from
// it. A variable comes from the configuration, which is not a layer.
std::optional<report::Layer> LayerOf(const Parts& parts, size_t root, const std::vector<size_t>& members) {
  const report::Difference& difference = parts.list[root].difference;
  if (!parts.after.layer_of || difference.kind == report::DifferenceKind::kVariable) return std::nullopt;
  // The layer that made a directory is not the one that removed a file from it.
  if (difference.how == report::Differs::kRemoved && difference.subject.starts_with('/')) {
    if (auto layer = parts.after.remover_of(difference.subject)) return layer;
  }
  if (auto layer = TopLayer(parts.after, {difference.subject, difference.after})) return layer;
  if (auto layer = TopLayer(parts.after, parts.list[root].names)) return layer;
  for (const size_t member : members) {
    if (auto layer = TopLayer(parts.after, parts.list[member].names)) return layer;
  }
  return std::nullopt;
}

// Roots with what follows from them, in order.
std::vector<report::Difference> InOrder(Parts& parts, const std::vector<Finding>& findings) {
  std::vector<std::vector<size_t>> members(parts.list.size());
  for (size_t i = 0; i < parts.list.size(); ++i) members[parts.RootOf(i)].push_back(i);
  std::vector<std::tuple<int, size_t, report::DifferenceKind, std::string, report::Difference>> ranked;
  for (size_t root = 0; root < parts.list.size(); ++root) {
    if (parts.list[root].cause != kNoPart) continue;
    report::Difference difference = parts.list[root].difference;
    Standing standing{.score = difference.suspicion};
    std::vector<size_t> speaking;
    Weigh(parts, findings, root, true, standing, speaking);
    bool leads_to_loads = false;
    std::vector<std::pair<int, std::string>> effects;
    for (const size_t member : members[root]) {
      if (member == root) continue;
      const report::Difference& effect = parts.list[member].difference;
      Weigh(parts, findings, member, false, standing, speaking);
      standing.score = std::max(standing.score, effect.suspicion - 2);
      leads_to_loads |=
          effect.kind == report::DifferenceKind::kLoad || effect.kind == report::DifferenceKind::kRun;
      effects.emplace_back(-effect.suspicion, effect.summary);
    }
    std::ranges::sort(effects);
    std::vector<std::string> lines;
    for (auto& [order, line] : effects) lines.push_back(std::move(line));
    for (std::string& line : difference.leads_to) lines.push_back(std::move(line));
    difference.more = lines.size() > kListed ? lines.size() - kListed : 0;
    lines.resize(std::min(lines.size(), kListed));
    difference.leads_to = std::move(lines);
    difference.suspicion = std::clamp(standing.score, 0, 100);
    std::ranges::sort(speaking);
    for (const size_t finding : speaking) {
      if (std::ranges::find(difference.findings, findings[finding].code) == difference.findings.end())
        difference.findings.push_back(findings[finding].code);
    }
    difference.why = WhyOf(difference, findings, standing, leads_to_loads);
    difference.layer = LayerOf(parts, root, members[root]);
    ranked.emplace_back(-difference.suspicion, standing.finding, difference.kind, difference.subject,
                        std::move(difference));
  }
  std::ranges::sort(ranked, [](const auto& a, const auto& b) {
    return std::tie(std::get<0>(a), std::get<1>(a), std::get<2>(a), std::get<3>(a)) <
           std::tie(std::get<0>(b), std::get<1>(b), std::get<2>(b), std::get<3>(b));
  });
  std::vector<report::Difference> ordered;
  for (auto& entry : ranked) ordered.push_back(std::move(std::get<4>(entry)));
  return ordered;
}

// An error that no difference explains still gets a line.
void AddUnexplained(std::vector<report::Difference>& differences, const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) {
    if (finding.severity == Severity::kNote) continue;
    const bool told = std::ranges::any_of(differences, [&](const report::Difference& difference) {
      return std::ranges::find(difference.findings, finding.code) != difference.findings.end();
    });
    if (told) continue;
    report::Difference difference{.how = report::Differs::kAdded,
                                  .kind = report::DifferenceKind::kFinding,
                                  .subject = finding.subject,
                                  .summary = finding.summary,
                                  .before = "not found",
                                  .after = std::string(Name(finding.severity)) + " " + finding.code,
                                  .why = "new finding; no recorded difference explains it",
                                  .suspicion = finding.severity == Severity::kError ? 87 : 69,
                                  .findings = {finding.code},
                                  .layer = finding.layer};
    const auto place = std::ranges::find_if(
        differences, [&](const report::Difference& other) { return other.suspicion < difference.suspicion; });
    differences.insert(place, std::move(difference));
  }
}

std::string Counted(size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string Headline(const report::DiffReport& report) {
  const auto bad = [](const std::vector<Finding>& findings) {
    return static_cast<size_t>(
        std::ranges::count_if(findings, [](const Finding& f) { return f.severity != Severity::kNote; }));
  };
  const size_t come = bad(report.new_findings), gone = bad(report.gone_findings);
  if (report.differences.empty()) {
    return report.not_compared.empty() ? "nothing changed"
                                       : "nothing changed in the parts that could be compared";
  }
  const report::Difference& first = report.differences.front();
  if (come > 0) {
    std::string codes;
    for (const std::string& code : first.findings) codes += (codes.empty() ? " (" : ", ") + code;
    return "most likely: " + first.summary + (codes.empty() ? "" : codes + ")");
  }
  if (first.suspicion < 20) return "no relevant change";
  if (gone > 0) return Counted(gone, "finding") + " fewer; most likely: " + first.summary;
  const bool lost_sight =
      report.verdict_after == report::Verdict::kUnknown && report.verdict_before != report::Verdict::kUnknown;
  return std::string("no new finding") + (lost_sight ? ", but AFTER could not be checked" : "") +
         "; most likely: " + first.summary;
}

}  // namespace

report::DiffReport Diff(const Side& before, const Side& after) {
  report::DiffReport report;
  report.verdict_before = before.check.verdict;
  report.verdict_after = after.check.verdict;
  FindingChange change = CompareFindings(before.check.findings, after.check.findings);
  const Mentions mentions = MentionsOf(change.new_findings);
  Parts parts(before, after, mentions);
  AddRemarks(parts);
  AddVariables(parts);
  AddDriver(parts);
  AddLibraries(parts);
  AddPython(parts);
  AddContext(parts);
  AddFiles(parts);
  JoinCauses(parts);
  AddLoads(parts);
  AddRuns(parts);
  report.differences = InOrder(parts, change.new_findings);
  AddUnexplained(report.differences, change.new_findings);
  report.remarks = std::move(parts.remarks);
  report.not_compared = std::move(parts.not_compared);
  for (const report::NotChecked& item : after.check.not_checked) {
    if (!parts.reasons.contains(item.why) &&
        std::ranges::find(before.check.not_checked, item) == before.check.not_checked.end())
      report.not_compared.push_back(item);
  }
  report.new_findings = std::move(change.new_findings);
  report.gone_findings = std::move(change.gone_findings);
  report.same_findings = change.same;
  report.windows = before.scene.OnWindows() || after.scene.OnWindows();
  report.headline = Headline(report);
  return report;
}

}  // namespace culprit::diff
