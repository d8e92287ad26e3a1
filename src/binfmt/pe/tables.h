// The tables of a PE file; each has its own source: imports.cc, exports.cc, resources.cc.
#pragma once

#include <optional>

#include "binfmt/pe/image.h"
#include "binfmt/pe/pe.h"

namespace culprit::binfmt {

// The headers and the section table. `pe` and `layout` always contain what could be read. If the result is
// kNone, the image can then be read by RVA.
PeProblem ReadPeHeaders(PeImage& image, PeFile& pe, PeLayout& layout);

// Imports, delay imports and bound imports. False if some of them are not in the image.
bool ReadPeImports(PeImage& image, const PeLayout& layout, PeFile& pe);

// The head of the export table: export_name and export_count.
void ReadPeExportHead(PeImage& image, const PeLayout& layout, PeFile& pe);

// Version and manifest; corrupt parts are left out.
void ReadPeResources(PeImage& image, const PeLayout& layout, PeFile& pe);

// Names of the dependent assemblies of a manifest, each once, in order.
std::vector<std::string> ManifestDependencies(std::string_view manifest);

}  // namespace culprit::binfmt
