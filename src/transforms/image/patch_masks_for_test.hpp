#pragma once
// For tests of operations that make masks of patches: what they give for a row of a batch.

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "transforms/image_program.hpp"
#include "transforms/run_for_test.hpp"

namespace penstock::test {

using Mask = std::vector<std::uint8_t>;

/// One operation, drawing for one row after the other as a worker does.
class MaskRunner {
 public:
  explicit MaskRunner(const TransformPtr& operation)
      : program_(ImageProgram::compile({operation}, MemoryFormat::channels_last).value()),
        workspace_(program_.make_workspace()) {}

  void draw(std::uint64_t sample, const BatchPlace& place = {}) {
    EXPECT_TRUE(program_.resolve(*workspace_, {8, 8}, {3, 4, sample}, {}, 1, place).ok());
  }
  Mask mask(std::size_t field = 0) const {
    Mask mask(program_.masks()[field].field.elements(), 0xA5);
    program_.write_mask(*workspace_, field, mask.data());
    return mask;
  }
  Params drawn() const { return workspace_->drawn[0]->values(); }
  /// The field as what was drawn gives it again; empty where that is refused.
  Mask replayed(const Params& drawn, std::size_t field = 0) const {
    MaskRunner other(program_.list().operations()[0]);
    if (!other.workspace_->drawn[0]->set("a test", drawn).ok() ||
        !program_.replay(*other.workspace_, {8, 8}).ok()) {
      return {};
    }
    return other.mask(field);
  }

 private:
  ImageProgram program_;
  ImageWorkspacePtr workspace_;
};

inline std::int64_t patches_of(const Mask& mask) {
  return std::count(mask.begin(), mask.end(), std::uint8_t{1});
}

/// The row of a batch that begins at a place.
inline BatchPlace row_of_batch(std::uint64_t first, std::uint64_t row, std::uint64_t rows) {
  return {.key = {3, 4, first}, .row = row, .rows = rows};
}

}  // namespace penstock::test
