// Describes a crash: library, function, caller, accessed address.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "knowledge/libraries.h"
#include "run/judge/parts.h"

namespace culprit::run {
namespace {

constexpr uint64_t kNullPage = 0x10000;

// As signal.h and sigaction(2) have them for Linux.
std::string WhatHappened(const record::Crash& crash) {
  const std::string at = fmt::format("address {:#x}", crash.address);
  if (crash.signal == "SIGSEGV") {
    if (crash.code == 1 && crash.address < kNullPage) return at + " was accessed: a null pointer";
    if (crash.code == 1) return at + " was accessed, which is not mapped";
    if (crash.code == 2) return at + " was accessed without permission";
    if (crash.code <= 0) return "the signal was sent by a process";
    return at + " was accessed";
  }
  if (crash.signal == "SIGBUS") {
    if (crash.code == 2) {
      return at +
             " was accessed, past the end of a mapped file: the file is truncated, or shared memory is full";
    }
    return at + " was accessed";
  }
  if (crash.signal == "SIGABRT") return "the process called abort()";
  if (crash.signal == "SIGILL") return "an instruction this CPU does not support, or a compiler trap";
  if (crash.signal == "SIGFPE") return "a division by zero or another invalid arithmetic operation";
  return "";
}

// The frames of libc that only carry an abort out.
bool CarriesAbort(const record::Frame& frame) {
  const std::string_view file = base::BaseName(frame.object);
  return file.starts_with("libc.so") || file.starts_with("libc-") || file.starts_with("libstdc++") ||
         file.starts_with("libpthread") || file.starts_with("ld-linux");
}

std::string PlaceOfFrame(const report::RunFrame& frame) {
  std::string place = frame.object.empty() ? "code that belongs to no file" : frame.object;
  if (!frame.version.empty()) place += " (" + frame.version + ")";
  if (!frame.function.empty()) return place + ", function " + frame.function;
  return frame.object.empty() ? place : place + fmt::format(" at {:#x}", frame.offset);
}

}  // namespace

std::optional<report::RunCrash> CrashOf(const record::Run& run, const rules::Scene& scene) {
  // A crash that the program's handler survived did not end the program.
  const record::Crash* last = nullptr;
  const record::Process* of = nullptr;
  for (const record::Process& process : run.processes) {
    for (const record::Crash& crash : process.crashes) {
      const bool ended_it = crash.signal == run.signal && &process == &run.processes.front();
      if (last == nullptr || ended_it || (last->at <= crash.at && last->signal != run.signal)) {
        last = &crash;
        of = &process;
      }
    }
  }
  if (last == nullptr || !run.failed()) return std::nullopt;
  report::RunCrash told{.seconds = Seconds(last->at),
                        .process = ProcessName(run, *of),
                        .signal = last->signal,
                        .what = WhatHappened(*last),
                        .frames = {}};
  for (const record::Request& request : of->failed_requests)
    if (!request.killed_by.empty() && !request.attempts.empty())
      told.what =
          "the loader was opening " + Shown(request.attempts.back().path, scene.view) + ": " + told.what;
  bool carried = last->signal == "SIGABRT";
  for (const record::Frame& frame : last->frames) {
    carried = carried && CarriesAbort(frame);
    if (carried) continue;
    report::RunFrame shown{.object = Shown(frame.object, scene.view),
                           .version = "",
                           .function = frame.function,
                           .offset = frame.offset,
                           .guessed = frame.guessed};
    if (!frame.object.empty() && knowledge::FindLibrary(base::BaseName(frame.object)) != nullptr) {
      if (const auto version = scene.view.Version(frame.object)) shown.version = version->version;
    }
    told.frames.push_back(std::move(shown));
  }
  return told;
}

std::string CrashWords(const report::RunCrash& crash) {
  if (crash.frames.empty()) return crash.signal + (crash.what.empty() ? "" : ": " + crash.what);
  const report::RunFrame& top = crash.frames.front();
  std::string words = crash.signal + " in " + PlaceOfFrame(top);
  const auto caller = std::ranges::find_if(crash.frames, [&](const report::RunFrame& frame) {
    const bool glue = base::BaseName(frame.object).starts_with("libffi");
    return !frame.object.empty() && frame.object != top.object && !glue;
  });
  if (caller != crash.frames.end()) {
    words += fmt::format(", called {}by {}", caller->guessed ? "probably " : "", PlaceOfFrame(*caller));
  }
  return crash.what.empty() ? words : words + ": " + crash.what;
}

}  // namespace culprit::run
