// YAML as a tree: what is read, and that bombs end in an error.
#include <gtest/gtest.h>

#include "tree/tree.h"

namespace culprit::tree {
namespace {

std::string Told(const Node& node) {
  if (node.IsText()) return node.text;
  std::string told;
  for (const auto& [key, value] : node.members)
    told += (told.empty() ? "" : ", ") + key + "@" + std::to_string(value.line) + ": " + Told(value);
  if (node.IsTable()) return "{" + told + "}";
  for (const Node& item : node.items) told += (told.empty() ? "" : ", ") + Told(item);
  return node.IsList() ? "[" + told + "]" : "~";
}

std::string Read(std::string_view text) {
  const auto root = ParseYaml(text, "f.yml");
  return root ? Told(*root) : root.error().message;
}

TEST(Yaml, ScalarsListsTablesAnchors) {
  EXPECT_EQ(Read("a: 1\nb: [x, 'y z', \"q\\n\"]\nc:\n- {d: e}\n- null\n"),
            "{a@1: 1, b@2: [x, y z, q\n], c@3: [{d@4: e}, ~]}");
  EXPECT_EQ(Read("x: &x {a: 1, b: 2}\ny:\n  <<: *x\n  b: 3\n"),
            "{x@1: {a@1: 1, b@1: 2}, y@2: {b@4: 3, a@1: 1}}");
  EXPECT_EQ(Read("a: |\n  one\n  two\n"), "{a@1: one\ntwo\n}");
  EXPECT_EQ(Read(""), "{}");
}

TEST(Yaml, MistakesHaveTheirLine) {
  EXPECT_EQ(Read("a: 1\na: 2\n"), "f.yml:2: a key twice");
  EXPECT_EQ(Read("a: 1\n---\nb: 2\n"), "f.yml:2: more than one document");
  EXPECT_EQ(Read("a: *b\n").substr(0, 8), "f.yml:1:");
  EXPECT_EQ(Read("a: [1\nb").substr(0, 6), "f.yml:");
}

TEST(Yaml, BombsAreRefused) {
  std::string laughs = "a: &a [x, x, x, x, x, x, x, x, x, x]\n";
  for (char c = 'b'; c < 'n'; ++c) {
    laughs += std::string(1, c) + ": &" + c + " [";
    for (int i = 0; i < 10; ++i) laughs += std::string(i == 0 ? "*" : ", *") + static_cast<char>(c - 1);
    laughs += "]\n";
  }
  EXPECT_TRUE(Read(laughs).ends_with("too large, with what its aliases stand for"));
  EXPECT_TRUE(Read(std::string(5000, '[')).ends_with("too deep"));
  std::string tower = "a0: &a0 [" + std::string(40, '[') + std::string(40, ']') + "]\n";
  for (int i = 1; i < 40; ++i)
    tower += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [[[[[[[[[[*a" + std::to_string(i - 1) +
             "]]]]]]]]]]\n";
  EXPECT_TRUE(Read(tower).ends_with("too deep"));
  std::string anchors = "a: ";  // each holds a copy of all that is in it
  for (int i = 0; i < 60; ++i) anchors += "&n" + std::to_string(i) + " [";
  for (int i = 0; i < 2000; ++i) anchors += "x, ";
  EXPECT_TRUE(Read(anchors + std::string(60, ']')).ends_with("too large, with what its aliases stand for"));
}

TEST(Yaml, ManyKeys) {
  std::string keys;
  for (int i = 0; i < 40'000; ++i) keys += "k" + std::to_string(i) + ": 1\n";
  EXPECT_TRUE(Read(keys).starts_with("{k0@1: 1, "));
  EXPECT_EQ(Read(keys + "k7: 2\n"), "f.yml:40001: a key twice");
}

}  // namespace
}  // namespace culprit::tree
