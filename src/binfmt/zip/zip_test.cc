// Archives made by Python's zipfile, the reference here, and corrupted by hand.
#include "binfmt/zip/zip.h"

#include <gtest/gtest.h>

#include <random>

#include "binfmt/testing/host.h"

namespace culprit::binfmt {
namespace {

std::string ReadPart(const base::ByteSource& source, uint64_t offset, size_t size) {
  std::string bytes(size, '\0');
  const auto count = source.ReadAt(offset, std::as_writable_bytes(std::span(bytes)));
  if (!count) return "error: " + count.error().message;
  bytes.resize(*count);
  return bytes;
}

class Zip : public ::testing::Test {
 protected:
  std::string Make(const std::string& script) {
    std::string bytes = testing::ZipMadeBy("import zipfile, random\n" + script, directory_);
    EXPECT_FALSE(bytes.empty());
    return bytes;
  }

  testing::TemporaryDirectory directory_;
};

const ZipMember& Named(const std::vector<ZipMember>& members, const std::string& name) {
  for (const ZipMember& member : members) {
    if (member.name == name) return member;
  }
  throw std::runtime_error("no member " + name);
}

TEST_F(Zip, ReadsStoredAndDeflatedMembers) {
  const std::string bytes = Make(R"py(
with zipfile.ZipFile('out.zip', 'w') as z:
    z.writestr('plain.txt', 'hello')
    z.writestr('pressed.txt', 'ha' * 1000, zipfile.ZIP_DEFLATED)
    z.writestr('empty', '')
    z.comment = b'a comment'
)py");
  const base::MemorySource source(std::as_bytes(std::span(bytes)));
  const auto members = ReadZip(source);
  ASSERT_TRUE(members) << members.error().message;
  ASSERT_EQ(members->size(), 3u);
  EXPECT_EQ(ReadPart(**OpenZipMember(source, Named(*members, "plain.txt")), 0, 99), "hello");
  EXPECT_EQ(ReadPart(**OpenZipMember(source, Named(*members, "pressed.txt")), 1996, 99), "haha");
  EXPECT_EQ(ReadPart(**OpenZipMember(source, Named(*members, "empty")), 0, 1), "");
}

TEST_F(Zip, ReadsAtAnyOffsetInAnyOrder) {
  const std::string bytes = Make(R"py(
random.seed(7)
data = b''.join(random.choice([b'CUDA' * 8, b'cuDNN' * 9, random.randbytes(60)]) for _ in range(320000))
open('data', 'wb').write(data)
with zipfile.ZipFile('out.zip', 'w', zipfile.ZIP_DEFLATED) as z:
    z.writestr('data', data)
)py");
  const std::string data = testing::ReadAll(directory_.path() + "/data");
  ASSERT_GT(data.size(), 12u << 20);  // several points to resume from
  const base::MemorySource source(std::as_bytes(std::span(bytes)));
  const auto members = ReadZip(source);
  ASSERT_TRUE(members);
  const auto member = OpenZipMember(source, members->front());
  ASSERT_TRUE(member);
  std::mt19937_64 random(3);
  for (int i = 0; i < 60; ++i) {
    const size_t offset = i == 0 ? data.size() - 10 : random() % data.size(), size = random() % 70000;
    ASSERT_EQ(ReadPart(**member, offset, size), data.substr(offset, size)) << offset;
  }
}

TEST_F(Zip, UnderstandsZip64) {
  const std::string bytes = Make(R"py(
with zipfile.ZipFile('out.zip', 'w', zipfile.ZIP_DEFLATED) as z:
    with z.open('big', 'w', force_zip64=True) as f:
        f.write(b'x' * 100)
    for i in range(65536):
        z.writestr(str(i), b'')
)py");
  const base::MemorySource source(std::as_bytes(std::span(bytes)));
  const auto members = ReadZip(source);
  ASSERT_TRUE(members) << members.error().message;
  EXPECT_EQ(members->size(), 65537u);
  EXPECT_EQ(ReadPart(**OpenZipMember(source, members->front()), 90, 20), std::string(10, 'x'));
}

TEST_F(Zip, DamageIsAnErrorAndNeverACrash) {
  const std::string whole = Make(R"py(
with zipfile.ZipFile('out.zip', 'w', zipfile.ZIP_DEFLATED) as z:
    for i in range(5):
        z.writestr('m%d' % i, random.Random(i).randbytes(3000) + b'y' * 3000)
)py");
  std::mt19937_64 random(1);
  size_t refused = 0;
  for (int i = 0; i < 2000; ++i) {
    std::string bytes = whole;
    if (i % 2 == 0) bytes.resize(random() % bytes.size());
    for (int flips = 0; flips < 4 && !bytes.empty(); ++flips)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    const base::MemorySource source(std::as_bytes(std::span(bytes)));
    const auto members = ReadZip(source);
    if (!members) {
      ++refused;
      continue;
    }
    for (const ZipMember& member : *members) {
      const auto opened = OpenZipMember(source, member);
      if (opened) ReadPart(**opened, member.size / 2, 100);
    }
  }
  EXPECT_GT(refused, 900u);
}

TEST_F(Zip, RefusesWhatIsNoArchive) {
  const std::string text = "PK\x03\x04 but nothing else, and long enough for an end record";
  const base::MemorySource source(std::as_bytes(std::span(text)));
  const auto members = ReadZip(source);
  ASSERT_FALSE(members);
  EXPECT_EQ(members.error().message, "no end record: not an archive, or truncated");
}

}  // namespace
}  // namespace culprit::binfmt
