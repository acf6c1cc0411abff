#include "pipeline/fill/known_size.hpp"

namespace penstock::inline v0 {

DecodeLimits decode_limits(const LoaderOptions& options) noexcept {
  return {.max_pixels = options.max_pixels.value_or(DecodeLimits{}.max_pixels),
          .check_whole_file = options.check_files};
}

ImageSize known_size(const SampleTable& table, std::size_t field, const LoaderOptions& options) {
  const ImageSize said = table.one_size(field);
  if (said.width == 0) {
    return {};
  }
  ImageDecoder decoder(decode_limits(options));
  ImageSize found;
  const Status looked = use_value(table, 0, field, [&](const StoredValue& value) -> Status {
    PENSTOCK_ASSIGN(found, decoder.open(value.bytes, value.tables));
    return {};
  });
  return looked.ok() && found == said ? said : ImageSize{};  // a bad one is told when its row is made
}

}  // namespace penstock::inline v0
