#include "knowledge/book/book.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "base/bytes/sha256.h"
#include "knowledge/driver.h"
#include "knowledge/libraries.h"
#include "knowledge/messages/causes.h"
#include "knowledge/packages/distributions.h"

namespace culprit::knowledge {
namespace {

// The file with a change, and the digest that then belongs to it.
std::string Changed(const std::string& from, const std::string& to) {
  std::string book = WriteBook();
  const size_t at = book.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  book.replace(at, from.size(), to);
  const size_t line = book.find("sha256 "), end = book.find('\n', line) + 1;
  const std::string rest = book.substr(0, line) + book.substr(end);
  base::Sha256 sha256;
  sha256.Add(std::as_bytes(std::span(rest)));
  return book.substr(0, line) + "sha256 " + sha256.Hex() + "\n" + book.substr(end);
}

std::string Refused(const std::string& from, const std::string& to) {
  const auto edition = CheckBook(Changed(from, to));
  return edition ? "" : edition.error().message;
}

TEST(Book, IsReadAsItWasWritten) {
  const std::string book = WriteBook();
  const auto edition = CheckBook(book);
  ASSERT_TRUE(edition) << edition.error().message;
  EXPECT_EQ(edition->date, KnowledgeDate());
  EXPECT_EQ(edition->sha256.size(), 64u);
}

TEST(Book, HasEveryTable) {
  size_t rows = 0;
  for (const TableSize& table : TableSizes()) rows += table.rows;
  EXPECT_GT(TableSizes().size(), 60u);
  EXPECT_GT(rows, 10'000u);
}

// The tables are then those of the file, which says the same: the other tests of this program may follow.
TEST(Book, CanBeUsedInsteadOfTheBuiltInTables) {
  const std::string book = WriteBook();
  const void* const built_in = Toolkits().data();
  ASSERT_TRUE(UseBook(book));
  EXPECT_NE(Toolkits().data(), built_in);
  EXPECT_EQ(WriteBook(), book);
  // What is not text: rows of another table, a pointer to one, words.
  const Library* library = FindLibrary("libcudnn.so.9");
  ASSERT_NE(library, nullptr);
  EXPECT_FALSE(library->opens.empty());
  EXPECT_TRUE(std::ranges::any_of(
      Stories(), [](const Story& story) { return story.advice != nullptr && !story.advice->name.empty(); }));
}

TEST(Book, ANewerOneHasMoreThanIsKnown) {
  const std::string book =
      Changed("table drivers.toolkit", "table of_the_future 1\na\tb\n1\t2\ntable drivers.toolkit");
  EXPECT_TRUE(CheckBook(book));
}

TEST(Book, ChangesAreFound) {
  std::string book = WriteBook();
  book[book.size() / 2] ^= 1;
  const auto damaged = CheckBook(book);
  ASSERT_FALSE(damaged);
  EXPECT_NE(damaged.error().message.find("SHA-256"), std::string::npos) << damaged.error().message;
  const auto cut = CheckBook(WriteBook().substr(0, 100'000));
  EXPECT_FALSE(cut);
  std::string date = WriteBook();
  date.replace(date.find("date 2"), 6, "date 3");
  EXPECT_FALSE(CheckBook(date));
}

TEST(Book, WhatIsNotOne) {
  EXPECT_EQ(CheckBook("").error().message, "it is not a file of `culprit knowledge export`");
  EXPECT_EQ(Refused("culprit-knowledge 1", "culprit-knowledge 2"), "it has format 2; this culprit reads 1");
  EXPECT_EQ(TitleOf("date 2026-11-15\n").date, "");
}

TEST(Book, ARowThatCannotBeReadIsNamed) {
  EXPECT_EQ(Refused("table drivers.toolkit ", "table drivers.toolkits "), "it has no table drivers.toolkit");
  EXPECT_EQ(Refused("cuda\tlabel\t", "cuda\tlabels\t"), "the table drivers.toolkit: it has no column label");
  const std::string row =
      "\n" + std::string(Toolkits().front().cuda) + "\t" + std::string(Toolkits().front().label) + "\t";
  EXPECT_EQ(Refused(row, row + "more\t"), "the table drivers.toolkit: its row 1 cannot be read");
}

// Numbers and places in other tables that lead nowhere.
TEST(Book, PlacesAreBounded) {
  const std::string edge = "\t0+", far = "\t999999+";
  EXPECT_NE(Refused(edge, far), "");
  const std::string book = WriteBook();
  const size_t names = book.find("table libraries.name"),
               first = book.find('\n', book.find('\n', names) + 1) + 1;
  const std::string line = book.substr(first, book.find('\n', first) - first);
  const std::string name = line.substr(0, line.find('\t'));
  EXPECT_EQ(Refused("\n" + line + "\n", "\n" + name + "\t99999\t0\n"),
            "the table libraries.name: its row 1 cannot be read");
  EXPECT_EQ(Refused("\n" + line + "\n", "\n" + name + "\t-1\t0\n"),
            "the table libraries.name: its row 1 cannot be read");
}

TEST(Book, WhatTheProgramReliesOnMustBeThere) {
  EXPECT_EQ(Refused("no-cuda-12.7", "no-cuda-12.8"), "the table drivers.rule: it has no row no-cuda-12.7");
}

}  // namespace
}  // namespace culprit::knowledge
