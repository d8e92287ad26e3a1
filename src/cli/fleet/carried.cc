#include "cli/fleet/carried.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/shell_word.h"
#include "base/text.h"
#include "cli/fleet/tool.h"
#include "cli/options.h"
#include "system/own_program.h"

namespace culprit::cli {
namespace {

// The CPU that a file is for, from the ELF header: e_ident, then e_machine in its 19th byte.
struct ElfMachine {
  unsigned number;  // EM_*
  std::string_view name, patterns;
};
constexpr std::array<ElfMachine, 2> kMachines = {
    {{62, "x86_64", "x86_64|amd64"}, {183, "aarch64", "aarch64|arm64"}}};

const ElfMachine* MachineOf(std::span<const std::byte, 20> header) {
  const auto byte = [&](size_t place) { return std::to_integer<unsigned>(header[place]); };
  const bool elf64 =
      byte(0) == 0x7f && byte(1) == 'E' && byte(2) == 'L' && byte(3) == 'F' && byte(4) == 2 && byte(5) == 1;
  const auto at = std::ranges::find(kMachines, byte(18) | byte(19) << 8, &ElfMachine::number);
  return elf64 && at != kMachines.end() ? &*at : nullptr;
}

// Asked of the same tool as on the node.
constexpr const char* kMarks = "%s %Y %u";
constexpr int kSecondsForMarks = 10;

std::string MarksOf(const std::string& path) {
  const auto heard = RunTool("stat", {"-L", "-c", kMarks, path}, kSecondsForMarks);
  return heard && heard->end.exit_status == 0 ? std::string(base::Trim(heard->output)) : "";
}

base::Result<CarriedProgram> Read(const std::string& named) {
  const auto host = system::RealSystem();
  const std::string path = PathOnMachine(*host, named);
  const auto file = host->Open(path);
  if (!file || file->bytes == nullptr)
    return base::Fail(base::ErrorCode::kNotReadable,
                      named + ": " + (file ? "not a file" : std::string(base::Strerror(file.error()))));
  std::array<std::byte, 20> header{};
  const auto read = file->bytes->ReadAt(0, header);
  const ElfMachine* machine = read && *read == header.size() ? MachineOf(header) : nullptr;
  if (machine == nullptr)
    return base::Fail(base::ErrorCode::kBadFormat, named + ": not a Linux program for x86_64 or aarch64");
  return CarriedProgram{path, file->bytes->size(), std::string(machine->name), MarksOf(path)};
}

std::string_view PatternsOf(const std::string& machine) {
  return std::ranges::find(kMachines, machine, &ElfMachine::name)->patterns;
}

}  // namespace

base::Result<Carried> Carried::Make(const std::vector<std::string>& files) {
  Carried carried;
  const auto known = [&](const std::string& machine) {
    return std::ranges::find(carried.programs_, machine, &CarriedProgram::machine) != carried.programs_.end();
  };
  for (const std::string& file : files) {
    auto program = Read(file);
    if (!program) return std::unexpected(program.error());
    if (known(program->machine))
      return base::Fail(base::ErrorCode::kBadFormat, file + ": a second program for " + program->machine);
    carried.programs_.push_back(*std::move(program));
  }
  auto own = Read(system::OwnProgram());
  if (!own) return std::unexpected(own.error());
  if (!known(own->machine)) carried.programs_.push_back(*std::move(own));
  return carried;
}

std::string Carried::OnTheNode(const std::string& ask, Supply supply) const {
  std::string cases, machines;
  uint64_t before = 0;
  for (const CarriedProgram& program : programs_) {
    // What is not read must not stop who writes.
    const std::string stream =
        programs_.size() == 1
            ? "cat"
            : fmt::format("tail -c +{} | {{ head -c {}; cat >/dev/null; }}", before + 1, program.size);
    const std::string take = "take " + base::ShellWord(stream);
    const std::string find =
        fmt::format("p={}; same {}", base::ShellWord(program.path), base::ShellWord(program.marks));
    cases += fmt::format("{}) {};; ", PatternsOf(program.machine),
                         supply == Supply::kStream   ? take
                         : supply == Supply::kEither ? find + " || " + take
                                                     : find + " || lack");
    machines += (machines.empty() ? "" : " or ") + program.machine;
    before += program.size;
  }
  return fmt::format(
      "d=; trap '[ -z \"$d\" ] || rm -rf \"$d\"' EXIT; trap 'exit 1' HUP INT TERM; "
      "same() {{ [ -n \"$1\" ] && [ -x \"$p\" ] && [ \"$(stat -L -c '{}' \"$p\" 2>/dev/null)\" = \"$1\" ]; "
      "}}; "
      "take() {{ d=$(mktemp -d \"${{TMPDIR:-/tmp}}/culprit.XXXXXX\") && p=$d/culprit && eval \"$1\" >\"$p\" "
      "&& "
      "chmod 700 \"$p\"; }}; "
      "lack() {{ echo \"{}$SLURMD_NODENAME\"; exit 0; }}; "
      "case $(uname -m) in {}*) cat >/dev/null; echo \"the CPU is $(uname -m), the program is for {}: give "
      "another with --program\" >&2; exit 3;; esac && \"$p\" snapshot --brief {}",
      kMarks, kLacking, cases, machines, ask);
}

std::string Carried::Printing() const {
  std::vector<std::string> words = {"cat", "--"};
  for (const CarriedProgram& program : programs_) words.push_back(program.path);
  return base::ShellWords(words);
}

std::string Carried::Feeding(const std::vector<std::string>& command) const {
  if (programs_.size() == 1)
    return "exec " + base::ShellWords(command) + " <" + base::ShellWord(programs_[0].path);
  return Printing() + " | " + base::ShellWords(command);
}

}  // namespace culprit::cli
