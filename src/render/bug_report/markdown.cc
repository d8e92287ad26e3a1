// The file that people attach to an issue: room for their own words first, then the diagnosis, then the
// machine.
#include "render/markdown.h"

#include "base/product_version.h"
#include "render/bug_report/bug_report.h"
#include "render/check/check.h"
#include "render/edition.h"

namespace culprit::render {
namespace {

// What people wrote themselves goes first, so there is room for it.
constexpr std::string_view kAsked =
    "### What happened\n\n"
    "(what you ran, what you expected, what you saw; the whole error message helps most)\n\n";

std::string MachineTable(const std::vector<report::StackRow>& rows) {
  std::string table = "| | | where | |\n|---|---|---|---|\n";
  for (const report::StackRow& row : rows) {
    table += "| " + Plain(row.what) + " | " + Plain(row.value) + " | " +
             (row.where.empty() ? "" : Code(row.where)) + " | " + Plain(row.detail) + " |\n";
  }
  return table;
}

std::string NamedLines(const report::NamedValues& values, const char* between) {
  std::string text;
  for (const auto& [name, value] : values)
    text += base::Printable(name) + between + base::Printable(value) + "\n";
  return Fenced("", text);
}

}  // namespace

std::string ToMarkdown(const report::BugReport& report) {
  std::string text = std::string(kAsked) + ToMarkdown(report.check);
  text += "commit " + std::string(base::ProductCommit()) + ", " + EditionText() + "\n\n";
  text += "### The machine\n\n" + MachineTable(report.machine) + "\n";
  if (!report.variables.empty()) text += Folded("variables", NamedLines(report.variables, "=")) + "\n";
  for (const report::EnvironmentPackages& environment : report.environments) {
    const std::string title = "packages of " + Plain(environment.prefix) + ", Python " +
                              Plain(environment.python.empty() ? "of unknown version" : environment.python);
    text += Folded(title, environment.packages.empty() ? "none\n" : NamedLines(environment.packages, "==")) +
            "\n";
  }
  return text;
}

}  // namespace culprit::render
