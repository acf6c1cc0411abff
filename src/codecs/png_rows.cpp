#include "codecs/png_rows.hpp"

#include <spng.h>

#include <algorithm>
#include <cstring>

namespace penstock::inline v0::detail {

int PngHeader::channels() const noexcept {
  switch (color_type) {
    case SPNG_COLOR_TYPE_TRUECOLOR:
      return 3;
    case SPNG_COLOR_TYPE_TRUECOLOR_ALPHA:
      return 4;
    case SPNG_COLOR_TYPE_GRAYSCALE_ALPHA:
      return 2;
    default:
      return 1;
  }
}

void PngRows::start(const PngHeader& header, ByteSpan palette, ByteSpan transparency) {
  header_ = header;
  opaque_ = 255;
  has_key_ = false;
  colors_.fill({0, 0, 0, 255});
  if (header.color_type == SPNG_COLOR_TYPE_INDEXED) {
    for (std::size_t i = 0; i < std::min<std::size_t>(palette.size() / 3, colors_.size()); ++i) {
      std::copy_n(palette.data() + i * 3, 3, colors_[i].data());
    }
    for (std::size_t i = 0; i < std::min(transparency.size(), colors_.size()); ++i) {
      colors_[i][3] = transparency[i];
    }
  } else if (header.color_type == SPNG_COLOR_TYPE_GRAYSCALE && header.bit_depth <= 8) {
    const unsigned top = (1u << header.bit_depth) - 1;
    for (unsigned level = 0; level <= top; ++level) {
      std::fill_n(colors_[level].data(), 3, static_cast<std::uint8_t>(level * 255 / top));
    }
    if (transparency.size() >= 2) {
      // Pillow compares the scaled levels with the number as it stands, except for one bit.
      const unsigned number = transparency[1];
      const bool any = (transparency[0] | transparency[1]) != 0;
      const unsigned key = header.bit_depth == 1 ? (any ? 255u : 0u) : number;
      for (auto& color : colors_) {
        color[3] = color[0] == key ? 0 : 255;
      }
    }
  } else if (header.color_type == SPNG_COLOR_TYPE_GRAYSCALE && transparency.size() >= 2) {
    has_key_ = true;
    key_.fill(transparency[1]);  // Pillow's: the low byte, compared with what is left of 16 bits
  } else if (header.color_type == SPNG_COLOR_TYPE_TRUECOLOR && transparency.size() >= 6) {
    has_key_ = true;
    key_ = {transparency[1], transparency[3], transparency[5]};  // Pillow's: the low bytes
  }
}

void PngRows::convert(const std::uint8_t* raw, int x, int width, PixelLayout layout, std::uint8_t* out) {
  if (header_.channels() > 1) {
    convert_colors(raw, x, width, layout, out);
  } else if (header_.bit_depth == 16) {
    convert_gray_16(raw, x, width, layout, out);
  } else {
    convert_levels(raw, x, width, layout, out);
  }
}

void PngRows::convert_levels(const std::uint8_t* raw, int x, int width, PixelLayout layout,
                             std::uint8_t* out) {
  const auto depth = static_cast<unsigned>(header_.bit_depth);
  const unsigned mask = (1u << depth) - 1;
  const auto each = [&](auto put) {
    for (std::size_t i = static_cast<std::size_t>(x), end = i + static_cast<std::size_t>(width); i < end;
         ++i) {
      const std::size_t bit = i * depth;
      put((raw[bit / 8] >> (8 - depth - bit % 8)) & mask);
    }
  };
  const std::size_t step = pixel_bytes(layout);
  if (layout == PixelLayout::index) {
    each([&](unsigned index) { *out++ = static_cast<std::uint8_t>(index); });
  } else if (layout == PixelLayout::rgba) {
    each([&](unsigned index) {
      std::memcpy(out, colors_[index].data(), 4);
      out += step;
    });
  } else if (layout == PixelLayout::gray) {
    each([&](unsigned index) { *out++ = colors_[index][0]; });
  } else {
    std::uint8_t opaque = opaque_;
    each([&](unsigned index) {
      std::memcpy(out, colors_[index].data(), 3);
      opaque &= colors_[index][3];
      out += step;
    });
    opaque_ = opaque;
  }
}

void PngRows::convert_gray_16(const std::uint8_t* raw, int x, int width, PixelLayout layout,
                              std::uint8_t* out) const {
  const std::uint8_t* in = raw + std::size_t{2} * static_cast<std::size_t>(x);
  for (int i = 0; i < width; ++i, in += 2) {
    if (layout == PixelLayout::gray_16) {
      const auto value = static_cast<std::uint16_t>(in[0] << 8 | in[1]);
      std::memcpy(out, &value, 2);
      out += 2;
    } else {
      const std::uint8_t level = in[0] != 0 ? std::uint8_t{255} : in[1];
      out = std::fill_n(out, 3, level);
      if (layout == PixelLayout::rgba) {
        *out++ = has_key_ && level == key_[0] ? 0 : 255;
      }
    }
  }
}

void PngRows::convert_colors(const std::uint8_t* raw, int x, int width, PixelLayout layout,
                             std::uint8_t* out) {
  const std::size_t sample = header_.bit_depth == 16 ? 2 : 1;  // the first byte of 16 bits is the high one
  const auto channels = static_cast<std::size_t>(header_.channels());
  const std::uint8_t* in = raw + channels * sample * static_cast<std::size_t>(x);
  const bool with_alpha = layout == PixelLayout::rgba;
  if (channels == 3 && sample == 1 && !with_alpha) {
    std::memcpy(out, in, std::size_t{3} * static_cast<std::size_t>(width));
    return;
  }
  const bool has_alpha = channels != 3;
  const std::size_t green = channels == 2 ? 0 : sample;
  const std::size_t alpha = (channels - 1) * sample;
  const std::size_t step = pixel_bytes(layout);
  std::uint8_t opaque = opaque_;
  for (int i = 0; i < width; ++i, in += channels * sample, out += step) {
    out[0] = in[0];
    out[1] = in[green];
    out[2] = in[2 * green];
    const std::uint8_t covered =
        has_alpha
            ? in[alpha]
            : static_cast<std::uint8_t>(has_key_ && std::equal(key_.begin(), key_.end(), out) ? 0 : 255);
    opaque &= covered;
    if (with_alpha) {
      out[3] = covered;
    }
  }
  opaque_ = opaque;
}

}  // namespace penstock::inline v0::detail
