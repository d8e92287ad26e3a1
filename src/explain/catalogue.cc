#include "explain/catalogue.h"

#include <memory>
#include <string>
#include <utility>

#include "explain/explain.h"
#include "explain/logs/plain_text.h"
#include "explain/logs/read_text.h"
#include "explain/logs/text_stream.h"
#include "knowledge/messages/causes.h"
#include "knowledge/messages/signatures.h"

namespace culprit::explain {
namespace {

// {file|NAME} without a log is NAME.
std::string WithoutLog(std::string_view text) {
  std::string words;
  while (!text.empty()) {
    const size_t open = text.find('{');
    const size_t close = open == std::string_view::npos ? open : text.find('}', open);
    if (close == std::string_view::npos) return words.append(text);
    const std::string_view inside = text.substr(open + 1, close - open - 1);
    const size_t bar = inside.find('|');
    words += text.substr(0, open);
    words += bar == std::string_view::npos ? text.substr(open, close + 1 - open) : inside.substr(bar + 1);
    text.remove_prefix(close + 1);
  }
  return words;
}

std::vector<report::LikelyCause> CausesOf(std::string_view message) {
  const auto stream = logs::PlainText(std::make_unique<logs::TextStream>(std::string(message)));
  const auto read = logs::ReadLog(*stream);
  if (!read) return {};
  report::Explanation explained = Explain(read->symptoms, {{.name = "-", .lines = read->lines}});
  return std::move(explained.causes);
}

}  // namespace

std::vector<report::CausePage> CausePages() {
  std::vector<report::CausePage> pages;
  for (const knowledge::Cause& cause : knowledge::Causes()) {
    pages.push_back({.slug = std::string(cause.slug),
                     .title = WithoutLog(cause.title),
                     .check = WithoutLog(cause.check),
                     .windows_check = WithoutLog(cause.windows_check),
                     .fix = WithoutLog(cause.fix),
                     .windows_fix = WithoutLog(cause.windows_fix),
                     .avoid = WithoutLog(cause.avoid),
                     .code = std::string(cause.code)});
  }
  return pages;
}

std::vector<report::KnownMessage> KnownMessages() {
  std::vector<report::KnownMessage> messages;
  for (const knowledge::Signature& signature : knowledge::Signatures()) {
    if (signature.example.empty()) continue;
    auto causes = CausesOf(signature.example);
    if (causes.empty()) continue;  // it tells only together with other lines
    messages.push_back({.id = std::string(signature.id),
                        .pattern = std::string(signature.pattern),
                        .text = std::string(signature.example),
                        .causes = std::move(causes)});
  }
  return messages;
}

}  // namespace culprit::explain
