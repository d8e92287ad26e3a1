#include "run/watch/journal/reader.h"

#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>

#include "run/witness/journal_writer.h"

namespace culprit::watch {
namespace {

constexpr uint64_t kStarted = 1'000'000;

// A journal in memory, written as the libraries write it.
class MadeUp {
 public:
  explicit MadeUp(size_t size = sizeof(CulpritJournal) + 65536) : words_(size / 8) {
    header().magic = CULPRIT_JOURNAL_MAGIC;
    header().size = words_.size() * 8;
    header().used = sizeof(CulpritJournal);
  }
  CulpritJournal& header() { return *reinterpret_cast<CulpritJournal*>(words_.data()); }
  void Write(int32_t process, uint32_t kind, std::initializer_list<const char*> fields, int32_t thread = 0) {
    at_ += 1000;
    CulpritWriteEvent(&header(), kind, {process, thread != 0 ? thread : process, at_}, fields.begin(),
                      fields.size());
  }
  void Start(int32_t process) { Write(process, kCulpritStart, {"1", "/bin/tool", "tool", "-v"}); }
  std::string_view bytes() const { return {reinterpret_cast<const char*>(words_.data()), words_.size() * 8}; }
  JournalContents Read(const JournalFiles& files = {}) const {
    auto contents = ReadJournal(bytes(), kStarted, files);
    EXPECT_TRUE(contents.has_value());
    return contents.value_or(JournalContents{});
  }

 private:
  std::vector<uint64_t> words_;
  uint64_t at_ = kStarted;
};

TEST(JournalReader, PairsRequestsOfEachThreadWithWhatItOpensNext) {
  MadeUp journal;
  journal.Start(7);
  journal.Write(7, kCulpritOpen, {"", "400000", "500000", "0", "0"});
  journal.Write(7, kCulpritSearch, {"request", "liba.so", "", "needed"});
  journal.Write(7, kCulpritSearch, {"request", "libmissing.so", "/x/libq.so", "dlopen"}, 8);
  journal.Write(7, kCulpritSearch, {"runpath", "/bad/libmissing.so", "/x/libq.so"}, 8);
  journal.Write(7, kCulpritSearch, {"ld_library_path", "/1/liba.so", ""});
  journal.Write(7, kCulpritSearch, {"cache", "/2/liba.so", ""});
  journal.Write(7, kCulpritOpen, {"/2/liba.so", "10000", "20000", "0", "10000"});
  journal.Write(7, kCulpritSearch, {"request", "/3/libb.so", "/2/liba.so", "dlopen"});
  journal.Write(7, kCulpritOpen, {"/3/libb.so", "30000", "40000", "1", "30000"});
  journal.Write(7, kCulpritClose, {"/3/libb.so", "30000"});
  journal.Write(7, kCulpritClose, {"/2/liba.so", "30000"});  // of another file
  const JournalContents contents = journal.Read();
  ASSERT_EQ(contents.processes.size(), 1u);
  const record::Process& process = contents.processes[0];
  EXPECT_EQ(process.arguments, (std::vector<std::string>{"tool", "-v"}));
  EXPECT_EQ(process.at, 1u);
  ASSERT_EQ(process.loads.size(), 3u);
  EXPECT_EQ(process.loads[0].path, "/bin/tool");
  EXPECT_EQ(process.loads[1].name, "liba.so");
  EXPECT_EQ(process.loads[1].via, base::Via::kCache);
  EXPECT_FALSE(process.loads[1].dlopen || process.loads[1].closed || process.loads[1].separate);
  EXPECT_EQ(process.loads[2].requester, "/2/liba.so");
  EXPECT_EQ(process.loads[2].via, base::Via::kPath);
  EXPECT_TRUE(process.loads[2].dlopen && process.loads[2].closed && process.loads[2].separate);
  ASSERT_EQ(process.failed_requests.size(), 1u);
  EXPECT_EQ(process.failed_requests[0].name, "libmissing.so");
  EXPECT_TRUE(process.failed_requests[0].dlopen);
  ASSERT_EQ(process.failed_requests[0].attempts.size(), 1u);
  EXPECT_EQ(process.failed_requests[0].attempts[0].path, "/bad/libmissing.so");
}

TEST(JournalReader, AFileThatIsLoadedUnderAnotherNameIsNoFailure) {
  MadeUp journal;
  journal.Start(7);
  journal.Write(7, kCulpritSearch, {"request", "liba.so.1", "", "needed"});
  journal.Write(7, kCulpritSearch, {"cache", "/lib/liba.so.1", ""});
  journal.Write(7, kCulpritOpen, {"/lib/liba.so.1", "10000", "20000", "0", "10000"});
  journal.Write(7, kCulpritSearch, {"request", "liba.so", "", "dlopen"});
  journal.Write(7, kCulpritSearch, {"cache", "/lib/liba.so", ""});
  JournalFiles files;
  files.real_path = [](const std::string&) { return "/lib/liba.so.1.2"; };
  EXPECT_TRUE(journal.Read(files).processes.at(0).failed_requests.empty());
  EXPECT_EQ(journal.Read(files).processes.at(0).loads.at(0).real_path, "/lib/liba.so.1.2");
  EXPECT_EQ(journal.Read().processes.at(0).failed_requests.size(), 1u);
}

TEST(JournalReader, FindsACrashInWhatAForkInherited) {
  MadeUp journal;
  journal.Start(7);
  journal.Write(7, kCulpritSearch, {"request", "liba.so", "", "needed"});
  journal.Write(7, kCulpritOpen, {"/lib/liba.so", "10000", "20000", "0", "c000"});
  journal.Write(7, kCulpritOpen, {"/lib/odd.so", "70000", "0", "0", "70000"});
  journal.Write(9, kCulpritFork, {"7", "8"});
  journal.Write(7, kCulpritOpen, {"/lib/later.so", "50000", "60000", "0", "50000"});
  journal.Write(9, kCulpritCrash, {"b", "ffffffff", "10", "0", "10044", "55555", "10"}, 12);
  journal.Write(9, kCulpritCrash, {"6", "fffffffa", "0", "70010"});
  JournalFiles files;
  files.extent = [](const std::string& path) { return path == "/lib/odd.so" ? 0x100u : 0u; };
  files.functions = [](const std::string& path, const std::vector<uint64_t>& addresses) {
    if (path == "/lib/odd.so") return std::vector<std::string>{};
    EXPECT_EQ(path, "/lib/liba.so");
    EXPECT_EQ(addresses, std::vector<uint64_t>{0x4043});
    return std::vector<std::string>{"f"};
  };
  const JournalContents contents = journal.Read(files);
  ASSERT_EQ(contents.processes.size(), 2u);
  const record::Process& child = contents.processes[1];
  EXPECT_TRUE(child.forked);
  EXPECT_EQ(child.parent, 8);
  EXPECT_EQ(child.program, "/bin/tool");
  ASSERT_EQ(child.crashes.size(), 2u);
  EXPECT_EQ(child.crashes[1].frames.at(0).object, "/lib/odd.so") << "the file says how far it reaches";
  EXPECT_EQ(child.crashes[0].signal, "SIGSEGV");
  EXPECT_EQ(child.crashes[0].code, -1);
  EXPECT_EQ(child.crashes[0].thread, 12);
  ASSERT_EQ(child.crashes[0].frames.size(), 2u) << "words that are no place of a library are left out";
  EXPECT_EQ(child.crashes[0].frames[0].object, "") << "a call of address 0";
  EXPECT_EQ(child.crashes[0].frames[1].function, "f");
  EXPECT_TRUE(child.crashes[0].frames[1].guessed);
}

TEST(JournalReader, AnExecIsAnotherProcessAndAReturnFromVforkIsNone) {
  MadeUp journal;
  journal.Start(7);
  journal.Write(8, kCulpritFork, {"7", "7"});
  journal.Write(7, kCulpritFork, {"8", "1"});  // the memory says 8
  journal.Start(8);
  const JournalContents contents = journal.Read();
  ASSERT_EQ(contents.processes.size(), 3u);
  EXPECT_EQ(contents.processes[1].id, 8);
  EXPECT_TRUE(contents.processes[1].forked);
  EXPECT_EQ(contents.processes[2].id, 8);
  EXPECT_FALSE(contents.processes[2].forked);
}

TEST(JournalReader, CountsCallsThatFailAgainAndAgain) {
  MadeUp journal;
  journal.Start(7);
  for (int i = 0; i < 3; ++i) journal.Write(7, kCulpritCall, {"driver", "cuMemAlloc_v2", "2"});
  journal.Write(7, kCulpritCall, {"runtime", "cudaMalloc", "2"});
  journal.Write(7, kCulpritWatching, {"CUDA calls", "CUPTI"});
  journal.Write(7, kCulpritWatching, {"CUDA calls", "CUPTI"});
  CulpritSlot& slot = journal.header().slots[3];
  slot = {.process = 7, .thread = 9, .since = kStarted + 5000, .function = {}};
  std::memset(slot.function, 'x', sizeof slot.function);
  const JournalContents contents = journal.Read();
  const record::Process& process = contents.processes.at(0);
  ASSERT_EQ(process.failed_calls.size(), 2u);
  EXPECT_EQ(process.failed_calls[0].count, 3u);
  EXPECT_EQ(process.failed_calls[0].code, 2);
  ASSERT_EQ(process.open_calls.size(), 1u);
  EXPECT_EQ(process.open_calls[0].since, 5u);
  EXPECT_EQ(process.open_calls[0].function, std::string(sizeof slot.function, 'x'));
  EXPECT_EQ(contents.watched.size(), 1u);
}

TEST(JournalReader, GoesOnAfterAnEventThatWasNotFinished) {
  MadeUp journal;
  journal.Start(7);
  journal.Write(7, 0, {"killed while writing"});
  journal.header().used += 64;  // killed before that
  journal.Start(8);
  const JournalContents contents = journal.Read();
  ASSERT_EQ(contents.processes.size(), 2u);
  EXPECT_EQ(contents.processes[1].id, 8);
  EXPECT_EQ(contents.lost_events, 2u);
}

TEST(JournalReader, CountsWhatFoundNoRoom) {
  MadeUp journal(sizeof(CulpritJournal) + 128);
  for (int32_t i = 1; i < 10; ++i) journal.Start(i);
  const JournalContents contents = journal.Read();
  EXPECT_EQ(contents.processes.size() + contents.lost_events, 9u);
  EXPECT_GT(contents.lost_events, 0u);
}

TEST(JournalReader, RefusesOtherBytes) {
  EXPECT_FALSE(ReadJournal("", 0, {}).has_value());
  EXPECT_FALSE(ReadJournal(std::string(sizeof(CulpritJournal), '\0'), 0, {}).has_value());
}

}  // namespace
}  // namespace culprit::watch
