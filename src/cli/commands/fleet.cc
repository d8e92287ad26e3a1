// culprit fleet run ... | fleet report DIR... | fleet diff BEFORE AFTER
#include "render/fleet/fleet.h"

#include <algorithm>
#include <utility>

#include "base/edition.h"
#include "base/lines.h"
#include "base/shell_word.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/fleet/brief.h"
#include "cli/fleet/fleet_run.h"
#include "cli/options.h"
#include "cli/page_facts.h"
#include "cli/policy.h"
#include "cli/progress.h"
#include "fleet/diff.h"
#include "fleet/merge.h"
#include "fleet/pieces.h"
#include "render/fleet/diff.h"

namespace culprit::cli {
namespace {

constexpr uint64_t kMostBytesOfFile = uint64_t{1} << 30;  // the briefs of many nodes, a line each
constexpr size_t kMostBadLines = 1000;                    // rows of one file

struct FleetOptions {
  Options common;
  std::vector<std::string> words;  // the action, and what it is about
  std::string baseline;
  std::string policy;
  std::string hosts;
  std::string srun;  // options for it
  std::string name_space = "kube-system", selector = "app.kubernetes.io/name=culprit";
  std::vector<std::string> with, programs;
  int seconds = 60;
  bool slurm = false, clush = false, kubernetes = false;
  bool strict = false;
};

// A file contains one brief snapshot, or one per line. Any other line becomes a row of the answer.
void AddFile(const system::System& host, const std::string& path, fleet::Merge& fleet) {
  const std::string name(base::BaseName(path));
  const auto bytes = system::ReadWholeFile(host, path, kMostBytesOfFile);
  if (!bytes) {
    const auto status = host.Stat(path);
    const bool file = !status || status->type == system::FileType::kRegular;
    return fleet.AddDamaged(name, file ? std::string(base::Strerror(bytes.error())) : "not a file");
  }
  size_t number = 0, damaged = 0;
  bool any = false;
  fleet::Pieces pieces;
  std::string_view rest = *bytes, line;
  while (base::NextLine(rest, line)) {
    ++number;
    if (base::Trim(line).empty()) continue;
    any = true;
    if (pieces.Add(line)) continue;
    if (const auto brief = fleet::ReadBrief(line)) {
      fleet.Add(*brief);
    } else if (++damaged <= kMostBadLines) {
      fleet.AddDamaged(name + ":" + std::to_string(number), brief.error().message);
    }
  }
  if (damaged > kMostBadLines)
    fleet.AddDamaged(name, std::to_string(damaged - kMostBadLines) + " more lines are not brief snapshots");
  for (const fleet::Pieces::Whole& whole : pieces.Take()) {
    if (const auto brief = fleet::ReadBrief(whole.line)) {
      fleet.Add(*brief);
    } else {
      fleet.AddDamaged(whole.node, "its answer arrived incomplete");
    }
  }
  if (!any) fleet.AddDamaged(name, "empty");
}

// All files of a folder, or one file.
base::Result<void> AddPlace(const std::string& place, fleet::Merge& fleet) {
  const auto host = system::RealSystem();
  const std::string path = PathOnMachine(*host, place);
  const auto status = host->Stat(path);
  if (!status)
    return base::Fail(base::ErrorCode::kNotReadable,
                      base::Printable(place) + ": " + std::string(base::Strerror(status.error())));
  if (status->type != system::FileType::kDirectory) return AddFile(*host, path, fleet), base::Result<void>();
  const auto entries = host->List(path);
  if (!entries)
    return base::Fail(base::ErrorCode::kNotReadable,
                      base::Printable(place) + ": " + std::string(base::Strerror(entries.error())));
  for (const system::DirectoryEntry& entry : *entries) {
    const bool ours = !entry.name.starts_with('.') && entry.type != system::FileType::kDirectory;
    if (ours) AddFile(*host, path + "/" + entry.name, fleet);
  }
  return {};
}

base::Result<std::optional<fleet::Brief>> BaselineOf(const std::string& named, const fleet::Merge& fleet) {
  if (named.empty()) return std::optional<fleet::Brief>();
  if (auto brief = fleet.BriefOf(named)) return brief;
  const auto host = system::RealSystem();
  const auto bytes = system::ReadWholeFile(*host, PathOnMachine(*host, named), fleet::kMostBytes);
  if (!bytes)
    return base::Fail(base::ErrorCode::kNotReadable,
                      base::Printable(named) + ": neither a node that answered nor a readable file");
  auto brief = fleet::ReadBrief(base::Trim(*bytes));
  if (!brief) return base::Fail(brief.error().code, base::Printable(named) + ": " + brief.error().message);
  return std::optional(*std::move(brief));
}

int Report(const FleetOptions& options) {
  const auto policy = ReadPolicy(PolicyNamed(options.policy));
  if (!policy) return FailOfPolicy(policy.error());
  Progress progress(!options.common.quiet);
  fleet::Merge fleet;
  for (size_t i = 1; i < options.words.size(); ++i) {
    progress.Show("reading " + base::Printable(options.words[i]));
    if (auto added = AddPlace(options.words[i], fleet); !added) return Fail(added.error());
  }
  const auto baseline = BaselineOf(options.baseline, fleet);
  if (!baseline) return Fail(baseline.error());
  const report::FleetReport report = fleet.Report(*baseline, policy->get());
  if (report.nodes == 0 && report.unreachable.empty())
    return Fail(
        {base::ErrorCode::kNotReadable, "no brief snapshots found; collect them with culprit fleet run"});
  const auto page = [&] {
    render::PageFacts facts = FactsForFleet();
    facts.rules_url = RulesUrl(options.common);
    return facts;
  };
  const bool written =
      Write(options.common,
            {.title = "culprit fleet",
             .text = [&](const auto& style) { return render::ToText(report, style, options.common.verbose); },
             .json = [&] { return render::ToJson(report); },
             .markdown = [&] { return render::ToMarkdown(report); },
             .html = [&] { return render::ToHtml(report, page()); },
             .prometheus = [&] { return render::ToPrometheus(report, base::Now()); }});
  return written ? VerdictStatus(report.verdict, options.strict) : kExitCannot;
}

int Diff(const FleetOptions& options) {
  if (!options.policy.empty() || !options.baseline.empty())
    return WrongUsage("fleet", "--policy and --baseline work only with fleet report");
  if (options.common.format == Format::kHtml || options.common.format == Format::kPrometheus)
    return WrongUsage(
        "fleet",
        "diff: use --format text, json or markdown; html and prometheus work only with fleet report");
  Progress progress(!options.common.quiet);
  fleet::Merge sides[2];
  for (size_t i = 0; i < 2; ++i) {
    const std::string& place = options.words[i + 1];
    progress.Show("reading " + base::Printable(place));
    if (auto added = AddPlace(place, sides[i]); !added) return Fail(added.error());
    if (sides[i].nodes().empty() && sides[i].damaged().empty())
      return Fail({base::ErrorCode::kNotReadable, base::Printable(place) + ": no brief snapshots found"});
  }
  report::FleetDiffReport report = fleet::Diff(sides[0], sides[1]);
  report.before = options.words[1];
  report.after = options.words[2];
  const bool written =
      Write(options.common,
            {.title = "culprit fleet diff",
             .text = [&](const auto& style) { return render::ToText(report, style, options.common.verbose); },
             .json = [&] { return render::ToJson(report); },
             .markdown = [&] { return render::ToMarkdown(report); }});
  return written ? VerdictStatus(report.verdict, options.strict) : kExitCannot;
}

// Every node is checked. `-- probe` says what --live does, and `-- check` or `-- snapshot` nothing new.
std::vector<std::string> AskedOfNodes(std::vector<std::string> words) {
  const std::string first = words.empty() ? "" : words.front();
  if (first == "probe") words.front() = "--live";
  if (first == "check" || first == "snapshot") words.erase(words.begin());
  return words;
}

int Run(const FleetOptions& options) {
  if (system::RealSystem()->platform() != base::Platform::kLinux)
    return WrongUsage("fleet", "run: works on Linux only; fleet report works everywhere");
  if (options.slurm + options.clush + options.kubernetes > 1)
    return WrongUsage("fleet", "run: use only one of --slurm, --clush and --kubernetes");
  if (!options.slurm && !options.kubernetes && options.hosts.empty())
    return WrongUsage("fleet", "run: name the nodes with --hosts n[001-016], --slurm or --kubernetes");
  if (options.kubernetes && !options.programs.empty())
    return WrongUsage(
        "fleet", "run: --program cannot be used with --kubernetes: the pods already contain the program");
  if (options.common.output.empty())
    return WrongUsage("fleet", "run: name the folder for the answers: -o DIR");
  const std::vector<std::string> ask = AskedOfNodes({options.words.begin() + 1, options.words.end()});
  if (const auto status = WrongForNodes(ask, options.kubernetes)) return *status;
  auto words = base::SplitShellWords(options.srun);
  if (!words) return WrongUsage("fleet", "run: --slurm: " + words.error().message);
  words->insert(words->end(), options.with.begin(), options.with.end());
  return AskFleet({.common = options.common,
                   .engine = options.slurm        ? FleetEngine::kSlurm
                             : options.clush      ? FleetEngine::kClush
                             : options.kubernetes ? FleetEngine::kKubernetes
                                                  : FleetEngine::kSsh,
                   .hosts = options.hosts,
                   .name_space = options.name_space,
                   .selector = options.selector,
                   .words = *std::move(words),
                   .ask = ask,
                   .programs = options.programs,
                   .seconds = options.seconds});
}

void AddRunOptions(CommandLine& app, FleetOptions& options) {
  app.Add("--hosts", options.hosts,
          "run: ask these nodes, over ssh unless another option says otherwise: n[001-128],login", "NODES");
  app.Add("--slurm", options.slurm, options.srun,
          "run: ask through srun: the nodes of --hosts, or those that srun allocates with OPTIONS: "
          "--slurm='-N16 -p gpu'",
          "OPTIONS");
  app.Add("--clush", options.clush,
          "run: ask through ClusterShell; --hosts may name one of its groups: @gpu");
  app.Add("--kubernetes", options.kubernetes,
          "run: ask the pods of culprit's DaemonSet through kubectl, on all nodes or on those of --hosts");
  app.Add("-n,--namespace", options.name_space, "run: the namespace of these pods (default: kube-system)",
          "NAMESPACE");
  app.Add("--selector", options.selector,
          "run: the label of these pods (default: app.kubernetes.io/name=culprit)", "LABEL");
  app.Add("--with", options.with,
          "run: pass this option to ssh, srun, clush or kubectl, such as --with=-lroot", "OPTION");
  app.Add("--program", options.programs,
          "run: also send FILE, culprit for another CPU; each node uses the one that fits (repeatable)",
          "FILE");
  app.Add("--timeout", options.seconds, "run: timeout per node, in seconds", "SECONDS", 1, 86400);
}

}  // namespace

int RunFleet(int argc, const char* const* argv) {
  FleetOptions options;
  CommandLine app(
      "Collects a brief snapshot from each of many nodes and compares them: what is wrong on which nodes, "
      "which nodes have the same stack, and how the odd ones differ. Installs nothing on the nodes.",
      "culprit fleet");
  app.Add("ACTION", options.words,
          "run -o DIR [-- options of culprit snapshot, or probe]; report DIR...: folders or files of brief "
          "snapshots; diff BEFORE AFTER: what changed between two of them");
  static constexpr std::string_view kActions[] = {"run", "report", "diff"};
  app.Suggest("ACTION", kActions);
  AddRunOptions(app, options);
  app.Add("--baseline", options.baseline,
          "report: compare every node with this one, or with the brief snapshot in a file", "NODE|FILE");
  app.Add("--policy", options.policy, "report: also apply your site's rules from FILE (TOML)", "FILE");
  app.Add("--strict", options.strict,
          "exit with status 1 also on warnings, odd nodes and changes that did not reach every node");
  AddRulesUrl(app, options.common, "html output");
  AddOutputOptions(app, options.common, Formats::kFleet);
  app.Footer(
      "A node is odd if few others have its stack; it is compared with the most similar common stack.\n"
      "Examples:\n"
      "  culprit fleet run --hosts n[001-016] -o nodes\n"
      "  culprit fleet run --slurm='-N16 -p gpu' -o nodes -- --live\n"
      "  culprit fleet run --hosts @gpu --clush -o nodes\n"
      "  culprit fleet run --kubernetes -n monitoring -o nodes\n"
      "  culprit fleet report nodes\n"
      "  culprit fleet report nodes --baseline n001 --format json\n"
      "  culprit fleet report nodes --format html -o nodes.html\n"
      "  culprit fleet report nodes --policy site.toml\n"
      "  culprit fleet diff before after\n"
      "Exit status: 0 nothing wrong, 1 an error on some node, for diff a new one (--strict: or a warning, an "
      "odd\nnode, a change that did not reach every node), 2 a node could not be judged or did not answer, "
      "64 wrong usage.");
  if (const auto status = app.Parse(argc, argv)) return *status;
  const std::string action = options.words.empty() ? "" : options.words.front();
  if (action == "run") return Run(options);
  if (action == "report" && options.words.size() > 1) return Report(options);
  if (action == "diff") {
    if (options.words.size() != 3) return WrongUsage("fleet", "diff: name two folders, BEFORE and AFTER");
    return Diff(options);
  }
  return WrongUsage("fleet", "name an action: fleet run, fleet report DIR or fleet diff BEFORE AFTER",
                    "culprit fleet --help");
}

}  // namespace culprit::cli
