#pragma once
// A lock for threads that hold it for long, and take it again at once.

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace penstock::inline v0 {

/// Threads get it in the order in which they asked for it: one that waits in slices, and takes the lock for
/// each, lets others in between. (std::mutex would go to whoever is awake, and that is always the same.) Not
/// recursive. For std::lock_guard.
class TurnLock {
 public:
  void lock() {
    std::unique_lock held(mutex_);
    const std::uint64_t turn = asked_++;
    changed_.wait(held, [&] { return turn == served_; });
  }
  void unlock() {
    {
      const std::lock_guard held(mutex_);
      ++served_;
    }
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t asked_ = 0;
  std::uint64_t served_ = 0;
};

}  // namespace penstock::inline v0
