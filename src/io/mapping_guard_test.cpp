#include "io/mapping_guard.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <filesystem>
#include <numeric>
#include <thread>
#include <vector>

#include "io/mapped_file.hpp"
#include "io/temporary_folder_for_test.hpp"

namespace penstock::inline v0 {
namespace {

std::uint64_t sum_of(ByteSpan bytes) { return std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0}); }

TEST(mapping_guard, what_is_gone_reads_as_zeros_and_is_remembered) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a", std::string(40000, 'x'));
  const auto file = MappedFile::open(path);
  ASSERT_TRUE(file.ok());
  const Bytes bytes = (*file)->bytes();
  EXPECT_TRUE(bytes.intact().ok());
  std::filesystem::resize_file(path, 8192);
  EXPECT_EQ(sum_of(bytes.part(0, 8192)), 8192u * 'x') << "what is there is there";
  EXPECT_TRUE(bytes.part(0, 8192).intact().ok());
  EXPECT_EQ(sum_of(bytes.part(30000, 10000)), 0u);
  EXPECT_FALSE(bytes.intact().ok());
  EXPECT_FALSE(bytes.part(39999, 1).intact().ok());
  EXPECT_TRUE(bytes.part(0, 8192).intact().ok());
  EXPECT_FALSE(bytes.part(8192, 4096).intact().ok());
  const auto other = MappedFile::open(folder.write("b", "fine"));
  EXPECT_TRUE((*other)->bytes().intact().ok()) << "other files are not concerned";
}

TEST(mapping_guard, many_files_and_threads) {
  const TemporaryFolder folder;
  std::vector<std::shared_ptr<const MappedFile>> files;
  for (int i = 0; i < 600; ++i) {
    const std::string path = folder.write(std::to_string(i), std::string(20000, 'x'));
    files.push_back(MappedFile::open(path).value());
    if (i % 2 == 0) {
      std::filesystem::resize_file(path, 0);
    }
  }
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&files] {
      for (std::size_t i = 0; i < files.size(); ++i) {
        EXPECT_EQ(sum_of(files[i]->bytes()), i % 2 == 0 ? 0u : 20000u * 'x');
        EXPECT_EQ(files[i]->bytes().intact().ok(), i % 2 != 0);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  files.clear();
  const auto fresh = MappedFile::open(folder.write("fresh", std::string(20000, 'y')));
  EXPECT_TRUE((*fresh)->bytes().intact().ok()) << "a slot that is used again";
}

TEST(mapping_guard, other_faults_are_not_ours) {
  const TemporaryFolder folder;
  const auto ours = MappedFile::open(folder.write("a", "x"));
  ASSERT_TRUE(ours.ok());
  // Whoever had the signal before ends the process: the system, or a sanitizer.
  EXPECT_EXIT(
      ::raise(SIGBUS), [](int status) { return !WIFEXITED(status) || WEXITSTATUS(status) != 0; }, "");
}

}  // namespace
}  // namespace penstock::inline v0
