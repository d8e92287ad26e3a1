#include "run/watch/reach.h"

#include <algorithm>
#include <span>
#include <vector>

#include "base/text.h"
#include "binfmt/elf/elf.h"
#include "system/more_rights.h"
#include "system/terminal_child.h"

namespace culprit::watch {
namespace {

constexpr int kMaxScripts = 4;  // as many as the kernel follows
constexpr uint64_t kFirstLine = 256;

// "python3" for "#!/usr/bin/env -S python3 -u"; "" if it is not a script.
std::string InterpreterOf(const base::ByteSource& bytes) {
  std::string line(static_cast<size_t>(std::min<uint64_t>(bytes.size(), kFirstLine)), '\0');
  if (!bytes.ReadAt(0, std::as_writable_bytes(std::span(line)))) return "";
  if (!line.starts_with("#!")) return "";
  line = line.substr(2, line.find('\n') == std::string::npos ? line.size() : line.find('\n') - 2);
  std::vector<std::string> words = base::SplitWords(line, " \t\r");
  if (words.empty()) return "";
  if (base::BaseName(words.front()) != "env") return words.front();
  for (size_t i = 1; i < words.size(); ++i) {
    if (words[i].starts_with('-') || words[i].find('=') != std::string::npos) continue;
    return system::FindCommand(words[i]).path;
  }
  return words.front();
}

// The ELF number of a CPU name; 0 for any other.
uint16_t MachineOf(const std::string& cpu) { return cpu == "x86_64" ? 62 : cpu == "aarch64" ? 183 : 0; }

}  // namespace

Reach ReachOf(const system::System& machine, const std::string& path) {
  Reach reach;
  reach.program = base::CleanPath(base::JoinPath(machine.WorkingDirectory(), path));
  if (base::BaseName(path).starts_with("valgrind")) {
    reach.why_not = "under valgrind, an audit library causes false memory errors from the loader";
    reach.harmful = true;
    return reach;
  }
  system::Outcome<system::OpenFile> file = machine.Open(reach.program);
  for (int i = 0; i < kMaxScripts && file && file->bytes; ++i) {
    if (system::HasMoreRights(reach.program)) {
      reach.why_not = reach.program +
                      " runs with elevated privileges (setuid or similar), so the loader ignores LD_AUDIT";
      return reach;
    }
    const std::string interpreter = InterpreterOf(*file->bytes);
    if (interpreter.empty()) break;
    reach.program = base::CleanPath(base::JoinPath(machine.WorkingDirectory(), interpreter));
    file = machine.Open(reach.program);
  }
  if (!file || !file->bytes) return reach;
  const binfmt::ElfFile elf = binfmt::ReadElf(*file->bytes);
  if (elf.problem == binfmt::ElfProblem::kNotElf || elf.problem == binfmt::ElfProblem::kTooShort)
    return reach;
  const uint16_t ours = MachineOf(machine.HostCpu().machine);
  if (elf.bits() == 32) {
    reach.why_not = reach.program + " is a 32-bit program";
    reach.harmful = true;
  } else if (ours != 0 && elf.machine != ours) {
    reach.why_not = reach.program + " is a program for " + binfmt::MachineName(elf.machine);
    reach.harmful = true;
  } else if (!elf.interpreter) {
    reach.why_not = reach.program + " is statically linked; only programs that it starts can be watched";
  } else if (elf.interpreter->find("ld-musl") != std::string::npos) {
    reach.why_not = reach.program + " uses the musl loader, which does not support auditing";
    reach.harmful = true;
  }
  return reach;
}

}  // namespace culprit::watch
