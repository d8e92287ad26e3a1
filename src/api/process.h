// What this process knows of itself and its neighbours.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace culprit::api {

// The function of that name in a CUDA library of this process; nullptr when none has it. Opens nothing.
void* LoadedFunction(const char* name);

// Absolute path of the running program; "" not known.
std::string OwnProgram();
uint64_t OwnPid();
// "python3"; "" when it is out of sight (another container or user).
std::string ProgramName(uint64_t pid);

// The environment, with the variables of the loader as they were when the process began: it reads them then.
std::map<std::string, std::string> OwnEnvironment();

}  // namespace culprit::api
