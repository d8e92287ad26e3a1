// For tests: writes tar archives by hand, good ones and bad ones.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace culprit::binfmt {

class TestTar {
 public:
  struct Member {
    std::string path;
    char type = '0';
    std::string data{};
    std::string link{};
    unsigned mode = 0644;
    bool gnu = false;                                   // its magic, and no prefix
    uint64_t claimed = ~uint64_t{0};                    // size in the header, if not that of the data
    std::vector<std::pair<size_t, std::string>> raw{};  // bytes put into the header before its sum
  };

  TestTar& Add(const Member& member) {
    std::string block(512, '\0');
    const auto put = [&](size_t at, const std::string& text) { block.replace(at, text.size(), text); };
    put(0, member.path.substr(0, 100));
    put(100, Octal(member.mode, 7));
    put(108, Octal(0, 7));
    put(116, Octal(44, 7));
    put(124, Octal(member.claimed == ~uint64_t{0} ? member.data.size() : member.claimed, 11));
    put(136, Octal(0, 11));
    block[156] = member.type;
    put(157, member.link.substr(0, 100));
    put(257, member.gnu ? std::string("ustar  \0", 8)
                        : std::string("ustar\0"
                                      "00",
                                      8));
    for (const auto& [at, bytes] : member.raw) put(at, bytes);
    put(148, "        ");
    unsigned sum = 0;
    for (const char c : block) sum += static_cast<unsigned char>(c);
    put(148, Octal(sum, 6) + std::string("\0 ", 2));
    bytes_ += block;
    return Data(member.data);
  }
  TestTar& File(const std::string& path, const std::string& data) { return Add({path, '0', data}); }
  TestTar& Directory(const std::string& path) { return Add({.path = path, .type = '5', .mode = 0755}); }
  TestTar& Link(const std::string& path, const std::string& target) {
    return Add({.path = path, .type = '2', .link = target, .mode = 0777});
  }
  TestTar& HardLink(const std::string& path, const std::string& target) {
    return Add({.path = path, .type = '1', .link = target});
  }
  // A pax header for the next member ('x') or all ('g').
  TestTar& Pax(const std::vector<std::pair<std::string, std::string>>& records, char type = 'x') {
    std::string text;
    for (const auto& [key, value] : records) {
      const size_t rest = key.size() + value.size() + 3;  // ' ', '=', '\n'
      size_t length = rest + 1;
      while (std::to_string(length).size() + rest != length) ++length;
      text += std::to_string(length) + " " + key + "=" + value + "\n";
    }
    return Add({"pax", type, text});
  }
  TestTar& Raw(const std::string& bytes) {
    bytes_ += bytes;
    return *this;
  }
  // Padded to a block.
  TestTar& Data(const std::string& data) {
    bytes_ += data;
    bytes_.resize((bytes_.size() + 511) / 512 * 512);
    return *this;
  }
  const std::string& unfinished() const { return bytes_; }
  std::string bytes() const { return bytes_ + std::string(1024, '\0'); }

  static std::string Octal(uint64_t number, int digits) {
    char text[32];
    std::snprintf(text, sizeof text, "%0*llo", digits, static_cast<unsigned long long>(number));
    return text;
  }

 private:
  std::string bytes_;
};

}  // namespace culprit::binfmt
