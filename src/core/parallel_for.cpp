#include "core/parallel_for.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace penstock::inline v0 {

namespace {

/// The first exception of several threads.
class FirstFailure {
 public:
  void keep(std::exception_ptr failure) noexcept {
    const std::lock_guard lock(mutex_);
    if (!failure_) {
      failure_ = std::move(failure);
    }
  }
  void rethrow_if_any() {
    if (failure_) {
      std::rethrow_exception(failure_);
    }
  }

 private:
  std::mutex mutex_;
  std::exception_ptr failure_;
};

}  // namespace

void parallel_for(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& body) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stop{false};
  FirstFailure failure;
  const auto work = [&]() noexcept {
    while (!stop.load(std::memory_order_relaxed)) {
      const std::size_t index = next.fetch_add(1, std::memory_order_relaxed);
      if (index >= count) {
        return;
      }
      try {
        body(index);
      } catch (...) {  // carried to the caller, whatever it is
        failure.keep(std::current_exception());
        stop.store(true, std::memory_order_relaxed);
      }
    }
  };

  const std::size_t helpers = std::min<std::size_t>(threads, count);
  {
    std::vector<std::jthread> pool;
    pool.reserve(helpers);
    try {
      for (std::size_t i = 1; i < helpers; ++i) {
        pool.emplace_back(work);
      }
    } catch (const std::system_error&) {
      // Those that could be started, and the caller, do the work.
    }
    work();
  }
  failure.rethrow_if_any();
}

}  // namespace penstock::inline v0
