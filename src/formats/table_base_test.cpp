#include "formats/table_base.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "io/temporary_folder_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using testing::HasSubstr;

Bytes own_bytes(std::string_view text) { return Bytes::own({text.begin(), text.end()}); }

/// Samples anywhere: `at` says where.
class AnywhereTable final : public TableBase {
 public:
  AnywhereTable() : TableBase({FieldSpec::of_array("a", {.type = Scalar::uint8, .shape = {2, 2}})}, {}, {}) {}

  std::vector<Location> at;
  std::map<std::uint64_t, std::string> blocks;

  std::uint64_t size() const noexcept override { return at.size(); }
  std::string key(std::uint64_t sample) const override { return std::to_string(sample); }
  Result<Location> locate(std::uint64_t sample, std::size_t field) const override {
    PENSTOCK_TRY(check_numbers(sample, field, "anywhere"));
    return at[static_cast<std::size_t>(sample)];
  }
  std::uint64_t stored_size(std::uint64_t, std::size_t) const override { return 4; }
  ImageSize image_size(std::uint64_t, std::size_t) const override { return {}; }
  Place place(std::uint64_t sample, std::size_t) const override {
    return {.source = "anywhere", .index = sample, .stage = "read"};
  }
  std::string fingerprint() const override { return ""; }

 private:
  Result<Bytes> block(std::uint64_t id) const override {
    const auto found = blocks.find(id);
    return found != blocks.end() ? Result<Bytes>(own_bytes(found->second)) : TableBase::block(id);
  }
};

TEST(table_base, reads_parts_of_blocks_that_outlive_the_block) {
  AnywhereTable table;
  table.blocks[7] = "0123456789";
  table.at = {Block{.id = 7, .offset = 2, .size = 4}, Block{.id = 7, .offset = 8, .size = 4},
              Block{.id = 8, .offset = 0, .size = 4}};
  const auto value = table.read(0, 0);
  ASSERT_TRUE(value.ok()) << value.error().to_string();
  EXPECT_EQ(as_text(value->bytes), "2345");
  EXPECT_TRUE(value->bytes.is_held());
  EXPECT_EQ(table.read(1, 0).error().kind, ErrorKind::corrupt);
  EXPECT_EQ(table.read(1, 0).error().place.index, 1u);
  EXPECT_EQ(table.read(2, 0).error().kind, ErrorKind::invalid);
}

TEST(table_base, compares_the_length_of_every_value_with_its_spec) {
  AnywhereTable table;
  table.at = {own_bytes("1234"), own_bytes("123"), own_bytes("12345"), Number{3}};
  EXPECT_EQ(as_text(table.read(0, 0)->bytes), "1234");
  for (const std::uint64_t sample : {1, 2}) {
    const auto wrong = table.read(sample, 0);
    ASSERT_FALSE(wrong.ok());
    EXPECT_EQ(wrong.error().kind, ErrorKind::corrupt);
    EXPECT_EQ(wrong.error().place.index, sample);
    EXPECT_THAT(wrong.error().message, HasSubstr("uint8 (2, 2)"));
  }
  EXPECT_EQ(table.read(3, 0)->number, 3);
  EXPECT_EQ(table.read(4, 0).error().kind, ErrorKind::invalid);
  EXPECT_EQ(table.read(0, 1).error().kind, ErrorKind::invalid);
}

TEST(choose_fields, takes_all_or_those_that_are_named) {
  const std::vector<FieldSpec> all = {FieldSpec::of({"image", FieldKind::image}),
                                      FieldSpec::of({"label", FieldKind::integer})};
  EXPECT_EQ(choose_fields(all, {}, "the store", "s")->size(), 2u);
  const auto chosen = choose_fields(all, {{"x", "label"}, {"y", "jpg"}}, "the store", "s",
                                    [](const std::string& name) { return name == "jpg" ? "image" : name; });
  ASSERT_TRUE(chosen.ok());
  EXPECT_EQ((*chosen)[0].spec.name, "x");
  EXPECT_EQ((*chosen)[0].spec.kind, FieldKind::integer);
  EXPECT_EQ((*chosen)[0].spec.choice(), "label");
  EXPECT_EQ((*chosen)[0].number, 1u);
  EXPECT_EQ((*chosen)[1].spec.name, "y");
  EXPECT_EQ((*chosen)[1].spec.kind, FieldKind::image);
  EXPECT_EQ((*chosen)[1].spec.choice(), "jpg");
  const auto none = choose_fields(all, {{"x", "depth"}}, "the store", "s");
  EXPECT_EQ(none.error().message, "the store has no field 'depth'");
  EXPECT_EQ(none.error().advice, "available: image, label");
  EXPECT_EQ(choose_fields(all, {{"x", "label"}, {"x", "image"}}, "", "").error().kind, ErrorKind::invalid);
}

}  // namespace
}  // namespace penstock::inline v0
