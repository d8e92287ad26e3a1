// The load of a process as a picture: libraries, who asked for whom, what lost, what is mixed. And the events
// of a run in time. diagnose/picture fills it, render/page draws it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/why.h"

namespace culprit::report {

struct PictureLibrary {
  std::string name;     // "libcudnn.so.9"
  std::string path;     // "" missing
  std::string version;  // "" not readable
  std::string title;    // "cuDNN"; "" no CUDA library
  std::string origin;   // where it comes from, few words: "nvidia-cudnn-cu13", "/usr/lib", "driver",
                        // "toolkit", "missing"
  std::string via;
  std::string problem;   // what is wrong with it, in words
  bool culprit = false;  // a finding of severity error is about it
  bool loses = false;    // another copy that is not loaded
  bool missing = false;
  bool system = false;  // an ordinary library of the operating system
  double seconds = -1;  // of a run: when it was loaded
  std::vector<Place> searched;
};

struct PictureEdge {
  size_t from = 0, to = 0;
  bool dlopen = false;
  bool mixed = false;  // joins two versions of one family, or a library with one it cannot work with
};

struct Picture {
  std::string title;                      // "torch 2.11.0+cu130 in /opt/venv"
  std::vector<PictureLibrary> libraries;  // [0] is the program
  std::vector<PictureEdge> edges;
};

struct TimelineEvent {
  double seconds = 0;
  std::string process;
  std::string kind;  // "start", "load", "load failed", "call failed", "crash", "interrupted", "end"
  std::string text;
  bool bad = false;
};

}  // namespace culprit::report
