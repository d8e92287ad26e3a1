#include "run/watch/cuda_watch.h"

#include <array>
#include <set>

#include "base/text.h"
#include "run/witness/journal.h"

namespace culprit::watch {
namespace {

using Environment = std::map<std::string, std::string>;

constexpr std::string_view kInjection = "CUDA_INJECTION64_PATH";
constexpr std::string_view kCudaLog = "CUDA_LOG_FILE";
constexpr std::array<std::string_view, 5> kCudnnLog = {
    "CUDNN_LOGDEST_DBG", "CUDNN_LOGLEVEL_DBG", "CUDNN_LOGERR_DBG", "CUDNN_LOGWARN_DBG", "CUDNN_LOGINFO_DBG"};

bool Has(const Environment& environment, std::string_view name) {
  const auto found = environment.find(std::string(name));
  return found != environment.end() && !found->second.empty();
}

std::string Stays(std::string_view name) {
  return std::string(name) + " is already set; culprit does not change it";
}

}  // namespace

Switches SwitchesForCalls(const Environment& environment, const std::string& library,
                          const std::vector<std::string>& cupti) {
  Switches switches;
  if (Has(environment, kInjection)) {
    switches.watched.push_back({.what = record::Channel::kCalls, .how = "", .why_not = Stays(kInjection)});
    return switches;
  }
  if (library.empty()) {
    switches.watched.push_back({.what = record::Channel::kCalls,
                                .how = "",
                                .why_not = "this build of culprit does not contain culprit-injection.so"});
    return switches;
  }
  switches.variables[std::string(kInjection)] = library;
  std::string list;
  for (const std::string& path : cupti) list += (list.empty() ? "" : ":") + path;
  if (!list.empty()) switches.variables[CULPRIT_CUPTI_VARIABLE] = list;
  return switches;
}

Switches SwitchesForLogs(const Environment& environment, const std::string& directory) {
  Switches switches;
  std::string_view taken;
  for (const std::string_view name : kCudnnLog) {
    if (taken.empty() && Has(environment, name)) taken = name;
  }
  if (taken.empty()) {
    // Errors alone: warnings come at every step of a healthy training. cuDNN 9 goes by the level, 8 by its
    // own switch for each kind; %i becomes the id of the process.
    switches.variables["CUDNN_LOGLEVEL_DBG"] = "1";
    switches.variables["CUDNN_LOGERR_DBG"] = "1";
    switches.variables["CUDNN_LOGDEST_DBG"] = base::JoinPath(directory, "cudnn.%i.log");
    switches.watched.push_back(
        {.what = record::Channel::kCudnnLog, .how = "CUDNN_LOGDEST_DBG", .why_not = ""});
  } else {
    switches.watched.push_back({.what = record::Channel::kCudnnLog, .how = "", .why_not = Stays(taken)});
  }
  if (Has(environment, kCudaLog)) {
    switches.watched.push_back({.what = record::Channel::kCudaLog, .how = "", .why_not = Stays(kCudaLog)});
  } else {
    switches.variables[std::string(kCudaLog)] = base::JoinPath(directory, "cuda.log");
    switches.watched.push_back(
        {.what = record::Channel::kCudaLog, .how = std::string(kCudaLog), .why_not = ""});
  }
  return switches;
}

void ForgetOurOwn(record::Run& run) {
  for (record::Process& process : run.processes) {
    std::set<std::string> ours;
    const auto by_us = [&](const std::string& requester) {
      return base::BaseName(requester) == "culprit-injection.so" || ours.contains(requester);
    };
    std::erase_if(process.loads, [&](const record::Loaded& loaded) {
      if (base::BaseName(loaded.path) != "culprit-injection.so" && !by_us(loaded.requester)) return false;
      ours.insert(loaded.path);
      return true;
    });
    std::erase_if(process.failed_requests,
                  [&](const record::Request& request) { return by_us(request.requester); });
  }
}

}  // namespace culprit::watch
