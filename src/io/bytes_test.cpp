#include "io/bytes.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "io/mapped_file.hpp"
#include "io/temporary_folder_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using testing::HasSubstr;

constexpr std::size_t kPage = 4096;

TEST(bytes, of_memory_are_intact) {
  const std::string text(3, '\0');
  EXPECT_TRUE(Bytes().intact().ok());
  EXPECT_TRUE(Bytes(ByteSpan(reinterpret_cast<const std::uint8_t*>(text.data()), 3)).intact().ok());
}

TEST(bytes, of_their_own_are_released_by_the_last_holder) {
  class Counted final : public ByteOwner {
   public:
    explicit Counted(int& gone) : gone_(gone) {}

   private:
    void retire() const noexcept override {
      ++gone_;
      delete this;
    }
    int& gone_;
  };
  const std::string text = "0123";
  const ByteSpan span(reinterpret_cast<const std::uint8_t*>(text.data()), 4);
  int gone = 0;
  {
    Bytes first = Bytes::held(span, *new Counted(gone));
    const Bytes lent = first.lend(1, 2);
    EXPECT_TRUE(first.part(1, 2).is_held());
    EXPECT_FALSE(lent.is_held());
    const Bytes second = lent.hold();
    Bytes third = first;
    third = second;
    first = Bytes();
    EXPECT_EQ(gone, 0);
    std::thread([moved = std::move(third)] { EXPECT_EQ(as_text(moved), "12"); }).join();
    EXPECT_EQ(gone, 0);
    EXPECT_EQ(as_text(second), "12");
  }
  EXPECT_EQ(gone, 1);
}

TEST(bytes, of_the_caller_are_copied_to_be_held) {
  Bytes held;
  {
    const std::vector<std::uint8_t> memory = {'a', 'b'};
    held = Bytes(memory).hold();
    EXPECT_NE(held.data(), memory.data());
  }
  EXPECT_EQ(as_text(held), "ab");
  EXPECT_TRUE(Bytes().hold().empty());
}

TEST(bytes, that_nobody_touched_are_touched_to_know) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a", std::string(3 * kPage, 'x'));
  const auto file = MappedFile::open(path).value();
  std::filesystem::resize_file(path, kPage);
  const Status intact = file->bytes().part(100, 2 * kPage).intact();
  ASSERT_FALSE(intact.ok());
  EXPECT_EQ(intact.error().kind, ErrorKind::io);
  EXPECT_EQ(intact.error().place.shard, path);
  EXPECT_EQ(intact.error().place.offset, 100u);
  EXPECT_THAT(intact.error().message, HasSubstr("shorter"));
}

/// The system zeroes the rest of the page and sends no signal.
TEST(bytes, cut_within_a_page_are_gone_to_the_byte) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a", std::string(2 * kPage + 1000, 'x'));
  const auto file = MappedFile::open(path).value();
  std::filesystem::resize_file(path, 2 * kPage + 300);
  const Bytes bytes = file->bytes();
  EXPECT_EQ(bytes[2 * kPage + 300], 0);
  EXPECT_TRUE(bytes.part(2 * kPage + 200, 100).intact().ok());
  EXPECT_FALSE(bytes.part(2 * kPage + 200, 101).intact().ok());
  EXPECT_FALSE(bytes.part(2 * kPage + 300, 8).intact().ok());
  EXPECT_FALSE(bytes.part(2 * kPage + 999, 1).intact().ok());
  EXPECT_FALSE(file->check().ok());
}

TEST(bytes, cut_within_a_page_are_gone_though_the_process_changed_its_folder) {
  const TemporaryFolder folder;
  folder.write("a", std::string(1000, 'x'));
  folder.write("elsewhere/a", "other");
  std::shared_ptr<const MappedFile> file;
  {
    const InFolder here(folder.path());
    file = MappedFile::open("a").value();
  }
  const InFolder elsewhere(folder / "elsewhere");
  std::filesystem::resize_file(folder / "a", 10);
  EXPECT_FALSE(file->bytes().part(500, 8).intact().ok());
}

TEST(bytes, that_are_zeros_in_the_file_are_intact) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a", std::string(3 * kPage, '\0'));
  const auto file = MappedFile::open(path).value();
  EXPECT_TRUE(file->check().ok());
  EXPECT_TRUE(file->bytes().part(10, 8).intact().ok());
  std::filesystem::rename(path, folder / "b");
  folder.write("a", "another file of this name, and shorter");
  EXPECT_TRUE(file->bytes().part(10, 8).intact().ok()) << "what is mapped lives on";
}

/// A file that is as long and as old as it was cannot have been cut: the disk failed. A failing disk is
/// played by a file that is cut, touched there, and made as before.
TEST(bytes, that_the_disk_does_not_give_are_an_io_error) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a", std::string(3 * kPage, 'x'));
  const auto file = MappedFile::open(path).value();
  struct stat before {};
  ASSERT_EQ(::stat(path.c_str(), &before), 0);
  std::filesystem::resize_file(path, kPage);
  EXPECT_EQ(file->bytes()[2 * kPage], 0);
  std::filesystem::resize_file(path, 3 * kPage);
  const struct timespec times[2] = {before.st_atim, before.st_mtim};
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  const Status intact = file->bytes().intact();
  ASSERT_FALSE(intact.ok());
  EXPECT_THAT(intact.error().message, HasSubstr("I/O error"));
  EXPECT_TRUE(file->bytes().part(0, kPage).intact().ok());

  std::filesystem::remove(path);
  EXPECT_THAT(file->check().error().message, HasSubstr("replaced or deleted"));
}

}  // namespace
}  // namespace penstock::inline v0
