// Any bytes as a WebP file; see decode_fuzz.hpp.
#include "codecs/webp.hpp"
#include "decode_fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return penstock::fuzz::decode(data, size, penstock::WebpDecoder::recognises);
}
