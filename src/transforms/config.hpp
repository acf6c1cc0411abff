#pragma once
// Lists of operations as plain values: what transforms.to_config() of Python gives, and dicts with _target_,
// as JSON.

#include <string_view>
#include <vector>

#include "penstock/result.hpp"
#include "penstock/transform.hpp"

namespace penstock::inline v0 {

/// One of the two is empty.
struct TransformsConfig {
  std::vector<TransformPtr> list;
  std::vector<View> views;
};

/// [{"op": name, parameter: value, ...}, ...] or {"views": {name: list or [count, list]}}. In place of "op"
/// there may be "_target_" with the name of a class: penstock.transforms.X or torchvision's X. `invalid`
/// names the path of what is wrong, such as views.a[2].size.
Result<TransformsConfig> transforms_from_json(std::string_view text);

}  // namespace penstock::inline v0
