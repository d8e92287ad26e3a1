// The exported functions. Each answer is a C struct, extended by the C++ values that own its strings and
// lists. No exception leaves this file.
#include <culprit/culprit_c.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/explain.h"
#include "api/live.h"
#include "api/preflight.h"
#include "base/product_version.h"

namespace {

namespace api = culprit::api;

static_assert(CULPRIT_VERSION_MAJOR == CULPRIT_PROJECT_MAJOR &&
                  CULPRIT_VERSION_MINOR == CULPRIT_PROJECT_MINOR,
              "include/culprit/culprit_c.h and CMakeLists.txt name different versions");

// Users see the base; an answer is never moved, because it points into itself.
template <typename C>
struct Answer : C {
  Answer() : C{} {}
  Answer(const Answer&) = delete;
  Answer& operator=(const Answer&) = delete;
};

struct DeviceAnswer : Answer<culprit_device> {
  api::Device device;

  explicit DeviceAnswer(api::Device from) : device(std::move(from)) {
    static_cast<culprit_device&>(*this) = {.size = sizeof(culprit_device),
                                           .index = device.index,
                                           .name = device.name.c_str(),
                                           .uuid = device.uuid.c_str(),
                                           .bus_id = device.bus_id.c_str(),
                                           .capability_major = device.major,
                                           .capability_minor = device.minor,
                                           .memory_total = device.memory_total,
                                           .memory_free = device.memory_free.value_or(0),
                                           .memory_known = device.memory_free ? 1 : 0};
  }
};

struct ReasonAnswer : Answer<culprit_reason> {
  api::Reason reason;
  std::vector<const char*> list;

  explicit ReasonAnswer(api::Reason from) : reason(std::move(from)) {
    for (const std::string& command : reason.commands) list.push_back(command.c_str());
    static_cast<culprit_reason&>(*this) = {.size = sizeof(culprit_reason),
                                           .cause = reason.cause.c_str(),
                                           .code = reason.code.c_str(),
                                           .summary = reason.summary.c_str(),
                                           .proven = reason.proven ? 1 : 0,
                                           .fix = reason.fix.c_str(),
                                           .commands = list.data(),
                                           .command_count = list.size()};
  }
};

struct ReadinessAnswer : Answer<culprit_readiness> {
  api::Readiness readiness;
  std::unique_ptr<const DeviceAnswer> chosen;
  std::unique_ptr<const ReasonAnswer> why;

  explicit ReadinessAnswer(api::Readiness from) : readiness(std::move(from)) {
    if (readiness.device) {
      chosen = std::make_unique<const DeviceAnswer>(*readiness.device);
    } else {
      why = std::make_unique<const ReasonAnswer>(readiness.reason);
    }
    static_cast<culprit_readiness&>(*this) = {.size = sizeof(culprit_readiness),
                                              .usable = chosen != nullptr ? 1 : 0,
                                              .device = chosen.get(),
                                              .reason = why.get(),
                                              .fallback = readiness.fallback.c_str(),
                                              .line = readiness.line.c_str(),
                                              .driver_version = readiness.driver_version.c_str(),
                                              .cuda_version = readiness.cuda_version,
                                              .cudnn_version = readiness.cudnn_version.c_str(),
                                              .cudnn_path = readiness.cudnn_path.c_str()};
  }
};

struct DeviceListAnswer : Answer<culprit_device_list> {
  std::vector<std::unique_ptr<const DeviceAnswer>> owned;
  std::vector<const culprit_device*> list;

  explicit DeviceListAnswer(std::vector<api::Device> from) {
    for (api::Device& device : from) {
      owned.push_back(std::make_unique<const DeviceAnswer>(std::move(device)));
      list.push_back(owned.back().get());
    }
    static_cast<culprit_device_list&>(*this) = {
        .size = sizeof(culprit_device_list), .devices = list.data(), .count = list.size()};
  }
};

struct ErrorAnswer : Answer<culprit_error> {
  api::CallError error;
  std::unique_ptr<const ReasonAnswer> why;

  ErrorAnswer(int whose, api::CallError from) : error(std::move(from)) {
    if (error.reason) why = std::make_unique<const ReasonAnswer>(*error.reason);
    static_cast<culprit_error&>(*this) = {.size = sizeof(culprit_error),
                                          .message = error.message.c_str(),
                                          .call = error.call.c_str(),
                                          .file = error.file.c_str(),
                                          .line = error.line,
                                          .kind = whose,
                                          .status = error.status,
                                          .status_name = error.facts.name.c_str(),
                                          .meaning = error.facts.meaning.c_str(),
                                          .reason = why.get()};
  }
};

// If not even an error can be allocated, this must not look like success.
constexpr culprit_error kNoMemory = {.size = sizeof(culprit_error),
                                     .message = "a call failed, and memory ran out",
                                     .call = "",
                                     .file = "",
                                     .line = 0,
                                     .kind = 0,
                                     .status = -1,
                                     .status_name = "not known",
                                     .meaning = "",
                                     .reason = nullptr};

std::string Text(const char* text) { return text == nullptr ? "" : text; }

api::Policy PolicyOf(int policy) {
  switch (policy) {
    case CULPRIT_HIGHEST_CAPABILITY:
      return api::Policy::kHighestCapability;
    case CULPRIT_BY_INDEX:
      return api::Policy::kIndex;
    case CULPRIT_BY_UUID:
      return api::Policy::kUuid;
    default:
      return api::Policy::kMostFreeMemory;
  }
}

// A caller that was compiled earlier knows fewer fields: the others keep their defaults.
api::Wants WantsOf(const culprit_wants* given) {
  culprit_wants known = CULPRIT_WANTS_INIT;
  if (given != nullptr) std::memcpy(&known, given, std::min(given->size, sizeof(known)));
  api::Wants wants{.device = {.policy = PolicyOf(known.policy),
                              .index = known.index,
                              .uuid = Text(known.uuid),
                              .min_free_memory = known.min_free_memory,
                              .min_major = known.min_capability_major,
                              .min_minor = known.min_capability_minor},
                   .min_driver = Text(known.min_driver),
                   .cudnn = Text(known.cudnn),
                   .prove = known.prove != 0};
  if (const std::string fallback = Text(known.fallback); !fallback.empty()) wants.fallback = fallback;
  if (known.time_limit_ms > 0) wants.limit = std::chrono::milliseconds(known.time_limit_ms);
  return wants;
}

api::Readiness CheckedPreflight(const culprit_wants* given) {
  const api::Wants wants = WantsOf(given);
  try {
    return api::Preflight(wants);
  } catch (const std::exception& error) {
    api::Readiness readiness{
        .reason = {.summary = std::string("internal error of libculprit: ") + error.what()},
        .fallback = wants.fallback};
    readiness.line = api::LineOf(readiness, false);
    return readiness;
  }
}

api::Interface InterfaceOf(int kind, const std::string& call) {
  switch (kind) {
    case CULPRIT_INTERFACE_CUDNN:
      return api::Interface::kCudnn;
    case CULPRIT_INTERFACE_CUBLAS:
      return api::Interface::kCublas;
    case CULPRIT_INTERFACE_NVRTC:
      return api::Interface::kNvrtc;
    default:
      return api::CudaInterfaceOf(call);
  }
}

api::CallError CheckedExplain(int kind, int status, const char* call, const char* file, int line) {
  const std::string text = Text(call);
  const api::Interface interface = InterfaceOf(kind, text);
  try {
    return api::Explain(interface, status, text, Text(file), line);
  } catch (const std::exception& error) {
    api::CallError plain{.call = text, .file = Text(file), .line = line, .status = status};
    plain.facts.name = "status " + std::to_string(status);
    plain.message =
        text + " failed with " + plain.facts.name + " (internal error of libculprit: " + error.what() + ")";
    return plain;
  }
}

}  // namespace

extern "C" {

const culprit_readiness* culprit_preflight(const culprit_wants* wants) noexcept try {
  return new ReadinessAnswer(CheckedPreflight(wants));
} catch (...) {
  return nullptr;
}

void culprit_readiness_free(const culprit_readiness* readiness) noexcept {
  delete static_cast<const ReadinessAnswer*>(readiness);
}

const culprit_device_list* culprit_devices(void) noexcept try {
  return new DeviceListAnswer(api::LookAtDriver(false).devices);
} catch (...) {
  return nullptr;
}

void culprit_device_list_free(const culprit_device_list* list) noexcept {
  delete static_cast<const DeviceListAnswer*>(list);
}

const culprit_error* culprit_check(int kind, int status, const char* call, const char* file,
                                   int line) noexcept try {
  if (status == 0) return nullptr;
  return new ErrorAnswer(kind, CheckedExplain(kind, status, call, file, line));
} catch (...) {
  return &kNoMemory;
}

void culprit_error_free(const culprit_error* error) noexcept {
  if (error == &kNoMemory) return;
  delete static_cast<const ErrorAnswer*>(error);
}

void culprit_set_explain(int on) noexcept { api::SetExplain(on != 0); }

const char* culprit_version(void) noexcept {
  static const std::string& version = *new const std::string(culprit::base::ProductVersion());
  return version.c_str();
}

}  // extern "C"
