#include "watch/cuda_watch.h"

namespace culprit::watch {

std::vector<std::string> FindCupti(const system::System&, const std::vector<std::string>&) { return {}; }
Switches SwitchesForCalls(const std::map<std::string, std::string>&, const std::string&,
                          const std::vector<std::string>&) {
  return {};
}
Switches SwitchesForLogs(const std::map<std::string, std::string>&, const std::string&) { return {}; }
std::vector<CudaLog> FindLogs(const system::System&, const std::string&) { return {}; }
std::vector<LoggedCall> CallsOf(const CudaLog&, std::string_view) { return {}; }

}  // namespace culprit::watch
