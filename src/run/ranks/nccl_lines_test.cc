#include "run/ranks/nccl_lines.h"

#include <gtest/gtest.h>

namespace culprit::ranks {
namespace {

using report::WaitKind;

TEST(NcclLines, WhatItSaysAtItsStart) {
  const NcclLines lines = ReadNcclLines(
      "n1:42:42 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>\n"
      "NCCL version 2.21.5+cuda12.4\n"
      "n1:42:77 [0] NCCL INFO Using network IB\n"
      "n1:42:77 [0] NCCL INFO ncclCommInitRank comm 0x55 rank 0 nranks 8 cudaDev 0 nvmlDev 3 busId 18000 "
      "commId "
      "0xab - Init START\n"
      "n1:42:77 [0] NCCL INFO ncclCommSplit comm 0x66 rank 0 nranks 4 cudaDev 0 nvmlDev 3 busId 18000 parent "
      "0x55 "
      "color 1 key 0- Init START\n");
  EXPECT_EQ(lines.version, "2.21.5+cuda12.4");
  EXPECT_EQ(lines.network, "IB");
  EXPECT_EQ(lines.buses, std::vector<std::string>{"18000"});
  EXPECT_TRUE(lines.waits.empty());
}

TEST(NcclLines, CollectivesThatTimedOut) {
  const NcclLines lines = ReadNcclLines(
      "[rank3]:[E1118 20:27:21.4 ProcessGroupNCCL.cpp:629] [Rank 3] Watchdog caught collective operation "
      "timeout: "
      "WorkNCCL(SeqNum=12, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600081 "
      "milliseconds "
      "before timing out.\n"
      "[rank3]: what():  [PG ID 0 PG GUID 0(default_pg) Rank 3] Watchdog caught collective operation "
      "timeout: "
      "WorkNCCL(SeqNum=12, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600081 "
      "milliseconds\n"
      "[PG ID 1 PG GUID 1 Rank 3] Watchdog caught collective operation timeout: WorkNCCL(OpType=BROADCAST, "
      "Timeout(ms)=1800000) ran for 1804406 milliseconds before timing out.\n");
  ASSERT_EQ(lines.waits.size(), 2u);
  EXPECT_EQ(lines.waits[0], (Wait{WaitKind::kTimedOut, "ALLREDUCE", 12, "", 600081}));
  EXPECT_EQ(lines.waits[1], (Wait{WaitKind::kTimedOut, "BROADCAST", 0, "ID 1 PG GUID 1", 1804406}));
}

TEST(NcclLines, TheLastCollectiveThatBegan) {
  const NcclLines lines = ReadNcclLines(
      "n1:42:42 [0] NCCL INFO Broadcast: opCount 0 sendbuff 0x7f recvbuff 0x7f count 8 datatype 0 op 0 root "
      "0\n"
      "n1:42:42 [0] NCCL INFO AllReduce: opCount 1f sendbuff 0x7f recvbuff 0x7f count 8 datatype 7 op 0 root "
      "0\n");
  ASSERT_EQ(lines.waits.size(), 1u);
  EXPECT_EQ(lines.waits[0], (Wait{WaitKind::kBegun, "AllReduce", 31, "", 0}));
}

TEST(NcclLines, OtherTextIsSilent) {
  const NcclLines lines = ReadNcclLines(
      "NCCL version \nNCCL\n busId 7 NCCL\nNCCL : opCount  sendbuff \n"
      "Watchdog caught collective operation timeout: WorkNCCL(\nNCCL version unknown");
  EXPECT_EQ(lines.version, "");
  EXPECT_TRUE(lines.buses.empty());
  EXPECT_TRUE(lines.waits.empty());
}

}  // namespace
}  // namespace culprit::ranks
