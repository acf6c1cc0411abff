// Results of Pillow 13.0.0, as hashes: Image.resize of a drawn image, over all filters, both orders of
// passes and sizes of which one stays the same.

#include <gtest/gtest.h>

#include "core/each_target_for_test.hpp"
#include "transforms/image_program.hpp"

namespace penstock::inline v0 {
namespace {

using transforms::Interpolation;

struct Golden {
  ImageSize from;
  ImageSize to;
  Interpolation filter;
  std::uint64_t hash;  // FNV-1a over the rows of RGB bytes
};

constexpr Golden kGolden[] = {
    {{61, 47}, {32, 24}, Interpolation::nearest, 0xa3f43a1c274a23ddu},
    {{61, 47}, {32, 24}, Interpolation::box, 0x0c0ba1e2c6002cb8u},
    {{61, 47}, {32, 24}, Interpolation::bilinear, 0xd0689939aaf0eb42u},
    {{61, 47}, {32, 24}, Interpolation::hamming, 0xf5fa770620f5f90fu},
    {{61, 47}, {32, 24}, Interpolation::bicubic, 0x428dca799f5c0e3du},
    {{61, 47}, {32, 24}, Interpolation::lanczos, 0xb2a69107240150dbu},
    {{40, 120}, {38, 24}, Interpolation::nearest, 0x636ba8a310cd2abdu},
    {{40, 120}, {38, 24}, Interpolation::box, 0xc63a578b3d98c8d9u},
    {{40, 120}, {38, 24}, Interpolation::bilinear, 0xe8e91934362bcb3fu},
    {{40, 120}, {38, 24}, Interpolation::hamming, 0x6ae257c90f7cdbb2u},
    {{40, 120}, {38, 24}, Interpolation::bicubic, 0xb0914262816c2298u},
    {{40, 120}, {38, 24}, Interpolation::lanczos, 0x7f6c5d6c67a63a08u},
    {{120, 40}, {24, 38}, Interpolation::nearest, 0x22c00a9457822eccu},
    {{120, 40}, {24, 38}, Interpolation::box, 0xf234e9f904c6e087u},
    {{120, 40}, {24, 38}, Interpolation::bilinear, 0xae3b59927c2fedcdu},
    {{120, 40}, {24, 38}, Interpolation::hamming, 0xfd4da86e06594959u},
    {{120, 40}, {24, 38}, Interpolation::bicubic, 0x6b9b72925aa06944u},
    {{120, 40}, {24, 38}, Interpolation::lanczos, 0x74f3726f6642a31au},
    {{33, 21}, {70, 90}, Interpolation::nearest, 0x372199c27bcd64abu},
    {{33, 21}, {70, 90}, Interpolation::box, 0x372199c27bcd64abu},
    {{33, 21}, {70, 90}, Interpolation::bilinear, 0x80bdfc7c626eb3a4u},
    {{33, 21}, {70, 90}, Interpolation::hamming, 0x54c5eee4ba8ecaa2u},
    {{33, 21}, {70, 90}, Interpolation::bicubic, 0x928c8e6582a415a6u},
    {{33, 21}, {70, 90}, Interpolation::lanczos, 0xdcae08461f85359bu},
    {{50, 50}, {50, 20}, Interpolation::nearest, 0xfc24d0f8eeb5266cu},
    {{50, 50}, {50, 20}, Interpolation::box, 0x9fb1931299c013c5u},
    {{50, 50}, {50, 20}, Interpolation::bilinear, 0x3eb0f75da5dbfe5du},
    {{50, 50}, {50, 20}, Interpolation::hamming, 0xd89f406de2967897u},
    {{50, 50}, {50, 20}, Interpolation::bicubic, 0x4537c0ae1878b346u},
    {{50, 50}, {50, 20}, Interpolation::lanczos, 0x415c1a64f7b57527u},
    {{50, 50}, {20, 50}, Interpolation::nearest, 0x8d885ea39e872737u},
    {{50, 50}, {20, 50}, Interpolation::box, 0x85d3c9544e63f0adu},
    {{50, 50}, {20, 50}, Interpolation::bilinear, 0xe3a08e7266da2c4fu},
    {{50, 50}, {20, 50}, Interpolation::hamming, 0x53c799929a303563u},
    {{50, 50}, {20, 50}, Interpolation::bicubic, 0x2175e247968df39fu},
    {{50, 50}, {20, 50}, Interpolation::lanczos, 0xf3c1822fffff9885u},
    {{90, 60}, {45, 59}, Interpolation::nearest, 0x3b76ac863a9ab7d9u},
    {{90, 60}, {45, 59}, Interpolation::box, 0xfaf07a1586a7a8aau},
    {{90, 60}, {45, 59}, Interpolation::bilinear, 0x46d791b6aeba4bcbu},
    {{90, 60}, {45, 59}, Interpolation::hamming, 0x9d0b2603b702c153u},
    {{90, 60}, {45, 59}, Interpolation::bicubic, 0x8a213fe3674462edu},
    {{90, 60}, {45, 59}, Interpolation::lanczos, 0x0d611f9885d0e2c6u},
    {{5, 300}, {7, 9}, Interpolation::nearest, 0x6db8ca88e6e29e6fu},
    {{5, 300}, {7, 9}, Interpolation::box, 0x812ed764037e8e44u},
    {{5, 300}, {7, 9}, Interpolation::bilinear, 0x11b3af2af263f557u},
    {{5, 300}, {7, 9}, Interpolation::hamming, 0x74dc52d73c538043u},
    {{5, 300}, {7, 9}, Interpolation::bicubic, 0xd344560e889a7e8fu},
    {{5, 300}, {7, 9}, Interpolation::lanczos, 0x1b7bc6b954f62501u},
    {{60, 100}, {40, 50}, Interpolation::nearest, 0xc290c71047d096edu},
    {{60, 100}, {40, 50}, Interpolation::box, 0xd8964ff17d8d0c7du},
    {{60, 100}, {40, 50}, Interpolation::bilinear, 0xe9a44476f9726721u},
    {{60, 100}, {40, 50}, Interpolation::hamming, 0x0a34da4d677a63dau},
    {{60, 100}, {40, 50}, Interpolation::bicubic, 0x7d4a817415def178u},
    {{60, 100}, {40, 50}, Interpolation::lanczos, 0x43e0b77cabe837bfu},
    {{60, 90}, {40, 50}, Interpolation::nearest, 0xdcf97deb9e9170bbu},
    {{60, 90}, {40, 50}, Interpolation::box, 0xdf0d48f93da30d76u},
    {{60, 90}, {40, 50}, Interpolation::bilinear, 0x395954a6021b7e32u},
    {{60, 90}, {40, 50}, Interpolation::hamming, 0x88d719c86a3e5920u},
    {{60, 90}, {40, 50}, Interpolation::bicubic, 0x377990fdb9d12100u},
    {{60, 90}, {40, 50}, Interpolation::lanczos, 0x287053ace9570d32u},
    {{60, 91}, {40, 50}, Interpolation::nearest, 0xab31e8b4085b3277u},
    {{60, 91}, {40, 50}, Interpolation::box, 0xbddb340ca6264423u},
    {{60, 91}, {40, 50}, Interpolation::bilinear, 0x80a7e0008f757254u},
    {{60, 91}, {40, 50}, Interpolation::hamming, 0x4492343f6e8eea22u},
    {{60, 91}, {40, 50}, Interpolation::bicubic, 0xb6b5a09c1d30ece6u},
    {{60, 91}, {40, 50}, Interpolation::lanczos, 0xe5eff857a2928864u},
    {{30, 60}, {60, 59}, Interpolation::nearest, 0x0589d3a38a07d381u},
    {{30, 60}, {60, 59}, Interpolation::box, 0xc40b21a65d7a5f87u},
    {{30, 60}, {60, 59}, Interpolation::bilinear, 0x72be674163efd03au},
    {{30, 60}, {60, 59}, Interpolation::hamming, 0xe7c78b73a7bc39e3u},
    {{30, 60}, {60, 59}, Interpolation::bicubic, 0x4a34a710d5c83988u},
    {{30, 60}, {60, 59}, Interpolation::lanczos, 0xc41adb1c026190e3u},
};

std::uint8_t drawn(std::uint32_t x, std::uint32_t y, std::uint32_t c) {
  const std::uint32_t v = x * x * 7 + y * y * 13 + x * y * 5 + c * 91 + (x ^ y) * 31;
  return static_cast<std::uint8_t>(v ^ (v >> 7));
}

Status draw_gradient(const Rect& box, const PixelView& view) {
  for (int y = 0; y < box.height; ++y) {
    for (int i = 0; i < box.width * 3; ++i) {
      view.data[static_cast<std::size_t>(y) * view.stride + static_cast<std::size_t>(i)] =
          drawn(static_cast<std::uint32_t>(box.x + i / 3), static_cast<std::uint32_t>(box.y + y),
                static_cast<std::uint32_t>(i % 3));
    }
  }
  return {};
}

TEST(Pillow, resize_gives_its_bytes_on_every_target) {
  for_each_target([](CpuTarget) {
    for (const Golden& golden : kGolden) {
      const transforms::Resize resize{.size = {golden.to.height, golden.to.width},
                                      .interpolation = golden.filter};
      const auto program = ImageProgram::compile({resize}, MemoryFormat::channels_last).value();
      const auto workspace = program.make_workspace();
      ASSERT_TRUE(program.resolve(*workspace, golden.from, {}).ok());
      std::vector<std::uint8_t> out(static_cast<std::size_t>(golden.to.width * golden.to.height) * 3);
      ASSERT_TRUE(program.run(*workspace, draw_gradient, out.data()).ok());
      std::uint64_t hash = 0xcbf29ce484222325u;
      for (const std::uint8_t byte : out) {
        hash = (hash ^ byte) * 0x100000001b3u;
      }
      EXPECT_EQ(hash, golden.hash) << golden.from.width << " x " << golden.from.height << " to "
                                   << golden.to.width << " x " << golden.to.height << " filter "
                                   << static_cast<int>(golden.filter);
    }
  });
}

}  // namespace
}  // namespace penstock::inline v0
