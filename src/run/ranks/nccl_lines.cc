// The lines as they are written: NCCL's src/init.cc ("... rank %d nranks %d cudaDev %d nvmlDev %d busId %lx
// ... - Init START"), src/enqueue.cc ("%s: opCount %lx sendbuff %p ..."), src/init.cc ("Using network %s"),
// PyTorch's ProcessGroupNCCL.cpp ("Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1,
// OpType=BROADCAST, ..., Timeout(ms)=600000) ran for 600081 milliseconds before timing out.").
#include "run/ranks/nccl_lines.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/lines.h"
#include "base/text.h"

namespace culprit::ranks {
namespace {

constexpr size_t kMostWaits = 4, kMostBuses = 64, kLongestWord = 64;

bool InWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         c == '+' || c == '-' || c == '/';
}

// The word after `mark`; "" if the mark is not there.
std::string WordAfter(std::string_view line, std::string_view mark) {
  const size_t at = line.find(mark);
  if (at == std::string_view::npos) return "";
  line.remove_prefix(at + mark.size());
  const auto end = std::ranges::find_if_not(line, InWord);
  return std::string(line.substr(0, static_cast<size_t>(end - line.begin()))).substr(0, kLongestWord);
}

std::optional<uint64_t> NumberAfter(std::string_view line, std::string_view mark, int base = 10) {
  const std::string word = WordAfter(line, mark);
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number, base);
  if (word.empty() || error != std::errc()) return std::nullopt;
  return number;
}

// "[PG ID 0 PG GUID 0(default_pg) Rank 3] Watchdog caught": "ID 0 PG GUID 0(default_pg)".
std::string GroupBefore(std::string_view line, size_t at) {
  const std::string_view before = line.substr(0, at);
  const size_t open = before.rfind('['), rank = before.rfind(" Rank ");
  if (open == std::string_view::npos || rank == std::string_view::npos || rank < open) return "";
  const std::string_view inside = before.substr(open + 1, rank - open - 1);
  return inside.starts_with("PG ") ? std::string(inside.substr(3, kLongestWord)) : "";
}

void TakeTimeout(std::string_view line, NcclLines& lines) {
  constexpr std::string_view kMark = "Watchdog caught collective operation timeout: WorkNCCL(";
  const size_t at = line.find(kMark);
  if (at == std::string_view::npos || lines.waits.size() >= kMostWaits) return;
  const std::string_view said = line.substr(at + kMark.size());
  const Wait wait{.kind = report::WaitKind::kTimedOut,
                  .what = WordAfter(said, "OpType="),
                  .sequence = NumberAfter(said, "SeqNum=").value_or(0),
                  .group = GroupBefore(line, at),
                  .milliseconds = NumberAfter(said, " ran for ").value_or(0)};
  const bool known = std::ranges::any_of(lines.waits, [&](const Wait& other) {  // it is told twice
    return other.what == wait.what && other.sequence == wait.sequence;
  });
  if (!wait.what.empty() && !known) lines.waits.push_back(wait);
}

// "n1:42:77 [0] NCCL INFO AllReduce: opCount 1f sendbuff 0x7f...".
std::optional<Wait> BegunIn(std::string_view line) {
  constexpr std::string_view kMark = ": opCount ";
  const size_t at = line.find(kMark);
  if (at == std::string_view::npos || !base::Contains(line, " sendbuff ")) return std::nullopt;
  const std::string_view before = line.substr(0, at);
  const size_t space = before.rfind(' ');
  const std::string_view name = before.substr(space == std::string_view::npos ? 0 : space + 1);
  const auto count = NumberAfter(line.substr(at), kMark, 16);
  if (name.empty() || name.size() > kLongestWord || !std::ranges::all_of(name, InWord) || !count)
    return std::nullopt;
  return Wait{.kind = report::WaitKind::kBegun, .what = std::string(name), .sequence = *count};
}

}  // namespace

NcclLines ReadNcclLines(std::string_view output) {
  NcclLines lines;
  std::optional<Wait> begun;
  std::string_view line;
  while (base::NextLine(output, line)) {
    if (!base::Contains(line, "NCCL")) continue;
    TakeTimeout(line, lines);
    if (auto one = BegunIn(line)) begun = std::move(one);
    if (const std::string version = WordAfter(line, "NCCL version ");
        lines.version.empty() && !version.empty() && version.front() >= '0' && version.front() <= '9')
      lines.version = version.substr(0, version.find_last_not_of('.') + 1);
    if (lines.network.empty()) lines.network = WordAfter(line, " NCCL INFO Using network ");
    if (std::string bus = base::Contains(line, " nvmlDev ") ? WordAfter(line, " busId ") : "";
        !bus.empty() && lines.buses.size() < kMostBuses &&
        std::ranges::find(lines.buses, bus) == lines.buses.end())
      lines.buses.push_back(std::move(bus));
  }
  if (begun) lines.waits.push_back(*std::move(begun));
  return lines;
}

}  // namespace culprit::ranks
