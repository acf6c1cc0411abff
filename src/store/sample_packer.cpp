#include "store/sample_packer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "codecs/exif.hpp"
#include "codecs/jpeg.hpp"
#include "codecs/jpeg_write.hpp"
#include "codecs/pixels.hpp"
#include "core/crc32c.hpp"
#include "formats/field_value.hpp"
#include "store/build_options.hpp"
#include "transforms/transform.hpp"

namespace penstock::inline v0 {
namespace {

constexpr int kUsualQuality = 90;

/// The size that an image has in the store.
ImageSize stored_size(const BuildSettings& settings, ImageSize image) noexcept {
  const bool upright = image.width <= image.height;
  const std::int64_t shorter = upright ? image.width : image.height;
  const std::int64_t longer = upright ? image.height : image.width;
  std::int64_t new_shorter = shorter;
  std::int64_t new_longer = longer;
  if (settings.resize_shorter && *settings.resize_shorter < shorter) {
    new_shorter = *settings.resize_shorter;
    new_longer = new_shorter * longer / shorter;
  }
  if (settings.resize_longest && *settings.resize_longest < new_longer) {
    new_longer = *settings.resize_longest;
    new_shorter = std::max<std::int64_t>(1, new_longer * shorter / longer);
  }
  const int a = static_cast<int>(new_shorter);
  const int b = static_cast<int>(new_longer);
  return upright ? ImageSize{a, b} : ImageSize{b, a};
}

/// Makes larger images smaller and leaves the others: what `resize` asks for, and Resize has no words for.
class Shrink final : public ImageTransform {
 public:
  explicit Shrink(const BuildSettings& settings) : settings_(settings) {}

  std::string_view name() const noexcept override { return "Shrink"; }
  Params params() const override { return {}; }
  Result<ImageSpec> describe(const ImageSpec& in) const override {
    return ImageSpec{.size = {}, .type = in.type, .channels = in.channels};
  }
  bool moves_pixels() const noexcept override { return true; }
  Status draw_for(const ImageSlots&, Draws&, Drawn&) const override { return {}; }
  Status plan_for(const ImageSpec& in, const Drawn&, ImageEdits& edits) const override {
    edits.push_back(ResizeEdit{.size = stored_size(settings_, in.size)});
    return {};
  }

 private:
  const BuildSettings settings_;
};

}  // namespace

Result<PackingPlan> PackingPlan::make(const SampleTable& source, const BuildSettings& settings,
                                      std::shared_ptr<const RepackTables> tables) {
  PackingPlan plan{.source = source,
                   .settings = settings,
                   .tables = std::move(tables),
                   .fields = {},
                   .shrink = {},
                   .losses = {}};
  for (const PixelLayout layout :
       {PixelLayout::rgb, PixelLayout::gray, PixelLayout::gray_16, PixelLayout::rgba}) {
    PENSTOCK_ASSIGN(ImageProgram shrink, ImageProgram::compile({std::make_shared<const Shrink>(settings)},
                                                               MemoryFormat::channels_last, Fuse::exact,
                                                               {.input = image_spec(layout)}));
    plan.shrink.emplace(layout, std::move(shrink));
  }
  const std::vector<FieldReading> readings = readings_of(source, settings.readings);
  for (std::size_t field = 0; field < source.fields().size(); ++field) {
    FieldSpec spec = source.spec(field);
    plan.losses.emplace_back(spec.name, spec.choice());
    spec.reading = readings[field];
    plan.fields.push_back(std::move(spec));
  }
  return plan;
}

/// An image as it will be stored. `bytes` live until the next image.
struct SamplePacker::Stored {
  ByteSpan bytes{};
  RecordCodec codec = RecordCodec::original;
  ImageSize size{};
  std::uint64_t original_size = 0;
  std::string reason{};
};

SamplePacker::SamplePacker(const PackingPlan& plan)
    : plan_(plan), decoder_(DecodeLimits{.max_pixels = plan.settings.max_pixels, .check_whole_file = true}) {
  for (const auto& [layout, shrink] : plan.shrink) {
    workspaces_.emplace(layout, shrink.make_workspace());
  }
  if (plan.tables) {
    encoder_.emplace(plan.tables);
  }
}
SamplePacker::~SamplePacker() = default;

Result<PackedSample> SamplePacker::pack(std::uint64_t sample) {
  PackedSample packed;
  PENSTOCK_ASSIGN(packed.key, plan_.source.checked_key(sample));
  if (packed.key.size() > kMaxKeyBytes) {
    return Error{.kind = ErrorKind::unsupported,
                 .message = fmt::format("a key of {} bytes is too long for a store, which has at most {}",
                                        packed.key.size(), kMaxKeyBytes),
                 .advice = {},
                 .place = plan_.source.place(sample, 0)};
  }
  const std::size_t fields = plan_.source.fields().size();
  packed.records.resize(fields);
  packed.reasons.resize(fields);
  for (std::size_t field = 0; field < fields; ++field) {
    if (Status done = pack_field(sample, field, packed); !done.ok()) {
      return at_sample(std::move(done).error(), plan_.source, sample, field);
    }
  }
  return packed;
}

Status SamplePacker::pack_field(std::uint64_t sample, std::size_t field, PackedSample& packed) {
  const std::size_t begin = packed.bytes.size();
  return use_value(plan_.source, sample, field, [&](const StoredValue& value) {
    packed.bytes.resize(begin);
    return pack_value(sample, field, value, packed);
  });
}

Status SamplePacker::pack_value(std::uint64_t sample, std::size_t field, const StoredValue& value,
                                PackedSample& packed) {
  packed.bytes_read += value.bytes.size();
  FieldRecord& record = packed.records[field];
  Stored stored;
  if (value.number) {
    if (plan_.source.fields()[field].kind == FieldKind::real) {
      PENSTOCK_ASSIGN(const double number, real_of(value));
      std::memcpy(number_.data(), &number, sizeof number);
    } else {
      PENSTOCK_ASSIGN(const std::int64_t number, integer_of(value));
      std::memcpy(number_.data(), &number, sizeof number);
    }
    stored.bytes = number_;
    stored.codec = RecordCodec::number;
    stored.original_size = stored.bytes.size();
  } else if (plan_.source.fields()[field].kind == FieldKind::image) {
    PENSTOCK_ASSIGN(stored, pack_or_keep(field, value));
    if (stored.original_size == 0) {
      // The file itself is not available: a store that kept the pixels knows how large it was.
      stored.original_size = plan_.source.stored_size(sample, field);
    }
  } else {
    if (!plan_.settings.keep_damaged) {
      PENSTOCK_TRY(check_value(plan_.fields[field], value));
      if (plan_.source.fields()[field].kind == FieldKind::audio) {
        PENSTOCK_TRY(check_audio(recordings_, value.bytes));
      }
    }
    stored.bytes = value.bytes;
    stored.original_size = value.bytes.size();
  }
  if (stored.bytes.size() > FieldRecord::kMaxField) {
    return Error{.kind = ErrorKind::unsupported,
                 .message = fmt::format("a field of {} bytes is too large for a store", stored.bytes.size()),
                 .advice = {},
                 .place = {.stage = "build"}};
  }
  record.set_stored_size(stored.bytes.size());
  record.set_original_size(stored.original_size);
  record.set_image_size(stored.size);
  record.checksum = crc32c(stored.bytes);
  record.codec = stored.codec;
  packed.reasons[field] = std::move(stored.reason);
  packed.bytes.insert(packed.bytes.end(), stored.bytes.begin(), stored.bytes.end());
  return {};
}

Result<SamplePacker::Stored> SamplePacker::pack_or_keep(std::size_t field, const StoredValue& value) {
  Result<Stored> stored = pack_image(field, value);
  if (!stored.ok() && plan_.settings.keep_damaged && value.codec == StoredCodec::original) {
    return Stored{.bytes = value.bytes,
                  .codec = RecordCodec::original,
                  .original_size = value.bytes.size(),
                  .reason = "cannot be decoded"};
  }
  return stored;
}

Result<SamplePacker::Stored> SamplePacker::pack_image(std::size_t field, const StoredValue& value) {
  const BuildSettings& settings = plan_.settings;
  PENSTOCK_ASSIGN(const ImageSize whole, decoder_.open(value.image()));
  const ImageSize size = stored_size(settings, whole);
  const bool smaller = size != whole;
  const bool resizes = settings.resize_shorter || settings.resize_longest;
  const bool to_pixels = settings.image == StoreImage::raw && !settings.quality;
  if (to_pixels) {
    PENSTOCK_ASSIGN(const PixelLayout layout, decoder_.layout_for(plan_.fields[field].reading.mode));
    PENSTOCK_TRY(read_pixels(whole, size, layout));
    if (plan_.fields[field].reading.mode == ImageMode::rgb) {
      plan_.losses[field].see(decoder_.traits().loss);
    }
    file_ = make_pixels_record(size, layout);
    std::memcpy(file_.data() + kPixelsHeader, pixels_.data(), file_.size() - kPixelsHeader);
    Stored stored{.bytes = file_, .codec = RecordCodec::pixels, .size = size};
    stored.original_size = smaller                                ? file_.size()
                           : value.codec == StoredCodec::original ? value.bytes.size()
                                                                  : 0;
    return stored;
  }
  if (smaller || (settings.quality && !resizes)) {
    PENSTOCK_TRY(read_pixels(whole, size));
    plan_.losses[field].see(decoder_.traits().loss);
    PENSTOCK_ASSIGN(file_, write_jpeg(pixels_.data(), 3 * static_cast<std::size_t>(size.width), size, 3,
                                      settings.quality.value_or(kUsualQuality)));
    // Of what a file says beside its pixels this much is needed to look at them.
    if (const Result<int> orientation = decoder_.orientation(); orientation.ok() && *orientation != 1) {
      detail::add_orientation(*orientation, file_);
    }
    return store_file(file_, size, true);
  }
  PENSTOCK_ASSIGN(const ByteSpan file, original_.of(value));
  return store_file(file, size, false);
}

Result<SamplePacker::Stored> SamplePacker::store_file(ByteSpan file, ImageSize size, bool decoded) {
  Stored stored{.bytes = file, .codec = RecordCodec::original, .size = size, .original_size = file.size()};
  const StoreImage image = *plan_.settings.image;
  if (image == StoreImage::repack || image == StoreImage::repack_pixels) {
    const std::optional<std::string> reason = repack(file);
    if (!reason) {
      stored.bytes = record_;
      stored.codec = RecordCodec::repacked;
      return stored;
    }
    stored.reason = *reason;
  }
  // A damaged image is found now, not in the middle of a training run.
  if (!decoded) {
    PENSTOCK_TRY(read_pixels(size, size));
  }
  return stored;
}

std::optional<std::string> SamplePacker::repack(ByteSpan file) {
  if (!JpegDecoder::recognises(file)) {
    return "not JPEG";
  }
  if (!encoder_) {
    return "no tables";
  }
  auto reason = encoder_->encode(file, RepackFidelity::file, record_);
  if (reason && plan_.settings.image == StoreImage::repack_pixels) {
    reason = encoder_->encode(file, RepackFidelity::pixels, record_);
  }
  return reason;
}

Status SamplePacker::read_pixels(ImageSize from, ImageSize to, PixelLayout layout) {
  const std::size_t stride = pixel_bytes(layout) * static_cast<std::size_t>(to.width);
  std::uint8_t* const out = pixels_.reserve(stride * static_cast<std::size_t>(to.height));
  if (from == to) {
    return decoder_.decode(
        {0, 0, to.width, to.height},
        {.data = out, .stride = stride, .width = to.width, .height = to.height, .layout = layout});
  }
  const ImageProgram& shrink = plan_.shrink.at(layout);
  ImageWorkspace& workspace = *workspaces_.at(layout);
  PENSTOCK_ASSIGN(const ImageSize result, shrink.resolve(workspace, from, RandomKey{}));
  if (result != to) {
    return Error{.kind = ErrorKind::invalid, .message = "resizing gave another size than asked for"};
  }
  return shrink.run(workspace, decoder_, out);
}

}  // namespace penstock::inline v0
