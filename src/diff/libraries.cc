// Toolkits and copies of cuDNN.
#include "base/text.h"
#include "diff/parts.h"

namespace culprit::diff {
namespace {

using report::Difference;
using snapshot::CudnnCopy;
using snapshot::Toolkit;

std::string Shown(const Toolkit* toolkit) {
  if (toolkit == nullptr) return "none";
  return toolkit->version.empty() ? "unknown version" : toolkit->version;
}

std::string ListOf(const std::vector<std::string>& links) {
  std::string text;
  for (const std::string& link : links) text += (text.empty() ? "" : ", ") + link;
  return OrNone(text);
}

// A toolkit in one place. Reports the first thing that differs, its version before the rest.
void AddToolkit(Parts& parts, const std::string& root, const Toolkit* was, const Toolkit* is) {
  const Toolkit& toolkit = is == nullptr ? *was : *is;
  std::string a = Shown(was), b = Shown(is), what = "toolkit in ";
  if (was != nullptr && is != nullptr && was->version == is->version) {
    if (was->links != is->links) {
      a = ListOf(was->links), b = ListOf(is->links), what = "symlinks to the toolkit in ";
    } else if (was->nvcc_version != is->nvcc_version) {
      a = OrNone(was->nvcc_version), b = OrNone(is->nvcc_version), what = "nvcc of the toolkit in ";
    } else if (was->header_version != is->header_version) {
      a = OrNone(was->header_version), b = OrNone(is->header_version), what = "cuda.h of the toolkit in ";
    } else {
      return;
    }
  }
  std::string summary = what + root + ": " + a + " -> " + b;
  if (was == nullptr) summary = "toolkit " + b + " in " + root + " is new";
  if (is == nullptr) summary = "toolkit " + a + " in " + root + " is gone";
  std::vector<std::string> names = {root, toolkit.nvcc};
  names.insert(names.end(), toolkit.links.begin(), toolkit.links.end());
  parts.Add({.how = HowOf(was != nullptr, is != nullptr),
             .kind = report::DifferenceKind::kToolkit,
             .subject = root,
             .summary = std::move(summary),
             .before = std::move(a),
             .after = std::move(b),
             .suspicion = 48},
            std::move(names));
}

// A setting of builds that has one value: "nvcc on PATH".
void AddBuildSetting(Parts& parts, const std::string& what, const std::string& was, const std::string& is,
                     int suspicion, std::vector<std::string> names) {
  if (was == is) return;
  parts.Add({.kind = report::DifferenceKind::kToolkit,
             .subject = what,
             .summary = what + ": " + was + " -> " + is,
             .before = was,
             .after = is,
             .suspicion = suspicion},
            std::move(names));
}

void AddToolkits(Parts& parts, const snapshot::Toolkits& before, const snapshot::Toolkits& after) {
  Align(
      before.copies, after.copies, [](const Toolkit& toolkit) { return toolkit.root; },
      [&](const std::string& root, const Toolkit* was, const Toolkit* is) {
        AddToolkit(parts, root, was, is);
      });
  AddBuildSetting(parts, "nvcc on PATH", OrNone(before.nvcc_on_path), OrNone(after.nvcc_on_path), 42,
                  {after.nvcc_on_path, before.nvcc_on_path});
  const auto compiler = [](const snapshot::Toolkits& toolkits) {
    return toolkits.host_compilers.empty() ? snapshot::Compiler{} : toolkits.host_compilers.front();
  };
  const snapshot::Compiler was = compiler(before), is = compiler(after);
  const auto shown = [](const snapshot::Compiler& one) {
    return one.path.empty() ? "none" : one.name + " " + one.version;
  };
  AddBuildSetting(parts, "compiler that nvcc uses", shown(was), shown(is), 38, {is.path, was.path});
}

std::string Shown(const CudnnCopy* copy) {
  if (copy == nullptr) return "none";
  std::string text = copy->version.empty() ? std::to_string(copy->major) : copy->version;
  if (!copy->cuda.empty()) text += " for CUDA " + copy->cuda;
  if (!copy->missing_parts.empty())
    text += ", " + std::to_string(copy->missing_parts.size()) + " sub-libraries missing";
  size_t bad = 0;
  for (const snapshot::CudnnPart& part : copy->parts) bad += part.problem ? 1 : 0;
  return bad == 0 ? text : text + ", " + std::to_string(bad) + " sub-libraries damaged";
}

bool SameParts(const CudnnCopy& a, const CudnnCopy& b) {
  return a.parts == b.parts && Shown(&a) == Shown(&b);
}

void AddCudnn(Parts& parts, const std::vector<CudnnCopy>& before, const std::vector<CudnnCopy>& after) {
  const auto key = [](const CudnnCopy& copy) { return copy.directory + " " + std::to_string(copy.major); };
  Align(before, after, key, [&](const std::string&, const CudnnCopy* was, const CudnnCopy* is) {
    if (was != nullptr && is != nullptr && SameParts(*was, *is) && was->header_version == is->header_version)
      return;
    const CudnnCopy& copy = is == nullptr ? *was : *is;
    std::string summary = "cuDNN in " + copy.directory + ": " + Shown(was) + " -> " + Shown(is);
    if (was == nullptr) summary = "cuDNN " + Shown(is) + " in " + copy.directory + " is new";
    if (is == nullptr) summary = "cuDNN " + Shown(was) + " in " + copy.directory + " is gone";
    if (was != nullptr && is != nullptr && Shown(was) == Shown(is)) {
      summary = was->header_version != is->header_version
                    ? "header of cuDNN in " + copy.directory + ": " + OrNone(was->header_version) + " -> " +
                          OrNone(is->header_version)
                    : "cuDNN in " + copy.directory + ": sub-libraries changed";
    }
    std::vector<std::string> names = {copy.directory, copy.header};
    for (const CudnnCopy* side : {is, was}) {
      if (side == nullptr) continue;
      names.insert(names.end(), side->missing_parts.begin(), side->missing_parts.end());
      for (const snapshot::CudnnPart& part : side->parts) names.push_back(part.path);
    }
    parts.Add({.how = HowOf(was != nullptr, is != nullptr),
               .kind = report::DifferenceKind::kCudnn,
               .subject = copy.directory,
               .summary = std::move(summary),
               .before = Shown(was),
               .after = Shown(is),
               .suspicion = 60},
              std::move(names));
  });
}

}  // namespace

void AddLibraries(Parts& parts) {
  const auto& before = parts.before.scene.stack();
  const auto& after = parts.after.scene.stack();
  if (const auto [was, is] = BothOf(parts, "the toolkits", before.toolkits, after.toolkits); was != nullptr)
    AddToolkits(parts, *was, *is);
  if (const auto [was, is] = BothOf(parts, "the copies of cuDNN", before.cudnn, after.cudnn); was != nullptr)
    AddCudnn(parts, *was, *is);
}

}  // namespace culprit::diff
