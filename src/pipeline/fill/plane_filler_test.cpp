#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "core/counting_new_for_test.hpp"
#include "pipeline/loader_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint64_t kPlanes = 8;

/// Sample i: a gray image, the same file as a mask, and i boxes with labels in a text of json.
class PlaneTable final : public MemoryTable {
 public:
  PlaneTable() : MemoryTable(kPlanes) {
    for (unsigned i = 0; i < kPlanes; ++i) {
      images_.push_back(make_gray_jpeg(30 + static_cast<int>(i), 40, i));
      masks_.push_back(images_.back());
      std::string boxes;
      for (unsigned n = 0; n < i; ++n) {
        boxes += std::string(n > 0 ? "," : "") + R"({"box": [10, 12, 20, 30], "class": )" +
                 std::to_string(n) + "}";
      }
      // Beside them what takes memory to read: a deep list, and a long name with an escape.
      jsons_.push_back(R"({"other": )" + std::string(40, '[') + std::string(40, ']') +
                       R"(, "a name that is long \u00e9nough": 0, "objects": [)" + boxes + "]}");
    }
  }

  const std::vector<FieldInfo>& fields() const noexcept override { return fields_; }
  Result<StoredValue> read(std::uint64_t sample, std::size_t field) const override {
    if (bad.contains(sample)) {
      return MemoryTable::read(sample, 0);
    }
    if (field == 3) {
      return StoredValue{.bytes = {}, .number = static_cast<std::int64_t>(sample)};
    }
    const std::string& json = jsons_[sample];
    return StoredValue{
        .bytes = field == 0   ? ByteSpan(images_[sample])
                 : field == 1 ? ByteSpan(masks_[sample])
                              : ByteSpan(reinterpret_cast<const std::uint8_t*>(json.data()), json.size())};
  }

  std::vector<std::vector<std::uint8_t>> images_;
  std::vector<std::vector<std::uint8_t>> masks_;
  std::vector<std::string> jsons_;

 private:
  std::vector<FieldInfo> fields_ = {{"image", FieldKind::image},
                                    {"mask", FieldKind::image},
                                    {"boxes", FieldKind::json},
                                    {"label", FieldKind::integer}};
};

DatasetOptions plane_readings(ImageMode mask = ImageMode::mask) {
  DatasetOptions options;
  options.readings["image"] = {.mode = ImageMode::gray};
  options.readings["mask"] = {.mode = mask};
  options.readings["boxes"] = {.annotations =
                                   AnnotationSpec{.path = "objects.*.box", .labels = "objects.*.class"}};
  return options;
}

Result<Loader> open_plane(FieldTransforms lists, LoaderOptions options = {.batch_size = 4},
                          std::vector<View> views = {}, const DatasetOptions& readings = plane_readings(),
                          std::shared_ptr<const PlaneTable> table = std::make_shared<PlaneTable>()) {
  return Loader::open(Dataset::of(std::move(table), "memory", readings), std::move(lists), std::move(options),
                      std::move(views));
}

/// Geometry that takes the nearest pixel, as masks do.
std::vector<TransformPtr> nearest_geometry() {
  return {transforms::RandomResizedCrop{.size = 16, .interpolation = transforms::Interpolation::nearest},
          transforms::RandomHorizontalFlip{}};
}

std::string row_of(const Batch& batch, const char* column, std::size_t row) {
  const ByteSpan bytes = batch.find(column)->bytes_of(row);
  return {bytes.begin(), bytes.end()};
}

std::vector<float> floats_of(const Batch& batch, const char* column, std::size_t row) {
  const ByteSpan bytes = batch.find(column)->bytes_of(row);
  std::vector<float> numbers(bytes.size() / sizeof(float));
  if (!numbers.empty()) {
    std::memcpy(numbers.data(), bytes.data(), bytes.size());
  }
  return numbers;
}

TEST(PlaneFiller, a_list_for_the_sample_moves_masks_as_the_image) {
  Loader loader = open_plane({{"", nearest_geometry()}}).value();
  for (const Batch& batch : take_epoch(loader)) {
    EXPECT_EQ(batch.find("mask")->spec.to_string(), "uint8 (16, 16)");
    for (std::size_t row = 0; row < batch.rows(); ++row) {
      EXPECT_EQ(row_of(batch, "image", row), row_of(batch, "mask", row));
      EXPECT_EQ(batch.params(row)[0].name, "");
    }
  }
  EXPECT_THAT(loader.plan(), HasSubstr("geometry moves mask, boxes too"));
  EXPECT_THAT(loader.problems(), IsEmpty());
}

TEST(PlaneFiller, sizes_that_vary_make_lists) {
  Loader loader = open_plane({{"", {transforms::RandomHorizontalFlip{}}}}).value();
  for (const Batch& batch : take_epoch(loader)) {
    EXPECT_TRUE(batch.find("image")->ragged());
    EXPECT_TRUE(batch.find("mask")->ragged());
    for (std::size_t row = 0; row < batch.rows(); ++row) {
      EXPECT_EQ(batch.find("mask")->shape_of(row),
                (Extents{40, 30 + static_cast<std::size_t>(batch.index()[row])}));
      EXPECT_EQ(row_of(batch, "image", row), row_of(batch, "mask", row));
    }
  }
}

TEST(PlaneFiller, boxes_move_and_keep_their_labels) {
  Loader loader =
      open_plane({{"", {transforms::CenterCrop{.size = 20}, transforms::Resize{.size = {40, 40}}}}}).value();
  for (const Batch& batch : take_epoch(loader)) {
    for (std::size_t row = 0; row < batch.rows(); ++row) {
      const auto sample = static_cast<std::size_t>(batch.index()[row]);
      const std::vector<float> boxes = floats_of(batch, "boxes", row);
      ASSERT_EQ(boxes.size(), 4 * sample);
      EXPECT_EQ(batch.find("boxes")->shape_of(row), (Extents{sample, 4}));
      EXPECT_EQ(batch.find("boxes_labels")->shape_of(row), (Extents{sample}));
      if (sample == 4) {  // the crop begins at (7, 10)
        EXPECT_THAT(std::vector<float>(boxes.begin(), boxes.begin() + 4), ElementsAre(6, 4, 26, 40));
        std::int64_t labels[4];
        std::memcpy(labels, batch.find("boxes_labels")->bytes_of(row).data(), sizeof labels);
        EXPECT_THAT(labels, ElementsAre(0, 1, 2, 3));
      }
    }
  }
}

TEST(PlaneFiller, every_view_has_what_lies_in_the_plane) {
  const DatasetOptions wide = plane_readings(ImageMode::wide_mask);
  Loader loader = open_plane({}, {.batch_size = 4},
                             {{"a", 0, nearest_geometry()}, {"local", 3, nearest_geometry()}}, wide)
                      .value();
  for (const Batch& batch : take_epoch(loader)) {
    EXPECT_EQ(batch.find("mask"), nullptr);
    EXPECT_EQ(batch.find("a.mask")->spec.to_string(), "int32 (16, 16)");
    EXPECT_EQ(batch.find("local")->spec.to_string(), "uint8 (3, 1, 16, 16)");
    EXPECT_EQ(batch.find("local.mask")->spec.to_string(), "int32 (3, 16, 16)");
    for (std::size_t row = 0; row < batch.rows(); ++row) {
      for (const auto& [image, mask] :
           std::map<const char*, const char*>{{"a", "a.mask"}, {"local", "local.mask"}}) {
        const std::string pixels = row_of(batch, image, row);
        const std::string values = row_of(batch, mask, row);
        ASSERT_EQ(values.size(), pixels.size() * 4);
        for (std::size_t i = 0; i < pixels.size(); ++i) {
          ASSERT_EQ(values.substr(4 * i, 4), pixels.substr(i, 1) + std::string(3, '\0'));
        }
      }
      const auto count = static_cast<std::size_t>(batch.index()[row]);
      EXPECT_EQ(batch.find("local.boxes")->shape_of(row), (Extents{3, count, 4}));
      EXPECT_EQ(batch.find("local.boxes_labels")->shape_of(row), (Extents{3, count}));
      EXPECT_EQ(batch.params(row).size(), 4u);
    }
  }
}

TEST(PlaneFiller, workers_make_no_difference) {
  std::vector<std::string> seen;
  for (const int workers : {0, 1, 2, 8}) {
    Loader loader = open_plane({{"", nearest_geometry()}},
                               {.batch_size = 3, .shuffle = true, .seed = 5, .num_workers = workers})
                        .value();
    std::string all;
    for (int epoch = 0; epoch < 2; ++epoch) {
      for (const Batch& batch : take_epoch(loader)) {
        all += contents(batch);
      }
    }
    seen.push_back(all);
  }
  EXPECT_THAT(seen, testing::Each(seen[0]));
}

TEST(PlaneFiller, steady_state_allocates_nothing) {
  // Boxes and labels too, and operations that drop some and hold others.
  std::vector<TransformPtr> chosen = {
      make_transform("RandomApply", {{"transforms", HeldOperations{nearest_geometry()}}}).value(),
      make_transform("SanitizeBoundingBoxes").value(), transforms::CenterCrop{.size = 8}};
  Loader loader =
      open_plane({}, {.batch_size = 2, .num_workers = 0},
                 {{"a", 0, chosen}, {"local", 2, nearest_geometry()}}, plane_readings(ImageMode::wide_mask))
          .value();
  std::uint64_t allocated = 1;
  for (int epoch = 0; epoch < 20 && allocated > 0; ++epoch) {
    const std::uint64_t ticket = loader.start_epoch().value();
    std::uint64_t before = 0;
    while (std::optional<Batch> batch = loader.next(ticket).value()) {
      before = batch->step() == 0 ? allocations.load() : before;
      allocated = batch->step() == 2 ? allocations.load() - before : allocated;
    }
  }
  EXPECT_EQ(allocated, 0u);
}

TEST(PlaneFiller, a_mask_of_another_size_is_corrupt) {
  auto table = std::make_shared<PlaneTable>();
  table->masks_[2] = make_gray_jpeg(10, 10, 2);
  Loader loader = open_plane({{"", nearest_geometry()}}, {.batch_size = 8, .on_error = OnError::skip}, {},
                             plane_readings(), table)
                      .value();
  EXPECT_EQ(take_epoch(loader)[0].rows(), kPlanes - 1);
  ASSERT_EQ(loader.errors().size(), 1u);
  const Error error = loader.errors()[0];
  EXPECT_EQ(error.kind, ErrorKind::corrupt);
  EXPECT_THAT(error.message,
              HasSubstr("field 'mask': the mask has 10 x 10 pixels, but its image has 32 x 40"));
  EXPECT_EQ(error.place.key, "key2");
}

TEST(PlaneFiller, lists_of_fields_move_nothing_else_and_say_so) {
  DatasetOptions rgb = plane_readings();
  rgb.readings.erase("image");
  Loader loader = open_plane({{"image", nearest_geometry()}}, {.batch_size = 4}, {}, rgb).value();
  const Batch batch = take_epoch(loader)[0];
  EXPECT_TRUE(batch.find("mask")->ragged());
  EXPECT_EQ(batch.params(0)[0].name, "image");
  EXPECT_THAT(loader.problems(),
              Contains(Field(&Loader::Problem::text, HasSubstr("leaves 'mask', 'boxes' as stored"))));
  Loader colours = open_plane({{"image", {transforms::ToFloat{}}}}, {.batch_size = 4}, {}, rgb).value();
  EXPECT_THAT(colours.problems(), IsEmpty());
}

TEST(PlaneFiller, random_geometry_of_two_images_without_a_key_is_told) {
  DatasetOptions rgb;
  const auto flip = [](const char* key) {
    return std::vector<TransformPtr>{
        make_transform("RandomHorizontalFlip", key != nullptr ? Params{{"key", std::string(key)}} : Params{})
            .value()};
  };
  const auto told = [&](FieldTransforms lists) {
    return open_plane(std::move(lists), {.batch_size = 4}, {}, rgb).value().problems();
  };
  EXPECT_THAT(told({{"image", flip(nullptr)}, {"mask", flip(nullptr)}}),
              ElementsAre(Field(&Loader::Problem::text,
                                testing::AllOf(HasSubstr("'image' and 'mask'"), HasSubstr("key=")))));
  EXPECT_THAT(told({{"image", flip("one")}, {"mask", flip("two")}}), testing::SizeIs(1));
  EXPECT_THAT(told({{"image", flip("one")}, {"mask", flip("one")}}), IsEmpty());
  EXPECT_THAT(told({{"image", flip(nullptr)}, {"mask", {transforms::ToFloat{}}}}), IsEmpty());
}

TEST(PlaneFiller, what_cannot_be_is_refused) {
  const auto refusal = [](Result<Loader> opened) {
    return opened.ok() ? std::string("opened") : opened.error().to_string();
  };
  std::vector<TransformPtr> mixed = nearest_geometry();
  mixed.push_back(transforms::ToFloat{});
  mixed.push_back(make_transform("MixUp", {{"num_classes", std::int64_t{10}}}).value());
  EXPECT_THAT(refusal(open_plane({{"", mixed}})),
              HasSubstr("MixUp mixes images, but field 'mask' moves with them"));
  EXPECT_THAT(refusal(open_plane({{"", nearest_geometry()}, {"image", nearest_geometry()}})),
              HasSubstr("two lists of transforms for field 'image'"));
  DatasetOptions as_mask = plane_readings();
  as_mask.readings["image"] = {.mode = ImageMode::mask};
  EXPECT_THAT(refusal(open_plane({}, {}, {{"a", 0, nearest_geometry()}}, as_mask)),
              HasSubstr("read as a mask"));
  DatasetOptions unchanged = plane_readings();
  unchanged.readings["image"] = {.mode = ImageMode::unchanged};
  EXPECT_THAT(refusal(open_plane({{"", nearest_geometry()}}, {}, {}, unchanged)), HasSubstr("mode=\"RGB\""));
}

}  // namespace
}  // namespace penstock::inline v0
