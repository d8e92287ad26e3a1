// What the templates (library.c, program.c) and the stamper agree on.
#pragma once

// Private dynamic tag of a stamped library: the offset of CallDlopen.
#define GOLD_CODE_TAG 0x6000c0de
