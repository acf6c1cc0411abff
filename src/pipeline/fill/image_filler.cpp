#include "pipeline/fill/image_filler.hpp"

#include <fmt/format.h>

#include "codecs/image_decoder.hpp"
#include "pipeline/fill/one_field_plan.hpp"

namespace penstock::inline v0 {
namespace {

/// [H, W, C] in the order of the memory format.
template <class Shape>
Shape in_format(std::size_t height, std::size_t width, std::size_t channels, MemoryFormat format) {
  return format == MemoryFormat::channels_first ? Shape{channels, height, width}
                                                : Shape{height, width, channels};
}

class ImagePlan final : public OneFieldPlan {
 public:
  ImagePlan(std::size_t field, ColumnPlan column, ImageChain chain, MemoryFormat format)
      : OneFieldPlan(field, std::move(column)), chain_(std::move(chain)), format_(format) {}

  std::unique_ptr<Filler> make_filler(const FillerTools& tools, std::size_t first_column) const override;
  std::string rows_in_words(std::size_t) const override {
    const ArraySpec output = chain_.output();
    if (!column().format) {
      return output.fixed() ? "rows of " + output.to_string()
                            : fmt::format("list of {} arrays, shapes vary", name_of(output.type));
    }
    return output.fixed()
               ? fmt::format("{} rows of {}x{}", name_of(output.type), output.shape[0], output.shape[1])
               : fmt::format("list of {} images, sizes vary", name_of(output.type));
  }
  std::string steps_in_words() const override { return chain_.describe(); }
  std::vector<ForeignStage*> foreign_stages() const override {
    std::vector<ForeignStage*> stages;
    for (const ForeignStep& step : chain_.steps) {
      stages.push_back(step.stage.get());
    }
    return stages;
  }

  const ImageChain& chain() const noexcept { return chain_; }
  MemoryFormat format() const noexcept { return format_; }
  std::size_t read_field() const noexcept { return field(); }

 private:
  ImageChain chain_;
  MemoryFormat format_;
};

class ImageFiller final : public Filler {
 public:
  ImageFiller(const ImagePlan& plan, const FillerTools& tools, std::size_t first_column)
      : Filler(tools, first_column),
        plan_(plan),
        program_(plan.chain().first),
        decoder_(DecodeLimits{.max_pixels = tools.options.max_pixels.value_or(DecodeLimits{}.max_pixels),
                              .check_whole_file = tools.options.check_files}),
        workspace_(program_.make_workspace()) {
    if (!plan.chain().steps.empty()) {
      foreign_ = std::make_unique<ChainRunner>(plan.chain(), plan.format(), tools.counters);
    }
  }

  Status fill(const RowTask& task) override {
    Status done = read(task.parts.front(), plan_.read_field(), WorkStage::decode,
                       [&](const StoredValue& value) { return make_row(task, value); });
    counters().enter(WorkStage::assemble, task.sample());
    return done;
  }

 private:
  Status make_row(const RowTask& task, const StoredValue& value) {
    PENSTOCK_ASSIGN(const ImageSize image, decoder_.open(value.bytes, value.tables));
    counters().enter(WorkStage::transform, task.sample());
    PENSTOCK_ASSIGN(const ImageSize result, program_.resolve(*workspace_, image, task.key));
    void* const out = foreign_ ? foreign_->input(result) : room_for(task, result);
    const ReadBox decode = [this, &task](const Rect& box, const PixelView& view) {
      counters().enter(WorkStage::decode, task.sample());
      Status decoded = decoder_.decode(box, view);
      counters().enter(WorkStage::transform, task.sample());
      return decoded;
    };
    PENSTOCK_TRY(program_.run(*workspace_, decode, out));
    counters().decoded[decoder_.codec()].add(1);
    if (!foreign_) {
      return {};
    }
    return foreign_->run(result, task.sample(), task.key, [&](const ArraySpec& made) -> Result<void*> {
      return column_of(task.storage).format ? room_for(task, image_size(made))
                                            : room(task, 0, Extents(made.shape));
    });
  }

  void* room_for(const RowTask& task, ImageSize size) {
    return room(task, 0,
                in_format<Extents>(static_cast<std::size_t>(size.height),
                                   static_cast<std::size_t>(size.width), kImageChannels, plan_.format()));
  }

  const ImagePlan& plan_;
  const ImageProgram& program_;
  ImageDecoder decoder_;
  ImageWorkspacePtr workspace_;
  std::unique_ptr<ChainRunner> foreign_;  // null without stages of the user
};

std::unique_ptr<Filler> ImagePlan::make_filler(const FillerTools& tools, std::size_t first_column) const {
  return std::make_unique<ImageFiller>(*this, tools, first_column);
}

}  // namespace

Result<FillPlanPtr> plan_images(const FieldInfo& field, std::size_t number,
                                const std::vector<TransformPtr>& operations, MemoryFormat format) {
  PENSTOCK_ASSIGN(ImageChain chain, compile_chain(operations, format));
  ColumnPlan column{.info = field, .spec = chain.output()};
  if (chain.gives_images()) {
    std::vector<std::size_t>& shape = column.spec.shape;
    shape = in_format<std::vector<std::size_t>>(shape[0], shape[1], shape[2], format);
    column.format = format;
  }
  if (column.format && !column.spec.fixed() && column.spec.type != Scalar::uint8 && chain.steps.empty()) {
    return Error{.kind = ErrorKind::invalid,
                 .message = fmt::format("the images of field '{}' differ in size, and floats need one size",
                                        field.name),
                 .advice =
                     "add RandomResizedCrop, CenterCrop, RandomCrop or Resize([h, w]), or remove ToFloat and "
                     "Normalize",
                 .place = {.stage = "plan"}};
  }
  return FillPlanPtr(std::make_unique<ImagePlan>(number, std::move(column), std::move(chain), format));
}

}  // namespace penstock::inline v0
