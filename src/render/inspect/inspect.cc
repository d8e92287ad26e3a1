#include "render/inspect/inspect.h"

#include <fmt/format.h>

#include "base/json.h"
#include "render/document.h"
#include "render/inspect/gpu_code.h"
#include "render/inspect/pe.h"

namespace culprit::render {
namespace {

using base::Json;
using report::FileAnswer;

template <typename T>
Json OrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json ToJson(const FileAnswer& file) {
  Json json = {{"path", file.path}, {"format", file.format}};
  if (!file.error.empty()) {
    json["error"] = file.error;
    return json;
  }
  if (file.format == "fatbin") {
    json["size"] = file.size;
    json["complete"] = file.complete;
    json["gpu_code"] = GpuCodeJson(file.gpu_code);
    return json;
  }
  json["bits"] = file.bits;
  json["machine"] = file.machine;
  json["type"] = file.type;
  json["endianness"] = file.endianness;
  json["soname"] = OrNull(file.soname);
  json["needed"] = file.needed;
  json["rpath"] = file.rpath;
  json["runpath"] = file.runpath;
  json["interpreter"] = OrNull(file.interpreter);
  json["version"] = file.version.version.empty() ? Json(nullptr) : Json(file.version.version);
  json["cuda"] = file.version.cuda.empty() ? Json(nullptr) : Json(file.version.cuda);
  if (!file.version.source.empty()) json["version_source"] = file.version.source;
  if (!file.title.empty()) json["title"] = file.title;
  json["versions_needed"] = Json::object();
  for (const auto& need : file.versions_needed) json["versions_needed"][need.file] = need.versions;
  json["versions_defined"] = file.versions_defined;
  json["executable_stack"] = file.executable_stack;
  json["build_id"] = OrNull(file.build_id);
  json["size"] = file.size;
  json["needed_size"] = file.needed_size;
  json["complete"] = file.complete;
  json["gpu_code"] = GpuCodeJson(file.gpu_code);
  if (file.pe) PutPe(*file.pe, json);
  return json;
}

class Lines {
 public:
  explicit Lines(std::string& text) : text_(text) {}
  void Add(std::string_view key, std::string_view value) {
    if (!value.empty()) text_ += fmt::format("  {:<17} {}\n", key, value);
  }
  void Add(std::string_view key, const std::vector<std::string>& values) {
    std::string joined;
    for (const std::string& value : values) joined += (joined.empty() ? "" : ", ") + base::Printable(value);
    Add(key, joined);
  }

 private:
  std::string& text_;
};

void AddGpuCode(Lines& lines, const FileAnswer& file, const Style& style) {
  if (!file.gpu_code) return;
  for (const auto& [key, value] : GpuCodeLines(*file.gpu_code))
    lines.Add(base::Printable(key), base::Printable(value));
  if (!file.gpu_code->complete) {
    lines.Add("", style.Warn("GPU code only partly read: " + base::Printable(file.gpu_code->problem)));
  }
}

void AddText(std::string& text, const FileAnswer& file, const Style& style) {
  text += style.Bold(file.path) + "\n";
  if (!file.error.empty()) {
    text += "  " + style.Bad(file.error) + "\n";
    return;
  }
  Lines lines(text);
  if (file.format == "fatbin") {
    lines.Add("format", "GPU code container (fatbin)");
    AddGpuCode(lines, file, style);
    lines.Add("size", fmt::format("{} bytes", file.size));
    return;
  }
  lines.Add("format",
            fmt::format("{} {}-bit {}, {}", file.pe ? "PE" : "ELF", file.bits, file.machine, file.type));
  if (!file.title.empty()) {
    std::string version = file.version.version.empty() ? "version not readable" : file.version.version;
    if (!file.version.cuda.empty()) version += ", for CUDA " + file.version.cuda;
    lines.Add("library", file.title + " " + base::Printable(version));
    lines.Add("version from", base::Printable(file.version.source));
  }
  lines.Add(file.pe ? "soname" : "soname", base::Printable(file.soname.value_or("")));
  lines.Add("interpreter", base::Printable(file.interpreter.value_or("")));
  lines.Add("needed", file.needed);
  if (file.pe) {
    for (const auto& [key, value] : PeLines(*file.pe)) lines.Add(key, base::Printable(value));
  }
  lines.Add("rpath", file.rpath);
  lines.Add("runpath", file.runpath);
  for (const auto& need : file.versions_needed)
    lines.Add("versions needed", [&] {
      std::vector<std::string> all = need.versions;
      if (!all.empty()) all.front() = need.file + ": " + all.front();
      return all;
    }());
  lines.Add("versions defined", file.versions_defined);
  if (file.executable_stack) lines.Add("stack", style.Warn("executable (glibc 2.41 refuses to dlopen it)"));
  AddGpuCode(lines, file, style);
  lines.Add("build id", file.build_id.value_or(""));
  const bool cut = file.size < file.needed_size;
  lines.Add("size", file.complete ? fmt::format("{} bytes, complete", file.size)
                    : file.pe && !cut
                        ? style.Bad(fmt::format("{} bytes, damaged: a table points past the end of the file",
                                                file.size))
                        : style.Bad(fmt::format("{} bytes, truncated: its headers require {}", file.size,
                                                file.needed_size)));
}

}  // namespace

std::string ToJson(const report::InspectAnswer& answer) {
  Json json = {{"schema", "culprit.inspect/1"}, {"files", Json::array()}};
  for (const FileAnswer& file : answer.files) json["files"].push_back(ToJson(file));
  return JsonDocument(json);
}

std::string ToText(const report::InspectAnswer& answer, const Style& style) {
  std::string text;
  for (const FileAnswer& file : answer.files) {
    if (!text.empty()) text += '\n';
    AddText(text, file, style);
  }
  return text;
}

}  // namespace culprit::render
