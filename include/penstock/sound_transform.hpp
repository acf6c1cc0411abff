#pragma once
// The old name of audio_transform.hpp.  // deprecated name

#include "penstock/audio_transform.hpp"
