#include "cli/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/text.h"
#include "base/windows_path.h"
#include "cli/command.h"
#include "cli/console.h"
#include "render/document.h"
#include "render/windows_spelling.h"

namespace culprit::cli {
namespace {

constexpr uint64_t kEnvironmentLimit = 4 << 20;

bool UseColor(const Options& options) {
  if (options.color == "always") return true;
  if (options.color == "never" || !options.output.empty()) return false;
  const char* no_color = std::getenv("NO_COLOR");
  return (no_color == nullptr || *no_color == '\0') && ShowsColors(stdout);
}

void AddFormat(CLI::App& app, Options& options) {
  static const std::map<std::string, Format> kFormats = {
      {"text", Format::kText}, {"json", Format::kJson}, {"markdown", Format::kMarkdown}};
  app.add_option("--format", options.format, "text, json or markdown")
      ->transform(CLI::CheckedTransformer(kFormats).description(""))
      ->option_text("FORMAT");
  app.add_option("-o,--output", options.output, "write to FILE instead of the terminal")->option_text("FILE");
}

void AddManner(CLI::App& app, Options& options) {
  app.add_option("--color", options.color, "auto, always or never (NO_COLOR is honoured)")
      ->check(CLI::IsMember({"auto", "always", "never"}).description(""))
      ->option_text("WHEN");
  app.add_flag("-q,--quiet", options.quiet, "no notes on stderr");
  app.add_flag("-v,--verbose", options.verbose, "more detail");
}

}  // namespace

void AddCommonOptions(CLI::App& app, Options& options) {
  AddFormat(app, options);
  app.add_option("--root", options.root, "look at DIR as if it were /")->option_text("DIR");
  app.add_option("--target", options.target,
                 "what runs in --root: linux or windows (default: told by its files)")
      ->check(CLI::IsMember({"linux", "windows"}).description(""))
      ->option_text("SYSTEM");
  app.add_option("--env", options.env_file, "take the environment from FILE, NAME=VALUE a line")
      ->option_text("FILE");
  AddManner(app, options);
}

void AddOutputOptions(CLI::App& app, Options& options) {
  AddFormat(app, options);
  AddManner(app, options);
}

std::optional<int> Parse(CLI::App& app, int argc, const char* const* argv) {
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app.help());
    return kExitOk;
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "culprit {}: {}\n  try: culprit {} --help\n", argv[0], error.what(), argv[0]);
    return kExitUsage;
  }
}

int Fail(const base::Error& error) {
  const std::string words = render::InWindowsSpelling(error.message, render::Writing::kText);
  fmt::print(stderr, "culprit: {}\n", base::Printable(words));
  return kExitCannot;
}

void Note(const Options& options, const std::string& text) {
  if (!options.quiet) fmt::print(stderr, "culprit: {}\n", base::Printable(text));
}

namespace {

// Told by a Windows directory at its top.
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

base::Result<std::unique_ptr<system::System>> OpenMachine(const Options& options) {
  if (options.root.empty()) {
    auto machine = system::RealSystem();
    const bool windows = machine->platform() == base::Platform::kWindows;
    if (!options.target.empty() && (options.target == "windows") != windows) {
      return base::Fail(base::ErrorCode::kUnsupported, "--target " + options.target +
                                                           " is for the files of another machine: name their "
                                                           "directory with --root DIR");
    }
    return machine;
  }
  auto rooted = system::RootedSystem(options.root);
  if (!rooted) return rooted;
  if (options.target == "windows" || (options.target.empty() && HasWindows(**rooted))) {
    return system::WindowsTree(std::move(*rooted));
  }
  const char* library_path = std::getenv("LD_LIBRARY_PATH");
  if (options.env_file.empty() && library_path != nullptr && *library_path != '\0') {
    Note(options,
         "LD_LIBRARY_PATH of this shell is not applied to --root; give the environment with --env FILE");
  }
  return rooted;
}

std::string PathOnMachine(const system::System& machine, const std::string& path) {
  if (machine.platform() == base::Platform::kWindows) {
    return base::FromWindowsPath(path, machine.WorkingDirectory());
  }
  return base::CleanPath(base::JoinPath(machine.WorkingDirectory(), path));
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
      return base::Fail(base::ErrorCode::kBadFormat,
                        options.env_file + ": not NAME=VALUE: " + std::string(line.substr(0, 80)));
    }
    environment[std::string(line.substr(0, equals))] = line.substr(equals + 1);
  }
  return environment;
}

bool WriteBytes(const Options& options, const std::string& bytes) {
  FILE* file = options.output.empty() ? stdout : OpenForWriting(options.output);
  bool ok = file != nullptr && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  const int error = errno;
  if (file != nullptr) ok = (file == stdout ? std::fflush(file) : std::fclose(file)) == 0 && ok;
  if (!ok) {
    fmt::print(stderr, "culprit: cannot write {}: {}\n",
               options.output.empty() ? "the answer" : options.output, std::strerror(error));
  }
  return ok;
}

bool Write(const Options& options, const Answer& answer) {
  const bool json = options.format == Format::kJson;
  std::string bytes = json ? answer.json()
                      : options.format == Format::kMarkdown
                          ? render::MarkdownDocument(answer.title, answer.text({}))
                          : answer.text({.color = UseColor(options)});
  if (answer.windows) {
    bytes = render::InWindowsSpelling(bytes, json ? render::Writing::kJson : render::Writing::kText);
  }
  return WriteBytes(options, bytes);
}

}  // namespace culprit::cli
