#include "formats/table_base.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "formats/fetched_for_test.hpp"
#include "io/memory_source.hpp"
#include "io/memory_storage_for_test.hpp"
#include "io/temporary_folder_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using testing::HasSubstr;

Bytes own_bytes(std::string_view text) { return Bytes::own({text.begin(), text.end()}); }

/// Samples anywhere: `at` says where. Blocks are zstd frames in one object.
class AnywhereTable final : public TableBase {
 public:
  explicit AnywhereTable(FieldSpec spec = FieldSpec::of_array("a", {.type = Scalar::uint8, .shape = {2, 2}}))
      : TableBase({std::move(spec)}, {}, {}) {}

  std::vector<Location> at;
  std::vector<PackedBlock> blocks;

  /// `said`: bytes that it has at most, as the index has it.
  void add_block(std::string_view text, std::uint64_t said) {
    std::vector<std::uint8_t> packed(ZSTD_compressBound(text.size()));
    packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 1));
    blocks.push_back(
        {.packed = {.source = 0, .offset = object_.size(), .size = packed.size()}, .max_size = said});
    object_.insert(object_.end(), packed.begin(), packed.end());
    source_.emplace("blocks", object_);
    storage_->put("blocks", object_);
  }

  std::uint64_t size() const noexcept override { return at.size(); }
  std::string key(std::uint64_t sample) const override { return std::to_string(sample); }
  Result<Location> locate(std::uint64_t sample, std::size_t field) const override {
    PENSTOCK_TRY(check_numbers(sample, field, "anywhere"));
    return at[static_cast<std::size_t>(sample)];
  }
  Result<PackedBlock> locate_block(std::uint64_t id) const override {
    return id < blocks.size() ? Result<PackedBlock>(blocks[id]) : TableBase::locate_block(id);
  }
  NamedPath object(std::uint64_t) const override {
    return {.path = "blocks", .named = "blocks", .storage = storage_};
  }
  std::uint64_t stored_size(std::uint64_t, std::size_t) const override { return 4; }
  ImageSize image_size(std::uint64_t, std::size_t) const override { return {}; }
  Place place(std::uint64_t sample, std::size_t) const override {
    return {.source = "anywhere", .index = sample, .stage = "read"};
  }
  std::string fingerprint() const override { return ""; }

 private:
  Result<const Source*> open_source(std::uint64_t) const override { return &*source_; }

  Result<Bytes> unpack_block(std::uint64_t, const Bytes& packed, std::uint64_t max_size) const override {
    std::vector<std::uint8_t> unpacked(max_size);
    const std::size_t size = ZSTD_decompress(unpacked.data(), unpacked.size(), packed.data(), packed.size());
    if (ZSTD_isError(size) != 0) {
      return Error{.kind = ErrorKind::corrupt, .message = ZSTD_getErrorName(size)};
    }
    unpacked.resize(size);
    return Bytes::own(std::move(unpacked));
  }

  std::vector<std::uint8_t> object_;
  std::shared_ptr<MemoryStorage> storage_ = std::make_shared<MemoryStorage>();
  std::optional<MemorySource> source_;
};

/// Writes down what it is told will be read.
class HintedSource final : public Source {
 public:
  const std::string& name() const noexcept override { return name_; }
  std::uint64_t size() const noexcept override { return 0; }
  const FileIdentity& identity() const noexcept override { return identity_; }
  Result<Bytes> read(std::uint64_t, std::uint64_t) const override { return Bytes(); }
  void advise(Access, std::uint64_t offset, std::uint64_t size) const noexcept override {
    hints.emplace_back(offset, size);
  }
  mutable std::vector<std::pair<std::uint64_t, std::uint64_t>> hints;

 private:
  std::string name_ = "hinted";
  FileIdentity identity_;
};

class HintedTable final : public TableBase {
 public:
  explicit HintedTable(std::vector<Extent> extents)
      : TableBase(std::vector<FieldSpec>(extents.size(), FieldSpec::of({"a", FieldKind::bytes})), {}, {}),
        extents_(std::move(extents)) {}

  std::uint64_t size() const noexcept override { return 1; }
  std::string key(std::uint64_t) const override { return "0"; }
  std::uint64_t stored_size(std::uint64_t, std::size_t) const override { return 0; }
  ImageSize image_size(std::uint64_t, std::size_t) const override { return {}; }
  Place place(std::uint64_t, std::size_t) const override { return {}; }
  std::string fingerprint() const override { return ""; }

  const HintedSource& source(std::size_t number) const { return sources_[number]; }

 private:
  Result<const Source*> open_source(std::uint64_t number) const override { return &sources_[number]; }
  std::optional<Extent> expected_at(std::uint64_t, std::size_t field) const override {
    return field < extents_.size() ? std::optional(extents_[field]) : std::nullopt;
  }

  std::vector<Extent> extents_;
  std::array<HintedSource, 2> sources_;
};

TEST(table_base, hints_at_neighbours_together) {
  using testing::ElementsAre;
  using testing::Pair;
  const HintedTable table({{.source = 0, .offset = 1000, .size = 500},
                           {.source = 0, .offset = 100, .size = 10},
                           {.source = 0, .offset = 50'000, .size = 1},
                           {.source = 1, .offset = 50'001, .size = 1},
                           {.source = 1, .offset = ~std::uint64_t{0} - 1, .size = Extent::kWhole}});
  table.will_read(0, std::vector<std::size_t>{0, 1, 7, 2, 3, 4});
  EXPECT_THAT(table.source(0).hints, ElementsAre(Pair(100, 1400), Pair(50'000, 1)));
  EXPECT_THAT(table.source(1).hints,
              ElementsAre(Pair(50'001, 1), Pair(~std::uint64_t{0} - 1, Extent::kWhole)));
}

TEST(table_base, reads_parts_of_blocks_that_outlive_the_block) {
  AnywhereTable table;
  table.add_block("0123456789", 10);
  table.add_block("abcdefgh", 10);
  table.at = {Block{.id = 0, .offset = 2, .size = 4}, Block{.id = 1, .offset = 4, .size = 4}};
  const auto value = table.read(0, 0);
  ASSERT_TRUE(value.ok()) << value.error().to_string();
  EXPECT_EQ(as_text(value->bytes), "2345");
  EXPECT_TRUE(value->bytes.is_held());
  EXPECT_EQ(as_text(table.read(1, 0)->bytes), "efgh");
}

TEST(table_base, gives_from_blocks_that_others_fetch_what_reading_gives) {
  AnywhereTable table;
  table.add_block("0123456789", 10);
  table.add_block("abcdefgh", 8);
  const PackedBlock block = table.locate_block(1).value();
  EXPECT_EQ(block.packed.offset, table.locate_block(0)->packed.size);
  const auto unpacked = table.unpack(1, Bytes::own(fetched(table, block.packed)));
  ASSERT_TRUE(unpacked.ok()) << unpacked.error().to_string();
  EXPECT_EQ(as_text(*unpacked), "abcdefgh");
  EXPECT_TRUE(unpacked->is_held());
  table.at = {Block{.id = 0, .offset = 2, .size = 4}, Block{.id = 1, .offset = 4, .size = 4},
              Extent{.source = 0, .offset = 3, .size = 4}, own_bytes("1234"), Number(std::int64_t{3})};
  EXPECT_EQ(expect_fetched_as_read(table), 4u);
}

TEST(table_base, refuses_blocks_that_are_not_what_the_index_says) {
  AnywhereTable table;
  table.add_block("0123456789", 10);
  table.add_block("0123456789", 9);  // has more than it is said to have
  table.add_block("01234", 10);      // has fewer
  table.add_block("0123456789", 10);
  table.blocks[3].packed.size -= 1;  // ends early
  table.add_block("0123456789", 10);
  table.blocks[4].packed.offset = UINT64_MAX;  // lies outside of the object
  const auto at = [](std::uint64_t id, std::uint64_t offset) {
    return Block{.id = id, .offset = offset, .size = 4};
  };
  table.at = {at(0, 7), at(0, 11), at(0, UINT64_MAX - 1), at(1, 0), at(2, 4), at(3, 0), at(4, 0)};
  for (std::uint64_t sample = 0; sample < table.size(); ++sample) {
    const auto wrong = table.read(sample, 0);
    ASSERT_FALSE(wrong.ok()) << sample;
    EXPECT_EQ(wrong.error().kind, ErrorKind::corrupt) << sample << wrong.error().to_string();
    EXPECT_EQ(wrong.error().place.index, sample);
  }
  table.at = {at(99, 0)};
  EXPECT_EQ(table.read(0, 0).error().kind, ErrorKind::invalid);
  EXPECT_EQ(table.unpack(99, own_bytes("x")).error().kind, ErrorKind::invalid);
}

TEST(table_base, compares_the_length_of_every_value_with_its_spec) {
  AnywhereTable table;
  table.at = {own_bytes("1234"), own_bytes("123"), own_bytes("12345"), Number(std::int64_t{3})};
  EXPECT_EQ(as_text(table.read(0, 0)->bytes), "1234");
  for (const std::uint64_t sample : {1, 2}) {
    const auto wrong = table.read(sample, 0);
    ASSERT_FALSE(wrong.ok());
    EXPECT_EQ(wrong.error().kind, ErrorKind::corrupt);
    EXPECT_EQ(wrong.error().place.index, sample);
    EXPECT_THAT(wrong.error().message, HasSubstr("uint8 (2, 2)"));
  }
  EXPECT_EQ(table.read(3, 0)->number, Number(std::int64_t{3}));
  EXPECT_EQ(table.read(4, 0).error().kind, ErrorKind::invalid);
  EXPECT_EQ(table.read(0, 1).error().kind, ErrorKind::invalid);
}

TEST(table_base, compares_the_length_of_arrays_whose_first_extent_differs) {
  AnywhereTable table(FieldSpec::of_array("a", {.type = Scalar::int16, .shape = {kAnyExtent, 3}}));
  table.at = {own_bytes(std::string(12, 'x')), own_bytes(""), own_bytes(std::string(13, 'x')),
              own_bytes(std::string(8, 'x'))};
  EXPECT_EQ(table.spec(0).shape_of_length(table.read(0, 0)->bytes.size()), Extents({2, 3}));
  EXPECT_EQ(table.spec(0).shape_of_length(table.read(1, 0)->bytes.size()), Extents({0, 3}));
  for (const std::uint64_t sample : {2, 3}) {
    EXPECT_EQ(table.read(sample, 0).error().kind, ErrorKind::corrupt);
    EXPECT_EQ(table.read(sample, 0).error().place.index, sample);
  }
  for (const std::vector<std::size_t>& unknown :
       {std::vector{kAnyExtent, kAnyExtent}, std::vector{std::size_t{3}, kAnyExtent}}) {
    const FieldSpec spec = FieldSpec::of_array("a", {.type = Scalar::int16, .shape = unknown});
    EXPECT_EQ(spec.check_length(12).error().kind, ErrorKind::corrupt) << "no length tells the shape";
  }
  const FieldSpec empty = FieldSpec::of_array("a", {.type = Scalar::int16, .shape = {kAnyExtent, 0}});
  EXPECT_TRUE(empty.check_length(0).ok());
  EXPECT_EQ(empty.check_length(2).error().kind, ErrorKind::corrupt);
  EXPECT_EQ(empty.shape_of_length(0), Extents({0, 0}));
}

TEST(table_base, makes_numbers_of_their_bytes) {
  const auto bytes_of = [](auto value) {
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&value);
    return Bytes::own({bytes, bytes + sizeof value});
  };
  const auto read = [](Scalar type, Bytes bytes) {
    AnywhereTable table(FieldSpec::of_number({"n", FieldKind::real}, type));
    table.at = {std::move(bytes)};
    return table.read(0, 0);
  };
  EXPECT_EQ(read(Scalar::int16, bytes_of(std::int16_t{-2}))->number, Number(std::int64_t{-2}));
  EXPECT_EQ(read(Scalar::uint16, bytes_of(std::uint16_t{65535}))->number, Number(std::int64_t{65535}));
  EXPECT_EQ(read(Scalar::uint64, bytes_of(std::uint64_t{7}))->number, Number(std::int64_t{7}));
  EXPECT_EQ(read(Scalar::float32, bytes_of(0.5F))->number, Number(0.5));
  EXPECT_EQ(read(Scalar::float64, bytes_of(-0.1))->number, Number(-0.1));
  EXPECT_EQ(read(Scalar::uint64, bytes_of(~std::uint64_t{0})).error().kind, ErrorKind::corrupt);
  EXPECT_EQ(read(Scalar::uint64, bytes_of(~std::uint64_t{0})).error().place.index, 0u);
  const auto wrong = read(Scalar::float64, bytes_of(0.5F));
  EXPECT_EQ(wrong.error().kind, ErrorKind::corrupt);
  EXPECT_THAT(wrong.error().message, HasSubstr("4 bytes where float64 () are expected"));
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
