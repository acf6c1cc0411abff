// Programs written for the names before 0.2 compile, with warnings.
#include <gtest/gtest.h>

#include <type_traits>

#include "penstock/sound_build.hpp"
#include "penstock/sound_transform.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace penstock::test {
namespace {

static_assert(std::is_same_v<SoundBuildSettings, AudioBuildSettings>);  // deprecated name
static_assert(std::is_same_v<SoundWindow, AudioWindow>);                // deprecated name
static_assert(std::is_same_v<penstock::Error, penstock::v0::Error>);

TEST(deprecated_names, a_function_does_what_its_new_name_does) {
  const auto before = build_sound("/nowhere", "/nowhere/x.h5");  // deprecated name
  const auto after = build_audio("/nowhere", "/nowhere/x.h5");
  ASSERT_FALSE(before.ok());
  EXPECT_EQ(before.error().to_string(), after.error().to_string());
}

}  // namespace
}  // namespace penstock::test

#pragma GCC diagnostic pop
