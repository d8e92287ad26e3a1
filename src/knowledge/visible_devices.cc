// The rules are those of the CUDA C++ Programming Guide (environment variables), which PyTorch repeats in
// torch/cuda/__init__.py (_parse_visible_devices): numbers are parsed like strtoul does ("1gpu" is 1), a
// negative number or anything else ends the list, a repeated entry empties it, UUIDs may be abbreviated if
// only one device matches, and a list contains either numbers or UUIDs.
#include "knowledge/visible_devices.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/text.h"

namespace culprit::knowledge {
namespace {

// -1 if it is not a number.
long long Number(std::string_view text) {
  text = base::Trim(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  long long number = -1;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  return result.ec == std::errc() ? number : -1;
}

void End(VisibleDevices& visible, const std::string& entry, std::string why) {
  visible.rejected = entry;
  visible.why = std::move(why);
}

// A repeated entry empties the list.
bool IsRepeated(VisibleDevices& visible, const std::string& entry, bool known_before) {
  if (!known_before) return false;
  End(visible, entry, "is listed twice, which makes the whole list empty");
  visible.repeated = true;
  visible.entries.clear();
  return true;
}

VisibleDevices ParseUuids(const std::vector<std::string>& entries, std::string_view prefix,
                          const std::vector<NamedDevice>& devices) {
  VisibleDevices visible;
  const bool all_known = !devices.empty() && std::ranges::none_of(devices, [](const NamedDevice& device) {
    return device.uuid.empty();
  });
  for (const std::string& entry : entries) {
    const bool before = std::ranges::find(visible.entries, entry) != visible.entries.end();
    if (IsRepeated(visible, entry, before)) return visible;
    if (!entry.starts_with(prefix)) {
      End(visible, entry, "is of a different kind than the entries before it");
      return visible;
    }
    if (prefix == "MIG-" || !all_known) {
      visible.unsure = true;
    } else {
      const auto fits = std::ranges::count_if(
          devices, [&](const NamedDevice& device) { return device.uuid.starts_with(entry); });
      if (fits != 1) {
        End(visible, entry, fits == 0 ? "is not a GPU of this machine" : "matches several GPUs");
        return visible;
      }
    }
    visible.entries.push_back(entry);
  }
  return visible;
}

}  // namespace

VisibleDevices ParseVisibleDevices(std::string_view value, const std::vector<NamedDevice>& devices) {
  const std::vector<std::string> entries = base::Split(value, ',');
  for (const std::string_view prefix : {"GPU-", "MIG-"}) {
    if (value.starts_with(prefix)) return ParseUuids(entries, prefix, devices);
  }
  VisibleDevices visible;
  std::vector<long long> numbers;
  for (const std::string& entry : entries) {
    const long long number = Number(entry);
    if (number < 0) {
      End(visible, entry, "is not a device number");
      return visible;
    }
    const bool before = std::ranges::find(numbers, number) != numbers.end();
    if (IsRepeated(visible, entry, before)) return visible;
    if (!devices.empty() && static_cast<size_t>(number) >= devices.size()) {
      End(visible, entry, "is beyond the last GPU, " + std::to_string(devices.size() - 1));
      return visible;
    }
    numbers.push_back(number);
    visible.entries.push_back(entry);
  }
  return visible;
}

}  // namespace culprit::knowledge
