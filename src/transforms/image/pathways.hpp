#pragma once
// From colours to what the cells of the lateral geniculate nucleus answer: cones (L, M, S), then pathways,
// each a difference of Gaussians of a sum of cones. slipstream's operations; float32, within 2e-6 of it.

#include <fmt/format.h>

#include <array>
#include <vector>

#include "transforms/kernels/difference_of_gaussians.hpp"
#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {

/// How far a pathway sees. The answer is cut into what is above zero and what is below.
struct Pathway {
  std::array<float, 3> cones{};  ///< what each counts: 1, -1 or 0
  CenterSurround sigmas;
  bool both = true;  ///< below zero is a channel too, after that above
};

inline constexpr std::array<float, 3> kParvoCones = {1, -1, 0};
inline constexpr std::array<float, 3> kMagnoCones = {1, 1, 0};
inline constexpr std::array<float, 3> kKonioCones = {-1, -1, 1};

int channels_of(const std::vector<Pathway>& pathways);
/// Reads three channels of cones. `pathways` must outlive the edit.
FloatEdit pathways_edit(const std::vector<Pathway>& pathways);
/// Linear RGB to cones, in place.
FloatEdit cones_edit();
/// What values of sRGB from 0 to 1 become in linear RGB.
void linearise(FloatTable& table);

/// What comes out of an operation on three channels, as floats.
Result<ImageSpec> describe_pathways(std::string_view operation, const ImageSpec& in, bool from_rgb,
                                    int channels);
Status check_sigmas(std::string_view operation, std::string_view center_name, std::string_view surround_name,
                    const CenterSurround& sigmas);

/// `Parameters` have pathways(), which names its sigmas too; `Self` brings kName, kSummary and kFromRgb.
template <class Self, class Parameters>
class PathwayOperation : public ImageOperation<Self, Parameters> {
 public:
  using ImageOperation<Self, Parameters>::ImageOperation;

  Status check() const override {
    return this->p_.each_sigmas([](const char* center, const char* surround, const CenterSurround& sigmas) {
      return check_sigmas(Self::kName, center, surround, sigmas);
    });
  }
  Result<ImageSpec> describe(const ImageSpec& in) const override {
    return describe_pathways(Self::kName, in, Self::kFromRgb, channels_of(pathways_));
  }
  void map_values(FloatTable& table) const override {
    if (Self::kFromRgb) {
      linearise(table);
    }
  }
  Status plan(const ImageSpec&, const NoDraw&, ImageEdits& edits) const {
    if (Self::kFromRgb) {
      edits.push_back(cones_edit());
    }
    edits.push_back(pathways_edit(pathways_));
    return {};
  }

 private:
  const std::vector<Pathway> pathways_ = this->p_.pathways();
};

}  // namespace penstock::inline v0
