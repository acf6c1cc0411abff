#pragma once
// For tests: runs something once for each CPU target there is.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "core/cpu.hpp"

namespace penstock::inline v0 {

/// Forces each target that this CPU has, runs `body(target)`, and goes back to the usual one. Notes what was
/// not tried.
template <class Body>
void for_each_target(Body body) {
  std::string untried;
  const auto available = available_cpu_targets();
  for (const CpuTarget target :
       {CpuTarget::scalar, CpuTarget::sse4, CpuTarget::avx2, CpuTarget::avx512, CpuTarget::neon}) {
    if (std::find(available.begin(), available.end(), target) == available.end()) {
      untried += std::string(" ") + name_of(target);
      continue;
    }
    SCOPED_TRACE(name_of(target));
    ASSERT_TRUE(force_cpu_target_for_test(target).ok());
    body(target);
    if (::testing::Test::HasFatalFailure()) {
      break;
    }
  }
  ASSERT_TRUE(force_cpu_target_for_test(std::nullopt).ok());
  ::testing::Test::RecordProperty("untried_targets", untried);
}

/// What was not tried, once for the whole run.
inline void print_untried_targets() {
  const auto available = available_cpu_targets();
  for (const CpuTarget target : {CpuTarget::sse4, CpuTarget::avx2, CpuTarget::avx512, CpuTarget::neon}) {
    if (std::find(available.begin(), available.end(), target) == available.end()) {
      std::printf("[          ] this CPU cannot run %s: its kernels are not tested here\n", name_of(target));
    }
  }
}

}  // namespace penstock::inline v0
