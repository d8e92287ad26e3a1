#include "knowledge/host_compilers.h"

#include <string>

#include "knowledge/packages/release.h"

namespace culprit::knowledge {
namespace {

using base::Version;

// `name` is "gcc" or "clang".
Answer Fits(const Version& cuda, std::string_view name, const Version& compiler,
            std::string_view NvccRow::* lowest, std::string_view NvccRow::* newest) {
  const NvccRow* row = FindNvcc(cuda);
  if (row == nullptr) return Unknown("nvcc of CUDA " + cuda.ToString() + " is not in the table");
  const std::string nvcc = "nvcc of CUDA " + Text(row->cuda);
  const std::string_view max = row->*newest, min = row->*lowest;
  if (max.empty()) return Unknown("the limits of " + nvcc + " are not known", row->source);
  const Version limit = Known(max);
  if (compiler > limit && !BeginsWith(compiler, limit)) {
    return No(nvcc + " accepts " + Text(name) + " up to " + Text(max), row->source);
  }
  if (compiler.parts.size() < limit.parts.size() && BeginsWith(limit, compiler)) {
    return Yes(nvcc + " accepts " + Text(name) + " up to " + Text(max) + "; a later " + compiler.ToString() +
                   ".x may be refused",
               row->source);
  }
  if (!min.empty() && compiler < Known(min)) {
    return No(nvcc + " needs " + Text(name) + " " + Text(min) + " or newer", row->source);
  }
  return Yes(nvcc + " accepts " + Text(name) + (min.empty() ? "" : " " + Text(min)) + " up to " + Text(max),
             row->source);
}

}  // namespace

const NvccRow* FindNvcc(const Version& cuda) {
  const NvccRow* found = nullptr;
  for (const NvccRow& row : NvccRows()) {
    const Version release = Known(row.cuda);
    if (cuda.parts.size() < 2 || MinorOf(release) != MinorOf(cuda)) continue;
    if (found == nullptr || release <= cuda) found = &row;
  }
  return found;
}

Answer GccFits(const Version& cuda, const Version& gcc) {
  return Fits(cuda, "gcc", gcc, &NvccRow::gcc_min, &NvccRow::gcc_max);
}

Answer ClangFits(const Version& cuda, const Version& clang) {
  return Fits(cuda, "clang", clang, &NvccRow::clang_min, &NvccRow::clang_max);
}

Answer MsvcFits(const Version& cuda, uint32_t msc_ver) {
  const NvccRow* row = FindNvcc(cuda);
  if (row == nullptr) return Unknown("nvcc of CUDA " + cuda.ToString() + " is not in the table");
  const std::string nvcc = "nvcc of CUDA " + Text(row->cuda);
  if (row->msvc_below == 0) return Unknown("the limits of " + nvcc + " are not known", row->source);
  const std::string limits = nvcc + " accepts _MSC_VER " + std::to_string(row->msvc_min) + " to " +
                             std::to_string(row->msvc_below - 1);
  const bool fits = msc_ver >= row->msvc_min && msc_ver < row->msvc_below;
  return fits ? Yes(limits, row->source) : No(limits, row->source);
}

}  // namespace culprit::knowledge
