// Which of the CUDA calls that returned an error is the failure. Many are not: PyTorch frees its cache and
// retries after a failed cudaMalloc, programs query features that may not exist, and at exit everything
// fails. So, in this order: the call whose status the output names; the first call that lost the context,
// since all later ones fail; a failed initialization of CUDA; the last call, if the program ended right after
// it.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/demangle.h"
#include "knowledge/messages/status_codes.h"
#include "run/judge/parts.h"

namespace culprit::run {
namespace {

using record::FailedCall;

constexpr uint64_t kSameCall = 2'000;  // microseconds between a call of the driver and the runtime's over it
constexpr uint64_t kSameBurst = 1'000'000;  // a retrying allocator

struct Seen {
  const record::Process* process = nullptr;
  const FailedCall* call = nullptr;
};

bool OfCuda(const FailedCall& call) {
  return call.api == base::CudaApi::kDriver || call.api == base::CudaApi::kRuntime;
}

// CUDA itself could not start, or has no device.
bool IsStart(const FailedCall& call) {
  return OfCuda(call) && explain::IsStartCode(call.code) &&
         (call.code != 101 || call.function.find("Init") != std::string::npos);
}

// A harmless query for something that does not exist; or the library is being unloaded with its process.
bool IsHarmless(const FailedCall& call) {
  if (!OfCuda(call)) return call.status == "CUDNN_STATUS_NOT_SUPPORTED";
  static const std::set<int64_t> kNever = {4, 500, 600, 704, 705, 708, 709, 801};
  static const std::set<int64_t> kWhenAsking = {1, 98, 101, 201, 209, 216, 219, 400, 401};
  if (kNever.contains(call.code)) return true;
  if (!kWhenAsking.contains(call.code)) return false;
  for (const char* word : {"Get", "Query", "CanAccess", "Attribute"}) {
    if (call.function.find(word) != std::string::npos) return true;
  }
  return false;
}

// All of them in order of time; of a call of the runtime and the driver's within it only the first.
std::vector<Seen> InOrder(const record::Run& run) {
  std::vector<Seen> seen;
  for (const record::Process& process : run.processes) {
    for (const FailedCall& call : process.failed_calls) seen.push_back({&process, &call});
  }
  std::ranges::sort(seen, {}, [](const Seen& one) { return one.call->at; });
  std::vector<Seen> merged;
  for (const Seen& one : seen) {
    if (!merged.empty() && one.call->api == base::CudaApi::kRuntime) {
      const Seen& last = merged.back();
      if (last.call->api == base::CudaApi::kDriver && last.process == one.process &&
          last.call->thread == one.call->thread && last.call->code == one.call->code &&
          one.call->at - last.call->at <= kSameCall) {
        merged.back() = one;
        continue;
      }
    }
    merged.push_back(one);
  }
  return merged;
}

// What the output says that CUDA, cuDNN or cuBLAS returned.
struct Named {
  std::set<int64_t> codes;
  std::set<std::string, std::less<>> names;
};
Named NamedInOutput(const Heard& heard) {
  Named named;
  for (size_t i = 0; i < heard.of_texts; ++i) {
    const logs::Symptom& symptom = heard.symptoms[i];
    const std::string_view status = symptom.attribute("status");
    if (const knowledge::CudaStatus* row = knowledge::FindCudaStatus(status)) named.codes.insert(row->code);
    if (!status.empty()) named.names.emplace(status);
    if (symptom.kind() == "oom") named.codes.insert(2);
    if (symptom.kind() == "kernel-assert" || symptom.kind() == "device-assert") named.codes.insert(710);
  }
  return named;
}

bool Fits(const Named& named, const FailedCall& call) {
  return OfCuda(call) ? named.codes.contains(call.code) : named.names.contains(call.status);
}

// Of one status: where the context is lost the first, else the first of the last burst.
const Seen* FirstOfLast(const std::vector<Seen>& seen, const Seen& last) {
  const auto same = [&](const Seen& one) {
    return one.call->api == last.call->api && one.call->code == last.call->code;
  };
  const Seen* first = &last;
  for (auto at = seen.rbegin(); at != seen.rend(); ++at) {
    if (!same(*at) || at->call->at > first->call->at) continue;
    if (!IsSticky(last.call->code) && first->call->at - at->call->at > kSameBurst) break;
    first = &*at;
  }
  return first;
}

const Seen* Choose(const record::Run& run, const std::vector<Seen>& seen, const Heard& heard) {
  if (!run.failed()) return nullptr;
  const Named named = NamedInOutput(heard);
  for (auto at = seen.rbegin(); at != seen.rend(); ++at) {
    if (Fits(named, *at->call)) return FirstOfLast(seen, *at);
  }
  for (const Seen& one : seen) {
    if (OfCuda(*one.call) && IsSticky(one.call->code)) return &one;
  }
  if (heard.own_error) return nullptr;
  for (const Seen& one : seen) {
    if (IsStart(*one.call) && (heard.Failure() || NearTheEnd(run, one.call->at))) return &one;
  }
  for (auto at = seen.rbegin(); at != seen.rend(); ++at) {
    if (!NearTheEnd(run, at->call->at)) break;
    if (!IsHarmless(*at->call)) return FirstOfLast(seen, *at);
  }
  return nullptr;
}

std::string Meaning(const FailedCall& call, std::string& status) {
  if (OfCuda(call)) {
    const auto* row = knowledge::FindCudaStatus(static_cast<int32_t>(call.code));
    if (row == nullptr) return "";
    if (status.empty()) status = call.api == base::CudaApi::kDriver ? row->driver_name : row->runtime_name;
    return std::string(row->meaning);
  }
  if (const auto* row = knowledge::FindCudnnStatus(status)) return std::string(row->meaning);
  for (const knowledge::StatusCode& row : knowledge::CublasStatuses()) {
    const bool this_one =
        status.empty() ? call.api == base::CudaApi::kCublas && row.code == call.code : row.name == status;
    if (!this_one) continue;
    if (status.empty()) status = row.name;
    return std::string(row.meaning);
  }
  return "";
}

report::RunCall AsRunCall(const record::Run& run, const Seen& seen) {
  const FailedCall& call = *seen.call;
  report::RunCall told{.seconds = Seconds(call.at),
                       .process = ProcessName(run, *seen.process),
                       .api = call.api,
                       .function = call.function,
                       .status = call.status,
                       .detail = base::ReadableFunction(call.detail),
                       .source = call.source,
                       .code = call.code,
                       .meaning = "",
                       .last_kernel = base::ReadableFunction(call.last_kernel),
                       .said = call.said,
                       .count = call.count};
  told.meaning = Meaning(call, told.status);
  return told;
}

}  // namespace

bool IsSticky(int64_t code) {
  static const std::set<int64_t> kCodes = {214, 220, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721};
  return kCodes.contains(code);
}

Calls FailedCalls(const record::Run& run, const Heard& heard) {
  const std::vector<Seen> seen = InOrder(run);
  const Seen* first = Choose(run, seen, heard);
  Calls calls;
  if (first != nullptr) calls.first = AsRunCall(run, *first);
  for (const Seen& one : seen) {
    if (&one != first) calls.others.push_back(AsRunCall(run, one));
  }
  return calls;
}

}  // namespace culprit::run
