// What a format may store besides files, through to batches: numbers of kind float, arrays whose first extent
// differs, pixels without a header.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "codecs/image_decoder.hpp"
#include "formats/table_base.hpp"
#include "io/temporary_folder_for_test.hpp"
#include "penstock/store.hpp"
#include "pipeline/loader_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Sample i: weight i + 0.25; i tokens, pairs (i, i); an image of 4 x 3 pixels in rows of RGB, the bytes i,
/// i + 1, ...
class ValuesTable final : public TableBase {
 public:
  explicit ValuesTable(std::uint64_t size)
      : TableBase({FieldSpec::of_number({"weight", FieldKind::real}, Scalar::float64),
                   FieldSpec::of_array("tokens", {.type = Scalar::int32, .shape = {kAnyExtent, 2}}),
                   FieldSpec::of({"image", FieldKind::image}, FieldSpec::Encoding::record)},
                  {}, {}),
        size_(size) {}

  std::size_t missing_bytes = 0;  ///< of every value of sample 2

  std::uint64_t size() const noexcept override { return size_; }
  std::string key(std::uint64_t sample) const override { return std::to_string(sample); }
  Result<Location> locate(std::uint64_t sample, std::size_t field) const override {
    PENSTOCK_TRY(check_numbers(sample, field, "values"));
    if (field == 0) {
      return Location(Number(static_cast<double>(sample) + 0.25));
    }
    std::vector<std::uint8_t> bytes;
    if (field == 1) {
      const std::vector<std::int32_t> tokens(2 * sample, static_cast<std::int32_t>(sample));
      bytes.resize(tokens.size() * sizeof(std::int32_t));
      std::copy_n(reinterpret_cast<const std::uint8_t*>(tokens.data()), bytes.size(), bytes.data());
    } else {
      bytes.resize(kImage.width * kImage.height * 3);
      std::iota(bytes.begin(), bytes.end(), static_cast<std::uint8_t>(sample));
    }
    bytes.resize(bytes.size() - (sample == 2 ? missing_bytes : 0));
    return Location(Bytes::own(std::move(bytes)));
  }
  std::uint64_t stored_size(std::uint64_t, std::size_t) const override { return 8; }
  ImageSize image_size(std::uint64_t, std::size_t) const override { return kImage; }
  Place place(std::uint64_t sample, std::size_t) const override {
    return {.source = "values", .index = sample, .stage = "read"};
  }
  std::string fingerprint() const override { return "values"; }

 private:
  static constexpr ImageSize kImage{4, 3};

  Result<StoredValue> make_value(std::uint64_t sample, std::size_t field, Bytes bytes) const override {
    PENSTOCK_ASSIGN(StoredValue value, TableBase::make_value(sample, field, std::move(bytes)));
    if (field == 2) {
      value.codec = StoredCodec::pixels;
      value.pixels = PixelsSpec{.size = kImage, .layout = PixelLayout::rgb};
    }
    return value;
  }

  std::uint64_t size_;
};

template <class T>
std::vector<T> elements_of(const Column& column, std::size_t row) {
  const ByteSpan bytes = column.bytes_of(row);
  std::vector<T> elements(bytes.size() / sizeof(T));
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<std::uint8_t*>(elements.data()));
  return elements;
}

TEST(stored_values, come_through_a_loader) {
  Loader loader = open_loader(std::make_shared<ValuesTable>(5),
                              {.batch_size = 5, .shuffle = false, .seed = 0, .num_workers = 2});
  const std::vector<Batch> batches = take_epoch(loader);
  ASSERT_EQ(batches.size(), 1u);
  const Batch& batch = batches[0];
  const Column& tokens = *batch.find("tokens");
  EXPECT_TRUE(tokens.ragged());
  for (std::size_t row = 0; row < 5; ++row) {
    EXPECT_THAT(elements_of<double>(*batch.find("weight"), row),
                ElementsAre(static_cast<double>(row) + 0.25));
    EXPECT_EQ(tokens.shape_of(row), Extents({row, 2}));
    EXPECT_EQ(elements_of<std::int32_t>(tokens, row),
              std::vector<std::int32_t>(2 * row, static_cast<std::int32_t>(row)));
    const ByteSpan image = batch.find("image")->bytes_of(row);
    ASSERT_EQ(image.size(), 36u);
    EXPECT_EQ(image[0], row);
    EXPECT_EQ(image[1], row + (batch.find("image")->format == MemoryFormat::channels_first ? 3 : 1));
  }
}

TEST(stored_values, come_as_samples) {
  const Dataset dataset = Dataset::of(std::make_shared<ValuesTable>(5), "values");
  const auto sample = dataset.at(3);
  ASSERT_TRUE(sample.ok()) << sample.error().to_string();
  EXPECT_EQ(sample->at("weight").kind, FieldKind::real);
  EXPECT_EQ(sample->at("weight").real, 3.25);
  EXPECT_EQ(sample->at("tokens").array, (ArraySpec{.type = Scalar::int32, .shape = {3, 2}}));
  EXPECT_EQ(sample->at("tokens").bytes.size(), 24u);
  EXPECT_EQ(sample->at("image").size, (ImageSize{4, 3}));
}

TEST(stored_values, are_the_same_from_a_store) {
  const TemporaryFolder folder;
  const ValuesTable source(5);
  const auto built =
      build_store(source, "values", folder / "s", {.image = StoreImage::raw, .shard_bytes = 1 << 20});
  ASSERT_TRUE(built.ok()) << built.error().to_string();
  const auto store = open_samples({folder / "s"}, {});
  ASSERT_TRUE(store.ok()) << store.error().to_string();
  ImageDecoder decoder;
  for (std::uint64_t sample = 0; sample < 5; ++sample) {
    EXPECT_EQ((*store)->read(sample, 0)->number, Number(static_cast<double>(sample) + 0.25));
    EXPECT_EQ(as_text((*store)->read(sample, 1)->bytes), as_text(source.read(sample, 1)->bytes));
    const StoredValue image = (*store)->read(sample, 2).value();
    EXPECT_EQ(decoder.open(image.image()).value(), (ImageSize{4, 3}));
  }
  EXPECT_EQ((*store)->spec(1).array, source.spec(1).array);
}

TEST(stored_values, of_a_wrong_length_are_corrupt) {
  const auto table = std::make_shared<ValuesTable>(5);
  table->missing_bytes = 1;
  const auto tokens = table->read(2, 1);
  ASSERT_FALSE(tokens.ok());
  EXPECT_EQ(tokens.error().kind, ErrorKind::corrupt);
  EXPECT_THAT(tokens.error().message, HasSubstr("15 bytes where int32 (any, 2) are expected"));
  EXPECT_TRUE(table->read(2, 2).ok()) << "the length of pixels is the decoder's business";
  Loader loader = open_loader(
      table, {.batch_size = 5, .shuffle = false, .seed = 0, .num_workers = 2, .on_error = OnError::skip});
  const std::vector<Batch> batches = take_epoch(loader);
  ASSERT_EQ(batches.size(), 1u);
  EXPECT_THAT(indices(batches), ElementsAre(0, 1, 3, 4));
}

}  // namespace
}  // namespace penstock::inline v0
