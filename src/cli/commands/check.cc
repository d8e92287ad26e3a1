// culprit check [TARGET...]
#include "engine/check.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <utility>

#include "base/edition.h"
#include "base/json.h"
#include "base/text.h"
#include "change/prove/prove.h"
#include "cli/ci_output.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/deadline.h"
#include "cli/hosts/hosts.h"
#include "cli/hosts/hosts_file.h"
#include "cli/image/image_subject.h"
#include "cli/live.h"
#include "cli/options.h"
#include "cli/page_facts.h"
#include "cli/policy.h"
#include "cli/progress.h"
#include "cli/settings.h"
#include "cli/subject.h"
#include "collect/record.h"
#include "loader/observed/observed.h"
#include "render/check/check.h"
#include "render/page/page.h"
#include "render/windows_spelling.h"
#include "snapshot/json/fields.h"
#include "snapshot/json/stack_json.h"
#include "snapshot/secrets/hide.h"

namespace culprit::cli {
namespace {

struct CheckOptions {
  Options common;
  std::vector<std::string> targets;
  std::vector<report::Host> hosts;  // --host and --hosts, or those of the settings; "" = the machine's own
  std::vector<report::Ignored> ignored;
  std::shared_ptr<const policy::Policy> policy;
  std::string python;
  std::string platform;  // of an image
  int seconds = 10;
  std::string pid;
  bool strict = false;
  bool verify = false;
  bool live = false;
};

// Timeout per step of the probe.
constexpr int kStepSeconds = 30;

base::Json SnapshotJson(const snapshot::Snapshot& snapshot, const collect::ProcessLook* process) {
  base::Json environment = base::Json::object();
  for (const auto& [name, value] : collect::RelevantEnvironment(snapshot.environment)) {
    environment[base::Printable(name)] = base::Printable(snapshot::HideVariable(name, value));
  }
  base::Json json = {{"tool_version", snapshot.tool_version},
                     {"cpu", snapshot.cpu.machine},
                     {"environment", std::move(environment)},
                     {"stack", ToJson(snapshot.stack)}};
  for (const snapshot::UnreadPlace& place : snapshot.unread)
    json["unread"].push_back({{"path", base::Printable(place.path)}, {"why", base::Word(place.why)}});
  if (process != nullptr) json["process"] = snapshot::FieldsToJson(process->process);
  return json;
}

// Names the process, puts its findings before those of the machine, and adds what could not be read of it.
void NameProcess(const collect::ProcessLook& look, report::CheckReport& report) {
  const std::string title = loader::ProcessTitle(look.process);
  report.headline = title + ": " + report.headline;
  std::vector<report::Finding> sorted;
  for (const auto severity :
       {report::Severity::kError, report::Severity::kWarning, report::Severity::kNote}) {
    for (const bool its : {true, false}) {
      for (const report::Finding& finding : report.findings) {
        const bool affected = std::ranges::find(finding.affects, title) != finding.affects.end();
        if (finding.severity == severity && affected == its) sorted.push_back(finding);
      }
    }
  }
  report.findings = std::move(sorted);
  for (const auto& [what, why] : look.not_seen) report.not_checked.push_back({what, why});
}

bool WriteReport(const CheckOptions& options, const report::CheckReport& report,
                 const snapshot::Snapshot& snapshot, const collect::ProcessLook* process,
                 const render::PageFacts& page) {
  if (options.common.format == Format::kSarif || options.common.format == Format::kJunit) {
    const auto shown = RedactedForCi(options.common, snapshot, report);
    const auto pages = engine::RulePages(options.policy.get());
    return WriteForCi(options.common, snapshot,
                      options.common.format == Format::kSarif
                          ? render::ToSarif(shown, pages, !options.common.no_redact, RulesUrl(options.common))
                          : render::ToJunit(shown, pages, options.strict));
  }
  const render::CheckDetail detail{.verbose = options.common.verbose};
  return Write(options.common,
               {.title = "culprit check",
                .text = [&](const auto& style) { return render::ToText(report, style, detail); },
                .json = [&] { return render::ToJson(report, SnapshotJson(snapshot, process)); },
                .markdown = [&] { return render::ToMarkdown(report); },
                .html = [&] { return render::ToHtml(report, page); },
                .prometheus = [&] { return render::ToPrometheus(report, base::Now()); },
                .redacted_for = &snapshot,
                .windows = snapshot.windows() != nullptr,
                .dated = true});
}

// Writes a report even if nothing could be checked, so that nobody reads the file of an earlier run by
// mistake. On a terminal, the line on stderr is enough.
int CannotCheck(const CheckOptions& options, const base::Error& error) {
  const int status = Fail(error);
  const bool for_ci = options.common.format == Format::kSarif || options.common.format == Format::kJunit;
  if (options.common.output.empty() && !for_ci) return status;
  const std::string why = render::InWindowsSpelling(error.message, render::Writing::kText);
  const report::CheckReport report{.headline = "could not check: " + base::Printable(why),
                                   .not_checked = {{"everything", base::Printable(why)}}};
  snapshot::Snapshot nothing;
  nothing.environment = system::RealSystem()->Environment();  // whose home is redacted
  WriteReport(options, report, nothing, nullptr, {});
  return status;
}

// 0 if it is not a process ID.
int PidOf(std::string_view text) {
  int pid = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pid);
  return error == std::errc() && end == text.data() + text.size() && pid > 0 ? pid : 0;
}

// Why --pid cannot be used like this; "" if it can. A running process has its own machine and environment.
std::string NotWithPid(const CheckOptions& options) {
  if (options.pid.empty()) return "";
  if (system::RealSystem()->platform() != base::Platform::kLinux)
    return "works on Linux only: it reads what a process has mapped from /proc";
  if (PidOf(options.pid) == 0) return options.pid + ": not a process ID";
  if (!options.targets.empty()) return "checks one process; do not give a TARGET with it";
  if (!options.common.root.empty()) return "cannot be used with --root: a process has its own root";
  if (!options.common.env_file.empty()) return "cannot be used with --env: a process has its own environment";
  if (!options.python.empty()) return "cannot be used with --python: a process has its own interpreter";
  if (options.live) return "cannot be used with --live: the probe runs in separate processes";
  if (options.hosts.size() > 1) return "cannot be used with several hosts: a process runs on one";
  return "";
}

// Why --live cannot be used like this; "" if it can. Only this machine, in this shell, can be probed.
std::string NotLive(const CheckOptions& options, const Subject& subject) {
  if (!options.live) return "";
  if (!options.common.root.empty() || subject.rooted)
    return "needs the running machine; a directory of files cannot be probed";
  if (!subject.snapshot_file.empty()) return "needs the running machine; a snapshot cannot be probed";
  if (!subject.recipes.empty()) return "needs the running machine; a recipe cannot be probed";
  if (!options.hosts.front().words.empty()) return "probes this machine; it cannot be used with --host";
  if (!options.common.env_file.empty())
    return "uses the environment of this shell; it cannot be used with --env";
  if (subject.patience > 1) return "the wheel is not installed";
  return "";
}

// `kept` stays until the program ends: freeing everything piece by piece would take longer.
base::Result<int> CheckInTime(const CheckOptions& options, const Subject& subject,
                              const engine::Subject& looked_at, std::unique_ptr<engine::Diagnosis>& kept) {
  Progress progress(!options.common.quiet);
  std::unique_ptr<probe::Live> live;
  if (options.live) {
    auto begun = BeginLive(*subject.machine, {.python = options.python}, kStepSeconds, progress);
    if (!begun) return std::unexpected(begun.error());
    live = std::move(*begun);
  }
  kept = std::make_unique<engine::Diagnosis>(looked_at);
  engine::Diagnosis& diagnosis = *kept;
  if (auto looked = diagnosis.LookAndPlay(); !looked) return std::unexpected(looked.error());
  progress.Show("simulating what gets loaded");
  if (live) AddLive(*live, diagnosis);
  auto [report, page] =
      diagnosis.Judge([html = options.common.format == Format::kHtml, redact = !options.common.no_redact](
                          const auto& scene, const auto& check) {
        return std::pair(check, html ? FactsForPage(scene, check, redact) : render::PageFacts());
      });
  if (options.common.format == Format::kHtml) page.rules_url = RulesUrl(options.common);
  if (subject.process != nullptr) {
    NameProcess(*subject.process, report);  // a fix shows only in its next start
  } else if (diagnosis.in_time()) {
    progress.Show("verifying the fixes");
    prove::ProveFixes(looked_at, report);
  }
  if (subject.image != nullptr) AddOfImage(*subject.image, diagnosis.snapshot(), report);
  if (!WriteReport(options, report, diagnosis.snapshot(), subject.process.get(), page)) return kExitCannot;
  return VerdictStatus(report.verdict, options.strict);
}

struct Unread {
  std::vector<std::string> hosts;  // --host
  std::string hosts_file;          // --hosts
  std::vector<std::string> codes;  // --ignore
  std::string file;                // --settings
  std::string policy;              // --policy
};

// Fills in from the project's settings what the options leave open. Returns the file with the site's rules.
base::Result<PolicyFile> UseSettings(const Unread& unread, CheckOptions& options) {
  for (const std::string& host : unread.hosts) options.hosts.push_back({.words = host});
  if (!unread.hosts_file.empty()) {
    auto hosts = ReadHostsFile(unread.hosts_file);
    if (!hosts) return std::unexpected(hosts.error());
    std::ranges::move(*hosts, std::back_inserter(options.hosts));
  }
  auto settings = ReadSettings(unread.file);
  if (!settings) return std::unexpected(settings.error());
  if (options.hosts.empty() && options.pid.empty() && !options.live)
    options.hosts = std::move(settings->hosts);
  if (options.hosts.empty()) options.hosts.push_back({.words = ""});
  options.strict |= settings->strict;
  std::ranges::move(settings->ignored, std::back_inserter(options.ignored));
  return unread.policy.empty() ? settings->policy : PolicyNamed(unread.policy);
}

void Declare(CommandLine& app, CheckOptions& options, Unread& unread) {
  app.Add(
      "TARGET", options.targets,
      "programs, libraries, Python environments, build folders; or Dockerfiles, compose files and Kubernetes "
      "manifests; or one image, root file system, wheel or snapshot");
  app.Add("--pid", options.pid, "check a running process: its mapped libraries, environment and container",
          "PID");
  app.Add("--host", unread.hosts,
          "assume this driver and GPU: driver=535.104.05,gpu=sm_90; repeat it to compare hosts in a table",
          "HOST");
  app.Add("--hosts", unread.hosts_file, "assume the hosts in FILE (TOML) and compare them in a table",
          "FILE");
  app.Add("--policy", unread.policy, "also apply your site's rules from FILE (TOML)", "FILE");
  app.Add("--ignore", unread.codes, "hide findings with this code; the report still counts them", "CODE");
  app.Add("--settings", unread.file,
          "use FILE instead of the nearest .culprit.toml; `none`: use no such file", "FILE");
  app.Add("--python", options.python, "check the environment of this interpreter", "PATH");
  app.Add("--platform", options.platform, "which platform of a multi-platform image, such as linux/arm64",
          "PLATFORM");
  app.Add("--live", options.live, "also test on the real GPU, like `culprit probe`; this runs code it finds");
  app.Add("--verify", options.verify, "compare hashes of installed package files, not only sizes");
  app.Add("--strict", options.strict, "exit with status 1 on warnings too");
  AddNoRedact(app, options.common, "markdown, html, sarif and junit output");
  AddRulesUrl(app, options.common, "html and sarif output");
  app.Add("--timeout", options.seconds, "timeout per collector, in seconds", "SECONDS", 1, 3600);
  AddCommonOptions(app, options.common, Formats::kAll);
  app.Footer(
      "Examples:\n"
      "  culprit\n"
      "  culprit check .venv\n"
      "  culprit check build\n"
      "  culprit check --live\n"
      "  culprit check --pid 4711\n"
      "  culprit check ./train --host driver=535.104.05,gpu=sm_90\n"
      "  culprit check --root ./image --env image.env --host driver=550.54.14,gpu=sm_80\n"
      "  culprit check .venv --host driver=535.183.01,gpu=L4 --host driver=580.95.05,gpu=H100,B200\n"
      "  culprit check .venv --hosts fleet.toml --format markdown\n"
      "  culprit check --root ./disk --target windows --env box.env\n"
      "  culprit check image.tar --host driver=550.54.14,gpu=sm_80\n"
      "  culprit check image.sif --host driver=550.54.14,gpu=sm_80\n"
      "  docker save IMAGE | culprit check -\n"
      "  culprit check Dockerfile compose.yaml --host driver=550.54.14,gpu=L4\n"
      "  helm template CHART | culprit check - --host driver=550.54.14,gpu=L4\n"
      "  culprit check --format markdown | xclip\n"
      "  culprit check --format html -o report.html\n"
      "  culprit check machine.json\n"
      "  culprit check --format sarif -o culprit.sarif\n"
      "  culprit check --format prometheus -o /var/lib/prometheus/node-exporter/culprit.prom\n"
      "  culprit check --ignore CUL3014\n"
      "  culprit check image.tar --policy site.toml\n"
      "Exit status: 0 nothing wrong (warnings allowed unless --strict), 1 a problem was found, 2 could not "
      "check,\n64 wrong usage.");
}

// An error means that nothing could be checked.
base::Result<int> Check(CheckOptions& options, const Unread& unread,
                        std::unique_ptr<engine::Diagnosis>& kept) {
  for (const std::string& host : unread.hosts) {
    if (const std::string why = MistakeInHost(host); !why.empty()) return WrongUsage("check", why);
  }
  for (const std::string& code : unread.codes) {
    auto ignored = IgnoredByOption(code);
    if (!ignored) return WrongUsage("check", ignored.error().message, "culprit rules");
    options.ignored.push_back(*std::move(ignored));
  }
  const auto policy_file = UseSettings(unread, options);
  if (!policy_file) return std::unexpected(policy_file.error());
  auto policy = ReadPolicy(*policy_file);
  if (!policy && policy.error().code == base::ErrorCode::kBadFormat) return FailOfPolicy(policy.error());
  if (!policy) return std::unexpected(policy.error());
  options.policy = *std::move(policy);
  if (const std::string why = NotWithPid(options); !why.empty()) return WrongUsage("check", "--pid " + why);
  if (options.common.format == Format::kPrometheus && options.hosts.size() > 1)
    return WrongUsage("check", "--format prometheus is for one host");
  // For what is read before the diagnosis, which has its own limits.
  std::optional<Deadline> deadline(std::in_place, std::chrono::seconds(options.seconds),
                                   Deadline::Guard::kAlways);
  const auto image = ImageAmong(options.common, options.targets);
  if (image) deadline.reset();  // all of it is read, which takes its time
  const auto subject = !options.pid.empty() ? ProcessSubject(PidOf(options.pid))
                       : image && options.targets.size() <= 1
                           ? ImageSubject(*image, options.common,
                                          {.platform = options.platform,
                                           .verify = options.verify,
                                           .recipes = options.common.root.empty()})
                           : ChooseSubject(options.common, options.targets);
  if (!subject) return std::unexpected(subject.error());
  if (const std::string why = NotLive(options, *subject); !why.empty())
    return WrongUsage("check", "--live: " + why);
  auto looked_at = ForEngine(*subject, {.common = options.common,
                                        .python = options.python,
                                        .seconds = options.seconds,
                                        .verify = options.verify});
  if (!looked_at) return std::unexpected(looked_at.error());
  looked_at->ignored = options.ignored;
  looked_at->policy = options.policy;
  deadline.reset();
  looked_at->host = options.hosts.front().words;
  if (options.hosts.size() > 1)
    return CheckOnHosts({.common = options.common,
                         .hosts = options.hosts,
                         .strict = options.strict,
                         .image = subject->image.get()},
                        *std::move(looked_at), kept);
  return CheckInTime(options, *subject, *looked_at, kept);
}

}  // namespace

int RunCheck(int argc, const char* const* argv) {
  CheckOptions options;
  CommandLine app(
      "Finds what is wrong with the CUDA stack of this machine, as this shell sees it, or of TARGET. Shows "
      "the proof and the fix. Runs nothing it finds unless you pass --live.",
      "culprit check");
  Unread unread;
  Declare(app, options, unread);
  if (const auto status = app.Parse(argc, argv)) return *status;
  std::unique_ptr<engine::Diagnosis> kept;
  const auto status = Check(options, unread, kept);
  EndAtOnce(status ? *status : CannotCheck(options, status.error()));
}

}  // namespace culprit::cli
