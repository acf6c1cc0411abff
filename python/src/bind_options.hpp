#pragma once

#include <nanobind/nanobind.h>

#include "penstock/options.hpp"

namespace penstock::python {

/// Options from {name: value}; raises InvalidError for unknown names and impossible values.
LoaderOptions options_from(const nanobind::dict& given);
nanobind::dict options_to_dict(const LoaderOptions& options);

}  // namespace penstock::python
