#include "explain/logs/log_reader.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "explain/logs/text_stream.h"

namespace culprit::logs {
namespace {

LogReader Read(const std::string& text, size_t step = 1 << 16) {
  TextStream stream(text, step);
  LogReader reader;
  while (true) {
    const auto got = stream.Read(reader.Room());
    EXPECT_TRUE(got.has_value());
    if (*got == 0) break;
    reader.Added(*got);
  }
  reader.Flush();
  return reader;
}

std::vector<Symptom> OfKind(const LogReader& reader, std::string_view kind) {
  std::vector<Symptom> found = reader.symptoms();
  std::erase_if(found, [&](const Symptom& symptom) { return symptom.kind() != kind; });
  return found;
}

constexpr const char* kNotFound =
    "ImportError: libcudart.so.11.0: cannot open shared object file: No such file or directory";

TEST(LogReader, NamesTheLineAndCaptures) {
  const LogReader reader = Read(std::string("epoch 1\nepoch 2\n") + kNotFound + "\n");
  const auto found = OfKind(reader, "library-not-found");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].line, 3u);
  EXPECT_EQ(found[0].text, kNotFound);
  EXPECT_EQ(found[0].attribute("library"), "libcudart.so.11.0");
  EXPECT_EQ(found[0].attribute("family"), "cuda");
  EXPECT_EQ(found[0].attribute("major"), "11");
  EXPECT_EQ(reader.lines(), 3u);
}

TEST(LogReader, HowTheBytesArriveMakesNoDifference) {
  std::string text;
  for (int i = 0; i < 3000; ++i) {
    text += "[rank" + std::to_string(i % 8) + "]: step " + std::to_string(i) + "\n";
    if (i % 700 == 3) text += std::string(kNotFound) + "\r\n";
    if (i % 900 == 5) {
      text +=
          "RuntimeError:\n  The detected CUDA version (12.2) mismatches the version that was used to "
          "compile\n"
          "  PyTorch (11.3). Please make sure to use the same CUDA versions.\n";
    }
  }
  const LogReader whole = Read(text);
  ASSERT_FALSE(whole.symptoms().empty());
  for (const size_t step : {size_t{1}, size_t{61}, size_t{4096}}) {
    const LogReader pieces = Read(text, step);
    EXPECT_EQ(pieces.lines(), whole.lines());
    ASSERT_EQ(pieces.symptoms().size(), whole.symptoms().size()) << step;
    for (size_t i = 0; i < whole.symptoms().size(); ++i) {
      EXPECT_EQ(pieces.symptoms()[i].line, whole.symptoms()[i].line);
      EXPECT_EQ(pieces.symptoms()[i].count, whole.symptoms()[i].count);
      EXPECT_EQ(pieces.symptoms()[i].attributes, whole.symptoms()[i].attributes);
    }
  }
}

TEST(LogReader, ColoursPrefixesAndProgressBarsAreNotInTheWay) {
  for (const std::string& line : {
           std::string("\x1b[31mImportError: \x1b[0mlibcudart.so.11.0: cannot open shared object file"),
           std::string("[rank3]: ImportError: libcudart.so.11.0: cannot open shared object file"),
           std::string("trainer-1  | ImportError: libcudart.so.11.0: cannot open shared object file"),
           std::string("2026-11-15T08:00:00.123456789Z stderr F ImportError: libcudart.so.11.0: cannot open "
                       "shared object file"),
           std::string("10%|#  | 1/10\r20%|##  | 2/10\rImportError: libcudart.so.11.0: cannot open shared "
                       "object file\r"),
       }) {
    EXPECT_EQ(OfKind(Read(line), "library-not-found").size(), 1u) << line;
  }
}

TEST(LogReader, AMessageOfOneProcessIsReadThroughTheLinesOfOthers) {
  const LogReader reader = Read(
      "[rank0]: RuntimeError:\n"
      "[rank1]: step 10\n"
      "[rank0]:   The detected CUDA version (12.2) mismatches the version that was used to compile\n"
      "[rank1]: step 11\n"
      "[rank0]:   PyTorch (11.3). Please make sure to use the same CUDA versions.\n");
  const std::vector<Symptom> symptoms = reader.symptoms();
  const auto found = std::ranges::find_if(symptoms, [](const Symptom& symptom) {
    return symptom.attributes.contains("compiled") ||
           symptom.text.find("PyTorch (11.3)") != std::string::npos;
  });
  ASSERT_NE(found, symptoms.end());
  EXPECT_EQ(found->line, 3u);
}

// Many similar lines are looked at together; a message among them is found wherever it stands.
TEST(LogReader, AMessageAmongManySimilarLinesIsFound) {
  const auto among = [](size_t before, const std::string& message) {
    std::string text;
    for (size_t i = 0; i < 600; ++i) {
      if (i == before) text += message;
      text += "job " + std::to_string(i) +
              " cannot open shared object file, mismatches the version that was used\n";
    }
    return text;
  };
  const std::string of_lines =
      "RuntimeError:\n  The detected CUDA version (12.2) mismatches the version that was used to compile\n"
      "  PyTorch (11.3). Please make sure to use the same CUDA versions.\n";
  const auto compiled = [](const LogReader& reader) {
    const std::vector<Symptom> symptoms = reader.symptoms();
    const auto found = std::ranges::find_if(
        symptoms, [](const Symptom& symptom) { return symptom.attribute("compiled") == "11.3"; });
    return found == symptoms.end() ? 0 : found->line;
  };
  for (const size_t before : {0u, 1u, 64u, 65u, 66u, 67u, 70u, 79u, 100u, 193u, 320u, 447u, 598u, 599u}) {
    for (const size_t step : {size_t{61}, size_t{1 << 16}}) {
      const auto found =
          OfKind(Read(among(before, std::string(kNotFound) + "\n"), step), "library-not-found");
      ASSERT_EQ(found.size(), 1u) << before;
      EXPECT_EQ(found[0].line, before + 1);
      EXPECT_EQ(compiled(Read(among(before, of_lines), step)), before + 2);
    }
  }
}

TEST(LogReader, TheSameAgainIsCounted) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += std::string(kNotFound) + "\n";
  const auto found = OfKind(Read(text), "library-not-found");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].count, 500u);
  EXPECT_EQ(found[0].line, 1u);
}

TEST(LogReader, ALineOfAnyLengthIsReadInPieces) {
  const std::string text = std::string(3 << 20, 'x') + " " + kNotFound + " " + std::string(2 << 20, 'y');
  const auto found = OfKind(Read(text), "library-not-found");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].line, 1u);
  EXPECT_LE(found[0].text.size(), 400u);
}

TEST(LogReader, BinaryBytesAreHarmless) {
  std::string bytes;
  for (int i = 0; i < 1 << 20; ++i)
    bytes += static_cast<char>((static_cast<unsigned>(i) * 2654435761u) >> 13);
  EXPECT_TRUE(Read(bytes).symptoms().empty());
}

TEST(LogReader, ControlCharactersDoNotSurvive) {
  const auto found = OfKind(Read("ImportError: libcudart.so.11.0: cannot open shared object file: No such "
                                 "file or directory\x07\x1b]0;title\x07 end\n"),
                            "library-not-found");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(
      std::ranges::none_of(found[0].text, [](char c) { return static_cast<unsigned char>(c) < 0x20; }));
}

TEST(LogReader, WhatALongerTextMentionsDidNotHappen) {
  const std::string mention = "See `" + std::string(kNotFound) + "`, install CUDA 11.\n";
  EXPECT_TRUE(OfKind(Read("one\ntwo\nthree\nfour\nfive\n" + mention), "library-not-found").empty());
  EXPECT_TRUE(OfKind(Read("If you see " + mention.substr(4)), "library-not-found").empty());
  EXPECT_EQ(OfKind(Read(mention), "library-not-found").size(),
            1u);  // it is the whole input, so it is meant literally
  EXPECT_EQ(OfKind(Read("one\n\n\n" + mention + "\ntwo\n"), "library-not-found").size(), 1u);  // blank lines
}

TEST(LogReader, TheOnlyFailureOfWhoAsksForHelpHappened) {
  const std::string quoted = "it is `" + std::string(kNotFound) + "` every time\n";
  const std::string asked = "one\ntwo\nthree\nfour\nI keep getting this, any idea?\n";
  EXPECT_EQ(OfKind(Read(asked + quoted), "library-not-found").size(), 1u);
  const std::string other = "RuntimeError: CUDA error: out of memory\n";
  EXPECT_TRUE(OfKind(Read(asked + quoted + other), "library-not-found").empty());
}

}  // namespace
}  // namespace culprit::logs
