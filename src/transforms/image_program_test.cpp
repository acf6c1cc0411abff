#include "transforms/image_program.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "core/each_target_for_test.hpp"
#include "transforms/passes.hpp"
#include "transforms/run_for_test.hpp"

namespace penstock::inline v0 {
namespace {

// An image of random pixels that notes which box was read last.
struct Image {
  ImageSize size;
  std::vector<std::uint8_t> bytes;
  Rect last;

  Image(ImageSize size, unsigned seed)
      : size(size), bytes(static_cast<std::size_t>(size.width * size.height) * 3) {
    std::mt19937 random(seed);
    for (auto& byte : bytes) {
      byte = static_cast<std::uint8_t>(random());
    }
  }
  const std::uint8_t* at(int x, int y) const { return bytes.data() + (y * size.width + x) * 3; }
  ReadBox reader() {
    return [this](const Rect& box, const PixelView& view) -> Status {
      EXPECT_TRUE(box.x >= 0 && box.y >= 0 && box.width > 0 && box.height > 0);
      EXPECT_TRUE(box.x + box.width <= size.width && box.y + box.height <= size.height);
      EXPECT_EQ(view.layout, PixelLayout::rgb);
      last = box;
      for (int y = 0; y < box.height; ++y) {
        std::memcpy(view.data + static_cast<std::size_t>(y) * view.stride, at(box.x, box.y + y),
                    static_cast<std::size_t>(box.width) * 3);
      }
      return {};
    };
  }
};

struct Outcome {
  ImageSize size;
  std::vector<std::uint8_t> bytes;
  bool operator==(const Outcome&) const = default;
};

Outcome run(const ImageProgram& program, ImageWorkspace& workspace, Image& image, const RandomKey& key) {
  Outcome outcome;
  const auto size = program.resolve(workspace, image.size, key);
  EXPECT_TRUE(size.ok()) << (size.ok() ? "" : size.error().to_string());
  if (!size.ok()) {
    return outcome;
  }
  outcome.size = *size;
  const std::size_t element = program.output().type == ElementType::float32 ? 4 : 1;
  const std::size_t bytes =
      static_cast<std::size_t>(size->width) * static_cast<std::size_t>(size->height) * 3 * element;
  outcome.bytes.assign(bytes + 64, 0xA5);
  EXPECT_TRUE(program.run(workspace, image.reader(), outcome.bytes.data()).ok());
  for (std::size_t i = bytes; i < outcome.bytes.size(); ++i) {
    EXPECT_EQ(outcome.bytes[i], 0xA5) << "written past the row";
  }
  outcome.bytes.resize(bytes);
  return outcome;
}

Outcome run(const std::vector<TransformPtr>& list, Image& image,
            MemoryFormat format = MemoryFormat::channels_last, Fuse fuse = Fuse::exact,
            std::uint64_t sample = 0) {
  const auto program = ImageProgram::compile(list, format, fuse);
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().to_string());
  const auto workspace = program->make_workspace();
  return run(*program, *workspace, image, {3, 4, sample});
}

std::vector<TransformPtr> random_list(std::mt19937& random) {
  using namespace transforms;
  const auto number = [&](int from, int to) {
    return from + static_cast<int>(random() % static_cast<unsigned>(to - from + 1));
  };
  const auto filter = [&] { return static_cast<Interpolation>(random() % 6); };
  std::vector<TransformPtr> list;
  for (int i = number(0, 4); i > 0; --i) {
    switch (random() % 10) {
      case 6:
        list.push_back(test::make("RandomRotation",
                                  {{"degrees", std::vector<double>{-180, 180}},
                                   {"interpolation", std::string(random() % 2 == 0 ? "nearest" : "bilinear")},
                                   {"expand", random() % 2 == 0},
                                   {"fill", std::int64_t{number(0, 255)}}}));
        break;
      case 7:
        list.push_back(test::make("ColorJitter", {{"brightness", 0.5}, {"contrast", 0.5}, {"hue", 0.1}}));
        break;
      case 8:
        list.push_back(test::make("PillowGaussianBlur"));
        break;
      case 9:
        list.push_back(test::make("RandomErasing", {{"value", std::int64_t{number(0, 255)}}}));
        break;
      case 0:
        list.push_back(Resize{.size = number(1, 50), .interpolation = filter()});
        break;
      case 1:
        list.push_back(Resize{.size = {number(1, 50), number(1, 50)}, .interpolation = filter()});
        break;
      case 2:
        list.push_back(CenterCrop{.size = {number(1, 50), number(1, 50)}});
        break;
      case 3:
        list.push_back(
            RandomCrop{.size = {number(1, 50), number(1, 50)},
                       .padding = random() % 2 == 0 ? std::vector<int>{} : std::vector<int>{number(0, 9)},
                       .pad_if_needed = true,
                       .fill = {number(0, 255)},
                       .padding_mode = static_cast<PaddingMode>(random() % 4)});
        break;
      case 4:
        list.push_back(RandomResizedCrop{.size = {number(1, 50), number(1, 50)}, .interpolation = filter()});
        break;
      default:
        list.push_back(RandomHorizontalFlip{});
    }
  }
  if (random() % 2 == 0) {
    list.push_back(ToFloat{});
  }
  if (random() % 2 == 0) {
    list.push_back(Normalize{.mean = {0.485, 0.456, 0.406}, .std = {0.229, 0.224, 0.225}});
  }
  return list;
}

TEST(ImageProgram, fused_equals_one_operation_after_the_other_for_random_lists) {
  for_each_target([](CpuTarget) {
    std::mt19937 random(6);
    for (unsigned i = 0; i < 400; ++i) {
      const auto list = random_list(random);
      Image image({1 + static_cast<int>(random() % 90), 1 + static_cast<int>(random() % 90)}, i);
      const auto format = random() % 2 == 0 ? MemoryFormat::channels_first : MemoryFormat::channels_last;
      const Outcome fused = run(list, image, format, Fuse::exact, i);
      const Outcome plain = run(list, image, format, Fuse::off, i);
      std::string names;
      for (const auto& operation : list) {
        names += repr(*operation) + " ";
      }
      ASSERT_TRUE(fused == plain) << image.size.width << " x " << image.size.height << ": " << names;
    }
  });
}

TEST(ImageProgram, every_target_gives_the_same_batch_row) {
  std::vector<Outcome> outcomes;
  for_each_target([&](CpuTarget) {
    Image image({301, 287}, 9);
    outcomes.push_back(run(presets::imagenet_train(224), image, MemoryFormat::channels_first));
  });
  for (const Outcome& outcome : outcomes) {
    EXPECT_TRUE(outcome == outcomes.front());
  }
}

TEST(ImageProgram, without_operations_delivers_the_pixels) {
  Image image({17, 5}, 1);
  const Outcome rows = run({}, image);
  EXPECT_EQ(rows.bytes, image.bytes);
  const Outcome planes = run({}, image, MemoryFormat::channels_first);
  for (int y = 0; y < 5; ++y) {
    for (int x = 0; x < 17; ++x) {
      for (int c = 0; c < 3; ++c) {
        ASSERT_EQ(planes.bytes[static_cast<std::size_t>((c * 5 + y) * 17 + x)], image.at(x, y)[c]);
      }
    }
  }
}

TEST(ImageProgram, hands_the_crop_box_to_the_decoder) {
  Image image({100, 80}, 2);
  run({transforms::CenterCrop{.size = {10, 20}}}, image);
  EXPECT_EQ(image.last, (Rect{40, 35, 20, 10}));
}

TEST(ImageProgram, asks_only_for_the_pixels_that_a_crop_after_a_resize_needs) {
  Image image({512, 512}, 3);
  run({transforms::Resize{.size = 256}, transforms::CenterCrop{.size = 64}}, image);
  EXPECT_LE(image.last.width, 64 * 2 + 6);
  EXPECT_LE(image.last.height, 64 * 2 + 6);
  EXPECT_GE(image.last.width, 64 * 2);
}

TEST(ImageProgram, mirrors_pixels) {
  Image image({3, 2}, 4);
  const Outcome outcome = run({transforms::RandomHorizontalFlip{.p = 1}}, image);
  for (int y = 0; y < 2; ++y) {
    for (int x = 0; x < 3; ++x) {
      EXPECT_EQ(std::memcmp(outcome.bytes.data() + (y * 3 + x) * 3, image.at(2 - x, y), 3), 0);
    }
  }
}

TEST(ImageProgram, pads_in_every_mode_as_numpy_does) {
  // numpy.pad(numpy.arange(3), (4, 5), mode)
  const std::pair<transforms::PaddingMode, std::vector<int>> cases[] = {
      {transforms::PaddingMode::edge, {0, 0, 0, 0, 0, 1, 2, 2, 2, 2, 2, 2}},
      {transforms::PaddingMode::reflect, {0, 1, 2, 1, 0, 1, 2, 1, 0, 1, 2, 1}},
      {transforms::PaddingMode::symmetric, {2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0, 1}},
      {transforms::PaddingMode::constant, {9, 9, 9, 9, 0, 1, 2, 9, 9, 9, 9, 9}},
  };
  for (const auto& [mode, wanted] : cases) {
    Image image({3, 1}, 5);
    for (int x = 0; x < 3; ++x) {
      image.bytes[static_cast<std::size_t>(x) * 3] = static_cast<std::uint8_t>(x);
    }
    const Outcome outcome = run(
        {transforms::RandomCrop{.size = {1, 12}, .padding = {4, 0, 5, 0}, .fill = {9}, .padding_mode = mode}},
        image);
    for (std::size_t x = 0; x < 12; ++x) {
      EXPECT_EQ(outcome.bytes[x * 3], wanted[x]) << static_cast<int>(mode) << " at " << x;
    }
  }
}

TEST(ImageProgram, normalises_without_being_told_to_make_floats) {
  Image image({5, 5}, 6);
  const transforms::Normalize normalize{.mean = {0.5}, .std = {0.25}};
  EXPECT_EQ(run({normalize}, image).bytes, run({transforms::ToFloat{}, normalize}, image).bytes);
}

TEST(ImageProgram, draws_by_sample_epoch_seed_and_position_only) {
  const auto program = ImageProgram::compile(presets::imagenet_train(16), MemoryFormat::channels_first);
  ASSERT_TRUE(program.ok());
  const auto used = program->make_workspace();
  Image image({60, 40}, 7);
  const Outcome first = run(*program, *used, image, {1, 2, 3});
  run(*program, *used, image, {1, 2, 4});
  EXPECT_TRUE(run(*program, *used, image, {1, 2, 3}) == first);
  EXPECT_FALSE(run(*program, *used, image, {1, 3, 3}) == first);
  EXPECT_FALSE(run(*program, *used, image, {9, 2, 3}) == first);
}

TEST(ImageProgram, knows_its_output_before_any_image) {
  const auto spec = [](std::vector<TransformPtr> list) {
    return ImageProgram::compile(std::move(list), MemoryFormat::channels_first).value().output();
  };
  EXPECT_EQ(spec(presets::imagenet_val(224)), (ImageSpec{{224, 224}, ElementType::float32}));
  EXPECT_EQ(spec({}), (ImageSpec{{0, 0}, ElementType::uint8}));
  EXPECT_EQ(spec({transforms::Resize{.size = 9}}), (ImageSpec{{0, 0}, ElementType::uint8}));
  EXPECT_EQ(spec({transforms::CenterCrop{.size = 8}, transforms::Resize{.size = 9}}),
            (ImageSpec{{9, 9}, ElementType::uint8}));
}

TEST(ImageProgram, refuses_geometry_after_floats_with_advice) {
  const auto program = ImageProgram::compile({transforms::ToFloat{}, transforms::CenterCrop{.size = 8}},
                                             MemoryFormat::channels_first);
  ASSERT_FALSE(program.ok());
  EXPECT_EQ(program.error().kind, ErrorKind::invalid);
  EXPECT_NE(program.error().to_string().find("CenterCrop"), std::string::npos);
  EXPECT_FALSE(program.error().advice.empty());
}

TEST(ImageProgram, checks_parameters_of_operations_made_in_cpp) {
  EXPECT_FALSE(ImageProgram::compile({transforms::Resize{}}, MemoryFormat::channels_first).ok());
  EXPECT_FALSE(ImageProgram::compile({nullptr}, MemoryFormat::channels_first).ok());
}

TEST(ImageProgram, refuses_a_result_beyond_all_measure) {
  const auto program =
      ImageProgram::compile({transforms::Resize{.size = 60000}}, MemoryFormat::channels_first);
  ASSERT_TRUE(program.ok());
  const auto workspace = program->make_workspace();
  const auto size = program->resolve(*workspace, {10, 10}, {});
  ASSERT_FALSE(size.ok());
  EXPECT_EQ(size.error().place.stage, "transform");
  EXPECT_NE(size.error().message.find("60000 x 60000 = 3600000000 pixels, made of one of 10 x 10, is over"),
            std::string::npos);
}

TEST(ImageProgram, refuses_rows_beyond_all_measure_before_any_image) {
  const TransformPtr large = transforms::Resize{.size = {60000, 60000}};
  const TransformPtr flip = transforms::RandomHorizontalFlip{};
  const auto rows = ImageProgram::compile({large, flip}, MemoryFormat::channels_first);
  ASSERT_FALSE(rows.ok());
  EXPECT_EQ(rows.error().kind, ErrorKind::invalid);
  EXPECT_NE(rows.error().message.find("Resize: an image of 60000 x 60000 = 3600000000 pixels is over"),
            std::string::npos);
  const TransformPtr crop = transforms::CenterCrop{.size = 224};
  EXPECT_TRUE(ImageProgram::compile({large, crop}, MemoryFormat::channels_first).ok());
}

TEST(ImageProgram, passes_on_the_decoders_error) {
  const auto program = ImageProgram::compile({}, MemoryFormat::channels_first).value();
  const auto workspace = program.make_workspace();
  ASSERT_TRUE(program.resolve(*workspace, {4, 4}, {}).ok());
  std::vector<std::uint8_t> out(48);
  const ReadBox broken = [](const Rect&, const PixelView&) -> Status {
    return Error{ErrorKind::corrupt, "bad", "", {}};
  };
  const Status status = program.run(*workspace, broken, out.data());
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::corrupt);
}

TEST(ImageProgram, tells_what_it_will_do) {
  const auto text = [](std::vector<TransformPtr> list, MemoryFormat format, Fuse fuse = Fuse::exact) {
    return ImageProgram::compile(std::move(list), format, fuse).value().describe();
  };
  const std::string train = text(presets::imagenet_train(224), MemoryFormat::channels_first);
  EXPECT_NE(train.find("decode the box that is needed\n"
                       "resize bilinear + flip (p=0.5) + normalise + write -> 224 x 224 float32 CHW\n"),
            std::string::npos)
      << train;
  const std::string val = text(presets::imagenet_val(224), MemoryFormat::channels_last);
  EXPECT_NE(val.find("resize bilinear + crop + normalise + write -> 224 x 224 float32 HWC\n"),
            std::string::npos)
      << val;
  EXPECT_EQ(text({}, MemoryFormat::channels_last), "decode\nwrite -> any size uint8 HWC\n");
}

TEST(ImageProgram, tells_of_what_is_random_what_may_happen) {
  const auto held = [](std::vector<TransformPtr> list) { return HeldOperations{std::move(list)}; };
  const TransformPtr blur = test::make("GaussianBlur", {{"kernel_size", std::int64_t{3}}});
  const TransformPtr seldom = test::make(
      "RandomApply", {{"transforms", held({blur, transforms::CenterCrop{.size = 99}})}, {"p", 0.01}});
  const TransformPtr policy = test::make("RandAugment");
  const TransformPtr nested = test::make("Sequential", {{"transforms", held({policy})}});
  const std::string text =
      ImageProgram::compile(
          {transforms::Resize{.size = {80, 90}}, seldom, test::make("RandomVerticalFlip", {{"p", 0.001}}),
           nested, transforms::CenterCrop{.size = 64}, test::make("RandomInvert", {{"p", 0.002}})},
          MemoryFormat::channels_first)
          .value()
          .describe();
  EXPECT_EQ(text.substr(0, text.find("for ")),
            "decode the box that is needed\nresize bilinear\n" + repr(*seldom) + "\nflip down (p=0.001)\n" +
                repr(*policy) + "\ncrop + invert (p=0.002) + write -> 64 x 64 uint8 CHW\n");
}

struct NoParameters {
  template <class V>
  void fields(V&&) {}
  bool operator==(const NoParameters&) const = default;
};

struct SeenBoxes {
  std::vector<double> seen;

  template <class V>
  void fields(V&& v) {
    v("seen", seen);
  }
};

class LooksAtBoxes final : public ImageOperation<LooksAtBoxes, NoParameters, SeenBoxes> {
 public:
  static constexpr const char* kName = "LooksAtBoxes";
  static constexpr const char* kSummary = "Draws the boxes that it is shown.";
  using ImageOperation::ImageOperation;

  Result<ImageSpec> describe(const ImageSpec& in) const override { return in; }
  Status draw(const ImageSlots& in, Draws&, SeenBoxes& drawn) const {
    drawn.seen.assign(in.boxes.begin(), in.boxes.end());
    return {};
  }
};

TEST(ImageProgram, operations_see_boxes_where_those_before_have_moved_them) {
  const auto looks = std::make_shared<const LooksAtBoxes>(NoParameters{});
  const auto program = ImageProgram::compile({looks, transforms::Resize{.size = {50, 100}}, looks,
                                              transforms::CenterCrop{.size = {50, 50}}, looks},
                                             MemoryFormat::channels_first)
                           .value();
  const auto workspace = program.make_workspace();
  const std::vector<float> boxes = {20, 10, 120, 40, 0, 0, 8, 8};
  ASSERT_TRUE(program.resolve(*workspace, {200, 100}, RandomKey{1, 2, 3}, boxes).ok());
  const auto seen = [&](std::size_t op) {
    return test::value_of<std::vector<double>>(workspace->drawn[op]->values(), "seen");
  };
  EXPECT_EQ(seen(0), (std::vector<double>{20, 10, 120, 40, 0, 0, 8, 8}));
  EXPECT_EQ(seen(2), (std::vector<double>{10, 5, 60, 20, 0, 0, 4, 4}));
  EXPECT_EQ(seen(4), (std::vector<double>{0, 5, 35, 20, 0, 0, 0, 4})) << "cut off at the edges";
}

TEST(ImageProgram, operations_see_no_boxes_that_were_dropped_before) {
  const auto looks = std::make_shared<const LooksAtBoxes>(NoParameters{});
  const auto program = ImageProgram::compile({transforms::CenterCrop{.size = {50, 50}},
                                              test::make("SanitizeBoundingBoxes"), looks},
                                             MemoryFormat::channels_first)
                           .value();
  const auto workspace = program.make_workspace();
  const std::vector<float> boxes = {0, 0, 8, 8, 90, 40, 120, 60};
  ASSERT_TRUE(program.resolve(*workspace, {200, 100}, RandomKey{1, 2, 3}, boxes).ok());
  EXPECT_EQ(test::value_of<std::vector<double>>(workspace->drawn[2]->values(), "seen"),
            (std::vector<double>{15, 15, 45, 35}));
}

}  // namespace
}  // namespace penstock::inline v0
