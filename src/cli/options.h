// What every command accepts, and the way its answer goes out.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "cli/command_line.h"
#include "render/style.h"
#include "system/system.h"

namespace culprit::cli {

// In the order of --format's words.
enum class Format { kText, kJson, kMarkdown, kHtml, kSarif, kJunit };
// How many of them a command has.
enum class Formats { kPlain = 3, kWithPage = 4, kForCi = 6 };

struct Options {
  Format format = Format::kText;
  std::string output;      // file; "" = stdout
  bool on_stderr = false;  // instead of stdout, which belongs to somebody else
  std::string root;        // --root
  std::string env_file;    // --env
  std::string target;      // --target: "linux", "windows"; "" = told from the files
  std::string color = "auto";
  bool quiet = false;
  bool verbose = false;
};

void AddCommonOptions(CommandLine& app, Options& options, Formats formats = Formats::kPlain);
// Those of a command that looks at no machine.
void AddOutputOptions(CommandLine& app, Options& options, Formats formats = Formats::kPlain);

// One clear line on stderr, and the exit status for it.
int Fail(const base::Error& error);
void Note(const Options& options, const std::string& text);

// The machine that the options speak of.
base::Result<std::unique_ptr<system::System>> OpenMachine(const Options& options);
// A path as the user writes it, as a path of that machine.
std::string PathOnMachine(const system::System& machine, const std::string& path);
// The variables of --env FILE (NAME=VALUE a line, '#' starts a comment line); nullopt when it was not given.
base::Result<std::optional<std::map<std::string, std::string>>> ReadEnvironment(const Options& options);

struct Answer {
  std::string title;  // for markdown
  std::function<std::string(const render::Style&)> text;
  std::function<std::string()> json;
  bool windows = false;  // about a Windows machine: paths are spelled as its users do
};
// Writes the answer in the chosen format. False if it could not be written; stderr says why.
bool Write(const Options& options, const Answer& answer);
bool WriteBytes(const Options& options, const std::string& bytes);

}  // namespace culprit::cli
