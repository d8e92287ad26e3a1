// What the browser test (tests/page) does not reach: other systems, and pages of reports that cannot be
// produced at will.
#include "render/page/page.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "render/page/data.h"

namespace culprit::render {
namespace {

TEST(PageText, ShowsWhatWouldActOrHide) {
  const PageText text(PageFacts{});
  EXPECT_EQ(text.Words("a\x1b[31m\xff\xe2\x80\xae"
                       "b\xef\xbb\xbf\xc2\xad"),
            "a\\x1b[31m\\xff\\u{202e}b\\u{feff}\\u{ad}");
  EXPECT_EQ(text.Words("/opt/\xc3\xa4/\xe6\x97\xa5\xf0\x9f\x98\x80"),
            "/opt/\xc3\xa4/\xe6\x97\xa5\xf0\x9f\x98\x80");
  EXPECT_EQ(text.Html("<a href='x' title=\"&\">"), "&lt;a href=&#39;x&#39; title=&quot;&amp;&quot;&gt;");
}

TEST(PageText, MarksPathsAndFiles) {
  const PageText text(PageFacts{});
  EXPECT_EQ(text.Sentence("libx.so.9 in /a/b<c, not found"),
            "<b class=\"file\">libx.so.9</b> in <span class=\"path\">/a<wbr>/b&lt;c</span>, not found");
}

TEST(PageText, HidesUsersOnlyWhenAsked) {
  PageFacts facts{.home = "/home/ada", .user = "ada"};
  EXPECT_EQ(PageText(facts).Words("/home/ada/x and /home/bob/y"), "/home/ada/x and /home/bob/y");
  facts.redact = true;
  EXPECT_EQ(PageText(facts).Words("/home/ada/x and /home/bob/y"), "~/x and /home/USER/y");
}

TEST(PageText, SpellsWindows) {
  const PageText text(PageFacts{.windows = true});
  EXPECT_EQ(text.Words("cudnn64_9.dll is in /C:/Program Files/NVIDIA"),
            R"(cudnn64_9.dll is in C:\Program Files\NVIDIA)");
  EXPECT_EQ(text.Sentence("/C:/a/x.dll"), R"(<span class="path">C:<wbr>\a<wbr>\x.dll</span>)");
}

report::Picture SmallPicture() {
  report::PictureLibrary library{.name = "<script>.so", .path = "/C:/a&b/<script>.so", .culprit = true};
  library.searched = {
      {.path = "/C:/first/<script>.so", .via = base::Via::kPath, .outcome = base::LoadOutcome::kMissing},
      {.path = "/C:/a&b/other.so", .via = base::Via::kPath, .outcome = base::LoadOutcome::kFound}};
  return {.title = "x",
          .libraries = {{.name = "python.exe", .path = "/C:/python.exe"}, library},
          .edges = {{0, 1}}};
}

TEST(PageData, CannotEndItsScriptAndKeepsEveryPlace) {
  PageFacts facts{.pictures = {SmallPicture()}, .windows = true};
  const std::string data = PageData(facts, PageText(facts));
  EXPECT_EQ(data.find_first_of("<>&"), std::string::npos);
  const auto json = base::Json::parse(data);
  const auto& strings = json["strings"];
  const auto& row = json["pictures"][0]["libraries"][1];
  EXPECT_EQ(strings[row[0].get<size_t>()], "<script>.so");
  EXPECT_EQ(strings[row[1].get<size_t>()], "C:\\a&b");
  ASSERT_EQ(row[10].size(), 2U);
  const auto& missed = json["steps"][row[10][0].get<size_t>()];
  EXPECT_EQ(strings[missed[0].get<size_t>()], "C:\\first");
  EXPECT_EQ(missed[5], -1);  // the name of the library itself
  const auto& found = json["steps"][row[10][1].get<size_t>()];
  EXPECT_EQ(strings[found[5].get<size_t>()], "other.so");
}

TEST(PageData, StaysSmall) {
  report::Picture large = SmallPicture();
  for (int i = 0; i < 1500; ++i)
    large.libraries.push_back({.name = "lib" + std::to_string(i) + ".so",
                               .path = "/long/" + std::string(600, 'x') + std::to_string(i) + "/lib.so"});
  const PageFacts facts{.pictures = {large, large, large, large, large, large, large, large, SmallPicture()}};
  const std::string data = PageData(facts, PageText(facts));
  EXPECT_LT(data.size(), 1'900'000U);
  const auto json = base::Json::parse(data);
  EXPECT_GT(json["left_out"].get<size_t>(), 0U);
  EXPECT_EQ(json["left_out"].get<size_t>() + json["pictures"].size(), facts.pictures.size());
}

TEST(Page, OfARunNamesWhatWasSeen) {
  report::RunReport report{.command = "python <train>.py",
                           .ended = "exit status 1",
                           .failed = true,
                           .headline = "libx.so.1 is missing"};
  report.first_failure = {
      .function = "cudaMalloc", .status = "cudaErrorMemoryAllocation", .meaning = "out of memory"};
  report.failed_loads = {
      {.name = "libx.so.1",
       .searched = {
           {.path = "/lib/libx.so.1", .via = base::Via::kDefault, .outcome = base::LoadOutcome::kMissing}}}};
  report.crash = {.signal = "SIGSEGV",
                  .what = "read from 0x0",
                  .frames = {{.object = "/lib/liby.so", .function = "f<int>", .offset = 16}}};
  const std::string html =
      ToHtml(report, {.timeline = {{.kind = report::EventKind::kEnd, .text = "exit status 1", .bad = true}}});
  for (const char* words :
       {"python &lt;train&gt;.py", "exit status 1", "cudaMalloc", "cudaErrorMemoryAllocation",
        "/lib<wbr>/libx.so.1", "f&lt;int&gt;", "id=\"timeline\""})
    EXPECT_NE(html.find(words), std::string::npos) << words;
  EXPECT_EQ(html.find("{{"), std::string::npos);
}

TEST(Page, OfADiffShowsBothSides) {
  report::DiffReport report{.before = "a.json", .after = "b<.json", .headline = "most likely: the driver"};
  report.differences.push_back({.kind = report::DifferenceKind::kDriver,
                                .before = "535.1",
                                .after = "580.2",
                                .why = "it is new",
                                .suspicion = 80});
  const std::string html = ToHtml(report, PageFacts{});
  for (const char* words :
       {"b&lt;.json", "<del>535.1</del><ins>580.2</ins>", "it is new", "most likely: the driver"})
    EXPECT_NE(html.find(words), std::string::npos) << words;
}

}  // namespace
}  // namespace culprit::render
