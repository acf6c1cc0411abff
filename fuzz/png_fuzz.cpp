// Any bytes as a PNG file; see decode_fuzz.hpp.
#include "codecs/png.hpp"
#include "decode_fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return penstock::fuzz::decode(data, size, penstock::PngDecoder::recognises);
}
