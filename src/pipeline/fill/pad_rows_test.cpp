#include "pipeline/fill/pad_rows.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace penstock::inline v0 {
namespace {

TEST(pad_rows, rows_stand_in_the_corner_and_zeros_around_them) {
  const std::array<std::uint16_t, 4> low = {1, 2, 3, 4};  // [1, 2, 2]
  const std::array<std::uint16_t, 3> wide = {5, 6, 7};    // [1, 1, 3]
  Column column;
  column.spec = {.type = Scalar::uint16, .shape = {1, kAnyExtent, kAnyExtent}};
  column.rows = {{.data = reinterpret_cast<const std::uint8_t*>(low.data()), .shape = {1, 2, 2}},
                 {.data = reinterpret_cast<const std::uint8_t*>(wide.data()), .shape = {1, 1, 3}},
                 {}};
  const std::vector<std::size_t> shape = padded_shape(column, 2);
  EXPECT_EQ(shape, (std::vector<std::size_t>{2, 1, 2, 3}));
  std::vector<std::uint16_t> out(12, 99);
  pad_rows(column, shape, out.data());
  EXPECT_EQ(out, (std::vector<std::uint16_t>{1, 2, 0, 3, 4, 0, 5, 6, 7, 0, 0, 0}));
}

TEST(pad_rows, no_row_has_no_extent_but_those_that_are_known) {
  Column column;
  column.spec = {.type = Scalar::float32, .shape = {2, kAnyExtent}};
  column.rows.resize(4);
  EXPECT_EQ(padded_shape(column, 0), (std::vector<std::size_t>{0, 2, 0}));
}

}  // namespace
}  // namespace penstock::inline v0
