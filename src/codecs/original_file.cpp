#include "codecs/original_file.hpp"

#include <string>
#include <vector>

#include "codecs/picture_decoder.hpp"

namespace penstock {

struct OriginalFile::Impl {
  std::string number;
};

OriginalFile::OriginalFile() : impl_(std::make_unique<Impl>()) {}
OriginalFile::~OriginalFile() = default;

Result<ByteSpan> OriginalFile::of(const StoredValue& stored) {
  if (stored.is_number) {
    impl_->number = std::to_string(stored.number);
    return ByteSpan(reinterpret_cast<const std::uint8_t*>(impl_->number.data()), impl_->number.size());
  }
  if (stored.codec == StoredCodec::original) {
    return stored.bytes;
  }
  return detail::decode_error(ErrorKind::unsupported,
                              "the store holds the pixels of this picture, not its file",
                              "read the file from the source, or build the store with image='repack'");
}

}  // namespace penstock
