#include "explain/logs/clean_line.h"

#include <gtest/gtest.h>

namespace culprit::logs {
namespace {

TEST(CleanLine, TakesOffWhatOthersAdd) {
  for (const auto& [line, text] : {
           std::pair("\x1b[31mfailed\x1b[0m", "failed"),
           std::pair("> > failed", "failed"),
           std::pair(">failed", "failed"),
           std::pair("<pre><code>failed</code></pre>", "failed"),
           std::pair("<span style=\"color: red\">failed</span><br/>", "failed"),
           std::pair("module &#39;a&#39; &lt;x&gt; &amp;amp;", "module 'a' <x> &amp;"),
           std::pair(R"({"level": "error", "msg": "a \"b\"\tfailed: C:\\x"})", R"(a "b" failed: C:\x)"),
           std::pair("[rank3]: failed", "failed"),
           std::pair("web-1  | failed", "failed"),
           std::pair("2024-05-01T10:00:00.1Z stderr F failed", "failed"),
           std::pair("\xE2\x80\x98"
                     "a\xE2\x80\x99 failed",
                     "'a' failed"),
       }) {
    EXPECT_EQ(CleanLine(line).text, text);
    EXPECT_FALSE(IsClean(line)) << line;
  }
}

TEST(CleanLine, MostLinesAreClean) {
  for (const char* line : {"RuntimeError: failed", "2024-05-01 10:00:00 failed: 3", "  a|b", ""}) {
    EXPECT_TRUE(IsClean(line)) << line;
    EXPECT_EQ(CleanLine(line).text, line);
  }
}

TEST(CleanLine, KeepsWhatMeansSomething) {
  for (const char* line : {
           ">>> import torch",
           "  File \"<stdin>\", line 1, in <module>",
           "std::vector<int> a && b",
           "what():  failed",
           "2024-05-01 10:00:00 failed",
       }) {
    EXPECT_EQ(CleanLine(line).text, line);
  }
}

}  // namespace
}  // namespace culprit::logs
