#pragma once
// The settings of mel spectrograms, from the dictionary that Python makes of them.

#include <nanobind/nanobind.h>

#include "penstock/audio.hpp"

namespace penstock::python {

/// Raises for names that are not known; the numbers are checked by whoever uses them.
MelSettings mel_settings(const nanobind::dict& given);

}  // namespace penstock::python
