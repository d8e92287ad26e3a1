// The calls of the compilers and the linker, as build systems write them down.
#include <algorithm>
#include <set>

#include "base/json.h"
#include "base/text.h"
#include "collect/build/parts.h"
#include "snapshot/json/parse_json.h"

namespace culprit::collect {
namespace {

using snapshot::BuildFolder;
using snapshot::BuildItem;

constexpr size_t kMostArchitectures = 8;  // different lists of one folder
constexpr size_t kMostCommands = 20'000;

std::string Text(const base::Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

std::vector<std::string> CommandOf(const base::Json& item) {
  std::vector<std::string> words;
  const auto arguments = item.find("arguments");
  if (arguments == item.end() || !arguments->is_array()) return ShellWords(Text(item, "command"));
  for (const base::Json& word : *arguments) {
    if (word.is_string()) words.push_back(word.get<std::string>());
  }
  return words;
}

bool IsNvcc(std::string_view program) { return base::BaseName(program) == "nvcc"; }

// Flags of CUDA are read from calls of nvcc, and of clang for a .cu file; the others only have include paths.
bool CompilesCuda(const CompilerFlags& flags, std::string_view file) {
  return IsNvcc(flags.compiler) || file.ends_with(".cu");
}

bool HasAny(std::string_view line, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return base::Contains(line, word); });
}

// Thousands of calls have the same flags, and each include directory costs a look at the disk.
class FlagsSeen {
 public:
  bool IsFresh(const CompilerFlags& flags) {
    std::string key = flags.compiler + "\n" + flags.host_compiler;
    for (const auto* list : {&flags.architectures, &flags.includes, &flags.run_paths}) {
      for (const std::string& word : *list) key += "\n" + word;
      key += "\n";
    }
    return seen_.insert(std::move(key)).second;
  }

 private:
  std::set<std::string> seen_;
};

void AddLinked(const std::vector<std::string>& words, const std::string& name, const std::string& source,
               BuildFolder& folder) {
  for (const std::string& word : words) {
    if (word.starts_with('/') && base::BaseName(word).starts_with("libcudnn"))
      AddSetting(folder, {BuildItem::kCudnnLibrary, name, base::CleanPath(word), "", source});
  }
}

// "nvcc = /usr/local/cuda/bin/nvcc", "cuda_cflags = ...", "  FLAGS = ...", "CUDA_FLAGS = ...".
void ReadRuleLine(const system::System& system, const std::string& line, const std::string& source,
                  FlagsSeen& seen, BuildFolder& folder) {
  const size_t equal = line.find(" =");
  std::string name(base::Trim(line.substr(0, equal == std::string::npos ? 0 : equal)));
  const std::string value = equal == std::string::npos ? line : line.substr(equal + 2);
  if (name == "nvcc") {
    const std::string nvcc(base::Trim(value));
    if (nvcc.starts_with('/')) AddSetting(folder, {BuildItem::kNvcc, name, nvcc, "", source});
    return;
  }
  if (!HasAny(line, {"-gencode", "--generate-code", "-arch=", "-isystem", "-I", "-rpath", "libcudnn"}))
    return;
  if (name.empty()) name = base::BaseName(source.substr(0, source.rfind(':')));  // a file of bare flags
  const std::vector<std::string> words = ShellWords(value);
  if (const CompilerFlags flags = ReadFlags(words, /*with_program=*/false); seen.IsFresh(flags))
    AddFlags(system, flags, name, source, folder);
  AddLinked(words, name, source, folder);
}

}  // namespace

void AddSetting(BuildFolder& folder, snapshot::BuildSetting setting) {
  const auto same = [&](const snapshot::BuildSetting& other) {
    return other.item == setting.item && other.value == setting.value &&
           (!setting.value.empty() || other.name == setting.name);
  };
  if (std::ranges::none_of(folder.settings, same)) folder.settings.push_back(std::move(setting));
}

void AddFlags(const system::System& system, const CompilerFlags& flags, const std::string& name,
              const std::string& source, BuildFolder& folder) {
  std::string codes;
  for (const std::string& code : flags.architectures) codes += (codes.empty() ? "" : " ") + code;
  const auto lists =
      std::ranges::count(folder.settings, BuildItem::kArchitectures, &snapshot::BuildSetting::item);
  if (!codes.empty() && static_cast<size_t>(lists) < kMostArchitectures)
    AddSetting(folder, {BuildItem::kArchitectures, name, codes, "", source});
  for (const std::string& directory : flags.run_paths)
    AddSetting(folder, {BuildItem::kRunPath, name, directory, "", source});
  if (!flags.host_compiler.empty() && folder.host_compiler.path.empty()) {
    folder.host_compiler.path = flags.host_compiler;
    folder.host_compiler.source = "chosen by -ccbin of " + name + " in " + source;
  }
  // What the compiler finds first.
  bool cuda = false, cudnn = false;
  for (const std::string& directory : flags.includes) {
    if (!directory.starts_with('/')) continue;
    const std::string cuda_header = base::JoinPath(directory, "cuda.h");
    if (!cuda && system.Stat(cuda_header)) {
      AddSetting(folder, {BuildItem::kToolkitFile, name, cuda_header, "", source});
      cuda = true;
    }
    for (const char* header : {"cudnn_version.h", "cudnn.h"}) {
      const std::string path = base::JoinPath(directory, header);
      if (cudnn || !system.Stat(path)) continue;
      AddSetting(folder, {BuildItem::kCudnnHeader, name, path, "", source});
      cudnn = true;
    }
  }
}

void ReadCompileCommands(const system::System& system, BuildFolder& folder) {
  const std::string path = base::JoinPath(folder.path, "compile_commands.json");
  const auto text = system::ReadWholeFile(system, path, kBuildFileLimit);
  if (!text) {
    if (text.error() != base::PathError::kNoEntry) folder.unread.push_back(path);
    return;
  }
  const auto json = snapshot::ParseJson(*text);
  if (!json || !json->is_array()) {
    folder.unread.push_back(path);
    return;
  }
  size_t read = 0;
  FlagsSeen seen;
  for (const base::Json& item : *json) {
    if (!item.is_object()) continue;
    if (++read > kMostCommands) break;
    const std::string file = Text(item, "file");
    CompilerFlags flags = ReadFlags(CommandOf(item), /*with_program=*/true);
    if (!CompilesCuda(flags, file)) {
      flags.architectures.clear();
      flags.host_compiler.clear();
    }
    if (IsNvcc(flags.compiler) && flags.compiler.starts_with('/'))
      AddSetting(folder, {BuildItem::kNvcc, "the compile command of " + file, flags.compiler, "", path});
    if (seen.IsFresh(flags)) AddFlags(system, flags, "the compile command of " + file, path, folder);
  }
}

void ReadBuildRules(const system::System& system, const std::string& path, BuildFolder& folder) {
  const auto text = system::ReadWholeFile(system, path, kBuildFileLimit);
  if (!text) {
    if (text.error() != base::PathError::kNoEntry) folder.unread.push_back(path);
    return;
  }
  size_t number = 0;
  FlagsSeen seen;
  for (const std::string& line : base::Split(*text, '\n'))
    ReadRuleLine(system, line, path + ":" + std::to_string(++number), seen, folder);
}

}  // namespace culprit::collect
