#pragma once
// Time spent somewhere, added up.

#include <chrono>
#include <cstdint>

namespace penstock::inline v0 {

/// Adds the nanoseconds from its construction to its end.
class TimeAdder {
 public:
  explicit TimeAdder(std::uint64_t& total) : total_(total), start_(std::chrono::steady_clock::now()) {}
  ~TimeAdder() {
    const auto passed = std::chrono::steady_clock::now() - start_;
    total_ +=
        static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(passed).count());
  }
  TimeAdder(const TimeAdder&) = delete;
  TimeAdder& operator=(const TimeAdder&) = delete;

 private:
  std::uint64_t& total_;
  const std::chrono::steady_clock::time_point start_;
};

}  // namespace penstock::inline v0
