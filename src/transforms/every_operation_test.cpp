// Every operation on images, by being listed in the catalogue: fused = plain, what was drawn makes the same
// pixels again, views of one decode are what lists by themselves give, masks have the size of the image. On
// every CPU target, for images of 1, 3 and 4 channels and of 16 bits, of ordinary and of awkward sizes.
// tests/conformance has what needs a loader.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/each_target_for_test.hpp"
#include "transforms/any_operation_for_test.hpp"
#include "transforms/run_for_test.hpp"
#include "transforms/sample_program.hpp"

namespace penstock::inline v0 {
namespace {

using test::TestImage;

/// Lists that the operation is part of: by itself, repeated, and among others that it may be fused with.
std::vector<std::vector<TransformPtr>> lists_with(const TransformPtr& operation) {
  const TransformPtr crop = transforms::CenterCrop{.size = {24, 20}};
  const TransformPtr resize = transforms::Resize{.size = {9, 7}};
  const TransformPtr flip = transforms::RandomHorizontalFlip{};
  const TransformPtr floats = transforms::ToFloat{};
  return {{operation},
          {operation, operation},
          {crop, operation, floats},
          {flip, operation, resize},
          {resize, flip, operation, operation, floats},
          {crop, floats, operation}};
}

const std::array<ImageSpec, 4> kInputs = {ImageSpec{.size = {}, .type = ElementType::uint8, .channels = 3},
                                          ImageSpec{.size = {}, .type = ElementType::uint8, .channels = 1},
                                          ImageSpec{.size = {}, .type = ElementType::uint8, .channels = 4},
                                          ImageSpec{.size = {}, .type = ElementType::uint16, .channels = 1}};
constexpr std::array kAwkwardSizes = {ImageSize{1, 1},   ImageSize{1, 37},  ImageSize{41, 1},
                                      ImageSize{2, 2},   ImageSize{17, 23}, ImageSize{300, 3},
                                      ImageSize{2, 150}, ImageSize{61, 48}};

/// Rows of bytes: a pixel of 16 bits is one of two channels.
TestImage noise_of(const ImageSpec& spec, ImageSize size, unsigned seed) {
  return TestImage::noise(size, seed, spec.channels * static_cast<int>(size_of(spec.type)));
}

struct ViewResult {
  ImageSize size;
  std::vector<std::uint8_t> bytes;
  bool operator==(const ViewResult&) const = default;
};

/// What a view is after decode(), with a look at the bytes behind it.
ViewResult result_of(const SampleProgram& program, SampleWorkspace& workspace, std::size_t view) {
  constexpr std::uint8_t kGuard = 0xA5;
  constexpr std::size_t kGuards = 64;
  const ImageSpec& out = program.views()[view].image.output();
  const ImageSize size = workspace.sizes[view];
  EXPECT_TRUE(!out.fixed_size() || out.size == size) << "the described size is not the delivered one";
  const std::size_t bytes =
      static_cast<std::size_t>(size.width * size.height * out.channels) * size_of(out.type);
  ViewResult result{size, std::vector<std::uint8_t>(bytes + kGuards, kGuard)};
  program.run(workspace, view, result.bytes.data());
  EXPECT_TRUE(std::all_of(result.bytes.begin() + static_cast<std::ptrdiff_t>(bytes), result.bytes.end(),
                          [](std::uint8_t byte) { return byte == kGuard; }))
      << "written past the row";
  result.bytes.resize(bytes);
  return result;
}

/// What becomes of a mask beside an image that is resolved.
std::vector<std::uint8_t> moved_mask(const SampleProgram& program, SampleWorkspace& workspace,
                                     const TestImage& mask) {
  const ImageSize size = workspace.sizes[0];
  std::vector<std::uint8_t> moved(static_cast<std::size_t>(size.width * size.height), 0xA5);
  EXPECT_TRUE(program.decode_mask(workspace, ElementType::uint8, mask.reader()).ok());
  program.run_mask(workspace, 0, moved.data());
  return moved;
}

/// Whether it does more to images than to move pixels: policies, what holds such operations, what blends.
bool changes_values(const ImageTransform& operation) {
  constexpr std::array<std::string_view, 10> kOthers = {
      "AutoAugment", "RandAugment", "TrivialAugmentWide", "TimmRandAugment", "OpticalDistortion",
      "Sequential",  "RandomApply", "RandomChoice",       "RandomOrder",     "ElasticTransform"};
  return std::find(kOthers.begin(), kOthers.end(), operation.name()) != kOthers.end();
}

/// The same by the nearest pixel, with black around the image.
TransformPtr only_moving(const Transform& operation) {
  Params params = params_of(operation);
  std::erase_if(params, [](const auto& it) {
    return it.first == "fill" || it.first == "mask_fill" || it.first == "background" ||
           it.first == "fade_radius";
  });
  for (auto& [name, value] : params) {
    if (name == "interpolation") {
      value = std::string("nearest");
    }
  }
  return make_transform(operation.name(), params).value();
}

std::string words_for(const std::vector<TransformPtr>& list, const ImageSpec& input, ImageSize size) {
  std::string words = std::to_string(size.width) + " x " + std::to_string(size.height) + " pixels of " +
                      std::to_string(input.channels) + " channels of " +
                      std::to_string(8 * size_of(input.type)) + " bits:";
  for (const TransformPtr& operation : list) {
    words += " " + repr(*operation);
  }
  return words;
}

class every_operation : public testing::TestWithParam<const OperationInfo*> {
 protected:
  void SetUp() override {
    const auto made = test::make_any(*GetParam());
    ASSERT_TRUE(made) << "no value of kParameterCandidates suits a parameter of " << GetParam()->name
                      << ": add one that does";
    operations_ = test::variants_of(*GetParam(), *made);
  }

  /// Of one view; nothing where an image of this size is refused, with a reason.
  std::optional<ViewResult> try_list(const SampleProgram& program, SampleWorkspace& workspace,
                                     const TestImage& image, std::uint64_t sample) {
    const Status resolved = program.resolve(workspace, image.size, {3, 4, sample});
    if (!resolved.ok()) {
      EXPECT_EQ(resolved.error().kind, ErrorKind::invalid) << resolved.error().to_string();
      return {};
    }
    EXPECT_TRUE(program.decode(workspace, image.reader()).ok());
    ++delivered_;
    return result_of(program, workspace, 0);
  }

  /// Calls `check(list, input, image)` for all that the operation can be part of; it counts what it delivers.
  template <class Check>
  void for_each_case(Check check) {
    std::size_t cases = 0;
    std::vector<std::vector<TransformPtr>> lists;
    for (const TransformPtr& operation : operations_) {
      const auto some = lists_with(operation);
      // One other value is seen where the operation stands alone; the defaults, and all values at once,
      // everywhere.
      const bool everywhere = operation == operations_.front() || operation == operations_.back();
      lists.insert(lists.end(), some.begin(), everywhere ? some.end() : some.begin() + 1);
    }
    for (const auto& list : lists) {
      for (const ImageSpec& input : kInputs) {
        const auto program = SampleProgram::compile({{"", 0, list}}, input, MemoryFormat::channels_last);
        if (!program.ok()) {
          EXPECT_EQ(program.error().kind, ErrorKind::invalid) << program.error().to_string();
          continue;
        }
        ++cases;
        unsigned seed = 1;
        int sizes = 0;
        for (const ImageSize size : kAwkwardSizes) {
          SCOPED_TRACE(words_for(list, input, size));
          const std::size_t before = delivered_;
          check(list, input, noise_of(input, size, ++seed));
          if (HasFailure()) {
            return;
          }
          sizes += delivered_ > before ? 1 : 0;
        }
        // By itself it may refuse images that are too small, as crops do.
        ASSERT_GE(sizes, list.size() > 1 ? 0 : (list.front() == operations_.front() ? 2 : 1))
            << words_for(list, input, {}) << " delivers too few of kAwkwardSizes";
      }
    }
    EXPECT_GE(cases, 1u) << "the operation can be part of no list of lists_with(): add one that it can";
  }

  std::vector<TransformPtr> operations_;
  std::size_t delivered_ = 0;
};

TEST_P(every_operation, gives_fused_what_it_gives_by_itself) {
  for_each_target([&](CpuTarget) {
    for_each_case([this](const auto& list, const ImageSpec& input, const TestImage& image) {
      for (const auto format : {MemoryFormat::channels_last, MemoryFormat::channels_first}) {
        const auto fused = SampleProgram::compile({{"", 0, list}}, input, format).value();
        const auto plain = SampleProgram::compile({{"", 0, list}}, input, format, Fuse::off).value();
        auto workspace = fused.make_workspace();
        auto plain_workspace = plain.make_workspace();
        for (std::uint64_t sample = 0; sample < 2; ++sample) {
          ASSERT_TRUE(try_list(fused, workspace, image, sample) ==
                      try_list(plain, plain_workspace, image, sample))
              << "sample " << sample;
        }
      }
    });
  });
}

TEST_P(every_operation, gives_on_every_target_what_scalar_code_gives) {
  std::vector<std::optional<ViewResult>> scalar;
  for_each_target([&](CpuTarget target) {
    std::vector<std::optional<ViewResult>> found;
    for_each_case([&](const auto& list, const ImageSpec& input, const TestImage& image) {
      const auto program =
          SampleProgram::compile({{"", 0, list}}, input, MemoryFormat::channels_first).value();
      auto workspace = program.make_workspace();
      found.push_back(try_list(program, workspace, image, 1));
    });
    if (target == CpuTarget::scalar) {
      scalar = found;
    }
    EXPECT_TRUE(found == scalar);
  });
}

TEST_P(every_operation, makes_the_same_again_of_what_was_drawn) {
  for_each_case([this](const auto& list, const ImageSpec& input, const TestImage& image) {
    const auto program = SampleProgram::compile({{"", 0, list}}, input, MemoryFormat::channels_last).value();
    const ListDraws& draws = program.views()[0].image.list();
    auto workspace = program.make_workspace();
    for (std::uint64_t sample = 0; sample < 2; ++sample) {
      const auto first = try_list(program, workspace, image, sample);
      if (!first) {
        continue;
      }
      // By names, as users see it, and as bare numbers, as batches keep it.
      std::vector<double> numbers;
      draws.save(workspace.views[0]->drawn, numbers);
      auto named = program.make_workspace();
      auto bare = program.make_workspace();
      ASSERT_TRUE(draws.set(draws.named(workspace.views[0]->drawn), named.views[0]->drawn).ok());
      std::span<const double> left = numbers;
      draws.load(left, bare.views[0]->drawn);
      EXPECT_TRUE(left.empty());
      for (SampleWorkspace* const again : {&named, &bare}) {
        ASSERT_TRUE(program.replay(*again, image.size).ok());
        ASSERT_TRUE(program.decode(*again, image.reader()).ok());
        ASSERT_TRUE(result_of(program, *again, 0) == first);
      }
    }
  });
}

TEST_P(every_operation, gives_in_views_of_one_decode_what_it_gives_alone) {
  for_each_case([this](const auto& list, const ImageSpec& input, const TestImage& image) {
    const auto alone = SampleProgram::compile({{"", 0, list}}, input, MemoryFormat::channels_last).value();
    const bool several = alone.views().size() > 1;  // images of one, which cannot be counted besides
    std::vector<TransformPtr> other = {transforms::RandomCrop{.size = {1, 1}}};
    if (alone.wants_upright()) {
      other.insert(other.begin(), list.front());
    }
    const auto views = SampleProgram::compile({{"a", several ? 0 : 2, list}, {"b", 0, other}}, input,
                                              MemoryFormat::channels_last)
                           .value();
    const ListDraws& draws = alone.views()[0].image.list();
    auto workspace = views.make_workspace();
    for (std::uint64_t sample = 0; sample < 2; ++sample) {
      if (!views.resolve(workspace, image.size, {3, 4, sample}).ok()) {
        continue;  // an image of this size is refused
      }
      ++delivered_;
      int reads = 0;
      const ReadBox read = image.reader();
      ASSERT_TRUE(views
                      .decode(workspace,
                              [&](const Rect& box, const PixelView& out) {
                                ++reads;
                                return read(box, out);
                              })
                      .ok());
      EXPECT_EQ(reads, 1);
      for (std::size_t view = 0; view < 2; ++view) {
        auto again = alone.make_workspace();
        for (const ImageWorkspacePtr& each : again.views) {
          ASSERT_TRUE(draws.set(draws.named(workspace.views[view]->drawn), each->drawn).ok());
        }
        ASSERT_TRUE(alone.replay(again, image.size).ok());
        ASSERT_TRUE(alone.decode(again, image.reader()).ok());
        ASSERT_TRUE(result_of(views, workspace, view) == result_of(alone, again, several ? view : 0))
            << "view " << view;
      }
    }
  });
}

TEST_P(every_operation, moves_masks_to_the_size_of_the_image) {
  for_each_case([this](const auto& list, const ImageSpec& input, const TestImage& image) {
    const auto program = SampleProgram::compile({{"", 0, list}}, input, MemoryFormat::channels_last).value();
    auto workspace = program.make_workspace();
    const TestImage mask = TestImage::filled(image.size, 7, 1);
    if (!program.resolve(workspace, image.size, {3, 4, 5}).ok()) {
      return;
    }
    ++delivered_;
    const std::vector<std::uint8_t> moved = moved_mask(program, workspace, mask);
    // Classes are never interpolated: there is the one of the mask, and what surrounds it.
    std::vector<std::int64_t> known = {7, 0};
    for (const TransformPtr& operation : list) {
      for (const auto& [name, value] : params_of(*operation)) {
        if (name == "mask_fill") {
          known.push_back(std::get<std::int64_t>(value));
        }
      }
    }
    EXPECT_TRUE(std::all_of(moved.begin(), moved.end(), [&](std::uint8_t it) {
      return std::find(known.begin(), known.end(), it) != known.end();
    }));
  });
}

TEST_P(every_operation, moves_masks_as_images_whose_pixels_it_only_moves) {
  const auto& operation = dynamic_cast<const ImageTransform&>(*operations_.front());
  if (!operation.moves_pixels() || changes_values(operation)) {
    return;
  }
  const ImageSpec& gray = kInputs[1];
  const TransformPtr flip = transforms::RandomHorizontalFlip{};
  const TransformPtr resize =
      transforms::Resize{.size = {9, 7}, .interpolation = transforms::Interpolation::nearest};
  std::size_t compared = 0;
  for (const TransformPtr& variant : operations_) {
    const TransformPtr moving = only_moving(*variant);
    for (const auto& list :
         {std::vector{moving}, std::vector{moving, moving}, std::vector{flip, moving, resize}}) {
      const auto program = SampleProgram::compile({{"", 0, list}}, gray, MemoryFormat::channels_last);
      if (!program.ok()) {
        continue;  // it cannot follow itself
      }
      for (const ImageSize size : kAwkwardSizes) {
        SCOPED_TRACE(words_for(list, gray, size));
        const TestImage image = noise_of(gray, size, 3);
        auto workspace = program->make_workspace();
        for (std::uint64_t sample = 0; sample < 3; ++sample) {
          const auto made = try_list(*program, workspace, image, sample);
          if (made) {
            ASSERT_EQ(moved_mask(*program, workspace, image), made->bytes) << "sample " << sample;
            ++compared;
          }
        }
      }
    }
  }
  EXPECT_GE(compared, 3 * operations_.size());
}

INSTANTIATE_TEST_SUITE_P(of_the_catalogue, every_operation,
                         testing::ValuesIn(test::operations_on<ImageTransform>()),
                         [](const auto& info) { return info.param->name; });

}  // namespace
}  // namespace penstock::inline v0
