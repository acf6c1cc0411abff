#pragma once
// Lists of operations on small images in memory, for tests.

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "transforms/image_program.hpp"

namespace penstock::test {

struct TestImage {
  ImageSize size;
  int channels = 3;
  std::vector<std::uint8_t> bytes;

  static TestImage noise(ImageSize size, unsigned seed, int channels = 3) {
    TestImage image = filled(size, 0, channels);
    std::mt19937 random(seed);
    for (auto& byte : image.bytes) {
      byte = static_cast<std::uint8_t>(random());
    }
    return image;
  }
  static TestImage filled(ImageSize size, std::uint8_t value, int channels = 3) {
    return {
        size, channels,
        std::vector<std::uint8_t>(
            static_cast<std::size_t>(size.width * size.height) * static_cast<std::size_t>(channels), value)};
  }
  std::uint8_t& at(int x, int y, int channel = 0) {
    return bytes[static_cast<std::size_t>((y * size.width + x) * channels + channel)];
  }
  ReadBox reader() const {
    return [this](const Rect& box, const PixelView& view) -> Status {
      const auto pixel = static_cast<std::size_t>(channels);
      for (int y = 0; y < box.height; ++y) {
        std::memcpy(view.data + static_cast<std::size_t>(y) * view.stride,
                    bytes.data() + static_cast<std::size_t>((box.y + y) * size.width + box.x) * pixel,
                    static_cast<std::size_t>(box.width) * pixel);
      }
      return {};
    };
  }
  bool operator==(const TestImage&) const = default;
};

inline TransformPtr make(std::string_view name, const Params& params = {}) {
  auto made = make_transform(name, params);
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().to_string());
  return made.ok() ? *made : nullptr;
}

inline std::string refusal(std::string_view name, const Params& params) {
  const auto made = make_transform(name, params);
  return made.ok() ? "no error" : made.error().to_string();
}

/// What a list makes of an image: 8-bit rows, or the bytes of floats [H, W, C].
inline TestImage run_on(const std::vector<TransformPtr>& list, const TestImage& image,
                        std::uint64_t sample = 0, Fuse fuse = Fuse::exact) {
  const auto program =
      ImageProgram::compile(list, MemoryFormat::channels_last, fuse,
                            {.input = {.size = {}, .type = ElementType::uint8, .channels = image.channels}});
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().to_string());
  const auto workspace = program->make_workspace();
  const auto size = program->resolve(*workspace, image.size, {3, 4, sample});
  EXPECT_TRUE(size.ok()) << (size.ok() ? "" : size.error().to_string());
  TestImage out{*size, program->output().channels, {}};
  out.bytes.resize(static_cast<std::size_t>(size->width * size->height * out.channels) *
                   size_of(program->output().type));
  EXPECT_TRUE(program->run(*workspace, image.reader(), out.bytes.data()).ok());
  return out;
}

/// What one operation draws for a sample.
inline Params drawn_by(const TransformPtr& operation, ImageSize size, std::uint64_t sample,
                       ElementType type = ElementType::uint8) {
  const DrawnPtr drawn = operation->make_drawn();
  Draws draws(RandomKey{3, 4, sample}, 0);
  EXPECT_TRUE(dynamic_cast<const ImageTransform&>(*operation)
                  .draw_for({.image = {.size = size, .type = type}, .boxes = {}}, draws, *drawn)
                  .ok());
  return drawn->values();
}

template <class T>
T value_of(const Params& values, std::string_view name) {
  for (const auto& [key, value] : values) {
    if (key == name) {
      return std::get<T>(value);
    }
  }
  ADD_FAILURE() << "nothing is called " << name;
  return {};
}

}  // namespace penstock::test
