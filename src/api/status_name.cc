#include "api/status_name.h"

#include "api/process.h"
#include "knowledge/messages/status_codes.h"

namespace culprit::api {
namespace {

// Name functions of the libraries; all are C functions.
using NameOfStatus = const char* (*)(int);              // cudaGetErrorName, cudnnGetErrorString ...
using DriverNameOfStatus = int (*)(int, const char**);  // cuGetErrorName

std::string NameFromLibrary(const char* function, int32_t status) {
  const auto ask = reinterpret_cast<NameOfStatus>(LoadedFunction(function));
  const char* name = ask == nullptr ? nullptr : ask(status);
  return name == nullptr ? "" : name;
}

std::string NameFromDriver(int32_t status) {
  const auto ask = reinterpret_cast<DriverNameOfStatus>(LoadedFunction("cuGetErrorName"));
  const char* name = nullptr;
  return ask != nullptr && ask(status, &name) == 0 && name != nullptr ? name : "";
}

template <typename Row>
void Take(const Row& row, StatusFacts& facts) {
  facts.meaning = row.meaning;
  facts.causes.assign(row.causes.begin(), row.causes.end());
}

StatusFacts OfCuda(int32_t status, bool driver) {
  StatusFacts facts{.name = driver ? NameFromDriver(status) : NameFromLibrary("cudaGetErrorName", status)};
  // A runtime uses this name for a number it does not know; our table may be newer.
  if (facts.name == "unrecognized error code") facts.name.clear();
  // By name first: before CUDA 10.1 the runtime used other numbers.
  const knowledge::CudaStatus* row = facts.name.empty() ? nullptr : knowledge::FindCudaStatus(facts.name);
  if (row == nullptr) row = knowledge::FindCudaStatus(status);
  if (row == nullptr) return facts;
  Take(*row, facts);
  if (facts.name.empty()) {
    facts.name = driver && !row->driver_name.empty() ? row->driver_name : knowledge::NameOf(*row);
  }
  return facts;
}

StatusFacts OfCudnn(int32_t status) {
  StatusFacts facts{.name = NameFromLibrary("cudnnGetErrorString", status)};
  const knowledge::CudnnStatus* row = nullptr;
  if (const uint32_t major = LoadedCudnnMajor(); major != 0) {
    row = knowledge::FindCudnnStatus(status, major);
  } else {
    // From 9 on, numbers have four digits; below, they are the same in 7 and 8.
    row = knowledge::FindCudnnStatus(status, status >= 1000 ? 9 : 8);
  }
  if (row == nullptr && !facts.name.empty()) row = knowledge::FindCudnnStatus(facts.name);
  if (row == nullptr) return facts;
  Take(*row, facts);
  if (!facts.name.starts_with("CUDNN_STATUS_")) facts.name = row->name;
  return facts;
}

StatusFacts OfTable(std::span<const knowledge::StatusCode> rows, int32_t status) {
  StatusFacts facts;
  for (const knowledge::StatusCode& row : rows) {
    if (row.code != status) continue;
    facts.name = row.name;
    Take(row, facts);
  }
  return facts;
}

StatusFacts Find(Interface interface, int32_t status) {
  switch (interface) {
    case Interface::kRuntime:
      return OfCuda(status, false);
    case Interface::kDriver:
      return OfCuda(status, true);
    case Interface::kCudnn:
      return OfCudnn(status);
    case Interface::kCublas:
      return OfTable(knowledge::CublasStatuses(), status);
    case Interface::kNvrtc:
      return OfTable(knowledge::NvrtcStatuses(), status);
  }
  return {};
}

}  // namespace

Interface CudaInterfaceOf(std::string_view call) {
  // The name of the function, after a namespace or a parenthesis: "(::cuInit(0))".
  const size_t begin = call.find_first_not_of("( \t:");
  if (begin == std::string_view::npos) return Interface::kRuntime;
  const std::string_view name = call.substr(begin);
  const bool driver =
      name.size() > 2 && name.starts_with("cu") && name[2] >= 'A' && name[2] <= 'Z';  // cuInit, not cudaInit
  return driver ? Interface::kDriver : Interface::kRuntime;
}

StatusFacts FactsOf(Interface interface, int32_t status) {
  StatusFacts facts = Find(interface, status);
  if (facts.name.empty()) facts.name = "status " + std::to_string(status);
  return facts;
}

uint32_t LoadedCudnnMajor() {
  const auto ask = reinterpret_cast<size_t (*)()>(LoadedFunction("cudnnGetVersion"));
  if (ask == nullptr) return 0;
  const size_t version = ask();  // 8902 = 8.9.2; 90100 = 9.1.0
  return static_cast<uint32_t>(version >= 10000 ? version / 10000 : version / 1000);
}

}  // namespace culprit::api
