#pragma once
// Time that has passed, for reports.

#include <chrono>

namespace penstock::inline v0 {

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace penstock::inline v0
