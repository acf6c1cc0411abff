#include "formats/original_file.hpp"

#include <string>
#include <vector>

#include "codecs/image_format_decoder.hpp"
#include "codecs/repacked.hpp"

namespace penstock::inline v0 {

namespace {

/// As Python writes it: a float is no integer when it is read again.
std::string text_of(const Number& number) {
  std::string text = std::visit([](auto value) { return fmt::format("{}", value); }, number);
  if (std::holds_alternative<double>(number) && text.find_first_not_of("-0123456789") == std::string::npos) {
    text += ".0";
  }
  return text;
}

}  // namespace

struct OriginalFile::Impl {
  /// Parsed once while the span stays the same.
  Status use_tables(ByteSpan bytes) {
    if (!tables || bytes.data() != table_bytes.data() || bytes.size() != table_bytes.size()) {
      PENSTOCK_ASSIGN(tables, parse_repack_tables(bytes));
      table_bytes = bytes;
    }
    return {};
  }

  std::string number;
  ByteSpan table_bytes;
  std::shared_ptr<const RepackTables> tables;
  std::vector<std::uint8_t> file;
};

OriginalFile::OriginalFile() : impl_(std::make_unique<Impl>()) {}
OriginalFile::~OriginalFile() = default;

Result<ByteSpan> OriginalFile::of(const StoredValue& stored) {
  if (stored.number) {
    impl_->number = text_of(*stored.number);
    return ByteSpan(reinterpret_cast<const std::uint8_t*>(impl_->number.data()), impl_->number.size());
  }
  if (stored.codec == StoredCodec::original) {
    return ByteSpan(stored.bytes);
  }
  if (stored.codec == StoredCodec::repacked) {
    PENSTOCK_TRY(impl_->use_tables(stored.tables));
    PENSTOCK_ASSIGN(impl_->file, rebuild_jpeg(stored.bytes, *impl_->tables));
    return ByteSpan(impl_->file);
  }
  return detail::decode_error(
      ErrorKind::unsupported, "this image is stored as pixels: its file is not kept",
      "read the file from where the pixels came from; stores built with image='repack' keep it");
}

}  // namespace penstock::inline v0
