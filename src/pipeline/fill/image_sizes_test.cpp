#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pipeline/loader_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using testing::HasSubstr;

/// Images of one size, as an index knows it.
class OneSizeTable final : public MemoryTable {
 public:
  explicit OneSizeTable(std::vector<std::vector<std::uint8_t>> images, ImageSize size = {20, 12})
      : MemoryTable(6, std::move(images)), size_(size) {}
  ImageSize image_size(std::uint64_t, std::size_t) const override { return size_; }

 private:
  const ImageSize size_;
};

std::vector<std::vector<std::uint8_t>> alike() { return {make_jpeg(20, 12, 1), make_jpeg(20, 12, 2)}; }

FieldTransforms floats() {
  return {{"image", {transforms::ToFloat{}, transforms::Normalize{.mean = {0.5}, .std = {0.25}}}}};
}

TEST(ImageSizes, one_size_for_all_makes_one_array) {
  for (const FieldTransforms& transforms : {FieldTransforms{}, floats()}) {
    Loader known = open_loader(std::make_shared<OneSizeTable>(alike()), {.batch_size = 4}, transforms);
    Loader unknown =
        open_loader(std::make_shared<OneSizeTable>(alike(), ImageSize{}), {.batch_size = 4}, transforms);
    const std::vector<Batch> arrays = take_epoch(known);
    const std::vector<Batch> lists = take_epoch(unknown);
    const Column& array = *arrays[0].find("image");
    EXPECT_EQ(array.spec.shape, (std::vector<std::size_t>{3, 12, 20}));
    EXPECT_FALSE(array.ragged());
    EXPECT_TRUE(lists[0].find("image")->ragged());
    ASSERT_EQ(arrays.size(), lists.size());
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      EXPECT_EQ(contents(arrays[i]), contents(lists[i]));
    }
  }
}

TEST(ImageSizes, floats_of_different_sizes_make_a_list) {
  Loader loader = open_loader(std::make_shared<MemoryTable>(12, some_images()), {.batch_size = 4}, floats());
  const std::vector<Batch> batches = take_epoch(loader);
  const Column& column = *batches[0].find("image");
  EXPECT_EQ(column.spec.to_string(), "float32 (3, any, any)");
  EXPECT_EQ(column.bytes_of(1).size(), 3u * 27 * 85 * sizeof(float));
  EXPECT_THAT(loader.plan(), HasSubstr("list of float32"));
}

TEST(ImageSizes, an_image_of_another_size_than_the_index_says_is_corrupt) {
  auto images = alike();
  images.push_back(make_jpeg(30, 30, 3));
  Loader loader = open_loader(std::make_shared<OneSizeTable>(std::move(images)),
                              {.batch_size = 6, .on_error = OnError::skip});
  EXPECT_EQ(take_epoch(loader)[0].rows(), 4u);
  ASSERT_EQ(loader.errors().size(), 2u);
  EXPECT_EQ(loader.errors()[0].kind, ErrorKind::corrupt);
  EXPECT_THAT(loader.errors()[0].message, HasSubstr("30 x 30 pixels, but the index says 20 x 12"));
}

}  // namespace
}  // namespace penstock::inline v0
