// The system around the stack: distribution, kernel, container, loaders, /etc/ld.so.preload and the loader's
// cache.
#include "base/text.h"
#include "diff/parts.h"
#include "knowledge/libraries.h"

namespace culprit::diff {
namespace {

void AddFields(Parts& parts, const snapshot::Context& before, const snapshot::Context& after) {
  const auto field = [&](const char* what, const std::string& was, const std::string& is, int suspicion) {
    if (was == is) return;
    parts.Add({.how = HowOf(!was.empty(), !is.empty()),
               .kind = report::DifferenceKind::kContext,
               .subject = what,
               .summary = std::string(what) + ": " + OrNone(was) + " -> " + OrNone(is),
               .before = OrNone(was),
               .after = OrNone(is),
               .suspicion = suspicion},
              {is, was});
  };
  const auto yes = [](bool value) { return std::string(value ? "yes" : "no"); };
  field("container", before.container, after.container, 44);
  field("kernel", before.kernel, after.kernel, 40);
  field("distribution", before.distribution, after.distribution, 38);
  field("WSL", yes(before.wsl), yes(after.wsl), 44);
  field("Jetson release", before.jetson, after.jetson, 44);
  field("secure boot", before.secure_boot, after.secure_boot, 42);
  field("user is root", yes(before.root), yes(after.root), 30);
  field("started by sudo from", before.sudo_user, after.sudo_user, 25);
  Align(
      before.injected, after.injected, [](const std::string& file) { return file; },
      [&](const std::string& file, const std::string* was, const std::string* is) {
        if ((was != nullptr) == (is != nullptr)) return;
        parts.Add({.how = HowOf(was != nullptr, is != nullptr),
                   .kind = report::DifferenceKind::kContext,
                   .subject = file,
                   .summary = file + (is == nullptr ? " is no longer mounted into the container"
                                                    : " is mounted into the container now"),
                   .before = was == nullptr ? "none" : "mounted",
                   .after = is == nullptr ? "none" : "mounted",
                   .suspicion = 52},
                  {file});
      });
}

void AddLoaders(Parts& parts) {
  Align(
      parts.before.scene.snapshot.loaders, parts.after.scene.snapshot.loaders,
      [](const snapshot::LoaderFacts& loader) { return loader.path; },
      [&](const std::string& path, const snapshot::LoaderFacts* was, const snapshot::LoaderFacts* is) {
        const auto shown = [](const snapshot::LoaderFacts* loader) {
          return loader == nullptr ? std::string("none")
                                   : std::string(Name(loader->flavor)) + " " + loader->version;
        };
        if (shown(was) == shown(is)) return;
        parts.Add({.how = HowOf(was != nullptr, is != nullptr),
                   .kind = report::DifferenceKind::kLoader,
                   .subject = path,
                   .summary = "loader " + path + ": " + shown(was) + " -> " + shown(is),
                   .before = shown(was),
                   .after = shown(is),
                   .suspicion = 46},
                  {path});
      });
  const auto& before = parts.before.scene.snapshot.ld_so_preload;
  const auto& after = parts.after.scene.snapshot.ld_so_preload;
  if (const auto [was, is] = BothOf(parts, "/etc/ld.so.preload", before, after);
      was != nullptr && *was != *is) {
    std::vector<std::string> names = {"/etc/ld.so.preload"};
    for (const std::string& name : base::SplitWords(*was + " " + *is, " \t\n:")) names.push_back(name);
    parts.Add({.kind = report::DifferenceKind::kLoader,
               .subject = "/etc/ld.so.preload",
               .summary = "/etc/ld.so.preload: \"" + std::string(base::Trim(*was)) + "\" -> \"" +
                          std::string(base::Trim(*is)) + "\"",
               .before = *was,
               .after = *is,
               .suspicion = 60},
              std::move(names));
  }
}

// What a name resolves to: the paths of the cache in their order.
std::map<std::string, std::string> Names(const binfmt::LdCache& cache) {
  std::map<std::string, std::string> names;
  for (const binfmt::LdCacheEntry& entry : cache.entries) {
    std::string& paths = names[std::string(entry.name)];
    paths += (paths.empty() ? "" : ", ") + std::string(entry.path);
  }
  return names;
}

// One difference for all entries; CUDA entries are listed one by one.
void AddCache(Parts& parts) {
  const auto& before = parts.before.scene.snapshot.ld_cache;
  const auto& after = parts.after.scene.snapshot.ld_cache;
  const auto [was, is] = BothOf(parts, "/etc/ld.so.cache", before, after);
  if (was == nullptr || *was == *is) return;
  report::Difference difference{.how = HowOf(bool(before), bool(after)),
                                .kind = report::DifferenceKind::kLoader,
                                .subject = "/etc/ld.so.cache",
                                .before = std::to_string(was->entries.size()) + " entries",
                                .after = std::to_string(is->entries.size()) + " entries"};
  std::vector<std::string> names = {"/etc/ld.so.cache"}, others;
  size_t count = 0;
  const auto first = Names(*was), second = Names(*is);
  Align(
      first, second, [](const auto& entry) { return entry.first; },
      [&](const std::string& name, const auto* a, const auto* b) {
        if (a != nullptr && b != nullptr && a->second == b->second) return;
        ++count;
        const std::string line =
            name + ": " + (a == nullptr ? "none" : a->second) + " -> " + (b == nullptr ? "none" : b->second);
        names.push_back(name);
        for (const auto* side : {a, b}) {
          if (side == nullptr) continue;
          for (const std::string& path : base::SplitWords(side->second, ", ")) names.push_back(path);
        }
        (knowledge::FindLibrary(name) != nullptr ? difference.leads_to : others).push_back(line);
      });
  if (count == 0) return;  // the order in the file, or who wrote it
  const size_t of_cuda = difference.leads_to.size();
  difference.suspicion = of_cuda > 0 ? 46 : 22;
  difference.summary =
      "/etc/ld.so.cache: " +
      (count == 1 ? (of_cuda == 1 ? difference.leads_to : others).front()
                  : std::to_string(count) + " names resolve to other files" +
                        (of_cuda > 0 ? ", " + std::to_string(of_cuda) + " of them from CUDA" : ""));
  if (!before) difference.summary = "/etc/ld.so.cache is new";
  if (!after) difference.summary = "/etc/ld.so.cache is gone";
  if (count == 1) difference.leads_to.clear();
  if (count > 1) difference.leads_to.insert(difference.leads_to.end(), others.begin(), others.end());
  parts.Add(std::move(difference), std::move(names));
}

}  // namespace

void AddContext(Parts& parts) {
  const auto [was, is] =
      BothOf(parts, "the context", parts.before.scene.stack().context, parts.after.scene.stack().context);
  if (was != nullptr) AddFields(parts, *was, *is);
  AddLoaders(parts);
  AddCache(parts);
}

}  // namespace culprit::diff
