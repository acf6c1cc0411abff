#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <new>
#include <optional>
#include <string>

#include "bind.hpp"
#include "core/out_of_memory.hpp"
#include "core/printable.hpp"

namespace nb = nanobind;

namespace penstock::python {

namespace {

nb::object text_or_none(const std::string& text) {
  return text.empty() ? nb::none() : nb::object(to_str(text));
}

void set_exception(const nb::object& exception) {
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
}

void translate(const std::exception_ptr& pointer, void*) {
  try {
    try {
      std::rethrow_exception(pointer);
    } catch (const Raise& raised) {
      set_exception(to_exception(raised.error));
    } catch (const std::bad_alloc& lack) {
      const bool in_words = dynamic_cast<const OutOfMemory*>(&lack) != nullptr;
      set_exception(nb::module_::import_("penstock.errors")
                        .attr("MemoryError")(in_words ? lack.what() : "not enough memory"));
    }
  } catch (nb::python_error& instead) {  // Ctrl-C, heard while the exception was made; or no memory for it
    instead.restore();
  }
}

}  // namespace

nb::object to_exception(const Error& error) {
  nb::object make = nb::module_::import_("penstock.errors").attr("_make");
  const Place& place = error.place;
  nb::dict fields;
  fields["source"] = text_or_none(place.source);
  fields["shard"] = text_or_none(place.shard);
  fields["offset"] = place.offset ? nb::object(nb::int_(*place.offset)) : nb::none();
  fields["key"] = text_or_none(place.key);
  fields["index"] = place.index ? nb::object(nb::int_(*place.index)) : nb::none();
  fields["stage"] = text_or_none(place.stage);
  return make(name_of(error.kind), to_str(error.to_string()), fields,
              nb::bytes(error.cause.data(), error.cause.size()));
}

void bind_errors(nb::module_& m) {
  nb::register_exception_translator(translate);
  m.def(
      "printable", [](const nb::str& text) { return to_str(printable(from_str(text))); }, nb::arg("text"),
      "A name from data as people may be shown it: one line, escaped, and shortened if it is long.");
}

}  // namespace penstock::python
