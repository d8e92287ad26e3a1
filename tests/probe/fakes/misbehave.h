// Shared by all fake libraries: the environment variable that makes a function misbehave on purpose.
//
//   FAKE_CUDA="cuInit=100,cudnnCreate=hang"
//
// N returns that status; crash, abort, exit, oom-kill, hang (asleep in libc), spin (busy in the library),
// stop (SIGSTOP), print (text on stdout and stderr), flood (2 MiB of it), garbage (nonsense into every open
// file above 2), fork (leaves a child that keeps every pipe open), slow (0.3 s late), wrong (does its work
// and spoils the result). Header only, so that a crash happens in the library whose function was called.
#pragma once

#include "platform.h"

// The word after "function=", or "" if the variable does not name the function.
FAKE_OWN void fake_wish(const char* function, char* word, size_t size) {
  const char* at = getenv("FAKE_CUDA");
  const size_t length = strlen(function);
  word[0] = 0;
  while (at != NULL && *at != 0) {
    const size_t item = strcspn(at, ",");
    if (item > length && strncmp(at, function, length) == 0 && at[length] == '=') {
      size_t n = item - length - 1;
      if (n >= size) n = size - 1;
      memcpy(word, at + length + 1, n);
      word[n] = 0;
      return;
    }
    at += item;
    if (*at == ',') ++at;
  }
}

static volatile int* volatile fake_nowhere;

FAKE_OWN void fake_crash(void) { *fake_nowhere = 1; }

// Returns the status that the function must return at once, or 0: continue.
FAKE_OWN int fake_misbehave(const char* function) {
  char word[32];
  fake_wish(function, word, sizeof word);
  if (word[0] == 0 || strcmp(word, "wrong") == 0) return 0;
  if (word[0] >= '0' && word[0] <= '9') return atoi(word);
  if (strcmp(word, "crash") == 0) fake_crash();
  if (strcmp(word, "abort") == 0) {
    fake_write(2, "fake: terminate called on purpose\n");
    abort();
  }
  if (strcmp(word, "exit") == 0) fake_end();
  if (strcmp(word, "slow") == 0) fake_sleep(0.3);
  while (strcmp(word, "hang") == 0) fake_sleep(1);
  while (strcmp(word, "spin") == 0) fake_nowhere = NULL;
  if (strcmp(word, "print") == 0 || strcmp(word, "flood") == 0) {
    static char line[] = "ok fake%20text%20that%20looks%20like%20the%20protocol\ndone\n\x01\xff noise\n";
    const int times = word[0] == 'p' ? 1 : 2 * 1024 * 1024 / (int)sizeof line;
    for (int i = 0; i < times; ++i) {
      fputs(line, stdout);
      fputs(line, stderr);
    }
    fflush(stdout);
  }
  fake_ways_of_linux(word);
  return 0;
}

FAKE_OWN int fake_is_wrong(const char* function) {
  char word[32];
  fake_wish(function, word, sizeof word);
  return strcmp(word, "wrong") == 0;
}

FAKE_OWN unsigned long long fake_number(const char* variable, unsigned long long otherwise) {
  const char* text = getenv(variable);
  return text != NULL && *text != 0 ? strtoull(text, NULL, 10) : otherwise;
}

// At the top of each function.
#define MISBEHAVE()                                    \
  do {                                                 \
    const int fake_status_ = fake_misbehave(__func__); \
    if (fake_status_ != 0) return fake_status_;        \
  } while (0)
#define WRONG() fake_is_wrong(__func__)
