// culprit plan WANT...: asks the machine, solves, writes the commands, and checks the result.
#include "render/plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string_view>

#include "base/edition.h"
#include "base/parallel/in_time.h"
#include "base/version.h"
#include "change/prove/check_plan.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/options.h"
#include "cli/plan/plan_host.h"
#include "cli/plan/plan_project.h"
#include "cli/subject.h"
#include "knowledge/packages/projects.h"
#include "plan/commands/commands.h"
#include "plan/project/asking.h"
#include "plan/project/project.h"

namespace culprit::cli {
namespace {

struct PlanOptions {
  Options common;
  std::vector<std::string> words, keep, files, extras, groups;
  std::string host, platform, python, cuda;
  std::optional<plan::As> as;
  bool repair = false, no_check = false;
  bool allow_driver_upgrade = false, allow_unknown = false;
};

int WrongPlan(const std::string& message) { return WrongUsage("plan", message, "culprit plan --help"); }

// A directory, not a package: ".venv", "/opt/venv", "envs\\one".
bool LooksLikePath(const std::string& word) {
  return word.starts_with('.') || word.starts_with('~') || word.find_first_of("/\\") != std::string::npos;
}

// Fills the question from the command line. An error means wrong usage.
base::Result<plan::Question> ReadQuestion(const PlanOptions& options, std::string& environment,
                                          std::vector<std::string>& files) {
  plan::Question question{.repair = options.repair,
                          .keep = options.keep,
                          .allow_driver_upgrade = options.allow_driver_upgrade,
                          .allow_unknown = options.allow_unknown};
  for (const std::string& word : options.words) {
    if (plan::LooksLikeProjectFile(word)) {
      files.push_back(word);
    } else if (LooksLikePath(word)) {
      if (!environment.empty())
        return base::Fail(base::ErrorCode::kUnsupported,
                          "give only one environment: " + environment + ", " + word);
      environment = word;
    } else if (const auto asked = plan::AskWord(word, question); !asked) {
      return std::unexpected(asked.error());
    }
  }
  const auto version = [](const char* name, const std::string& text,
                          std::optional<base::Version>& to) -> base::Result<void> {
    if (text.empty()) return {};
    to = base::Version::Parse(text);
    if (!to)
      return base::Fail(base::ErrorCode::kBadFormat, std::string(name) + ": '" + text + "' is not a version");
    return {};
  };
  if (const auto read = version("--python", options.python, question.host.python); !read)
    return std::unexpected(read.error());
  if (const auto read = version("--cuda", options.cuda, question.cuda); !read)
    return std::unexpected(read.error());
  if (!plan::AsksForSomething(question) && files.empty())
    return base::Fail(base::ErrorCode::kBadFormat,
                      "say what to install, for example culprit plan torch; or pass --repair");
  if (const std::string why = MistakeInHost(options.host); !why.empty())
    return base::Fail(base::ErrorCode::kBadFormat, why);
  return question;
}

bool WritePlan(const PlanOptions& options, const report::Plan& plan, bool windows) {
  const render::PlanDetail detail{.verbose = options.common.verbose, .today = base::Today()};
  // A file is written as it is, ready to use; notes and findings go to stderr.
  if (options.common.format == Format::kText && !plan.document.empty()) {
    if (const std::string checked = render::CheckedText(plan); !plan.findings.empty())
      Note(options.common, checked + ": see --format markdown");
    if (plan.uncertain) Note(options.common, plan.headline);
    for (const std::string& note : plan.notes) Note(options.common, note);
    return WriteBytes(options.common, plan.document);
  }
  return Write(options.common,
               {.title = "culprit plan",
                .text = [&](const auto& style) { return render::ToText(plan, style, detail); },
                .json = [&] { return render::ToJson(plan, detail); },
                .markdown = [&] { return render::ToMarkdown(plan, detail); },
                .windows = windows});
}

int Plan(PlanOptions& options) {
  std::string environment;
  std::vector<std::string> files = options.files;
  auto question = ReadQuestion(options, environment, files);
  if (!question) return WrongPlan(question.error().message);
  const auto answer = AskMachine({.common = options.common,
                                  .host = options.host,
                                  .platform = options.platform,
                                  .environment = environment,
                                  .repair = options.repair},
                                 *question);
  if (!answer) return Fail(answer.error());
  auto solved = SolveProject(
      {.common = options.common, .files = files, .extras = options.extras, .groups = options.groups},
      *question);
  if (!solved) return Fail(solved.error());
  report::Plan& plan = solved->plan;
  if (!answer->note.empty()) plan.notes.push_back(answer->note);
  const bool found = plan.outcome == report::Plan::Outcome::kSolution;
  if (found && plan::AsksForSomething(*question)) {
    plan::WriteCommands(plan, *question, answer->place,
                        options.as.value_or(solved->conda ? plan::As::kConda : plan::As::kPip));
    if (!options.no_check) prove::CheckPlan(*question, plan);
  }
  if (!WritePlan(options, plan, question->host.machine == plan::Machine::kWindows)) return kExitCannot;
  return plan.uncertain ? kExitCannot : found ? kExitOk : kExitFound;
}

// Options for what to plan, and for which machine.
void AddQuestion(CommandLine& app, PlanOptions& options) {
  static constexpr std::string_view kWanted[] = {
      "torch", "tensorflow", "jax", "onnxruntime-gpu", "ctranslate2", "cupy", "paddle", "cudnn", "cuda"};
  app.Add(
      "WANT", options.words,
      "packages: torch, \"tensorflow==2.10.*\", \"jax[cuda12]\", onnxruntime-gpu, cudnn, cuda ...;\nfiles: "
      "requirements.txt, pyproject.toml, uv.lock, environment.yml; and the environment to install into, such "
      "as .venv (default: the active one, or a new one)");
  app.Suggest("WANT", kWanted);
  app.Add("-r,--requirement", options.files,
          "plan what this file requires: requirements.txt, pyproject.toml, uv.lock, environment.yml; -: "
          "standard input",
          "FILE");
  app.Add("--extra", options.extras, "include this extra of pyproject.toml or uv.lock (* = all)", "NAME");
  app.Add("--group", options.groups, "include this dependency group (* = all)", "NAME");
  app.Add("--python", options.python, "Python version: 3.11", "VERSION");
  app.Add("--cuda", options.cuda, "CUDA release: 12.4", "VERSION");
  app.Add("--host", options.host, "plan for this driver and GPU: driver=470.82,gpu=sm_37", "HOST");
  app.AddChoice(
      "--platform", kPlatformWords, [&](size_t place) { options.platform = kPlatformWords[place]; },
      "linux-x86_64, linux-aarch64, windows-x86_64 or wsl (default: the platform of this machine,\nor "
      "linux-x86_64 with --host or if this machine has no GPU and no driver)",
      "PLATFORM");
}

}  // namespace

int RunPlan(int argc, const char* const* argv) {
  PlanOptions options;
  std::vector<std::string> allowed;
  CommandLine app(
      "Finds versions that work together on this driver and GPU, and prints the commands that install them "
      "and the reason for each version. If there are none, shows the smallest conflict and what works "
      "instead. Changes nothing.",
      "culprit plan");
  AddQuestion(app, options);
  app.Add("--repair", options.repair, "find the smallest change that makes the environment work");
  app.Add("--allow", allowed,
          "driver-upgrade: the plan may include a newer driver;\nunknown: the plan may use builds whose "
          "requirements are not fully known",
          "WHAT");
  static constexpr std::string_view kAllowed[] = {"driver-upgrade", "unknown"};
  app.Suggest("--allow", kAllowed);
  app.Add("--keep", options.keep, "do not change this package", "NAME");
  static constexpr std::string_view kForms[] = {"pip",        "uv",    "conda",        "apt",
                                                "dockerfile", "cmake", "requirements", "json"};
  app.AddChoice(
      "--as", kForms,
      [&](size_t place) {
        if (kForms[place] == "json") {
          options.common.format = Format::kJson;
        } else {
          options.as = static_cast<plan::As>(place);
        }
      },
      "pip, uv or apt commands; a file for conda, dockerfile, cmake or requirements; json", "FORM");
  app.Add("--no-check", options.no_check, "do not run `culprit check` on the result");
  AddCommonOptions(app, options.common);
  app.Footer(
      "Examples:\n"
      "  culprit plan torch\n"
      "  culprit plan \"tensorflow==2.10.*\" --python 3.9\n"
      "  culprit plan torch onnxruntime-gpu ctranslate2\n"
      "  culprit plan -r requirements.txt\n"
      "  culprit plan pyproject.toml --extra train --host driver=550.54.14,gpu=sm_80\n"
      "  culprit plan torch --host driver=470.82,gpu=sm_37\n"
      "  culprit plan cudnn --cuda 12.4 --as apt\n"
      "  culprit plan torch --as dockerfile > Dockerfile\n"
      "  culprit plan --repair .venv --keep torch\n"
      "Exit status: 0 a solution was found, 1 there is none, 2 could not tell or a file cannot be read,\n64 "
      "wrong usage.");
  if (const auto status = app.Parse(argc, argv)) return *status;
  base::TryAside(knowledge::UnpackPackages);
  for (const std::string& word : allowed) {
    if (std::ranges::find(kAllowed, word) == std::end(kAllowed))
      return WrongPlan("--allow: '" + word + "' is not one of driver-upgrade, unknown");
    (word == "unknown" ? options.allow_unknown : options.allow_driver_upgrade) = true;
  }
  EndAtOnce(Plan(options));
}

}  // namespace culprit::cli
