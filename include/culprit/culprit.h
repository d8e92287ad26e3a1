// libculprit for C++17: which GPU to use, why none can be used, and CUDA and cuDNN errors that include their
// cause on this machine.
//
//   const culprit::Readiness gpu = culprit::Preflight();
//   std::clog << gpu.line() << '\n';
//   if (gpu) CULPRIT_CUDA(cudaSetDevice(gpu.device().index));
//
// It needs no CUDA header and links no CUDA library. docs/cpp-api.md says what each call costs.
#ifndef CULPRIT_CULPRIT_H_
#define CULPRIT_CULPRIT_H_

#include <culprit/culprit_c.h>

#include <cstdint>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace culprit {

enum class Policy {
  kMostFreeMemory = CULPRIT_MOST_FREE_MEMORY,
  kHighestCapability = CULPRIT_HIGHEST_CAPABILITY,
  kIndex = CULPRIT_BY_INDEX,
  kUuid = CULPRIT_BY_UUID,
};

struct Capability {
  int major = 0;
  int minor = 0;
};

// What a program requires of its GPU; every field is optional.
struct Wants {
  Policy policy = Policy::kMostFreeMemory;
  int index = 0;                      // kIndex
  std::string uuid{};                 // kUuid: complete, or a unique prefix ("GPU-5a3e")
  std::uint64_t min_free_memory = 0;  // bytes
  Capability min_capability{};        // {8, 0}: sm_80 or newer
  std::string min_driver{};           // "535.104.05"
  std::string cudnn{};                // "9": any 9.x; "9.1": 9.1 or a newer 9.x
  bool prove = false;                 // run a small kernel and check its result
  std::string fallback = "cpu";       // what the program does without a GPU; for line()
  unsigned time_limit_ms = 0;         // limit for finding the reason; 0: 5000
};

struct Device {
  int index = -1;  // CUDA's index in this process, for cudaSetDevice and cuDeviceGet
  std::string name{};
  std::string uuid{};    // "GPU-5a3e1c0f-..."
  std::string bus_id{};  // "0000:19:00.0"
  Capability capability{};
  std::uint64_t memory_total = 0;
  std::uint64_t memory_free = 0;  // valid only if memory_known
  bool memory_known = false;
};

// Why something does not work on this machine.
struct Reason {
  std::string cause{};    // "gpu-not-visible"; "" if unknown
  std::string code{};     // "CUL2001", for `culprit explain CUL2001`; "" if none
  std::string summary{};  // one line
  bool proven = false;    // observed on this machine; false: what this status usually means
  std::string fix{};
  std::vector<std::string> commands{};
};

namespace internal {

inline Device From(const culprit_device& c) {
  Device device;
  device.index = c.index;
  device.name = c.name;
  device.uuid = c.uuid;
  device.bus_id = c.bus_id;
  device.capability = {c.capability_major, c.capability_minor};
  device.memory_total = c.memory_total;
  device.memory_free = c.memory_free;
  device.memory_known = c.memory_known != 0;
  return device;
}

inline Reason From(const culprit_reason& c) {
  Reason reason;
  reason.cause = c.cause;
  reason.code = c.code;
  reason.summary = c.summary;
  reason.proven = c.proven != 0;
  reason.fix = c.fix;
  reason.commands.assign(c.commands, c.commands + c.command_count);
  return reason;
}

}  // namespace internal

class Readiness {
 public:
  explicit Readiness(const culprit_readiness& c)
      : usable_(c.usable != 0),
        line_(c.line),
        fallback_(c.fallback),
        driver_version_(c.driver_version),
        cuda_version_(c.cuda_version),
        cudnn_version_(c.cudnn_version),
        cudnn_path_(c.cudnn_path) {
    if (c.device != nullptr) device_ = internal::From(*c.device);
    if (c.reason != nullptr) reason_ = internal::From(*c.reason);
  }

  bool usable() const { return usable_; }
  explicit operator bool() const { return usable_; }
  const Device& device() const { return device_; }           // index -1 if not usable
  const Reason& reason() const { return reason_; }           // empty if usable
  const std::string& fallback() const { return fallback_; }  // "cpu"; "" if usable
  const std::string& line() const { return line_; }          // one line for a log
  const std::string& driver_version() const { return driver_version_; }
  int cuda_version() const { return cuda_version_; }  // newest that the driver supports: 13000
  const std::string& cudnn_version() const { return cudnn_version_; }  // only if requested
  const std::string& cudnn_path() const { return cudnn_path_; }

 private:
  bool usable_;
  Device device_;
  Reason reason_;
  std::string line_, fallback_, driver_version_;
  int cuda_version_;
  std::string cudnn_version_, cudnn_path_;
};

// Says whether this process can use a GPU that meets its requirements, and which one. Initializes CUDA in
// this process: do not fork() afterwards and use CUDA in the child.
inline Readiness Preflight(const Wants& wants = Wants()) {
  culprit_wants c = CULPRIT_WANTS_INIT;
  c.policy = static_cast<int>(wants.policy);
  c.index = wants.index;
  c.uuid = wants.uuid.c_str();
  c.min_free_memory = wants.min_free_memory;
  c.min_capability_major = wants.min_capability.major;
  c.min_capability_minor = wants.min_capability.minor;
  c.min_driver = wants.min_driver.c_str();
  c.cudnn = wants.cudnn.c_str();
  c.prove = wants.prove ? 1 : 0;
  c.fallback = wants.fallback.c_str();
  c.time_limit_ms = wants.time_limit_ms;
  const std::unique_ptr<const culprit_readiness, decltype(&culprit_readiness_free)> answer(
      culprit_preflight(&c), culprit_readiness_free);
  if (answer == nullptr) throw std::bad_alloc();
  return Readiness(*answer);
}

// The devices that CUDA shows to this process; empty if CUDA cannot be used (Preflight says why).
inline std::vector<Device> Devices() {
  const std::unique_ptr<const culprit_device_list, decltype(&culprit_device_list_free)> list(
      culprit_devices(), culprit_device_list_free);
  if (list == nullptr) throw std::bad_alloc();
  std::vector<Device> devices;
  for (std::size_t i = 0; i < list->count; ++i) devices.push_back(internal::From(*list->devices[i]));
  return devices;
}

// A failed call: call, file and line, status, and its cause on this machine. what() is all of that in one
// line.
class Error : public std::runtime_error {
 public:
  explicit Error(const culprit_error& c)
      : std::runtime_error(c.message), facts_(std::make_shared<Facts>(c)) {}

  const std::string& call() const { return facts_->call; }
  const std::string& file() const { return facts_->file; }
  int line() const { return facts_->line; }
  int status() const { return facts_->status; }
  const std::string& status_name() const { return facts_->status_name; }  // "cudaErrorMemoryAllocation"
  const std::string& meaning() const { return facts_->meaning; }          // what the status means in general
  const Reason& reason() const { return facts_->reason; }                 // empty if unknown
  const std::string& cause() const { return facts_->reason.cause; }
  const std::string& code() const { return facts_->reason.code; }
  const std::string& fix() const { return facts_->reason.fix; }

 private:
  struct Facts {
    explicit Facts(const culprit_error& c)
        : call(c.call),
          file(c.file),
          line(c.line),
          status(c.status),
          status_name(c.status_name),
          meaning(c.meaning) {
      if (c.reason != nullptr) reason = internal::From(*c.reason);
    }
    std::string call, file;
    int line, status;
    std::string status_name, meaning;
    Reason reason;
  };
  std::shared_ptr<const Facts> facts_;  // shared, so that copying an exception cannot fail
};

// Result of CULPRIT_TRY_*: true if the call succeeded.
class [[nodiscard]] Status {
 public:
  Status() = default;
  explicit Status(Error error) : error_(std::make_shared<const Error>(std::move(error))) {}

  bool ok() const { return error_ == nullptr; }
  explicit operator bool() const { return ok(); }
  // The error of a failed call; throws std::logic_error if the call succeeded.
  const Error& error() const {
    if (error_ == nullptr) throw std::logic_error("culprit::Status::error() of a call that succeeded");
    return *error_;
  }

 private:
  std::shared_ptr<const Error> error_;
};

// Turns the search for causes on or off (default: on). Off: errors have only their name and meaning.
inline void SetExplain(bool on) { culprit_set_explain(on ? 1 : 0); }

// Version of the loaded library.
inline const char* Version() { return culprit_version(); }

namespace internal {

inline Status Explained(int kind, int status, const char* call, const char* file, int line) {
  const std::unique_ptr<const culprit_error, decltype(&culprit_error_free)> error(
      culprit_check(kind, status, call, file, line), culprit_error_free);
  if (error == nullptr) throw std::bad_alloc();
  return Status(Error(*error));
}

inline Status Try(int kind, int status, const char* call, const char* file, int line) {
  return status == 0 ? Status() : Explained(kind, status, call, file, line);
}

inline void Check(int kind, int status, const char* call, const char* file, int line) {
  if (status != 0) throw Explained(kind, status, call, file, line).error();
}

}  // namespace internal
}  // namespace culprit

// These take any status: cudaError_t, CUresult, cudnnStatus_t ... Variadic, because template arguments may
// contain a comma: CULPRIT_CUDA(Launch<float, 4>(p)).
#define CULPRIT_CUDA(...) CULPRIT_WITH_(Check, CULPRIT_INTERFACE_CUDA, __VA_ARGS__)
#define CULPRIT_CUDNN(...) CULPRIT_WITH_(Check, CULPRIT_INTERFACE_CUDNN, __VA_ARGS__)
#define CULPRIT_CUBLAS(...) CULPRIT_WITH_(Check, CULPRIT_INTERFACE_CUBLAS, __VA_ARGS__)
#define CULPRIT_NVRTC(...) CULPRIT_WITH_(Check, CULPRIT_INTERFACE_NVRTC, __VA_ARGS__)
#define CULPRIT_TRY_CUDA(...) CULPRIT_WITH_(Try, CULPRIT_INTERFACE_CUDA, __VA_ARGS__)
#define CULPRIT_TRY_CUDNN(...) CULPRIT_WITH_(Try, CULPRIT_INTERFACE_CUDNN, __VA_ARGS__)
#define CULPRIT_TRY_CUBLAS(...) CULPRIT_WITH_(Try, CULPRIT_INTERFACE_CUBLAS, __VA_ARGS__)
#define CULPRIT_TRY_NVRTC(...) CULPRIT_WITH_(Try, CULPRIT_INTERFACE_NVRTC, __VA_ARGS__)
#define CULPRIT_WITH_(how, kind, ...) \
  ::culprit::internal::how((kind), static_cast<int>(__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)

#endif  // CULPRIT_CULPRIT_H_
