#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/output.hpp"
#include "cli/verbs.hpp"
#include "penstock/audio_build.hpp"
#include "store/audio_pipeline.hpp"

namespace penstock::cli {
namespace {

struct AudioArguments {
  AudioBuildSettings settings;
  std::vector<std::string> paths;  ///< SRC and DST; none with --test-pipeline
  int win_length = 0;
  double fmax = 0;
  std::string window = "hann";
  std::string pad_mode = "constant";
  std::string norm = "slaney";
  std::string mel_dtype = "float16";
  std::optional<double> db_mult{};
  bool linear = false;
  int batch_files = 0;
  bool no_autosize = false;
  bool profile = false;
  std::uint64_t test_pipeline = 0;
  BuildRunArguments run{.on_error = "skip"};
};

template <class Choice>
Choice choice_named(const std::string& name, const std::vector<Choice>& choices) {
  for (const Choice choice : choices) {
    if (name == name_of(choice)) {
      return choice;
    }
  }
  return choices.front();  // CLI11 has checked the name
}

const std::vector<AudioWindow> kWindows = {AudioWindow::hann, AudioWindow::hamming, AudioWindow::blackman,
                                           AudioWindow::bartlett, AudioWindow::rectangular};
const std::vector<AudioPadding> kPaddings = {AudioPadding::constant, AudioPadding::reflect,
                                             AudioPadding::edge};

AudioBuildSettings settings_of(const AudioArguments& arguments) {
  AudioBuildSettings settings = arguments.settings;
  settings.mel.win_length = given(arguments.win_length);
  settings.mel.window = choice_named(arguments.window, kWindows);
  settings.mel.pad_mode = choice_named(arguments.pad_mode, kPaddings);
  settings.mel.norm = choice_named(arguments.norm, std::vector{MelNorm::none, MelNorm::slaney});
  settings.mel.fmax = arguments.fmax > 0 ? std::optional(arguments.fmax) : std::nullopt;
  if (arguments.linear) {
    settings.mel.db_mult = std::nullopt;
  } else if (arguments.db_mult) {
    settings.mel.db_mult = static_cast<float>(*arguments.db_mult);
  }
  settings.half = arguments.mel_dtype == "float16";
  settings.batch_files = given(arguments.batch_files);
  settings.autosize_gpu_batch = !arguments.no_autosize;
  apply_build_run(arguments.run, settings);
  return settings;
}

double files_per_second(const AudioBuildReport& report) {
  return report.seconds > 0 ? static_cast<double>(report.files - report.resumed_at) / report.seconds : 0;
}

void print_json(const AudioBuildReport& report, const AudioArguments& arguments) {
  Json::List errors;
  for (const Error& error : report.errors) {
    errors.push_back(as_json(error));
  }
  print_document(Json::Members{{"file", arguments.paths.empty() ? Json() : Json(arguments.paths.back())},
                               {"files", report.files},
                               {"samples", report.samples},
                               {"skipped", report.skipped},
                               {"resumed_at", report.resumed_at},
                               {"was_complete", report.was_complete},
                               {"bytes_read", report.bytes_read},
                               {"bytes_written", report.bytes_written},
                               {"seconds", report.seconds},
                               {"flush_seconds", report.flush_seconds},
                               {"files_per_second", report.was_complete ? 0.0 : files_per_second(report)},
                               {"workers", report.workers},
                               {"batch_files", report.batch_files},
                               {"stages", Json::Members{{"read", report.stages.read},
                                                        {"convert", report.stages.convert},
                                                        {"compute", report.stages.compute},
                                                        {"write", report.stages.write},
                                                        {"wait", report.stages.wait}}},
                               {"bottleneck", report.bottleneck},
                               {"warnings", as_json(report.warnings)},
                               {"errors", std::move(errors)}});
}

void print_profile(const AudioBuildReport& report) {
  const double all = report.seconds * report.workers;
  print_line(stdout, "{} threads, {} files in a buffer", report.workers, report.batch_files);
  const std::pair<const char*, double> stages[] = {{"read", report.stages.read},
                                                   {"convert", report.stages.convert},
                                                   {"compute", report.stages.compute},
                                                   {"write", report.stages.write},
                                                   {"wait", report.stages.wait}};
  for (const auto& [name, seconds] : stages) {
    print_line(stdout, "  {:<8} {:9.3f} s {:5.1f} %", name, seconds, all > 0 ? 100 * seconds / all : 0);
  }
  print_line(stdout, "  {:<8} {:9.3f} s, apart", "flush", report.flush_seconds);
  print_line(stdout, "bottleneck: {}", report.bottleneck);
}

void print(const AudioBuildReport& report, const AudioArguments& arguments) {
  const std::string name = arguments.paths.empty() ? "pipeline" : arguments.paths.back();
  const std::string left_out = report.skipped > 0 ? fmt::format(", {} left out", report.skipped) : "";
  if (report.was_complete) {
    print_line(stdout, "{}: {} samples, already complete{}", name, report.samples, left_out);
    return;
  }
  for (const Error& error : report.errors) {
    print_line(stderr, "left out: {}", error.to_string());
  }
  const bool is_test = arguments.test_pipeline > 0;
  print_line(stdout, "{}: {} samples{}{}; {} read, {} {} in {:.1f} s ({:.0f} files/s){}", name,
             report.samples, left_out,
             report.resumed_at > 0 ? fmt::format(", {} of the files before", report.resumed_at) : "",
             as_size(report.bytes_read), as_size(report.bytes_written),
             is_test ? "made, not written," : "written", report.seconds, files_per_second(report),
             is_test ? "" : fmt::format(", then flushed in {:.1f} s", report.flush_seconds));
  if (arguments.profile || is_test) {
    print_profile(report);
  }
}

int run(const AudioArguments& arguments) {
  if (arguments.paths.size() != (arguments.test_pipeline > 0 ? 0U : 2U)) {
    return fail({.kind = ErrorKind::invalid,
                 .message = fmt::format("got {} paths", arguments.paths.size()),
                 .advice = "pass SRC and DST.h5, or only --test-pipeline FILES"},
                arguments.run.json);
  }
  if (arguments.linear && arguments.db_mult) {
    return fail({.kind = ErrorKind::invalid,
                 .message = "--linear and --db-mult cannot be combined",
                 .advice = "omit one of them"},
                arguments.run.json);
  }
  if (const Status fits = check_build_run(arguments.run, "files"); !fits.ok()) {
    return fail(fits.error(), arguments.run.json);
  }
  AudioBuildSettings settings = settings_of(arguments);
  catch_interrupt();
  const auto report = [&] {
    ProgressLine line(!arguments.run.json);
    settings.progress = [&line](const AudioBuildProgress& progress) {
      const double rate =
          progress.seconds > 0 ? static_cast<double>(progress.bytes_read) / progress.seconds : 0;
      line.show(progress.samples, progress.total,
                fmt::format("  {:.0f} files/s, {}/s", progress.samples_per_second,
                            as_size(static_cast<std::uint64_t>(rate))));
      return !interrupted();
    };
    return arguments.test_pipeline > 0 ? try_audio_pipeline(arguments.test_pipeline, settings)
                                       : build_audio(arguments.paths[0], arguments.paths[1], settings);
  }();
  if (!report.ok()) {
    return fail(report.error(), arguments.run.json);
  }
  print_warnings(report->warnings, arguments.run.json);
  if (arguments.run.json) {
    print_json(*report, arguments);
  } else {
    print(*report, arguments);
  }
  return report->skipped > 0 ? kFinding : kSuccess;
}

void add_features(CLI::App& verb, AudioArguments& arguments) {
  AudioBuildSettings& settings = arguments.settings;
  verb.add_option("--n-fft", settings.mel.n_fft, "samples in a frame")->capture_default_str();
  verb.add_option("--hop-length", settings.mel.hop_length, "samples from frame to frame")
      ->capture_default_str();
  verb.add_option("--win-length", arguments.win_length, "samples of the window (default: n-fft)");
  verb.add_option("--window", arguments.window, "shape of the window")
      ->check(CLI::IsMember({"hann", "hamming", "blackman", "bartlett", "rectangular"}))
      ->capture_default_str();
  verb.add_flag("--center", settings.mel.center, "frames have their middle at multiples of the hop");
  verb.add_option("--pad-mode", arguments.pad_mode, "with --center: what lies beyond a segment")
      ->check(CLI::IsMember({"constant", "reflect", "edge"}))
      ->capture_default_str();
  verb.add_option("--power", settings.mel.power, "1 = magnitude, 2 = power")->capture_default_str();
  verb.add_option("--n-mels", settings.mel.n_mels, "filters")->capture_default_str();
  verb.add_option("--fmin", settings.mel.fmin, "Hz of the lowest filter")->capture_default_str();
  verb.add_option("--fmax", arguments.fmax, "Hz of the highest (default: half the sample rate)");
  verb.add_flag("--htk", settings.mel.htk, "HTK's scale of frequencies, else Slaney's");
  verb.add_option("--norm", arguments.norm, "filters of equal area (slaney) or height (none)")
      ->check(CLI::IsMember({"slaney", "none"}))
      ->capture_default_str();
  verb.add_option("--db-mult", arguments.db_mult, "times the logarithm to base 10")
      ->default_str(fmt::format("{}", *settings.mel.db_mult));
  verb.add_flag("--linear", arguments.linear, "no logarithm");
  verb.add_option("--mel-dtype", arguments.mel_dtype, "of the features")
      ->check(CLI::IsMember({"float16", "float32"}))
      ->capture_default_str();
}

}  // namespace

void add_audio(CLI::App& app, int& code) {
  auto arguments = std::make_shared<AudioArguments>();
  AudioBuildSettings& settings = arguments->settings;
  CLI::App* const audio = app.add_subcommand("audio", "commands for audio");
  audio->require_subcommand(1);
  CLI::App* const verb =
      audio->add_subcommand("build", "audio files to segments and mel spectrograms in HDF5");
  verb->add_option("paths", arguments->paths,
                   "SRC DST.h5: a folder of recordings, tars or a store with recordings; the file to create");
  verb->add_option("--sample-rate", settings.sample_rate, "Hz; other rates are resampled")
      ->capture_default_str();
  verb->add_option("--duration", settings.duration, "seconds of every file, padded or trimmed")
      ->capture_default_str();
  verb->add_option("--long-segment", settings.long_segment, "samples")->capture_default_str();
  verb->add_option("--short-segment", settings.short_segment, "samples")->capture_default_str();
  add_features(*verb, *arguments);
  verb->add_option("--label-pattern", settings.label_pattern,
                   "where labels are, such as '{label}_*' (default: folders, or the field label)");
  verb->add_option("--num-mega-buffers", settings.num_mega_buffers, "buffers in the ring")
      ->capture_default_str();
  verb->add_option("--seg-microbatch-segments", settings.seg_microbatch_segments,
                   "short segments that are computed at once")
      ->capture_default_str();
  verb->add_option("--batch-files", arguments->batch_files,
                   "files in a buffer (default: by the free memory)");
  verb->add_flag("--no-autosize-gpu-batch", arguments->no_autosize,
                 "128 files in a buffer, whatever the memory");
  add_build_run(*verb, arguments->run, "files", "10, or one in 20");
  verb->add_flag("--profile", arguments->profile, "print where the time was spent");
  verb->add_option("--test-pipeline", arguments->test_pipeline,
                   "without paths: run this many synthetic files through the pipeline and write nothing")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000}));
  verb->callback([arguments, &code] { code = run(*arguments); });
}

}  // namespace penstock::cli
