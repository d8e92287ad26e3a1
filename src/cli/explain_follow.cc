#include "cli/explain_follow.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "cli/command.h"
#include "cli/options.h"
#include "explain/logs/log_reader.h"

namespace culprit::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kQuiet = 300;                           // milliseconds without output: the message is complete
constexpr auto kQuietTime = std::chrono::seconds(2);  // if the program never pauses

bool PassOn(std::span<const char> bytes) {
  return std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size() && std::fflush(stdout) == 0;
}

size_t Failures(std::span<const logs::Symptom> symptoms) {
  return static_cast<size_t>(std::ranges::count(symptoms, knowledge::Role::kFailure, &logs::Symptom::role));
}

}  // namespace

int Follow(system::InputStream& in,
           const std::function<void(std::span<const logs::Symptom>, uint64_t lines)>& speak) {
  logs::LogReader reader;
  size_t told = 0;                   // failures that were reported
  Clock::time_point first_unspoken;  // when the first one that was not reported appeared
  const auto waiting = [&] { return Failures(reader.symptoms()) > told; };
  const auto tell = [&] {
    reader.Flush();
    told = Failures(reader.symptoms());
    speak(reader.symptoms(), reader.lines());
  };
  bool reading = true;
  while (reading) {
    if (waiting() && told == 0 && (!in.Wait(kQuiet) || Clock::now() - first_unspoken > kQuietTime)) tell();
    const auto room = reader.Room();
    const auto got = in.Read(room);
    if (!got) return Fail(got.error());
    reading = *got > 0 && PassOn(room.first(*got));
    const bool was_waiting = waiting();
    reader.Added(*got);
    if (!was_waiting && waiting()) first_unspoken = Clock::now();
  }
  reader.Flush();
  const bool consequence_only =
      told == 0 &&
      std::ranges::count(reader.symptoms(), knowledge::Role::kConsequence, &logs::Symptom::role) > 0;
  if (waiting() || consequence_only) tell();
  return Failures(reader.symptoms()) > 0 || consequence_only ? kExitFound : kExitOk;
}

}  // namespace culprit::cli
