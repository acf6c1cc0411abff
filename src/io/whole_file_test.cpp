#include "io/whole_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "io/temporary_folder_for_test.hpp"

namespace penstock::inline v0 {
namespace {

std::string text_of(ByteSpan bytes) { return {bytes.begin(), bytes.end()}; }

TEST(whole_file, gives_all_bytes_of_small_and_large_files) {
  const TemporaryFolder folder;
  Scratch scratch;
  for (const std::size_t size : {std::size_t{0}, std::size_t{5}, std::size_t{WholeFile::kMaxCopied},
                                 std::size_t{WholeFile::kMaxCopied} + 1}) {
    std::string text(size, 'x');
    if (size > 0) {
      text.back() = 'y';
    }
    auto file = WholeFile::open(folder.write("a", text));
    ASSERT_TRUE(file.ok());
    EXPECT_EQ(file->size(), size);
    if (const auto bytes = file->bytes_available(scratch)) {
      EXPECT_TRUE(text_of(*bytes) == text) << size;
      EXPECT_LE(size, WholeFile::kMaxCopied);
    }
    const auto bytes = file->bytes(scratch);
    ASSERT_TRUE(bytes.ok());
    EXPECT_TRUE(text_of(*bytes) == text) << size;
    EXPECT_TRUE(bytes->intact().ok());
  }
}

TEST(whole_file, tells_that_a_file_became_shorter) {
  const TemporaryFolder folder;
  Scratch scratch;
  const std::string path = folder.write("a", std::string(100, 'x'));
  auto small = WholeFile::open(path);
  std::filesystem::resize_file(path, 50);
  EXPECT_FALSE(small->bytes_available(scratch));
  EXPECT_EQ(small->bytes(scratch).error().kind, ErrorKind::corrupt);

  folder.write("a", std::string(2 * WholeFile::kMaxCopied, 'x'));
  auto large = WholeFile::open(path);
  std::filesystem::resize_file(path, 50);
  const auto bytes = large->bytes(scratch);
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ((*bytes)[bytes->size() - 1], 0);
  EXPECT_EQ(bytes->intact().error().kind, ErrorKind::io);
}

TEST(whole_file, names_what_is_missing) {
  const TemporaryFolder folder;
  WholeFile::announce(folder / "none");
  EXPECT_EQ(WholeFile::open(folder / "none").error().kind, ErrorKind::not_found);
  EXPECT_EQ(WholeFile::open(folder.path()).error().kind, ErrorKind::io);
}

}  // namespace
}  // namespace penstock::inline v0
