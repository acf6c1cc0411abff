#include "pipeline/fill/mode_image_filler.hpp"
#include "pipeline/fill/known_size.hpp"

#include <fmt/format.h>

#include <cstring>

#include "codecs/image_decoder.hpp"
#include "codecs/mask_values.hpp"
#include "pipeline/fill/one_field_plan.hpp"

namespace penstock::inline v0 {
namespace {

bool is_mask(ImageMode mode) { return mode == ImageMode::mask || mode == ImageMode::wide_mask; }

Scalar type_of(PixelLayout layout) { return layout == PixelLayout::gray_16 ? Scalar::uint16 : Scalar::uint8; }

/// What every image of a mode becomes; of `unchanged`, the first one.
Result<PixelLayout> usual_layout(const SampleTable& table, std::size_t number, ImageMode mode) {
  switch (mode) {
    case ImageMode::gray:
      return PixelLayout::gray;
    case ImageMode::gray_16:
      return PixelLayout::gray_16;
    case ImageMode::rgba:
      return PixelLayout::rgba;
    case ImageMode::mask:
    case ImageMode::wide_mask:
      return PixelLayout::index;
    default:
      break;
  }
  PixelLayout layout = PixelLayout::rgb;
  if (mode == ImageMode::unchanged && table.size() > 0) {
    ImageDecoder decoder;
    Status used = use_value(table, 0, number, [&](const StoredValue& value) -> Status {
      if (decoder.open(value.bytes, value.tables).ok()) {  // else its row will say what is wrong
        layout = decoder.traits().unchanged;
      }
      return {};
    });
    if (!used) {
      return at_sample(std::move(used).error(), table, 0, number);
    }
  }
  return layout;
}

class ModeImagePlan final : public OneFieldPlan {
 public:
  ModeImagePlan(std::size_t field, ColumnPlan column, ImageMode mode, MemoryFormat format, ImageSize input)
      : OneFieldPlan(field, std::move(column)), mode_(mode), format_(format), input_(input) {}

  std::unique_ptr<Filler> make_filler(const FillerTools& tools, std::size_t first_column) const override;
  std::string rows_in_words(std::size_t) const override {
    const ArraySpec& spec = column().spec;
    return spec.fixed() ? "rows of " + spec.to_string()
                        : fmt::format("list of {} arrays, shapes vary", name_of(spec.type));
  }

  std::size_t read_field() const noexcept { return field(); }
  Scalar type() const noexcept { return column().spec.type; }
  ImageMode mode() const noexcept { return mode_; }
  MemoryFormat format() const noexcept { return format_; }
  ImageSize input() const noexcept { return input_; }

 private:
  ImageMode mode_;
  MemoryFormat format_;
  ImageSize input_;  // of all images, where the rows' shape rests on that; else {0, 0}
};

class ModeImageFiller final : public Filler {
 public:
  ModeImageFiller(const ModeImagePlan& plan, const FillerTools& tools, std::size_t first_column)
      : Filler(tools, first_column), plan_(plan), decoder_(decode_limits(tools.options)) {}

  Status fill(const RowTask& task) override {
    Status done = read(task.parts.front(), plan_.read_field(), WorkStage::decode,
                       [&](const StoredValue& value) { return make_row(task, value); });
    counters().enter(WorkStage::assemble, task.sample());
    return done;
  }

 private:
  Status make_row(const RowTask& task, const StoredValue& value) {
    PENSTOCK_ASSIGN(const ImageSize size, decoder_.open(value.bytes, value.tables));
    PENSTOCK_ASSIGN(const PixelLayout layout, decoder_.layout_for(plan_.mode()));
    PENSTOCK_TRY(check(size, layout));
    const std::size_t stride = static_cast<std::size_t>(size.width) * pixel_bytes(layout);
    std::uint8_t* const pixels = pixels_.reserve(stride * static_cast<std::size_t>(size.height));
    PENSTOCK_TRY(
        decoder_.decode({0, 0, size.width, size.height}, {pixels, stride, size.width, size.height, layout}));
    counters().decoded[decoder_.codec()].add(1);
    counters().enter(WorkStage::transform, task.sample());
    write(task, size, layout, pixels);
    return {};
  }

  Status check(ImageSize size, PixelLayout layout) const {
    if (plan_.input().width > 0 && size != plan_.input()) {
      return Error{.kind = ErrorKind::corrupt,
                   .message = fmt::format("the image has {} x {} pixels, and the index says {} x {}",
                                          size.width, size.height, plan_.input().width, plan_.input().height),
                   .advice = "it was changed since: open the data set again",
                   .place = {.stage = "decode"}};
    }
    if (!is_mask(plan_.mode()) && type_of(layout) != plan_.type()) {
      return Error{.kind = ErrorKind::unsupported,
                   .message = fmt::format("the image has {} values, and the first of the field {}",
                                          name_of(type_of(layout)), name_of(plan_.type())),
                   .advice = "ask for mode=\"L\" or mode=\"I;16\"",
                   .place = {.stage = "decode"}};
    }
    return {};
  }

  void write(const RowTask& task, ImageSize size, PixelLayout layout, const std::uint8_t* pixels) {
    const auto height = static_cast<std::size_t>(size.height), width = static_cast<std::size_t>(size.width);
    const auto channels = static_cast<std::size_t>(channels_of(layout));
    const std::size_t count = height * width;
    if (plan_.mode() == ImageMode::wide_mask) {
      widen_mask(pixels, layout, count, room(task, 0, {height, width}));
    } else if (is_mask(plan_.mode())) {
      std::memcpy(room(task, 0, {height, width}), pixels, count);
    } else if (plan_.format() == MemoryFormat::channels_last) {
      std::memcpy(room(task, 0, {height, width, channels}), pixels, count * pixel_bytes(layout));
    } else {
      auto* out = static_cast<std::uint8_t*>(room(task, 0, {channels, height, width}));
      if (channels == 1) {
        std::memcpy(out, pixels, count * pixel_bytes(layout));
        return;
      }
      for (std::size_t c = 0; c < channels; ++c) {
        for (std::size_t i = 0; i < count; ++i) {
          *out++ = pixels[i * channels + c];
        }
      }
    }
  }

  const ModeImagePlan& plan_;
  ImageDecoder decoder_;
  Scratch pixels_;
};

std::unique_ptr<Filler> ModeImagePlan::make_filler(const FillerTools& tools, std::size_t first_column) const {
  return std::make_unique<ModeImageFiller>(*this, tools, first_column);
}

}  // namespace

Result<FillPlanPtr> plan_mode_images(const SampleTable& table, const FieldInfo& field, std::size_t number,
                                     ImageMode mode, MemoryFormat format, const LoaderOptions& options) {
  PENSTOCK_ASSIGN(const PixelLayout layout, usual_layout(table, number, mode));
  const ImageSize input = mode == ImageMode::unchanged ? ImageSize{} : known_size(table, number, options);
  const bool known = input.width > 0;
  const std::size_t height = known ? static_cast<std::size_t>(input.height) : kAnyExtent;
  const std::size_t width = known ? static_cast<std::size_t>(input.width) : kAnyExtent;
  ColumnPlan column{.info = field, .spec = {.type = type_of(layout), .shape = {height, width}}};
  if (is_mask(mode)) {
    column.info.kind = FieldKind::array;
    column.spec.type = mode == ImageMode::mask ? Scalar::uint8 : Scalar::int32;
  } else {
    const std::size_t channels =
        mode == ImageMode::unchanged ? kAnyExtent : static_cast<std::size_t>(channels_of(layout));
    const bool first = format == MemoryFormat::channels_first;
    column.spec.shape.insert(first ? column.spec.shape.begin() : column.spec.shape.end(), channels);
    column.format = format;
  }
  return FillPlanPtr(std::make_unique<ModeImagePlan>(number, std::move(column), mode, format, input));
}

}  // namespace penstock::inline v0
