// Any bytes survive a word of the protocol, and what was not written by it is refused.
#include <gtest/gtest.h>

#include "probe/host/protocol.h"

namespace culprit::probe {
namespace {

TEST(ProtocolWords, EveryByteComesBack) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  for (const std::string& word :
       {all, std::string(), std::string("%"), std::string(" a b "), std::string("/usr/lib/x.so")}) {
    const std::string encoded = EncodeWord(word);
    EXPECT_EQ(encoded.find_first_of(" \n\t"), std::string::npos);
    EXPECT_EQ(DecodeWord(encoded), word);
  }
}

TEST(ProtocolWords, ALineIsItsTagAndItsWords) {
  EXPECT_EQ(EncodeLine("failed", {"CUDA_ERROR_NO_DEVICE", "cuInit", "no device", ""}),
            "failed CUDA_ERROR_NO_DEVICE cuInit no%20device %\n");
  EXPECT_EQ(EncodeLine("done"), "done\n");
}

TEST(ProtocolWords, WhatNobodyEncodedIsRefused) {
  for (const char* word : {"", "%2", "%zz", "%2f", "a b", "\n", "caf\xc3\xa9", "50%"})
    EXPECT_EQ(DecodeWord(word), std::nullopt) << word;
}

}  // namespace
}  // namespace culprit::probe
