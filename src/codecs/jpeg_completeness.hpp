#pragma once
// Whether a JPEG file held all of its scans.

#include <cstdio>
// jpeglib.h needs <cstdio> before it.
#include <jpeglib.h>

#include <algorithm>

namespace penstock::inline v0::detail {

inline constexpr const char* kScansMissing =
    "scans are missing: a component has none, or progressive ones stop short of full precision";

/// Every component was in a scan, and progressive ones reached full precision. After jpeg_start_decompress()
/// or jpeg_read_coefficients(), which take a component without a scan for an empty one, with no table to
/// scale it.
inline bool all_scans_arrived(const jpeg_decompress_struct& cinfo) {
  for (int component = 0; component < cinfo.num_components; ++component) {
    if (cinfo.comp_info[component].quant_table == nullptr) {
      return false;
    }
    if (cinfo.progressive_mode && cinfo.coef_bits != nullptr) {
      const int* const bits = cinfo.coef_bits[component];
      if (std::any_of(bits, bits + DCTSIZE2, [](int missing) { return missing != 0; })) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace penstock::inline v0::detail
