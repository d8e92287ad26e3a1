#include "explain/logs/symptom.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <vector>

#include "base/version.h"
#include "explain/logs/library_name.h"
#include "knowledge/arch.h"
#include "knowledge/messages/status_codes.h"

namespace culprit::logs {
namespace {

constexpr double kLowMemory = 400.0 * (1 << 20);  // less than a cuDNN handle and its workspace need

std::string_view Get(const Attributes& attributes, std::string_view name) {
  const auto found = attributes.find(name);
  return found == attributes.end() ? std::string_view() : found->second;
}

std::vector<uint32_t> Numbers(std::string_view text) {
  std::vector<uint32_t> numbers;
  for (size_t at = 0; at < text.size();) {
    uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), number);
    if (error == std::errc()) {
      numbers.push_back(number);
      at = static_cast<size_t>(end - text.data());
    } else {
      ++at;
    }
  }
  return numbers;
}

// "8.9.2", "(8, 9, 2)", cuDNN's packed forms 7605, 8902, 90100, and CUDA's own: 12020 is 12.2.
std::optional<base::Version> ReadVersion(std::string_view text, bool of_cuda) {
  std::vector<uint32_t> parts = Numbers(text);
  if (parts.empty()) return std::nullopt;
  if (parts.size() == 1 && parts[0] >= 1000) {
    const uint32_t packed = parts[0], thousand = packed >= 90000 ? 10000 : 1000;
    parts = {packed / thousand, packed % thousand / 100, packed % 100};
    if (of_cuda) parts = {packed / 1000, packed % 1000 / 10};
  }
  return base::Version{base::VersionParts(parts)};
}

std::string_view Order(const base::Version& compiled, const base::Version& loaded) {
  if (compiled.part(0) != loaded.part(0)) return "other-major";
  if (compiled == loaded) return "equal";
  return loaded < compiled ? "older" : "newer";
}

// "libcudnn.so.9", "cudnn64_9.dll", not "cuDNN".
bool IsFile(std::string_view name) {
  return name.find(".so") != std::string_view::npos || name.ends_with(".dll") || name.ends_with(".pyd");
}

void AddLibrary(Attributes& attributes, std::string_view name, const std::string& prefix) {
  const LibraryName library = ReadLibraryName(name);
  const auto add = [&](const char* key, std::string_view value) {
    if (!value.empty()) attributes.emplace(prefix + key, value);
  };
  add("family", library.family);
  add("stem", library.stem);
  add("major", library.major);
  add("release", library.release);
  add("os", library.windows ? "windows" : "linux");
  add("versioned", library.versioned ? "yes" : "no");
}

// sm_86, compute_120, 8.6, 0x601 as ten times the capability; 0 = none.
uint32_t Capability(std::string_view text) {
  if (const size_t hex = text.find("0x"); hex != std::string_view::npos && text.size() >= hex + 5) {
    return static_cast<uint32_t>(10 * (text[hex + 2] - '0') + (text[hex + 4] - '0'));
  }
  const std::vector<uint32_t> numbers = Numbers(text);
  if (numbers.empty()) return 0;
  if (text.find('.') != std::string_view::npos && numbers.size() > 1) return 10 * numbers[0] + numbers[1];
  return numbers[0];
}

void AddArchSide(Attributes& attributes) {
  const uint32_t gpu = Capability(Get(attributes, "arch"));
  std::vector<uint32_t> supported;
  std::string_view rest = Get(attributes, "archs");
  while (!rest.empty()) {
    const size_t begin = rest.find_first_of("0123456789");
    if (begin == std::string_view::npos) break;
    const size_t end = std::min(rest.find_first_not_of("0123456789.", begin), rest.size());
    supported.push_back(Capability(rest.substr(begin, end - begin)));
    rest.remove_prefix(end);
  }
  if (gpu == 0 || supported.empty()) return;
  const auto [lowest, highest] = std::ranges::minmax(supported);
  attributes.emplace("arch_side", gpu > highest ? "too-new" : gpu < lowest ? "too-old" : "inside");
}

// Which toolkits compile for the architecture; no `last_cuda` if the newest one does.
void AddToolkits(Attributes& attributes) {
  const uint32_t capability = Capability(Get(attributes, "arch"));
  const auto* row = knowledge::FindCapability(base::Version{{capability / 10, capability % 10}});
  if (row == nullptr) return;
  attributes.emplace("first_cuda", row->first_cuda);
  if (!row->last_cuda.empty()) attributes.emplace("last_cuda", row->last_cuda);
}

void AddMemory(Attributes& attributes) {
  std::string digits(Get(attributes, "free"));
  std::erase(digits, ',');
  double amount = 0;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), amount).ec != std::errc()) return;
  const std::string_view unit = Get(attributes, "unit");
  const size_t power = unit.empty() ? 0 : std::string_view("bkmgt").find(static_cast<char>(unit[0] | 0x20));
  for (size_t i = 0; i < power && power != std::string_view::npos; ++i) amount *= 1024;
  attributes.emplace("memory", amount < kLowMemory ? "low" : "some");
}

// A CUDA error by its name, its number (api = cuda) or its text: `status` becomes the runtime's name.
void AddCudaStatus(Attributes& attributes) {
  const std::string_view status = Get(attributes, "status"), code = Get(attributes, "code");
  const knowledge::CudaStatus* row = nullptr;
  int32_t number = -1;
  if (!status.empty()) {
    row = knowledge::FindCudaStatus(status);
  } else if (Get(attributes, "api") == "cuda" &&
             std::from_chars(code.data(), code.data() + code.size(), number).ec == std::errc()) {
    row = knowledge::FindCudaStatusOfAnyAge(number);
  } else if (const std::string_view message = Get(attributes, "message"); !message.empty()) {
    row = knowledge::FindCudaStatusByText(message);
  }
  if (row != nullptr) attributes["status"] = knowledge::NameOf(*row);
}

struct Place {
  std::string_view part;
  std::string_view name;
};
constexpr std::array kPlaces = {
    Place{"/wsl/", "wsl"},
    Place{"/_mei", "frozen"},  // PyInstaller
    Place{"site-packages", "site-packages"},
    Place{"dist-packages", "site-packages"},
    Place{"conda", "conda"},
    Place{"/envs/", "conda"},
    Place{"/stubs", "stubs"},
    Place{"/compat", "compat"},
    Place{"/cuda", "toolkit"},
    Place{"/", "system"},
};

void AddPlace(Attributes& attributes) {
  for (const char* key : {"path", "library", "requester"}) {
    std::string path(Get(attributes, key));
    for (char& c : path) c = c == '\\' ? '/' : c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    for (const Place& place : kPlaces) {
      if (path.find(place.part) == std::string::npos) continue;
      attributes.emplace("place", place.name);
      return;
    }
  }
}

// The full stop of a sentence belongs to no file name.
void CutFullStops(Attributes& attributes) {
  for (const char* key : {"path", "library", "requester"}) {
    const auto found = attributes.find(key);
    while (found != attributes.end() && found->second.ends_with('.')) found->second.pop_back();
  }
}

}  // namespace

std::string_view Symptom::attribute(std::string_view name) const { return Get(attributes, name); }

void AddImplied(Attributes& attributes) {
  CutFullStops(attributes);
  if (const std::string name(Get(attributes, "library")); !name.empty()) {
    AddLibrary(attributes, name, "");
    if (IsFile(name)) attributes.emplace("file", name);
  }
  if (const std::string name(Get(attributes, "requester")); !name.empty())
    AddLibrary(attributes, name, "requester_");
  AddCudaStatus(attributes);
  const std::string_view library = Get(attributes, "library");
  const bool of_cuda = library == "CUDA" || library == "cudart";
  const auto compiled = ReadVersion(Get(attributes, "compiled"), of_cuda),
             loaded = ReadVersion(Get(attributes, "loaded"), of_cuda);
  if (compiled) attributes["compiled"] = compiled->ToString();  // (8, 9, 2) and 8902 are shown as 8.9.2
  if (loaded) attributes["loaded"] = loaded->ToString();
  if (compiled && loaded) attributes.emplace("order", Order(*compiled, *loaded));
  if (attributes.contains("arch") && attributes.contains("archs")) AddArchSide(attributes);
  if (attributes.contains("arch")) AddToolkits(attributes);
  if (attributes.contains("free")) AddMemory(attributes);
  AddPlace(attributes);
}

}  // namespace culprit::logs
