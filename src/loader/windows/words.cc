#include "loader/windows/words.h"

#include "base/text.h"
#include "base/windows/path.h"
#include "loader/windows/candidate.h"
#include "loader/windows/windows.h"

namespace culprit::loader {
namespace {

std::string Bracket(const WindowsFailure& failure, std::string what) {
  if (!failure.importer.empty()) what += ", needed by " + base::ToWindowsPath(failure.importer);
  return " (" + what + ")";
}

}  // namespace

std::string LoadLibraryWords(const WindowsFailure& failure) {
  const std::string file = base::ToWindowsPath(failure.file);
  const std::string error = "error " + std::to_string(failure.code) + ": ";
  switch (failure.code) {
    case kErrorModuleNotFound:
      return error + "The specified module could not be found" + Bracket(failure, file);
    case kErrorProcedureNotFound:
      return error + "The specified procedure could not be found" +
             Bracket(failure, failure.function + " in " + file);
    case kErrorInvalidOrdinal:
      return error + "The operating system cannot run " + file +
             Bracket(failure, "it lacks the ordinal " + failure.function);
    case kErrorBadExeFormat:
      return error + file + " is not a valid Win32 application" +
             (failure.importer.empty() ? "" : " (needed by " + base::ToWindowsPath(failure.importer) + ")");
    case kErrorInvalidParameter:
      return error + "The parameter is incorrect" + Bracket(failure, file);
    case kErrorAccessDenied:
      return error + "Access is denied" + Bracket(failure, file);
    default:
      return error + "The file cannot be read" + Bracket(failure, file);
  }
}

std::string StartWords(const WindowsFailure& failure) {
  const std::string file = base::ToWindowsPath(failure.file);
  switch (failure.code) {
    case kErrorModuleNotFound:
      return "The code execution cannot proceed because " + std::string(base::BaseName(failure.file)) +
             " was not found. (0xC0000135" +
             (failure.importer.empty() ? "" : "; needed by " + base::ToWindowsPath(failure.importer)) + ")";
    case kErrorProcedureNotFound:
      return "The procedure entry point " + failure.function +
             " could not be located in the dynamic link library " + file + ". (0xC0000139; needed by " +
             base::ToWindowsPath(failure.importer) + ")";
    case kErrorInvalidOrdinal:
      return "The ordinal " + failure.function.substr(1) +
             " could not be located in the dynamic link library " + file + ". (0xC0000138; needed by " +
             base::ToWindowsPath(failure.importer) + ")";
    case kErrorBadExeFormat:
      return "The application was unable to start correctly (0xC000007B): " + file +
             " is either not designed to run on Windows or it contains an error.";
    default:
      return "The application was unable to start correctly: " + file + " cannot be read. (0xC0000022)";
  }
}

}  // namespace culprit::loader
