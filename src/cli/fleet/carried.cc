#include "cli/fleet/carried.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>
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
  const auto heard = RunTool("stat", {"-L", "-c", kMarks, path}, kSecondsForMarks, {});
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

constexpr uint64_t kSpare = 512;  // kB that must be free besides those of the program

// Leaves nothing behind. A shell handles a signal only after the command that it waits for has ended, so the
// program runs in the background, with its own time limit if there is `timeout`. No exclamation marks here
// except before a space: csh would expand them as history, even in quotes.
constexpr const char* kCleaning =
    "d=; c=; trap '[ -z \"$d\" ] || rm -rf \"$d\"' EXIT; "
    "trap '[ -z \"$c\" ] || kill \"$c\" 2>/dev/null; exit 1' HUP INT TERM; "
    "run() { s=$1; shift; if timeout -k 5 9 true 2>/dev/null; then set -- timeout -k 5 \"$s\" \"$@\"; fi; "
    "\"$@\" </dev/null & c=$! ; wait \"$c\"; }; ";
// `same`: whether $p is the program. `take STREAM KB`: makes it from the stream, in the first directory that
// has room, as far as `df` knows, and runs programs: /tmp may be full, or mounted with noexec. `lack MACHINE
// KB`: says that it is not there.
constexpr const char* kGetting =
    "same() {{ [ -n \"$1\" ] && [ -x \"$p\" ] && [ \"$(stat -L -c '{}' \"$p\" 2>/dev/null)\" = \"$1\" ]; }}; "
    "fits() {{ df -Pk \"$1\" | {{ read -r k; read -r k k k k x; [ \"$k\" -ge \"$2\" ] || [ $? -gt 1 ]; }}; "
    "}}; "
    "make() {{ for t in \"${{TMPDIR:-/tmp}}\" /tmp /var/tmp /dev/shm \"$HOME\"; do "
    "d=$(mktemp -d \"$t/culprit.XXXXXX\") || {{ d=; continue; }}; p=$d/culprit; "
    "echo : >\"$p\" && chmod 700 \"$p\" && \"$p\" && fits \"$d\" \"$1\" && return; rm -rf \"$d\"; d=; "
    "done 2>/dev/null; cat >/dev/null; "
    "echo 'no directory has room for the program and allows execution; set TMPDIR to one that does' >&2; "
    "return 1; }}; "
    "take() {{ make \"$2\" && eval \"$1\" >\"$p\"; }}; "
    "lack() {{ r=; if fits {} \"$2\" 2>/dev/null; then r={}; fi; echo \"{}$SLURMD_NODENAME $1 $r\"; exit 0; "
    "}}; ";

std::string_view PatternsOf(const std::string& machine) {
  return std::ranges::find(kMachines, machine, &ElfMachine::name)->patterns;
}

}  // namespace

std::string UnguessedName() {
  std::random_device random;
  return fmt::format("{}/culprit.{:08x}{:08x}{:08x}", kPlace, random(), random(), random());
}

base::Result<Carried> Carried::Make(const std::vector<std::string>& files) {
  Carried carried;
  const auto known = [&](const std::string& machine) {
    return std::ranges::find(carried.programs_, machine, &CarriedProgram::machine) != carried.programs_.end();
  };
  for (const std::string& file : files) {
    auto program = Read(file);
    if (!program) return std::unexpected(program.error());
    if (known(program->machine))
      return base::Fail(base::ErrorCode::kBadFormat,
                        file + ": another program was already given for " + program->machine);
    carried.programs_.push_back(*std::move(program));
  }
  auto own = Read(system::OwnProgram());
  if (!own) return std::unexpected(own.error());
  if (!known(own->machine)) carried.programs_.push_back(*std::move(own));
  return carried;
}

std::string Carried::OnTheNode(const std::string& ask, Supply supply, int seconds) const {
  std::string cases, machines;
  uint64_t before = 0;
  for (const CarriedProgram& program : programs_) {
    // Drains the rest, so that the writer is not stopped.
    const std::string stream =
        programs_.size() == 1
            ? "cat"
            : fmt::format("tail -c +{} | {{ head -c {}; cat >/dev/null; }}", before + 1, program.size);
    const uint64_t room = program.size / 1024 + kSpare;
    const std::string take = fmt::format("take {} {}", base::ShellWord(stream), room);
    const std::string find =
        fmt::format("p={}; same {}", base::ShellWord(program.path), base::ShellWord(program.marks));
    cases += fmt::format("{}) {};; ", PatternsOf(program.machine),
                         supply == Supply::kStream ? take
                         : supply == Supply::kEither
                             ? find + " || " + take
                             : fmt::format("{} || lack {} {}", find, program.machine, room));
    machines += (machines.empty() ? "" : " or ") + program.machine;
    before += program.size;
  }
  return kCleaning + fmt::format(kGetting, kMarks, kPlace, kRoom, kLacking) +
         fmt::format(
             "case $(uname -m) in {}*) cat >/dev/null; echo \"the CPU is $(uname -m), but the program is for "
             "{}; pass one for this CPU with --program\" >&2; exit 3;; esac && run {} \"$p\" snapshot "
             "--brief {}",
             cases, machines, seconds, ask);
}

std::string Carried::PathFor(std::string_view machine) const {
  const auto program = std::ranges::find(programs_, machine, &CarriedProgram::machine);
  return program == programs_.end() ? "" : program->path;
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
