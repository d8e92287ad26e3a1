/* start CLONE ARGUMENTS...: the fast half of ./culprit. Starts the program of the clone; if a source is newer than
   the last successful build, tools/build-program runs first. It checks all sources, as find -newer does, without the
   cost of starting find. Compiled by tools/build-program, which lists the program's sources in ROOTS. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct timespec built;

static int IsNewer(const struct stat* file) {
  return file->st_mtim.tv_sec > built.tv_sec ||
         (file->st_mtim.tv_sec == built.tv_sec && file->st_mtim.tv_nsec > built.tv_nsec);
}

/* Whether `name` in the directory `at`, or anything below it, is newer. Unreadable files are not newer, as for find. */
static int HasNewer(int at, const char* name) {
  struct stat status;
  if (fstatat(at, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return 0;
  if (IsNewer(&status)) return 1;
  if (!S_ISDIR(status.st_mode)) return 0;
  const int opened = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR* const directory = opened < 0 ? NULL : fdopendir(opened);
  if (directory == NULL) return 0;
  int newer = 0;
  for (const struct dirent* entry = readdir(directory); entry != NULL && !newer; entry = readdir(directory)) {
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) newer = HasNewer(opened, entry->d_name);
  }
  closedir(directory);
  return newer;
}

int main(int count, char** arguments) {
  static const char* const kRoots[] = {ROOTS};
  static const char kRebuild[] = "\"$0/tools/build-program\" || exit 2; exec \"$0/build/release/culprit\" \"$@\"";
  if (count < 2) return 2;
  const int clone = open(arguments[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  struct stat stamp;
  int newer = clone < 0 || fstatat(clone, "build/release/.built", &stamp, 0) != 0;
  if (!newer) built = stamp.st_mtim;
  for (size_t i = 0; i < sizeof kRoots / sizeof *kRoots && !newer; ++i) newer = HasNewer(clone, kRoots[i]);
  char program[4096];
  const int length = snprintf(program, sizeof program, "%s/build/release/culprit", arguments[1]);
  if (!newer && length > 0 && (size_t)length < sizeof program) {
    arguments[1] = program;
    execv(program, arguments + 1);
  }
  /* sh -c SCRIPT CLONE ARGUMENTS... */
  char** const shell = calloc((size_t)count + 3, sizeof *shell);
  if (shell == NULL) return 2;
  shell[0] = (char*)"sh";
  shell[1] = (char*)"-c";
  shell[2] = (char*)kRebuild;
  memcpy(shell + 3, arguments + 1, ((size_t)count - 1) * sizeof *shell);
  execv("/bin/sh", shell);
  perror("culprit: /bin/sh");
  return 2;
}
