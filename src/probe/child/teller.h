// Writes the protocol (probe/host/protocol.h).
#pragma once

#include <initializer_list>
#include <set>
#include <string>
#include <string_view>

namespace culprit::prober {

// The name of a CUDA library: "libcudnn_ops.so.9", "nvcuda.dll"; not libc.
bool IsCudaLibrary(std::string_view file_name);

class Teller {
 public:
  explicit Teller(int descriptor) : descriptor_(descriptor) {}

  // Words are cut if the line would become longer than the protocol allows.
  void Say(std::string_view tag, std::initializer_list<std::string_view> words = {});
  void Figure(std::string_view name, std::string_view value) { Say("figure", {name, value}); }
  void Fact(std::string_view name, std::string_view value) {
    if (!value.empty()) Say("fact", {name, value});
  }
  // `library` lines for the CUDA libraries that were loaded since the last call.
  void TellNewLibraries();

 private:
  int descriptor_;
  std::set<std::string> told_;
};

// A figure with enough digits and no more: "2.1e-07", "24.3".
std::string Short(double value);

}  // namespace culprit::prober
