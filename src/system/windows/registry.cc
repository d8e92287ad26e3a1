#include "system/windows/registry.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/windows/path.h"
#include "system/windows/native.h"

namespace culprit::system {
namespace {

constexpr size_t kMaxKeyName = 256;      // 255 and the final NUL
constexpr size_t kMaxValueName = 16384;  // 16383 and the final NUL
constexpr size_t kMaxBinary = 4096;      // bytes of a binary value that are told
constexpr size_t kMaxValue = 1 << 20;    // bytes of any other
constexpr DWORD kMaxEntries = 65536;     // values or keys of one key

struct Root {
  std::string_view name, long_name;
  HKEY key;
};
const std::array<Root, 5> kRoots = {{{"HKLM", "HKEY_LOCAL_MACHINE", HKEY_LOCAL_MACHINE},
                                     {"HKCU", "HKEY_CURRENT_USER", HKEY_CURRENT_USER},
                                     {"HKCR", "HKEY_CLASSES_ROOT", HKEY_CLASSES_ROOT},
                                     {"HKU", "HKEY_USERS", HKEY_USERS},
                                     {"HKCC", "HKEY_CURRENT_CONFIG", HKEY_CURRENT_CONFIG}}};

class OpenKey {
 public:
  explicit OpenKey(HKEY key) : key_(key) {}
  OpenKey(const OpenKey&) = delete;
  OpenKey& operator=(const OpenKey&) = delete;
  ~OpenKey() { RegCloseKey(key_); }
  HKEY get() const { return key_; }

 private:
  HKEY key_;
};

// A text need not end in NUL, and may have more behind it.
std::wstring Text(std::span<const std::byte> data) {
  std::wstring text(data.size() / sizeof(wchar_t), L'\0');
  std::memcpy(text.data(), data.data(), text.size() * sizeof(wchar_t));
  return text;
}

template <typename T>
std::string Number(std::span<const std::byte> data) {
  T number = 0;
  std::memcpy(&number, data.data(), std::min(data.size(), sizeof number));
  return std::to_string(number);
}

std::string Hexadecimal(std::span<const std::byte> data) {
  std::string text;
  for (const std::byte byte : data.first(std::min(data.size(), kMaxBinary))) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    text += kDigits[std::to_integer<size_t>(byte >> 4)];
    text += kDigits[std::to_integer<size_t>(byte & std::byte{15})];
  }
  return text;
}

std::string ValueText(DWORD type, std::span<const std::byte> data) {
  switch (type) {
    case REG_SZ:
    case REG_EXPAND_SZ:
    case REG_LINK: {
      const std::wstring text = Text(data);
      return Utf8(std::wstring_view(text).substr(0, text.find(L'\0')));
    }
    case REG_MULTI_SZ: {
      std::wstring text = Text(data);
      while (text.ends_with(L'\0')) text.pop_back();
      std::ranges::replace(text, L'\0', L'\n');
      return Utf8(text);
    }
    case REG_DWORD:
      return Number<uint32_t>(data);
    case REG_QWORD:
      return Number<uint64_t>(data);
    case REG_DWORD_BIG_ENDIAN: {
      std::array<std::byte, 4> turned{};
      std::ranges::reverse_copy(data.first(std::min<size_t>(data.size(), 4)), turned.begin());
      return Number<uint32_t>(turned);
    }
    default:
      return Hexadecimal(data);
  }
}

PathError ReadValues(HKEY key, RegistryKey& found) {
  std::vector<wchar_t> name(kMaxValueName);
  std::vector<std::byte> data(4096);
  for (DWORD i = 0; i < kMaxEntries;) {
    auto name_size = static_cast<DWORD>(name.size()), size = static_cast<DWORD>(data.size());
    DWORD type = REG_NONE;
    const LSTATUS status = RegEnumValueW(key, i, name.data(), &name_size, nullptr, &type,
                                         reinterpret_cast<BYTE*>(data.data()), &size);
    if (status == ERROR_NO_MORE_ITEMS) return PathError::kNone;
    if (status == ERROR_MORE_DATA && data.size() < kMaxValue) {
      data.resize(kMaxValue);
      continue;
    }
    ++i;
    if (status == ERROR_MORE_DATA) continue;  // larger than anything that is looked for
    if (status != ERROR_SUCCESS) return PathErrorOf(static_cast<DWORD>(status));
    found.values.insert_or_assign(Utf8({name.data(), name_size}),
                                  ValueText(type, std::span(data).first(size)));
  }
  return PathError::kNone;
}

PathError ReadKeys(HKEY key, RegistryKey& found) {
  std::array<wchar_t, kMaxKeyName> name{};
  for (DWORD i = 0; i < kMaxEntries; ++i) {
    auto size = static_cast<DWORD>(name.size());
    const LSTATUS status = RegEnumKeyExW(key, i, name.data(), &size, nullptr, nullptr, nullptr, nullptr);
    if (status == ERROR_NO_MORE_ITEMS) break;
    if (status != ERROR_SUCCESS) return PathErrorOf(static_cast<DWORD>(status));
    found.keys.push_back(Utf8({name.data(), size}));
  }
  std::ranges::sort(found.keys);
  return PathError::kNone;
}

}  // namespace

Outcome<RegistryKey> ReadRegistryKey(const std::string& key) {
  if (key.contains('\0')) return std::unexpected(PathError::kOther);
  const size_t slash = std::min(key.find('/'), key.size());
  const std::string_view root_name = std::string_view(key).substr(0, slash);
  const auto root = std::ranges::find_if(kRoots, [&](const Root& known) {
    return base::SameName(known.name, root_name) || base::SameName(known.long_name, root_name);
  });
  if (root == kRoots.end()) return std::unexpected(PathError::kNoEntry);
  std::string below = key.substr(std::min(slash + 1, key.size()));
  std::ranges::replace(below, '/', '\\');
  HKEY opened = nullptr;
  if (const LSTATUS status =
          RegOpenKeyExW(root->key, Wide(below).c_str(), 0, KEY_READ | KEY_WOW64_64KEY, &opened);
      status != ERROR_SUCCESS) {
    return std::unexpected(PathErrorOf(static_cast<DWORD>(status)));
  }
  const OpenKey open(opened);
  RegistryKey found;
  PathError error = ReadValues(opened, found);
  if (error == PathError::kNone) error = ReadKeys(opened, found);
  if (error != PathError::kNone) return std::unexpected(error);
  return found;
}

}  // namespace culprit::system
