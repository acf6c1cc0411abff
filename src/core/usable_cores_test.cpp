#include "core/usable_cores.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <thread>

namespace penstock::inline v0 {
namespace {

TEST(UsableCores, is_within_the_machine) {
  EXPECT_GE(usable_cores(), 1u);
  EXPECT_LE(usable_cores(), std::thread::hardware_concurrency());
}

TEST(UsableCores, follows_the_affinity_mask) {
  std::thread([] {  // the mask is the thread's own
    cpu_set_t mask;
    ASSERT_EQ(sched_getaffinity(0, sizeof(mask), &mask), 0);
    int first = 0;
    while (!CPU_ISSET(first, &mask)) {
      ++first;
    }
    CPU_ZERO(&mask);
    CPU_SET(first, &mask);
    ASSERT_EQ(sched_setaffinity(0, sizeof(mask), &mask), 0);
    EXPECT_EQ(usable_cores(), 1u);
  })
      .join();
}

}  // namespace
}  // namespace penstock::inline v0
