// A record survives the way to a file and back, and a hostile file ends in one line.
#include <gtest/gtest.h>

#include "snapshot/record/record_file.h"

namespace culprit::record {
namespace {

// Every field set, so that one that is forgotten in Fields() is found.
Process SampleProcess() {
  Process process;
  process.id = 4711;
  process.parent = 4710;
  process.at = 5;
  process.program = "/usr/bin/python3.11";
  process.arguments = {"python", "train.py"};
  process.forked = true;
  process.loads = {{.at = 6,
                    .path = "/opt/a/libx.so.1",
                    .real_path = "/opt/a/libx.so.1.2",
                    .name = "libx.so.1",
                    .requester = "/opt/a/liby.so",
                    .via = base::Via::kRunpath,
                    .dlopen = true,
                    .closed = true,
                    .deleted = true,
                    .separate = true,
                    .base = 0xffff'8000'0000'0000,
                    .end = 0xffff'8000'0001'0000}};
  process.failed_requests = {
      {.at = 7,
       .thread = 4712,
       .name = "libz.so.3",
       .requester = "/opt/a/libx.so.1",
       .dlopen = true,
       .attempts = {{"/opt/a/libz.so.3", base::Via::kRunpath, base::LoadOutcome::kMissing}},
       .object = "/x",
       .error = "cannot open shared object file",
       .killed_by = "SIGBUS"}};
  process.failed_calls = {{.at = 8,
                           .thread = 4712,
                           .api = base::CudaApi::kDriver,
                           .function = "cuInit",
                           .code = 100,
                           .status = "CUDA_ERROR_NO_DEVICE",
                           .detail = "_Z4axpyPf",
                           .last_kernel = "_Z4warmPf",
                           .said = "no device",
                           .source = base::CallSource::kCupti,
                           .count = 3}};
  process.open_calls = {{9, 4712, base::CudaApi::kRuntime, "cudaDeviceSynchronize"}};
  process.crashes = {{10, 4712, "SIGSEGV", 1, 0xdead, {{0x1000, "/opt/a/libx.so.1", 0x10, "f", true}}}};
  return process;
}

RecordFile Sample() {
  RecordFile file;
  Run& run = file.run;
  run.tool_version = "0.8.0";
  run.started = "2026-11-16T01:40:00Z";
  run.command = {"python", "train.py",
                 "a\xff"
                 "b"};
  run.working_directory = "/home/ada/net";
  run.duration = 12'000'000;
  run.exit_status = 1;
  run.signal = "SIGSEGV";
  run.interrupted = "SIGINT";
  run.interrupted_at = 11'000'000;
  run.watched = {{Channel::kLoads, "LD_AUDIT", ""}, {Channel::kCalls, "", "no libcupti"}};
  run.processes = {SampleProcess()};
  run.threads = {{4711, 4712, "python", "S", "futex", "futex_wait_queue"}};
  run.texts = {{Channel::kOutput, "begin\n", 100, 3, "end\n"}};
  run.lost_events = 2;
  file.machine.tool_version = "0.8.0";
  file.machine.environment = {{"LD_LIBRARY_PATH", "/opt/a"}};
  return file;
}

TEST(RecordFile, ReadsWhatItWrites) {
  const RecordFile file = Sample();
  const std::string text = ToJsonText(file);
  EXPECT_TRUE(LooksLikeRecord(text));
  const auto read = ParseRecord(text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->run, file.run);
  EXPECT_EQ(read->machine, file.machine);
}

TEST(RecordFile, TellsOtherFilesApart) {
  EXPECT_FALSE(LooksLikeRecord(R"({"schema":"culprit.snapshot/1"})"));
  EXPECT_FALSE(LooksLikeRecord("Traceback: culprit.record/1"));
  const auto newer = ParseRecord(R"({"schema":"culprit.record/2","run":{},"machine":{}})");
  ASSERT_FALSE(newer);
  EXPECT_EQ(newer.error().code, base::ErrorCode::kUnsupported);
  EXPECT_FALSE(ParseRecord(R"({"schema":"culprit.record/1","run":{}})"));
  EXPECT_FALSE(ParseRecord(R"({"schema":"culprit.record/1","run":{"exit_status":"x"},"machine":{}})"));
  EXPECT_FALSE(ParseRecord("[" + std::string(100'000, '[')));
}

// Cut or changed anywhere, it is read or refused, and nothing else happens (the sanitizers watch).
TEST(RecordFile, EndsWhateverTheBytes) {
  const std::string text = ToJsonText(Sample());
  size_t refused = 0;
  for (size_t at = 0; at + 1 < text.size(); at += 29) {  // without its last newline it is whole
    std::string damaged = text;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at % 7)));
    refused += ParseRecord(damaged) ? 0 : 1;
    EXPECT_FALSE(ParseRecord(std::string_view(text).substr(0, at)));
  }
  EXPECT_GT(refused, 0U);
}

}  // namespace
}  // namespace culprit::record
