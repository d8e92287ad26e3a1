// Directories with everything below, by open directories: no link is followed on the way.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "base/text.h"
#include "change/apply/files.h"
#include "change/apply/tree.h"

namespace culprit::apply {
namespace {

using base::ErrorCode;
using base::Fail;
using Kind = Standing::Kind;

Descriptor OpenBelow(int directory, const std::string& name) {
  return Descriptor(openat(directory, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

base::Result<void> CopyDirectory(int from, int to, const std::string& name, const Standing& standing) {
  if (mkdirat(to, name.c_str(), 0700) != 0) return FailedAt(name, errno);
  const Descriptor source = OpenBelow(from, name), copy = OpenBelow(to, name);
  if (!source || !copy) return FailedAt(name, errno);
  if (auto copied = CopyTree(source.get(), copy.get()); !copied) return copied;
  if (standing.user != geteuid() || standing.group != getegid()) {
    if (fchown(copy.get(), standing.user, standing.group) != 0) return FailedAt(name, errno);
  }
  if (fchmod(copy.get(), standing.mode) != 0) return FailedAt(name, errno);
  return GiveTimes(to, name, standing);
}

void HashInto(std::string& all, int directory, const std::string& above) {
  const auto names = NamesIn(directory);
  if (!names) return;
  for (const std::string& name : *names) {
    if (name == "__pycache__" || name.ends_with(".pyc") || name.starts_with(".culprit-")) continue;
    const auto standing = LookAt(directory, name);
    if (!standing) continue;
    all += above + name + '\0' + std::to_string(static_cast<int>(standing->kind)) + '\0';
    if (standing->kind == Kind::kDirectory) {
      HashInto(all, OpenBelow(directory, name).get(), above + name + "/");
      continue;
    }
    all += std::to_string(standing->size) + '.' + std::to_string(standing->seconds) + '.' +
           std::to_string(standing->nanoseconds) + '\0' + standing->target + '\0';
  }
}

}  // namespace

base::Result<void> CopyTree(int from, int to) {
  const auto names = NamesIn(from);
  if (!names) return std::unexpected(names.error());
  for (const std::string& name : *names) {
    const auto standing = LookAt(from, name);
    if (!standing) return std::unexpected(standing.error());
    switch (standing->kind) {
      case Kind::kDirectory:
        if (auto copied = CopyDirectory(from, to, name, *standing); !copied) return copied;
        break;
      case Kind::kLink:
        if (auto made = LinkNew(to, name, *standing); !made) return made;
        if (auto timed = GiveTimes(to, name, *standing); !timed) return timed;
        break;
      case Kind::kFile:
        if (linkat(from, name.c_str(), to, name.c_str(), 0) != 0) {
          std::string hash;
          if (auto copied = CopyNew(from, name, to, name, *standing, hash); !copied) return copied;
          if (auto timed = GiveTimes(to, name, *standing); !timed) return timed;
        }
        break;
      case Kind::kSpecial:
        return Fail(ErrorCode::kUnsupported, name + ": a device, pipe or socket");
      case Kind::kAbsent:  // went away in between
        break;
    }
  }
  return {};
}

base::Result<void> MoveInto(int from, int to) {
  const auto names = NamesIn(from);
  if (!names) return std::unexpected(names.error());
  for (const std::string& name : *names) {
    const auto one = LookAt(from, name), other = LookAt(to, name);
    if (!one || !other) return std::unexpected((one ? other : one).error());
    if (one->kind == Kind::kDirectory && other->kind == Kind::kDirectory) {
      if (auto moved = MoveInto(OpenBelow(from, name).get(), OpenBelow(to, name).get()); !moved) return moved;
      continue;
    }
    if (other->kind != Kind::kAbsent) {
      if (auto gone = RemoveAll(to, name); !gone) return gone;
    }
    if (renameat(from, name.c_str(), to, name.c_str()) != 0) return FailedAt(name, errno);
  }
  return {};
}

base::Result<void> RemoveBelow(int top, const std::string& path) {
  const std::vector<std::string> parts = base::SplitWords(path, "/");
  if (path.starts_with('/') || parts.empty())
    return Fail(ErrorCode::kBadFormat, path + ": a symlink points outside");
  std::vector<Descriptor> way;
  way.emplace_back(dup(top));
  for (size_t i = 0; i + 1 < parts.size(); ++i) {
    if (parts[i] == "..") return Fail(ErrorCode::kBadFormat, path + ": a symlink points outside");
    Descriptor next = OpenBelow(way.back().get(), parts[i]);
    if (!next && errno == ENOENT) return {};
    if (!next) return FailedAt(path, errno);
    way.push_back(std::move(next));
  }
  const std::string& name = parts.back();
  if (name == ".." || (unlinkat(way.back().get(), name.c_str(), 0) != 0 && errno != ENOENT))
    return FailedAt(path, errno);
  if (name.ends_with(".py")) {
    const std::string stem = name.substr(0, name.size() - 2);
    const Descriptor compiled = OpenBelow(way.back().get(), "__pycache__");
    const auto names = compiled ? NamesIn(compiled.get()) : std::vector<std::string>{};
    if (names) {
      for (const std::string& each : *names) {
        if (each.starts_with(stem)) unlinkat(compiled.get(), each.c_str(), 0);
      }
    }
    unlinkat(way.back().get(), "__pycache__", AT_REMOVEDIR);
  }
  for (size_t i = parts.size() - 1; i > 0; --i) {
    if (unlinkat(way[i - 1].get(), parts[i - 1].c_str(), AT_REMOVEDIR) != 0) break;  // others are in it
  }
  return {};
}

std::string HashOfTree(int top) {
  std::string all;
  HashInto(all, top, "");
  return HashOf(all);
}

}  // namespace culprit::apply
