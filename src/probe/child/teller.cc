#include "probe/child/teller.h"

#include <cctype>
#include <cstdio>

#include "probe/child/channel.h"
#include "probe/cuda/library.h"
#include "probe/host/protocol.h"

namespace culprit::prober {

bool IsCudaLibrary(std::string_view file_name) {
#ifdef _WIN32
  std::string lower;
  for (const char c : file_name) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return (lower.starts_with("nv") || lower.starts_with("cu")) && lower.ends_with(".dll");  // not this program
#else
  return file_name.starts_with("libcu") || file_name.starts_with("libnv");
#endif
}

void Teller::Say(std::string_view tag, std::initializer_list<std::string_view> words) {
  // A byte may take three in the line; no line of ours has more than four words.
  constexpr size_t kLongestWord = 5000;
  std::string line(tag);
  for (const std::string_view word : words) line += ' ' + probe::EncodeWord(word.substr(0, kLongestWord));
  WriteAll(descriptor_, line + '\n');
}

void Teller::TellNewLibraries() {
  for (const std::string& path : cuda::MappedLibraries()) {
    const std::string name = path.substr(path.find_last_of("/\\") + 1);
    if (IsCudaLibrary(name) && told_.insert(path).second) Say("library", {name, path});
  }
}

std::string Short(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3g", value);
  return text;
}

}  // namespace culprit::prober
