// Any bytes as the start of an image: no read outside them, and a size of 0 x 0 or a positive one.
#include <cstdint>
#include <cstdlib>

#include "codecs/image_header.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const penstock::ImageSize found = penstock::image_size({data, size});
  const bool none = found == penstock::ImageSize{};
  if (!none && (found.width <= 0 || found.height <= 0)) {
    std::abort();
  }
  return 0;
}
