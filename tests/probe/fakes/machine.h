// The made-up machine that libcuda and NVML agree on:
//
//   FAKE_CUDA_DEVICES=1           number of devices
//   FAKE_CUDA_TOTAL, _FREE        bytes of memory; default for free (of device 0): total - holder - 512 MiB
//   FAKE_CUDA_HOLDER=pid:bytes:name   another process, on device 0
//   FAKE_CUDA_MODE=default | exclusive-process | prohibited
//   FAKE_CUDA_MIG=on, FAKE_CUDA_ECC=off, FAKE_CUDA_ECC_ERRORS=0
//   FAKE_CUDA_DRIVER=13000        what cuDriverGetVersion and NVML say
//   FAKE_CUDA_CAPABILITY=90
#pragma once

#include "misbehave.h"

#define FAKE_MOST_DEVICES 16
#define FAKE_CONTEXT_BYTES (300ull << 20)  // what a context takes, as with a real driver

FAKE_OWN int fake_devices(void) {
  const unsigned long long n = fake_number("FAKE_CUDA_DEVICES", 1);
  return n > FAKE_MOST_DEVICES ? FAKE_MOST_DEVICES : (int)n;
}

FAKE_OWN unsigned long long fake_total(void) { return fake_number("FAKE_CUDA_TOTAL", 80ull << 30); }

struct fake_holder {
  unsigned pid;
  unsigned long long bytes;
  char name[64];
};

// 0: none.
FAKE_OWN int fake_find_holder(int device, struct fake_holder* holder) {
  const char* text = getenv("FAKE_CUDA_HOLDER");
  char* end;
  memset(holder, 0, sizeof *holder);
  if (device != 0 || text == NULL || *text == 0) return 0;
  holder->pid = (unsigned)strtoul(text, &end, 10);
  if (*end == ':') holder->bytes = strtoull(end + 1, &end, 10);
  if (*end == ':') snprintf(holder->name, sizeof holder->name, "%s", end + 1);
  return 1;
}

FAKE_OWN unsigned long long fake_free(int device) {
  struct fake_holder holder;
  fake_find_holder(device, &holder);
  const unsigned long long total = fake_total(), taken = holder.bytes + (512ull << 20);
  const unsigned long long left = total > taken ? total - taken : 0;
  return device == 0 ? fake_number("FAKE_CUDA_FREE", left) : left;
}

// NVML's and cuDeviceGetAttribute's numbers: 0 default, 2 prohibited, 3 exclusive process.
FAKE_OWN int fake_mode(void) {
  const char* mode = getenv("FAKE_CUDA_MODE");
  if (mode == NULL) return 0;
  return strcmp(mode, "prohibited") == 0 ? 2 : strcmp(mode, "exclusive-process") == 0 ? 3 : 0;
}

FAKE_OWN void fake_uuid(int device, unsigned char bytes[16]) {
  for (int i = 0; i < 16; ++i) bytes[i] = (unsigned char)(0x11 * (device + 1) + i);
}

FAKE_OWN void fake_uuid_text(int device, char text[41]) {
  unsigned char b[16];
  fake_uuid(device, b);
  snprintf(text, 41, "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1],
           b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
}

FAKE_OWN int fake_bus(int device) { return 0x19 + device; }
FAKE_OWN int fake_capability(void) { return (int)fake_number("FAKE_CUDA_CAPABILITY", 90); }
FAKE_OWN int fake_driver(void) { return (int)fake_number("FAKE_CUDA_DRIVER", 13000); }
#define FAKE_DEVICE_NAME "Fake H200"
