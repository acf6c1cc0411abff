#include <fmt/format.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bind.hpp"
#include "bind_options.hpp"
#include "core/must_be.hpp"
#include "penstock/options.hpp"
#include "pipeline/plan/option_names.hpp"

namespace nb = nanobind;

namespace penstock::python {

namespace {

[[noreturn]] void wrong(const char* option, nb::handle given, std::string_view right) {
  throw Raise{must_be(option, right, nb::repr(given).c_str(), "options")};
}

void read(const char* option, nb::handle given, bool& value) {
  if (!PyBool_Check(given.ptr())) {
    wrong(option, given, "True or False");
  }
  value = given.ptr() == Py_True;
}

template <class Integer>
requires std::integral<Integer>
void read(const char* option, nb::handle given, Integer& value) {
  const bool negative_allowed = std::numeric_limits<Integer>::is_signed;
  if (PyBool_Check(given.ptr()) || !PyIndex_Check(given.ptr())) {
    wrong(option, given, "an integer");
  }
  const nb::object whole = nb::steal(PyNumber_Index(given.ptr()));
  if (!whole.is_valid()) {
    throw nb::python_error();
  }
  if (!nb::try_cast(whole, value)) {
    wrong(option, given, negative_allowed ? "a smaller integer" : "an integer between 0 and 2**64 - 1");
  }
}

void read(const char* option, nb::handle given, double& value) {
  if (PyBool_Check(given.ptr()) || !nb::try_cast(given, value)) {
    wrong(option, given, "a number");
  }
}

/// A whole number is a count, a fraction a share.
void read(const char* option, nb::handle given, MaxErrors& value) {
  value = {};
  if (given.is_none()) {
    return;
  }
  if (PyFloat_Check(given.ptr())) {
    read(option, given, value.share.emplace());
  } else {
    read(option, given, value.count.emplace());
  }
}

/// The option whose text is no path.
constexpr std::string_view kTrustOption = "cache_trust";

void read(const char* option, nb::handle given, std::string& value) {
  if (option == kTrustOption && !nb::isinstance<nb::str>(given)) {
    wrong(option, given, "a str such as 'group:team'");
  }
  const nb::object path = nb::steal(PyOS_FSPath(given.ptr()));
  if (!path.is_valid()) {
    PyErr_Clear();
    wrong(option, given, "a path");
  }
  value = nb::isinstance<nb::str>(path) ? from_str(path) : nb::cast<std::string>(nb::str(path));
}

template <class Enum>
requires std::is_enum_v<Enum>
void read(const char* option, nb::handle given, Enum& value) {
  std::vector<std::string> right;
  for (const auto& [name, choice] : value_names(Enum{})) {
    right.push_back(fmt::format("'{}'", name));
    if (nb::isinstance<nb::str>(given) && name == from_str(given)) {
      value = choice;
      return;
    }
  }
  wrong(option, given, one_of(right));
}

template <class T>
void read(const char* option, nb::handle given, std::optional<T>& value) {
  if (given.is_none()) {
    value.reset();
    return;
  }
  T inner{};
  read(option, given, inner);
  value = inner;
}

/// A list of numbers as penstock.samplers holds it: an array of the right type.
template <class T>
std::shared_ptr<const std::vector<T>> read_list(nb::handle given) {
  const auto array = nb::cast<nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>>(given);
  return std::make_shared<const std::vector<T>>(array.data(), array.data() + array.size());
}

/// From what penstock.samplers makes of a sampler: {"kind": ..., ...}.
void read(const char* option, nb::handle given, Sampler& value) {
  value = {};
  if (given.is_none()) {
    return;
  }
  const nb::dict spec = nb::cast<nb::dict>(given);
  for (const auto& [key, member] : spec) {
    const std::string name = from_str(key);
    if (name == "kind") {
      read(option, member, value.kind);
    } else if (name == "replacement") {
      read(option, member, value.replacement);
    } else if (name == "num_repeats") {
      read(option, member, value.num_repeats);
    } else if (name == "num_samples") {
      read(option, member, value.num_samples);
    } else if (name == "weights") {
      value.weights = read_list<double>(member);
    } else if (name == "indices") {
      value.indices = read_list<std::uint64_t>(member);
    }
  }
}

nb::object write(bool value) { return nb::bool_(value); }
nb::object write(const std::string& value) { return to_str(value); }
nb::object write(double value) { return nb::float_(value); }
nb::object write(const MaxErrors& value) {
  return value.count   ? nb::object(nb::int_(*value.count))
         : value.share ? nb::object(nb::float_(*value.share))
                       : nb::none();
}
template <class Integer>
requires std::integral<Integer> nb::object write(Integer value) { return nb::int_(value); }
template <class Enum>
requires std::is_enum_v<Enum> nb::object write(Enum value) {
  const std::string_view name = value_name(value);
  return nb::str(name.data(), name.size());
}
/// Python keeps the sampler itself.
nb::object write(const Sampler&) { return nb::none(); }
template <class T>
nb::object write(const std::optional<T>& value) {
  return value ? write(*value) : nb::none();
}

// The type of an option as Python writes it, for signatures and stubs.
std::string type_text(const bool&) { return "bool"; }
std::string type_text(const double&) { return "float"; }
std::string type_text(const std::string&) { return "str | os.PathLike[str]"; }
std::string type_text(const MaxErrors&) { return "int | float | None"; }
std::string type_text(const Sampler&) { return "SamplerLike | None"; }
template <class Integer>
requires std::integral<Integer> std::string type_text(const Integer&) { return "int"; }
template <class Enum>
requires std::is_enum_v<Enum> std::string type_text(const Enum&) {
  std::string names;
  for (const auto& [name, choice] : value_names(Enum{})) {
    names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", name);
  }
  return fmt::format("Literal[{}]", names);
}
template <class T>
std::string type_text(const std::optional<T>&) {
  return type_text(T{}) + " | None";
}

}  // namespace

LoaderOptions options_from(const nb::dict& given) {
  LoaderOptions options;
  for (const auto& [key, value] : given) {
    const std::string name = from_str(key);
    bool known = false;
    std::string names;
    LoaderOptions::fields(options, [&, given_value = value](const char* option, auto& field, const char*) {
      names += (names.empty() ? "" : ", ") + std::string(option);
      if (name == option) {
        read(option, given_value, field);
        known = true;
      }
    });
    if (!known) {
      throw Raise{{.kind = ErrorKind::invalid,
                   .message = fmt::format("unknown option '{}'", name),
                   .advice = fmt::format("the options are: {}, output", names),
                   .place = {.stage = "options"}}};
    }
  }
  raise_if_failed(options.validate());
  return options;
}

nb::dict options_to_dict(const LoaderOptions& options) {
  nb::dict values;
  LoaderOptions::fields(
      options, [&](const char* name, const auto& value, const char*) { values[name] = write(value); });
  return values;
}

void bind_options(nb::module_& m) {
  m.def(
      "check_options", [](const nb::dict& given) { return options_to_dict(options_from(given)); },
      nb::arg("given"),
      "All options with their values, those not given at their defaults; raises InvalidError.");
  m.def(
      "option_catalog",
      [] {
        nb::list catalog;
        const LoaderOptions defaults;
        LoaderOptions::fields(defaults, [&](const char* name, const auto& value, const char* doc) {
          nb::dict option;
          option["name"] = name;
          option["type"] = to_str(name == kTrustOption ? "str | None" : type_text(value));
          option["default"] = write(value);
          option["doc"] = doc;
          catalog.append(option);
        });
        return catalog;
      },
      nb::sig("def option_catalog() -> list[dict[str, object]]"),
      "Every option: its name, its type as Python writes it, its default and what it does.");
}

}  // namespace penstock::python
