#include "codecs/rgb_loss.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "core/printable.hpp"

namespace penstock::inline v0 {
namespace {

bool names_a_mask(const std::string& field) {
  std::string lower = field;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return lower.find("seg") != std::string::npos || lower.find("mask") != std::string::npos;
}

}  // namespace

std::string rgb_loss_text(RgbLoss loss, const std::string& field, const std::string& extension) {
  const auto say = [&](std::string_view what, std::string_view reading, std::string_view mode) {
    return fmt::format("field '{}': {} by mode RGB; ask for penstock.{}(\"{}\"{})", printable(field), what,
                       reading, printable(extension), mode);
  };
  switch (loss) {
    case RgbLoss::none:
      return {};
    case RgbLoss::depth:
      return say("16-bit gray is reduced to 8 bits", "Image", ", mode=\"I;16\"");
    case RgbLoss::palette:
    case RgbLoss::palette_and_alpha:
      if (names_a_mask(field)) {
        return say("the values of a mask are replaced with the colours of its palette", "Mask", "");
      }
      if (loss == RgbLoss::palette) {
        return {};
      }
      break;
    case RgbLoss::alpha:
      break;
  }
  return say("transparency is dropped", "Image", ", mode=\"RGBA\"");
}

std::string RgbLossNote::text() const {
  const unsigned seen = seen_.load(std::memory_order_relaxed);
  for (const RgbLoss loss : {RgbLoss::depth, RgbLoss::palette, RgbLoss::palette_and_alpha, RgbLoss::alpha}) {
    if ((seen & (1U << static_cast<unsigned>(loss))) != 0) {
      if (std::string text = rgb_loss_text(loss, field_, extension_); !text.empty()) {
        return text;
      }
    }
  }
  return {};
}

}  // namespace penstock::inline v0
