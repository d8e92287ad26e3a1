// Uses the C++ library where it can (gcc, clang); elsewhere names stay as they are.
#include "base/demangle.h"

#include <cstddef>
#if __has_include(<cxxabi.h>)
#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#endif

namespace culprit::base {
namespace {

constexpr size_t kLong = 100;
constexpr size_t kLongestSymbol = 8000;  // untrusted, and the decoder recurses

// Without template arguments and parameters.
std::string Shortened(const std::string& name) {
  std::string result;
  size_t depth = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '<') {
      if (depth++ == 0) result += "<...>";
    } else if (c == '>' && depth > 0) {
      --depth;
    } else if (depth == 0) {
      if (c == '(' && !name.substr(i).starts_with("(anonymous namespace)")) break;
      result += c;
    }
  }
  constexpr const char* kVoid = "void ";  // the result type is part of a template's name
  if (result.starts_with(kVoid)) result.erase(0, 5);
  return result;
}

}  // namespace

std::string ReadableFunction(const std::string& symbol) {
#if __has_include(<cxxabi.h>)
  if (!symbol.starts_with("_Z") || symbol.size() > kLongestSymbol) return symbol;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0 || text == nullptr) return symbol;
  std::string name = text.get();
  return name.size() > kLong ? Shortened(name) : name;
#else
  return symbol;
#endif
}

}  // namespace culprit::base
