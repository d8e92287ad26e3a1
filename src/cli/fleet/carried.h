// The program that is carried to the nodes, one for each kind of CPU, and what a shell on a node does with
// it. They travel as one stream on standard input: engines can pass that on, and a node takes its part. A
// node that has the same file at the same place, on a shared file system, starts that one: it must have the
// same size, time and owner, so that nobody else can have put it there.
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
  kFound,   // from a file system that it shares; says kLacking and its name in Slurm if it does not
  kStream,  // from standard input
  kEither,  // only who does not find it reads standard input
};
inline constexpr std::string_view kLacking = "culprit-lacks-program ";

class Carried {
 public:
  // This program, and `files`, each for another CPU. Fails if one is not a program, or two are for one CPU.
  static base::Result<Carried> Make(const std::vector<std::string>& files);

  // For `sh -c`: gets the program, asks, and leaves nothing behind. `ask`: more options of
  // `culprit snapshot --brief`, as the shell reads them.
  std::string OnTheNode(const std::string& ask, Supply supply) const;
  // The words of a command for `sh -c` that runs this one with the stream as its standard input.
  std::string Feeding(const std::vector<std::string>& command) const;
  // Writes the stream to standard output.
  std::string Printing() const;

 private:
  std::vector<CarriedProgram> programs_;
};

}  // namespace culprit::cli
