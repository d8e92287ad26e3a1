// The options that commands share, and how they write their answers.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "cli/command_line.h"
#include "render/style.h"
#include "report/check.h"
#include "snapshot/snapshot.h"
#include "system/system.h"

namespace culprit::cli {

enum class Format { kText, kJson, kMarkdown, kHtml, kSarif, kJunit, kPrometheus };
constexpr std::array<std::string_view, 7> WordsOf(Format) {
  return {"text", "json", "markdown", "html", "sarif", "junit", "prometheus"};
}
// Which of them a command offers: the first three, with a page, all, those of a fleet.
enum class Formats { kPlain, kWithPage, kAll, kFleet };

struct Options {
  Format format = Format::kText;
  std::string output;      // file; "" = stdout
  bool on_stderr = false;  // instead of stdout, which belongs to the watched program
  std::string root;        // --root
  std::string env_file;    // --env
  std::string target;      // --target: "linux", "windows"; "" = detected from the files
  std::string color = "auto";
  bool quiet = false;
  bool verbose = false;
  bool no_redact = false;  // --no-redact, where a command has it
  std::string rules_url;   // --rules-url, likewise
};

void AddCommonOptions(CommandLine& app, Options& options, Formats formats = Formats::kPlain);
// For a command that looks at no machine.
void AddOutputOptions(CommandLine& app, Options& options, Formats formats = Formats::kPlain);
// --no-redact; `where`: the output it affects, such as "markdown output".
void AddNoRedact(CommandLine& app, Options& options, const std::string& where);

// --rules-url; `where`: the output it affects.
void AddRulesUrl(CommandLine& app, Options& options, const std::string& where);
// Where the pages of `culprit rules --format html` are: --rules-url, or else CULPRIT_RULES_URL; "" = nowhere.
std::string RulesUrl(const Options& options);

// Each prints one clear line to stderr and returns the exit status that goes with it.
int Fail(const base::Error& error);
// The exit status of a verdict; with --strict, warnings count like errors.
int VerdictStatus(report::Verdict verdict, bool strict);
int WrongUsage(std::string_view command, std::string_view why, std::string_view try_this = "");
void Note(const Options& options, const std::string& text);

// Opens the machine that the options name: this one, a directory or an image as --root.
base::Result<std::shared_ptr<const system::System>> OpenMachine(const Options& options);
// Turns a path as the user typed it into a path on that machine. With `root`, a path of this machine below it
// (what a shell completes) means the same as the path inside it, unless the latter exists.
std::string PathOnMachine(const system::System& machine, const std::string& path,
                          const std::string& root = "");
// The variables in --env FILE, one NAME=VALUE per line; '#' starts a comment. nullopt if it was not given.
base::Result<std::optional<std::map<std::string, std::string>>> ReadEnvironment(const Options& options);

struct Answer {
  std::string title;
  std::function<std::string(const render::Style&)> text;
  std::function<std::string()> json;
  std::function<std::string()> markdown = {};        // null: the text below the title
  std::function<std::string()> html = {};            // null: the command has no such format
  std::function<std::string()> prometheus = {};      // likewise
  const snapshot::Snapshot* redacted_for = nullptr;  // whose home and user name markdown hides
  bool windows = false;                              // spell paths as on Windows
  bool dated = false;                                // say how old the tables are
};
// Writes the answer in the chosen format. False if it could not be written; stderr says why.
bool Write(const Options& options, const Answer& answer);
// Metrics replace their file in one step, because they are read at any time.
bool WriteBytes(const Options& options, const std::string& bytes);
// Text for stdout that is not the answer about a machine, such as help. Returns the exit status.
int Print(const std::string& text);

}  // namespace culprit::cli
