#include "core/usable_cores.hpp"

#if defined(__linux__)
#include <sched.h>
#endif

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <thread>

namespace penstock::inline v0 {

namespace {

// Quota in cores of the control group seen at the usual mount points, or 0 without one.
double cgroup_cores() {
  if (std::ifstream v2("/sys/fs/cgroup/cpu.max"); v2) {
    std::string quota;
    double period = 0;
    if (v2 >> quota >> period && quota != "max" && period > 0) {
      return std::strtod(quota.c_str(), nullptr) / period;
    }
    return 0;
  }
  std::ifstream quota_file("/sys/fs/cgroup/cpu/cpu.cfs_quota_us");
  std::ifstream period_file("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
  double quota = 0;
  double period = 0;
  if (quota_file >> quota && period_file >> period && quota > 0 && period > 0) {
    return quota / period;
  }
  return 0;
}

}  // namespace

unsigned usable_cores() {
  int cores = static_cast<int>(std::thread::hardware_concurrency());
#if defined(__linux__)
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof(mask), &mask) == 0) {
    cores = CPU_COUNT(&mask);
  }
#endif
  if (const double quota = cgroup_cores(); quota > 0) {
    cores = std::min(cores, static_cast<int>(std::ceil(quota)));
  }
  return static_cast<unsigned>(std::max(cores, 1));
}

}  // namespace penstock::inline v0
