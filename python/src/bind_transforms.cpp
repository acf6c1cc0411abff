#include <fmt/format.h>
#include <nanobind/operators.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "bind.hpp"
#include "core/must_be.hpp"
#include "param_values.hpp"
#include "penstock/transform.hpp"
#include "transforms/catalog.hpp"
#include "transforms/transform.hpp"

namespace nb = nanobind;

namespace penstock::python {

namespace {

[[noreturn]] void wrong(const std::string& operation, const std::string& parameter, nb::handle given) {
  throw Raise{must_be(operation + ": " + parameter,
                      "None, a bool, a number, a string or a sequence of numbers", nb::repr(given).c_str(),
                      "plan")};
}

/// A number, and not an array or tensor of some: those count as numbers too, but have a length.
bool is_number(nb::handle given) {
  return PyNumber_Check(given.ptr()) != 0 && !nb::hasattr(given, "__len__");
}

std::vector<TransformHandle> handles(const std::vector<TransformPtr>& list) {
  std::vector<TransformHandle> wrapped;
  for (const TransformPtr& transform : list) {
    wrapped.push_back({transform});
  }
  return wrapped;
}

}  // namespace

ParamValue to_value(const std::string& operation, const std::string& parameter, nb::handle given) {
  if (given.is_none()) {
    return std::monostate{};
  }
  if (PyBool_Check(given.ptr())) {
    return given.ptr() == Py_True;
  }
  if (nb::isinstance<nb::str>(given)) {
    return from_str(given);
  }
  if (is_number(given)) {
    std::int64_t whole = 0;
    const nb::object index = nb::steal(PyIndex_Check(given.ptr()) ? PyNumber_Index(given.ptr()) : nullptr);
    if (index.is_valid() && nb::try_cast(index, whole)) {
      return whole;
    }
    PyErr_Clear();
    const nb::object real = nb::steal(index.is_valid() ? nullptr : PyNumber_Float(given.ptr()));
    if (real.is_valid()) {
      return PyFloat_AsDouble(real.ptr());
    }
    PyErr_Clear();
  } else if (const nb::object items = list_of(given); items.is_valid()) {
    std::vector<std::int64_t> whole;
    if (nb::try_cast(items, whole)) {
      return whole;
    }
    HeldOperations held;
    for (const nb::handle item : nb::borrow<nb::list>(items)) {
      if (nb::isinstance<TransformHandle>(item)) {
        held.list.push_back(nb::cast<TransformHandle>(item).transform);
      }
    }
    if (!held.list.empty() && held.list.size() == nb::len(items)) {
      return held;
    }
    std::vector<double> numbers;
    for (const nb::handle item : nb::borrow<nb::list>(items)) {
      const nb::object real = nb::steal(PyNumber_Float(item.ptr()));
      if (!real.is_valid()) {
        PyErr_Clear();
        wrong(operation, parameter, given);
      }
      numbers.push_back(PyFloat_AsDouble(real.ptr()));
    }
    return numbers;
  }
  wrong(operation, parameter, given);
}

nb::object to_object(const ParamValue& value) {
  return std::visit(
      [](const auto& held) -> nb::object {
        using T = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<T, std::monostate>) {
          return nb::none();
        } else if constexpr (std::is_same_v<T, std::vector<double>> ||
                             std::is_same_v<T, std::vector<std::int64_t>>) {
          return nb::tuple(nb::cast(held));
        } else if constexpr (std::is_same_v<T, HeldOperations>) {
          return nb::cast(handles(held.list));
        } else if constexpr (std::is_same_v<T, HeldDrawn>) {
          return params_list(held.list);
        } else {
          return nb::cast(held);
        }
      },
      value);
}

nb::list params_list(const std::vector<NamedDrawn>& named) {
  nb::list rows;
  for (const auto& [name, values] : named) {
    nb::dict row;
    row["op"] = name;
    for (const auto& [key, value] : values) {
      const nb::object object = to_object(value);
      row[key.c_str()] = nb::isinstance<nb::tuple>(object) ? nb::object(nb::list(object)) : object;
    }
    rows.append(row);
  }
  return rows;
}

namespace {

bool is_list_of_dicts(nb::handle value) {
  return nb::isinstance<nb::list>(value) && nb::len(value) > 0 && nb::isinstance<nb::dict>(value[0]);
}

}  // namespace

std::vector<NamedDrawn> named_of(const nb::list& rows) {
  std::vector<NamedDrawn> named;
  for (const nb::handle row : rows) {
    if (!nb::isinstance<nb::dict>(row) || !nb::borrow<nb::dict>(row).contains("op")) {
      throw Raise{{.kind = ErrorKind::invalid,
                   .message = "params must be a list of dicts with \"op\"",
                   .advice = "pass a row of batch.params, or one view of it",
                   .place = {.stage = "transform"}}};
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

namespace {

nb::dict params_dict(const Transform& transform) {
  nb::dict values;
  for (const auto& [name, value] : params_of(transform)) {
    values[name.c_str()] = to_object(value);
  }
  return values;
}

}  // namespace

void bind_transforms(nb::module_& m) {
  nb::class_<TransformHandle>(m, "Transform", "An operation with its parameters.")
      .def_prop_ro("name", [](const TransformHandle& self) { return std::string(self.transform->name()); })
      .def_prop_ro("params", [](const TransformHandle& self) { return params_dict(*self.transform); })
      .def("__repr__", [](const TransformHandle& self) { return repr(*self.transform); })
      .def(
          "__eq__",
          [](const TransformHandle& self, const TransformHandle& other) {
            return *self.transform == *other.transform;
          },
          nb::arg("other"), nb::sig("def __eq__(self, other: object, /) -> bool"));

  m.def(
      "make_transform",
      [](const std::string& name, const nb::dict& given) {
        Params params;
        for (const auto& [key, value] : given) {
          const std::string parameter = from_str(key);
          params.emplace_back(parameter, to_value(name, parameter, value));
        }
        return TransformHandle{value_or_raise(make_transform(name, params))};
      },
      nb::arg("name"), nb::arg("params"), "An operation by name; raises InvalidError.");

  m.def(
      "transform_catalog",
      [] {
        nb::list operations;
        for (const OperationInfo& operation : catalog()) {
          nb::list parameters;
          for (const ParameterInfo& parameter : operation.parameters) {
            nb::dict entry;
            entry["name"] = parameter.name;
            entry["type"] = parameter.type;
            entry["required"] = parameter.required;
            entry["default"] = to_object(parameter.default_value);
            entry["doc"] = parameter.doc;
            parameters.append(entry);
          }
          nb::list drawn;
          for (const DrawnInfo& value : operation.drawn) {
            nb::dict entry;
            entry["name"] = value.name;
            entry["type"] = value.type;
            drawn.append(entry);
          }
          nb::dict entry;
          entry["name"] = operation.name;
          entry["summary"] = operation.summary;
          entry["kind"] = operation.kind;
          entry["parameters"] = parameters;
          entry["drawn"] = drawn;
          operations.append(entry);
        }
        return operations;
      },
      nb::sig("def transform_catalog() -> list[dict[str, object]]"),
      "Every operation with its parameters and what it draws.");

  m.def(
      "imagenet_train", [](int size) { return handles(presets::imagenet_train(size)); },
      nb::arg("size") = 224);
  m.def(
      "imagenet_val", [](int size) { return handles(presets::imagenet_val(size)); }, nb::arg("size") = 224);
}

}  // namespace penstock::python
