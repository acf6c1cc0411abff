// What is on the disk when: the calls of a sound build to the system, in their order.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "penstock/sound_build.hpp"
#include "store/sounds_for_test.hpp"

namespace penstock {
namespace {

enum class DiskCall { flush, rename };

std::mutex disk_calls_mutex;
std::vector<std::pair<DiskCall, ::ino_t>> disk_calls;

void note_disk_call(DiskCall call, const struct stat& file) {
  const std::lock_guard lock(disk_calls_mutex);
  disk_calls.emplace_back(call, file.st_ino);
}

}  // namespace
}  // namespace penstock

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

namespace penstock {
namespace {

TEST(sound_build, is_on_the_disk_before_it_has_its_name) {
  if (!test::has_hdf5()) {
    GTEST_SKIP() << "built without HDF5";
  }
  const TemporaryFolder folder;
  const std::string source = test::sounds_in(folder, 3);
  ASSERT_TRUE(build_sound(source, folder / "x.h5", {.duration = 1}).ok());
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
}  // namespace penstock
