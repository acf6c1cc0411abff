#include "transforms/image_program.hpp"

#include <fmt/format.h>

#include "core/cpu.hpp"
#include "transforms/plan_text.hpp"
#include "transforms/stage_runner.hpp"

namespace penstock::inline v0 {

class ImageWorkspace {
 public:
  GeometrySteps steps;
  std::vector<Stage> stages;
  StageRunner runner;
};

void DeleteImageWorkspace::operator()(ImageWorkspace* workspace) const noexcept { delete workspace; }

struct ImageProgram::Impl {
  std::vector<TransformPtr> operations;
  MemoryFormat format = MemoryFormat::channels_first;
  bool fuse = true;
  std::uint32_t first_op = 0;
  ImageSpec output;
  FloatMap floats;
};

ImageProgram::ImageProgram(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

Result<ImageProgram> ImageProgram::compile(std::vector<TransformPtr> operations, MemoryFormat format,
                                           bool fuse, const ProgramStart& start) {
  PENSTOCK_ASSIGN([[maybe_unused]] const CpuTarget target, active_cpu_target());
  auto impl = std::make_shared<Impl>();
  impl->output = start.input;
  impl->first_op = start.first_op;
  FloatTable table;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    if (operations[i] == nullptr) {
      return Error{ErrorKind::invalid, fmt::format("operation {} of the list is null", i), "", {}};
    }
    PENSTOCK_TRY(operations[i]->check());
    PENSTOCK_ASSIGN(impl->output, operations[i]->describe(impl->output));
    operations[i]->map_values(table);
  }
  impl->operations = std::move(operations);
  impl->format = format;
  impl->fuse = fuse;
  impl->floats = FloatMap(table);
  return ImageProgram(std::move(impl));
}

const ImageSpec& ImageProgram::output() const noexcept { return impl_->output; }

std::string ImageProgram::describe() const {
  return plan_text(impl_->operations, impl_->output, impl_->format, impl_->fuse);
}

ImageWorkspacePtr ImageProgram::make_workspace() const { return ImageWorkspacePtr(new ImageWorkspace); }

Result<ImageSize> ImageProgram::resolve(ImageWorkspace& workspace, ImageSize image,
                                        const RandomKey& key) const {
  constexpr std::int64_t kMaxPixels = 1 << 28;
  workspace.steps.clear();
  ImageSize size = image;
  for (std::size_t i = 0; i < impl_->operations.size(); ++i) {
    Draws draws(key, impl_->first_op + static_cast<std::uint32_t>(i));
    const std::size_t before = workspace.steps.size();
    if (Status status = impl_->operations[i]->plan(size, draws, workspace.steps); !status.ok()) {
      status.error().place.stage = "transform";
      return std::move(status).error();
    }
    for (std::size_t step = before; step < workspace.steps.size(); ++step) {
      size = size_after(size, workspace.steps[step]);
    }
  }
  plan_stages(image, workspace.steps, impl_->fuse, workspace.stages);
  for (const Stage& stage : workspace.stages) {
    const ImageSize made = stage.output();
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
  return size;
}

Status ImageProgram::run(ImageWorkspace& workspace, ImageDecoder& decoder, void* out) const {
  return run(
      workspace, [&decoder](const Rect& box, const PixelView& view) { return decoder.decode(box, view); },
      out);
}

Status ImageProgram::run(ImageWorkspace& workspace, const ReadBox& read, void* out) const {
  const ImageSink sink{out, workspace.stages.back().output(), impl_->output.type, impl_->format,
                       &impl_->floats};
  return workspace.runner.run(workspace.stages, read, sink);
}

}  // namespace penstock::inline v0
