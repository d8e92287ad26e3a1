#include "collect/build/flags.h"

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace culprit::collect {
namespace {

using Words = std::vector<std::string>;

void AddOnce(Words& list, std::string word) {
  if (!word.empty() && std::ranges::find(list, word) == list.end()) list.push_back(std::move(word));
}

// "sm_80", "compute_90a", "lto_80".
bool IsCode(std::string_view text) {
  for (const std::string_view kind : {"sm_", "compute_", "lto_"}) {
    if (text.starts_with(kind) && text.size() > kind.size() && text[kind.size()] >= '0' &&
        text[kind.size()] <= '9')
      return true;
  }
  return false;
}

// "arch=compute_80,code=[compute_80,sm_80]": what is in `code` is in the program.
void AddGencode(std::string_view value, CompilerFlags& flags) {
  const size_t code = value.find("code=");
  if (code == std::string_view::npos) return;
  for (const std::string& word : base::SplitWords(value.substr(code + 5), ",[]\"'\\")) {
    if (IsCode(word)) AddOnce(flags.architectures, word);
  }
}

// -arch=sm_80 is short for -gencode arch=compute_80,code=[sm_80,compute_80]; with -code it only says which
// PTX is made on the way.
void AddArch(const std::string& arch, const Words& codes, CompilerFlags& flags) {
  for (const std::string& code : codes) AddOnce(flags.architectures, code);
  if (!codes.empty() || arch.empty()) return;
  if (arch == "native" || arch == "all" || arch == "all-major") AddOnce(flags.architectures, arch);
  if (!IsCode(arch)) return;
  AddOnce(flags.architectures, arch);
  if (arch.starts_with("sm_")) AddOnce(flags.architectures, "compute_" + arch.substr(3));
}

// Reads options in both spellings: "-o value", "-o=value", and for `joined` also "-ovalue".
class OptionReader {
 public:
  explicit OptionReader(const Words& words, size_t at) : words_(words), at_(at) {}
  bool Next() { return ++at_ < words_.size(); }
  const std::string& word() const { return words_[at_]; }

  std::optional<std::string> Value(std::initializer_list<std::string_view> names, bool joined = false) {
    for (const std::string_view name : names) {
      const std::string& word = words_[at_];
      if (word == name) {
        if (at_ + 1 >= words_.size()) return std::nullopt;
        return words_[++at_];
      }
      if (!word.starts_with(name)) continue;
      if (word[name.size()] == '=') return word.substr(name.size() + 1);
      if (joined) return word.substr(name.size());
    }
    return std::nullopt;
  }

 private:
  const Words& words_;
  size_t at_;
};

// -Wl,-rpath,/x and -Xlinker -rpath -Xlinker /x; nvcc also passes -Xlinker=-rpath,/x.
void AddRunPaths(const Words& words, CompilerFlags& flags) {
  bool next = false;
  for (const std::string& word : words) {
    for (const std::string& piece : base::SplitWords(word, ",")) {
      if (piece == "-Wl" || piece == "-Xlinker") continue;
      if (next) {
        for (const std::string& directory : base::SplitWords(piece, ":")) AddOnce(flags.run_paths, directory);
      }
      next = piece == "-rpath" || piece == "--rpath" || piece == "-Xlinker=-rpath";
      for (const std::string_view name : {"-rpath=", "--rpath=", "-Xlinker=-rpath="}) {
        if (!piece.starts_with(name)) continue;
        for (const std::string& directory : base::SplitWords(piece.substr(name.size()), ":"))
          AddOnce(flags.run_paths, directory);
      }
    }
  }
}

// A compiler that a launcher starts: "ccache /usr/local/cuda/bin/nvcc".
std::string Program(const Words& words) {
  for (const std::string& word : words) {
    const std::string_view name = base::BaseName(word);
    if (name == "ccache" || name == "sccache" || name == "distcc" || name == "env") continue;
    return word;
  }
  return "";
}

}  // namespace

Words ShellWords(std::string_view text) {
  Words words;
  std::string word;
  bool inside = false;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      word += text[++i];
      inside = true;
    } else if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
      inside = true;
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      if (inside) words.push_back(std::move(word));
      word.clear();
      inside = false;
    } else {
      word += c;
      inside = true;
    }
  }
  if (inside) words.push_back(std::move(word));
  return words;
}

CompilerFlags ReadFlags(const Words& words, bool with_program) {
  CompilerFlags flags;
  if (words.empty()) return flags;
  if (with_program) flags.compiler = Program(words);
  Words plain, system, after;
  std::string arch;
  Words codes;
  OptionReader reader(words, with_program ? 0 : static_cast<size_t>(-1));
  while (reader.Next()) {
    if (const auto code = reader.Value({"-gencode", "--generate-code"})) {
      AddGencode(*code, flags);
    } else if (const auto value = reader.Value({"-arch", "--gpu-architecture", "--cuda-gpu-arch"})) {
      arch = *value;
    } else if (const auto list = reader.Value({"-code", "--gpu-code"})) {
      codes = base::SplitWords(*list, ",");
    } else if (const auto compiler = reader.Value({"-ccbin", "--compiler-bindir"})) {
      flags.host_compiler = *compiler;
    } else if (const auto late = reader.Value({"-idirafter"}, true)) {
      AddOnce(after, *late);
    } else if (const auto quiet = reader.Value({"-isystem", "--system-include"}, true)) {
      AddOnce(system, *quiet);
    } else if (const auto include = reader.Value({"-I", "--include-path"}, true)) {
      AddOnce(plain, *include);
    }
  }
  AddArch(arch, codes, flags);
  AddRunPaths(words, flags);
  // gcc ignores -I for a directory that it searches anyway.
  std::erase(plain, "/usr/include");
  for (const Words* list : {&plain, &system, &after}) {
    for (const std::string& directory : *list) AddOnce(flags.includes, directory);
  }
  return flags;
}

Words CmakeArchitectures(std::string_view value) {
  Words codes;
  for (const std::string& element : base::SplitWords(value, "; ,")) {
    if (element == "native" || element == "all" || element == "all-major") {
      AddOnce(codes, element);
      continue;
    }
    if (element.front() < '0' || element.front() > '9') continue;  // OFF, a generator expression
    const std::string number = element.substr(0, element.find('-'));
    if (!element.ends_with("-virtual")) AddOnce(codes, "sm_" + number);
    if (!element.ends_with("-real")) AddOnce(codes, "compute_" + number);
  }
  return codes;
}

}  // namespace culprit::collect
