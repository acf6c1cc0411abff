#include "codecs/kernels/audio_samples.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "core/each_target_for_test.hpp"

namespace penstock::inline v0 {
namespace {

constexpr SampleFormat kFormats[] = {SampleFormat::uint8, SampleFormat::int16,   SampleFormat::int24,
                                     SampleFormat::int32, SampleFormat::float32, SampleFormat::float64,
                                     SampleFormat::a_law, SampleFormat::mu_law};

// The value by the definition of the format, in double precision, rounded once.
float expected(SampleFormat format, const std::uint8_t* in) {
  switch (format) {
    case SampleFormat::uint8:
      return static_cast<float>((in[0] - 128.0) / 128);
    case SampleFormat::int16:
      return static_cast<float>(static_cast<std::int16_t>(in[0] | in[1] << 8) / 32768.0);
    case SampleFormat::int24: {
      const int value = in[0] | in[1] << 8 | in[2] << 16;
      return static_cast<float>((value >= 1 << 23 ? value - (1 << 24) : value) / 8388608.0);
    }
    case SampleFormat::int32: {
      std::int32_t value = 0;
      std::memcpy(&value, in, 4);
      return static_cast<float>(value / 2147483648.0);
    }
    case SampleFormat::float32: {
      float value = 0;
      std::memcpy(&value, in, 4);
      return value;
    }
    case SampleFormat::float64: {
      double value = 0;
      std::memcpy(&value, in, 8);
      return static_cast<float>(value);
    }
    case SampleFormat::a_law: {
      // Sign, three bits of segment, four of step; every other bit inverted. The smallest step is 2 of 4096.
      const int bits = in[0] ^ 0x55;
      const int segment = bits >> 4 & 7;
      const double step = bits & 15;
      const double size = segment == 0 ? 2 * step + 1 : std::ldexp(2 * step + 33, segment - 1);
      return static_cast<float>((bits & 0x80 ? size : -size) / 4096);
    }
    case SampleFormat::mu_law: {
      const int bits = ~in[0] & 0xFF;
      const double size = std::ldexp(2.0 * (bits & 15) + 33, bits >> 4 & 7) - 33;
      return static_cast<float>((bits & 0x80 ? -size : size) / 8192) + 0.0F;  // there is no negative zero
    }
  }
  return 0;
}

TEST(AudioSamples, equal_their_definition_on_every_target) {
  print_untried_targets();
  for_each_target([](CpuTarget target) {
    ASSERT_EQ(audio_samples_target(), target);
    std::mt19937 random(6);
    for (const SampleFormat format : kFormats) {
      const std::size_t size = bytes_of(format);
      for (std::size_t count = 0; count < 70; ++count) {
        // The input ends where its memory ends, so that a sanitizer sees a read past it; its start is odd.
        std::vector<std::uint8_t> memory(1 + count * size);
        for (auto& byte : memory) {
          byte = static_cast<std::uint8_t>(random());
        }
        const std::uint8_t* const in = memory.data() + 1;
        std::vector<float> out(count + 2, 7.0F);
        samples_to_float(format, in, count, out.data() + 1);
        EXPECT_EQ(out.front(), 7.0F);
        EXPECT_EQ(out.back(), 7.0F);
        for (std::size_t i = 0; i < count; ++i) {
          const float want = expected(format, in + i * size);
          if (std::isnan(want)) {
            ASSERT_TRUE(std::isnan(out[i + 1]));
          } else {
            ASSERT_EQ(std::bit_cast<std::uint32_t>(out[i + 1]), std::bit_cast<std::uint32_t>(want))
                << "format " << static_cast<int>(format) << ", sample " << i << " of " << count;
          }
        }
      }
    }
  });
}

TEST(AudioSamples, every_code_of_one_byte_equals_its_definition) {
  std::vector<std::uint8_t> codes(256);
  for (std::size_t i = 0; i < codes.size(); ++i) {
    codes[i] = static_cast<std::uint8_t>(i);
  }
  for (const SampleFormat format : {SampleFormat::uint8, SampleFormat::a_law, SampleFormat::mu_law}) {
    std::vector<float> out(256);
    samples_to_float(format, codes.data(), codes.size(), out.data());
    for (std::size_t i = 0; i < codes.size(); ++i) {
      ASSERT_EQ(out[i], expected(format, &codes[i])) << static_cast<int>(format) << " code " << i;
    }
  }
}

TEST(AudioSamples, channels_are_split_and_mixed_on_every_target) {
  for_each_target([](CpuTarget) {
    std::mt19937 random(7);
    std::uniform_real_distribution<float> draw(-1, 1);
    for (const std::size_t channels : {1, 2, 3, 8}) {
      for (const std::size_t frames : {0, 1, 3, 4, 8, 15, 16, 17, 33, 64, 67}) {
        std::vector<float> in(frames * channels);
        for (float& value : in) {
          value = draw(random);
        }
        const std::size_t stride = frames + 3;
        std::vector<float> out(channels * stride, 7.0F);
        split_channels(in.data(), frames, channels, out.data(), stride);
        for (std::size_t c = 0; c < channels; ++c) {
          for (std::size_t i = 0; i < stride; ++i) {
            ASSERT_EQ(out[c * stride + i], i < frames ? in[i * channels + c] : 7.0F);
          }
        }
        std::vector<float> mono(frames + 1, 7.0F);
        mix_channels(out.data(), frames, channels, stride, mono.data());
        for (std::size_t i = 0; i < frames; ++i) {
          float sum = 0;
          for (std::size_t c = 0; c < channels; ++c) {
            sum += in[i * channels + c];
          }
          ASSERT_EQ(mono[i], sum / static_cast<float>(channels));
        }
        EXPECT_EQ(mono.back(), 7.0F);
      }
    }
  });
}

TEST(AudioSamples, one_value_that_is_not_finite_is_found_anywhere) {
  for_each_target([](CpuTarget) {
    for (std::size_t count = 0; count < 150; ++count) {
      std::vector<float> values(count, 3.4e38F);
      EXPECT_TRUE(all_within(values.data(), count, 3.4e38F));
      EXPECT_EQ(all_within(values.data(), count, 3.3e38F), count == 0);
      for (std::size_t i = 0; i < count; ++i) {
        for (const float odd : {HUGE_VALF, -HUGE_VALF, std::nanf("")}) {
          values[i] = odd;
          EXPECT_FALSE(all_within(values.data(), count, 3.4e38F)) << i << " of " << count;
        }
        values[i] = -3.4e38F;
      }
    }
  });
}

}  // namespace
}  // namespace penstock::inline v0
