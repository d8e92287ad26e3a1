// The load of a process as a picture: libraries, who asked for whom, what lost, what is mixed. And the events
// of a run in time. picture/ fills it, render/page draws it.
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
  std::string path;     // "" missing
  std::string version;  // "" not readable
  std::string title;    // "cuDNN"; "" no CUDA library
  std::string origin;   // where it comes from, few words: "nvidia-cudnn-cu13", "/usr/lib", "driver",
                        // "toolkit", "missing"
  std::optional<base::Via> via;
  std::string problem;   // what is wrong with it, in words
  bool culprit = false;  // a finding of severity error is about it
  bool suspect = false;  // one of severity warning is
  bool loses = false;    // another copy that is not loaded: `winner` is
  bool missing = false;
  bool unloaded = false;  // it was opened, and the loader took it back: something below it failed
  bool system = false;    // an ordinary library of the operating system
  double seconds = -1;    // of a run: when it was loaded
  std::vector<Place> searched;
  size_t winner = 0;             // of a losing copy: index of the one that is loaded, or missing, instead
  std::vector<size_t> findings;  // that are about it: indices into CheckReport::findings
};

struct PictureEdge {
  size_t from = 0, to = 0;
  bool dlopen = false;
  bool mixed = false;  // joins two versions of one family, or a library with one it cannot work with
};

struct Picture {
  std::string title;  // "torch 2.11.0+cu130 in /opt/venv"
  std::string error;  // the words with which the loader or the import gives up; "" it does not
  std::vector<PictureLibrary> libraries;  // [0] is the program
  std::vector<PictureEdge> edges;         // the first one to a library is from who brought it in
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
