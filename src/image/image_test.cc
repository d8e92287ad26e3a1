#include "image/image.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "image/test_image.h"

namespace culprit::image {
namespace {

class TextStream final : public base::ByteStream {
 public:
  explicit TextStream(std::string text) : text_(std::move(text)) {}
  base::Result<size_t> Read(std::span<char> out) override {
    const size_t n = std::min({out.size(), text_.size() - at_, size_t{777}});
    std::copy_n(text_.data() + at_, n, out.data());
    at_ += n;
    return n;
  }

 private:
  std::string text_;
  size_t at_ = 0;
};

base::Result<Image> Streamed(const std::string& archive) {
  return OpenImage(std::make_unique<TextStream>(archive), {});
}

std::string ErrorOf(const base::Result<Image>& image) { return image ? "" : image.error().message; }

std::string ProblemOf(const base::Result<Image>& image, size_t layer) {
  if (!image) return "error: " + image.error().message;
  return image->layers.at(layer).problem ? image->layers[layer].problem->message : "";
}

std::vector<std::string> ThreeLayers() {
  return {TestTar().File("etc/a", "base").bytes(), Gzipped(TestTar().File("etc/b", "gzip").bytes()),
          Zstandard(TestTar().File("etc/c", "zstd").bytes())};
}

TEST(Image, ReadsDockerAndOciArchivesWithLayersOfEveryKind) {
  for (const std::string& archive : {OciArchive(ThreeLayers()), DockerArchive(ThreeLayers())}) {
    for (const auto& image :
         {Opened(archive), Streamed(archive), Opened(Gzipped(archive)), Opened(Zstandard(archive))}) {
      ASSERT_TRUE(image) << image.error().message;
      ASSERT_EQ(image->layers.size(), 3u);
      for (size_t i = 0; i < 3; ++i) EXPECT_EQ(ProblemOf(image, i), "");
      EXPECT_EQ(Text(*image, "/etc/a") + Text(*image, "/etc/b") + Text(*image, "/etc/c"), "basegzipzstd");
      EXPECT_EQ(image->machine->Environment().at("A"), "1");
      EXPECT_EQ(image->machine->WorkingDirectory(), "/w");
    }
  }
}

TEST(Image, AnExportedRootIsAnImageOfOneLayer) {
  const std::string root = TestTar().Directory("./").Directory("./etc/").File("./usr/x", "1").bytes();
  for (const auto& image : {Opened(root), Opened(Gzipped(root)), Streamed(root)}) {
    ASSERT_TRUE(image) << image.error().message;
    EXPECT_EQ(Text(*image, "/usr/x"), "1");
  }
  EXPECT_EQ(ErrorOf(Opened(TestTar().File("a", "").bytes())),
            "/image.tar: neither an image (no manifest.json, no index.json) nor a root file system");
}

TEST(Image, PlatformIsChosenFromAnIndex) {
  TestLayout layout;
  const auto config = [](const std::string& cpu) {
    return R"({"os":"linux","architecture":")" + cpu + "\"}";
  };
  const auto descriptor = [](const std::string& digest, const std::string& cpu) {
    return TestLayout::Descriptor(digest, R"(,"platform":{"os":"linux","architecture":")" + cpu + "\"}");
  };
  const std::string one = layout.Image({TestTar().File("x", "amd").bytes()}, config("amd64"));
  const std::string two = layout.Image({TestTar().File("x", "arm").bytes()}, config("arm64"));
  const std::string note = layout.Image({}, "{}");
  const std::string inner = layout.Blob(
      layout.Index(descriptor(one, "amd64") + "," + descriptor(two, "arm64") + "," +
                   TestLayout::Descriptor(note, R"(,"platform":{"os":"unknown","architecture":"unknown"})") +
                   "," + descriptor("sha256:" + std::string(64, '0'), "s390x")));
  const std::string archive = layout.Finished(layout.Index(TestLayout::Descriptor(inner)));
  EXPECT_EQ(ErrorOf(Opened(archive)),
            "/image.tar: contains 2 images (linux/amd64, linux/arm64); choose one with --platform");
  const auto image = Opened(archive, {.platform = *ParsePlatform("linux/arm64")});
  ASSERT_TRUE(image) << image.error().message;
  EXPECT_EQ(Text(*image, "/x"), "arm");
  EXPECT_EQ(image->config.platform.ToString(), "linux/arm64");
  EXPECT_EQ(ErrorOf(Opened(archive, {.platform = *ParsePlatform("linux/ppc64le")})),
            "/image.tar: no image for linux/ppc64le; contains linux/amd64, linux/arm64");
  EXPECT_EQ(ErrorOf(Opened(DockerArchive({}), {.platform = *ParsePlatform("linux/arm64")})),
            "/image.tar: no image for linux/arm64; contains linux/amd64");
}

TEST(Image, ALayerThatCannotBeReadIsAProblemAndTheRestIsThere) {
  const std::string good = TestTar().File("a", "1").bytes();
  const std::string packed = Gzipped(TestTar().File("b", std::string(100'000, 'x')).bytes());
  const std::string archive =
      OciArchive({good, packed.substr(0, packed.size() / 2), good.substr(0, 700), "no tar"});
  for (const auto& image : {Opened(archive)}) {
    EXPECT_EQ(ProblemOf(image, 0), "");
    EXPECT_EQ(ProblemOf(image, 1), "the compressed layer is truncated");
    EXPECT_EQ(ProblemOf(image, 2), "truncated");
    EXPECT_EQ(ProblemOf(image, 3), "truncated");
    EXPECT_EQ(Text(*image, "/a"), "1");
  }
  std::string damaged = packed;
  damaged[damaged.size() / 2] ^= 0x55;
  EXPECT_EQ(ProblemOf(Opened(OciArchive({damaged})), 0), "the compressed layer is damaged");
}

TEST(Image, BytesThatDoNotMatchTheirDigestAreTold) {
  for (const std::string& layer :
       {TestTar().File("a", "1").bytes(), Gzipped(TestTar().File("a", "1").bytes())}) {
    std::string archive = OciArchive({layer});
    const std::string digest = DigestOf(layer), wrong = "sha256:" + std::string(64, 'a');
    TestLayout layout;
    TestTar tar;
    tar.File("blobs/sha256/" + wrong.substr(7), layer).File("c.json", kConfig);
    tar.File("manifest.json", R"([{"Config":"c.json","Layers":["blobs/sha256/)" + wrong.substr(7) + "\"]}]");
    for (const auto& image : {Opened(tar.bytes()), Streamed(tar.bytes())})
      EXPECT_EQ(ProblemOf(image, 0), "its bytes do not match the digest sha256:aaaaaaaaaaaa");
  }
}

TEST(Image, LimitsHoldForAllLayersTogether) {
  std::string many;
  TestTar tar;
  for (int i = 0; i < 60; ++i) tar.File("f" + std::to_string(i), "");
  ImageOptions options;
  options.budget.entries = 100;
  EXPECT_EQ(ProblemOf(Opened(OciArchive({tar.bytes(), tar.bytes()}), options), 1),
            "the image has more than 1000000 entries");
  const std::string zeros = Gzipped(TestTar().File("z", std::string(4 << 20, '\0')).bytes());
  options = {};
  options.budget.free = 1 << 20;
  EXPECT_EQ(ProblemOf(Opened(OciArchive({zeros}), options), 0), "unpacks to more than 200 times its size");
  options = {};
  options.budget.unpacked = 1 << 20;
  EXPECT_EQ(ProblemOf(Opened(OciArchive({zeros}), options), 0),
            "the unpacked layers are larger than culprit reads (100 GiB)");
}

TEST(Image, WhatIsNoImageIsSaidInOneLine) {
  EXPECT_EQ(ErrorOf(Opened("")),
            "/image.tar: neither an image (no manifest.json, no index.json) nor a root file system");
  EXPECT_EQ(ErrorOf(Opened(std::string(600, 'x'))), "/image.tar: not a tar header");
  EXPECT_EQ(ErrorOf(Streamed("")), "no input");
  EXPECT_EQ(ErrorOf(Streamed("text")), "not a tar archive");
  EXPECT_EQ(ErrorOf(Opened(TestTar().File("manifest.json", "{").bytes())),
            "/image.tar: manifest.json is not valid JSON");
  EXPECT_EQ(ErrorOf(Opened(TestTar().File("manifest.json", "[]").bytes())),
            "/image.tar: manifest.json lists no image");
  EXPECT_EQ(ErrorOf(Opened(TestTar().File("index.json", R"({"manifests":[]})").bytes())),
            "/image.tar: index.json contains no image");
  EXPECT_EQ(
      ErrorOf(Opened(TestTar()
                         .File("manifest.json",
                               R"([{"Config":"a","RepoTags":["a:1"]},{"Config":"b","RepoTags":["b:2"]}])")
                         .bytes())),
      "/image.tar: contains 2 images (a:1, b:2); save only the image to check");
}

TEST(Image, WhatWasNotKeptIsReadAgain) {
  const std::string large(3 << 20, 'L'), text(300 << 10, 't');
  const std::string layer =
      Gzipped(TestTar().File("a.bin", large).File("b.bin", text).File("c", "small").bytes());
  const auto image = Opened(OciArchive({layer}));
  ASSERT_TRUE(image);
  EXPECT_EQ(Text(*image, "/c"), "small");
  EXPECT_EQ(Text(*image, "/b.bin"), text);
  EXPECT_EQ(Text(*image, "/a.bin"), large);
  const auto streamed = Streamed(OciArchive({layer}));
  EXPECT_EQ(Text(*streamed, "/c"), "small");
  EXPECT_EQ(Text(*streamed, "/b.bin"), "<Input/output error>");
}

TEST(Image, OfABinaryOnlyWhatItsReaderReadsIsKept) {
  std::string library(40 << 20, '\0');
  library.replace(0, 4,
                  "\x7f"
                  "ELF");
  for (size_t at = 4096; at < library.size(); at += 4096) library[at] = static_cast<char>(at / 4096);
  const std::string layer = Gzipped(TestTar().File("lib.so", library).bytes());
  ImageOptions options;
  std::string looked_at;
  options.keep.look = [&](const std::string& path, const base::ByteSource& bytes) {
    looked_at = path;
    std::array<std::byte, 100> some;
    ASSERT_TRUE(bytes.ReadAt(bytes.size() - 100, some));
    ASSERT_TRUE(bytes.ReadAt(20 << 20, some));
  };
  const auto image = Opened(OciArchive({layer}), options);
  ASSERT_TRUE(image);
  EXPECT_EQ(looked_at, "lib.so");
  const auto file = image->machine->Open("/lib.so");
  std::array<char, 1> byte;
  const auto out = std::as_writable_bytes(std::span(byte));
  ASSERT_TRUE(file->bytes->ReadAt(20 << 20, out));
  EXPECT_EQ(byte[0], library[20 << 20]);
  ASSERT_TRUE(file->bytes->ReadAt(10 << 20, out));  // was not kept
  EXPECT_EQ(byte[0], library[10 << 20]);
  EXPECT_EQ(Text(*image, "/lib.so"), library);
}

TEST(Image, SparseFilesHaveTheirHoles) {
  TestTar tar;
  tar.Pax({{"GNU.sparse.size", "200"}, {"GNU.sparse.map", "10,2,100,2"}}).File("s", "abcd");
  std::string expected(200, '\0');
  expected.replace(10, 2, "ab").replace(100, 2, "cd");
  for (const std::string& layer : {tar.bytes(), Gzipped(tar.bytes())}) {
    const auto image = Opened(OciArchive({layer}));
    EXPECT_EQ(Text(*image, "/s"), expected);
  }
}

TEST(Image, HistorySaysWhichStepSetAVariable) {
  const auto config = ParseConfig(R"({"history": [
      {"created_by": "ENV B=first A=1", "empty_layer": true},
      {"created_by": "ADD rootfs"},
      {"created_by": "/bin/sh -c #(nop)  ENV B=x AB=2", "empty_layer": true},
      {"created_by": "RUN echo ENV A=3"},
      {"created_by": "ENV OLD value A", "empty_layer": true}]})");
  ASSERT_TRUE(config);
  const auto below = [&](const char* name, size_t layers) {
    const auto step = config->SetBy(name, layers);
    return step ? static_cast<int>(step->layers) : -1;
  };
  EXPECT_EQ(below("A", 2), 0);
  EXPECT_EQ(below("B", 2), 1);
  EXPECT_EQ(below("AB", 2), 1);
  EXPECT_EQ(below("OLD", 2), 2);
  EXPECT_EQ(below("value", 2), -1);
  EXPECT_EQ(below("B", 3), -1) << "a history of other layers";
}

TEST(Image, HistorySaysWhichStepTookADirectoryOutOfASearchPath) {
  using Setting = ImageConfig::Setting;
  const auto below = [&](const std::string& second, const std::string& third) {
    const auto config = ParseConfig(
        R"({"history": [{"created_by": "ENV P=/a:/b X=1", "empty_layer": true}, {"created_by": "ADD x"},)"
        R"({"created_by": ")" +
        second + R"(", "empty_layer": true}, {"created_by": ")" + third + R"(", "empty_layer": true}]})");
    const auto step = config->SetBy("P", 1, Setting::kWithoutADirectory);
    return step ? step->created_by : "";
  };
  EXPECT_EQ(below("ENV P=/b:/c:/a", "ENV P=/a:/c"), "ENV P=/a:/c");
  EXPECT_EQ(below("ENV P=\\\"/b\\\"", "ENV P=/b:/c"), "ENV P=\"/b\"");
  EXPECT_EQ(below("ENV P=/c:$P", "ENV P $P:/d"), "");
  EXPECT_EQ(below("ENV P=/c:$P", "ENV P /d"), "ENV P /d");
}

TEST(Image, ConfigurationSaysWhatMadeEachLayer) {
  const std::string config =
      R"({"os":"linux","architecture":"arm64","config":{"Entrypoint":["/run.sh"],"Cmd":["serve"],"User":"app"},)"
      R"("history":[{"created_by":"ADD x"},{"created_by":"ENV A=1","empty_layer":true},)"
      R"({"created_by":"/bin/sh -c pip install torch"}]})";
  const std::string layer = TestTar().File("a", "1").bytes();
  const auto image = Opened(DockerArchive({layer, layer}, config));
  ASSERT_TRUE(image);
  EXPECT_EQ(image->layers[0].created_by, "ADD x");
  EXPECT_EQ(Instruction(image->layers[1].created_by), "RUN pip install torch");
  EXPECT_EQ(image->config.entrypoint, std::vector<std::string>{"/run.sh"});
  EXPECT_EQ(image->config.command, std::vector<std::string>{"serve"});
  EXPECT_EQ(image->config.user, "app");
  EXPECT_EQ(Instruction("RUN /bin/sh -c apt-get update # buildkit"), "RUN apt-get update");
  EXPECT_EQ(Instruction("/bin/sh -c #(nop)  CMD [\"bash\"]"), "CMD [\"bash\"]");
  EXPECT_EQ(Instruction("COPY . /app # buildkit"), "COPY . /app");
}

}  // namespace
}  // namespace culprit::image
