#include "codecs/image_header.hpp"

#include "codecs/catalog.hpp"

namespace penstock::inline v0 {

std::optional<ImageSize> size_in_header(ByteSpan start) noexcept {
  for (const ImageCodec& codec : image_codecs()) {
    if (codec.recognises(start)) {
      return codec.size_in_header != nullptr ? codec.size_in_header(start) : ImageSize{};
    }
  }
  return ImageSize{};
}

}  // namespace penstock::inline v0
