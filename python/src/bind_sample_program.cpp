// A list of transforms outside of a loader.

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "array_type.hpp"
#include "bind.hpp"
#include "param_values.hpp"
#include "transforms/coordinates.hpp"
#include "transforms/sample_program.hpp"

namespace nb = nanobind;

namespace penstock::python {
namespace {

using Pixels = nb::ndarray<nb::numpy, nb::c_contig, nb::device::cpu>;
using Numbers = nb::ndarray<const float, nb::numpy, nb::c_contig, nb::device::cpu>;

/// The list of one view, for images of one kind. Any number of threads may run it: each call has memory of
/// its own, which is kept for the next.
class BoundProgram {
 public:
  explicit BoundProgram(SampleProgram program) : program_(std::move(program)) {}

  const SampleProgram& program() const noexcept { return program_; }

  SampleWorkspace take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) {
      return program_.make_workspace();
    }
    SampleWorkspace workspace = std::move(idle_.back());
    idle_.pop_back();
    return workspace;
  }
  void give_back(SampleWorkspace workspace) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(workspace));
  }

 private:
  const SampleProgram program_;
  std::mutex mutex_;
  std::vector<SampleWorkspace> idle_;
};

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

template <class T>
nb::object array_of(std::vector<T> values, const std::vector<std::size_t>& shape, nb::dlpack::dtype type) {
  auto* const kept = new std::vector<T>(std::move(values));
  const nb::capsule owner(kept, [](void* held) noexcept { delete static_cast<std::vector<T>*>(held); });
  return nb::cast(nb::ndarray<nb::numpy>(kept->data(), shape.size(), shape.data(), owner, nullptr, type));
}

nb::dlpack::dtype dtype_of(ElementType type) { return array_type(scalar_of(type)); }

bool is_list_of_dicts(nb::handle value) {
  return nb::isinstance<nb::list>(value) && nb::len(value) > 0 && nb::isinstance<nb::dict>(value[0]);
}

std::vector<NamedDrawn> named_of(const nb::list& rows) {
  std::vector<NamedDrawn> named;
  for (const nb::handle row : rows) {
    if (!nb::isinstance<nb::dict>(row) || !nb::borrow<nb::dict>(row).contains("op")) {
      refuse("params must be a list of dicts with \"op\"", "pass a row of batch.params, or one view of it");
    }
    NamedDrawn entry;
    for (const auto& [key, value] : nb::borrow<nb::dict>(row)) {
      const std::string name = from_str(key);
      if (name == "op") {
        entry.operation = from_str(value);
      } else if (is_list_of_dicts(value)) {
        entry.values.emplace_back(name, HeldDrawn{named_of(nb::borrow<nb::list>(value))});
      } else {
        entry.values.emplace_back(name, to_value("params", name, value));
      }
    }
    named.push_back(std::move(entry));
  }
  return named;
}

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
  return {given->data(), given->data() + given->size()};
}

nb::dict run(BoundProgram& self, const Pixels& image, const std::optional<Pixels>& mask,
             const std::optional<Numbers>& boxes, const std::optional<Numbers>& points, std::uint64_t seed,
             const std::optional<nb::list>& params) {
  const SampleProgram& program = self.program();
  const ImageProgram& view = program.views()[0].image;
  const ImageSpec& in = view.input();
  const ImageSize size = size_of_pixels(image, "the image");
  const std::size_t channels = image.ndim() == 2 ? 1 : image.ndim() == 3 ? image.shape(2) : 0;
  if (type_of(image, "the image") != in.type || channels != static_cast<std::size_t>(in.channels)) {
    refuse("the image is of another kind than the program was made for", "make a program for it");
  }
  std::vector<float> moved_boxes = numbers_of(boxes, 4, "boxes");
  std::vector<float> moved_points = numbers_of(points, 2, "keypoints");
  std::vector<std::uint8_t> kept_boxes(moved_boxes.size() / 4, 1);
  const std::size_t points_each = points && points->ndim() == 3 ? points->shape(1) : 1;
  const std::vector<std::uint32_t> sizes(points ? points->shape(0) : 0,
                                         static_cast<std::uint32_t>(points_each));
  std::vector<std::uint8_t> kept_points(sizes.size(), 1);
  const bool of_boxes = boxes && points && points->ndim() == 3;
  if (of_boxes && kept_boxes.size() != kept_points.size()) {
    refuse("keypoints [N, K, 2] belong to boxes [N, 4], and the numbers differ",
           "pass keypoints [N, 2], which belong to none");
  }
  ElementType mask_type = ElementType::uint8;
  if (mask) {
    mask_type = type_of(*mask, "the mask");
    if (mask->ndim() != 2 || size_of_pixels(*mask, "the mask") != size) {
      refuse("the mask must have the image's height and width and no channels", "resize it before");
    }
  }
  std::optional<std::vector<NamedDrawn>> named;
  if (params) {
    named = named_of(*params);
  }

  SampleWorkspace workspace = self.take();
  std::vector<std::uint8_t> pixels;
  std::vector<std::uint8_t> moved_mask;
  const auto work = [&]() -> Status {
    if (named) {
      PENSTOCK_TRY(view.list().set(*named, workspace.views[0]->drawn));
      PENSTOCK_TRY(program.replay(workspace, size));
    } else {
      PENSTOCK_TRY(program.resolve(workspace, size, {.seed = seed, .epoch = 0, .sample = 0}, moved_boxes));
    }
    const ImageSize out = workspace.sizes[0];
    const std::size_t area = static_cast<std::size_t>(out.width) * static_cast<std::size_t>(out.height);
    PENSTOCK_TRY(program.decode(workspace, reader_of(image, channels * size_of(in.type))));
    pixels.resize(area * static_cast<std::size_t>(view.output().channels) * size_of(view.output().type));
    program.run(workspace, 0, pixels.data());
    if (mask) {
      moved_mask.resize(area * size_of(mask_type));
      PENSTOCK_TRY(program.decode_mask(workspace, mask_type, reader_of(*mask, size_of(mask_type))));
      program.run_mask(workspace, 0, moved_mask.data());
    }
    program.move_boxes(workspace, 0, {moved_boxes, {}, kept_boxes});
    program.move_points(workspace, 0, {moved_points, sizes, kept_points});
    for (std::size_t i = 0; of_boxes && i < kept_boxes.size(); ++i) {
      kept_points[i] &= kept_boxes[i];
    }
    drop_items(moved_boxes, kept_boxes, 4);
    drop_points(moved_points, kept_points, sizes);
    return {};
  };
  Status done;
  {
    const GilRelease release;
    done = work();
  }
  raise_if_failed(std::move(done));
  const auto height = static_cast<std::size_t>(workspace.sizes[0].height);
  const auto width = static_cast<std::size_t>(workspace.sizes[0].width);
  nb::dict result;
  const std::size_t pixel_channels = static_cast<std::size_t>(view.output().channels);
  result["image"] =
      array_of(std::move(pixels), {height, width, pixel_channels}, dtype_of(view.output().type));
  if (mask) {
    result["mask"] = array_of(std::move(moved_mask), {height, width}, dtype_of(mask_type));
  }
  if (boxes) {
    const std::size_t count = moved_boxes.size() / 4;
    const std::size_t before = kept_boxes.size();
    result["boxes"] = array_of(std::move(moved_boxes), {count, 4}, nb::dtype<float>());
    result["kept"] = array_of(std::move(kept_boxes), {before}, nb::dtype<bool>());
  }
  if (points) {
    const std::size_t numbers = moved_points.size();
    std::vector<std::size_t> shape = {numbers / 2, 2};
    if (points->ndim() == 3) {
      const auto left = std::count(kept_points.begin(), kept_points.end(), std::uint8_t{1});
      shape = {static_cast<std::size_t>(left), points_each, 2};
    }
    result["keypoints"] = array_of(std::move(moved_points), shape, nb::dtype<float>());
  }
  result["params"] = params_list(view.list().named(workspace.views[0]->drawn));
  self.give_back(std::move(workspace));
  return result;
}

}  // namespace

void bind_sample_program(nb::module_& m) {
  nb::class_<BoundProgram>(m, "SampleProgram", "A list of transforms for images of one kind.")
      .def(
          "__init__",
          [](BoundProgram* self, const std::vector<TransformHandle>& operations, int channels, bool wide) {
            std::vector<TransformPtr> list;
            for (const TransformHandle& operation : operations) {
              list.push_back(operation.transform);
            }
            const ImageSpec input{
                .size = {}, .type = wide ? ElementType::uint16 : ElementType::uint8, .channels = channels};
            new (self) BoundProgram(value_or_raise(
                SampleProgram::compile({{"", 0, std::move(list)}}, input, MemoryFormat::channels_last)));
          },
          nb::arg("operations"), nb::arg("channels"), nb::arg("wide"))
      .def("run", &run, nb::arg("image"), nb::arg("mask").none(), nb::arg("boxes").none(),
           nb::arg("keypoints").none(), nb::arg("seed"), nb::arg("params").none(),
           nb::sig(
               "def run(self, image: object, mask: object | None, boxes: object | None, keypoints: object | "
               "None, seed: int, params: list[dict[str, object]] | None) -> dict[str, object]"),
           "The image [H, W, C], what lies in its plane where that was given, which boxes are left, and what "
           "was "
           "drawn.");
}

}  // namespace penstock::python
