#pragma once
// What policies draw, for tests.

#include <gtest/gtest.h>

#include "transforms/run_for_test.hpp"

namespace penstock::test {

inline std::vector<NamedDrawn> steps_of(const TransformPtr& policy, ImageSize image, std::uint64_t sample) {
  return value_of<HeldDrawn>(drawn_by(policy, image, sample), "operations").list;
}

/// The number of a step; 0 where it has none.
inline double number_of(const NamedDrawn& step) {
  double number = 0;
  if (!step.values.empty()) {
    EXPECT_TRUE(detail::as_double(step.values.front().second, number)) << step.operation;
  }
  return number;
}

}  // namespace penstock::test
