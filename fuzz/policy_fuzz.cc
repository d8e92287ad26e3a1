// Any bytes as the file of --policy: one line for a mistake, or rules that can be judged and shown.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/text.h"
#include "policy/file/policy_file.h"
#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace policy = culprit::policy;
  using policy::Kind;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto read = policy::ParsePolicy(bytes, "site.toml");
  if (!read) {
    const std::string& message = read.error().message;
    Require(culprit::base::Printable(message) == message);
    Require(message.starts_with("site.toml:"));
    return 0;
  }
  policy::Facts facts{.all = {{.kind = Kind::kDriver, .value = "550.54.14"},
                              {.kind = Kind::kGpu, .name = "0", .value = "NVIDIA L4"},
                              {.kind = Kind::kCudnn, .value = "9", .where = "/usr/lib"},
                              {.kind = Kind::kPackage, .name = "torch", .value = "2.6.0", .where = "/venv"},
                              {.kind = Kind::kVariable, .name = "LD_LIBRARY_PATH", .value = "/opt"}},
                      .unknown = {}};
  facts.unknown[Kind::kPython] = {"denied"};
  for (const policy::Ruling& ruling : policy::Judge(*read, facts)) {
    Require(policy::IsSiteCode(ruling.rule->code));
    Require(!ruling.finding || ruling.lacking.empty());  // decided or not
    if (!ruling.finding) continue;
    Require(culprit::base::Printable(ruling.finding->summary) == ruling.finding->summary);
    Require(!ruling.finding->evidence.empty() && !ruling.finding->subject.empty());
    Require(culprit::report::Texts(ruling.finding->fix.commands).size() == ruling.rule->commands.size());
  }
  return 0;
}
