// A pipe whose writing end a child inherits.
#pragma once

#include <windows.h>

namespace culprit::system {

struct PipeEnds {
  HANDLE read = nullptr, write = nullptr;
};

// Both null when there is none to be had.
PipeEnds InheritedPipe();

}  // namespace culprit::system
