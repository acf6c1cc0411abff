// Operations on whole batches outside of a loader, with what was drawn before.

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "array_type.hpp"
#include "bind.hpp"
#include "param_values.hpp"
#include "transforms/batch/batch_operation.hpp"

namespace nb = nanobind;

namespace penstock::python {
namespace {

using Rows = nb::ndarray<nb::numpy, nb::c_contig, nb::device::cpu>;
using Floats = nb::ndarray<float, nb::numpy, nb::c_contig, nb::device::cpu>;
using Integers = nb::ndarray<std::int64_t, nb::numpy, nb::c_contig, nb::device::cpu>;

std::vector<TransformPtr> transforms_of(const std::vector<TransformHandle>& handles) {
  std::vector<TransformPtr> operations;
  for (const TransformHandle& handle : handles) {
    operations.push_back(handle.transform);
  }
  return operations;
}

/// How many at the end of the list work on whole batches, and how many classes they want labels of.
std::pair<std::size_t, int> at_end(const std::vector<TransformHandle>& handles) {
  std::vector<TransformPtr> operations = transforms_of(handles);
  const std::vector<TransformPtr> taken = value_or_raise(take_batch_operations(operations));
  return {taken.size(), classes_for(taken)};
}

/// Of bfloat16, which numpy has not, the caller passes half precision: values of these are not looked at.
ElementType element_of(const Rows& images) {
  const nb::dlpack::dtype type = images.dtype();
  for (const ElementType known : {ElementType::uint8, ElementType::uint16, ElementType::float16}) {
    if (type == array_type(scalar_of(known))) {
      return known;
    }
  }
  return ElementType::float32;
}

std::vector<void*> pointers_of(const Rows& array) {
  std::vector<void*> rows;
  for (std::size_t i = 0; i < array.shape(0); ++i) {
    rows.push_back(static_cast<std::uint8_t*>(array.data()) + i * (array.nbytes() / array.shape(0)));
  }
  return rows;
}

std::vector<RowBoxes> boxes_of(const std::vector<Floats>& boxes, const std::vector<Integers>& labels) {
  std::vector<RowBoxes> rows(boxes.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].corners.assign(boxes[i].data(), boxes[i].data() + boxes[i].size());
    if (!labels.empty()) {
      rows[i].labels.assign(labels[i].data(), labels[i].data() + labels[i].size());
    }
  }
  return rows;
}

/// Arrays have been checked by the caller: images have four dimensions, and all are of the same rows.
nb::list replay(const std::vector<TransformHandle>& handles, const nb::list& params, const Rows& images,
                bool channels_last, const std::optional<Floats>& labels, const std::optional<Rows>& masks,
                const std::vector<Floats>& boxes, const std::vector<Integers>& box_labels) {
  const std::vector<TransformPtr> operations = transforms_of(handles);
  const std::vector<NamedDrawn> drawn = named_of(params);
  const auto extent = [&images](std::size_t axis) { return static_cast<int>(images.shape(axis)); };
  const ImageSize size{extent(channels_last ? 2 : 3), extent(channels_last ? 1 : 2)};
  const std::vector<void*> image_rows = pointers_of(images);
  std::vector<void*> label_rows(image_rows.size());
  for (std::size_t i = 0; labels && i < label_rows.size(); ++i) {
    label_rows[i] = labels->data() + i * labels->shape(1);
  }
  std::vector<void*> mask_rows;
  std::vector<BatchPlane> planes;
  if (masks) {
    mask_rows = pointers_of(*masks);
    planes.push_back({.rows = mask_rows, .size = size, .element = masks->itemsize()});
  }
  std::vector<std::vector<RowBoxes>> fields;
  if (!boxes.empty()) {
    fields.push_back(boxes_of(boxes, box_labels));
  }
  const BatchSlots slots{
      .images = {.rows = image_rows,
                 .size = size,
                 .channels = extent(channels_last ? 3 : 1),
                 .element = images.itemsize(),
                 .format = channels_last ? MemoryFormat::channels_last : MemoryFormat::channels_first},
      .type = element_of(images),
      .labels = label_rows,
      .classes = labels ? labels->shape(1) : 0,
      .masks = planes,
      .boxes = fields};
  Status done;
  {
    const GilRelease release;
    done = replay_on_batch(operations, drawn, slots);
  }
  raise_if_failed(std::move(done));
  nb::list made;
  for (RowBoxes& row : fields.empty() ? std::vector<RowBoxes>() : fields[0]) {
    const std::size_t count = row.corners.size() / 4;
    const std::size_t labelled = row.labels.size();
    made.append(nb::make_tuple(array_of(std::move(row.corners), {count, 4}, nb::dtype<float>()),
                               array_of(std::move(row.labels), {labelled}, nb::dtype<std::int64_t>())));
  }
  return made;
}

}  // namespace

void bind_batch_operations(nb::module_& m) {
  m.def("batch_operations", &at_end, nb::arg("operations"),
        "How many operations at the end of a list work on whole batches, and the classes of labels that they "
        "want.");
  m.def("replay_on_batch", &replay, nb::arg("operations"), nb::arg("params"), nb::arg("images"),
        nb::arg("channels_last"), nb::arg("labels").none(), nb::arg("masks").none(), nb::arg("boxes"),
        nb::arg("box_labels"),
        nb::sig("def replay_on_batch(operations: Sequence[Transform], params: list[dict[str, object]], "
                "images: object, "
                "channels_last: bool, labels: object | None, masks: object | None, boxes: Sequence[object], "
                "box_labels: "
                "Sequence[object]) -> list[tuple[object, object]]"),
        "Runs operations on a batch where it is, with what was drawn for it; boxes and their labels are made "
        "anew.");
}

}  // namespace penstock::python
