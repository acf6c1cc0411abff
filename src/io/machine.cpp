#include "io/machine.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>

namespace penstock::inline v0 {
namespace {

/// A number in a file that holds it alone ("max" and the like: none).
std::optional<std::uint64_t> number_in(const char* path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  return file >> number ? std::optional(number) : std::nullopt;
}

}  // namespace

std::string boot_name() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string name;
  file >> name;
  return name;
}

std::uint64_t free_memory() {
  std::uint64_t bytes = std::numeric_limits<std::uint64_t>::max();
  std::ifstream machine("/proc/meminfo");
  std::string name;
  std::uint64_t kilobytes = 0;
  std::string unit;
  while (machine >> name >> kilobytes && std::getline(machine, unit)) {
    if (name == "MemAvailable:") {
      bytes = kilobytes << 10;
    }
  }
  const auto limit = number_in("/sys/fs/cgroup/memory.max");
  const auto used = number_in("/sys/fs/cgroup/memory.current");
  if (limit && used) {
    bytes = std::min(bytes, *limit > *used ? *limit - *used : 0);
  }
  return bytes;
}

}  // namespace penstock::inline v0
