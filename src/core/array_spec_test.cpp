#include "penstock/array_spec.hpp"

#include <gtest/gtest.h>

namespace penstock::inline v0 {
namespace {

TEST(array_spec, unknown_extents_make_it_ragged) {
  const ArraySpec any{.type = Scalar::uint16, .shape = {kAnyExtent, 4}};
  EXPECT_FALSE(any.fixed());
  EXPECT_EQ(any.to_string(), "uint16 (any, 4)");
  EXPECT_TRUE(any.covers({.type = Scalar::uint16, .shape = {9, 4}}));
  EXPECT_FALSE(any.covers({.type = Scalar::uint16, .shape = {9, 5}}));
  EXPECT_FALSE(any.covers({.type = Scalar::uint16, .shape = {9}}));
  EXPECT_FALSE(any.covers({.type = Scalar::int16, .shape = {9, 4}}));
}

TEST(array_spec, bytes_of_more_than_memory_are_the_largest_number) {
  EXPECT_EQ((ArraySpec{.type = Scalar::float64, .shape = {3, 5}}.bytes()), 120u);
  EXPECT_EQ((ArraySpec{.type = Scalar::float64, .shape = {}}.bytes()), 8u);
  EXPECT_EQ((ArraySpec{.type = Scalar::uint8, .shape = {kAnyExtent - 1, kAnyExtent - 1}}.bytes()),
            ~std::size_t{0});
  EXPECT_EQ((ArraySpec{.type = Scalar::uint8, .shape = {kAnyExtent - 1, 0}}.bytes()), 0u);
}

TEST(array_spec, every_type_has_a_name_and_a_size) {
  for (std::size_t type = 0; type < kScalarTypes; ++type) {
    const auto scalar = static_cast<Scalar>(type);
    EXPECT_EQ(scalar_named(name_of(scalar)), scalar);
    EXPECT_GT(size_of(scalar), 0u);
  }
  EXPECT_FALSE(scalar_named("complex64"));
}

TEST(extents, compare_by_what_they_hold) {
  EXPECT_EQ((Extents{3, 4}), (Extents{3, 4}));
  EXPECT_FALSE((Extents{3, 4}) == (Extents{3, 4, 1}));
  EXPECT_EQ((Extents{3, 4}).elements(), 12u);
  EXPECT_EQ(Extents().elements(), 1u);
}

}  // namespace
}  // namespace penstock::inline v0
