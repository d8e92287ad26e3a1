// A fleet as a page: what is wrong where, then a table of stacks and the facts in which they differ, then the
// nodes that did not answer. In a small fleet each node has a row, in a large one each group. The page stays
// small however large the fleet is, and says what it leaves out.
#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "render/finding.h"
#include "render/fleet/fleet.h"
#include "render/fleet/rows.h"
#include "render/page/sections.h"

namespace culprit::render {
namespace {

constexpr size_t kMostNodesAsRows = 16;
constexpr size_t kMostTableRows = 300, kMostColumns = 12, kMostFindings = 200, kMostSilent = 300,
                 kMostCommon = 400, kMostAlso = 8;
constexpr size_t kLongestNodes = 240, kLongestValue = 160;
constexpr std::array<std::string_view, 3> kHeadFacts = {report::kSystemFact, report::kDriverFact,
                                                        report::kFirstGpuFact};

struct TableRow {
  std::vector<std::string> nodes;
  const report::FleetGroup* group;
  const report::Outlier* odd;  // null: it is not
};

std::string Cut(std::string text, size_t most) {
  if (text.size() <= most) return text;
  size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + " \xe2\x80\xa6";
}

// Folded; what is too long ends with a whole name.
std::string NodesHtml(const std::vector<std::string>& nodes, const PageText& text) {
  std::string folded = base::FoldNodes(nodes);
  const size_t comma = folded.rfind(',', kLongestNodes);
  if (folded.size() > kLongestNodes)
    folded = Cut(folded, comma == std::string::npos ? kLongestNodes : comma + 1);
  std::string html = "<span class=\"nodes\">" + text.Html(folded) + "</span>";
  if (nodes.size() > 1) html += " <span class=\"count\">" + std::to_string(nodes.size()) + " nodes</span>";
  return html;
}

// "Shows 300 of 812 stacks."; "" if nothing is left out.
std::string Limit(size_t shown, size_t all, const std::string& what) {
  if (shown >= all) return "";
  return "<p class=\"limit\">Shows " + std::to_string(shown) + " of " + std::to_string(all) + " " + what +
         "; <code>culprit fleet report --format json</code> has all.</p>";
}

std::string ValueOf(const std::vector<report::NodeFact>& stack, const std::string& what) {
  const auto at = std::ranges::lower_bound(stack, what, {}, &report::NodeFact::what);
  return at != stack.end() && at->what == what ? at->value : "";
}

const report::FactDiffers* Find(const std::vector<report::FactDiffers>& differs, const std::string& what) {
  const auto at = std::ranges::find(differs, what, &report::FactDiffers::what);
  return at == differs.end() ? nullptr : &*at;
}

std::vector<TableRow> TableRows(const report::FleetReport& report) {
  const auto odd = [&](const std::string& node) -> const report::Outlier* {
    const auto at = std::ranges::lower_bound(report.outliers, node, {}, &report::Outlier::node);
    return at != report.outliers.end() && at->node == node ? &*at : nullptr;
  };
  std::vector<TableRow> rows;
  for (const report::FleetGroup& group : report.groups) {
    if (report.nodes > kMostNodesAsRows) {
      rows.push_back({group.nodes, &group, odd(group.nodes.front())});
      continue;
    }
    for (const std::string& node : group.nodes) rows.push_back({{node}, &group, odd(node)});
  }
  // Of nodes the odd ones first; of groups the largest, which shows what is usual.
  if (report.nodes <= kMostNodesAsRows)
    std::ranges::sort(rows, {}, [](const TableRow& row) { return std::pair(row.odd == nullptr, row.nodes); });
  return rows;
}

// In which the stacks differ, by how many of them do.
std::map<std::string, size_t> DifferingFacts(const std::vector<TableRow>& rows) {
  std::map<std::string, size_t> facts;
  for (const TableRow& row : rows) {
    for (const report::FactDiffers& fact : row.group->differs) ++facts[fact.what];
    if (row.odd == nullptr) continue;
    for (const report::FactDiffers& fact : row.odd->differs) ++facts[fact.what];
  }
  return facts;
}

// Those that people ask for first, then those in which most stacks differ, by name.
std::vector<std::string> Columns(const report::FleetReport& report,
                                 const std::map<std::string, size_t>& differing) {
  std::vector<std::string> columns;
  for (const std::string_view head : kHeadFacts) {
    const std::string what(head);
    if (differing.contains(what) ||
        (!report.groups.empty() && !ValueOf(report.groups[0].stack, what).empty()))
      columns.push_back(what);
  }
  std::vector<std::pair<size_t, std::string>> rest;
  for (const auto& [what, count] : differing) {
    if (std::ranges::find(columns, what) == columns.end()) rest.emplace_back(count, what);
  }
  std::ranges::sort(rest, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  rest.resize(std::min(rest.size(), kMostColumns - columns.size()));
  std::ranges::sort(rest, {}, &std::pair<size_t, std::string>::second);
  for (auto& [count, what] : rest) columns.push_back(std::move(what));
  return columns;
}

std::string CellHtml(const TableRow& row, const std::string& what, const PageText& text) {
  const std::string value = Cut(ValueOf(row.group->stack, what), kLongestValue);
  const report::FactDiffers* wrong = row.odd == nullptr ? nullptr : Find(row.odd->differs, what);
  const bool other = wrong == nullptr && Find(row.group->differs, what) != nullptr;
  std::string html = "<td data-fact=\"" + text.Html(what) + "\" class=\"" +
                     (wrong != nullptr ? "odd"
                      : other          ? "other"
                                       : "same") +
                     "\">" +
                     (!value.empty()                  ? text.Html(value)
                      : row.group->left_out.Has(what) ? "not reported"
                                                      : "none");
  if (wrong != nullptr)
    html += "<span class=\"detail\">expected: " +
            (wrong->expected.empty() ? "none" : text.Html(Cut(wrong->expected, kLongestValue))) + "</span>";
  return html + "</td>";
}

// The differences for which there is no column.
std::string AlsoHtml(const TableRow& row, const std::vector<std::string>& columns, std::string_view whose,
                     const PageText& text) {
  const auto& differs = row.odd != nullptr ? row.odd->differs : row.group->differs;
  std::string html;
  size_t count = 0;
  for (const report::FactDiffers& fact : differs) {
    if (std::ranges::find(columns, fact.what) != columns.end()) continue;
    if (++count > kMostAlso) continue;
    html += "<li>" + text.Html(Cut(InWords(fact, whose), 2 * kLongestValue)) + "</li>";
  }
  if (count > kMostAlso) html += "<li>and " + std::to_string(count - kMostAlso) + " more</li>";
  return "<td data-fact=\"also\" class=\"" + std::string(row.odd != nullptr ? "odd" : "same") + "\">" +
         (html.empty() ? "" : "<ul>" + html + "</ul>") + "</td>";
}

// In what a row is odd, since its columns may be far to the right.
std::string OddFactsHtml(const TableRow& row, const PageText& text) {
  constexpr size_t kMost = 3;
  if (row.odd == nullptr) return "";
  std::string names;
  const auto& differs = row.odd->differs;
  for (size_t i = 0; i < std::min(differs.size(), kMost); ++i)
    names += (i == 0 ? "differs in " : ", ") + text.Html(Cut(differs[i].what, kLongestValue));
  if (differs.size() > kMost) names += " and " + std::to_string(differs.size() - kMost) + " more";
  return "<span class=\"detail\">" + names + "</span>";
}

std::string TableSection(const report::FleetReport& report, const PageText& text) {
  std::vector<TableRow> rows = TableRows(report);
  if (rows.empty()) return "";
  const size_t all = rows.size();
  rows.resize(std::min(all, kMostTableRows));
  const auto differing = DifferingFacts(rows);
  const std::vector<std::string> columns = Columns(report, differing);
  const bool more = std::ranges::any_of(
      differing, [&](const auto& fact) { return std::ranges::find(columns, fact.first) == columns.end(); });
  std::string html = "<table class=\"fleet\"><thead><tr><th scope=\"col\">Nodes</th>";
  for (const std::string& what : columns) html += "<th scope=\"col\">" + text.Html(what) + "</th>";
  html += std::string(more ? "<th scope=\"col\">Also</th>" : "") + "</tr></thead><tbody>";
  for (const TableRow& row : rows) {
    html += "<tr class=\"" + std::string(row.odd != nullptr ? "odd" : "usual") + "\"><th scope=\"row\">" +
            NodesHtml(row.nodes, text) + OddFactsHtml(row, text) + "</th>";
    for (const std::string& what : columns) html += CellHtml(row, what, text);
    html += (more ? AlsoHtml(row, columns, WhoseIsExpected(report), text) : "") + "</tr>";
  }
  html = Limit(rows.size(), all, "stacks") + "<div class=\"wide\" tabindex=\"0\" role=\"region\" " +
         "aria-labelledby=\"fleet-heading\">" + html + "</tbody></table></div>";
  return Section("fleet",
                 report.baseline.empty() ? "Nodes and facts" : "Nodes and facts, compared with the baseline",
                 html);
}

std::string CommonSection(const report::FleetReport& report, const PageText& text) {
  if (report.groups.empty()) return "";
  std::map<std::string, bool> differing;
  for (const report::FleetGroup& group : report.groups) {
    for (const report::FactDiffers& fact : group.differs) differing[fact.what] = true;
    if (!group.left_out.any) continue;
    for (const report::NodeFact& fact : report.groups[0].stack) {
      if (group.left_out.Has(fact.what) && ValueOf(group.stack, fact.what).empty())
        differing[fact.what] = true;
    }
  }
  std::string rows;
  size_t count = 0;
  for (const report::NodeFact& fact : report.groups[0].stack) {
    if (differing.contains(fact.what) || ++count > kMostCommon) continue;
    rows += "<tr><th scope=\"row\">" + text.Html(fact.what) + "</th><td>" +
            text.Html(Cut(fact.value, kLongestValue)) + "</td></tr>";
  }
  if (rows.empty()) return "";
  return Section("common", "The same on all nodes",
                 Fold(std::to_string(count) + (count == 1 ? " fact" : " facts"),
                      Limit(std::min(count, kMostCommon), count, "facts") +
                          "<table class=\"common\"><tbody>" + rows + "</tbody></table>"));
}

std::string FleetFindingsSection(const report::FleetReport& report, const PageText& text) {
  std::string articles, notes;
  const size_t shown = std::min(report.findings.size(), kMostFindings);
  for (size_t i = 0; i < shown; ++i) {
    const report::FleetFinding& found = report.findings[i];
    report::Finding finding;
    finding.code = found.code;
    finding.cause = found.cause;
    finding.severity = found.severity;
    finding.summary = found.summary;
    const std::string on =
        "<p class=\"affects\">On " + NodesHtml(found.nodes, text) + text.Html(WhoseWords(found)) + "</p>";
    (found.severity == report::Severity::kNote ? notes : articles) += FindingArticle(finding, i, text, on);
  }
  if (!notes.empty()) articles += "<details class=\"notes\"><summary>Notes</summary>" + notes + "</details>";
  if (articles.empty()) return "";
  return Section("findings", "What is wrong, and where",
                 Limit(shown, report.findings.size(), "findings") + articles);
}

std::string SilentSection(const report::FleetReport& report, const PageText& text) {
  if (report.unreachable.empty()) return "";
  const size_t shown = std::min(report.unreachable.size(), kMostSilent);
  std::string rows;
  for (size_t i = 0; i < shown; ++i)
    rows += "<dt>" + text.Html(report.unreachable[i].node) + "</dt><dd>" +
            text.Html(Cut(report.unreachable[i].why, 2 * kLongestValue)) + "</dd>";
  return Section(
      "silent", "No usable answer from",
      Limit(shown, report.unreachable.size(), "nodes") + "<dl class=\"unknown\">" + rows + "</dl>");
}

// What is not known: nodes that culprit could not judge, and rules of the site.
std::string DoubtsSection(const report::FleetReport& report, const PageText& text) {
  std::vector<report::NotChecked> items;
  const auto folded = [](const std::vector<std::string>& nodes) {
    return Cut(base::FoldNodes(nodes), kLongestNodes);
  };
  if (!report.unjudged.empty()) items.push_back({folded(report.unjudged), "could not be judged"});
  for (const report::FleetNotChecked& item : report.not_checked) {
    if (items.size() < kMostSilent) items.push_back({item.what + " on " + folded(item.nodes), item.why});
  }
  if (!report.left_out.empty()) items.push_back({folded(report.left_out), std::string(kNoRoom)});
  if (!report.several.empty()) items.push_back({folded(report.several), std::string(kSeveralAnswers)});
  for (size_t i = 0; report.versions.size() > 1 && i < report.versions.size(); ++i) {
    if (items.size() < kMostSilent)
      items.push_back({"culprit " + report.versions[i].version + " on " + folded(report.versions[i].nodes),
                       std::string(kSeveralVersions)});
  }
  return NotCheckedSection(items, "Not checked", text);
}

}  // namespace

std::string ToHtml(const report::FleetReport& report, const PageFacts& facts) {
  const PageText text(facts);
  const std::string main =
      VerdictSection(std::string(Name(report.verdict)),
                     std::to_string(report.nodes) + (report.nodes == 1 ? " node" : " nodes") + " answered",
                     text.Sentence(report.headline)) +
      FleetFindingsSection(report, text) + TableSection(report, text) + SilentSection(report, text) +
      DoubtsSection(report, text) + CommonSection(report, text);
  return WholePage({.kind = "fleet", .title = "culprit: " + text.Words(report.headline), .main = main}, facts,
                   text);
}

}  // namespace culprit::render
