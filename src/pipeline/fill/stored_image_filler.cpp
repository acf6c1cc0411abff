#include "pipeline/fill/stored_image_filler.hpp"
#include "pipeline/fill/known_size.hpp"

#include <fmt/format.h>

#include <cstring>

#include "codecs/image_decoder.hpp"
#include "codecs/mask_values.hpp"
#include "pipeline/fill/one_field_plan.hpp"

namespace penstock::inline v0 {
namespace {

Error cannot_plan(std::string message, std::string advice) {
  return Error{.kind = ErrorKind::invalid,
               .message = std::move(message),
               .advice = std::move(advice),
               .place = {.stage = "plan"}};
}

class StoredImagePlan final : public OneFieldPlan {
 public:
  StoredImagePlan(std::size_t field, ColumnPlan column, ImageMode mode, MemoryFormat format, ImageSize input)
      : OneFieldPlan(field, std::move(column)), mode_(mode), format_(format), input_(input) {}

  std::unique_ptr<Filler> make_filler(const FillerTools& tools, std::size_t first_column) const override;
  std::string rows_in_words(std::size_t) const override {
    const ArraySpec& spec = column().spec;
    return !is_mask(mode_) ? "list of images, sizes, channels and types vary"
           : spec.fixed()  ? "rows of " + spec.to_string()
                           : fmt::format("list of {} arrays, shapes vary", name_of(spec.type));
  }

  std::size_t read_field() const noexcept { return field(); }
  ImageMode mode() const noexcept { return mode_; }
  MemoryFormat format() const noexcept { return format_; }
  ImageSize input() const noexcept { return input_; }

 private:
  ImageMode mode_;
  MemoryFormat format_;
  ImageSize input_;  // of all images, where the rows' shape rests on that; else {0, 0}
};

class StoredImageFiller final : public Filler {
 public:
  StoredImageFiller(const StoredImagePlan& plan, const FillerTools& tools, std::size_t first_column)
      : Filler(tools, first_column), plan_(plan), decoder_(decode_limits(tools.options)) {}

  Status fill(const RowTask& task) override {
    Status done = read(task.parts.front(), plan_.read_field(), WorkStage::decode,
                       [&](const StoredValue& value) { return make_row(task, value); });
    counters().enter(WorkStage::assemble, task.sample);
    return done;
  }

 private:
  Status make_row(const RowTask& task, const StoredValue& value) {
    PENSTOCK_ASSIGN(const ImageSize size, decoder_.open(value.image()));
    if (plan_.input().width > 0 && size != plan_.input()) {
      return another_size(size, plan_.input());
    }
    PENSTOCK_ASSIGN(const PixelLayout layout, decoder_.layout_for(plan_.mode()));
    const std::size_t stride = static_cast<std::size_t>(size.width) * pixel_bytes(layout);
    std::uint8_t* const pixels = pixels_.reserve(stride * static_cast<std::size_t>(size.height));
    PENSTOCK_TRY(
        decoder_.decode({0, 0, size.width, size.height}, {pixels, stride, size.width, size.height, layout}));
    counters().decoded[decoder_.codec()].add(1);
    counters().enter(WorkStage::transform, task.sample);
    write(task, size, layout, pixels);
    return {};
  }

  void write(const RowTask& task, ImageSize size, PixelLayout layout, const std::uint8_t* pixels) {
    const auto height = static_cast<std::size_t>(size.height), width = static_cast<std::size_t>(size.width);
    const std::size_t count = height * width;
    if (plan_.mode() == ImageMode::wide_mask) {
      widen_mask(pixels, layout, count, room(task, 0, {height, width}));
    } else if (is_mask(plan_.mode())) {
      std::memcpy(room(task, 0, {height, width}), pixels, count);
    } else {
      write_image(task, size, layout, pixels);
    }
  }

  void write_image(const RowTask& task, ImageSize size, PixelLayout layout, const std::uint8_t* pixels) {
    const auto height = static_cast<std::size_t>(size.height), width = static_cast<std::size_t>(size.width);
    const auto channels = static_cast<std::size_t>(channels_of(layout));
    const bool first = plan_.format() == MemoryFormat::channels_first;
    const Extents shape = first ? Extents{channels, height, width} : Extents{height, width, channels};
    const Scalar type = layout == PixelLayout::gray_16 ? Scalar::uint16 : Scalar::uint8;
    auto* out = static_cast<std::uint8_t*>(room(task, 0, shape, type));
    const std::size_t count = height * width;
    if (!first || channels == 1) {
      std::memcpy(out, pixels, count * pixel_bytes(layout));
      return;
    }
    for (std::size_t c = 0; c < channels; ++c) {
      for (std::size_t i = 0; i < count; ++i) {
        *out++ = pixels[i * channels + c];
      }
    }
  }

  const StoredImagePlan& plan_;
  ImageDecoder decoder_;
  Scratch pixels_;
};

std::unique_ptr<Filler> StoredImagePlan::make_filler(const FillerTools& tools,
                                                     std::size_t first_column) const {
  return std::make_unique<StoredImageFiller>(*this, tools, first_column);
}

}  // namespace

Result<FillPlanPtr> plan_stored_images(const SampleTable& table, const FieldInfo& field, std::size_t number,
                                       ImageMode mode, const FieldList& list, MemoryFormat format,
                                       const LoaderOptions& options) {
  const char* const what = is_mask(mode) ? "a mask" : "read unchanged, so that its images differ in kind";
  if (!list.operations.empty()) {
    return cannot_plan(fmt::format("cannot transform field '{}': it is {}", field.name, what),
                       "read it with mode=\"RGB\", \"L\", \"I;16\" or \"RGBA\", or omit its list");
  }
  ColumnPlan column{.info = field, .spec = {.type = Scalar::uint8, .shape = {kAnyExtent, kAnyExtent}}};
  ImageSize input;
  if (is_mask(mode)) {
    column.info.kind = FieldKind::array;
    column.spec.type = mode == ImageMode::mask ? Scalar::uint8 : Scalar::int32;
    input = known_size(table, number, options);
    if (input.width > 0) {
      column.spec.shape = {static_cast<std::size_t>(input.height), static_cast<std::size_t>(input.width)};
    }
  } else {
    if (options.pad_images) {
      return cannot_plan(fmt::format("pad_images=True, but field '{}' is {}", field.name, what),
                         "read it with mode=\"RGB\", \"L\", \"I;16\" or \"RGBA\"");
    }
    column.spec.shape.push_back(kAnyExtent);
    column.format = format;
  }
  return FillPlanPtr(std::make_unique<StoredImagePlan>(number, std::move(column), mode, format, input));
}

}  // namespace penstock::inline v0
