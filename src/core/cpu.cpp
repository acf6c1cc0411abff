#include "core/cpu.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>

#include "hwy/targets.h"

namespace penstock::inline v0 {
namespace {

struct Known {
  CpuTarget target;
  const char* name;
  std::int64_t bits;  // Highway's targets that this name stands for
};

// Widest first within an architecture.
constexpr std::array<Known, 5> kKnown = {{
    {CpuTarget::avx512, "avx512", HWY_AVX3 | HWY_AVX3_DL},
    {CpuTarget::avx2, "avx2", HWY_AVX2},
    {CpuTarget::sse4, "sse4", HWY_SSE4},
    {CpuTarget::neon, "neon", HWY_NEON},
    {CpuTarget::scalar, "scalar", HWY_SCALAR | HWY_EMU128},
}};

const Known& known(CpuTarget target) {
  return *std::find_if(kKnown.begin(), kKnown.end(), [&](const Known& k) { return k.target == target; });
}

bool contains(const std::vector<CpuTarget>& list, CpuTarget target) {
  return std::find(list.begin(), list.end(), target) != list.end();
}

std::string names(const std::vector<CpuTarget>& list) {
  std::string text;
  for (const CpuTarget target : list) {
    text += (text.empty() ? "" : ", ") + std::string(name_of(target));
  }
  return text;
}

void apply(CpuTarget target) {
  const std::int64_t bits = known(target).bits;
  hwy::GetChosenTarget().Update(target == CpuTarget::scalar ? bits : bits & hwy::SupportedTargets());
}

// Intel's CPUs with AVX-512 from before AMX lower the clock of the whole core for 512-bit instructions. Our
// kernels are short and stand between long stretches of scalar decoding, which then pays for it:
// docs/design/kernels.md.
bool wide_vectors_slow_the_core() {
#if defined(__x86_64__)
  unsigned eax = 0;
  unsigned vendor[3] = {};
  if (__get_cpuid(0, &eax, &vendor[0], &vendor[2], &vendor[1]) == 0 ||
      std::memcmp(vendor, "GenuineIntel", 12) != 0) {
    return false;
  }
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  constexpr unsigned kAmxTile = 1u << 24;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (edx & kAmxTile) == 0;
#else
  return false;
#endif
}

// Guards the moment of choosing; kernels read Highway's own atomic.
std::mutex& choice_mutex() {
  static std::mutex mutex;
  return mutex;
}

std::optional<CpuTarget>& chosen() {
  static std::optional<CpuTarget> target;
  return target;
}

}  // namespace

const char* name_of(CpuTarget target) noexcept { return known(target).name; }

std::vector<CpuTarget> available_cpu_targets() {
  const std::int64_t supported = hwy::SupportedTargets();
  std::vector<CpuTarget> targets;
  for (const Known& k : kKnown) {
    if (k.target == CpuTarget::scalar || (k.bits & supported) != 0) {
      targets.push_back(k.target);
    }
  }
  if (targets.front() == CpuTarget::avx512 && wide_vectors_slow_the_core()) {
    std::swap(targets[0], targets[1]);  // AVX-512 implies AVX2
  }
  return targets;
}

Result<CpuTarget> detail::choose_cpu_target(std::optional<std::string_view> wanted,
                                            const std::vector<CpuTarget>& available) {
  if (!wanted) {
    return available.front();
  }
  for (const Known& k : kKnown) {
    if (*wanted == k.name) {
      if (contains(available, k.target)) {
        return k.target;
      }
      return Error{ErrorKind::invalid,
                   "PENSTOCK_TARGET=" + std::string(*wanted) + " is not available on this CPU",
                   "use one of " + names(available) + ", or unset it",
                   {}};
    }
  }
  return Error{ErrorKind::invalid,
               "PENSTOCK_TARGET=" + std::string(*wanted) + " is unknown",
               "use one of " + names(available) + ", or unset it",
               {}};
}

Result<CpuTarget> active_cpu_target() {
  const std::lock_guard lock(choice_mutex());
  if (!chosen()) {
    const char* wanted = std::getenv("PENSTOCK_TARGET");
    const bool given = wanted != nullptr && *wanted != '\0';
    const auto value = given ? std::optional<std::string_view>(wanted) : std::nullopt;
    PENSTOCK_ASSIGN(const CpuTarget target, detail::choose_cpu_target(value, available_cpu_targets()));
    apply(target);
    chosen() = target;
  }
  return CpuTarget{*chosen()};
}

Status force_cpu_target_for_test(std::optional<CpuTarget> target) {
  if (!target) {
    {
      const std::lock_guard lock(choice_mutex());
      chosen().reset();
    }
    PENSTOCK_ASSIGN([[maybe_unused]] const CpuTarget usual, active_cpu_target());
    return {};
  }
  const auto available = available_cpu_targets();
  if (!contains(available, *target)) {
    return Error{ErrorKind::invalid,
                 std::string(name_of(*target)) + " is not available on this CPU",
                 "use one of " + names(available),
                 {}};
  }
  const std::lock_guard lock(choice_mutex());
  apply(*target);
  chosen() = *target;
  return {};
}

}  // namespace penstock::inline v0
