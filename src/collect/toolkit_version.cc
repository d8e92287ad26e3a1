#include "collect/toolkit_version.h"

#include "base/json.h"
#include "base/text.h"

namespace culprit::collect {

// version.json says {"cuda": {"name": "CUDA SDK", "version": "12.4.1"}}, before CUDA 11.1 version.txt says
// "CUDA Version 10.2.89".
ToolkitVersion ReadToolkitVersion(const system::System& system, const std::string& root) {
  constexpr uint64_t kVersionFileLimit = 1 << 20;
  const std::string json_path = base::JoinPath(root, "version.json");
  if (const auto text = system::ReadWholeFile(system, json_path, kVersionFileLimit)) {
    const base::Json json = base::Json::parse(*text, nullptr, /*allow_exceptions=*/false);
    const auto cuda = json.is_object() ? json.find("cuda") : json.end();
    if (json.is_object() && cuda != json.end() && cuda->is_object()) {
      const auto version = cuda->find("version");
      if (version != cuda->end() && version->is_string()) return {version->get<std::string>(), json_path};
    }
  }
  const std::string text_path = base::JoinPath(root, "version.txt");
  if (const auto text = system::ReadWholeFile(system, text_path, kVersionFileLimit)) {
    const auto words = base::SplitWords(*text, " \t\r\n");
    if (words.size() >= 3 && words[0] == "CUDA" && words[1] == "Version") return {words[2], text_path};
  }
  return {};
}

}  // namespace culprit::collect
