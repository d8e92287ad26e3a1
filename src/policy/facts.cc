#include "policy/facts.h"

namespace culprit::policy {
namespace {

using enum ValueKind;

constexpr std::array<KindInfo, WordsOf(Kind{}).size()> kInfos = {{
    {.title = "driver", .value = kVersion},
    {.title = "libcuda"},
    {.title = "GPU", .several = true},
    {.title = "compute capability of GPU", .value = kVersion, .several = true},
    {.title = "toolkit", .value = kVersion, .several = true, .placed = true, .numbers = 3},
    {.title = "cuDNN", .value = kVersion, .several = true, .placed = true, .numbers = 3},
    {.title = "Python", .value = kVersion, .several = true, .placed = true, .numbers = 3},
    {.title = "framework", .value = kPythonVersion, .named = true, .several = true, .placed = true},
    {.title = "loaded library",
     .value = kVersion,
     .named = true,
     .several = true,
     .placed = true,
     .numbers = 3},
    {.title = "package", .value = kPythonVersion, .named = true, .several = true, .placed = true},
    {.title = "variable", .named = true, .several = true},
    {.title = "system"},
    {.title = "kernel", .value = kVersion},
    {.title = "CPU"},
    {.title = "container"},
    {.title = "virtual machine"},
    {.title = "secure boot"},
}};

}  // namespace

const KindInfo& InfoOf(Kind kind) { return kInfos[static_cast<size_t>(kind)]; }

std::string InWords(const Fact& fact) {
  if (fact.kind == Kind::kVariable) return fact.name + "=" + fact.value;
  std::string words = InfoOf(fact.kind).named ? fact.name : std::string(InfoOf(fact.kind).title);
  if (!InfoOf(fact.kind).named && !fact.name.empty()) words += " " + fact.name;
  const bool text = InfoOf(fact.kind).value == kText;
  words += fact.value.empty() ? (text ? ", unknown which" : " of unknown version") : " " + fact.value;
  if (!fact.where.empty()) words += " in " + fact.where;
  if (!fact.by.empty()) words += ", loaded by " + fact.by;
  return words;
}

}  // namespace culprit::policy
