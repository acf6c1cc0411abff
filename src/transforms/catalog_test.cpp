#include "transforms/catalog.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "transforms/any_operation_for_test.hpp"
#include "transforms/coordinates.hpp"
#include "transforms/image_program.hpp"
#include "transforms/transform.hpp"

namespace penstock::inline v0 {
namespace {

std::string message(const Result<TransformPtr>& result) {
  return result.ok() ? "no error" : result.error().to_string();
}

TEST(Catalog, describes_every_operation_and_parameter) {
  std::set<std::string> names;
  for (const OperationInfo& operation : catalog()) {
    EXPECT_TRUE(names.insert(operation.name).second) << operation.name << " is there twice";
    EXPECT_FALSE(operation.summary.empty());
    EXPECT_EQ(operation.summary.back(), '.') << operation.name;
    for (const ParameterInfo& parameter : operation.parameters) {
      EXPECT_FALSE(parameter.type.empty()) << operation.name;
      EXPECT_FALSE(parameter.doc.empty()) << operation.name << " " << parameter.name;
    }
  }
  for (const char* name : {"Resize", "CenterCrop", "RandomCrop", "RandomResizedCrop", "RandomHorizontalFlip",
                           "ToFloat", "Normalize"}) {
    EXPECT_NE(find_operation(name), nullptr) << name;
  }
}

TEST(Catalog, makes_every_operation_from_what_it_requires_and_keeps_the_defaults) {
  for (const OperationInfo& operation : catalog()) {
    const auto made = test::make_any(operation);
    ASSERT_TRUE(made) << operation.name;
    const Params params = params_of(**made);
    // A key that is not given is not shown.
    const bool draws = operation.parameters.size() > 0 && operation.parameters.back().name == "key";
    ASSERT_EQ(params.size() + (draws ? 1 : 0), operation.parameters.size());
    for (std::size_t i = 0; i < params.size(); ++i) {
      EXPECT_EQ(params[i].first, operation.parameters[i].name);
      if (!operation.parameters[i].required) {
        EXPECT_EQ(params[i].second, operation.parameters[i].default_value)
            << operation.name << params[i].first;
      }
    }
  }
}

TEST(Catalog, operations_that_fill_masks_with_0_are_written_as_before_they_could_fill) {
  EXPECT_EQ(repr(*make_transform("Pad", {{"padding", std::int64_t{3}}}).value()),
            "Pad(padding=3, fill=0, padding_mode='constant')");
  const Params ignored = {{"padding", std::int64_t{3}}, {"mask_fill", std::int64_t{255}}};
  EXPECT_EQ(repr(*make_transform("Pad", ignored).value()),
            "Pad(padding=3, fill=0, padding_mode='constant', mask_fill=255)");
}

TEST(Catalog, every_operation_can_be_made_again_from_its_parameters) {
  for (const OperationInfo& operation : catalog()) {
    const TransformPtr made = test::make_any(operation).value();
    const TransformPtr again = make_transform(operation.name, params_of(*made)).value();
    EXPECT_TRUE(*made == *again) << repr(*made);
  }
}

/// Whether edits drop one of a few hopeless boxes and points.
bool drops_some(const ImageEdits& edits, ImageSize image) {
  std::vector<float> boxes = {-9, -9, 900, 900, 5, 5, 5, 5};
  std::vector<float> points = {-9, -9, 5, 5};
  const std::vector<std::uint32_t> sizes = {1, 1};
  std::vector<std::uint8_t> kept(4, 1);
  move_boxes(edits, image, {boxes, {}, std::span(kept).first(2)});
  move_points(edits, image, {points, sizes, std::span(kept).last(2)});
  return std::find(kept.begin(), kept.end(), 0) != kept.end();
}

TEST(Catalog, operations_on_images_say_whether_they_move_pixels_and_drop_annotations) {
  int images = 0;
  for (const OperationInfo& operation : catalog()) {
    const TransformPtr made = test::make_any(operation).value();
    const auto* image = dynamic_cast<const ImageTransform*>(made.get());
    if (image == nullptr) {
      continue;
    }
    ++images;
    const auto compiled = [&](int channels) {
      return ImageProgram::compile({made}, MemoryFormat::channels_last, Fuse::exact,
                                   {.input = {.size = {}, .type = ElementType::uint8, .channels = channels}});
    };
    const ImageProgram program = compiled(3).ok() ? compiled(3).value() : compiled(4).value();
    const ImageWorkspacePtr workspace = program.make_workspace();
    bool moved = false;
    bool dropped = false;
    for (std::uint64_t sample = 0; sample < 64; ++sample) {
      ASSERT_TRUE(program.resolve(*workspace, {64, 48}, {1, 2, sample}).ok()) << operation.name;
      moved |= std::any_of(workspace->edits.begin(), workspace->edits.end(), is_geometry);
      dropped |= drops_some(workspace->edits, {64, 48});
    }
    EXPECT_EQ(moved, image->moves_pixels()) << operation.name;
    EXPECT_EQ(dropped, image->drops_annotations()) << operation.name;
  }
  EXPECT_GE(images, 12);
}

TEST(Catalog, refuses_an_unknown_operation_and_lists_those_there_are) {
  const auto made = make_transform("Resise");
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().kind, ErrorKind::invalid);
  EXPECT_NE(message(made).find("RandomResizedCrop"), std::string::npos) << message(made);
}

TEST(Catalog, refuses_an_unknown_parameter_and_lists_those_there_are) {
  const auto made = make_transform("RandomHorizontalFlip", {{"prob", 0.5}});
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(message(made), "RandomHorizontalFlip has no parameter prob; it takes p, key");
}

TEST(Catalog, refuses_a_missing_parameter) {
  EXPECT_NE(message(make_transform("Resize")).find("Resize: size is required"), std::string::npos);
}

struct Wrong {
  const char* operation;
  Params params;
  const char* named;  // must occur in the message
};

TEST(Catalog, refuses_wrong_types_and_impossible_values_and_names_the_parameter) {
  using Whole = std::vector<std::int64_t>;
  using List = std::vector<double>;
  const Params size8 = {{"size", std::int64_t{8}}};
  const auto with = [&](const char* name, ParamValue value) {
    Params params = size8;
    params.emplace_back(name, std::move(value));
    return params;
  };
  const Wrong cases[] = {
      {"Resize", {{"size", std::string("big")}}, "size"},
      {"Resize", {{"size", 2.5}}, "size"},
      {"Resize", {{"size", true}}, "size"},
      {"Resize", {{"size", Whole{}}}, "size"},
      {"Resize", {{"size", Whole{1, 2, 3}}}, "size"},
      {"Resize", {{"size", Whole{8, 0}}}, "size"},
      {"Resize", {{"size", std::int64_t{0}}}, "size must be between 1 and 65536 pixels"},
      {"Resize", {{"size", std::int64_t{-4}}}, "size must be between 1 and 65536 pixels, got -4"},
      {"Resize", {{"size", std::int64_t{1} << 40}}, "size"},
      {"Resize", with("interpolation", std::string("cubic")), "interpolation"},
      {"Resize", with("max_size", std::int64_t{8}), "max_size"},
      {"Resize", {{"size", Whole{8, 8}}, {"max_size", std::int64_t{9}}}, "max_size"},
      {"Resize", with("antialias", false), "antialias"},
      {"CenterCrop", {{"size", std::monostate{}}}, "size"},
      {"RandomCrop", with("padding", Whole{1, 2, 3}), "padding"},
      {"RandomCrop", with("padding", std::int64_t{-1}), "padding"},
      {"RandomCrop", with("fill", std::int64_t{65536}), "fill"},
      {"RandomCrop", with("fill", Whole{1, 2}), "fill"},
      {"RandomCrop", with("padding_mode", std::string("wrap")), "padding_mode"},
      {"RandomCrop", with("pad_if_needed", std::int64_t{1}), "pad_if_needed"},
      {"RandomResizedCrop", with("scale", List{1.0, 0.5}), "scale"},
      {"RandomResizedCrop", with("scale", List{0.0, 0.5}), "scale"},
      {"RandomResizedCrop", with("ratio", List{1.0}), "ratio"},
      {"ColorJitter",
       {{"hue", 0.7}},
       "hue must be between 0 and 0.5, or (min, max) between -0.5 and 0.5, got 0.7"},
      {"ColorJitter", {{"brightness", -1.0}}, "or (min, max) of such numbers, got -1.0"},
      {"RandomResizedCrop", with("antialias", false), "antialias"},
      {"RandomHorizontalFlip", {{"p", 1.5}}, "p must be between 0 and 1, got 1.5"},
      {"RandomHorizontalFlip", {{"p", std::nan("")}}, "got nan"},
      {"Normalize", {{"mean", List{0.5}}, {"std", List{0.0}}}, "std"},
      {"Normalize", {{"mean", List{0.5}}, {"std", List{1e-60}}}, "std"},
      {"Normalize", {{"mean", List{0.5, 0.5}}, {"std", List{1.0}}}, "mean"},
      {"Normalize", {{"mean", 1e300}, {"std", List{1.0}}}, "mean"},
  };
  for (const Wrong& wrong : cases) {
    const auto made = make_transform(wrong.operation, wrong.params);
    ASSERT_FALSE(made.ok()) << wrong.operation << " " << wrong.named;
    EXPECT_EQ(made.error().kind, ErrorKind::invalid);
    EXPECT_NE(message(made).find(wrong.operation), std::string::npos) << message(made);
    EXPECT_NE(message(made).find(wrong.named), std::string::npos) << message(made);
    EXPECT_THAT(message(made), testing::ContainsRegex("must|requires|omit")) << "what would be right";
  }
}

TEST(Catalog, writes_operations_as_python_does) {
  const TransformPtr crop = transforms::RandomResizedCrop{.size = 224};
  EXPECT_EQ(repr(*crop),
            "RandomResizedCrop(size=224, scale=(0.08, 1.0), ratio=(0.75, 1.3333333333333333), "
            "interpolation='bilinear', antialias=True)");
  const TransformPtr resize = transforms::Resize{.size = {1, 2}};
  EXPECT_EQ(repr(*resize), "Resize(size=(1, 2), interpolation='bilinear', max_size=None, antialias=True)");
  const TransformPtr floats = transforms::ToFloat{};
  EXPECT_EQ(repr(*floats), "ToFloat()");
}

TEST(Catalog, operations_are_equal_when_their_parameters_are) {
  const TransformPtr a = transforms::Resize{.size = 224};
  const TransformPtr b = make_transform("Resize", {{"size", std::int64_t{224}}}).value();
  const TransformPtr c = transforms::Resize{.size = 225};
  const TransformPtr d = transforms::CenterCrop{.size = 224};
  EXPECT_TRUE(*a == *b);
  EXPECT_FALSE(*a == *c);
  EXPECT_FALSE(*a == *d);
}

TEST(Presets, are_the_usual_lists) {
  const auto train = presets::imagenet_train(224);
  ASSERT_EQ(train.size(), 4u);
  EXPECT_EQ(train[0]->name(), "RandomResizedCrop");
  EXPECT_EQ(train[1]->name(), "RandomHorizontalFlip");
  const auto val = presets::imagenet_val(224);
  const TransformPtr resize = transforms::Resize{.size = 256};
  EXPECT_TRUE(*val[0] == *resize);
  EXPECT_TRUE(*val[3] == *train[3]);
}

}  // namespace
}  // namespace penstock::inline v0
