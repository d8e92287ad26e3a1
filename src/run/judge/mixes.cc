// Two versions of one family in one process. All cuDNN sub-libraries must be of one release, and so must
// cuBLAS and cuBLASLt; for other libraries, two files of the same name are a mix. The odd one is the file
// that a variable forced in, otherwise the one that differs from the first file.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/text.h"
#include "base/version.h"
#include "knowledge/libraries.h"
#include "run/judge/parts.h"

namespace culprit::run {
namespace {

using report::RunMix;

struct Member {
  const record::Loaded* loaded = nullptr;
  base::Version version;
};

// What must be of one version together: name and the parts of the version that count.
struct Family {
  std::string name;
  size_t parts = 0;
  bool cudnn = false;
  auto operator<=>(const Family&) const = default;
};
Family FamilyOf(const knowledge::Library& library) {
  if (library.family == "cudnn")
    return {"cuDNN", 3, true};  // the fourth is a number that not every part tells
  if (library.name == "cublas" || library.name == "cublasLt") return {"cuBLAS", 4};
  return {std::string(library.title), 4};
}

bool Forced(const record::Loaded& loaded) {
  return loaded.via == base::Via::kLdLibraryPath || loaded.via == base::Via::kLdPreload;
}

std::string Because(const record::Loaded& odd, const record::Loaded& other) {
  const std::string_view file = base::BaseName(odd.path);
  const std::string_view asker = odd.requester.empty() ? "the program" : base::BaseName(odd.requester);
  if (odd.via == base::Via::kLdLibraryPath) {
    return fmt::format("LD_LIBRARY_PATH contains {} and is searched before the RUNPATH of {}, which needs {}",
                       base::DirName(odd.path), asker, file);
  }
  if (odd.via == base::Via::kLdPreload) return fmt::format("LD_PRELOAD names {}", odd.path);
  if (odd.via == base::Via::kCache || odd.via == base::Via::kDefault) {
    return fmt::format("{} needs {} but its RPATH and RUNPATH do not find it, so the system copy was loaded",
                       asker, file);
  }
  if (odd.via == base::Via::kRpath || odd.via == base::Via::kRunpath) {
    return fmt::format("the RPATH or RUNPATH of {} points to {}", asker, base::DirName(odd.path));
  }
  if (odd.via == base::Via::kPath) return fmt::format("{} loads {} by its full path", asker, odd.path);
  return fmt::format("{} is needed by {}, {} by {}", odd.path, asker, other.path,
                     other.requester.empty() ? "the program" : base::BaseName(other.requester));
}

// auditwheel bundles the shim alone; newer parts serve it.
bool IsBundledShim(const record::Loaded& loaded) {
  return base::BaseName(loaded.path).starts_with("libcudnn-");
}

std::optional<RunMix> MixOf(const Family& family, std::vector<Member> members, const std::string& process,
                            const rules::Scene& scene) {
  if (family.cudnn && members.size() > 1 && IsBundledShim(*members.front().loaded) &&
      members.front().version < members[1].version) {
    members.erase(members.begin());
  }
  const bool one_version = std::ranges::all_of(
      members, [&](const Member& member) { return member.version == members.front().version; });
  if (one_version) return std::nullopt;
  // The right one: the first that was not forced in.
  const auto own =
      std::ranges::find_if(members, [](const Member& member) { return !Forced(*member.loaded); });
  const Member& expected = own == members.end() ? members.front() : *own;
  RunMix mix{.process = process, .family = family.name, .cudnn = family.cudnn, .members = {}, .because = ""};
  for (const Member& member : members) {
    const record::Loaded& loaded = *member.loaded;
    const bool odd = member.version != expected.version;
    const auto version = scene.view.Version(loaded.path);
    mix.members.push_back({.seconds = Seconds(loaded.at),
                           .path = Shown(loaded.path, scene.view),
                           .version = version ? version->version : member.version.ToString(),
                           .requested_by = Shown(loaded.requester, scene.view),
                           .via = loaded.via,
                           .odd = odd});
    if (odd && mix.because.empty()) mix.because = ShownIn(Because(loaded, *expected.loaded), scene.view);
  }
  return mix;
}

}  // namespace

std::vector<RunMix> Mixes(const record::Run& run, const rules::Scene& scene) {
  std::vector<RunMix> mixes;
  for (const record::Process& process : run.processes) {
    std::map<Family, std::vector<Member>> families;
    for (const record::Loaded* one : Had(run, process)) {
      const record::Loaded& loaded = *one;
      if (loaded.closed || loaded.deleted || loaded.separate) continue;
      const knowledge::Library* library = knowledge::FindLibrary(base::BaseName(loaded.path));
      if (library == nullptr) continue;
      const auto fact = scene.view.Version(loaded.path);
      auto version = fact ? base::Version::Parse(fact->version) : std::nullopt;
      if (!version) continue;
      const Family family = FamilyOf(*library);
      if (version->parts.size() > family.parts) version->parts.resize(family.parts);
      families[family].push_back({&loaded, *version});
    }
    for (auto& [family, members] : families) {
      if (auto mix = MixOf(family, std::move(members), ProcessName(run, process), scene))
        mixes.push_back(*std::move(mix));
    }
  }
  // Children that forked have the mixture of their parent.
  std::vector<RunMix> told;
  for (RunMix& mix : mixes) {
    const bool known = std::ranges::any_of(told, [&](const RunMix& other) {
      return other.family == mix.family &&
             std::ranges::equal(other.members, mix.members, {}, &RunMix::Member::path, &RunMix::Member::path);
    });
    if (!known) told.push_back(std::move(mix));
  }
  return told;
}

}  // namespace culprit::run
