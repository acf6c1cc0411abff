#pragma once
// timm's way of writing a RandAugment in one string.

#include <string_view>

#include "penstock/result.hpp"

namespace penstock::inline v0 {

/// Which operations are drawn from. `weighted` and `three_weighted` are drawn without replacement.
enum class TimmSet : unsigned char { all, three, weighted, three_weighted };

/// "rand-m9-n2-mstd0.5-inc1-p0.5".
struct TimmConfig {
  int magnitude = 10;
  int count = 2;            ///< of operations
  double p = 0.5;           ///< of each of them
  double deviation = 0;     ///< of the magnitude, which is drawn for each operation
  bool uniform = false;     ///< it is drawn between 0 and `magnitude` instead
  int max_magnitude = 10;   ///< larger ones are cut off
  bool increasing = false;  ///< whether all operations are stronger for a larger magnitude
  TimmSet set = TimmSet::all;
};

/// `invalid` with the wrong part named.
Result<TimmConfig> parse_timm_config(std::string_view text);

}  // namespace penstock::inline v0
