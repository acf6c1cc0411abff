#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "array_type.hpp"
#include "bind.hpp"
#include "param_values.hpp"
#include "penstock/batch.hpp"
#include "pipeline/fill/pad_rows.hpp"

namespace nb = nanobind;

namespace penstock::python {

namespace {

using NumpyArray = nb::ndarray<nb::numpy>;
using DlpackArray = nb::ndarray<nb::array_api>;

/// Keeps the batch's memory while an array lives.
nb::capsule owner_of(const Batch& batch) {
  auto held = std::make_unique<Batch>(batch);
  nb::capsule owner(held.get(), [](void* pointer) noexcept { delete static_cast<Batch*>(pointer); });
  held.release();
  return owner;
}

/// numpy's array, or one that speaks DLPack only, on memory that `owner` keeps.
nb::object array_on(void* memory, const std::vector<std::size_t>& shape, nb::dlpack::dtype type,
                    const nb::capsule& owner, bool numpy) {
  if (numpy) {
    return nb::cast(NumpyArray(memory, shape.size(), shape.data(), owner, nullptr, type));
  }
  return nb::cast(
      DlpackArray(memory, shape.size(), shape.data(), owner, nullptr, type, nb::device::cpu::value));
}

/// A view without a copy.
nb::object view(const Batch& batch, const void* data, const std::vector<std::size_t>& shape,
                nb::dlpack::dtype type, bool numpy) {
  return array_on(const_cast<void*>(data), shape, type, owner_of(batch), numpy);
}

/// Numbers get memory of their own: whoever keeps the labels of an epoch must not keep its images.
nb::object numbers(const std::int64_t* values, const std::vector<std::size_t>& shape, bool numpy) {
  const std::size_t count = std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
  auto copy = std::make_unique<std::int64_t[]>(count);
  std::copy_n(values, count, copy.get());
  std::int64_t* const memory = copy.get();
  nb::capsule owner(memory, [](void* pointer) noexcept { delete[] static_cast<std::int64_t*>(pointer); });
  copy.release();
  return array_on(memory, shape, nb::dtype<std::int64_t>(), owner, numpy);
}

/// `rows` arrays of that shape.
std::vector<std::size_t> shape_of(std::size_t rows, const std::vector<std::size_t>& row) {
  std::vector<std::size_t> shape = {rows};
  shape.insert(shape.end(), row.begin(), row.end());
  return shape;
}

/// Rows of different shapes as one array, in memory of its own.
nb::object padded(const Batch& batch, const Column& column, bool numpy) {
  const std::vector<std::size_t> shape = padded_shape(column, batch.rows());
  const std::size_t bytes = ArraySpec{.type = column.spec.type, .shape = shape}.bytes();
  auto values = std::make_unique_for_overwrite<std::uint8_t[]>(bytes);
  {
    const GilRelease release;
    pad_rows(column, shape, values.get());
  }
  std::uint8_t* const memory = values.get();
  nb::capsule owner(memory, [](void* pointer) noexcept { delete[] static_cast<std::uint8_t*>(pointer); });
  values.release();
  return array_on(memory, shape, array_type(column.spec.type), owner, numpy);
}

/// Height and width of every image of a padded column.
nb::object sizes_of(const Batch& batch, const Column& column, bool numpy) {
  const std::size_t height = *column.format == MemoryFormat::channels_first ? 1 : 0;
  std::vector<std::int64_t> sizes;
  for (std::size_t row = 0; row < batch.rows(); ++row) {
    const Extents shape = column.shape_of(row);
    sizes.push_back(static_cast<std::int64_t>(shape[height]));
    sizes.push_back(static_cast<std::int64_t>(shape[height + 1]));
  }
  return numbers(sizes.data(), {batch.rows(), 2}, numpy);
}

const Column& column_of(const Batch& batch, const nb::str& name) {
  const Column* column = batch.find(from_str(name));
  if (column == nullptr) {
    throw nb::key_error(nb::repr(name).c_str());
  }
  return *column;
}

bool is_bytes(FieldKind kind) {
  return kind == FieldKind::text || kind == FieldKind::json || kind == FieldKind::bytes;
}

nb::object column_object(const Batch& batch, const Column& column, bool numpy) {
  const std::size_t rows = batch.rows();
  if (column.field.kind == FieldKind::integer) {
    return numbers(column.integers(), {rows}, numpy);
  }
  if (!column.ragged()) {
    return view(batch, column.data, shape_of(rows, column.spec.shape), array_type(column.spec.type), numpy);
  }
  if (column.padded) {
    return padded(batch, column, numpy);
  }
  nb::list values;
  for (std::size_t row = 0; row < rows; ++row) {
    const ArrayRow& array = column.rows[row];
    if (is_bytes(column.field.kind)) {
      values.append(nb::bytes(array.data, array.shape.back()));
    } else {
      values.append(
          view(batch, array.data, {array.shape.begin(), array.shape.end()}, array_type(array.type), numpy));
    }
  }
  return values;
}

}  // namespace

void bind_batch(nb::module_& m) {
  nb::class_<Batch>(m, "Batch", "What a loader delivers; the memory lives as long as any view of it.")
      .def_prop_ro("rows", &Batch::rows)
      .def_prop_ro("epoch", &Batch::epoch)
      .def_prop_ro("step", &Batch::step)
      .def_prop_ro(
          "columns",
          [](const Batch& self) {
            nb::list names;
            for (const Column& column : self.columns()) {
              names.append(to_str(column.field.name));
            }
            return names;
          },
          nb::sig("def columns(self) -> list[str]"))
      .def(
          "params",
          [](const Batch& self, std::size_t row) {
            nb::list lists;
            for (const ListParams& list : self.params(row)) {
              lists.append(nb::make_tuple(to_str(list.name), list.counted, params_list(list.operations)));
            }
            return lists;
          },
          nb::arg("row"),
          nb::sig("def params(self, row: int) -> list[tuple[str, bool, list[dict[str, Any]]]]"))
      .def(
          "kind",
          [](const Batch& self, const nb::str& name) { return name_of(column_of(self, name).field.kind); },
          nb::arg("name"))
      .def(
          "is_image",
          [](const Batch& self, const nb::str& name) { return column_of(self, name).format.has_value(); },
          nb::arg("name"))
      .def(
          "is_bfloat16",
          [](const Batch& self, const nb::str& name) {
            return column_of(self, name).spec.type == Scalar::bfloat16;
          },
          nb::arg("name"), "Of what numpy cannot hold: such a column is to be asked for with numpy=False.")
      .def(
          "box_format",
          [](const Batch& self, const nb::str& name) {
            constexpr const char* kNames[] = {"xyxy", "xywh", "cxcywh"};
            return kNames[static_cast<std::size_t>(column_of(self, name).boxes)];
          },
          nb::arg("name"))
      .def(
          "column",
          [](const Batch& self, const nb::str& name, bool numpy) {
            return column_object(self, column_of(self, name), numpy);
          },
          nb::arg("name"), nb::arg("numpy"), nb::sig("def column(self, name: str, numpy: bool) -> Any"))
      .def(
          "lengths",
          [](const Batch& self, const nb::str& name, bool numpy) {
            const Column& column = column_of(self, name);
            if (column.lengths == nullptr) {
              throw nb::key_error(nb::repr(name).c_str());
            }
            return numbers(column.lengths, {self.rows()}, numpy);
          },
          nb::arg("name"), nb::arg("numpy"), nb::sig("def lengths(self, name: str, numpy: bool) -> Any"))
      .def(
          "has_sizes",
          [](const Batch& self, const nb::str& name) {
            const Column& column = column_of(self, name);
            return column.format && column.padded;
          },
          nb::arg("name"))
      .def(
          "sizes",
          [](const Batch& self, const nb::str& name, bool numpy) {
            const Column& column = column_of(self, name);
            if (!column.format || !column.padded) {
              throw nb::key_error(nb::repr(name).c_str());
            }
            return sizes_of(self, column, numpy);
          },
          nb::arg("name"), nb::arg("numpy"), nb::sig("def sizes(self, name: str, numpy: bool) -> Any"))
      .def(
          "index",
          [](const Batch& self, bool numpy) { return numbers(self.index().data(), {self.rows()}, numpy); },
          nb::arg("numpy"), nb::sig("def index(self, numpy: bool) -> Any"))
      .def(
          "keys",
          [](const Batch& self) {
            nb::list keys;
            for (std::size_t row = 0; row < self.rows(); ++row) {
              keys.append(to_str(value_or_raise(self.key(row))));
            }
            return keys;
          },
          nb::sig("def keys(self) -> list[str]"))
      .def_prop_ro("is_raw", [](const Batch& self) { return self.raw() != nullptr; })
      .def(
          "raw",
          [](const Batch& self, const std::string& name, bool numpy) -> nb::object {
            const RawBytes* raw = self.raw();
            if (raw == nullptr) {
              throw nb::key_error(name.c_str());
            }
            if (name == "data") {
              return view(self, raw->data.data(), {raw->data.size()}, nb::dtype<std::uint8_t>(), numpy);
            }
            const std::int64_t* values = name == "offsets"   ? raw->offsets
                                         : name == "sizes"   ? raw->sizes
                                         : name == "heights" ? raw->heights
                                         : name == "widths"  ? raw->widths
                                                             : nullptr;
            if (values == nullptr) {
              throw nb::key_error(name.c_str());
            }
            return numbers(values, {self.rows()}, numpy);
          },
          nb::arg("name"), nb::arg("numpy"), nb::sig("def raw(self, name: str, numpy: bool) -> Any"));
}

}  // namespace penstock::python
