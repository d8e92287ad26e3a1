#include "cli/options.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <utility>

#include "base/text.h"
#include "base/windows/path.h"
#include "base/words.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/image/image_subject.h"
#include "render/document.h"
#include "render/edition.h"
#include "render/redact.h"
#include "render/windows_spelling.h"
#include "snapshot/secrets/hide.h"

namespace culprit::cli {
namespace {

constexpr uint64_t kEnvironmentLimit = 4 << 20;

bool UseColor(const Options& options) {
  if (options.color == "always") return true;
  if (options.color == "never" || !options.output.empty()) return false;
  const char* no_color = std::getenv("NO_COLOR");
  return (no_color == nullptr || *no_color == '\0') && ShowsColors(options.on_stderr ? stderr : stdout);
}

std::span<const std::string_view> OfferedBy(Formats formats) {
  static constexpr auto kAll = WordsOf(Format());
  static constexpr std::string_view kFleet[] = {"text", "json", "markdown", "html", "prometheus"};
  switch (formats) {
    case Formats::kPlain:
      return std::span(kAll).first(3);
    case Formats::kWithPage:
      return std::span(kAll).first(4);
    case Formats::kAll:
      return kAll;
    case Formats::kFleet:
      break;
  }
  return kFleet;
}

void AddFormat(CommandLine& app, Options& options, Formats formats) {
  const auto words = OfferedBy(formats);
  std::string list;
  for (const std::string_view word : words)
    list.append(list.empty() ? "" : word == words.back() ? " or " : ", ").append(word);
  app.AddChoice(
      "--format", words,
      [&options, words](size_t place) { options.format = *base::FromWord<Format>(words[place]); },
      app.Keep(std::move(list)), "FORMAT");
  app.Add("-o,--output", options.output, "write to FILE instead of standard output", "FILE");
}

void AddManner(CommandLine& app, Options& options) {
  static constexpr std::string_view kWhen[] = {"auto", "always", "never"};
  app.AddChoice(
      "--color", kWhen, [&](size_t place) { options.color = kWhen[place]; },
      "auto, always or never (NO_COLOR is honoured)", "WHEN");
  app.Add("-q,--quiet", options.quiet, "no progress or notes on stderr");
  app.Add("-v,--verbose", options.verbose, "more detail");
}

}  // namespace

void AddCommonOptions(CommandLine& app, Options& options, Formats formats) {
  static constexpr std::string_view kSystems[] = {"linux", "windows"};
  AddFormat(app, options, formats);
  app.Add("--root", options.root, "use DIR, or an image, as the root directory", "DIR");
  app.AddChoice(
      "--target", kSystems, [&](size_t place) { options.target = kSystems[place]; },
      "the system in --root: linux or windows (default: detected from its files)", "SYSTEM");
  app.Add("--env", options.env_file, "read the environment from FILE, one NAME=VALUE per line", "FILE");
  AddManner(app, options);
}

void AddOutputOptions(CommandLine& app, Options& options, Formats formats) {
  AddFormat(app, options, formats);
  AddManner(app, options);
}

void AddNoRedact(CommandLine& app, Options& options, const std::string& where) {
  app.Add("--no-redact", options.no_redact, app.Keep("keep your home directory and user name in " + where));
}

void AddRulesUrl(CommandLine& app, Options& options, const std::string& where) {
  app.Add("--rules-url", options.rules_url,
          app.Keep("link codes in " + where +
                   " to the pages of `culprit rules --format html` at URL (or: CULPRIT_RULES_URL)"),
          "URL");
}

std::string RulesUrl(const Options& options) {
  const char* variable = std::getenv("CULPRIT_RULES_URL");
  std::string url = options.rules_url;
  if (url.empty() && variable != nullptr) url = variable;
  static constexpr std::string_view kSchemes[] = {"https://", "http://", "file://"};
  const bool plain = std::ranges::all_of(url, [](char c) { return c > ' ' && c < '\x7f'; });
  if (url.empty() ||
      (plain && std::ranges::any_of(kSchemes, [&](auto scheme) { return url.starts_with(scheme); })))
    return url;
  Note(options, "codes are not linked: '" + url +
                    "' does not start with https://, http:// or file://, or contains spaces");
  return "";
}

int VerdictStatus(report::Verdict verdict, bool strict) {
  switch (verdict) {
    case report::Verdict::kOk:
      return kExitOk;
    case report::Verdict::kWarnings:
      return strict ? kExitFound : kExitOk;
    case report::Verdict::kErrors:
      return kExitFound;
    case report::Verdict::kUnknown:
      break;
  }
  return kExitCannot;
}

int WrongUsage(std::string_view command, std::string_view why, std::string_view try_this) {
  Say("culprit {}: {}\n", command, base::Printable(why));
  if (!try_this.empty()) Say("  try: {}\n", try_this);
  return kExitUsage;
}

int Fail(const base::Error& error) {
  const std::string words = render::InWindowsSpelling(error.message, render::Writing::kText);
  Say("culprit: {}\n", base::Printable(words));
  return kExitCannot;
}

void Note(const Options& options, const std::string& text) {
  if (!options.quiet) Say("culprit: {}\n", base::Printable(text));
}

namespace {

// Whether there is a Windows directory at the top.
bool HasWindows(const system::System& files) {
  const auto top = files.List("/");
  if (!top) return false;
  return std::ranges::any_of(*top, [&](const system::DirectoryEntry& entry) {
    if (!base::SameName(entry.name, "windows")) return false;
    const auto below = files.List("/" + entry.name);
    return below && std::ranges::any_of(*below, [](const system::DirectoryEntry& directory) {
             return base::SameName(directory.name, "system32");
           });
  });
}

}  // namespace

base::Result<std::shared_ptr<const system::System>> OpenMachine(const Options& options) {
  if (options.root.empty()) {
    auto machine = system::RealSystem();
    const bool windows = machine->platform() == base::Platform::kWindows;
    if (!options.target.empty() && (options.target == "windows") != windows) {
      return base::Fail(base::ErrorCode::kUnsupported,
                        "--target " + options.target + " needs --root DIR, with the files of that system");
    }
    return machine;
  }
  if (IsImage(options.root)) {
    const auto image = OpenImage(options.root, options, {});
    if (!image) return std::unexpected(image.error());
    return (*image)->machine;
  }
  auto rooted = system::RootedSystem(options.root);
  if (!rooted) return rooted;
  if (options.target == "windows" || (options.target.empty() && HasWindows(**rooted))) {
    return system::WindowsTree(std::move(*rooted));
  }
  const char* library_path = std::getenv("LD_LIBRARY_PATH");
  if (options.env_file.empty() && library_path != nullptr && *library_path != '\0') {
    Note(options,
         "LD_LIBRARY_PATH of this shell does not apply to --root; pass the environment with --env FILE");
  }
  return rooted;
}

std::string PathOnMachine(const system::System& machine, const std::string& path, const std::string& root) {
  if (machine.platform() == base::Platform::kWindows) {
    return base::FromWindowsPath(path, machine.WorkingDirectory());
  }
  const std::string inside =
      base::CleanPath(path.starts_with('/') ? path : base::JoinPath(machine.WorkingDirectory(), path));
  if (root.empty() || machine.LinkStat(inside)) return inside;
  const auto here = system::RealSystem();
  const std::string outside = PathOnMachine(*here, path), top = PathOnMachine(*here, root);
  const bool below = top.size() > 1 && outside.starts_with(top + "/");
  return below && machine.LinkStat(outside.substr(top.size())) ? outside.substr(top.size()) : inside;
}

base::Result<std::optional<std::map<std::string, std::string>>> ReadEnvironment(const Options& options) {
  if (options.env_file.empty()) return std::nullopt;
  const auto machine = system::RealSystem();
  const std::string path = PathOnMachine(*machine, options.env_file);
  const auto text = system::ReadWholeFile(*machine, path, kEnvironmentLimit);
  if (!text) {
    return base::Fail(base::ErrorCode::kNotReadable,
                      options.env_file + ": " + std::string(base::Strerror(text.error())));
  }
  std::map<std::string, std::string> environment;
  // `env -0` and /proc/PID/environ end each entry with NUL, plain files with a newline.
  const bool nul = text->find('\0') != std::string::npos;
  for (const std::string& raw : base::Split(*text, nul ? '\0' : '\n')) {
    const std::string_view line = nul ? std::string_view(raw) : base::Trim(raw);
    if (line.empty() || line.front() == '#') continue;
    const size_t equals = line.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      return base::Fail(base::ErrorCode::kBadFormat, options.env_file + ": expected NAME=VALUE, found: " +
                                                         std::string(line.substr(0, 80)));
    }
    environment[std::string(line.substr(0, equals))] = line.substr(equals + 1);
  }
  return environment;
}

bool WriteBytes(const Options& options, const std::string& bytes) {
  if (options.no_redact && options.format != Format::kText && options.format != Format::kJson)
    Note(options, "--no-redact: the output contains your home directory and user name; secrets stay hidden");
  if (options.format == Format::kPrometheus && !options.output.empty()) {
    if (ReplaceFile(options.output, bytes)) return true;
    Say("culprit: cannot write {}: {}\n", options.output, std::strerror(errno));
    return false;
  }
  FILE* const standard = options.on_stderr ? stderr : stdout;
  FILE* file = options.output.empty() ? standard : OpenForWriting(options.output);
  bool ok = file != nullptr && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  int error = errno;
  if (file != nullptr && (file == standard ? std::fflush(file) : std::fclose(file)) != 0) {
    if (ok) error = errno;
    ok = false;
  }
  if (!ok && file == stdout && error == EPIPE) EndAsReaderLeft();
  if (!ok) {
    Say("culprit: cannot write {}: {}\n", options.output.empty() ? "the answer" : options.output,
        std::strerror(error));
  }
  return ok;
}

int Print(const std::string& text) { return WriteBytes({}, text) ? kExitOk : kExitCannot; }

namespace {

std::string Markdown(const Options& options, const Answer& answer) {
  std::string text =
      answer.markdown ? answer.markdown() : render::MarkdownDocument(answer.title, answer.text({}));
  if (answer.redacted_for == nullptr || options.no_redact) return text;
  const auto& variables = answer.redacted_for->environment;
  return snapshot::HideTokens(
      render::Redact(text, base::ValueOf(variables, "HOME"), base::ValueOf(variables, "USER")));
}

}  // namespace

bool Write(const Options& options, const Answer& answer) {
  if (options.format == Format::kHtml) return WriteBytes(options, answer.html());  // spells its own paths
  if (options.format == Format::kPrometheus) return WriteBytes(options, answer.prometheus());
  const bool json = options.format == Format::kJson;
  std::string bytes = json                                  ? answer.json()
                      : options.format == Format::kMarkdown ? Markdown(options, answer)
                                                            : answer.text({.color = UseColor(options)});
  if (!json) {
    const std::string notes = (answer.dated ? render::EditionText() + "\n" : "") + render::EditionNotes();
    if (!notes.empty()) bytes += "\n" + notes;
  }
  if (answer.windows) {
    bytes = render::InWindowsSpelling(bytes, json ? render::Writing::kJson : render::Writing::kText);
  }
  return WriteBytes(options, bytes);
}

}  // namespace culprit::cli
