// The load of a process as a picture: libraries, what requested them, copies that are not used, mixed
// versions. And the events of a run in time. picture/ fills it, render/page draws it.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.h"
#include "report/why.h"

namespace culprit::report {

struct PictureLibrary {
  std::string name;     // "libcudnn.so.9"
  std::string path;     // "" if missing
  std::string version;  // "" if unreadable
  std::string title;    // "cuDNN"; "" if it is not a CUDA library
  std::string origin;   // where it comes from, briefly: "nvidia-cudnn-cu13", "/usr/lib", "driver",
                        // "toolkit", "missing"
  std::optional<base::Via> via;
  std::string problem;   // what is wrong with it, in words
  bool culprit = false;  // an error is about it
  bool suspect = false;  // a warning is about it
  bool loses = false;    // a copy that is not loaded; `winner` is
  bool missing = false;
  bool unloaded = false;  // opened, then unloaded by the loader because something below it failed
  bool system = false;    // an ordinary library of the operating system
  double seconds = -1;    // in a run: when it was loaded
  std::vector<Place> searched;
  size_t winner = 0;  // for a copy that is not used: index of the library that is loaded, or missing, instead
  std::vector<size_t> findings;  // findings about it: indices into CheckReport::findings
};

struct PictureEdge {
  size_t from = 0, to = 0;
  bool dlopen = false;
  bool mixed = false;  // connects two versions of one family, or a library with one that it conflicts with
};

struct Picture {
  std::string title;                      // "torch 2.11.0+cu130 in /opt/venv"
  std::string error;                      // the final message of the loader or the import; "" if it succeeds
  std::vector<PictureLibrary> libraries;  // [0] is the program
  std::vector<PictureEdge> edges;         // the first one to a library comes from the library that loaded it
};

enum class EventKind { kStart, kLoad, kLoadFailed, kCall, kCallFailed, kCrash, kInterrupted, kEnd };
constexpr std::array<std::string_view, 8> WordsOf(EventKind) {
  return {"start", "load", "load failed", "call", "call failed", "crash", "interrupted", "end"};
}

struct TimelineEvent {
  double seconds = 0;
  std::string process;
  EventKind kind = EventKind::kStart;
  std::string text;
  bool bad = false;
};

}  // namespace culprit::report
