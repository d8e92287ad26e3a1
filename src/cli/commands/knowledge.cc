// culprit knowledge [export | check FILE]
#include "render/knowledge/knowledge.h"

#include "cli/command.h"
#include "cli/options.h"
#include "cli/tables_file.h"
#include "knowledge/book/book.h"
#include "system/system.h"

namespace culprit::cli {
namespace {

int CheckFile(const Options& options, const std::string& named) {
  const auto machine = system::RealSystem();
  auto bytes = system::ReadWholeFile(*machine, PathOnMachine(*machine, named), kMostTableBytes);
  if (!bytes) {
    return Fail({base::ErrorCode::kNotReadable, named + ": " + std::string(base::Strerror(bytes.error()))});
  }
  const auto edition = knowledge::CheckBook(*std::move(bytes));
  if (!edition) {
    Fail({base::ErrorCode::kBadFormat, named + ": " + edition.error().message});
    return kExitFound;
  }
  const std::string words = named + ": tables from " + edition->date + ", written by culprit " +
                            edition->version + ", sha256 " + edition->sha256;
  return WriteBytes(options, base::Printable(words) + "\n") ? kExitOk : kExitCannot;
}

int Show(const Options& options) {
  report::KnowledgeAnswer answer{.built_in = BuiltInTables(), .files = LookedForTables(), .tables = {}};
  for (const auto& [name, rows] : knowledge::TableSizes()) answer.tables.push_back({std::string(name), rows});
  const bool written = Write(
      options, {.title = "culprit knowledge",
                .text = [&](const auto& style) { return render::ToText(answer, style, options.verbose); },
                .json = [&] { return render::ToJson(answer); },
                .dated = true});
  return written ? kExitOk : kExitCannot;
}

}  // namespace

int RunKnowledge(int argc, const char* const* argv) {
  Options options;
  std::vector<std::string> words;
  CommandLine app(
      "Shows which tables of facts culprit uses and how old they are. `export` writes them as one file, "
      "which culprit of the same or an earlier version can use instead of its own; `check` tells whether "
      "such a file is valid.",
      "culprit knowledge");
  app.Add("ACTION", words, "nothing, export, or check FILE", "");
  static constexpr std::string_view kActions[] = {"export", "check"};
  app.Suggest("ACTION", kActions);
  AddOutputOptions(app, options);
  app.Footer(
      "Newer tables are looked for in $XDG_DATA_HOME/culprit/knowledge.tables (~/.local/share), in\n"
      "../share/culprit beside the program, /usr/local/share/culprit and /usr/share/culprit; on Windows in\n"
      "%LOCALAPPDATA%\\culprit and %PROGRAMDATA%\\culprit. With CULPRIT_KNOWLEDGE=FILE only FILE is used; if "
      "empty, none.\n\n"
      "Examples:\n"
      "  culprit knowledge\n"
      "  culprit knowledge export -o knowledge.tables\n"
      "  culprit knowledge check knowledge.tables\n"
      "Exit status: 0 done, 1 the file of `check` is not valid, 2 it cannot be read, 64 wrong usage.");
  if (const auto status = app.Parse(argc, argv)) return *status;
  if (words.empty()) return Show(options);
  if (words.front() == "export" && words.size() == 1)
    return WriteBytes(options, knowledge::WriteBook()) ? kExitOk : kExitCannot;
  if (words.front() == "check" && words.size() == 2) return CheckFile(options, words.back());
  return WrongUsage("knowledge", "'" + words.front() + "' is not an action, or has the wrong arguments",
                    "culprit knowledge --help");
}

}  // namespace culprit::cli
