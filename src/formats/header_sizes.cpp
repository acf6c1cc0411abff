#include "formats/header_sizes.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

#include "codecs/image_header.hpp"
#include "core/parallel_for.hpp"
#include "core/sha256.hpp"
#include "core/usable_cores.hpp"
#include "formats/index_cache.hpp"
#include "formats/json.hpp"
#include "io/storage.hpp"

namespace penstock::inline v0 {
namespace {

constexpr std::uint64_t kSizeVersion = 1;

/// Empty without a cache folder.
std::string kept_at(const std::string& identity) {
  const std::string folder = cache_folder();
  return folder.empty() || identity.empty() ? "" : folder + "/size-" + short_hash(identity) + ".json";
}

Json document(const std::string& identity, ImageSize size) {
  return Json(Json::Members{{"version", kSizeVersion},
                            {"identity", identity},
                            {"width", std::int64_t{size.width}},
                            {"height", std::int64_t{size.height}}});
}

}  // namespace

Result<ImageSize> size_by_header(std::uint64_t sample, const FirstBytes& first_bytes) {
  constexpr std::uint64_t kFirstLook = 4096;  // decides all but JPEG files that begin with a preview
  constexpr std::uint64_t kFurther = 16;
  for (std::uint64_t looked = kFirstLook;; looked *= kFurther) {
    PENSTOCK_ASSIGN(const Bytes bytes, first_bytes(sample, looked));
    const std::optional<ImageSize> size = size_in_header({bytes.data(), bytes.size()});
    if (size || bytes.size() < looked) {
      PENSTOCK_TRY(bytes.intact());
      return size.value_or(ImageSize{});
    }
  }
}

ImageSize size_in_headers(const FirstBytes& first_bytes, std::uint64_t begin, std::uint64_t end) {
  constexpr std::uint64_t kRun = 256;
  const auto size_of_image = [&first_bytes](std::uint64_t sample) {
    const auto size = size_by_header(sample, first_bytes);
    return size.ok() ? *size : ImageSize{};
  };
  if (begin >= end) {
    return {};
  }
  const ImageSize first = size_of_image(begin);
  std::atomic<bool> differ{first.width == 0};
  parallel_for(static_cast<std::size_t>((end - begin + kRun - 1) / kRun), usable_cores(),
               [&](std::size_t run) {
                 const std::uint64_t last = std::min(end, begin + (run + 1) * kRun);
                 for (std::uint64_t sample = begin + run * kRun;
                      sample < last && !differ.load(std::memory_order_relaxed); ++sample) {
                   if (sample != begin && size_of_image(sample) != first) {
                     differ.store(true, std::memory_order_relaxed);
                   }
                 }
               });
  return differ.load() ? ImageSize{} : first;
}

std::optional<ImageSize> kept_size(const std::string& identity) {
  const std::optional<Bytes> bytes = read_kept(kept_at(identity));
  if (!bytes) {
    return std::nullopt;
  }
  const std::string text(bytes->begin(), bytes->end());
  const Result<Json> kept = Json::parse(text, 16);
  if (!kept) {
    return std::nullopt;
  }
  constexpr std::uint64_t kMax = std::numeric_limits<int>::max();
  const Json* const width = kept->find("width");
  const Json* const height = kept->find("height");
  if (width == nullptr || height == nullptr || width->whole().value_or(kMax + 1) > kMax ||
      height->whole().value_or(kMax + 1) > kMax) {
    return std::nullopt;
  }
  const ImageSize size{static_cast<int>(*width->whole()), static_cast<int>(*height->whole())};
  return document(identity, size).text() == text ? std::optional(size) : std::nullopt;
}

void keep_size(const std::string& identity, ImageSize size) {
  const std::string path = kept_at(identity);
  if (path.empty() || !refuse_index(path).empty()) {
    return;
  }
  const std::string text = document(identity, size).text();
  (void)keep_index(path, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});  // found again
}

}  // namespace penstock::inline v0
