#include "pipeline/fill/image_filler.hpp"
#include "pipeline/fill/known_size.hpp"

#include <fmt/format.h>

#include "codecs/image_decoder.hpp"
#include "codecs/rgb_loss.hpp"
#include "pipeline/fill/one_field_plan.hpp"
#include "transforms/upright.hpp"

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
  ImagePlan(std::size_t field, ColumnPlan column, ImageChain chain, MemoryFormat format, ImageSize input,
            const FieldList& list, const FieldSpec& spec)
      : OneFieldPlan(field, std::move(column)),
        loss_(spec.name, spec.choice()),
        chain_(std::move(chain)),
        format_(format),
        input_(input),
        draws_(list_draws(list.name, list.operations)) {}

  DrawnLists drawn_lists() const override { return draws_; }

  std::unique_ptr<Filler> make_filler(const FillerTools& tools, std::size_t first_column) const override;
  std::string rows_in_words(std::size_t) const override {
    const ArraySpec output = chain_.output();
    if (!column().format) {
      return output.fixed() ? "rows of " + output.to_string()
                            : fmt::format("list of {} arrays, shapes vary", name_of(output.type));
    }
    if (output.fixed()) {
      return fmt::format("{} rows of {}x{}", name_of(output.type), output.shape[0], output.shape[1]);
    }
    return column().padded
               ? fmt::format("{}, padded with zeros to the largest of the batch", name_of(output.type))
               : fmt::format("list of {} images, sizes vary", name_of(output.type));
  }
  std::string work_in_words() const override { return chain_.describe(); }
  std::string remark() const override { return loss_.text(); }
  std::vector<ForeignStage*> foreign_stages() const override {
    std::vector<ForeignStage*> stages;
    for (const ForeignLink& link : chain_.links) {
      stages.push_back(link.stage.get());
    }
    return stages;
  }

  const ImageChain& chain() const noexcept { return chain_; }
  MemoryFormat format() const noexcept { return format_; }
  std::size_t read_field() const noexcept { return field(); }
  /// The size that all images have, where the rows' shape rests on that; else {0, 0}.
  ImageSize input() const noexcept { return input_; }
  const RgbLossNote& loss() const noexcept { return loss_; }

 private:
  RgbLossNote loss_;
  ImageChain chain_;
  MemoryFormat format_;
  ImageSize input_;
  DrawnLists draws_;
};

class ImageFiller final : public Filler {
 public:
  ImageFiller(const ImagePlan& plan, const FillerTools& tools, std::size_t first_column)
      : Filler(tools, first_column),
        plan_(plan),
        program_(plan.chain().first),
        reads_rgb_(program_.input().channels == 3),
        channels_(plan.chain().gives_images() ? plan.chain().output().shape[2] : 0),
        decoder_(decode_limits(tools.options)),
        workspace_(program_.make_workspace()) {
    if (!plan.chain().links.empty()) {
      foreign_ = std::make_unique<ChainRunner>(plan.chain(), plan.format(), tools.counters);
    }
  }

  Status fill(const RowTask& task) override {
    drawn_before_ = drawn_for(task).size();
    Status done = read(task.parts.front(), plan_.read_field(), WorkStage::decode,
                       [&](const StoredValue& value) { return make_row(task, value); });
    counters().enter(WorkStage::assemble, task.sample);
    return done;
  }

 private:
  Status make_row(const RowTask& task, const StoredValue& value) {
    drawn_for(task).resize(drawn_before_);
    PENSTOCK_ASSIGN(const ImageSize stored, decoder_.open(value.image()));
    if (plan_.input().width > 0 && stored != plan_.input()) {
      return another_size(stored, plan_.input());
    }
    int orientation = 1;
    if (program_.wants_upright()) {
      PENSTOCK_ASSIGN(orientation, decoder_.orientation());
    }
    const ImageSize image = upright_.begin(stored, orientation);
    counters().enter(WorkStage::transform, task.sample);
    PENSTOCK_ASSIGN(const ImageSize result,
                    program_.resolve(*workspace_, image, task.key(), {}, orientation));
    void* const out = foreign_ ? foreign_->input(result) : room_for(task, result);
    const ReadBox decode = [this, &task](const Rect& box, const PixelView& view) {
      counters().enter(WorkStage::decode, task.sample);
      Status decoded = upright_.read(
          box, view, [this](const Rect& part, const PixelView& out) { return decoder_.decode(part, out); });
      counters().enter(WorkStage::transform, task.sample);
      return decoded;
    };
    program_.list().save(workspace_->drawn, drawn_for(task));
    PENSTOCK_TRY(program_.run(*workspace_, decode, out));
    if (reads_rgb_) {
      plan_.loss().see(decoder_.traits().loss);
    }
    counters().decoded[decoder_.codec()].add(1);
    if (!foreign_) {
      return {};
    }
    return foreign_->run(result, task.sample, task.key(), drawn_for(task),
                         [&](const ArraySpec& made) -> Result<void*> {
                           return column_of(task.storage).format ? room_for(task, image_size(made))
                                                                 : room(task, 0, Extents(made.shape));
                         });
  }

  void* room_for(const RowTask& task, ImageSize size) {
    return room(task, 0,
                in_format<Extents>(static_cast<std::size_t>(size.height),
                                   static_cast<std::size_t>(size.width), channels_, plan_.format()));
  }

  const ImagePlan& plan_;
  const ImageProgram& program_;
  const bool reads_rgb_;
  const std::size_t channels_;  // of rows that are images
  ImageDecoder decoder_;
  UprightReader upright_;
  ImageWorkspacePtr workspace_;
  std::size_t drawn_before_ = 0;
  std::unique_ptr<ChainRunner> foreign_;  // null without stages of the user
};

std::unique_ptr<Filler> ImagePlan::make_filler(const FillerTools& tools, std::size_t first_column) const {
  return std::make_unique<ImageFiller>(*this, tools, first_column);
}

}  // namespace

Result<FillPlanPtr> plan_images(const SampleTable& table, const FieldInfo& field, std::size_t number,
                                PixelLayout layout, const FieldList& list, MemoryFormat format,
                                const LoaderOptions& options) {
  ImageSpec input = image_spec(layout);
  PENSTOCK_ASSIGN(ImageChain chain, compile_chain(list.operations, format, input, list.room, options.fuse));
  if (!chain.output().fixed()) {
    input.size = known_size(table, number, options);
    if (input.fixed_size()) {
      PENSTOCK_ASSIGN(chain, compile_chain(list.operations, format, input, list.room, options.fuse));
    }
  }
  ColumnPlan column{.info = field, .spec = chain.output()};
  if (chain.gives_images()) {
    std::vector<std::size_t>& shape = column.spec.shape;
    shape = in_format<std::vector<std::size_t>>(shape[0], shape[1], shape[2], format);
    column.format = format;
    column.padded = options.pad_images;
  }
  return FillPlanPtr(std::make_unique<ImagePlan>(number, std::move(column), std::move(chain), format,
                                                 input.size, list, table.spec(number)));
}

}  // namespace penstock::inline v0
