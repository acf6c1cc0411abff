#include "io/mapped_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>

#include "io/temporary_folder_for_test.hpp"

namespace penstock::inline v0 {
namespace {

TEST(mapped_file, gives_views_without_touching_the_scratch) {
  const TemporaryFolder folder;
  const auto file = MappedFile::open(folder.write("a", "0123456789"));
  ASSERT_TRUE(file.ok());
  Scratch scratch;
  const auto bytes = (*file)->read(3, 4, scratch);
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(as_text(*bytes), "3456");
  EXPECT_EQ(bytes->data(), (*file)->bytes().data() + 3);
  EXPECT_EQ(scratch.capacity(), 0u);
  EXPECT_EQ((*file)->size(), 10u);
  EXPECT_EQ((*file)->state().size, 10u);
}

TEST(mapped_file, refuses_ranges_past_the_end_for_every_64_bit_value) {
  const TemporaryFolder folder;
  const auto file = MappedFile::open(folder.write("a", "0123456789"));
  Scratch scratch;
  const std::uint64_t huge = UINT64_MAX;
  for (const auto& [offset, size] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
           {0, 11}, {10, 1}, {11, 0}, {huge, 0}, {huge, huge}, {1, huge}, {huge, 1}, {huge - 5, 10}}) {
    const auto bytes = (*file)->read(offset, size, scratch);
    ASSERT_FALSE(bytes.ok()) << offset << " " << size;
    EXPECT_EQ(bytes.error().kind, ErrorKind::corrupt);
    EXPECT_EQ(bytes.error().place.offset, offset);
  }
  EXPECT_TRUE((*file)->read(10, 0, scratch).ok());
}

TEST(mapped_file, maps_an_empty_file) {
  const TemporaryFolder folder;
  const auto file = MappedFile::open(folder.write("a", ""));
  ASSERT_TRUE(file.ok());
  Scratch scratch;
  EXPECT_TRUE((*file)->read(0, 0, scratch).ok());
  EXPECT_FALSE((*file)->read(0, 1, scratch).ok());
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

TEST(mapped_file, knows_that_it_is_closed) {
  const TemporaryFolder folder;
  const auto file = MappedFile::open(folder.write("a", "text"));
  (*file)->close();
  EXPECT_TRUE((*file)->bytes().empty());
  Scratch scratch;
  EXPECT_EQ((*file)->read(0, 1, scratch).error().kind, ErrorKind::io);
}

TEST(mapped_file, takes_hints_for_any_range) {
  const TemporaryFolder folder;
  const auto file = MappedFile::open(folder.write("a", std::string(10'000, 'x')), Access::sequential);
  for (const Access access : {Access::normal, Access::sequential, Access::will_need}) {
    (*file)->advise(access, 5000, 100);
    (*file)->advise(access, 9999, UINT64_MAX);
    (*file)->advise(access, UINT64_MAX, UINT64_MAX);
  }
  Scratch scratch;
  EXPECT_EQ(as_text(*(*file)->read(9999, 1, scratch)), "x");
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
