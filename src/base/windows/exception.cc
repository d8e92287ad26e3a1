#include "base/windows/exception.h"

#include <fmt/format.h>

namespace culprit::base {

std::string WindowsExceptionName(uint32_t code) {
  switch (code) {
    case 0xC0000005:
      return "EXCEPTION_ACCESS_VIOLATION";
    case 0xC0000006:
      return "EXCEPTION_IN_PAGE_ERROR";
    case 0xC000001D:
      return "EXCEPTION_ILLEGAL_INSTRUCTION";
    case 0xC0000094:
      return "EXCEPTION_INT_DIVIDE_BY_ZERO";
    case 0xC00000FD:
      return "EXCEPTION_STACK_OVERFLOW";
    case 0xC0000135:
      return "STATUS_DLL_NOT_FOUND";
    case 0xC0000139:
      return "STATUS_ENTRYPOINT_NOT_FOUND";
    case 0xC000007B:
      return "STATUS_INVALID_IMAGE_FORMAT";
    case 0xC0000142:
      return "STATUS_DLL_INIT_FAILED";
    case 0xC0000374:
      return "STATUS_HEAP_CORRUPTION";
    case 0xC0000409:
      return "STATUS_STACK_BUFFER_OVERRUN";
    case 0x80000003:
      return "EXCEPTION_BREAKPOINT";
    case 0xE06D7363:
      return "C++ exception";
    default:
      return fmt::format("0x{:08X}", code);
  }
}

}  // namespace culprit::base
