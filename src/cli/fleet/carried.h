// The program that is sent to the nodes, one for each kind of CPU, and what a shell on a node does with it.
// They are sent as one stream on standard input: engines can pass that on, and a node takes its part. A node
// with a shared file system that has the same file at the same path starts that one: it must have the same
// size, time and owner, so that nobody else can have put it there.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace culprit::cli {

struct CarriedProgram {
  std::string path;
  uint64_t size = 0;
  std::string machine;  // as `uname -m` prints it
  std::string marks;    // size, time and owner, as `stat` prints them; "" = unknown
};

// Where a node gets the program from.
enum class Supply {
  kFound,   // from a file system that it shares; says that it lacks it if it does not (kLacking)
  kStream,  // from standard input
  kEither,  // only who does not find it reads standard input
};
// Followed by the name of the node in Slurm, its CPU as in CarriedProgram, and kRoom if kPlace has room for
// the program.
inline constexpr std::string_view kLacking = "culprit-lacks-program ", kRoom = "room";
// Where engines put the program that copy files.
inline constexpr std::string_view kPlace = "/tmp";

// An unguessable name there, so that nobody can prepare a file with that name.
std::string UnguessedName();

class Carried {
 public:
  // This program, and `files`, each for another CPU. Fails if one is not a program, or two are for one CPU.
  static base::Result<Carried> Make(const std::vector<std::string>& files);

  // For `sh -c`: gets the program, runs it, and leaves nothing behind, even if the asking process is gone.
  // `ask`: more options of `culprit snapshot --brief`, as the shell reads them. `seconds`: its time limit.
  std::string OnTheNode(const std::string& ask, Supply supply, int seconds) const;
  // The words of a command for `sh -c` that runs this one with the stream as its standard input.
  std::string Feeding(const std::vector<std::string>& command) const;
  // Writes the stream to standard output.
  std::string Printing() const;
  // The program for this CPU, one of those that a node says that it lacks; "" = none.
  std::string PathFor(std::string_view machine) const;
  // The file that is the whole stream; "" if it is several.
  std::string OneFile() const { return programs_.size() == 1 ? programs_[0].path : ""; }

 private:
  std::vector<CarriedProgram> programs_;
};

}  // namespace culprit::cli
