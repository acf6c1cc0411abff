#include "io/mapped_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>

#include "io/temporary_folder_for_test.hpp"

namespace penstock::inline v0 {
namespace {

TEST(mapped_file, lends_its_bytes_without_a_copy) {
  const TemporaryFolder folder;
  const auto file = MappedFile::open(folder.write("a", "0123456789"));
  ASSERT_TRUE(file.ok());
  const auto bytes = (*file)->read(3, 4);
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(as_text(*bytes), "3456");
  EXPECT_EQ(bytes->data(), (*file)->bytes().data() + 3);
  EXPECT_FALSE(bytes->is_held());
  EXPECT_EQ((*file)->size(), 10u);
  EXPECT_EQ((*file)->identity().size, 10u);
}

TEST(mapped_file, refuses_ranges_past_the_end_for_every_64_bit_value) {
  const TemporaryFolder folder;
  const auto file = MappedFile::open(folder.write("a", "0123456789"));
  const std::uint64_t huge = UINT64_MAX;
  for (const auto& [offset, size] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
           {0, 11}, {10, 1}, {11, 0}, {huge, 0}, {huge, huge}, {1, huge}, {huge, 1}, {huge - 5, 10}}) {
    const auto bytes = (*file)->read(offset, size);
    ASSERT_FALSE(bytes.ok()) << offset << " " << size;
    EXPECT_EQ(bytes.error().kind, ErrorKind::corrupt);
    EXPECT_EQ(bytes.error().place.offset, offset);
  }
  EXPECT_TRUE((*file)->read(10, 0).ok());
}

TEST(mapped_file, maps_an_empty_file) {
  const TemporaryFolder folder;
  const auto file = MappedFile::open(folder.write("a", ""));
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE((*file)->read(0, 0).ok());
  EXPECT_FALSE((*file)->read(0, 1).ok());
  (*file)->advise(Access::will_need, 0, 100);
}

TEST(mapped_file, says_why_it_cannot_open) {
  const TemporaryFolder folder;
  const auto missing = MappedFile::open(folder / "none");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().kind, ErrorKind::not_found);
  EXPECT_NE(missing.error().to_string().find("No such file or directory"), std::string::npos);
  const auto directory = MappedFile::open(folder.path());
  ASSERT_FALSE(directory.ok());
  EXPECT_EQ(directory.error().kind, ErrorKind::io);
  EXPECT_NE(directory.error().message.find("directory"), std::string::npos);
}

TEST(mapped_file, is_outlived_by_bytes_that_are_held) {
  const TemporaryFolder folder;
  Bytes held;
  {
    const auto file = MappedFile::open(folder.write("a", "text"));
    held = (*file)->read(1, 2)->hold();
    EXPECT_EQ(held.data(), (*file)->bytes().data() + 1) << "no copy";
  }
  EXPECT_EQ(as_text(held), "ex");
  EXPECT_TRUE(held.intact().ok());
}

TEST(mapped_file, takes_hints_for_any_range) {
  const TemporaryFolder folder;
  const auto file = MappedFile::open(folder.write("a", std::string(10'000, 'x')), Access::sequential);
  for (const Access access : {Access::normal, Access::sequential, Access::will_need}) {
    (*file)->advise(access, 5000, 100);
    (*file)->advise(access, 9999, UINT64_MAX);
    (*file)->advise(access, UINT64_MAX, UINT64_MAX);
  }
  EXPECT_EQ(as_text(*(*file)->read(9999, 1)), "x");
}

TEST(mapped_file, keeps_no_descriptor) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a", "text");
  const auto count = [] { return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}); };
  const auto before = count();
  const auto a = MappedFile::open(path);
  const auto b = MappedFile::open(path);
  EXPECT_EQ(count(), before);
}

}  // namespace
}  // namespace penstock::inline v0
