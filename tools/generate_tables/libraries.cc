// data/libraries.toml -> the tables behind src/knowledge/libraries.h.
//
// Checks the invariants of the tables: unique sonames, a source for everything, known families and
// placeholders, no library that opens itself ...
#include "libraries.h"

#include <array>
#include <map>

#include "rows.h"

namespace generate {
namespace {

constexpr std::array<std::string_view, 9> kFamilies = {"cuda", "cudnn",   "cusparselt",  "cutensor", "driver",
                                                       "nccl", "nvshmem", "onnxruntime", "tensorrt"};
constexpr std::array<std::string_view, 4> kPlaceholders = {"major", "minor", "patch", "cuda"};
constexpr std::string_view kOrigin = "$ORIGIN/";
constexpr std::string_view kSo = ".so";
constexpr std::string_view kDll = ".dll";
constexpr std::string_view kDriver = "libcuda.so.1";
constexpr std::string_view kWindowsDriver = "nvcuda.dll";

// Search flags of LoadLibraryEx: the word in the data file and the flags.
struct Search {
  std::string_view word;
  uint32_t flags;
};
constexpr Search kSystem32 = {"system32", 0x800};
constexpr std::array<Search, 3> kSearches = {{{"standard", 0}, {"altered", 0x8}, kSystem32}};

struct Edge {
  Texts names;
  bool optional = false;
  std::string source, since, until;
  Texts cuda;
  int line = 0;
  uint32_t flags = 0;  // Windows
};

struct Library {
  std::string name, family, title, source;
  Texts sonames, dlls, version_symbols, version_siblings, packages;
  bool own_file_version = false;  // the file number differs from the soname
  std::vector<Edge> opens, opens_windows;
  int line = 0;
};

struct Data {
  std::vector<Library> libraries;
  Texts directories, python, windows, windows_python;
};

Edge ReadEdge(const toml::table& table, bool windows, Errors& errors) {
  Reader reader(table, errors);
  Edge edge;
  edge.line = LineOf(table);
  edge.names = reader.List("names", true);
  edge.optional = reader.Flag("optional", true);
  edge.source = reader.Text("source", true);
  edge.since = reader.Text("since", false);
  edge.until = reader.Text("until", false);
  edge.cuda = reader.List("cuda", false);
  if (windows) {
    const std::string word = reader.Text("search", false);
    const auto at = std::find_if(kSearches.begin(), kSearches.end(),
                                 [&](const Search& search) { return search.word == word; });
    if (at != kSearches.end()) edge.flags = at->flags;
    if (at == kSearches.end() && !word.empty()) errors.Add(edge.line, "unknown search " + Quote(word));
  }
  reader.Finish();
  return edge;
}

Library ReadLibrary(const toml::table& table, Errors& errors) {
  Reader reader(table, errors);
  Library library;
  library.line = LineOf(table);
  library.name = reader.Text("name", true);
  library.family = reader.Text("family", true);
  library.title = reader.Text("title", true);
  library.sonames = reader.List("sonames", true);
  library.dlls = reader.List("dlls", false);
  library.own_file_version = reader.Flag("own_file_version", false);
  library.version_symbols = reader.List("version_symbols", false);
  library.version_siblings = reader.List("version_siblings", false);
  library.packages = reader.List("packages", false);
  library.source = reader.Text("source", true);
  if (std::string source = reader.Text("driver", false); !source.empty()) {
    library.opens.push_back({{std::string(kDriver)}, true, std::move(source), "", "", {}, library.line});
  }
  if (std::string source = reader.Text("driver_windows", false); !source.empty()) {
    library.opens_windows.push_back(
        {{std::string(kWindowsDriver)}, true, std::move(source), "", "", {}, library.line, kSystem32.flags});
  }
  for (const toml::table* edge : reader.Tables("opens", false))
    library.opens.push_back(ReadEdge(*edge, false, errors));
  for (const toml::table* edge : reader.Tables("opens_windows", false))
    library.opens_windows.push_back(ReadEdge(*edge, true, errors));
  reader.Finish();
  return library;
}

Data ReadData(const toml::table& root, Errors& errors) {
  Reader reader(root, errors);
  Data data;
  if (const toml::table* table = reader.Table("usual")) {
    Reader usual(*table, errors);
    data.directories = usual.List("directories", true);
    data.python = usual.List("python", true);
    data.windows = usual.List("windows", false);
    data.windows_python = usual.List("windows_python", false);
    usual.Finish();
    for (const Texts* list : {&data.directories, &data.windows}) {
      for (const std::string& path : *list) {
        if (path.front() != '/') errors.Add(LineOf(*table), "directory \"" + path + "\" must be absolute");
      }
    }
    for (const Texts* list : {&data.python, &data.windows_python}) {
      for (const std::string& path : *list) {
        if (path.front() == '/')
          errors.Add(LineOf(*table), "python directory \"" + path + "\" must be relative");
      }
    }
  }
  for (const toml::table* table : reader.Tables("library", true)) {
    data.libraries.push_back(ReadLibrary(*table, errors));
  }
  reader.Finish();
  return data;
}

// --- Checking ---------------------------------------------------------------------------------------------

// lib*.so or lib*.so.*; `tail` becomes what follows ".so", with its dot.
bool LooksLikeLibrary(std::string_view name, std::string_view& tail) {
  const size_t so = name.find(kSo);
  if (!name.starts_with("lib") || so == std::string_view::npos || so <= 3) return false;
  if (name.find_first_of(" /\"\\") != std::string_view::npos) return false;
  tail = name.substr(so + kSo.size());
  return tail.empty() || (tail.front() == '.' && tail.size() > 1);
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

// A file name that ends in ".dll"; with `pattern`, one '*' may stand for its number.
bool LooksLikeDll(std::string_view name, bool pattern) {
  if (name.size() <= kDll.size() || !name.ends_with(kDll)) return false;
  if (name.find_first_of(" /\"\\") != std::string_view::npos) return false;
  return std::count(name.begin(), name.end(), '*') <= (pattern ? 1 : 0);
}

std::string_view StemOf(std::string_view name) { return name.substr(0, name.find(kSo)); }

void CheckName(std::string_view name, const Edge& edge, const Library& library, bool windows,
               Errors& errors) {
  std::string plain;
  for (size_t i = 0; i < name.size();) {
    const size_t close = name[i] == '{' ? name.find('}', i) : std::string_view::npos;
    if (close == std::string_view::npos) {
      plain += name[i++];
      continue;
    }
    const std::string_view key = name.substr(i + 1, close - i - 1);
    if (std::find(kPlaceholders.begin(), kPlaceholders.end(), key) == kPlaceholders.end()) {
      errors.Add(edge.line, "unknown placeholder {" + std::string(key) + "} in " + Quote(name));
    }
    plain += '0';
    i = close + 1;
  }
  if (plain.find_first_of("{}") != std::string::npos) errors.Add(edge.line, "stray brace in " + Quote(name));
  const bool origin = plain.starts_with(kOrigin);
  const std::string_view file = std::string_view(plain).substr(origin ? kOrigin.size() : 0);
  std::string_view tail;
  if (windows ? !LooksLikeDll(file, false) : !LooksLikeLibrary(file, tail)) {
    errors.Add(edge.line, Quote(name) + " is no name of a library");
  }
  const bool itself = windows
                          ? std::find(library.dlls.begin(), library.dlls.end(), file) != library.dlls.end()
                          : StemOf(file) == "lib" + library.name;
  if (itself) errors.Add(edge.line, library.name + " opens itself");
}

void CheckEdge(const Edge& edge, const Library& library, bool windows, Errors& errors) {
  for (const std::string& name : edge.names) CheckName(name, edge, library, windows, errors);
  for (const std::string* version : {&edge.since, &edge.until}) {
    if (!version->empty() && Numbers(*version).empty()) {
      errors.Add(edge.line, Quote(*version) + " is no version");
    }
  }
  if (!edge.since.empty() && !edge.until.empty() && Numbers(edge.since) >= Numbers(edge.until)) {
    errors.Add(edge.line, "since " + edge.since + " is not before until " + edge.until);
  }
  for (const std::string& major : edge.cuda) {
    if (!OnlyOf(major, kDigits)) errors.Add(edge.line, Quote(major) + " is no CUDA major");
  }
}

void CheckLibrary(const Library& library, Errors& errors) {
  if (std::find(kFamilies.begin(), kFamilies.end(), library.family) == kFamilies.end()) {
    errors.Add(library.line, "unknown family " + Quote(library.family));
  }
  for (const std::string& soname : library.sonames) {
    std::string_view tail;
    if (!LooksLikeLibrary(soname, tail) || (!tail.empty() && Numbers(tail.substr(1)).empty())) {
      errors.Add(library.line, Quote(soname) + " does not look like lib*.so or lib*.so.NUMBERS");
    } else if (StemOf(soname) != "lib" + library.name) {
      errors.Add(library.line, Quote(soname) + " does not begin with lib" + library.name + ".so");
    }
  }
  for (const std::string& package : library.packages) {
    if (!OnlyOf(package, "abcdefghijklmnopqrstuvwxyz0123456789_")) {
      errors.Add(library.line, Quote(package) + " is no distribution name in the form of a dist-info folder");
    }
  }
  for (const std::string& dll : library.dlls) {
    if (!LooksLikeDll(dll, true)) errors.Add(library.line, Quote(dll) + " is no name of a DLL");
  }
  if (library.dlls.empty() && !library.opens_windows.empty()) {
    errors.Add(library.line, library.name + " opens DLLs and has none itself");
  }
  for (const Edge& edge : library.opens) CheckEdge(edge, library, false, errors);
  for (const Edge& edge : library.opens_windows) CheckEdge(edge, library, true, errors);
}

void Check(const Data& data, Errors& errors) {
  std::map<std::string, int> sonames;
  std::map<std::string, const Library*> names;
  for (const Library& library : data.libraries) {
    CheckLibrary(library, errors);
    for (const Texts* list : {&library.sonames, &library.dlls}) {
      for (const std::string& soname : *list) {
        const auto [first, fresh] =
            sonames.emplace(list == &library.dlls ? Lower(soname) : soname, library.line);
        if (!fresh) {
          errors.Add(library.line,
                     Quote(soname) + " stands already in line " + std::to_string(first->second));
        }
      }
    }
    const auto [first, fresh] = names.emplace(library.name, &library);
    if (!fresh && (library.own_file_version || first->second->own_file_version)) {
      errors.Add(library.line, "with own_file_version " + library.name + " must have one row");
    }
    if (!fresh && (first->second->family != library.family || first->second->title != library.title)) {
      errors.Add(library.line, "family and title of " + library.name + " differ from those in line " +
                                   std::to_string(first->second->line));
    }
  }
  for (const Library& library : data.libraries) {
    for (const std::string& sibling : library.version_siblings) {
      const bool own =
          std::find(library.sonames.begin(), library.sonames.end(), sibling) != library.sonames.end();
      if (own || sonames.find(sibling) == sonames.end()) {
        errors.Add(library.line, "sibling " + Quote(sibling) + " is not the soname of another library");
      }
    }
  }
}

// --- Writing ----------------------------------------------------------------------------------------------

struct Found {
  size_t row;
  std::vector<uint32_t> version;  // of the soname that the name stands for
  bool exact;
  bool any_version;
};

// Every name that identifies a row: sonames; "libX.so.11" for "libX.so.11.0"; the bare "libX.so" for the
// newest generation, and for any version if the file number differs from the soname; DLLs in lower case.
std::map<std::string, Found> FindableNames(const Data& data) {
  std::map<std::string, Found> names;
  const auto add = [&](const std::string& name, Found found) {
    const auto [at, fresh] = names.emplace(name, found);
    if (fresh || at->second.exact) return;
    if (found.exact || found.version > at->second.version) at->second = found;
  };
  for (size_t row = 0; row < data.libraries.size(); ++row) {
    const Library& library = data.libraries[row];
    for (const std::string& dll : library.dlls) {
      if (dll.find('*') == std::string::npos) add(Lower(dll), {row, {}, true, false});
    }
    for (const std::string& soname : library.sonames) {
      const std::string bare = "lib" + library.name + std::string(kSo);
      const auto version = soname == bare ? std::vector<uint32_t>{} : Numbers(soname.substr(bare.size() + 1));
      add(soname, {row, version, true, false});
      if (!version.empty()) add(bare + "." + std::to_string(version.front()), {row, version, false, false});
      if (soname != bare) add(bare, {row, version, false, library.own_file_version});
    }
  }
  return names;
}

class Writer {
 public:
  std::string Write(const Data& data) {
    std::string rows, names, patterns;
    for (const Library& library : data.libraries) {
      rows += "    {" + Literal(library.name) + ", " + Literal(library.family) + ", " +
              Literal(library.title) + ", " + List(library.sonames) + ", " + List(library.dlls) + ", " +
              List(library.version_symbols) + ", " + List(library.version_siblings) + ", " +
              List(library.packages) + ", " + Edges(library.opens) + ", " + Edges(library.opens_windows) +
              ",\n     " + Literal(library.source) + "},\n";
    }
    for (const auto& [name, found] : FindableNames(data)) {
      names += "    {" + Literal(name) + ", " + std::to_string(found.row) + ", " +
               (found.any_version ? "true" : "false") + "},\n";
    }
    for (size_t row = 0; row < data.libraries.size(); ++row) {
      for (const std::string& dll : data.libraries[row].dlls) {
        const size_t star = dll.find('*');
        if (star == std::string::npos) continue;
        patterns += "    {" + Literal(Lower(dll.substr(0, star))) + ", " +
                    Literal(Lower(dll.substr(star + 1))) + ", " + std::to_string(row) + "},\n";
      }
    }
    Table("edge", "DlopenEdge", "DlopenEdges", edges_,
          "kTexts:names kNumber:optional kText:source kText:since kText:until kTexts:cuda kNumber:flags");
    Table("library", "Library", "Libraries", rows,
          "kText:name kText:family kText:title kTexts:sonames kTexts:dlls kTexts:version_symbols "
          "kTexts:version_siblings kTexts:packages kRows:opens:edge kRows:opens_windows:edge kText:source");
    Table("name", "LibraryName", "LibraryNames", names, "kText:name kPlace:row:library kNumber:any_version");
    Table("dll_pattern", "DllPattern", "DllPatterns", patterns, "kText:front kText:back kPlace:row:library");
    Table("usual", "UsualPlaces", "AllUsualPlaces",
          "    {" + List(data.directories) + ", " + List(data.python) + ", " + List(data.windows) + ", " +
              List(data.windows_python) + "},\n",
          "kTexts:directories kTexts:python kTexts:windows kTexts:windows_python");
    return FileOf("libraries_table.h", lists_ + tables_, functions_, "libraries", all_);
  }

 private:
  // The identifier of an array that holds them, or {} for an empty list.
  std::string List(const Texts& texts) {
    if (texts.empty()) return "{}";
    const std::string name = "k_libraries_list" + std::to_string(lists_written_++);
    lists_ += "constexpr std::string_view " + name + "[] = {";
    for (const std::string& text : texts) lists_ += Literal(text) + ", ";
    lists_ += "};\n";
    return name;
  }

  // They are neighbours in the table of all.
  std::string Edges(const std::vector<Edge>& edges) {
    if (edges.empty()) return "{}";
    const std::string first = std::to_string(edges_written_);
    for (const Edge& edge : edges) {
      edges_ += "    {" + List(edge.names) + ", " + (edge.optional ? "true" : "false") + ",\n     " +
                Literal(edge.source) + ",\n     " + Literal(edge.since) + ", " + Literal(edge.until) + ", " +
                List(edge.cuda) + ", " + std::to_string(edge.flags) + "},\n";
    }
    edges_written_ += edges.size();
    return "{k_edge + " + first + ", " + std::to_string(edges.size()) + "}";
  }

  // `members`: "KIND:MEMBER" or "KIND:MEMBER:KEY" with the key of another table, separated by spaces.
  void Table(const std::string& key, const std::string& type, const std::string& function,
             const std::string& rows, const std::string& members) {
    std::string columns;
    std::istringstream stream(members);
    for (std::string word; stream >> word;) {
      const size_t first = word.find(':'), second = word.find(':', first + 1);
      const std::string kind = word.substr(0, first), member = word.substr(first + 1, second - first - 1);
      const std::string of = second == std::string::npos ? "" : "t_" + word.substr(second + 1);
      if (kind == "kRows") {
        columns += RowsColumn(member, type, member, "DlopenEdge", of, false);
      } else if (kind.starts_with("kText")) {
        columns += TextColumn(member, type, member, kind);
      } else {
        columns += NumberColumn(member, type, member, kind, of.empty() ? "" : ", .of = &" + of);
      }
    }
    // C++ has no empty array.
    if (!rows.empty()) tables_ += "constexpr " + type + " k_" + key + "[] = {\n" + rows + "};\n";
    tables_ += "constexpr Column c_" + key + "[] = {\n" + columns + "};\n" +
               TableOf("t_" + key, "libraries." + key, "c_" + key,
                       "std::span<const " + type + ">(" + (rows.empty() ? "" : "k_" + key) + ")", false);
    functions_ +=
        "std::span<const " + type + "> " + function + "() { return t_" + key + ".rows<" + type + ">(); }\n";
    all_ += "  all.push_back(&t_" + key + ");\n";
  }

  std::string lists_, edges_, tables_, functions_, all_;
  size_t lists_written_ = 0, edges_written_ = 0;
};

}  // namespace

std::string Libraries(const toml::table& root, Errors& errors) {
  const Data data = ReadData(root, errors);
  if (!errors.any()) Check(data, errors);
  if (errors.any()) return "";
  return Writer().Write(data);
}

}  // namespace generate
