#include "run/watch/journal/crash.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace culprit::watch {
namespace {

constexpr size_t kMaxFrames = 64;
enum Field { kSignal, kCode, kAddress, kProgramCounter, kFirstWord };

// Numbers of Linux, the same on every CPU that we know; the program may be watched on another system than it
// is read on.
std::string SignalName(uint64_t number) {
  static constexpr std::array<std::pair<uint64_t, std::string_view>, 5> names = {
      {{4, "SIGILL"}, {6, "SIGABRT"}, {7, "SIGBUS"}, {8, "SIGFPE"}, {11, "SIGSEGV"}}};
  for (const auto& [known, name] : names)
    if (known == number) return std::string(name);
  return "signal " + std::to_string(number);
}

const MappedObject* ObjectAt(const std::vector<MappedObject>& objects, uint64_t address) {
  for (const MappedObject& object : objects)
    if (address >= object.begin && address < object.end) return &object;
  return nullptr;
}

// The functions of all frames, asking once for each file. A return address is that of the next instruction,
// so the one before it is looked up.
void NameFunctions(std::vector<record::Frame>& frames, const JournalFiles& files) {
  if (!files.functions) return;
  std::map<std::string, std::vector<size_t>> by_object;
  for (size_t i = 0; i < frames.size(); ++i)
    if (!frames[i].object.empty()) by_object[frames[i].object].push_back(i);
  for (const auto& [object, indices] : by_object) {
    std::vector<uint64_t> addresses;
    for (const size_t i : indices) addresses.push_back(frames[i].offset - (frames[i].guessed ? 1 : 0));
    const std::vector<std::string> names = files.functions(object, addresses);
    for (size_t i = 0; i < std::min(indices.size(), names.size()); ++i)
      frames[indices[i]].function = names[i];
  }
}

}  // namespace

record::Crash CrashOf(const JournalEvent& event, const std::vector<MappedObject>& objects,
                      const JournalFiles& files) {
  record::Crash crash{.thread = event.thread,
                      .signal = SignalName(event.Number(kSignal)),
                      .code = static_cast<int32_t>(event.Number(kCode)),
                      .address = event.Number(kAddress),
                      .frames = {}};
  for (size_t field = kProgramCounter; field < event.fields.size() && crash.frames.size() < kMaxFrames;
       ++field) {
    record::Frame frame{.address = event.Number(field), .guessed = field >= kFirstWord};
    const MappedObject* object = ObjectAt(objects, frame.address);
    if (object == nullptr && frame.guessed) continue;
    if (object != nullptr) {
      frame.object = object->path;
      frame.offset = frame.address - object->bias;
    }
    crash.frames.push_back(std::move(frame));
  }
  NameFunctions(crash.frames, files);
  return crash;
}

}  // namespace culprit::watch
