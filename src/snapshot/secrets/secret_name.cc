#include "snapshot/secrets/secret_name.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

namespace culprit::snapshot {
namespace {

using Words = std::span<const std::string_view>;

bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::string InSmallLetters(std::string_view text) {
  std::string small(text);
  for (char& c : small) c = static_cast<char>(IsUpper(c) ? c - 'A' + 'a' : c);
  return small;
}

// "HF_TOKEN", "--hf-token", "hfToken" -> "hf", "token". `small`: the name in small letters.
std::vector<std::string_view> WordsOfName(std::string_view name, std::string_view small) {
  std::vector<std::string_view> words;
  words.reserve(8);
  size_t begin = 0;
  const auto end_word = [&](size_t end) {
    if (end > begin) words.push_back(small.substr(begin, end - begin));
  };
  for (size_t i = 0; i < name.size(); ++i) {
    const bool separator = name[i] == '_' || name[i] == '-' || name[i] == '.';
    if (!separator && !(i > 0 && IsUpper(name[i]) && IsLower(name[i - 1]))) continue;
    end_word(i);
    begin = separator ? i + 1 : i;
  }
  end_word(name.size());
  return words;
}

bool IsOneOf(std::string_view word, Words words) { return std::ranges::find(words, word) != words.end(); }

// A name as variables have it: its first word in capitals. "TF_VAR_db_pw" is one.
bool IsVariableName(std::string_view name) {
  const std::string_view first = name.substr(0, name.find('_'));
  return !first.empty() && std::ranges::all_of(first, [](char c) { return IsUpper(c) || IsDigit(c); });
}

// At the end of a name, also without anything between: "PGPASSWORD", "dbPassword".
constexpr std::string_view kSecretEnds[] = {
    "password", "passwd",    "passphrase", "passcode",   "secret",    "secrets", "credential", "credentials",
    "apikey",   "secretkey", "accesskey",  "privatekey", "authtoken", "authkey", "accesstoken"};
// As a word of its own.
constexpr std::string_view kSecretWords[] = {"pw", "pwd", "creds", "jwt", "cookie", "authorization"};
constexpr std::string_view kLikelyWords[] = {"token", "auth", "pat", "sig", "signature", "bearer"};
// Anywhere in the name of a variable: "TF_TOKEN_app_terraform_io".
constexpr std::string_view kSecretAnywhere[] = {"password", "passwd", "secret", "token", "jwt", "credential"};
// ... unless the last word says that the value is something else: a place, a name, a figure.
constexpr std::string_view kAbout[] = {
    "path",    "file",   "dir",      "directory", "home",   "folder",  "sock",      "socket",  "url",
    "uri",     "host",   "port",     "server",    "id",     "ids",     "name",      "user",    "type",
    "ttl",     "expiry", "lifetime", "timeout",   "length", "size",    "limit",     "count",   "num",
    "budget",  "method", "mode",     "algorithm", "helper", "manager", "provider",  "backend", "version",
    "enabled", "count",  "bytes",    "level",     "index",  "vocab",   "embedding", "class",   "store"};

// Keys that open something; in the name of a variable any key does, but for those below.
constexpr std::string_view kKeysOf[] = {"api",     "access",  "secret", "private", "auth",    "wandb",
                                        "license", "signing", "entry",  "ssh",     "account", "encryption",
                                        "storage", "master",  "shared", "session", "service", "subscription"};
constexpr std::string_view kNoKeysOf[] = {"primary", "foreign",  "cache", "sort",   "partition",
                                          "public",  "map",      "dict",  "lookup", "group",
                                          "row",     "registry", "hot",   "host"};
// Tokens of a language model, not of a login.
constexpr std::string_view kTokensOf[] = {
    "pad",  "eos", "bos",  "unk",    "sep",   "cls",        "mask", "special", "image",
    "next", "per", "stop", "last",   "first", "start",      "end",  "new",     "audio",
    "max",  "min", "num",  "prompt", "video", "unexpected", "bad",  "invalid"};
// Rounds, not words to pass a gate.
constexpr std::string_view kPassesOf[] = {"first", "second",   "two",  "one",    "multi", "single", "forward",
                                          "last",  "backward", "fast", "render", "opt",   "by",     "each"};
// Of the shell and the desktop, where a word of the list above means something else.
constexpr std::string_view kOpenNames[] = {"PWD", "OLDPWD"};

Secrecy OfKey(std::string_view before, bool variable) {
  if (IsOneOf(before, kKeysOf)) return Secrecy::kCertain;
  return variable && !before.empty() && !IsOneOf(before, kNoKeysOf) ? Secrecy::kCertain : Secrecy::kNone;
}

bool NamesASecretInside(const std::vector<std::string_view>& words) {
  if (IsOneOf(words.back(), kAbout)) return false;
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    if (IsOneOf(words[i], kSecretAnywhere) && (i == 0 || !IsOneOf(words[i - 1], kTokensOf))) return true;
  }
  return false;
}

}  // namespace

Secrecy SecrecyOf(std::string_view name) {
  const std::string small = InSmallLetters(name);
  const std::vector<std::string_view> words = WordsOfName(name, small);
  if (words.empty() || IsOneOf(name, kOpenNames)) return Secrecy::kNone;
  const std::string_view last = words.back();
  const std::string_view before = words.size() > 1 ? words[words.size() - 2] : "";
  const bool variable = IsVariableName(name);
  const Secrecy likely = variable && words.size() > 1 ? Secrecy::kCertain : Secrecy::kLikely;
  if (std::ranges::any_of(kSecretEnds, [&](std::string_view end) { return last.ends_with(end); }) ||
      IsOneOf(last, kSecretWords))
    return Secrecy::kCertain;
  if (last == "key" || last == "keys") return OfKey(before, variable);
  if (last == "token" && IsOneOf(before, kTokensOf)) return Secrecy::kNone;
  if (last == "pass") return IsOneOf(before, kPassesOf) ? Secrecy::kNone : likely;
  if (IsOneOf(last, kLikelyWords)) return likely;
  return variable && words.size() > 1 && NamesASecretInside(words) ? Secrecy::kCertain : Secrecy::kNone;
}

bool IsHarmless(std::string_view value) {
  static constexpr std::string_view kPlain[] = {"true", "false", "none", "null", "yes",
                                                "no",   "on",    "off",  "***"};
  const std::string small = InSmallLetters(value.substr(0, 8));
  if (value.size() <= 1 || (value.size() < 8 && IsOneOf(small, kPlain))) return true;
  // A placeholder, code, or "::".
  return std::string_view("$<{[:(%").find(value.front()) != std::string_view::npos;
}

bool IsPath(std::string_view value) {
  static constexpr std::string_view kTops[] = {
      "/usr/",  "/home/",  "/opt/", "/etc/",  "/var/",   "/run/",       "/tmp/",     "/root/",
      "/mnt/",  "/media/", "/dev/", "/proc/", "/sys/",   "/srv/",       "/lib/",     "/lib64/",
      "/bin/",  "/sbin/",  "/nix/", "/data/", "/Users/", "/workspace/", "/scratch/", "/lustre/",
      "/gpfs/", "/nfs/",   "/app/", "/c/",    "~/",      "./"};
  if (value.empty() || (value[0] != '/' && value[0] != '~' && value[0] != '.')) return false;
  return std::ranges::any_of(kTops, [&](std::string_view top) { return value.starts_with(top); });
}

bool LooksRandom(std::string_view value) {
  const bool letters = std::ranges::any_of(value, [](char c) { return IsUpper(c) || IsLower(c); });
  const bool plain = std::ranges::all_of(value, [](char c) {
    return IsUpper(c) || IsLower(c) || IsDigit(c) ||
           std::string_view("_-+/=.~%").find(c) != std::string_view::npos;
  });
  return value.size() >= 16 && plain && letters && std::ranges::any_of(value, IsDigit) &&
         !value.starts_with('/') && !value.starts_with("./");
}

}  // namespace culprit::snapshot
