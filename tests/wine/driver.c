// Runs under Wine and executes a plan: one operation per line, fields separated by tabs. For every load it
// prints the result and which files of the trees are loaded afterwards. Trees share a process unless they
// differ in something that cannot be reverted; "tree" starts the next one with everything reset.
//
//   tree NAME                cd DIR                 path VALUE            dlldir DIR (empty: no current directory)
//   adddir DIR               removedir DIR          defaults HEX          load HEX NAME
//   function PATH NAME       run PATH               safe 0 or 1 (SafeDllSearchMode, for processes to come)
#define _WIN32_WINNT 0x0602
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include <psapi.h>

#define MAX_LOADED 256
static HMODULE loaded[MAX_LOADED];
static int loaded_count;
static struct {
  char name[MAX_PATH];
  DLL_DIRECTORY_COOKIE cookie;
} added[64];
static int added_count;
static char first_directory[MAX_PATH], first_path[32768];
static char tree_name[64];

static wchar_t *Wide(const char *text) {
  static wchar_t wide[32768];
  MultiByteToWideChar(CP_UTF8, 0, text, -1, wide, 32768);
  return wide;
}

static void PrintModules(void) {
  HMODULE modules[1024];
  DWORD size = 0;
  if (!K32EnumProcessModules(GetCurrentProcess(), modules, sizeof(modules), &size)) return;
  for (DWORD i = 0; i < size / sizeof(HMODULE); ++i) {
    char path[1024];
    if (!GetModuleFileNameA(modules[i], path, sizeof(path))) continue;
    const char *base = strrchr(path, '\\');
    if (base != NULL && _strnicmp(base + 1, tree_name, strlen(tree_name)) == 0) printf("module\t%s\n", path);
  }
}

static void Reset(void) {
  while (loaded_count > 0) FreeLibrary(loaded[--loaded_count]);
  while (added_count > 0) RemoveDllDirectory(added[--added_count].cookie);
  SetDllDirectoryA(NULL);
  SetCurrentDirectoryA(first_directory);
  SetEnvironmentVariableA("PATH", first_path);
}

static void Load(const char *flags, const char *name) {
  SetLastError(0);
  HMODULE module = LoadLibraryExW(Wide(name), NULL, strtoul(flags, NULL, 16));
  if (module == NULL) {
    printf("error\t%lu\n", GetLastError());
  } else {
    char path[1024] = "";
    GetModuleFileNameA(module, path, sizeof(path));
    printf("loaded\t%s\n", path);
    if (loaded_count < MAX_LOADED) loaded[loaded_count++] = module;
  }
  PrintModules();
}

static void Run(const char *path) {
  STARTUPINFOA startup = {.cb = sizeof(startup)};
  PROCESS_INFORMATION process;
  if (!CreateProcessA(path, NULL, NULL, NULL, FALSE, 0, NULL, NULL, &startup, &process)) {
    printf("error\t%lu\n", GetLastError());
    return;
  }
  DWORD code = 0;
  WaitForSingleObject(process.hProcess, 30000);
  GetExitCodeProcess(process.hProcess, &code);
  printf("exit\t%08lx\n", code);
  CloseHandle(process.hThread);
  CloseHandle(process.hProcess);
}

static void Do(char *line) {
  char *fields[3] = {line, "", ""};
  for (int i = 1; i < 3; ++i) {
    char *tab = strchr(fields[i - 1], '\t');
    if (tab == NULL) break;
    *tab = '\0';
    fields[i] = tab + 1;
  }
  if (strcmp(fields[0], "tree") == 0) {
    Reset();
    snprintf(tree_name, sizeof(tree_name), "%s_", fields[1]);
    printf("tree\t%s\n", fields[1]);
  } else if (strcmp(fields[0], "cd") == 0) {
    SetCurrentDirectoryA(fields[1]);
  } else if (strcmp(fields[0], "path") == 0) {
    SetEnvironmentVariableA("PATH", fields[1]);
  } else if (strcmp(fields[0], "dlldir") == 0) {
    SetDllDirectoryA(fields[1]);
  } else if (strcmp(fields[0], "adddir") == 0) {
    DLL_DIRECTORY_COOKIE cookie = AddDllDirectory(Wide(fields[1]));
    if (cookie == NULL || added_count == 64) return;
    strncpy(added[added_count].name, fields[1], MAX_PATH - 1);
    added[added_count++].cookie = cookie;
  } else if (strcmp(fields[0], "removedir") == 0) {
    for (int i = 0; i < added_count; ++i) {
      if (strcmp(added[i].name, fields[1]) != 0) continue;
      RemoveDllDirectory(added[i].cookie);
      added[i] = added[--added_count];
      break;
    }
  } else if (strcmp(fields[0], "defaults") == 0) {
    SetDefaultDllDirectories(strtoul(fields[1], NULL, 16));
  } else if (strcmp(fields[0], "load") == 0) {
    Load(fields[1], fields[2]);
  } else if (strcmp(fields[0], "function") == 0) {
    HMODULE module = GetModuleHandleA(fields[1]);
    const char *name = fields[2][0] == '#' ? (const char *)(ULONG_PTR)atoi(fields[2] + 1) : fields[2];
    printf("function\t%d\n", module != NULL && GetProcAddress(module, name) != NULL);
  } else if (strcmp(fields[0], "run") == 0) {
    Run(fields[1]);
  } else if (strcmp(fields[0], "safe") == 0) {
    const DWORD value = (DWORD)atoi(fields[1]);
    RegSetKeyValueA(HKEY_LOCAL_MACHINE, "SYSTEM\\CurrentControlSet\\Control\\Session Manager", "SafeDllSearchMode",
                    REG_DWORD, &value, sizeof(value));
  }
}

int main(int argc, char **argv) {
  static char line[65536];
  if (argc != 2) return 2;
  FILE *plan = fopen(argv[1], "rb");
  if (plan == NULL) return 3;
  SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX);
  GetCurrentDirectoryA(sizeof(first_directory), first_directory);
  GetEnvironmentVariableA("PATH", first_path, sizeof(first_path));
  while (fgets(line, sizeof(line), plan) != NULL) {
    line[strcspn(line, "\r\n")] = '\0';
    if (line[0] != '\0') Do(line);
  }
  puts("end");
  return 0;
}
