#include "api/choose_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace culprit::api {
namespace {

constexpr double kMebi = 1024.0 * 1024.0;
constexpr double kGibi = 1024.0 * kMebi;

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return lower;
}

// As for CUDA_VISIBLE_DEVICES: a prefix is enough.
bool Begins(const Device& device, std::string_view wanted) {
  const std::string uuid = Lower(device.uuid), begin = Lower(wanted);
  return uuid.starts_with(begin) || uuid.starts_with("gpu-" + begin);
}

std::string Called(const Device& device) { return fmt::format("GPU {} ({})", device.index, device.name); }

// Why a device does not meet the requirements; both empty if it does.
Choice Refuse(const Device& device, const DeviceWants& wants) {
  if (std::tie(device.major, device.minor) < std::tie(wants.min_major, wants.min_minor)) {
    return {.why = fmt::format("{} is sm_{}{}, but sm_{}{} or newer is required", Called(device),
                               device.major, device.minor, wants.min_major, wants.min_minor),
            .cause = "arch-unsupported"};
  }
  if (wants.min_free_memory == 0) return {};
  if (!device.memory_free) {
    return {.why = fmt::format("{}: its free memory is unknown, and {} is required", Called(device),
                               Size(wants.min_free_memory)),
            .cause = ""};
  }
  if (*device.memory_free < wants.min_free_memory) {
    return {.why = fmt::format("{} has {} free, but {} is required", Called(device),
                               SizeOf(*device.memory_free, device.memory_total), Size(wants.min_free_memory)),
            .cause = "out-of-memory"};
  }
  return {};
}

// Unknown free memory counts as all of it: on one machine either all devices are known or none.
uint64_t Free(const Device& device) { return device.memory_free.value_or(device.memory_total); }

bool Better(const Device& a, const Device& b, Policy policy) {
  if (policy == Policy::kHighestCapability) {
    return std::tuple(a.major, a.minor, Free(a)) > std::tuple(b.major, b.minor, Free(b));
  }
  return Free(a) > Free(b);
}

std::string Indexes(const std::vector<Device>& devices) {
  return devices.size() == 1 ? "only GPU 0" : fmt::format("GPU 0 to {}", devices.size() - 1);
}

}  // namespace

Choice ChooseDevice(const std::vector<Device>& devices, const DeviceWants& wants) {
  if (devices.empty()) return {.why = "CUDA shows no devices to this process", .cause = "gpu-not-visible"};
  std::vector<const Device*> left;
  for (const Device& device : devices) {
    if (wants.policy == Policy::kIndex && device.index != wants.index) continue;
    if (wants.policy == Policy::kUuid && !Begins(device, wants.uuid)) continue;
    left.push_back(&device);
  }
  if (left.empty() && wants.policy == Policy::kIndex) {
    return {.why = fmt::format("there is no GPU {}: CUDA shows {}", wants.index, Indexes(devices)),
            .cause = "gpu-not-visible"};
  }
  if (wants.policy == Policy::kUuid && (left.size() != 1 || wants.uuid.empty())) {
    return {.why = left.empty()
                       ? fmt::format("no GPU with UUID {}", wants.uuid)
                       : fmt::format("the UUID prefix \"{}\" matches {} GPUs", wants.uuid, left.size()),
            .cause = left.empty() ? "gpu-not-visible" : "application-bug"};
  }
  Choice refused;
  const Device* best = nullptr;
  for (const Device* device : left) {
    Choice no = Refuse(*device, wants);
    if (!no.why.empty()) {
      if (!refused.why.empty()) refused.why += "; ";
      refused.why += no.why;
      refused.cause = no.cause;
    } else if (best == nullptr || Better(*device, *best, wants.policy)) {
      best = device;
    }
  }
  if (best == nullptr) return refused;
  return {.device = best};
}

std::string Size(uint64_t bytes) {
  const auto value = static_cast<double>(bytes);
  return value < kGibi ? fmt::format("{:.0f} MiB", value / kMebi) : fmt::format("{:.1f} GiB", value / kGibi);
}

std::string SizeOf(uint64_t part, uint64_t whole) {
  const bool small = static_cast<double>(whole) < kGibi;
  return small ? fmt::format("{:.0f} of {}", static_cast<double>(part) / kMebi, Size(whole))
               : fmt::format("{:.1f} of {}", static_cast<double>(part) / kGibi, Size(whole));
}

}  // namespace culprit::api
