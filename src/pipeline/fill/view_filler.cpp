#include "pipeline/fill/view_filler.hpp"
#include "pipeline/fill/known_size.hpp"

#include <fmt/format.h>

#include <array>

#include "codecs/image_decoder.hpp"
#include "transforms/sample_program.hpp"

namespace penstock::inline v0 {
namespace {

/// A view's place in the batch.
struct ViewPlace {
  std::size_t column = 0;
  std::size_t offset = 0;  ///< bytes into the row, for counted views
};

std::vector<std::size_t> view_shape(const ImageSpec& spec, MemoryFormat format) {
  const auto extent = [](int pixels) { return pixels > 0 ? static_cast<std::size_t>(pixels) : kAnyExtent; };
  const std::size_t height = extent(spec.size.height);
  const std::size_t width = extent(spec.size.width);
  const auto channels = static_cast<std::size_t>(spec.channels);
  return format == MemoryFormat::channels_first ? std::vector<std::size_t>{channels, height, width}
                                                : std::vector<std::size_t>{height, width, channels};
}

class ViewPlan final : public FillPlan {
 public:
  ViewPlan(std::size_t field, SampleProgram program, MemoryFormat format)
      : field_{field}, program_(std::move(program)), format_(format) {}

  /// Gives every view its place; `invalid` for counted views of no fixed size.
  Status lay_out(const std::vector<View>& views) {
    std::size_t number = 0;
    for (const View& view : views) {
      const ImageSpec& spec = program_.views()[number].image.output();
      const ArraySpec one{.type = spec.is_float() ? Scalar::float32 : Scalar::uint8,
                          .shape = view_shape(spec, format_)};
      ColumnPlan column{
          .info = {.name = view.name, .kind = FieldKind::image}, .spec = one, .format = format_};
      if (view.count > 0) {
        if (!one.fixed()) {
          return Error{
              .kind = ErrorKind::invalid,
              .message = fmt::format("view '{}' is counted, and its images differ in size", view.name),
              .advice = "add RandomResizedCrop, CenterCrop, RandomCrop or Resize([h, w])",
              .place = {.stage = "plan"}};
        }
        column.format.reset();
        column.spec.shape.insert(column.spec.shape.begin(), static_cast<std::size_t>(view.count));
      }
      for (int i = 0; i < std::max(view.count, 1); ++i, ++number) {
        places_.push_back({columns_.size(), view.count > 0 ? static_cast<std::size_t>(i) * one.bytes() : 0});
        draws_.push_back({view.name, view.count > 0, ListDraws(view.operations, {})});
      }
      columns_.push_back(std::move(column));
    }
    return {};
  }

  const std::vector<ColumnPlan>& columns() const noexcept override { return columns_; }
  std::span<const std::size_t> fields() const noexcept override { return field_; }
  std::unique_ptr<Filler> make_filler(const FillerTools& tools, std::size_t first_column) const override;
  std::string rows_in_words(std::size_t column) const override {
    return "rows of " + columns_[column].spec.to_string();
  }
  std::string steps_in_words() const override {
    std::string text = "one decode for all views\n";
    for (const SampleView& view : program_.views()) {
      if (view.number == 0) {
        text += "view " + view.name + "\n" + view.image.describe();
      }
    }
    return text;
  }
  DrawnLists drawn_lists() const override { return draws_; }

  const SampleProgram& program() const noexcept { return program_; }
  MemoryFormat format() const noexcept { return format_; }
  const std::vector<ViewPlace>& places() const noexcept { return places_; }

 private:
  std::array<std::size_t, 1> field_;
  SampleProgram program_;
  MemoryFormat format_;
  std::vector<ColumnPlan> columns_;
  std::vector<ViewPlace> places_;  // one for each view of the program
  DrawnLists draws_;               // likewise
};

class ViewFiller final : public Filler {
 public:
  ViewFiller(const ViewPlan& plan, const FillerTools& tools, std::size_t first_column)
      : Filler(tools, first_column),
        plan_(plan),
        decoder_(decode_limits(tools.options)),
        workspace_(plan.program().make_workspace()) {}

  Status fill(const RowTask& task) override {
    drawn_before_ = drawn_for(task).size();
    Status done = read(task.parts.front(), plan_.fields()[0], WorkStage::decode,
                       [&](const StoredValue& value) { return make_row(task, value); });
    counters().enter(WorkStage::assemble, task.sample());
    return done;
  }

 private:
  Status make_row(const RowTask& task, const StoredValue& value) {
    const SampleProgram& program = plan_.program();
    std::vector<double>& drawn = drawn_for(task);
    drawn.resize(drawn_before_);
    PENSTOCK_ASSIGN(const ImageSize image, decoder_.open(value.bytes, value.tables));
    PENSTOCK_TRY(program.resolve(workspace_, image, task.key));
    PENSTOCK_TRY(program.decode(
        workspace_, [this](const Rect& box, const PixelView& view) { return decoder_.decode(box, view); }));
    counters().enter(WorkStage::transform, task.sample());
    void* memory = nullptr;
    for (std::size_t i = 0; i < program.views().size(); ++i) {
      const ViewPlace& place = plan_.places()[i];
      if (place.offset == 0) {
        memory = room(task, place.column, shape_of(place.column, i));
      }
      program.views()[i].image.list().save(workspace_.views[i]->drawn, drawn);
      program.run(workspace_, i, static_cast<std::uint8_t*>(memory) + place.offset);
    }
    counters().decoded[decoder_.codec()].add(1);
    return {};
  }

  Extents shape_of(std::size_t column, std::size_t view) const {
    const ColumnPlan& plan = plan_.columns()[column];
    if (plan.spec.fixed()) {
      return Extents(plan.spec.shape);
    }
    ImageSpec made = plan_.program().views()[view].image.output();
    made.size = workspace_.sizes[view];
    return Extents(view_shape(made, plan_.format()));
  }

  const ViewPlan& plan_;
  ImageDecoder decoder_;
  SampleWorkspace workspace_;
  std::size_t drawn_before_ = 0;
};

std::unique_ptr<Filler> ViewPlan::make_filler(const FillerTools& tools, std::size_t first_column) const {
  return std::make_unique<ViewFiller>(*this, tools, first_column);
}

}  // namespace

Result<FillPlanPtr> plan_views(std::size_t field, const std::vector<View>& views, MemoryFormat format) {
  PENSTOCK_ASSIGN(SampleProgram program, SampleProgram::compile(views, {}, format));
  auto plan = std::make_unique<ViewPlan>(field, std::move(program), format);
  PENSTOCK_TRY(plan->lay_out(views));
  return FillPlanPtr(std::move(plan));
}

}  // namespace penstock::inline v0
