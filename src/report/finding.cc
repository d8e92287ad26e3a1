#include "report/finding.h"

#include <algorithm>

namespace culprit::report {

std::string_view FileOf(std::string_view source) {
  if (source.size() < 2 || !(source.starts_with('/') || source.starts_with("~/"))) return {};
  for (const std::string_view end : {" (", ", ", ": ", " -> "}) source = source.substr(0, source.find(end));
  return source;
}

std::string_view FileNamedIn(std::string_view source) {
  const size_t at = source.find(" /");
  return source.starts_with('/') || at == source.npos ? FileOf(source) : FileOf(source.substr(at + 1));
}

std::string_view VariableOf(const Evidence& evidence) {
  const std::string_view fact = evidence.fact;
  return evidence.source == "environment" ? fact.substr(0, std::min(fact.find('='), fact.size()))
                                          : std::string_view();
}

}  // namespace culprit::report
