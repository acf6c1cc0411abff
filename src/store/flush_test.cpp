// What is on the disk when: the calls of builds to the system, in their order.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "penstock/audio_build.hpp"
#include "store/recordings_for_test.hpp"
#include "store/store_for_test.hpp"

namespace penstock::inline v0 {
namespace {

enum class DiskCall { flush, rename, remove };

std::mutex disk_calls_mutex;
std::vector<std::pair<DiskCall, ::ino_t>> disk_calls;
std::atomic<bool> links_are_refused = false;  // as on FAT

void note_disk_call(DiskCall call, const struct stat& file) {
  const std::lock_guard lock(disk_calls_mutex);
  disk_calls.emplace_back(call, file.st_ino);
}

}  // namespace
}  // namespace penstock::inline v0

// In place of the library's, for the whole program: they do the same, and take note.
extern "C" int fsync(int descriptor) {
  struct stat file {};
  if (::fstat(descriptor, &file) == 0) {
    penstock::note_disk_call(penstock::DiskCall::flush, file);
  }
  return static_cast<int>(::syscall(SYS_fsync, descriptor));
}

extern "C" int renameat2(int from_folder, const char* from, int to_folder, const char* to,
                         unsigned flags) noexcept {
  struct stat file {};
  if (::fstatat(from_folder, from, &file, 0) == 0) {
    penstock::note_disk_call(penstock::DiskCall::rename, file);
  }
  return static_cast<int>(::syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
}

extern "C" int unlinkat(int folder, const char* name, int flags) noexcept {
  struct stat file {};
  if (::fstatat(folder, name, &file, AT_SYMLINK_NOFOLLOW) == 0) {
    penstock::note_disk_call(penstock::DiskCall::remove, file);
  }
  return static_cast<int>(::syscall(SYS_unlinkat, folder, name, flags));
}

extern "C" int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) noexcept {
  if (penstock::links_are_refused) {
    errno = EPERM;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_linkat, from_folder, from, to_folder, to, flags));
}

namespace penstock::inline v0 {
namespace {

::ino_t inode_of(const std::string& path) {
  struct stat file {};
  EXPECT_EQ(::stat(path.c_str(), &file), 0) << path;
  return file.st_ino;
}

TEST(append, is_on_the_disk_before_the_old_store_goes) {
  const TemporaryFolder folder;
  BuildSettings settings;
  settings.image = StoreImage::keep;
  const std::string path = folder / "s";
  ASSERT_TRUE(build_store(TableForTest(3), "first", path, settings).ok());
  const ::ino_t old_shard = inode_of(path + "/shard-000000.bin");
  {
    const std::lock_guard lock(disk_calls_mutex);
    disk_calls.clear();
  }
  settings.append = true;
  links_are_refused = true;
  const auto appended = build_store(TableForTest(2, 7), "more", path, settings);
  links_are_refused = false;
  ASSERT_TRUE(appended.ok()) << appended.error().to_string();
  ASSERT_NE(inode_of(path + "/shard-000000.bin"), old_shard) << "it was not copied";

  const std::lock_guard lock(disk_calls_mutex);
  const auto first = [](auto begin, DiskCall call, ::ino_t inode) {
    return std::find(begin, disk_calls.end(), std::pair(call, inode));
  };
  const auto gone = first(disk_calls.begin(), DiskCall::remove, old_shard);
  ASSERT_NE(gone, disk_calls.end());
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    EXPECT_LT(first(disk_calls.begin(), DiskCall::flush, inode_of(entry.path().string())), gone)
        << entry.path() << " may be lost";
  }
  const auto exchanged = first(disk_calls.begin(), DiskCall::rename, inode_of(path));
  EXPECT_LT(exchanged, gone);
  EXPECT_LT(first(exchanged, DiskCall::flush, inode_of(folder.path())), gone)
      << "the old name may come back without its files";
}

TEST(audio_build, is_on_the_disk_before_it_has_its_name) {
  if (!test::has_hdf5()) {
    GTEST_SKIP() << "built without HDF5";
  }
  const TemporaryFolder folder;
  const std::string source = test::recordings_in(folder, 3);
  ASSERT_TRUE(build_audio(source, folder / "x.h5", {.duration = 1}).ok());
  struct stat file {};
  struct stat parent {};
  ASSERT_EQ(::stat((folder / "x.h5").c_str(), &file), 0);
  ASSERT_EQ(::stat(folder.path().c_str(), &parent), 0);
  const std::lock_guard lock(disk_calls_mutex);
  const auto place = [](DiskCall call, ::ino_t inode) {
    return std::find(disk_calls.begin(), disk_calls.end(), std::pair(call, inode)) - disk_calls.begin();
  };
  const auto renamed = place(DiskCall::rename, file.st_ino);
  ASSERT_LT(renamed, std::ssize(disk_calls));
  EXPECT_LT(place(DiskCall::flush, file.st_ino), renamed);
  EXPECT_NE(
      std::find(disk_calls.begin() + renamed, disk_calls.end(), std::pair(DiskCall::flush, parent.st_ino)),
      disk_calls.end());
}

}  // namespace
}  // namespace penstock::inline v0
