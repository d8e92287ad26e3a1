// The keys are the names of the fields. A target is a short list, [kind, arch, suffix, major, minor], since a
// library has hundreds of them.
#include "snapshot/json/gpu_code_json.h"

#include "snapshot/json/json_writer.h"

namespace culprit::snapshot {
namespace {

using binfmt::GpuCode;
using binfmt::GpuTarget;

base::Json TargetToJson(const GpuTarget& target) {
  // A new field must be added in both directions; this fails to compile until then.
  [[maybe_unused]] const auto& [f1, f2, f3, f4, f5] = target;
  const std::string suffix = target.suffix == 0 ? "" : std::string(1, target.suffix);
  return {base::Word(target.kind), target.arch, EncodeBytes(suffix), target.ptx_major, target.ptx_minor};
}

void ReadTarget(const JsonReader& json, GpuTarget& target) {
  size_t index = 0;
  json.Each([&](const JsonReader& item) {
    std::string text;
    switch (index++) {
      case 0:
        return item.Get(target.kind);
      case 1:
        return item.Get(target.arch);
      case 2:
        item.Get(text);
        if (!text.empty() && text != "a" && text != "f") item.Fail("neither \"\" nor \"a\" nor \"f\"");
        target.suffix = text.empty() ? '\0' : text.front();
        return;
      case 3:
        return item.Get(target.ptx_major);
      case 4:
        return item.Get(target.ptx_minor);
      default:
        item.Fail("not a target of GPU code");
    }
  });
  if (!json.failed() && index != 5) json.Fail("not a target of GPU code");
}

base::Json ContainersToJson(const GpuCode::Containers& containers) {
  [[maybe_unused]] const auto& [f1, f2, f3] = containers;
  JsonWriter json;
  json.Text("section", containers.section);
  json.List("targets", containers.targets, TargetToJson);
  json.Number("count", containers.count);
  return json.Take();
}

}  // namespace

base::Json GpuCodeToJson(const GpuCode& code) {
  [[maybe_unused]] const auto& [f1, f2, f3, f4, f5, f6] = code;
  JsonWriter json;
  json.Value("form", base::Word(code.form));
  json.List("containers", code.containers, ContainersToJson);
  json.Number("linked_on_load", code.linked_on_load);
  json.Flag("whole_file", code.whole_file);
  json.Flag("incomplete", !code.complete);
  json.Text("problem", code.problem);
  return json.Take();
}

void ReadGpuCodeJson(const JsonReader& json, GpuCode& code) {
  json.Require("form");
  json.Field("form", code.form);
  ReadList(json, "containers", code.containers, [](const JsonReader& item, GpuCode::Containers& containers) {
    item.Field("section", containers.section);
    ReadList(item, "targets", containers.targets, ReadTarget);
    item.Field("count", containers.count);
  });
  json.Field("linked_on_load", code.linked_on_load);
  json.Field("whole_file", code.whole_file);
  bool incomplete = false;
  json.Field("incomplete", incomplete);
  code.complete = !incomplete;
  json.Field("problem", code.problem);
}

}  // namespace culprit::snapshot
