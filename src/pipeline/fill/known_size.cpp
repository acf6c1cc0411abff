#include "pipeline/fill/known_size.hpp"

#include <fmt/format.h>

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
    PENSTOCK_ASSIGN(found, decoder.open(value.image()));
    return {};
  });
  return looked.ok() && found == said ? said : ImageSize{};  // a bad one is told when its row is made
}

Error another_size(ImageSize image, ImageSize known) {
  return Error{.kind = ErrorKind::corrupt,
               .message = fmt::format("the image has {} x {} pixels, but the index says {} x {}", image.width,
                                      image.height, known.width, known.height),
               .advice = "it was changed since: open the data set again",
               .place = {.stage = "decode"}};
}

}  // namespace penstock::inline v0
