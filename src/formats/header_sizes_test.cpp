#include "formats/header_sizes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include "formats/sample_table.hpp"
#include "io/faulty_storage_for_test.hpp"
#include "io/memory_storage_for_test.hpp"
#include "io/temporary_folder_for_test.hpp"

namespace penstock::inline v0 {
namespace {

/// The beginning of a PNG file of this size: what tells it.
std::string png_header(int width, int height) {
  std::string bytes = "\x89PNG\r\n\x1a\n";
  bytes += std::string("\0\0\0\x0d", 4) + "IHDR";
  for (const int value : {width, height}) {
    for (int shift = 24; shift >= 0; shift -= 8) {
      bytes += static_cast<char>(value >> shift & 0xFF);
    }
  }
  return bytes + std::string("\x08\x02\0\0\0", 5) + "crc!";
}

class HeaderSizes : public ::testing::Test {
 protected:
  HeaderSizes() { ::setenv("PENSTOCK_CACHE_DIR", (cache_.path() + "/kept").c_str(), 1); }
  ~HeaderSizes() override { ::unsetenv("PENSTOCK_CACHE_DIR"); }

  void write(int files, ImageSize size) const {
    for (int i = 0; i < files; ++i) {
      folder_.write("a/" + std::to_string(1000 + i) + ".png", png_header(size.width, size.height));
    }
  }
  ImageSize one_size() const {
    const auto table = open_samples({folder_.path()}, {});
    return (*table)->one_size(0);
  }
  std::size_t kept() const {
    const std::filesystem::path path = cache_.path() + "/kept";
    return !exists(path) ? 0
                         : static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path),
                                                                  std::filesystem::directory_iterator()));
  }

  TemporaryFolder folder_;
  TemporaryFolder cache_;
};

TEST_F(HeaderSizes, class_folders_know_one_size_and_keep_it) {
  write(700, {32, 24});
  std::this_thread::sleep_for(std::chrono::milliseconds(60));  // files that could change unseen are not kept
  EXPECT_EQ(one_size(), (ImageSize{32, 24}));
  EXPECT_EQ(kept(), 1u);
  EXPECT_EQ(one_size(), (ImageSize{32, 24}));
}

TEST_F(HeaderSizes, no_more_is_read_than_headers) {
  const auto memory = std::make_shared<MemoryStorage>();
  const auto storage = std::make_shared<FaultyStorage>(memory, std::vector<Fault>{});
  Storages storages = Storages::standard();
  storages.set("memory", storage);
  constexpr std::uint64_t kFiles = 40;
  for (std::uint64_t i = 0; i < kFiles; ++i) {
    memory->put("a/" + std::to_string(1000 + i) + ".png", png_header(32, 24) + std::string(1 << 20, 'x'));
  }
  EXPECT_EQ((*open_samples({"memory:a"}, {}, storages))->one_size(0), (ImageSize{32, 24}));
  EXPECT_EQ(storage->bytes_read(), (kFiles + 16) * 4096) << "the first 16 are looked at twice";

  // A JPEG file whose size stands behind a preview.
  std::string jpeg = "\xFF\xD8";
  for (int i = 0; i < 2; ++i) {
    jpeg += std::string("\xFF\xE1\xF0\x02") + std::string(0xF000, 'p');
  }
  jpeg += std::string("\xFF\xC0\x00\x11\x08\x00\x30\x00\x40\x03", 10) + std::string(4 << 20, 'x');
  memory->put("b/1.jpg", jpeg);
  const std::uint64_t before = storage->bytes_read();
  EXPECT_EQ((*open_samples({"memory:b"}, {}, storages))->one_size(0), (ImageSize{64, 48}));
  constexpr std::uint64_t kLooks = 4096 + 16 * 4096 + 256 * 4096;
  EXPECT_EQ(storage->bytes_read() - before, 2 * kLooks);
}

TEST_F(HeaderSizes, one_other_file_is_enough) {
  for (const int other : {0, 1, 690}) {
    write(700, {32, 24});
    folder_.write("a/" + std::to_string(1000 + other) + ".png", png_header(32, 25));
    EXPECT_EQ(one_size(), ImageSize{}) << other;
  }
  folder_.write("a/1690.png", "no header");
  EXPECT_EQ(one_size(), ImageSize{});
}

TEST_F(HeaderSizes, what_was_kept_for_other_files_or_changed_is_not_used) {
  const std::string identity(32, 'a');
  EXPECT_FALSE(kept_size(identity));
  keep_size(identity, {7, 5});
  EXPECT_EQ(kept_size(identity), (ImageSize{7, 5}));
  EXPECT_FALSE(kept_size(std::string(32, 'b')));
  keep_size(identity, {});
  EXPECT_EQ(kept_size(identity), ImageSize{}) << "that there is none";
  const std::filesystem::path file = std::filesystem::directory_iterator(cache_.path() + "/kept")->path();
  const std::string good = R"({"version": 1, "identity": ")" + identity + R"(", "width": 7, "height": 5})";
  const auto put = [&](const std::string& text) { cache_.write("kept/" + file.filename().string(), text); };
  put(good);
  EXPECT_EQ(kept_size(identity), (ImageSize{7, 5})) << "the test knows how it is written";
  for (const std::string& text :
       {std::string(), good + " ", good.substr(0, good.size() - 1), std::string("[]"),
        R"({"version": 2, "identity": ")" + identity + R"(", "width": 7, "height": 5})",
        R"({"version": 1, "identity": ")" + identity + R"(", "width": 99999999999, "height": 5})"}) {
    put(text);
    EXPECT_FALSE(kept_size(identity)) << text;
  }
}

TEST_F(HeaderSizes, what_others_could_have_written_is_not_used) {
  const std::string identity(32, 'a');
  keep_size(identity, {7, 5});
  const std::filesystem::path folder = cache_.path() + "/kept";
  const std::filesystem::path file = std::filesystem::directory_iterator(folder)->path();
  permissions(folder, std::filesystem::perms::all);
  EXPECT_FALSE(kept_size(identity));
  permissions(folder, std::filesystem::perms::owner_all);
  EXPECT_EQ(kept_size(identity), (ImageSize{7, 5}));
  rename(file, cache_.path() + "/elsewhere");
  create_symlink(cache_.path() + "/elsewhere", file);
  EXPECT_FALSE(kept_size(identity)) << "a link";
}

}  // namespace
}  // namespace penstock::inline v0
