#include "bind.hpp"

namespace nb = nanobind;

namespace penstock::python {

nb::str to_str(std::string_view text) {
  PyObject* decoded =
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape");
  if (decoded == nullptr) {
    throw nb::python_error();
  }
  return nb::steal<nb::str>(decoded);
}

std::string from_str(nb::handle text) {
  const nb::object encoded = nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogateescape"));
  if (!encoded.is_valid()) {
    PyErr_Clear();
    throw Raise{{.kind = ErrorKind::invalid,
                 .message = std::string("text that cannot be encoded: ") + nb::repr(text).c_str()}};
  }
  return {PyBytes_AS_STRING(encoded.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(encoded.ptr()))};
}

nb::object list_of(nb::handle sequence) noexcept {
  constexpr Py_ssize_t kMaxItems = 4096;  // an iterator may have no end
  const nb::object iterator = nb::steal(PyObject_GetIter(sequence.ptr()));
  nb::object items = nb::steal(iterator.is_valid() ? PyList_New(0) : nullptr);
  while (items.is_valid()) {
    const nb::object item = nb::steal(PyIter_Next(iterator.ptr()));
    if (!item.is_valid() && PyErr_Occurred() == nullptr) {
      return items;
    }
    if (!item.is_valid() || PyList_GET_SIZE(items.ptr()) == kMaxItems ||
        PyList_Append(items.ptr(), item.ptr()) != 0) {
      items.reset();
    }
  }
  PyErr_Clear();
  return {};
}

}  // namespace penstock::python

NB_MODULE(_core, m) {
  // Objects that live until the interpreter ends, in a global or a traceback, are no reason to alarm users.
  nb::set_leak_warnings(false);
  m.attr("__version__") = PENSTOCK_VERSION;
  penstock::python::bind_errors(m);
  penstock::python::bind_options(m);
  penstock::python::bind_transforms(m);
  penstock::python::bind_sample_program(m);
  penstock::python::bind_batch_operations(m);
  penstock::python::bind_dataset(m);
  penstock::python::bind_batch(m);
  penstock::python::bind_stages(m);
  penstock::python::bind_loader(m);
  penstock::python::bind_store(m);
  penstock::python::bind_audio(m);
  penstock::python::bind_features(m);
  penstock::python::bind_audio_build(m);
}
