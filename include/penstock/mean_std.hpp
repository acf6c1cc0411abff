#pragma once
// Mean and standard deviation of a data set's images, channel by channel.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "penstock/loader.hpp"
#include "penstock/result.hpp"

namespace penstock::inline v0 {

struct MeanStd {
  std::vector<double> mean;  ///< of each channel: of values in 0..1, or of the floats that transforms gave
  std::vector<double>
      std;  ///< of all values, not an estimate from a sample of them (divided by n, not n - 1)
  std::uint64_t images = 0;
  std::uint64_t pixels = 0;  ///< of all images
};

/// Called with images done and all of them; false ends the work with `cancelled`.
using MeanStdProgress = std::function<bool(std::uint64_t done, std::uint64_t total)>;

/// Of one epoch of the loader: whole images where it has no transforms, else what those give. Values of 8 and
/// 16 bits are added as integers, hence exactly; floats in double precision, in an order that the number of
/// workers does not change. `field` must be delivered as images with the same channels in every row.
Result<MeanStd> compute_mean_std(Loader& loader, const std::string& field = "image",
                                 const MeanStdProgress& progress = {});

}  // namespace penstock::inline v0
