#include "store/audio_ring.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "core/parallel_for.hpp"

namespace penstock::inline v0 {
namespace {

TEST(audio_ring, every_row_goes_through_every_stage_in_order) {
  for (const std::size_t buffers : {1U, 2U, 5U}) {
    constexpr std::size_t kFiles = 203;
    AudioRing ring({.first_file = 3,
                    .files = kFiles,
                    .first_row = 2,
                    .batch = 10,
                    .buffers = buffers,
                    .wave_bytes = 1,
                    .mel_bytes = 1,
                    .part = {3, 4, 2}});
    std::vector<std::atomic<int>> stage(kFiles);
    std::vector<std::uint64_t> rows(kFiles, 0);
    std::uint64_t next = 3;
    std::atomic<int> draining = 0;
    parallel_for(4, 4, [&](std::size_t) {
      double waited = 0;
      const auto work = [&](const AudioPart& part) -> Status {
        const int drains = part.stage == AudioStage::drain ? 1 : 0;
        EXPECT_LE(draining += drains, 1) << "two threads drain at once";
        std::this_thread::yield();
        for (std::size_t row = part.begin; row < part.end; ++row) {
          const auto file = static_cast<std::size_t>(part.buffer->first_file) + row;
          EXPECT_EQ(stage[file]++, static_cast<int>(part.stage));
          // The recording of every seventh is bad, and the features of every fifth.
          if (part.stage == AudioStage::fill ? file % 7 == 0
                                             : part.stage == AudioStage::compute && file % 5 == 0) {
            part.buffer->bad[row] = Error{};
          }
          if (part.stage == AudioStage::drain) {
            rows[file] = part.buffer->first_row + part.buffer->good_before[row];
          }
        }
        draining -= drains;
        return {};
      };
      const auto finished = [&](const AudioBuffer& buffer) -> Status {
        EXPECT_EQ(buffer.first_file, next);
        next += buffer.count;
        std::this_thread::sleep_for(std::chrono::microseconds(300));  // others become ready meanwhile
        return {};
      };
      EXPECT_TRUE(ring.work(work, finished, waited).ok());
    });
    EXPECT_EQ(next, kFiles);
    std::uint64_t row = 2;
    for (std::size_t file = 3; file < kFiles; ++file) {
      EXPECT_EQ(stage[file], 3) << file;
      EXPECT_EQ(rows[file], row) << file;
      row += file % 7 == 0 || file % 5 == 0 ? 0 : 1;
    }
  }
}

TEST(audio_ring, an_error_ends_all_threads) {
  AudioRing ring({.files = 1000, .batch = 4, .buffers = 3, .wave_bytes = 1, .mel_bytes = 1});
  std::atomic<int> failed = 0;
  parallel_for(4, 4, [&](std::size_t) {
    double waited = 0;
    const auto work = [](const AudioPart& part) -> Status {
      const bool fails = part.stage == AudioStage::drain && part.buffer->first_file >= 400;
      return fails ? Status(Error{.kind = ErrorKind::io, .message = "full"}) : Status();
    };
    const Status status = ring.work(
        work, [](const AudioBuffer&) { return Status(); }, waited);
    failed += status.ok() ? 0 : 1;
  });
  EXPECT_EQ(failed, 4);
}

}  // namespace
}  // namespace penstock::inline v0
