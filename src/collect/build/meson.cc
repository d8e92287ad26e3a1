// Meson describes what it found in meson-info/intro-*.json (https://mesonbuild.com/IDE-integration.html).
#include "base/json.h"
#include "base/text.h"
#include "collect/build/parts.h"
#include "snapshot/json/parse_json.h"

namespace culprit::collect {
namespace {

using snapshot::BuildFolder;
using snapshot::BuildItem;

const base::Json* Member(const base::Json* json, const char* key) {
  if (json == nullptr || !json->is_object()) return nullptr;
  const auto found = json->find(key);
  return found == json->end() ? nullptr : &*found;
}

std::string TextOf(const base::Json* json) {
  return json != nullptr && json->is_string() ? json->get<std::string>() : "";
}

base::Json ReadInfo(const system::System& system, const std::string& path, BuildFolder& folder) {
  const auto text = system::ReadWholeFile(system, path, kBuildFileLimit);
  if (!text) return {};
  auto json = snapshot::ParseJson(*text);
  if (json) return std::move(*json);
  folder.unread.push_back(path);
  return {};
}

// {"host": {"cuda": {"exelist": ["/usr/local/cuda/bin/nvcc"], "version": "12.4"}}}
void AddMesonCompilers(const base::Json& json, const std::string& path, BuildFolder& folder) {
  const base::Json* cuda = Member(Member(&json, "host"), "cuda");
  const base::Json* programs = Member(cuda, "exelist");
  if (programs == nullptr || !programs->is_array() || programs->empty()) return;
  const std::string nvcc = TextOf(&programs->back());
  if (nvcc.starts_with('/'))
    AddSetting(folder, {BuildItem::kNvcc, "cuda", nvcc, TextOf(Member(cuda, "version")), path});
}

// [{"name": "cudnn", "link_args": ["/usr/lib/x86_64-linux-gnu/libcudnn.so"]}]
void AddMesonDependencies(const system::System& system, const base::Json& json, const std::string& path,
                          BuildFolder& folder) {
  if (!json.is_array()) return;
  for (const base::Json& dependency : json) {
    std::vector<std::string> words;
    for (const char* key : {"compile_args", "link_args"}) {
      const base::Json* arguments = Member(&dependency, key);
      if (arguments == nullptr || !arguments->is_array()) continue;
      for (const base::Json& word : *arguments) words.push_back(TextOf(&word));
    }
    const std::string name = "dependency " + TextOf(Member(&dependency, "name"));
    AddFlags(system, ReadFlags(words, /*with_program=*/false), name, path, folder);
    for (const std::string& word : words) {
      if (word.starts_with('/') && base::BaseName(word).starts_with("libcudnn"))
        AddSetting(folder, {BuildItem::kCudnnLibrary, name, base::CleanPath(word), "", path});
      if (word.starts_with('/') && base::BaseName(word).starts_with("libcudart"))
        AddSetting(folder, {BuildItem::kToolkitFile, name, base::CleanPath(word), "", path});
    }
  }
}

}  // namespace

void ReadMeson(const system::System& system, BuildFolder& folder) {
  const std::string info = base::JoinPath(folder.path, "meson-info");
  if (!system.Stat(info)) return;
  folder.system = snapshot::BuildSystem::kMeson;
  const base::Json about = ReadInfo(system, base::JoinPath(info, "meson-info.json"), folder);
  folder.project = TextOf(Member(Member(&about, "directories"), "source"));
  const std::string compilers = base::JoinPath(info, "intro-compilers.json");
  AddMesonCompilers(ReadInfo(system, compilers, folder), compilers, folder);
  const std::string dependencies = base::JoinPath(info, "intro-dependencies.json");
  AddMesonDependencies(system, ReadInfo(system, dependencies, folder), dependencies, folder);
}

}  // namespace culprit::collect
