// A list of transforms outside of a loader.

#include <fmt/format.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "array_type.hpp"
#include "bind.hpp"
#include "bound_program.hpp"
#include "core/out_of_memory.hpp"
#include "param_values.hpp"
#include "transforms/coordinates.hpp"
#include "transforms/sample_program.hpp"
#include "transforms/upright.hpp"

namespace nb = nanobind;

namespace penstock::python {
namespace {

using Pixels = nb::ndarray<nb::ro, nb::numpy, nb::c_contig, nb::device::cpu>;
using Numbers = nb::ndarray<const float, nb::numpy, nb::c_contig, nb::device::cpu>;

[[noreturn]] void refuse(std::string message, std::string advice) {
  throw Raise{{.kind = ErrorKind::invalid,
               .message = std::move(message),
               .advice = std::move(advice),
               .place = {.stage = "transform"}}};
}

ElementType type_of(const Pixels& pixels, const char* what) {
  if (pixels.dtype() == nb::dtype<std::uint8_t>()) {
    return ElementType::uint8;
  }
  if (pixels.dtype() == nb::dtype<std::uint16_t>()) {
    return ElementType::uint16;
  }
  refuse(std::string(what) + " must be an array of uint8 or uint16", "convert it before");
}

ReadBox reader_of(const Pixels& pixels, std::size_t pixel) {
  const auto* const data = static_cast<const std::uint8_t*>(pixels.data());
  const std::size_t stride = pixels.shape(1) * pixel;
  return [data, stride, pixel](const Rect& box, const PixelView& view) -> Status {
    for (int y = 0; y < box.height; ++y) {
      std::memcpy(
          view.data + static_cast<std::size_t>(y) * view.stride,
          data + static_cast<std::size_t>(box.y + y) * stride + static_cast<std::size_t>(box.x) * pixel,
          static_cast<std::size_t>(box.width) * pixel);
    }
    return {};
  };
}

nb::dlpack::dtype dtype_of(ElementType type) { return array_type(scalar_of(type)); }

ImageSize size_of_pixels(const Pixels& pixels, const char* what) {
  constexpr std::size_t kMaxSide = 1 << 24;
  if (pixels.ndim() < 2 || pixels.shape(0) < 1 || pixels.shape(1) < 1 || pixels.shape(0) > kMaxSide ||
      pixels.shape(1) > kMaxSide) {
    refuse(std::string(what) + " must have at least one pixel, [height, width] first", "check its shape");
  }
  return {static_cast<int>(pixels.shape(1)), static_cast<int>(pixels.shape(0))};
}

std::vector<float> numbers_of(const std::optional<Numbers>& given, std::size_t each, const char* what) {
  if (!given) {
    return {};
  }
  const bool grouped = each == 2 && given->ndim() == 3;
  if ((given->ndim() != 2 && !grouped) || given->shape(given->ndim() - 1) != each) {
    refuse(std::string(what) + " must have the shape [N, " + std::to_string(each) + "]", "check its shape");
  }
  std::vector<float> numbers(given->data(), given->data() + given->size());
  const auto wrong = std::find_if(numbers.begin(), numbers.end(), [](float n) { return !std::isfinite(n); });
  if (wrong != numbers.end()) {
    refuse(fmt::format("{} must be finite numbers that fit in float32, got {} in row {}", what, *wrong,
                       static_cast<std::size_t>(wrong - numbers.begin()) * given->shape(0) / numbers.size()),
           "drop such objects before");
  }
  return numbers;
}

/// What a call is given beside the image. Numbers are those of boxes and key points as they were.
struct Given {
  std::optional<Pixels> mask;
  std::vector<float> boxes;
  std::vector<float> points;
  std::vector<std::uint32_t> sizes{};  ///< points of each item
  bool of_boxes = false;               ///< each item of points belongs to a box
};

/// What a list makes of one image and of what lies in its plane: one or several of each, one after the other.
struct Made {
  std::vector<std::uint8_t> mask;
  std::vector<float> boxes;
  std::vector<float> points;
  std::vector<std::uint8_t> kept_boxes;  ///< of each that was given
  std::vector<std::uint8_t> kept_points;
  std::vector<std::vector<std::uint8_t>> patch_masks;  ///< by the fields that operations add

  void add_patch_masks(const ImageProgram& image, const ImageWorkspace& workspace) {
    patch_masks.resize(image.masks().size());
    for (std::size_t i = 0; i < patch_masks.size(); ++i) {
      const std::size_t begin = patch_masks[i].size();
      patch_masks[i].resize(begin + image.masks()[i].field.elements());
      image.write_mask(workspace, i, patch_masks[i].data() + begin);
    }
  }

  Status add_annotations(const SampleProgram& program, const SampleWorkspace& workspace, std::size_t view,
                         const Given& given) {
    std::vector<float> own_boxes = given.boxes;
    std::vector<float> own_points = given.points;
    std::vector<std::uint8_t> boxes_left(own_boxes.size() / 4, 1);
    std::vector<std::uint8_t> points_left(given.sizes.size(), 1);
    program.move_boxes(workspace, view, {own_boxes, {}, boxes_left});
    program.move_points(workspace, view, {own_points, given.sizes, points_left});
    if (given.of_boxes) {
      drop_together(boxes_left, points_left);
    }
    if (view > 0 && (boxes_left != kept_boxes || points_left != kept_points)) {
      return Error{
          .kind = ErrorKind::invalid,
          .message = "the images that are made of one would have different numbers of boxes or key points",
          .advice = "omit the operation that drops them",
          .place = {.stage = "transform"}};
    }
    drop_items(own_boxes, boxes_left, 4);
    drop_points(own_points, points_left, given.sizes);
    boxes.insert(boxes.end(), own_boxes.begin(), own_boxes.end());
    points.insert(points.end(), own_points.begin(), own_points.end());
    kept_boxes = std::move(boxes_left);
    kept_points = std::move(points_left);
    return {};
  }
};

std::size_t bytes_of(ImageSize size, const ImageSpec& spec) {
  return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height) *
         static_cast<std::size_t>(spec.channels) * size_of(spec.type);
}

/// What EXIF said of an image, as it was drawn.
int drawn_orientation(const ImageWorkspace& workspace) {
  for (const auto& [name, value] : workspace.drawn.front()->values()) {
    if (const auto* const number = std::get_if<std::int64_t>(&value);
        number != nullptr && name == "orientation") {
      return static_cast<int>(*number);
    }
  }
  return 1;
}

/// Whether kernels may read an array as it lies: they read up to kRowSlack bytes after it and do nothing with
/// them, so these must be on a page that is there.
bool has_slack(const Pixels& pixels) {
  constexpr std::uintptr_t kSmallestPage = 4096;
  const auto last = reinterpret_cast<std::uintptr_t>(pixels.data()) + pixels.nbytes() - 1;
  return last % kSmallestPage + kRowSlack < kSmallestPage;
}

/// Pixels of an image that is upright when it is read.
ReadBox upright_reader(UprightReader& upright, const Pixels& pixels, std::size_t pixel) {
  return [&upright, stored = reader_of(pixels, pixel)](const Rect& box, const PixelView& out) {
    return upright.read(box, out, stored);
  };
}

Given given_of(const std::optional<Pixels>& mask, const std::optional<Numbers>& boxes,
               const std::optional<Numbers>& points) {
  Given given{
      .mask = mask, .boxes = numbers_of(boxes, 4, "boxes"), .points = numbers_of(points, 2, "keypoints")};
  const bool grouped = points && points->ndim() == 3;
  given.sizes.assign(points ? points->shape(0) : 0,
                     grouped ? static_cast<std::uint32_t>(points->shape(1)) : 1);
  given.of_boxes = boxes && grouped;
  if (given.of_boxes && given.boxes.size() / 4 != given.sizes.size()) {
    refuse("keypoints [N, K, 2] belong to boxes [N, 4], and the numbers differ",
           "pass keypoints [N, 2], which belong to none");
  }
  if (mask && mask->ndim() != 2) {
    refuse("the mask must have the image's height and width and no channels", "resize it before");
  }
  return given;
}

/// `orientations` of the image and of the mask, as files say them.
nb::dict run(BoundProgram& self, const Pixels& image, const std::optional<Pixels>& mask,
             const std::optional<Numbers>& boxes, const std::optional<Numbers>& points, std::uint64_t seed,
             const std::optional<nb::list>& params, std::pair<int, int> orientations, bool draws) {
  const SampleProgram& program = self.program();
  const ImageProgram& first = program.views()[0].image;
  const ImageSpec& in = first.input();
  const ImageSize stored = size_of_pixels(image, "the image");
  const std::size_t channels = image.ndim() == 2 ? 1 : image.ndim() == 3 ? image.shape(2) : 0;
  if (type_of(image, "the image") != in.type || channels != static_cast<std::size_t>(in.channels)) {
    refuse("the image is of another kind than the program was made for", "make a program for it");
  }
  const Given given = given_of(mask, boxes, points);
  const ElementType mask_type = mask ? type_of(*mask, "the mask") : ElementType::uint8;
  const ImageSize stored_mask = mask ? size_of_pixels(*mask, "the mask") : ImageSize{};
  std::optional<std::vector<NamedDrawn>> named;
  if (params) {
    named = named_of(*params);
  }

  SampleWorkspace workspace = self.take();
  const bool turns = program.wants_upright();
  UprightReader upright;
  const auto draw = [&]() -> Status {
    if (named) {
      for (const ImageWorkspacePtr& view : workspace.views) {
        PENSTOCK_TRY(first.list().set(*named, view->drawn));
      }
    }
    const int orientation = !turns ? 1 : named ? drawn_orientation(*workspace.views[0]) : orientations.first;
    const ImageSize size = upright.begin(stored, orientation);
    if (named) {
      return program.replay(workspace, size);
    }
    const RandomKey key{.seed = seed, .epoch = 0, .sample = 0};
    return program.resolve(workspace, size, key, given.boxes, orientation, {.key = key});
  };
  raise_if_failed(draw());
  const std::size_t images = program.views().size();
  const ImageSize made_size = workspace.sizes[0];
  const auto height = static_cast<std::size_t>(made_size.height);
  const auto width = static_cast<std::size_t>(made_size.width);
  const auto several = [images](std::vector<std::size_t> shape) {
    if (images > 1) {
      shape.insert(shape.begin(), images);
    }
    return shape;
  };
  const nb::object pixels =
      self.empty(several({height, width, static_cast<std::size_t>(first.output().channels)}));
  auto* const rows = static_cast<std::uint8_t*>(nb::cast<nb::ndarray<nb::c_contig>>(pixels).data());
  const std::size_t bytes = bytes_of(made_size, first.output());

  Made made;
  const auto work = [&]() -> Status {
    const std::size_t pixel = channels * size_of(in.type);
    if (!turns && has_slack(image)) {
      program.lend(workspace, {static_cast<const std::uint8_t*>(image.data()),
                               image.shape(1) * pixel,
                               {0, 0, stored.width, stored.height}});
    } else {
      PENSTOCK_TRY(program.decode(workspace, upright_reader(upright, image, pixel)));
    }
    if (mask) {
      if (upright.begin(stored_mask, turns ? orientations.second : 1) != workspace.views[0]->input) {
        return Error{.kind = ErrorKind::invalid,
                     .message = "the mask must have the image's height and width and no channels",
                     .advice = "resize it before",
                     .place = {.stage = "transform"}};
      }
      PENSTOCK_TRY(
          program.decode_mask(workspace, mask_type, upright_reader(upright, *mask, size_of(mask_type))));
    }
    for (std::size_t view = 0; view < images; ++view) {
      program.run(workspace, view, rows + view * bytes);
      if (mask) {
        const std::size_t mask_begin = made.mask.size();
        made.mask.resize(mask_begin + height * width * size_of(mask_type));
        program.run_mask(workspace, view, made.mask.data() + mask_begin);
      }
      PENSTOCK_TRY(made.add_annotations(program, workspace, view, given));
      made.add_patch_masks(program.views()[view].image, *workspace.views[view]);
    }
    return {};
  };
  Status done;
  {
    const GilRelease release;
    done = work();
  }
  raise_if_failed(std::move(done));
  nb::dict result;
  result["image"] = pixels;
  if (first.output().is_rounded()) {
    result["type"] = name_of(scalar_of(first.output().type));
  }
  if (mask) {
    result["mask"] = array_of(std::move(made.mask), several({height, width}), dtype_of(mask_type));
  }
  if (boxes) {
    const std::size_t before = made.kept_boxes.size();
    const std::size_t count = made.boxes.size() / 4 / images;
    result["boxes"] = array_of(std::move(made.boxes), several({count, 4}), nb::dtype<float>());
    result["kept"] = array_of(std::move(made.kept_boxes), {before}, nb::dtype<bool>());
  }
  if (points) {
    const auto left = static_cast<std::size_t>(
        std::count(made.kept_points.begin(), made.kept_points.end(), std::uint8_t{1}));
    const bool grouped = points->ndim() == 3;
    result["keypoints"] = array_of(std::move(made.points),
                                   several(grouped ? std::vector<std::size_t>{left, points->shape(1), 2}
                                                   : std::vector<std::size_t>{left, 2}),
                                   nb::dtype<float>());
  }
  nb::dict patch_masks;
  for (std::size_t i = 0; i < made.patch_masks.size(); ++i) {
    const MaskField& field = first.masks()[i].field;
    patch_masks[field.name.c_str()] =
        array_of(std::move(made.patch_masks[i]), several(field.shape), nb::dtype<bool>());
  }
  result["patch_masks"] = patch_masks;
  if (draws) {
    result["params"] = params_list(first.list().named(workspace.views[0]->drawn));
  }
  self.give_back(std::move(workspace), image.nbytes() + images * bytes);
  return result;
}

}  // namespace

void bind_sample_program(nb::module_& m) {
  nb::class_<BoundProgram>(m, "SampleProgram", "A list of transforms for images of one kind.")
      .def(
          "__init__",
          [](BoundProgram* self, const std::vector<TransformHandle>& operations, int channels, bool wide,
             std::uint32_t first_op) {
            std::vector<TransformPtr> list;
            for (const TransformHandle& operation : operations) {
              list.push_back(operation.transform);
            }
            const ImageSpec input{
                .size = {}, .type = wide ? ElementType::uint16 : ElementType::uint8, .channels = channels};
            new (self) BoundProgram(value_or_raise(SampleProgram::compile(
                {{"", 0, std::move(list)}}, input, MemoryFormat::channels_last, Fuse::exact, 0, first_op)));
          },
          nb::arg("operations"), nb::arg("channels"), nb::arg("wide"), nb::arg("first_op"))
      .def("run", &run, nb::arg("image"), nb::arg("mask").none(), nb::arg("boxes").none(),
           nb::arg("keypoints").none(), nb::arg("seed"), nb::arg("params").none(), nb::arg("orientations"),
           nb::arg("draws"),
           nb::sig(
               "def run(self, image: object, mask: object | None, boxes: object | None, keypoints: object | "
               "None, seed: int, params: list[dict[str, object]] | None, orientations: tuple[int, int], "
               "draws: "
               "bool) -> dict[str, object]"),
           "The image [H, W, C], what lies in its plane where that was given, which boxes are left, and, if "
           "`draws`, what was drawn as params. A first dimension more where several images are made of one. "
           "bfloat16 comes as uint16, "
           "with its name as type. orientations: EXIF's of the image and of the mask.")
      .def_prop_ro("images", [](const BoundProgram& self) { return self.program().views().size(); });
  m.def(
      "stream_of_seed", [](std::uint64_t seed) { return stream_of({.seed = seed}); }, nb::arg("seed"),
      "The stream of epoch 0, which functions in a list outside of a loader draw from.");
}

}  // namespace penstock::python
