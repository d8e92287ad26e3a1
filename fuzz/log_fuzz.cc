// Any bytes as a log, in pieces of any size: no crash, no hang, bounded memory, and no terminal control
// sequences in the output.
#include <cstdint>
#include <memory>
#include <string>

#include "explain/explain.h"
#include "explain/logs/plain_text.h"
#include "explain/logs/read_text.h"
#include "explain/logs/text_stream.h"
#include "require.h"

// The first log builds the index of all signatures, which takes seconds under the sanitizers.
extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  culprit::logs::TextStream nothing("");
  return culprit::logs::ReadLog(nothing) ? 0 : 1;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace culprit;
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto stream = logs::PlainText(std::make_unique<logs::TextStream>(text, size_t{data[0]} + 1));
  const auto read = logs::ReadLog(*stream);
  if (!read) return 0;  // a corrupt archive
  const auto& symptoms = read->symptoms;
  Require(symptoms.size() <= 1000);
  for (const logs::Symptom& symptom : symptoms) {
    Require(symptom.line >= 1 && symptom.line <= read->lines);
    Require(symptom.text.size() <= 400);
    for (const char c : symptom.text) Require(static_cast<unsigned char>(c) >= 0x20);
  }
  const auto explanation = explain::Explain(symptoms, {{"-", read->lines}});
  Require(explanation.causes.size() <= 6);
  return 0;
}
