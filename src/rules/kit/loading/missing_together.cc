#include "rules/kit/loading/missing_together.h"

#include <algorithm>
#include <set>

#include "rules/kit/cudnn/cudnn_facts.h"
#include "rules/kit/load_fixes.h"

namespace culprit::rules {

std::vector<MissingTogether> MissingCudaLibraries(const Scene& scene) {
  std::vector<MissingTogether> loads;
  for (const FailedLoad& failed : FailedLoads(scene)) {
    if (failed.why != Why::kNowhere && failed.why != Why::kOtherMajor) continue;
    if (!IsOfToolkit(scene, failed)) continue;
    const auto same = [&](const MissingTogether& load) {
      return load.front().scenario == failed.scenario &&
             load.front().request->guessed == failed.request->guessed;
    };
    auto load = std::ranges::find_if(loads, same);
    if (load == loads.end()) load = loads.insert(loads.end(), MissingTogether());
    const auto known = [&](const FailedLoad& other) { return other.request->name == failed.request->name; };
    if (std::ranges::none_of(*load, known)) load->push_back(failed);
  }
  return loads;
}

bool InOtherMajor(const MissingTogether& load) {
  return std::ranges::any_of(load, [](const FailedLoad& failed) { return failed.why == Why::kOtherMajor; });
}

std::string CudaNamesOf(const MissingTogether& load) {
  std::vector<std::string> majors;  // of each library; "" where several CUDAs share its name
  std::set<std::string> known;
  for (const FailedLoad& failed : load) {
    majors.push_back(CudaOfSoname(*failed.library, failed.request->name));
    if (!majors.back().empty()) known.insert(majors.back());
  }
  std::string names;
  for (size_t i = 0; i < load.size(); ++i) {
    if (i > 0) names += i + 1 == load.size() ? " and " : ", ";
    names += load[i].request->name;
    if (known.size() > 1 && !majors[i].empty()) names += " (CUDA " + majors[i] + ")";
  }
  return known.size() == 1 ? names + " (CUDA " + *known.begin() + ")" : names;
}

report::Finding& Fire(Ruling& ruling, const MissingTogether& load, std::string summary,
                      std::vector<std::string> about) {
  report::Finding& finding =
      Fire(ruling, load.front(), std::move(summary), load.front().request->name, std::move(about));
  for (size_t i = 1; i < load.size(); ++i) {
    finding.about.push_back(load[i].request->name);
    finding.evidence.push_back(WhoOpens(load[i]));
  }
  return finding;
}

}  // namespace culprit::rules
