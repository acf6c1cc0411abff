#include "transforms/sample_program.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "transforms/coordinates.hpp"

namespace penstock::inline v0 {
namespace {

constexpr int kMaxViews = 1000;

Rect around(const Rect& a, const Rect& b) {
  const int left = std::min(a.x, b.x);
  const int top = std::min(a.y, b.y);
  return {left, top, std::max(a.x + a.width, b.x + b.width) - left,
          std::max(a.y + a.height, b.y + b.height) - top};
}

}  // namespace

Result<SampleProgram> SampleProgram::compile(const std::vector<View>& views, const ImageSpec& input,
                                             MemoryFormat format, bool fuse) {
  SampleProgram program;
  for (std::size_t i = 0; i < views.size(); ++i) {
    const View& view = views[i];
    if (view.count < 0 || view.count > kMaxViews) {
      return Error{ErrorKind::invalid,
                   fmt::format("the count of view '{}' must be between 1 and {}, got {}", view.name,
                               kMaxViews, view.count),
                   "",
                   {}};
    }
    const bool only = views.size() == 1 && view.name.empty();
    if (!only &&
        (view.name.empty() || std::any_of(views.begin(), views.begin() + static_cast<std::ptrdiff_t>(i),
                                          [&](const View& other) { return other.name == view.name; }))) {
      return Error{ErrorKind::invalid,
                   fmt::format("two views are called '{}'", view.name),
                   "use a different name for each",
                   {}};
    }
    for (int number = 0; number < std::max(view.count, 1); ++number) {
      const std::uint64_t room = only ? 0 : view_room(view.name, static_cast<std::uint64_t>(number));
      PENSTOCK_ASSIGN(ImageProgram image,
                      ImageProgram::compile(view.operations, format, fuse,
                                            {.input = input, .first_op = 0, .room = room}));
      program.views_.push_back({view.name, number, std::move(image)});
    }
  }
  return program;
}

SampleWorkspace SampleProgram::make_workspace() const {
  SampleWorkspace workspace;
  for (const SampleView& view : views_) {
    workspace.views.push_back(view.image.make_workspace());
  }
  workspace.sizes.resize(views_.size());
  return workspace;
}

Status SampleProgram::resolve(SampleWorkspace& workspace, ImageSize image, const RandomKey& key,
                              std::span<const float> boxes) const {
  for (std::size_t i = 0; i < views_.size(); ++i) {
    PENSTOCK_ASSIGN(workspace.sizes[i], views_[i].image.resolve(*workspace.views[i], image, key, boxes));
  }
  return {};
}

Status SampleProgram::replay(SampleWorkspace& workspace, ImageSize image) const {
  for (std::size_t i = 0; i < views_.size(); ++i) {
    PENSTOCK_ASSIGN(workspace.sizes[i], views_[i].image.replay(*workspace.views[i], image));
  }
  return {};
}

Status SampleProgram::decode(SampleWorkspace& workspace, const ReadBox& read) const {
  Rect box = views_[0].image.needed(*workspace.views[0]);
  for (std::size_t i = 1; i < views_.size(); ++i) {
    box = around(box, views_[i].image.needed(*workspace.views[i]));
  }
  return workspace.views[0]->runner.decode(box, read, workspace.part_);
}

void SampleProgram::run(SampleWorkspace& workspace, std::size_t view, void* out) const {
  views_[view].image.run(*workspace.views[view], workspace.part_, out);
}

Status SampleProgram::decode_mask(SampleWorkspace& workspace, ElementType type, const ReadBox& read) const {
  auto& runner = workspace.mask_runners_[type == ElementType::uint16 ? 1 : 0];
  if (!runner) {
    runner = std::make_unique<PassRunner>(/*channels=*/1, type);
  }
  workspace.mask_type_ = type;
  workspace.masks_.resize(views_.size());
  Rect box;
  for (std::size_t i = 0; i < views_.size(); ++i) {
    const ImageWorkspace& image = *workspace.views[i];
    SampleWorkspace::MaskView& mask = workspace.masks_[i];
    mask_edits(image.edits, mask.edits);
    plan_passes(image.input, mask.edits, /*fuse=*/true, workspace.mask_mirrors_, mask.passes);
    const Rect needed = runner->needed(mask.passes.front());
    box = i == 0 ? needed : around(box, needed);
  }
  return runner->decode(box, read, workspace.mask_part_);
}

void SampleProgram::run_mask(SampleWorkspace& workspace, std::size_t view, void* out) const {
  const SampleWorkspace::MaskView& mask = workspace.masks_[view];
  PassRunner& runner = *workspace.mask_runners_[workspace.mask_type_ == ElementType::uint16 ? 1 : 0];
  runner.run(mask.passes, mask.edits, workspace.mask_part_,
             {.data = out,
              .size = mask.passes.back().output,
              .type = workspace.mask_type_,
              .format = MemoryFormat::channels_last,
              .floats = nullptr,
              .channels = 1,
              .from = workspace.mask_type_});
}

void SampleProgram::move_boxes(const SampleWorkspace& workspace, std::size_t view,
                               const AnnotationItems& boxes) const {
  const ImageWorkspace& image = *workspace.views[view];
  penstock::move_boxes(image.edits, image.input, boxes);
}

void SampleProgram::move_points(const SampleWorkspace& workspace, std::size_t view,
                                const AnnotationItems& points) const {
  const ImageWorkspace& image = *workspace.views[view];
  penstock::move_points(image.edits, image.input, points);
}

}  // namespace penstock::inline v0
