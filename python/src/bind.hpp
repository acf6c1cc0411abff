#pragma once
// What every binding file needs: one function per noun, and results that become values or Python exceptions.

#include <cxxabi.h>
#include <nanobind/nanobind.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <utility>

#include "penstock/result.hpp"
#include "penstock/transform.hpp"

namespace penstock::python {

/// Carries an Error to the translator that makes the Python exception of its kind.
struct Raise {
  Error error;
};

template <class T>
T value_or_raise(Result<T> result) {
  if (!result) {
    throw Raise{std::move(result).error()};
  }
  return std::move(result).value();
}

inline void raise_if_failed(Status status) {
  if (!status) {
    throw Raise{std::move(status).error()};
  }
}

/// Gives the GIL away while it lives. Not nanobind's: when the interpreter ends meanwhile, Python ends the
/// thread by unwinding it out of the destructor, which terminates the process. Here such a thread sleeps
/// until the process is gone, as newer Pythons let it.
class GilRelease {
 public:
  GilRelease() : state_(PyEval_SaveThread()) {}
  ~GilRelease() {
    try {
      PyEval_RestoreThread(state_);
    } catch (abi::__forced_unwind&) {
      for (;;) {
        ::pause();
      }
    }
  }
  GilRelease(const GilRelease&) = delete;
  GilRelease& operator=(const GilRelease&) = delete;

 private:
  PyThreadState* state_;
};

/// Takes the GIL while it lives, in any thread. As GilRelease, it sleeps where Python would end the thread.
class GilAcquire {
 public:
  GilAcquire() {
    try {
      state_ = PyGILState_Ensure();
    } catch (abi::__forced_unwind&) {
      for (;;) {
        ::pause();
      }
    }
  }
  ~GilAcquire() { PyGILState_Release(state_); }
  GilAcquire(const GilAcquire&) = delete;
  GilAcquire& operator=(const GilAcquire&) = delete;

 private:
  PyGILState_STATE state_{};
};

/// A TransformPtr as a Python object.
struct TransformHandle {
  TransformPtr transform;
};

/// The Python exception (penstock.errors) for an error.
nanobind::object to_exception(const Error& error);

/// Text both ways as Python does for file names: bytes that are not UTF-8 become lone surrogates.
nanobind::str to_str(std::string_view text);
std::string from_str(nanobind::handle text);

/// The items of any sequence as a list, or an invalid handle if it cannot be read or has more than 4096.
nanobind::object list_of(nanobind::handle sequence) noexcept;

void bind_errors(nanobind::module_& m);
void bind_options(nanobind::module_& m);
void bind_dataset(nanobind::module_& m);
void bind_transforms(nanobind::module_& m);
void bind_sample_program(nanobind::module_& m);
void bind_batch_operations(nanobind::module_& m);
void bind_batch(nanobind::module_& m);
void bind_stages(nanobind::module_& m);
void bind_loader(nanobind::module_& m);
void bind_store(nanobind::module_& m);
void bind_audio(nanobind::module_& m);
void bind_features(nanobind::module_& m);
void bind_audio_build(nanobind::module_& m);

}  // namespace penstock::python
