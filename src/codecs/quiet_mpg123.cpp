#include "codecs/quiet_mpg123.hpp"

#include <dlfcn.h>

namespace penstock::inline v0 {
namespace {

thread_local int quiet_scopes = 0;

// From mpg123.h, which is not needed otherwise; part of its stable interface.
constexpr int kAddFlags = 2;
constexpr long kQuiet = 0x20;

/// The function of libmpg123 that ours stands before.
template <class Function>
Function* next_one(const char* name) noexcept {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

QuietMpg123::QuietMpg123() noexcept { ++quiet_scopes; }
QuietMpg123::~QuietMpg123() { --quiet_scopes; }

/// Found before libmpg123's by the dynamic linker, since this library comes before those that it needs. Weak,
/// so that a libmpg123 that is linked in statically replaces it.
extern "C" __attribute__((weak, visibility("default"))) void* mpg123_new(const char* decoder, int* error) {
  auto* const make = next_one<void*(const char*, int*)>("mpg123_new");
  if (make == nullptr) {
    return nullptr;
  }
  void* const handle = make(decoder, error);
  auto* const set = next_one<int(void*, int, long, double)>("mpg123_param");
  if (handle != nullptr && set != nullptr && quiet_scopes > 0) {
    set(handle, kAddFlags, kQuiet, 0);
  }
  return handle;
}

}  // namespace penstock::inline v0
