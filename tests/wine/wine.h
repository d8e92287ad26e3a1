// Wine as the reference: its own prefix, the files of the trees on its drive C:, and the driver program that
// runs the plans.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "expectation.h"
#include "tree.h"

namespace culprit::wine {

// Wine is not available; what() says why.
class NoWine : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Wine {
 public:
  // `program` runs Windows programs (tools/wine). Creates the prefix if it does not exist. Throws if Wine
  // does not run.
  Wine(std::string program, std::string prefix, const std::string& driver);

  void Write(const Tree& tree);
  // Runs the plan in one process and returns its output. Throws if it did not reach the end.
  std::string Run(const std::string& plan);
  const std::filesystem::path& drive_c() const { return drive_c_; }

 private:
  void RemoveOld() const;
  std::filesystem::path HostPath(const std::string& path) const;

  std::string program_, prefix_;
  std::filesystem::path drive_c_;
  bool booted_ = false;  // the prefix is complete: no services are needed to load DLLs
};

// The plan of a tree: its operations, and after each load the queries for functions that must be missing.
std::string PlanOf(const Tree& tree, const std::vector<Expected>& expected);

// The driver's output for one tree.
struct Heard {
  std::vector<Ending> endings;
  std::vector<bool> functions;  // in the order of the queries
};
// By the name of the tree.
std::vector<std::pair<std::string, Heard>> Listen(const std::string& output);

}  // namespace culprit::wine
