// A directory taken out of /etc/ld.so.conf and the files of /etc/ld.so.conf.d: its line becomes a comment.
#include <algorithm>

#include "base/text.h"
#include "change/apply/steps.h"

namespace culprit::apply {
namespace {

using base::ErrorCode;
using base::Fail;
constexpr const char* kFolder = "/etc/ld.so.conf.d";

std::string Clean(std::string_view path) {
  std::string clean = base::CleanPath(path);
  while (clean.size() > 1 && clean.ends_with('/')) clean.pop_back();
  return clean;
}

// "  /usr/lib/x=libc6  # why" names /usr/lib/x.
bool Names(std::string_view line, const std::string& directory) {
  line = base::Trim(line.substr(0, line.find('#')));
  line = base::Trim(line.substr(0, line.find('=')));
  return line.starts_with('/') && Clean(line) == directory;
}

std::string Without(const std::string& text, const std::string& directory) {
  std::string edited;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    const std::string line = text.substr(begin, end - begin);
    edited += (Names(line, directory) ? "# removed by culprit: " : "") + line;
    begin = end;
  }
  return edited;
}

}  // namespace

base::Result<std::vector<Intent>> LoaderConfIntents(const report::DropFromLoaderConf& change,
                                                    const Place& place) {
  std::vector<std::string> files = {"/etc/ld.so.conf"};
  if (const auto folder = OpenDirectory(place.root, kFolder)) {
    const auto names = NamesIn(folder->get());
    if (!names) return std::unexpected(names.error());
    for (const std::string& name : *names) {
      if (name.ends_with(".conf") && !name.starts_with('.'))
        files.push_back(std::string(kFolder) + "/" + name);
    }
  }
  std::vector<Intent> intents;
  for (const std::string& file : files) {
    const auto spot = FindSpot(place.root, file);
    const auto standing =
        spot ? LookAt(spot->directory.get(), spot->name) : base::Result<Standing>(Standing{});
    if (!standing || standing->kind == Standing::Kind::kAbsent) continue;
    if (standing->kind != Standing::Kind::kFile)
      return Fail(ErrorCode::kUnsupported, file + " is not a regular file; edit it yourself");
    const auto text = ReadBytes(spot->directory.get(), spot->name, kTextLimit);
    if (!text) return Fail(ErrorCode::kUnsupported, file + " could not be read");
    std::string edited = Without(*text, Clean(change.directory));
    if (edited == *text) continue;
    const Writable may = MayChange(*spot);
    if (may == Writable::kReadOnly)
      return Fail(ErrorCode::kUnsupported, file + " is on a read-only file system");
    intents.push_back({.kind = Intent::Kind::kFile,
                       .text = "remove " + change.directory + " from " + file,
                       .path = file,
                       .bytes = std::move(edited),
                       .root = may == Writable::kNeedsRoot});
  }
  if (intents.empty())
    return Fail(ErrorCode::kUnsupported,
                "neither /etc/ld.so.conf nor any file in " + std::string(kFolder) + " names it");
  return intents;
}

}  // namespace culprit::apply
