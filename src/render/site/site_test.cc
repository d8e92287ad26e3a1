// Pages of a made-up catalogue with hostile texts. tests/page/site_test.py looks at those of the real one.
#include "render/site/site.h"

#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>

#include "base/json.h"
#include "render/page/page.h"
#include "render/page/text.h"
#include "render/site/prose.h"

namespace culprit::render {
namespace {

constexpr std::string_view kHostile = "<img src=x onerror=alert(1)> \"&' </script>\xe2\x80\xae";

report::Catalogue SmallCatalogue() {
  const std::string hostile(kHostile);
  report::Catalogue catalogue;
  catalogue.codes = {{.code = "CUL1001",
                      .name = "driver_missing",
                      .cause = "driver-missing",
                      .severity = "error",
                      .since = "0.1",
                      .title = "no driver " + hostile,
                      .page = "\n## What it means\nSee CUL3004, not CUL30045.\n\n## Why it breaks\n" +
                              hostile + "\n\n## Fix\nRun `a <b>`.\n- one\n- two\n"},
                     {.code = "CUL3004",
                      .name = "cudnn_mixed_versions",
                      .cause = "cudnn-mixed-versions",
                      .severity = "error",
                      .since = "0.1",
                      .title = "two versions",
                      .page = "\n## Sources\nhttps://example.org/a?b=1&c=2.\n",
                      .family = report::Family::kCudnn}};
  catalogue.causes = {
      {.slug = "driver-missing", .title = "no driver", .check = "look", .fix = "install", .avoid = hostile},
      {.slug = "cudnn-mixed-versions",
       .title = "mixed",
       .check = "look",
       .windows_check = "there",
       .fix = "one"}};
  catalogue.messages = {
      {.id = "first",
       .pattern = "(?P<library>libcuda\\.so\\.1): not found",
       .text = "libcuda.so.1: not found " + hostile,
       .causes = {{.cause = "driver-missing", .code = "CUL1001", .confidence = 0.9, .summary = hostile},
                  {.cause = "cudnn-mixed-versions", .confidence = 0.4},
                  {.cause = "no-such-cause", .confidence = 0.1}}}};
  return catalogue;
}

std::map<std::string, std::string> Pages() {
  std::map<std::string, std::string> pages;
  for (const SiteFile& file : ToSite(SmallCatalogue())) pages.emplace(file.name, file.bytes);
  return pages;
}

std::set<std::string> All(const std::string& text, const char* expression) {
  std::set<std::string> found;
  const std::regex wanted(expression);
  for (std::sregex_iterator at(text.begin(), text.end(), wanted), end; at != end; ++at)
    found.insert((*at)[1].str());
  return found;
}

TEST(Site, HasAPageForEveryCodeAndCause) {
  std::set<std::string> names;
  for (const auto& [name, bytes] : Pages()) names.insert(name);
  EXPECT_EQ(names, (std::set<std::string>{"CUL1001.html", "CUL3004.html", "cause-cudnn-mixed-versions.html",
                                          "cause-driver-missing.html", "index.html"}));
}

TEST(Site, EveryLinkLeadsToAPageAndAnAnchor) {
  const auto pages = Pages();
  for (const auto& [name, bytes] : pages) {
    for (const std::string& link : All(bytes, "href=\"([^\"]*)\"")) {
      if (link == "data:," || link.starts_with("https://example.org/")) continue;
      const size_t hash = std::min(link.find('#'), link.size());
      const auto target = pages.find(hash == 0 ? name : link.substr(0, hash));
      ASSERT_NE(target, pages.end()) << name << ": " << link;
      if (hash < link.size()) {
        EXPECT_TRUE(target->second.contains("id=\"" + link.substr(hash + 1) + "\"")) << name << ": " << link;
      }
    }
  }
}

TEST(Site, HostileTextStaysText) {
  for (const auto& [name, bytes] : Pages()) {
    EXPECT_FALSE(bytes.contains("<img")) << name;
    EXPECT_FALSE(bytes.contains("\xe2\x80\xae")) << name;
    EXPECT_EQ(All(bytes, "(</script>)").size(), name == "index.html" ? 1U : 0U) << name;
  }
  EXPECT_TRUE(Pages().at("CUL1001.html").contains("&lt;img src=x onerror=alert(1)&gt;"));
}

TEST(Site, LoadsNothing) {
  for (const auto& [name, bytes] : Pages()) {
    EXPECT_TRUE(bytes.contains("default-src 'none'")) << name;
    EXPECT_TRUE(All(bytes, "<[^>]* (src)=").empty()) << name;
    EXPECT_TRUE(All(bytes, "(@import|url\\()").empty()) << name;
    EXPECT_EQ(All(bytes, "<link [^>]*href=\"([^\"]*)\""), (std::set<std::string>{"data:,"})) << name;
  }
}

TEST(Site, IsTheSameEveryTime) { EXPECT_EQ(Pages(), Pages()); }

TEST(Site, MessagesAreExplainedOnThePageOfTheirFirstCause) {
  const auto pages = Pages();
  EXPECT_TRUE(pages.at("cause-driver-missing.html").contains("<dl class=\"answer\" id=\"m-first\">"));
  EXPECT_TRUE(pages.at("CUL1001.html").contains("href=\"cause-driver-missing.html#m-first\""));
  EXPECT_TRUE(pages.at("cause-cudnn-mixed-versions.html").contains("Messages that may also mean this"));
}

TEST(Site, SearchDataKeepsMessagesAndWhereTheyLead) {
  const std::string page = Pages().at("index.html");
  const size_t begin = page.find("id=\"data\">") + 10;
  const auto data = base::Json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  EXPECT_EQ(data["pages"].size(), 4U);
  const auto& message = data["messages"][0];
  EXPECT_EQ(message[0], "first");
  EXPECT_EQ(message[3], "(?P<library>libcuda\\.so\\.1): not found");
  ASSERT_EQ(message[2].size(), 3U);  // two causes and a code have pages
  EXPECT_EQ(data["pages"][message[2][0][0].get<size_t>()][0], "cause-driver-missing.html");
}

TEST(Prose, MakesMarkupOfWhatItKnows) {
  const Prose prose({"CUL3004"});
  EXPECT_EQ(prose.Line("CUL3004, XCUL3004, CUL30045 and CUL9999"),
            "<a class=\"code\" href=\"CUL3004.html\">CUL3004</a>, XCUL3004, CUL30045 and CUL9999");
  EXPECT_EQ(prose.Line("run `x <y>` and ` alone"), "run <code>x &lt;y&gt;</code> and ` alone");
  EXPECT_EQ(prose.Line("(https://a.org/?b&c)."),
            "(<a rel=\"noreferrer\" href=\"https://a.org/?b&amp;c\">https://a.org/?b&amp;c</a>).");
  EXPECT_EQ(prose.Line("javascript:alert(1)"), "javascript:alert(1)");
  const auto parts = prose.Parts("\n## One\na\nb\n\n- c\n- d\n  e\n\n## Two\n```\nf <g>\n```\n");
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].html, "<p>a b</p><ul><li>c</li><li>d e</li></ul>");
  EXPECT_EQ(parts[1].html, "<pre><code>f &lt;g&gt;\n</code></pre>");
  EXPECT_EQ(AnchorOf("What it means"), "what-it-means");
}

TEST(SiteLinks, OnlyWithABaseAndARealName) {
  EXPECT_EQ(CodeUrl("https://a.org/rules", "CUL3004"), "https://a.org/rules/CUL3004.html");
  EXPECT_EQ(CauseUrl("https://a.org/rules/", "cudnn-missing"),
            "https://a.org/rules/cause-cudnn-missing.html");
  EXPECT_EQ(CodeUrl("", "CUL3004"), "");
  EXPECT_EQ(CodeUrl("https://a.org", "../x"), "");
  EXPECT_EQ(CodeUrl("https://a.org", "CUL"), "");
  EXPECT_EQ(CauseUrl("https://a.org", "a/b"), "");
  EXPECT_EQ(PageText(PageFacts{}).CodeAndCause("CUL3004", "x"),
            "<span class=\"code\">CUL3004</span> <span class=\"cause\">x</span>");
  EXPECT_EQ(PageText(PageFacts{.rules_url = "https://a.org"}).CodeAndCause("CUL3004", "x"),
            "<a class=\"code\" href=\"https://a.org/CUL3004.html\">CUL3004</a> "
            "<a class=\"cause\" href=\"https://a.org/cause-x.html\">x</a>");
}

}  // namespace
}  // namespace culprit::render
