#include "cli/policy.h"

#include "base/path_error.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/options.h"
#include "policy/file/policy_file.h"
#include "system/system.h"

namespace culprit::cli {
namespace {

constexpr uint64_t kMostBytesOfPolicy = 1 << 20;

}  // namespace

PolicyFile PolicyNamed(const std::string& option) {
  if (option.empty()) return {};
  return {PathOnMachine(*system::RealSystem(), option), base::Printable(option)};
}

base::Result<std::shared_ptr<const policy::Policy>> ReadPolicy(const PolicyFile& file) {
  if (file.path.empty()) return nullptr;
  const auto bytes = system::ReadWholeFile(*system::RealSystem(), file.path, kMostBytesOfPolicy);
  if (!bytes)
    return base::Fail(base::ErrorCode::kNotReadable,
                      file.shown + ": " + std::string(base::Strerror(bytes.error())));
  auto policy = policy::ParsePolicy(*bytes, file.shown);
  if (!policy) return std::unexpected(policy.error());
  return std::make_shared<const policy::Policy>(*std::move(policy));
}

int FailOfPolicy(const base::Error& error) {
  const int status = Fail(error);
  return error.code == base::ErrorCode::kBadFormat ? kExitUsage : status;
}

}  // namespace culprit::cli
