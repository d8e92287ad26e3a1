// judge.exe PATH [+DIRECTORY...] {FLAGS NAME}...: shows what the loader really does. Sets PATH, adds the directories as
// os.add_dll_directory does, then calls LoadLibraryEx for each pair. Prints one line each: code, a tab, the loaded file
// (empty if none). It must be in the directory of the program that it stands for.
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>
#include <windows.h>

int wmain(int argc, wchar_t** argv) {
  SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOOPENFILEERRORBOX);
  if (argc < 2) return 64;
  SetEnvironmentVariableW(L"PATH", argv[1]);
  int next = 2;
  for (; next < argc && argv[next][0] == L'+'; ++next) AddDllDirectory(argv[next] + 1);
  for (; next + 1 < argc; next += 2) {
    const HMODULE module = LoadLibraryExW(argv[next + 1], NULL, wcstoul(argv[next], NULL, 0));
    const DWORD code = module == NULL ? GetLastError() : 0;
    wchar_t file[4096] = L"";
    if (module != NULL) GetModuleFileNameW(module, file, 4096);
    wprintf(L"%lu\t%ls\n", (unsigned long)code, file);
    fflush(stdout);
  }
  return 0;
}
