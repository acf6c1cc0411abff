#pragma once
// Work of minutes that Python can watch and interrupt, and what its reports hold.

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bind.hpp"
#include "core/block_signals.hpp"

namespace penstock::python {

// How long Ctrl-C may take, and how often progress is shown.
inline constexpr std::chrono::milliseconds kPatience{100};

/// Whether it ends while others may run Python.
template <class Future>
bool ended(const Future& outcome) {
  const GilRelease release;
  return outcome.wait_for(kPatience) == std::future_status::ready;
}

/// Work that a source may hold up forever runs on a thread of its own and never touches Python. After Ctrl-C
/// the thread is left behind: it owns all it needs, and ends when the source lets it go.
template <class Work>
auto interruptible(Work work) {
  using Outcome = decltype(work());
  auto promise = std::make_shared<std::promise<Outcome>>();
  std::future<Outcome> outcome = promise->get_future();
  std::thread worker([promise, work = std::move(work)]() mutable {
    block_signals();
    try {
      promise->set_value(work());
    } catch (...) {
      promise->set_exception(std::current_exception());
    }
  });
  while (!ended(outcome)) {
    if (PyErr_CheckSignals() != 0) {
      worker.detach();
      throw nanobind::python_error();
    }
  }
  worker.join();  // nothing is left that would make a fork unsafe
  return outcome.get();
}

/// Work of minutes runs on a thread of its own and never touches Python; the caller's thread looks for Ctrl-C
/// and shows how far the work is.
template <class Progress>
class Watched {
 public:
  /// The callback to give to the work.
  bool report(const Progress& progress) {
    const std::lock_guard lock(mutex_);
    latest_ = progress;
    return proceed_.load();
  }

  template <class Work>
  auto run(Work work, const nanobind::object& show) {
    auto outcome = std::async(std::launch::async, std::move(work));
    try {
      while (!ended(outcome)) {
        if (PyErr_CheckSignals() != 0) {
          throw nanobind::python_error();
        }
        if (!show.is_none()) {
          call(show);
        }
      }
    } catch (...) {
      proceed_ = false;
      const GilRelease release;
      outcome.wait();
      throw;
    }
    return value_or_raise(outcome.get());
  }

 private:
  void call(const nanobind::object& show) {
    Progress now;
    {
      const std::lock_guard lock(mutex_);
      now = latest_;
    }
    const double bytes = now.seconds > 0 ? static_cast<double>(now.bytes_read) / now.seconds : 0;
    show(now.samples, now.total, static_cast<std::uint64_t>(bytes), now.samples_per_second);
  }

  std::mutex mutex_;
  Progress latest_{};
  std::atomic<bool> proceed_{true};
};

/// Of work that says no more of its progress than how many of all are done.
struct CountProgress {
  std::uint64_t samples = 0;
  std::uint64_t total = 0;
  std::uint64_t bytes_read = 0;
  double seconds = 0;
  double samples_per_second = 0;
};

/// The callback to give to such work.
inline auto count_reporter(Watched<CountProgress>& watched) {
  return [&watched, start = std::chrono::steady_clock::now()](std::uint64_t done, std::uint64_t total) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    const double seconds = passed.count();
    return watched.report({.samples = done,
                           .total = total,
                           .bytes_read = 0,
                           .seconds = seconds,
                           .samples_per_second = seconds > 0 ? static_cast<double>(done) / seconds : 0});
  };
}

inline nanobind::list exceptions(const std::vector<Error>& errors) {
  nanobind::list list;
  for (const Error& error : errors) {
    list.append(to_exception(error));
  }
  return list;
}

inline nanobind::list texts(const std::vector<std::string>& lines) {
  nanobind::list list;
  for (const std::string& line : lines) {
    list.append(to_str(line));
  }
  return list;
}

}  // namespace penstock::python
