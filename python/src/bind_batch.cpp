#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "array_type.hpp"
#include "bind.hpp"
#include "penstock/batch.hpp"

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
nb::object numbers(const std::int64_t* values, std::size_t rows, bool numpy) {
  auto copy = std::make_unique<std::int64_t[]>(rows);
  std::copy_n(values, rows, copy.get());
  std::int64_t* const memory = copy.get();
  nb::capsule owner(memory, [](void* pointer) noexcept { delete[] static_cast<std::int64_t*>(pointer); });
  copy.release();
  return array_on(memory, {rows}, nb::dtype<std::int64_t>(), owner, numpy);
}

/// `rows` arrays of that shape.
std::vector<std::size_t> shape_of(std::size_t rows, const std::vector<std::size_t>& row) {
  std::vector<std::size_t> shape = {rows};
  shape.insert(shape.end(), row.begin(), row.end());
  return shape;
}

/// Audio of different lengths, each row followed by zeros, in memory of their own.
nb::object padded(const Batch& batch, const Column& column, bool numpy) {
  const std::size_t rows = batch.rows();
  std::size_t frames = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    frames = std::max(frames, column.rows[row].shape.back());
  }
  std::vector<std::size_t> shape = shape_of(rows, column.spec.shape);
  shape.back() = frames;
  std::size_t planes = 1;  // of each row
  std::for_each(shape.begin() + 1, shape.end() - 1, [&planes](std::size_t extent) { planes *= extent; });
  auto values = std::make_unique_for_overwrite<float[]>(rows * planes * frames);
  {
    const GilRelease release;
    float* out = values.get();
    for (std::size_t row = 0; row < rows; ++row) {
      const auto* const data = reinterpret_cast<const float*>(column.rows[row].data);
      const std::size_t length = column.rows[row].shape.back();
      for (std::size_t plane = 0; plane < planes; ++plane, out += frames) {
        std::copy_n(data + plane * length, length, out);
        std::fill_n(out + length, frames - length, 0.0F);
      }
    }
  }
  float* const memory = values.get();
  nb::capsule owner(memory, [](void* pointer) noexcept { delete[] static_cast<float*>(pointer); });
  values.release();
  return array_on(memory, shape, nb::dtype<float>(), owner, numpy);
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
    return numbers(column.integers(), rows, numpy);
  }
  if (!column.ragged()) {
    return view(batch, column.data, shape_of(rows, column.spec.shape), array_type(column.spec.type), numpy);
  }
  if (column.lengths != nullptr) {
    return padded(batch, column, numpy);
  }
  nb::list values;
  for (std::size_t row = 0; row < rows; ++row) {
    const ArrayRow& array = column.rows[row];
    if (is_bytes(column.field.kind)) {
      values.append(nb::bytes(array.data, array.shape.back()));
    } else {
      values.append(view(batch, array.data, {array.shape.begin(), array.shape.end()},
                         array_type(column.spec.type), numpy));
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
          "kind",
          [](const Batch& self, const nb::str& name) { return name_of(column_of(self, name).field.kind); },
          nb::arg("name"))
      .def(
          "is_image",
          [](const Batch& self, const nb::str& name) { return column_of(self, name).format.has_value(); },
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
            return numbers(column.lengths, self.rows(), numpy);
          },
          nb::arg("name"), nb::arg("numpy"), nb::sig("def lengths(self, name: str, numpy: bool) -> Any"))
      .def(
          "index",
          [](const Batch& self, bool numpy) { return numbers(self.index().data(), self.rows(), numpy); },
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
            return numbers(values, self.rows(), numpy);
          },
          nb::arg("name"), nb::arg("numpy"), nb::sig("def raw(self, name: str, numpy: bool) -> Any"));
}

}  // namespace penstock::python
