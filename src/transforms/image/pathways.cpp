#include "transforms/image/pathways.hpp"

#include <algorithm>
#include <cmath>

#include "transforms/kernels/channels.hpp"

namespace penstock::inline v0 {
namespace {

constexpr double kMaxSigma = 100;

// The sRGB matrix to XYZ, then CAT02.
ColorMatrix linear_to_cones() {
  constexpr double kToXyz[3][3] = {
      {0.412453, 0.357580, 0.180423}, {0.212671, 0.715160, 0.072169}, {0.019334, 0.119193, 0.950227}};
  constexpr double kToLms[3][3] = {
      {0.7328, 0.4296, -0.1624}, {-0.7036, 1.6975, 0.0061}, {0.0030, 0.0136, 0.9834}};
  ColorMatrix matrix;
  for (std::size_t y = 0; y < 3; ++y) {
    for (std::size_t x = 0; x < 3; ++x) {
      double sum = 0;
      for (std::size_t i = 0; i < 3; ++i) {
        sum += kToLms[y][i] * kToXyz[i][x];
      }
      matrix.by[y][x] = static_cast<float>(sum);
    }
  }
  return matrix;
}

std::size_t pixels_of(const FloatRows& image) {
  return static_cast<std::size_t>(image.size.width) * static_cast<std::size_t>(image.size.height);
}

// What lies between values of one channel.
std::size_t step_of(const FloatRows& image) {
  return image.format == MemoryFormat::channels_first ? 1 : static_cast<std::size_t>(image.channels);
}
float* plane_of(const FloatRows& image, std::size_t channel) {
  return image.data + (image.format == MemoryFormat::channels_first ? channel * pixels_of(image) : channel);
}

void to_cones(const FloatEdit&, const FloatRows& image) {
  static const ColorMatrix matrix = linear_to_cones();
  const std::size_t pixels = pixels_of(image);
  if (image.format == MemoryFormat::channels_first) {
    float* const planes[3] = {plane_of(image, 0), plane_of(image, 1), plane_of(image, 2)};
    mix_planes(planes, pixels, matrix);
    return;
  }
  constexpr std::size_t kSome = 256;
  float apart[3][kSome];
  float* const planes[3] = {apart[0], apart[1], apart[2]};
  for (std::size_t first = 0; first < pixels; first += kSome) {
    const std::size_t count = std::min(kSome, pixels - first);
    float* const at = image.data + first * 3;
    for (std::size_t i = 0; i < count * 3; ++i) {
      apart[i % 3][i / 3] = at[i];
    }
    mix_planes(planes, count, matrix);
    for (std::size_t i = 0; i < count * 3; ++i) {
      at[i] = apart[i % 3][i / 3];
    }
  }
}

void answer(const FloatEdit& edit, const FloatRows& in, const FloatRows& out, Scratch& scratch) {
  const auto& pathways = *static_cast<const std::vector<Pathway>*>(edit.drawn);
  const std::size_t pixels = pixels_of(in);
  std::size_t bytes = 0;
  for (const Pathway& pathway : pathways) {
    bytes = std::max(bytes, work_of_difference(in.size, pathway.sigmas));
  }
  std::uint8_t* const work = scratch.reserve(2 * pixels * sizeof(float) + bytes);
  auto* const sums = reinterpret_cast<float*>(work);
  float* const answers = sums + pixels;
  std::size_t channel = 0;
  for (const Pathway& pathway : pathways) {
    std::fill_n(sums, pixels, 0.0F);
    for (std::size_t cone = 0; cone < 3; ++cone) {
      const float* from = plane_of(in, cone);
      const std::size_t step = step_of(in);
      for (std::size_t i = 0; pathway.cones[cone] > 0 && i < pixels; ++i) {
        sums[i] += from[i * step];
      }
      for (std::size_t i = 0; pathway.cones[cone] < 0 && i < pixels; ++i) {
        sums[i] -= from[i * step];
      }
    }
    difference_of_gaussians(sums, in.size, pathway.sigmas, answers, work + 2 * pixels * sizeof(float));
    for (const float sign : {1.0F, -1.0F}) {
      if (sign < 0 && !pathway.both) {
        continue;
      }
      float* to = plane_of(out, channel++);
      for (std::size_t i = 0; i < pixels; ++i) {
        to[i * step_of(out)] = std::max(sign * answers[i], 0.0F);
      }
    }
  }
}

}  // namespace

int channels_of(const std::vector<Pathway>& pathways) {
  int channels = 0;
  for (const Pathway& pathway : pathways) {
    channels += pathway.both ? 2 : 1;
  }
  return channels;
}

FloatEdit pathways_edit(const std::vector<Pathway>& pathways) {
  return {.name = "pathways", .drawn = &pathways, .make = &answer, .channels = channels_of(pathways)};
}

FloatEdit cones_edit() { return {.name = "cones", .run = &to_cones}; }

void linearise(FloatTable& table) {
  for (auto& channel : table.values) {
    for (float& value : channel) {
      const double x = value;
      value = static_cast<float>(x > 0.04045 ? std::pow((x + 0.055) / 1.055, 2.4) : x / 12.92);
    }
  }
  table.simple = false;
}

Result<ImageSpec> describe_pathways(std::string_view operation, const ImageSpec& in, bool from_rgb,
                                    int channels) {
  if (in.channels != 3 || (in.type != ElementType::uint8 && in.type != ElementType::float32)) {
    return Error{ErrorKind::invalid,
                 fmt::format("{} works on three channels of 8 bits or of floats", operation),
                 "read the images with mode=\"RGB\"",
                 {}};
  }
  if (from_rgb && in.values_done) {
    return Error{ErrorKind::invalid,
                 fmt::format("{} cannot follow an operation on floats", operation),
                 "put it before that, or right after ToFloat",
                 {}};
  }
  return ImageSpec{.size = in.size, .type = ElementType::float32, .channels = channels, .values_done = true};
}

Status check_sigmas(std::string_view operation, std::string_view center_name, std::string_view surround_name,
                    const CenterSurround& sigmas) {
  for (const auto& [name, sigma] :
       {std::pair(center_name, sigmas.center), {surround_name, sigmas.surround}}) {
    if (!(sigma > 0) || !(sigma <= kMaxSigma)) {
      return invalid_parameter(operation, name,
                               fmt::format("must be positive and at most {}, got {}", kMaxSigma, sigma), "");
    }
  }
  return {};
}

}  // namespace penstock::inline v0
