// The two functions of Highway's library that the kernels call, so that no arm64 build of it is needed.

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "hwy/highway.h"

namespace hwy {

std::int64_t SupportedTargets() { return HWY_NEON | HWY_SCALAR | HWY_EMU128; }

ChosenTarget& GetChosenTarget() {
  static ChosenTarget chosen;
  return chosen;
}

void Abort(const char* file, int line, const char* format, ...) {
  std::fprintf(stderr, "%s:%d: ", file, line);
  va_list arguments;
  va_start(arguments, format);
  std::vfprintf(stderr, format, arguments);
  va_end(arguments);
  std::abort();
}

}  // namespace hwy
