#include "run/watch/before_start.h"

#include <chrono>
#include <future>
#include <thread>

#include "base/parallel/in_time.h"
#include "base/text.h"
#include "run/watch/cuda_watch.h"
#include "system/quiet_thread.h"

namespace culprit::watch {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// Together less than a second. A healthy machine takes some ten milliseconds.
constexpr milliseconds kFirstLook{300}, kSecondLook{150}, kLayOut{350};
constexpr std::chrono::seconds kAsAShell{10};  // nothing else can be tried

Clock::time_point In(milliseconds limit, const Request& request) {
  return Clock::now() + limit * request.patience;
}

template <typename Function>
auto Aside(Function function) {
  return base::StartAside([function = std::move(function), here = std::this_thread::get_id()] {
    if (std::this_thread::get_id() != here) system::TakeNoSignals();  // here, where no thread could be had
    return function();
  });
}

template <typename Value>
bool IsReady(std::future<Value>& answer, Clock::time_point until) {
  return answer.wait_until(until) == std::future_status::ready;
}

// If a directory on PATH does not respond: the first other one that has it.
system::FoundProgram FindElsewhere(const std::string& word, const std::string& path, const Request& request) {
  if (word.find('/') != std::string::npos) return {word, 0, ""};  // to start it is all that can be tried
  std::vector<std::future<system::FoundProgram>> answers;
  for (const std::string& directory : base::Split(path, ':')) {
    const std::string candidate = base::JoinPath(directory.empty() ? "." : directory, word);
    answers.push_back(Aside([candidate] { return system::FindCommand(candidate); }));
  }
  bool all_answered = false;
  for (const auto until : {In(kSecondLook, request), Clock::now() + kAsAShell}) {
    all_answered = true;
    for (auto& answer : answers) {
      if (!answer.valid()) continue;
      if (!IsReady(answer, until)) {
        all_answered = false;
      } else if (system::FoundProgram found = answer.get(); !found.path.empty()) {
        return found;
      }
    }
  }
  return {"", 127,
          word + ": command not found" + (all_answered ? "" : ", and a directory on PATH does not respond")};
}

}  // namespace

Looked LookBeforeStart(const Machine& machine, const Request& request) {
  struct Program {
    system::FoundProgram found;
    Reach reach;
  };
  if (request.command.empty()) return {};
  const std::string word = request.command.front();
  auto program = Aside([machine, word] {
    const system::FoundProgram found = system::FindCommand(word);
    return Program{found, found.path.empty() ? Reach{} : ReachOf(*machine, found.path)};
  });
  Looked looked;
  const auto until = In(kFirstLook, request);
  if (request.calls) {
    auto cupti = Aside([machine, command = request.command] { return FindCupti(*machine, command); });
    if (IsReady(cupti, until)) looked.cupti = cupti.get();
  }
  if (IsReady(program, until)) {
    Program seen = program.get();
    looked.found = std::move(seen.found);
    looked.reach = std::move(seen.reach);
    return looked;
  }
  looked.found = FindElsewhere(word, base::ValueOf(machine->Environment(), "PATH"), request);
  if (looked.found.path.empty()) return looked;
  auto reach = Aside([machine, path = looked.found.path] { return ReachOf(*machine, path); });
  looked.reach = IsReady(reach, In(kSecondLook, request))
                     ? reach.get()
                     : Reach{.program = looked.found.path,
                             .why_not = looked.found.path + " could not be read in time",
                             .harmful = true};
  return looked;
}

std::shared_ptr<Witnesses> LayOut(const Machine& machine, const Request& request, const Looked& looked,
                                  const std::vector<record::Watched>& instead) {
  auto laid_out = Aside([machine, request, reach = looked.reach, cupti = looked.cupti, instead] {
    return std::make_shared<Witnesses>(*machine, request, reach, cupti, instead);
  });
  if (IsReady(laid_out, In(kLayOut, request))) return laid_out.get();
  return std::make_shared<Witnesses>(request, "the temporary directory does not respond");
}

}  // namespace culprit::watch
