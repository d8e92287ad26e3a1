#include "explain/status_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>
#include <string>

#include "base/text.h"
#include "knowledge/messages/causes.h"
#include "knowledge/messages/status_codes.h"

namespace culprit::explain {
namespace {

using report::StatusPage;

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return lower;
}

// The interfaces whose codes are plain rows.
struct Interface {
  std::string_view title;
  std::string_view prefix;  // as in "xid:79"
  std::span<const knowledge::StatusCode> (*rows)();
};
constexpr std::array kInterfaces = {
    Interface{"Windows loader", "windows", knowledge::WindowsLoaderCodes},
    Interface{"Xid (kernel message of the NVIDIA driver)", "xid", knowledge::XidCodes},
    Interface{"NVML", "nvml", knowledge::NvmlStatuses},
    Interface{"cuBLAS", "cublas", knowledge::CublasStatuses},
    Interface{"cuSOLVER", "cusolver", knowledge::CusolverStatuses},
    Interface{"cuSPARSE", "cusparse", knowledge::CusparseStatuses},
    Interface{"cuFFT", "cufft", knowledge::CufftStatuses},
    Interface{"NVRTC", "nvrtc", knowledge::NvrtcStatuses},
    Interface{"nvJitLink", "nvjitlink", knowledge::NvJitLinkStatuses},
    Interface{"NCCL", "nccl", knowledge::NcclStatuses},
};

// The parsed query: "cuda:803" -> prefix cuda, number 803; a name -> neither.
struct Query {
  std::string name;
  std::string prefix;
  std::optional<int32_t> number;
};

// What people write -> our prefix: "WinError 126", "error code 126", "CUDA error 35", "Xid 79".
std::string PrefixOf(const std::string& words) {
  const auto has = [&](std::string_view part) { return words.find(part) != std::string::npos; };
  if (has("winerror") || has("win32") || has("loadlibrary") || has("windows")) return "windows";
  for (const Interface& interface : kInterfaces) {
    if (has(interface.prefix)) return std::string(interface.prefix);
  }
  if (has("cudnn")) return "cudnn";
  if (has("cuda") || has("cuinit")) return "cuda";
  if (has("error code")) return "windows";
  return "";
}

Query Read(std::string_view words) {
  const std::string trimmed(base::Trim(words));
  Query query{.name = trimmed};
  const std::string lower = Lower(trimmed);
  // The last number; the text before it names the interface.
  const size_t end = lower.find_last_of("0123456789");
  if (end == std::string::npos || end + 2 < lower.size()) return query;  // at most one bracket follows
  size_t begin = end;
  while (begin > 0 && lower[begin - 1] >= '0' && lower[begin - 1] <= '9') --begin;
  const std::string before = lower.substr(0, begin);
  if (begin > 0 && std::string_view(" :=#([").find(lower[begin - 1]) == std::string_view::npos) return query;
  int32_t number = 0;
  if (std::from_chars(lower.data() + begin, lower.data() + end + 1, number).ec != std::errc()) return query;
  query.number = number;
  query.prefix = PrefixOf(before);
  constexpr size_t kLongestCode = 40;  // more words are a message, not a code
  if ((query.prefix.empty() && !base::Trim(before).empty()) || before.size() > kLongestCode)
    query.number.reset();
  return query;
}

std::vector<std::pair<std::string, std::string>> Causes(std::span<const std::string_view> slugs) {
  std::vector<std::pair<std::string, std::string>> causes;
  for (const std::string_view slug : slugs) {
    const knowledge::Cause* cause = knowledge::FindCause(slug);
    causes.emplace_back(slug, cause == nullptr ? "" : cause->title);
  }
  return causes;
}

StatusPage Page(const knowledge::CudaStatus& row) {
  StatusPage page{.name = std::string(knowledge::NameOf(row)),
                  .of = "CUDA",
                  .number = std::to_string(row.code),
                  .meaning = std::string(row.meaning),
                  .causes = Causes(row.causes),
                  .source = std::string(row.source)};
  if (!row.driver_name.empty() && !row.runtime_name.empty())
    page.name = std::string(row.driver_name) + " / " + page.name;
  if (row.legacy >= 0 && row.legacy != row.code) {
    page.number += fmt::format("; {} in the runtime before CUDA 10.1", row.legacy);
  }
  return page;
}

StatusPage Page(const knowledge::CudnnStatus& row) {
  std::string numbers;
  const std::array<std::pair<int, int32_t>, 3> majors = {{{7, row.v7}, {8, row.v8}, {9, row.v9}}};
  for (const auto& [major, number] : majors) {
    if (!numbers.empty()) numbers += ", ";
    numbers +=
        number < 0 ? fmt::format("not in cuDNN {}", major) : fmt::format("{} in cuDNN {}", number, major);
  }
  if (!row.alias_in_v9.empty()) numbers += fmt::format(" (there an older name of {})", row.alias_in_v9);
  return {.name = std::string(row.name),
          .of = "cuDNN",
          .number = std::move(numbers),
          .meaning = std::string(row.meaning),
          .causes = Causes(row.causes),
          .source = std::string(row.source)};
}

StatusPage Page(std::string_view of, const knowledge::StatusCode& row) {
  return {.name = std::string(row.name),
          .of = std::string(of),
          .number = std::to_string(row.code),
          .meaning = std::string(row.meaning),
          .causes = Causes(row.causes),
          .source = std::string(row.source)};
}

std::vector<StatusPage> ByName(const std::string& name) {
  std::vector<StatusPage> pages;
  const std::string wanted = Lower(name);
  for (const auto& row : knowledge::CudaStatuses()) {
    if (Lower(row.driver_name) == wanted || Lower(row.runtime_name) == wanted) pages.push_back(Page(row));
  }
  for (const auto& row : knowledge::CudnnStatuses()) {
    if (Lower(row.name) == wanted) pages.push_back(Page(row));
  }
  for (const Interface& interface : kInterfaces) {
    for (const auto& row : interface.rows()) {
      if (Lower(row.name) == wanted) pages.push_back(Page(interface.title, row));
    }
  }
  return pages;
}

// `prefix` "" = any interface.
std::vector<StatusPage> ByNumber(int32_t number, std::string_view prefix) {
  std::vector<StatusPage> pages;
  const auto meant = [&](std::string_view interface) { return prefix.empty() || prefix == interface; };
  if (meant("cuda")) {
    if (const auto* row = knowledge::FindCudaStatus(number)) pages.push_back(Page(*row));
    for (const auto& row : knowledge::CudaStatuses()) {
      if (row.legacy == number && row.code != number) pages.push_back(Page(row));
    }
  }
  for (const Interface& interface : kInterfaces) {
    if (!meant(interface.prefix)) continue;
    for (const auto& row : interface.rows()) {
      if (row.code == number) pages.push_back(Page(interface.title, row));
    }
  }
  if (meant("cudnn")) {
    for (const auto& row : knowledge::CudnnStatuses()) {
      if (row.v7 == number || row.v8 == number || row.v9 == number) pages.push_back(Page(row));
    }
  }
  return pages;
}

}  // namespace

std::vector<StatusPage> StatusPages(std::string_view words) {
  const Query query = Read(words);
  std::vector<StatusPage> pages = ByName(query.name);
  if (pages.empty() && query.number) pages = ByNumber(*query.number, query.prefix);
  return pages;
}

}  // namespace culprit::explain
