// Compares our model of glibc's ld.so with ld.so itself, on everything installed: for each program and shared
// library of this machine, the list that LD_TRACE_LOADED_OBJECTS=1 prints (what ldd shows), in order, with
// what is missing and messages about symbol versions; and the undefined symbols that it prints with LD_WARN=1
// and LD_BIND_NOW=1 (ldd -r). ld.so runs as a command, so nothing of the file is executed.
#include <elf.h>
#include <link.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "child.h"
#include "collect/look.h"
#include "loader/load.h"
#include "options.h"
#include "pool.h"
#include "system/system.h"
#include "transcript.h"

namespace culprit::gold {
namespace {

namespace fs = std::filesystem;

// A program or library for the same machine as this program.
bool IsNative(const std::string& path) {
  ElfW(Ehdr) header;
  std::ifstream stream(path, std::ios::binary);
  if (!stream.read(reinterpret_cast<char*>(&header), sizeof header)) return false;
  static const ElfW(Ehdr) own = [] {
    ElfW(Ehdr) value;
    std::ifstream self("/proc/self/exe", std::ios::binary);
    self.read(reinterpret_cast<char*>(&value), sizeof value);
    return value;
  }();
  return std::memcmp(header.e_ident, own.e_ident, EI_VERSION + 1) == 0 && header.e_machine == own.e_machine &&
         (header.e_type == ET_DYN || header.e_type == ET_EXEC);
}

std::vector<std::string> InstalledFiles() {
  std::set<std::string> files;
  for (const char* root : {"/usr/bin", "/usr/sbin", "/usr/lib", "/usr/libexec", "/lib", "/lib64",
                           "/usr/lib64", "/usr/local", "/opt"}) {
    std::error_code error;
    constexpr auto kOptions = fs::directory_options::skip_permission_denied;
    for (fs::recursive_directory_iterator it(root, kOptions, error), end; it != end && !error;
         it.increment(error)) {
      std::error_code ignored;
      if (!it->is_regular_file(ignored) || it->is_symlink(ignored)) continue;
      const fs::path real = fs::canonical(it->path(), ignored);
      if (!ignored && IsNative(real.string())) files.insert(real.string());
    }
  }
  return {files.begin(), files.end()};
}

// The loader that started this program.
std::string OwnInterpreter() {
  const auto system = system::RealSystem();
  const auto look = collect::LookAt(*system, "/proc/self/exe");
  return look ? look->interpreter : "";
}

using Symbols = std::set<std::string>;  // "undefined NAME in FILE"

// The model lists no more for a file.
constexpr size_t kMostSymbols = 512;

// Without versions: "undefined symbol: NAME<tab>(FILE)".
Symbols UndefinedByReal(const std::string& interpreter, const std::string& file) {
  const Ran ran = Spawn(interpreter, interpreter, {file},
                        {{"LD_TRACE_LOADED_OBJECTS", "1"}, {"LD_WARN", "1"}, {"LD_BIND_NOW", "1"}}, "/");
  Symbols symbols;
  for (const std::string& line : Lines(ran.out + ran.err)) {
    constexpr std::string_view kWords = "undefined symbol: ";
    const size_t tab = line.rfind("\t(");
    if (!line.starts_with(kWords) || tab == line.npos || line.contains(", version ")) continue;
    symbols.insert("undefined " + line.substr(kWords.size(), tab - kWords.size()) + " in " +
                   line.substr(tab + 2, line.size() - tab - 3));
  }
  return symbols;
}

Symbols UndefinedIn(const loader::LoadGraph& graph) {
  Symbols symbols;
  for (const loader::MissingExport& missing : graph.missing_exports) {
    if (missing.of_any) symbols.insert("undefined " + missing.function + " in " + missing.importer);
  }
  return symbols;
}

std::vector<std::string> AskReal(const std::string& interpreter, const std::string& file, bool dynamic) {
  if (!dynamic) return {"not for this loader"};
  const Ran ran = Spawn(interpreter, interpreter, {file}, {{"LD_TRACE_LOADED_OBJECTS", "1"}}, "/");
  if (ran.timed_out) return {"trace did not end"};
  if (ran.out.find("\tstatically linked\n") != std::string::npos) return {"statically linked"};
  return ReadTrace(ran, interpreter, "");
}

// In the same form as AskReal().
std::vector<std::string> AskModel(const std::string& interpreter, const std::string& file,
                                  Symbols& undefined) {
  const auto system = system::RealSystem();
  auto look = collect::LookAt(*system, file);
  if (!look) return {"LookAt: " + look.error().message};
  look->snapshot.environment.clear();
  look->snapshot.working_directory = "/";
  const auto& elf = look->view->Open(file).elf;
  if (elf == nullptr || !elf->has_dynamic || look->interpreter != interpreter) return {"not for this loader"};
  const loader::LoadGraph graph = loader::Load(look->snapshot, *look->view,
                                               {.target = file,
                                                .target_as_given = file,
                                                .interpreter = look->interpreter,
                                                .known_dlopens = false,
                                                .calls = {}});
  if (graph.uncertain) return {"uncertain: " + graph.error};
  undefined = UndefinedIn(graph);
  const bool asks = std::ranges::any_of(
      elf->requests, [](const auto& request) { return request.kind == binfmt::ElfRequest::Kind::kNeeded; });
  if (!asks && graph.error.empty()) return {"statically linked"};
  return TraceOf(graph, file);
}

// ld.so --verify says 0 for a program, 2 for a file without an interpreter, 1 for one that is not dynamic. It
// ignores PT_INTERP, so we read that to recognize programs for another loader.
bool IsForThisLoader(const std::string& interpreter, const std::string& file) {
  const Ran ran = Spawn(interpreter, interpreter, {"--verify", file}, {}, "/");
  if (!WIFEXITED(ran.status) || (WEXITSTATUS(ran.status) != 0 && WEXITSTATUS(ran.status) != 2)) return false;
  if (WEXITSTATUS(ran.status) == 2) return true;
  std::ifstream stream(file, std::ios::binary);
  ElfW(Ehdr) header;
  stream.read(reinterpret_cast<char*>(&header), sizeof header);
  for (size_t i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) ph;
    stream.seekg(static_cast<std::streamoff>(header.e_phoff + i * sizeof ph));
    if (!stream.read(reinterpret_cast<char*>(&ph), sizeof ph)) return false;
    if (ph.p_type != PT_INTERP) continue;
    std::string name;
    stream.seekg(static_cast<std::streamoff>(ph.p_offset));
    std::getline(stream, name, '\0');
    return name == interpreter;
  }
  return true;
}

// "=" and the loader's trace where both agree, else "!" and how they differ.
std::string Compare(const std::string& interpreter, const std::string& file) {
  Transcript real, model;
  real.trace = AskReal(interpreter, file, IsForThisLoader(interpreter, file));
  Symbols undefined;
  model.trace = AskModel(interpreter, file, undefined);
  // Where a library is missing, the model does not say what is missing besides.
  const bool whole = std::ranges::none_of(
      real.trace, [](const std::string& line) { return line.ends_with(" => not found"); });
  if (whole && real.trace == model.trace) {
    const Symbols truth = UndefinedByReal(interpreter, file);
    if (truth.size() < kMostSymbols || undefined.size() < kMostSymbols) {
      real.trace.insert(real.trace.end(), truth.begin(), truth.end());
      model.trace.insert(model.trace.end(), undefined.begin(), undefined.end());
    }
  }
  const std::string difference = Difference(real, model);
  if (!difference.empty()) return "!" + file + "\n" + difference;
  std::string text = "=";
  for (const auto& line : real.trace) text += line + "\n";
  return text;
}

int Main(int argc, char** argv) {
  Options options = ParseOptions(argc, argv, {.program = "gold_installed", .count = UINT64_MAX});
  const std::string interpreter = OwnInterpreter();
  if (interpreter.find("/ld-linux") == std::string::npos) {
    std::printf("skipped: the loader of this machine, %s, is not glibc's\n", interpreter.c_str());
    return kSkipped;
  }
  std::vector<std::string> files = InstalledFiles();
  std::erase(files, fs::canonical(interpreter).string());
  files.resize(std::min<size_t>(files.size(), options.count));
  const auto begun = std::chrono::steady_clock::now();
  uint64_t agree = 0, differ = 0, lines = 0, missing = 0, other = 0, symbols = 0;
  RunPool(
      files.size(), options.jobs,
      [&](uint64_t number, unsigned) {
        if (options.limit != 0 &&
            std::chrono::steady_clock::now() - begun > std::chrono::seconds(options.limit))
          return std::string("=late");
        return Compare(interpreter, files[number]);
      },
      [&](const Piece& piece) {
        if (piece.text == "=late") return;
        if (!piece.crashed && piece.text.starts_with('=')) {
          ++agree;
          for (const std::string& line : Lines(piece.text)) {
            lines += line.find(" => ") != std::string::npos ? 1 : 0;
            missing += line.ends_with(" => not found") ? 1 : 0;
            symbols += line.starts_with("undefined ") ? 1 : 0;
            other += line.starts_with("=not ") || line.starts_with("=statically") ? 1 : 0;
          }
          return;
        }
        ++differ;
        std::printf("---- %s differs\n%s", files[piece.number].c_str(), piece.text.c_str());
        std::fflush(stdout);
      });
  std::printf(
      "%llu dependencies, %llu missing; %llu undefined symbols; %llu files static or for another loader\n",
      static_cast<unsigned long long>(lines), static_cast<unsigned long long>(missing),
      static_cast<unsigned long long>(symbols), static_cast<unsigned long long>(other));
  std::printf("%llu files agree, %llu differ\n", static_cast<unsigned long long>(agree),
              static_cast<unsigned long long>(differ));
  return differ == 0 ? 0 : 1;
}

}  // namespace
}  // namespace culprit::gold

int main(int argc, char** argv) {
  return culprit::gold::RunMain("gold_installed", culprit::gold::Main, argc, argv);
}
