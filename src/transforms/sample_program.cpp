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

/// One draw and one read for all of them.
Status check_upright(const std::vector<SampleView>& views) {
  for (const SampleView& view : views) {
    if (view.image.wants_upright() != views[0].image.wants_upright()) {
      return Error{ErrorKind::invalid,
                   fmt::format("views '{}' and '{}' are made of one image, but only one of them begins with "
                               "ExifTranspose",
                               views[0].name, view.name),
                   "let all of them begin with it, or none",
                   {}};
    }
  }
  return {};
}

}  // namespace

Result<int> images_of(const std::vector<TransformPtr>& operations) {
  const Transform* found = nullptr;
  int images = 1;
  for (const TransformPtr& operation : operations) {
    const auto* const image = dynamic_cast<const ImageTransform*>(operation.get());
    if (image == nullptr || image->images() == 1) {
      continue;
    }
    if (found != nullptr) {
      return Error{ErrorKind::invalid,
                   fmt::format("{} and {} both make several images of one", found->name(), image->name()),
                   "keep one of them",
                   {}};
    }
    found = image;
    images = image->images();
  }
  return images;
}

bool adds_masks(const std::vector<TransformPtr>& operations) {
  return std::any_of(operations.begin(), operations.end(), [](const TransformPtr& operation) {
    const auto* const image = dynamic_cast<const ImageTransform*>(operation.get());
    return image != nullptr && !image->mask_fields().empty();
  });
}

Result<SampleProgram> SampleProgram::compile(const std::vector<View>& views, const ImageSpec& input,
                                             MemoryFormat format, Fuse fuse, std::uint64_t room,
                                             std::uint32_t first_op) {
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
    PENSTOCK_ASSIGN(const int images, images_of(view.operations));
    if (images > 1 && view.count > 0) {
      return Error{
          ErrorKind::invalid,
          fmt::format("view '{}' is counted, but its list makes {} images of one", view.name, images),
          "omit the count",
          {}};
    }
    for (int number = 0; number < std::max(view.count, images); ++number) {
      ProgramStart start{.input = input, .first_op = first_op};
      start.room = only ? room : view_room(view.name, static_cast<std::uint64_t>(images > 1 ? 0 : number));
      start.part = images > 1 ? number : 0;
      Result<ImageProgram> image = ImageProgram::compile(view.operations, format, fuse, start);
      if (!image.ok()) {
        image.error().message.insert(0, only ? "" : fmt::format("view '{}': ", view.name));
        return std::move(image).error();
      }
      program.views_.push_back({view.name, number, *std::move(image)});
    }
  }
  PENSTOCK_TRY(check_upright(program.views_));
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
                              std::span<const float> boxes, int orientation, const BatchPlace& batch) const {
  for (std::size_t i = 0; i < views_.size(); ++i) {
    PENSTOCK_ASSIGN(workspace.sizes[i],
                    views_[i].image.resolve(*workspace.views[i], image, key, boxes, orientation, batch));
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
    PENSTOCK_TRY(mask_edits(image.edits, type, mask.edits));
    plan_passes(image.input, mask.edits, Fuse::exact, workspace.mask_mirrors_, mask.passes);
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
  to_format(views_[view].image.box_format(), boxes.numbers);
}

void SampleProgram::move_points(const SampleWorkspace& workspace, std::size_t view,
                                const AnnotationItems& points) const {
  const ImageWorkspace& image = *workspace.views[view];
  penstock::move_points(image.edits, image.input, points);
}

}  // namespace penstock::inline v0
