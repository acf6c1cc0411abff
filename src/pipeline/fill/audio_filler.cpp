#include "pipeline/fill/audio_filler.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "codecs/audio_decoder.hpp"
#include "pipeline/fill/one_field_plan.hpp"
#include "transforms/audio/audio_program.hpp"

namespace penstock::inline v0 {
namespace {

/// What most audio of a field is like, by the first sample that can be read.
Result<AudioSpec> usual_audio(const SampleTable& table, std::size_t field) {
  constexpr std::uint64_t kTried = 16;
  AudioDecoder decoder;
  std::optional<Error> first;
  for (std::uint64_t sample = 0; sample < std::min(kTried, table.size()); ++sample) {
    AudioSpec spec;
    Status read = use_value(table, sample, field, [&](const StoredValue& stored) -> Status {
      PENSTOCK_ASSIGN(const AudioInfo info, decoder.open(stored.bytes));
      spec = {.channels = info.channels, .rate = info.rate, .bands = 0, .frames = 0};
      return {};
    });
    if (read) {
      return spec;
    }
    if (!first) {
      first = at_sample(std::move(read).error(), table, sample, field);
    }
  }
  if (first) {
    return std::move(*first);
  }
  return AudioSpec{};  // there is no sample
}

/// [channels, frames] or [channels, bands, frames].
template <class Shape>
Shape audio_shape(const AudioSpec& spec, std::size_t frames) {
  const auto channels = static_cast<std::size_t>(spec.channels);
  const auto bands = static_cast<std::size_t>(spec.bands);
  return bands > 0 ? Shape{channels, bands, frames} : Shape{channels, frames};
}

class AudioPlan final : public OneFieldPlan {
 public:
  AudioPlan(std::size_t field, ColumnPlan column, AudioProgram program, const FieldList& list)
      : OneFieldPlan(field, std::move(column)),
        program_(std::move(program)),
        draws_(list_draws(list.name, list.operations)) {}

  DrawnLists drawn_lists() const override { return draws_; }

  std::unique_ptr<Filler> make_filler(const FillerTools& tools, std::size_t first_column) const override;
  std::string rows_in_words(std::size_t) const override {
    return program_.output().fixed_length()
               ? fmt::format("float32 rows of {} frames", program_.output().frames)
               : "float32, padded with zeros to the longest of the batch";
  }
  std::string work_in_words() const override { return program_.describe(); }

  const AudioProgram& program() const noexcept { return program_; }
  std::size_t read_field() const noexcept { return field(); }

 private:
  AudioProgram program_;
  DrawnLists draws_;
};

class AudioFiller final : public Filler {
 public:
  AudioFiller(const AudioPlan& plan, const FillerTools& tools, std::size_t first_column)
      : Filler(tools, first_column), plan_(plan) {}

  Status fill(const RowTask& task) override {
    drawn_before_ = drawn_for(task).size();
    Status done = read(task.parts.front(), plan_.read_field(), WorkStage::decode,
                       [&](const StoredValue& value) -> Status {
                         PENSTOCK_ASSIGN(AudioWorkspace* const workspace, ready_workspace());
                         return make_row(task, value, *workspace);
                       });
    counters().enter(WorkStage::assemble, task.sample);
    return done;
  }

 private:
  /// The worker's memory for the column, made when the first sample comes.
  Result<AudioWorkspace*> ready_workspace() {
    if (!workspace_) {
      PENSTOCK_ASSIGN(AudioWorkspace made, plan_.program().make_workspace());
      workspace_.emplace(std::move(made));
    }
    return &*workspace_;
  }

  Status make_row(const RowTask& task, const StoredValue& value, AudioWorkspace& workspace) {
    const AudioProgram& program = plan_.program();
    const AudioSpec& output = program.output();
    const auto room_for = [&](std::size_t frames) {
      return static_cast<float*>(room(task, 0, audio_shape<Extents>(output, frames)));
    };
    PENSTOCK_ASSIGN(const std::size_t known, program.open(workspace, value.bytes, task.key()));
    float* const memory = known > 0 ? room_for(known / output.rows()) : nullptr;
    PENSTOCK_TRY(program.decode(workspace, memory));
    counters().enter(WorkStage::transform, task.sample);
    PENSTOCK_TRY(program.run(workspace));
    drawn_for(task).resize(drawn_before_);
    program.list().save(workspace.drawn(), drawn_for(task));
    counters().recordings[workspace.codec()].add(1);
    AudioWave& wave = workspace.wave();
    column_of(task.storage).lengths[task.row] = static_cast<std::int64_t>(wave.valid);
    if (memory == nullptr) {
      std::copy_n(wave.data(), wave.rows() * wave.frames(), room_for(wave.frames()));
    }
    return {};
  }

  const AudioPlan& plan_;
  std::optional<AudioWorkspace> workspace_;
  std::size_t drawn_before_ = 0;
};

std::unique_ptr<Filler> AudioPlan::make_filler(const FillerTools& tools, std::size_t first_column) const {
  return std::make_unique<AudioFiller>(*this, tools, first_column);
}

}  // namespace

Result<FillPlanPtr> plan_audio(const SampleTable& table, const FieldInfo& field, std::size_t number,
                               const FieldList& list) {
  PENSTOCK_ASSIGN(const AudioSpec in, usual_audio(table, number));
  PENSTOCK_ASSIGN(AudioProgram program,
                  AudioProgram::compile(list.operations, in, {.room = list.room, .first_op = 0}));
  const AudioSpec& output = program.output();
  ColumnPlan column{
      .info = field,
      .spec = {.type = Scalar::float32,
               .shape = audio_shape<std::vector<std::size_t>>(
                   output, output.fixed_length() ? static_cast<std::size_t>(output.frames) : kAnyExtent)},
      .rate = output.rate,
      .has_lengths = true,
      .padded = true};
  return FillPlanPtr(std::make_unique<AudioPlan>(number, std::move(column), std::move(program), list));
}

}  // namespace penstock::inline v0
