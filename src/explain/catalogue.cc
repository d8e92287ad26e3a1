#include "explain/catalogue.h"

#include <array>
#include <memory>
#include <string>
#include <utility>

#include "base/text.h"
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

struct ReadMessage {
  std::vector<report::LikelyCause> causes;
  std::string library;  // that the message was recognised to be about; "" for none, or if it was not
};

ReadMessage Read(std::string_view message, const knowledge::Signature& signature) {
  const auto stream = logs::PlainText(std::make_unique<logs::TextStream>(std::string(message)));
  const auto read = logs::ReadLog(*stream);
  if (!read) return {};
  ReadMessage result;
  for (const logs::Symptom& symptom : read->symptoms) {
    if (symptom.signature == &signature)
      result.library = base::BaseName(std::string(symptom.attribute("library")));
  }
  result.causes = std::move(Explain(read->symptoms, {{.name = "-", .lines = read->lines}}).causes);
  return result;
}

std::string WithName(std::string_view text, const std::string& old_name, const std::string& name) {
  std::string words(text);
  for (size_t at = words.find(old_name); at != std::string::npos; at = words.find(old_name, at + name.size()))
    words.replace(at, old_name.size(), name);
  return words;
}

// The same message about the libraries that people miss most: what it means depends on the library.
constexpr std::array<std::array<std::string_view, 2>, 5> kMostMissed = {
    {{"libcudnn.so.9", "cudnn64_9.dll"},
     {"libcuda.so.1", "nvcuda.dll"},
     {"libcudart.so.12", "cudart64_12.dll"},
     {"libcublas.so.12", "cublas64_12.dll"},
     {"", "zlibwapi.dll"}}};

// Only where it means something else.
void AddVariants(const knowledge::Signature& signature, const ReadMessage& example,
                 std::vector<report::KnownMessage>& messages) {
  const bool windows = example.library.ends_with(".dll");
  if (!windows && !base::Contains(example.library, ".so")) return;
  for (const auto& names : kMostMissed) {
    const std::string name(names[windows ? 1 : 0]);
    if (name.empty()) continue;
    const std::string text = WithName(signature.example, example.library, name);
    ReadMessage variant = Read(text, signature);
    if (variant.library != name || variant.causes.empty() ||
        variant.causes.front().cause == example.causes.front().cause)
      continue;
    messages.push_back({.id = std::string(signature.id) + "-" + std::string(name.substr(0, name.find('.'))),
                        .pattern = std::string(signature.pattern),
                        .text = text,
                        .causes = std::move(variant.causes)});
  }
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
    ReadMessage example = Read(signature.example, signature);
    if (example.causes.empty()) continue;  // it tells only together with other lines
    AddVariants(signature, example, messages);
    messages.push_back({.id = std::string(signature.id),
                        .pattern = std::string(signature.pattern),
                        .text = std::string(signature.example),
                        .causes = std::move(example.causes)});
  }
  return messages;
}

}  // namespace culprit::explain
