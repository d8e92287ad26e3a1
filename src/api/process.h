// What this process knows about itself and other processes.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace culprit::api {

// The function with that name in a CUDA library of this process; nullptr if none has it. Loads nothing.
void* LoadedFunction(const char* name);

// Absolute path of the running program; "" if unknown.
std::string OwnProgram();
uint64_t OwnPid();
// "python3"; "" if it is not visible (another container or user).
std::string ProgramName(uint64_t pid);

// The environment, with the loader's variables as they were at process start, which is when it reads them.
std::map<std::string, std::string> OwnEnvironment();

}  // namespace culprit::api
