// `culprit knowledge`, and tables that are newer than the program.
#include <gtest/gtest.h>

#include "base/bytes/sha256.h"
#include "base/json.h"
#include "made_up_root.h"

namespace culprit {
namespace {

class Knowledge : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    book_ = Run({"knowledge", "export"}).out;
    setenv("XDG_DATA_HOME", (top_ / "data").c_str(), 1);
    unsetenv("CULPRIT_KNOWLEDGE");
  }
  void TearDown() override {
    setenv("CULPRIT_KNOWLEDGE", "", 1);
    unsetenv("XDG_DATA_HOME");
    Cli::TearDown();
  }

  // The exported tables with a change, the date of another day, and a digest that fits.
  std::string Book(const std::string& date, const std::string& from = "", const std::string& to = "") const {
    std::string book = book_;
    if (!from.empty()) book.replace(book.find(from), from.size(), to);
    const size_t day = book.find("\ndate ") + 6, line = book.find("sha256 ");
    book.replace(day, 10, date);
    const size_t end = book.find('\n', line) + 1;
    base::Sha256 sha256;
    const std::string rest = book.substr(0, line) + book.substr(end);
    sha256.Add(std::as_bytes(std::span(rest)));
    return book.substr(0, line) + "sha256 " + sha256.Hex() + "\n" + book.substr(end);
  }
  void Install(const std::string& book) const { WriteFile(top_ / "data/culprit/knowledge.tables", book); }
  base::Json Ask(std::vector<std::string> words) const {
    words.insert(words.end(), {"--format", "json"});
    return base::Json::parse(Run(words).out);
  }

  std::string book_;
};

TEST_F(Knowledge, Help) { ExpectGolden("knowledge_help.txt", {"knowledge", "--help"}, 0); }

TEST_F(Knowledge, ShowsWhatIsUsed) {
  const base::Json answer = Ask({"knowledge"});
  EXPECT_EQ(answer.at("schema"), "culprit.knowledge/1");
  EXPECT_TRUE(answer.at("knowledge").at("file").is_null());
  EXPECT_EQ(answer.at("files").at(0).at("use"), "absent");
  EXPECT_GT(answer.at("tables").size(), 60u);
}

TEST_F(Knowledge, NewerTablesAreUsedAndNamedInEveryReport) {
  Install(Book("2999-01-01"));
  const base::Json compat = Ask({"compat", "cuda=12.4", "gcc=12"});
  EXPECT_EQ(compat.at("verdict"), "yes");
  EXPECT_EQ(compat.at("knowledge").at("date"), "2999-01-01");
  EXPECT_EQ(compat.at("knowledge").at("file"), (top_ / "data/culprit/knowledge.tables").string());
  EXPECT_EQ(compat.at("knowledge").at("sha256").get<std::string>().size(), 64u);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"why", "libc.so.6", "--root", "root"},
        {"rules"},
        {"inspect", "root/app/lib/libengine.so"},
        {"check", "--root", "root"},
        {"plan", "torch", "--host", "driver=550.54.14,gpu=sm_80"}}) {
    EXPECT_NE(Run(words).out.find("using the tables in "), std::string::npos) << words.front();
    EXPECT_EQ(Ask(words).at("knowledge").at("file"), compat.at("knowledge").at("file")) << words.front();
  }
}

// A fact of the file reaches an answer.
TEST_F(Knowledge, TheFactsAreThoseOfTheFile) {
  const size_t row = book_.find("\n12.4\t", book_.find("table host_compilers.nvcc"));
  const std::string line = book_.substr(row, book_.find('\n', row + 1) - row);
  ASSERT_TRUE(line.starts_with("\n12.4\t6")) << line;
  EXPECT_EQ(Ask({"compat", "cuda=12.4", "gcc=6.1"}).at("verdict"), "yes");
  Install(Book("2999-01-01", line, "\n12.4\t7" + line.substr(7)));
  EXPECT_EQ(Ask({"compat", "cuda=12.4", "gcc=6.1"}).at("verdict"), "no");
}

TEST_F(Knowledge, OlderTablesAreNotUsed) {
  Install(Book("2020-01-01"));
  const base::Json answer = Ask({"knowledge"});
  EXPECT_EQ(answer.at("files").at(0).at("use"), "older");
  EXPECT_TRUE(answer.at("knowledge").at("file").is_null());
  EXPECT_EQ(answer.at("knowledge").at("refused"), base::Json::array());
}

TEST_F(Knowledge, DamagedTablesAreRefusedWholeAndSaidSo) {
  std::string damaged = Book("2999-01-01");
  damaged[damaged.size() / 2] ^= 1;
  Install(damaged);
  const Output output = Run({"compat", "cuda=12.4", "gcc=12"});
  EXPECT_EQ(output.status, 0);
  EXPECT_NE(output.out.find("not using the tables in "), std::string::npos) << output.out;
  const base::Json json = Ask({"compat", "cuda=12.4", "gcc=12"});
  EXPECT_TRUE(json.at("knowledge").at("file").is_null());
  EXPECT_EQ(json.at("knowledge").at("refused").size(), 1u);
}

TEST_F(Knowledge, TablesThatEverybodyMayWriteAreRefused) {
  Install(Book("2999-01-01"));
  fs::permissions(top_ / "data/culprit/knowledge.tables", fs::perms::others_write, fs::perm_options::add);
  EXPECT_EQ(Ask({"knowledge"}).at("files").at(0).at("why"),
            "everyone can write to it; remove the write permission for others");
}

TEST_F(Knowledge, AVariableNamesTheOnlyFile) {
  Install(Book("2999-01-01"));
  WriteFile(top_ / "other.tables", Book("2888-01-01"));
  setenv("CULPRIT_KNOWLEDGE", "other.tables", 1);
  EXPECT_EQ(Ask({"knowledge"}).at("knowledge").at("date"), "2888-01-01");
  setenv("CULPRIT_KNOWLEDGE", "", 1);
  EXPECT_TRUE(Ask({"knowledge"}).at("knowledge").at("file").is_null());
  setenv("CULPRIT_KNOWLEDGE", "missing.tables", 1);
  EXPECT_EQ(Ask({"knowledge"}).at("knowledge").at("refused").size(), 1u);
}

TEST_F(Knowledge, AFileIsCheckedOnRequest) {
  WriteFile(top_ / "good.tables", book_);
  EXPECT_EQ(Run({"knowledge", "check", "good.tables"}).status, 0);
  WriteFile(top_ / "bad.tables", book_.substr(0, book_.size() / 2));
  const Output bad = Run({"knowledge", "check", "bad.tables"});
  EXPECT_EQ(bad.status, 1);
  EXPECT_TRUE(bad.err.starts_with("culprit: bad.tables: its contents do not have the SHA-256")) << bad.err;
  EXPECT_EQ(Run({"knowledge", "check", "none.tables"}).status, 2);
  EXPECT_EQ(Run({"knowledge", "check"}).status, 64);
  EXPECT_EQ(Run({"knowledge", "import"}).status, 64);
}

}  // namespace
}  // namespace culprit
