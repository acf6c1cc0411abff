#include "core/cpu.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace penstock::inline v0 {
namespace {

const std::vector<CpuTarget> kLaptop = {CpuTarget::avx2, CpuTarget::sse4, CpuTarget::scalar};

TEST(Cpu, lists_scalar_last) {
  ASSERT_FALSE(available_cpu_targets().empty());
  EXPECT_EQ(available_cpu_targets().back(), CpuTarget::scalar);
}

TEST(Cpu, takes_the_best_target_when_nothing_is_asked_for) {
  EXPECT_EQ(detail::choose_cpu_target(std::nullopt, kLaptop).value(), CpuTarget::avx2);
}

TEST(Cpu, takes_the_target_that_is_asked_for) {
  EXPECT_EQ(detail::choose_cpu_target("sse4", kLaptop).value(), CpuTarget::sse4);
  EXPECT_EQ(detail::choose_cpu_target("scalar", kLaptop).value(), CpuTarget::scalar);
}

TEST(Cpu, refuses_a_target_that_the_cpu_lacks_and_names_those_it_has) {
  const auto result = detail::choose_cpu_target("avx512", kLaptop);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind, ErrorKind::invalid);
  EXPECT_NE(result.error().to_string().find("avx2, sse4, scalar"), std::string::npos)
      << result.error().to_string();
}

TEST(Cpu, refuses_an_unknown_target) {
  for (const char* wanted : {"", "AVX2", "mmx"}) {
    const auto result = detail::choose_cpu_target(wanted, kLaptop);
    ASSERT_FALSE(result.ok()) << wanted;
    EXPECT_NE(result.error().message.find("unknown"), std::string::npos);
  }
}

TEST(Cpu, forces_each_available_target_and_goes_back_to_the_usual_one) {
  ASSERT_TRUE(force_cpu_target_for_test(std::nullopt).ok());
  const CpuTarget usual = active_cpu_target().value();
  for (const CpuTarget target : available_cpu_targets()) {
    ASSERT_TRUE(force_cpu_target_for_test(target).ok());
    EXPECT_EQ(active_cpu_target().value(), target);
  }
  ASSERT_TRUE(force_cpu_target_for_test(std::nullopt).ok());
  EXPECT_EQ(active_cpu_target().value(), usual);
}

TEST(Cpu, cannot_be_forced_to_what_it_lacks) {
  const bool x86 = available_cpu_targets().front() != CpuTarget::neon;
  EXPECT_FALSE(force_cpu_target_for_test(x86 ? CpuTarget::neon : CpuTarget::avx2).ok());
}

TEST(Cpu, reads_the_environment_variable) {
  const char* before = std::getenv("PENSTOCK_TARGET");
  const std::optional<std::string> kept =
      before != nullptr ? std::optional<std::string>(before) : std::nullopt;
  setenv("PENSTOCK_TARGET", "scalar", 1);
  ASSERT_TRUE(force_cpu_target_for_test(std::nullopt).ok());
  EXPECT_EQ(active_cpu_target().value(), CpuTarget::scalar);
  setenv("PENSTOCK_TARGET", "nonsense", 1);
  EXPECT_FALSE(force_cpu_target_for_test(std::nullopt).ok());
  EXPECT_FALSE(active_cpu_target().ok());
  if (kept) {
    setenv("PENSTOCK_TARGET", kept->c_str(), 1);
  } else {
    unsetenv("PENSTOCK_TARGET");
  }
  EXPECT_TRUE(force_cpu_target_for_test(std::nullopt).ok());
}

}  // namespace
}  // namespace penstock::inline v0
