#include "transforms/kernels/write_rows.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "core/each_target_for_test.hpp"
#include "transforms/kernels/resample.hpp"

namespace penstock::inline v0 {
namespace {

FloatTable normalised(std::array<float, 3> mean, std::array<float, 3> std) {
  FloatTable table;
  table.shift({.mean = {mean[0], mean[1], mean[2], mean[2]}, .std = {std[0], std[1], std[2], std[2]}});
  return table;
}

const std::array<float, 3> kMean = {0.485F, 0.456F, 0.406F};
const std::array<float, 3> kStd = {0.229F, 0.224F, 0.225F};

// Writes a random image into guarded memory and compares every element.
void check(ImageSize size, ElementType type, MemoryFormat format, const FloatMap& floats, std::size_t offset,
           std::mt19937& random) {
  const std::size_t stride = static_cast<std::size_t>(size.width) * 3;
  std::vector<std::uint8_t> pixels(stride * static_cast<std::size_t>(size.height) + kRowSlack);
  for (auto& byte : pixels) {
    byte = static_cast<std::uint8_t>(random());
  }
  const std::size_t element = type == ElementType::float32 ? 4 : 1;
  const std::size_t elements = stride * static_cast<std::size_t>(size.height);
  std::vector<std::uint8_t> memory(64 + offset + elements * element + 128, 0xA5);
  const auto misalignment = reinterpret_cast<std::uintptr_t>(memory.data()) % 64;
  std::uint8_t* out = memory.data() + (64 - misalignment) % 64 + offset;
  const ImageSink sink{out, size, type, format, &floats};
  for (int y = 0; y < size.height; ++y) {
    write_row(sink, y, pixels.data() + static_cast<std::size_t>(y) * stride);
  }
  const std::size_t plane = static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
  for (std::size_t i = 0; i < elements; ++i) {
    const std::size_t c = i % 3;
    const std::size_t to = format == MemoryFormat::channels_last ? i : c * plane + i / 3;
    if (type == ElementType::uint8) {
      ASSERT_EQ(out[to], pixels[i]) << size.width << " x " << size.height << " element " << i;
    } else {
      std::uint32_t got = 0;
      std::memcpy(&got, out + to * 4, 4);
      ASSERT_EQ(got, std::bit_cast<std::uint32_t>(floats.table.values[c][pixels[i]]))
          << size.width << " x " << size.height << " element " << i << " value " << int{pixels[i]};
    }
  }
  for (const std::uint8_t* p = memory.data(); p < out; ++p) {
    ASSERT_EQ(*p, 0xA5) << "written before the image";
  }
  for (const std::uint8_t* p = out + elements * element; p < memory.data() + memory.size(); ++p) {
    ASSERT_EQ(*p, 0xA5) << "written after the image";
  }
}

void check_all_forms(const FloatMap& floats) {
  for_each_target([&](CpuTarget) {
    std::mt19937 random(4);
    for (const int width : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 48, 63, 64, 65, 100, 224}) {
      for (const auto format : {MemoryFormat::channels_first, MemoryFormat::channels_last}) {
        for (const std::size_t offset : {std::size_t{0}, std::size_t{4}, std::size_t{20}}) {
          check({width, 3}, ElementType::float32, format, floats, offset, random);
          check({width, 4}, ElementType::float32, format, floats, offset, random);
        }
        for (const std::size_t offset : {std::size_t{0}, std::size_t{1}, std::size_t{13}}) {
          check({width, 3}, ElementType::uint8, format, floats, offset, random);
        }
        if (::testing::Test::HasFatalFailure()) {
          return;
        }
      }
    }
  });
}

TEST(WriteRows, runs_the_target_that_is_forced) {
  for_each_target([](CpuTarget target) { EXPECT_EQ(write_target(), target); });
}

TEST(WriteRows, equals_the_table_when_it_multiplies_doubled_values) {
  const FloatMap floats(normalised(kMean, kStd));
  ASSERT_EQ(floats.method, FloatMap::Method::doubled);
  check_all_forms(floats);
}

TEST(WriteRows, equals_the_table_when_it_multiplies) {
  FloatMap floats(normalised(kMean, kStd));
  floats.method = FloatMap::Method::multiply;
  check_all_forms(floats);
}

TEST(WriteRows, equals_the_table_when_it_divides) {
  FloatMap floats(normalised(kMean, kStd));
  floats.method = FloatMap::Method::divide;
  check_all_forms(floats);
}

TEST(WriteRows, equals_the_table_when_it_looks_up) {
  FloatTable table;
  table.simple = false;
  table.values[1][200] = 1234.5F;
  const FloatMap floats(table);
  ASSERT_EQ(floats.method, FloatMap::Method::lookup);
  check_all_forms(floats);
}

TEST(FloatMap, division_by_255_alone_needs_no_table) {
  EXPECT_EQ(FloatMap(FloatTable()).method, FloatMap::Method::multiply);
}

TEST(FloatMap, falls_back_when_arithmetic_would_differ_from_the_table) {
  FloatTable table = normalised(kMean, kStd);
  table.values[2][17] = std::nextafter(table.values[2][17], 10.0F);
  EXPECT_EQ(FloatMap(table).method, FloatMap::Method::lookup);
}

TEST(FloatMap, a_claim_of_equality_holds_for_many_means_and_deviations) {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> mean(-2.0F, 2.0F), deviation(0.01F, 3.0F);
  int multiplied = 0;
  for (int i = 0; i < 300; ++i) {
    const FloatTable table = normalised({mean(random), mean(random), mean(random)},
                                        {deviation(random), deviation(random), deviation(random)});
    const FloatMap floats(table);
    ASSERT_NE(floats.method, FloatMap::Method::lookup);
    multiplied += floats.method == FloatMap::Method::doubled ? 1 : 0;
  }
  EXPECT_GT(multiplied, 150);  // the fast method is the usual one
}

}  // namespace
}  // namespace penstock::inline v0
