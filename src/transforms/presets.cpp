#include "penstock/transform.hpp"
#include "transforms/python_round.hpp"

namespace penstock::inline v0::presets {
namespace {

transforms::Normalize imagenet_normalize() {
  return {.mean = {kImagenetMean.begin(), kImagenetMean.end()},
          .std = {kImagenetStd.begin(), kImagenetStd.end()}};
}

}  // namespace

std::vector<TransformPtr> imagenet_train(int size) {
  return {transforms::RandomResizedCrop{.size = size}, transforms::RandomHorizontalFlip{},
          transforms::ToFloat{}, imagenet_normalize()};
}

std::vector<TransformPtr> imagenet_val(int size) {
  const auto shorter = static_cast<int>(python_round(size * 256.0 / 224.0));
  return {transforms::Resize{.size = shorter}, transforms::CenterCrop{.size = size}, transforms::ToFloat{},
          imagenet_normalize()};
}

}  // namespace penstock::inline v0::presets
