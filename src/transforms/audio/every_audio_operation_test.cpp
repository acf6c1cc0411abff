// Every operation on audio, by being listed in the catalogue: described = delivered, the same from any
// workspace, and what is drawn goes to names and numbers and back. tests/conformance has what needs a loader.
#include <gtest/gtest.h>

#include <span>

#include "codecs/test_recordings.hpp"
#include "penstock/audio_transform.hpp"
#include "transforms/any_operation_for_test.hpp"
#include "transforms/audio/audio_program.hpp"

namespace penstock::inline v0 {
namespace {

constexpr AudioSpec kRecorded{.channels = 2, .rate = 8000, .bands = 0, .frames = 0};

test::AudioBytes recording_of(std::size_t frames) {
  std::vector<std::int16_t> samples;
  for (std::size_t i = 0; i < 2 * frames; ++i) {
    samples.push_back(static_cast<std::int16_t>(i * 7919 % 40'000));
  }
  return test::wav_of(samples, 2);
}

class every_audio_operation : public testing::TestWithParam<const OperationInfo*> {
 protected:
  void SetUp() override {
    const auto made = test::make_any(*GetParam());
    ASSERT_TRUE(made) << "no value of kParameterCandidates suits a parameter of " << GetParam()->name
                      << ": add one that does";
    operations_ = test::variants_of(*GetParam(), *made);
  }

  /// Calls `check(program, file)` for all that the operation can be part of.
  template <class Check>
  void for_each_case(Check check) const {
    std::size_t done = 0;
    std::vector<std::vector<TransformPtr>> lists;
    for (const TransformPtr& operation : operations_) {
      lists.push_back({operation});
      lists.push_back({transforms::MelSpectrogram{}, operation});
      lists.push_back({transforms::RandomGain{}, operation});
    }
    for (const auto& list : lists) {
      const auto program = AudioProgram::compile(list, kRecorded);
      if (!program) {
        EXPECT_EQ(program.error().kind, ErrorKind::invalid) << program.error().to_string();
        continue;
      }
      for (const std::size_t frames : {1u, 2u, 17u, 511u, 512u, 513u, 4000u}) {
        SCOPED_TRACE(program->describe() + " of " + std::to_string(frames) + " frames");
        done += check(*program, recording_of(frames)) ? 1 : 0;
      }
    }
    EXPECT_GT(done, 0u) << "the operation can be part of no list here: add one that it can";
  }

  /// False where such a recording is refused, with a reason.
  static bool run(const AudioProgram& program, AudioWorkspace& workspace, ByteSpan file,
                  std::uint64_t sample) {
    const auto opened = program.open(workspace, file, {.seed = 1, .epoch = 2, .sample = sample});
    Status done = opened ? program.decode(workspace, nullptr) : Status(opened.error());
    if (done) {
      done = program.run(workspace);
    }
    EXPECT_TRUE(done.ok() || done.error().kind == ErrorKind::invalid ||
                done.error().kind == ErrorKind::unsupported)
        << done.error().to_string();
    return done.ok();
  }
  static std::vector<float> values_of(AudioWorkspace& workspace) {
    AudioWave& wave = workspace.wave();
    return {wave.data(), wave.data() + wave.rows() * wave.frames()};
  }

  std::vector<TransformPtr> operations_;
};

TEST_P(every_audio_operation, delivers_what_it_describes) {
  for_each_case([](const AudioProgram& program, const test::AudioBytes& file) {
    auto workspace = program.make_workspace().value();
    if (!run(program, workspace, file, 1)) {
      return false;
    }
    const AudioSpec& told = program.output();
    AudioWave& wave = workspace.wave();
    EXPECT_EQ(wave.bands, told.bands);
    EXPECT_EQ(wave.rows(), told.rows());
    EXPECT_TRUE(told.frames == 0 || wave.frames() == told.frames);
    EXPECT_LE(wave.valid, wave.frames());
    return true;
  });
}

TEST_P(every_audio_operation, gives_the_same_from_any_workspace) {
  for_each_case([](const AudioProgram& program, const test::AudioBytes& file) {
    auto used = program.make_workspace().value();
    auto fresh = program.make_workspace().value();
    run(program, used, recording_of(3000), 7);
    if (!run(program, fresh, file, 1)) {
      return false;
    }
    EXPECT_TRUE(run(program, used, file, 1));
    EXPECT_EQ(values_of(used), values_of(fresh));
    return true;
  });
}

TEST_P(every_audio_operation, what_is_drawn_goes_to_names_and_numbers_and_back) {
  for_each_case([](const AudioProgram& program, const test::AudioBytes& file) {
    const ListDraws& draws = program.list();
    auto workspace = program.make_workspace().value();
    if (!run(program, workspace, file, 1)) {
      return false;
    }
    DrawnList named = draws.make_drawn();
    DrawnList bare = draws.make_drawn();
    EXPECT_TRUE(draws.set(draws.named(workspace.drawn()), named).ok());
    std::vector<double> numbers;
    draws.save(workspace.drawn(), numbers);
    std::span<const double> left = numbers;
    draws.load(left, bare);
    EXPECT_TRUE(left.empty());
    for (std::size_t i = 0; i < draws.size(); ++i) {
      EXPECT_TRUE(*named[i] == *workspace.drawn()[i]);
      EXPECT_TRUE(*bare[i] == *workspace.drawn()[i]);
    }
    return true;
  });
}

INSTANTIATE_TEST_SUITE_P(of_the_catalogue, every_audio_operation,
                         testing::ValuesIn(test::operations_on<AudioTransform>()),
                         [](const auto& info) { return info.param->name; });

}  // namespace
}  // namespace penstock::inline v0
