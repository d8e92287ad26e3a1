// What a child may say and in which order; everything else is a problem from there on.
#include <gtest/gtest.h>

#include "probe/host/protocol.h"
#include "probe/host/steps.h"

namespace culprit::probe {
namespace {

const std::string kStart = "culprit-probe 1\n";

std::string WholeConversation() {
  return kStart + EncodeLine("begin", {"libcuda", "libcuda.so.1"}) +
         EncodeLine("library", {"libcuda.so.1", "/usr/lib/a b/libcuda.so.1"}) +
         EncodeLine("figure", {"driver", "13.0"}) + EncodeLine("ok", {"13.0"}) +
         EncodeLine("begin", {"devices", ""}) + EncodeLine("device", {"0", "3"}) +
         EncodeLine("fact", {"name", "NVIDIA H200"}) + EncodeLine("fact", {"memory_free", "123"}) +
         EncodeLine("holder", {"77", "4096", "python3"}) + EncodeLine("device", {"-", "1"}) +
         EncodeLine("figure", {"microseconds", "1500"}) + EncodeLine("ok", {""}) +
         EncodeLine("begin", {"context", "0"}) +
         EncodeLine("failed", {"CUDA_ERROR_OUT_OF_MEMORY", "cuCtxCreate", "no memory\n"}) +
         EncodeLine("begin", {"memory", "0"}) + EncodeLine("not-run", {"needs context"}) + "done\n";
}

void ExpectWhole(const Transcript& transcript) {
  EXPECT_EQ(transcript.problem(), "");
  EXPECT_TRUE(transcript.done());
  EXPECT_FALSE(transcript.current());
  ASSERT_EQ(transcript.steps().size(), 4u);
  EXPECT_EQ(transcript.steps()[0].libraries[0].path, "/usr/lib/a b/libcuda.so.1");
  EXPECT_EQ(transcript.steps()[0].figures.at("driver"), "13.0");
  EXPECT_EQ(transcript.steps()[1].microseconds, 1500u);
  EXPECT_EQ(transcript.steps()[1].figures.size(), 0u);
  EXPECT_EQ(transcript.steps()[2].outcome, snapshot::StepOutcome::kFailed);
  EXPECT_EQ(transcript.steps()[2].call, "cuCtxCreate");
  EXPECT_EQ(transcript.steps()[2].detail, "no memory\n");
  EXPECT_EQ(transcript.steps()[3].outcome, snapshot::StepOutcome::kNotRun);
  ASSERT_EQ(transcript.devices().size(), 2u);
  EXPECT_EQ(transcript.devices()[0].nvml_index, "3");
  EXPECT_EQ(transcript.devices()[0].name, "NVIDIA H200");
  EXPECT_EQ(transcript.devices()[0].memory_free, 123u);
  EXPECT_EQ(transcript.devices()[0].holders[0], (snapshot::MemoryHolder{77, "python3", 4096}));
  EXPECT_EQ(transcript.devices()[1].cuda_index, "");
}

TEST(Transcript, IsTheSameWhereverThePipeCutsIt) {
  const std::string text = WholeConversation();
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    Transcript transcript;
    EXPECT_TRUE(transcript.Feed(std::string_view(text).substr(0, cut)));
    EXPECT_TRUE(transcript.Feed(std::string_view(text).substr(cut)));
    ExpectWhole(transcript);
  }
  Transcript bytewise;
  for (const char byte : text) ASSERT_TRUE(bytewise.Feed({&byte, 1}));
  ExpectWhole(bytewise);
}

TEST(Transcript, EveryLineHasItsPlaces) {
  const std::string outside = kStart, inside = kStart + "begin devices %\n", device = inside + "device 0 0\n",
                    after_device = device + "ok %\nbegin context %\n", ended = kStart + "done\n",
                    crashed = inside + "crash SIGSEGV /lib/x\n", stuck = inside + "stuck %\n";
  const auto fits = [](const std::string& before, const std::string& line) {
    Transcript transcript;
    EXPECT_TRUE(transcript.Feed(before)) << before;
    return transcript.Feed(line + "\n");
  };
  struct Row {
    const char* line;
    std::string places;  // in the order of the row below
  };
  const std::string* places[] = {&outside, &inside, &device, &after_device, &ended, &crashed, &stuck};
  const Row rows[] = {
      {"culprit-probe 1", "-------"},
      {"begin libcuda %", "+------"},
      {"library a /b", "-+++---"},
      {"device 0 -", "-+++---"},
      {"fact name x", "--+----"},
      {"holder 1 2 x", "--+----"},
      {"figure a b", "-+++---"},
      {"crash SIGBUS %", "++++---"},
      {"stuck /lib/y", "++++---"},
      {"ok %", "-+++---"},
      {"failed A b c", "-+++---"},
      {"not-run x", "-+++---"},
      {"done", "+------"},
  };
  for (const Row& row : rows) {
    for (size_t i = 0; i < std::size(places); ++i)
      EXPECT_EQ(fits(*places[i], row.line), row.places[i] == '+') << *places[i] << row.line;
    EXPECT_EQ(fits("", row.line), row.line == kGreeting) << "as the first: " << row.line;
  }
}

TEST(Transcript, RefusesWhatIsNearlyALine) {
  for (const char* line : {"",
                           " ",
                           "ok",
                           "ok ",
                           "ok  x",
                           "ok x y",
                           "ok x ",
                           " ok x",
                           "OK x",
                           "ok caf\xc3\xa9",
                           "ok x\r",
                           "ok \t",
                           "ok %2",
                           "begin context %",
                           "done",
                           "failed a b",
                           "fact memory_free -1",
                           "fact memory_free 1e3",
                           "fact memory_total 99999999999999999999",
                           "fact shoe 43",
                           "fact mig maybe",
                           "fact compute_mode shared",
                           "holder x 1 y",
                           "holder 1 x y",
                           "holder 1 2",
                           "figure microseconds soon",
                           "crash % /lib/x",
                           "crash SIGSEGV",
                           "library x",
                           "device 0",
                           "ready x"}) {
    Transcript transcript;
    ASSERT_TRUE(transcript.Feed(kStart + "begin devices %\ndevice 0 0\n"));
    EXPECT_FALSE(transcript.Feed(std::string(line) + "\n")) << line;
    EXPECT_NE(transcript.problem(), "");
    EXPECT_FALSE(transcript.Feed("ok %\n")) << "there is no way back";
    EXPECT_TRUE(transcript.current());
  }
  for (const char* line : {"begin nonsense %", "begin % %", "begin devices", "begin libcuda %"}) {
    Transcript transcript;
    ASSERT_TRUE(transcript.Feed(kStart + "begin libcuda %\nok %\n"));
    EXPECT_FALSE(transcript.Feed(std::string(line) + "\n")) << line;
  }
  for (const char* greeting :
       {"culprit-probe 2\n", "culprit-probe 1 \n", "hello\n", "\n", "culprit-probe 1\r\n"}) {
    Transcript transcript;
    EXPECT_FALSE(transcript.Feed(greeting)) << greeting;
  }
}

TEST(Transcript, NeverHoldsMoreThanItsLimits) {
  Transcript long_line;
  ASSERT_TRUE(long_line.Feed(kStart));
  const std::string piece(1000, 'x');
  size_t fed = 0;
  while (fed < 10 * kLongestLine && long_line.Feed(piece)) fed += piece.size();
  EXPECT_LE(fed, kLongestLine);
  EXPECT_GT(fed, kLongestLine - 2 * piece.size());

  Transcript many;
  ASSERT_TRUE(many.Feed(kStart + "begin devices %\n"));
  size_t lines = 2;
  while (lines < 10 * kMostLines && many.Feed("library a b\n")) ++lines;
  EXPECT_EQ(lines, kMostLines);
  EXPECT_EQ(many.problem(), "more than 20000 lines");
}

TEST(Transcript, TheProblemQuotesAHostileLineSafely) {
  Transcript transcript;
  EXPECT_FALSE(transcript.Feed("\x1b[2J" + std::string(500, '\x01') + "\n"));
  EXPECT_EQ(transcript.problem().find('\x1b'), std::string::npos);
  EXPECT_LT(transcript.problem().size(), 500u);
}

TEST(Transcript, AnEndInTheMiddleOfALineIsNoLine) {
  Transcript transcript;
  ASSERT_TRUE(transcript.Feed(kStart + "begin devices %\nok %\ndone"));
  EXPECT_FALSE(transcript.done());
}

}  // namespace
}  // namespace culprit::probe
