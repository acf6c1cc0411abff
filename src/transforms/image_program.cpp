#include "transforms/image_program.hpp"

#include <fmt/format.h>

#include "core/cpu.hpp"
#include "transforms/kernels/half_floats.hpp"
#include "transforms/plan_text.hpp"

namespace penstock::inline v0 {
namespace {

std::size_t values_of(ImageSize size, int channels) {
  return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height) *
         static_cast<std::size_t>(channels);
}

}  // namespace

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
  ImageWalk walk({.image = {.size = image, .type = input().type, .channels = input().channels},
                  .boxes = boxes,
                  .key = key != nullptr ? *key : RandomKey{}},
                 workspace.walk);
  for (std::size_t i = 0; i < list.size(); ++i) {
    walk.slots.image.type = list.spec(i).type;
    walk.slots.image.channels = list.spec(i).channels;
    Draws draws = list.draws(i, key != nullptr ? *key : RandomKey{});
    Status status =
        walk.step(list[i], key != nullptr ? &draws : nullptr, *workspace.drawn[i], workspace.edits);
    if (!status) {
      status.error().place.stage = "transform";
      return std::move(status).error();
    }
  }
  plan_passes(image, workspace.edits, impl_->fuse, workspace.passes);
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
  return walk.slots.image.size;
}

ImageSink ImageProgram::sink(ImageWorkspace& workspace, void* out) const {
  const bool half = output().type == ElementType::float16;
  const ImageSize size = workspace.passes.back().output;
  return {.data = half ? workspace.floats.reserve(values_of(size, output().channels) * sizeof(float)) : out,
          .size = size,
          .type = half ? ElementType::float32 : output().type,
          .format = impl_->format,
          .floats = &impl_->floats,
          .channels = output().channels,
          .from = input().type};
}

void ImageProgram::finish(const ImageWorkspace& workspace, const ImageSink& written, void* out) const {
  for (const ImageEdit& edit : workspace.edits) {
    if (const auto* floats = std::get_if<FloatEdit>(&edit)) {
      floats->run(*floats, {.data = static_cast<float*>(written.data),
                            .size = written.size,
                            .channels = written.channels,
                            .format = written.format});
    }
  }
  if (written.type != output().type) {
    to_half(static_cast<const float*>(written.data), values_of(written.size, written.channels),
            static_cast<std::uint16_t*>(out));
  }
}

Status ImageProgram::run(ImageWorkspace& workspace, ImageDecoder& decoder, void* out) const {
  return run(
      workspace, [&decoder](const Rect& box, const PixelView& view) { return decoder.decode(box, view); },
      out);
}

Status ImageProgram::run(ImageWorkspace& workspace, const ReadBox& read, void* out) const {
  const ImageSink written = sink(workspace, out);
  PENSTOCK_TRY(workspace.runner.run(workspace.passes, workspace.edits, read, written));
  finish(workspace, written, out);
  return {};
}

void ImageProgram::run(ImageWorkspace& workspace, const DecodedPart& part, void* out) const {
  const ImageSink written = sink(workspace, out);
  workspace.runner.run(workspace.passes, workspace.edits, part, written);
  finish(workspace, written, out);
}

}  // namespace penstock::inline v0
