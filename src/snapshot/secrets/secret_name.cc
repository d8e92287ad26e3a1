#include "snapshot/record/secret_name.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <vector>

namespace culprit::record {
namespace {

bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// "HF_TOKEN", "--hf-token", "hfToken" -> "hf", "token".
std::vector<std::string> WordsOf(std::string_view name) {
  std::vector<std::string> words(1);
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '_' || c == '-' || c == '.') {
      words.emplace_back();
      continue;
    }
    if (i > 0 && IsUpper(c) && IsLower(name[i - 1])) words.emplace_back();
    words.back() += static_cast<char>(IsUpper(c) ? c - 'A' + 'a' : c);
  }
  std::erase(words, "");
  return words;
}

template <size_t N>
bool IsOneOf(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::ranges::find(words, word) != words.end();
}

constexpr std::array<std::string_view, 11> kSecretWords = {
    "password", "passwd",    "passphrase", "secret",    "secrets",    "credential",
    "apikey",   "secretkey", "accesskey",  "authtoken", "credentials"};
constexpr std::array<std::string_view, 12> kKeysOf = {"api",   "access", "secret",  "private",
                                                      "auth",  "wandb",  "license", "signing",
                                                      "entry", "ssh",    "account", "encryption"};
// Tokens of a language model, not of a login.
constexpr std::array<std::string_view, 22> kTokensOf = {
    "pad",  "eos",  "bos",   "unk",   "sep", "cls", "mask",  "special", "image",      "next",   "per",
    "stop", "last", "first", "start", "end", "new", "audio", "max",     "unexpected", "prompt", "video"};

}  // namespace

Secrecy SecrecyOf(std::string_view name) {
  const std::vector<std::string> words = WordsOf(name);
  if (words.empty()) return Secrecy::kNone;
  const std::string& last = words.back();
  const std::string before = words.size() > 1 ? words[words.size() - 2] : "";
  if (IsOneOf(last, kSecretWords)) return Secrecy::kCertain;
  if ((last == "key" || last == "keys") && IsOneOf(before, kKeysOf)) return Secrecy::kCertain;
  if (last == "token" && !IsOneOf(before, kTokensOf)) return Secrecy::kLikely;
  if ((last == "pass" || last == "auth" || last == "pat") && words.size() > 1) return Secrecy::kLikely;
  return Secrecy::kNone;
}

bool LooksRandom(std::string_view value) {
  const bool letters = std::ranges::any_of(value, [](char c) { return IsUpper(c) || IsLower(c); });
  const bool plain = std::ranges::all_of(value, [](char c) {
    return IsUpper(c) || IsLower(c) || IsDigit(c) ||
           std::string_view("_-+/=.~").find(c) != std::string_view::npos;
  });
  return value.size() >= 16 && plain && letters && std::ranges::any_of(value, IsDigit) &&
         !value.starts_with('/') && !value.starts_with("./");
}

}  // namespace culprit::record
