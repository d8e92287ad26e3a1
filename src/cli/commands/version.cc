// culprit --version --verbose
#include <fmt/format.h>

#include "base/product_version.h"
#include "cli/command.h"
#include "cli/options.h"
#include "collect/look.h"
#include "collect/stack.h"
#include "render/edition.h"
#include "system/system.h"

namespace culprit::cli {
namespace {

// "Debian GNU/Linux 12 (bookworm), kernel 6.1.0, aarch64"
std::string SystemInWords() {
  const auto machine = system::RealSystem();
  const snapshot::Snapshot seen = collect::LookAtMachine(*machine);
  if (seen.windows() != nullptr)
    return fmt::format("Windows {}, {}", seen.windows()->version, seen.cpu.machine);
  const auto context = collect::CollectContext({.system = *machine,
                                                .environment = seen.environment,
                                                .working_directory = seen.working_directory,
                                                .python = ""});
  if (!context) return seen.cpu.machine;
  return fmt::format("{}, kernel {}, {}",
                     context->distribution.empty() ? "unknown distribution" : context->distribution,
                     context->kernel, seen.cpu.machine);
}

}  // namespace

int RunVersion(int argc, const char* const* argv) {
  bool verbose = false;
  CommandLine app("Prints the version of culprit.", "culprit --version");
  app.Add("-v,--verbose", verbose, "also the commit, the date of the tables, and the system");
  if (const auto status = app.Parse(argc, argv)) return *status;
  std::string text = fmt::format("culprit {}\n", base::ProductVersion());
  if (verbose) {
    text += fmt::format("commit  {}\n", base::ProductCommit()) + render::EditionText() + "\n" +
            render::EditionNotes();
    text += fmt::format("system  {}\n", base::Printable(SystemInWords()));
  }
  return Print(text);
}

}  // namespace culprit::cli
