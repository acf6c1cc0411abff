#include "transforms/image_program.hpp"

#include <fmt/format.h>

#include "core/cpu.hpp"
#include "transforms/coordinates.hpp"
#include "transforms/plan_text.hpp"

namespace penstock::inline v0 {

struct ImageProgram::Impl {
  OperationList<ImageTransform, ImageSpec> list;
  MemoryFormat format = MemoryFormat::channels_first;
  bool fuse = true;
  FloatMap floats;
};

ImageProgram::ImageProgram(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

Result<ImageProgram> ImageProgram::compile(std::vector<TransformPtr> operations, MemoryFormat format,
                                           bool fuse, const ProgramStart& start) {
  PENSTOCK_ASSIGN([[maybe_unused]] const CpuTarget target, active_cpu_target());
  const ImageSpec& in = start.input;
  if (in.is_float() || (in.channels != 1 && in.channels != 3 && in.channels != 4) ||
      (in.type == ElementType::uint16 && in.channels != 1)) {
    return Error{ErrorKind::invalid,
                 "operations work on images of 1, 3 or 4 channels of 8 bits, and of 1 channel of 16 bits",
                 "read the image in another mode",
                 {}};
  }
  auto impl = std::make_shared<Impl>();
  PENSTOCK_ASSIGN(impl->list, (OperationList<ImageTransform, ImageSpec>::compile(
                                  std::move(operations), start.input, {start.room, start.first_op})));
  FloatTable table;
  for (std::size_t i = 0; i < impl->list.size(); ++i) {
    impl->list[i].map_values(table);
  }
  impl->format = format;
  impl->fuse = fuse;
  impl->floats = FloatMap(table);
  return ImageProgram(std::move(impl));
}

const ImageSpec& ImageProgram::output() const noexcept { return impl_->list.output(); }
const ImageSpec& ImageProgram::input() const noexcept { return impl_->list.spec(0); }
const ListDraws& ImageProgram::list() const noexcept { return impl_->list; }

std::string ImageProgram::describe() const { return plan_text(impl_->list, impl_->format, impl_->fuse); }

ImageWorkspacePtr ImageProgram::make_workspace() const {
  return std::make_unique<ImageWorkspace>(input(), impl_->list.make_drawn());
}

Result<ImageSize> ImageProgram::resolve(ImageWorkspace& workspace, ImageSize image, const RandomKey& key,
                                        std::span<const float> boxes) const {
  return resolve(workspace, image, &key, boxes);
}

Result<ImageSize> ImageProgram::replay(ImageWorkspace& workspace, ImageSize image) const {
  return resolve(workspace, image, nullptr, {});
}

Result<ImageSize> ImageProgram::resolve(ImageWorkspace& workspace, ImageSize image, const RandomKey* key,
                                        std::span<const float> boxes) const {
  constexpr std::int64_t kMaxPixels = 1 << 28;
  const auto& list = impl_->list;
  workspace.edits.clear();
  workspace.input = image;
  workspace.boxes.assign(boxes.begin(), boxes.end());
  ImageSlots slots{.image = {.size = image, .type = input().type, .channels = input().channels},
                   .boxes = workspace.boxes};
  for (std::size_t i = 0; i < list.size(); ++i) {
    slots.image.type = list.spec(i).type;
    slots.image.channels = list.spec(i).channels;
    Drawn& drawn = *workspace.drawn[i];
    const std::size_t before = workspace.edits.size();
    Status status;
    if (key != nullptr) {
      Draws draws = list.draws(i, *key);
      status = list[i].draw_for(slots, draws, drawn);
    }
    if (status) {
      status = list[i].plan_for(slots.image, drawn, workspace.edits);
    }
    if (!status) {
      status.error().place.stage = "transform";
      return std::move(status).error();
    }
    const std::span<const ImageEdit> made = std::span(workspace.edits).subspan(before);
    if (!workspace.boxes.empty()) {
      workspace.kept.assign(workspace.boxes.size() / 4, 1);
      move_boxes(made, slots.image.size, {workspace.boxes, {}, workspace.kept});
      drop_items(workspace.boxes, workspace.kept, 4);
      slots.boxes = workspace.boxes;
    }
    for (const ImageEdit& edit : made) {
      slots.image.size = size_after(slots.image.size, edit);
    }
  }
  plan_passes(image, workspace.edits, impl_->fuse, workspace.mirrors, workspace.passes);
  for (const Pass& pass : workspace.passes) {
    const ImageSize made = pass.output;
    if (std::int64_t{made.width} * made.height > kMaxPixels) {
      Error error{ErrorKind::invalid,
                  fmt::format("an image of {} x {} pixels would be made from one of {} x {}", made.width,
                              made.height, image.width, image.height),
                  "set max_size of Resize, or exclude such images",
                  {}};
      error.place.stage = "transform";
      return error;
    }
  }
  return slots.image.size;
}

ImageSink ImageProgram::sink(const ImageWorkspace& workspace, void* out) const {
  return {.data = out,
          .size = workspace.passes.back().output,
          .type = output().type,
          .format = impl_->format,
          .floats = &impl_->floats,
          .channels = output().channels,
          .from = input().type};
}

void ImageProgram::finish(const ImageWorkspace& workspace, void* out) const {
  for (const ImageEdit& edit : workspace.edits) {
    if (const auto* floats = std::get_if<FloatEdit>(&edit)) {
      floats->run(*floats, {.data = static_cast<float*>(out),
                            .size = workspace.passes.back().output,
                            .channels = output().channels,
                            .format = impl_->format});
    }
  }
}

Status ImageProgram::run(ImageWorkspace& workspace, ImageDecoder& decoder, void* out) const {
  return run(
      workspace, [&decoder](const Rect& box, const PixelView& view) { return decoder.decode(box, view); },
      out);
}

Status ImageProgram::run(ImageWorkspace& workspace, const ReadBox& read, void* out) const {
  PENSTOCK_TRY(workspace.runner.run(workspace.passes, workspace.edits, read, sink(workspace, out)));
  finish(workspace, out);
  return {};
}

void ImageProgram::run(ImageWorkspace& workspace, const DecodedPart& part, void* out) const {
  workspace.runner.run(workspace.passes, workspace.edits, part, sink(workspace, out));
  finish(workspace, out);
}

}  // namespace penstock::inline v0
