import re
def sub(f,pairs):
    s=open(f).read()
    for a,b in pairs:
        if a not in s: print('MISSING',f,a[:90]); continue
        s=s.replace(a,b)
    open(f,'w').write(s)
o='src/pipeline/plan/options.cpp'
sub(o,[
('#include "io/trust.hpp"\n','#include "core/must_be.hpp"\n#include "io/trust.hpp"\n'),
('''Error wrong(const char* option, std::string given, const char* right) {
  return Error{.kind = ErrorKind::invalid,
               .message = fmt::format("{} = {} cannot be", option, std::move(given)),
               .advice = right,
               .place = {.stage = "options"}};
}
''','''Error wrong(const char* option, const std::string& given, const char* expected) {
  return must_be(option, expected, given, "options");
}

/// Options that do not go together.
Error conflict(std::string message, const char* advice) {
  return Error{.kind = ErrorKind::invalid,
               .message = std::move(message),
               .advice = advice,
               .place = {.stage = "options"}};
}
'''),
('wrong(option, "\'\'", "name one, or leave it out")','wrong(option, "\'\'", "a path")'),
('''.advice = "name a path of your file system",''','''.advice = {},'''),
('wrong("shuffle_mode", "other than \'global\' without shuffle=True", "give shuffle=True too")','conflict("shuffle_mode requires shuffle=True", "set shuffle=True, or omit shuffle_mode")'),
('''wrong("shuffle_window", fmt::format("{} without shuffle_mode='window'", *options.shuffle_window),
                 "give both, or leave it out")''','''conflict("shuffle_window requires shuffle_mode='window'", "set both, or omit shuffle_window")'''),
('''wrong("shuffle_shards", fmt::format("{} without shuffle_mode='shards'", *options.shuffle_shards),
                 "give both, or leave it out")''','''conflict("shuffle_shards requires shuffle_mode='shards'", "set both, or omit shuffle_shards")'''),
('"give 4 samples or more"','"at least 4 samples"'),
('wrong("shuffle_shards", "0", "give 1 or more")','wrong("shuffle_shards", "0", "a positive integer")'),
('"give 2 samples or more"','"at least 2 samples"'),
('''wrong("length_window", fmt::format("{} with this sampler", *options.length_window),
                 "leave out one of them: the sampler names the order of every sample")''','''conflict("length_window and this sampler cannot be combined",
                    "omit one of them: the sampler determines the order of every sample")'''),
('"give a share above 0.0 and up to 1.0"','"a share above 0.0 and up to 1.0"'),
('''wrong("cpu_budget",
                 fmt::format("{} with num_workers={}", options.cpu_budget, *options.num_workers),
                 "leave out one of them, or give auto_tune=True too")''','''conflict(fmt::format("cpu_budget={} and num_workers={} cannot be combined without auto_tune",
                                options.cpu_budget, *options.num_workers),
                    "omit one of them, or set auto_tune=True")'''),
('''wrong("auto_tune", "True with num_workers=0",
                 "there are no workers to tune: give the most that may be used, or leave num_workers out")''','''conflict("auto_tune requires workers, but num_workers=0",
                    "set num_workers to the maximum that may be used, or omit it")'''),
('''wrong("auto_tune", "True with prefetch=0",
                 "workers need batches to prepare: give prefetch=1 or more to begin with")''','''conflict("auto_tune requires batches to prepare, but prefetch=0", "set prefetch to 1 or more")'''),
('"give a whole number from 1 to 16777216"','"an integer between 1 and 16777216"'),
('"give 0 to 1024 threads, or None for the cores this process may use"','"between 0 and 1024, or None for the cores this process may use"'),
('"give 0 to 4096 batches"','"between 0 and 4096"'),
('"give the largest width * height to accept"','"a positive integer"'),
('wrong("cache_trust", "given without cache", "give both, or leave it out")','conflict("cache_trust requires cache", "set both, or omit cache_trust")'),
('"give seconds above 0 and up to 1e9, or None to wait for ever"','"above 0 and at most 1e9 seconds, or None to wait forever"'),
('"give a whole number, or a share from 0.0 to 1.0"','"an integer, or a share between 0.0 and 1.0"'),
('''    const std::string given = max_error_run      ? fmt::format("{}", *max_error_run)
                              : max_errors.share ? fmt::format("{}", *max_errors.share)
                                                 : fmt::format("{}", *max_errors.count);
    return wrong(max_error_run ? "max_error_run" : "max_errors", given + " with on_error='raise'",
                 "the first bad sample raises: give on_error='skip' or 'replace' too");
''','''    return conflict(
        fmt::format("{} has no effect with on_error='raise'", max_error_run ? "max_error_run" : "max_errors"),
        "the first bad sample raises; set on_error='skip' or 'replace'");
'''),
('wrong("collate_buffer_size", "0", "give a number of bytes, or None")','wrong("collate_buffer_size", "0", "a positive number of bytes, or None")'),
('fmt::format("{}", *shard_world_size), "give 1 or more")','fmt::format("{}", *shard_world_size), "between 1 and 1048576")'),
('''wrong("shard_rank", fmt::format("{} without shard_world_size", *shard_rank),
                 "give both: which of how many, or none")''','''conflict("shard_rank requires shard_world_size", "set both, or neither")'''),
('''wrong("shard_rank", fmt::format("{}", *shard_rank), "give 0 to shard_world_size - 1")''','''wrong("shard_rank", fmt::format("{}", *shard_rank), "between 0 and shard_world_size - 1")'''),
('"give 1 or more, and no more than 1048576 loaders in all"','"at least 1, and at most 1048576 for all ranks together"'),
('"give 0 to num_workers_pytorch - 1"','"between 0 and num_workers_pytorch - 1"'),
('''wrong("seed", "None with several processes",
                 "each would draw its own and see other samples: give all of them the same number")''','''conflict("seed=None cannot be used with several processes",
                    "each would draw its own and see other samples; pass the same seed to all of them")'''),
])
sub('src/pipeline/plan/options_text.cpp',[
('fmt::format("a whole number from {} to {}", Limits::min(), Limits::max())','fmt::format("an integer between {} and {}", Limits::min(), Limits::max())'),
('return "a text";','return "a string";'),
('"a list, each " + wanted','"a list, each item " + wanted'),
('wrong_option(fmt::format("{} = {} cannot be: {}", name, text, given.error().message),','wrong_option(fmt::format("{}: {}, got {}", name, given.error().message, text),'),
('wrong_option(fmt::format("{} = {} cannot be", name, text), "give " + wanted)','must_be(name, wanted, text, "options")'),
])
s=open('src/pipeline/plan/options_text.cpp').read()
i=s.index('#include "'); j=s.index('#include "',i+5)
print(s[:900])
sub('python/src/bind_options.cpp',[
('''  throw Raise{{.kind = ErrorKind::invalid,
               .message = fmt::format("{} = {} cannot be", option, nb::repr(given).c_str()),
               .advice = fmt::format("give {}", right),
               .place = {.stage = "options"}}};''','''  throw Raise{must_be(option, right, nb::repr(given).c_str(), "options")};'''),
('"a whole number")','"an integer")'),
('negative_allowed ? "a smaller whole number" : "a whole number from 0 to 2**64 - 1"','negative_allowed ? "a smaller integer" : "an integer between 0 and 2**64 - 1"'),
])
sub('python/src/bind_transforms.cpp',[
('''  throw Raise{{.kind = ErrorKind::invalid,
               .message = fmt::format("{}: {} = {} cannot be", operation, parameter, nb::repr(given).c_str()),
               .advice = "give None, a truth value, a number, a text or a sequence of numbers",
               .place = {.stage = "plan"}}};''','''  throw Raise{must_be(operation + ": " + parameter, "None, a bool, a number, a string or a sequence of numbers",
                      nb::repr(given).c_str(), "plan")};'''),
])
sub('python/src/mel_settings.cpp',[
('''  throw Raise{{.kind = ErrorKind::invalid,
               .message = std::string(option) + " = '" + name + "' cannot be",
               .advice = "give one of " + known}};''','''  throw Raise{must_be(option, "one of " + known, "'" + name + "'", "")};'''),
])
sub('python/src/bind_store.cpp',[
('''    throw Raise{{.kind = ErrorKind::invalid,
                 .message = "image = '" + name + "' cannot be",
                 .advice = "give 'repack', 'repack_pixels', 'keep' or 'raw'"}};''','''    throw Raise{must_be("image", "'repack', 'repack_pixels', 'keep' or 'raw'", "'" + name + "'", "")};'''),
])
sub('src/audio/decibels.cpp',[
('''Error wrong(const char* name, double value, const char* advice) {
  return {.kind = ErrorKind::invalid,
          .message = fmt::format("{} = {} cannot be", name, value),
          .advice = advice,
          .place = {.stage = "decibels"}};
}''','''Error wrong(const char* name, double value, const char* expected) {
  return must_be(name, expected, fmt::format("{}", value), "decibels");
}'''),
('"give a number above 1.2e-38"','"above 1.2e-38"'),('"give a finite number"','"a finite number"'),('"give 0 or more, or nothing"','"a non-negative number, or None"'),
])
sub('src/audio/mel_spectrogram.cpp',[
('''Error wrong(const char* name, const std::string& value, std::string advice) {
  return {.kind = ErrorKind::invalid,
          .message = fmt::format("{} = {} cannot be", name, value),
          .advice = std::move(advice),
          .place = {.stage = "mel_spectrogram"}};
}''','''Error wrong(const char* name, const std::string& value, const std::string& expected) {
  return must_be(name, expected, value, "mel_spectrogram");
}'''),
('"give a whole number from {} to {}"','"an integer between {} and {}"'),('"give Hz, above 0"','"a positive number of Hz"'),
('"give a number above 0: 1 for magnitudes, 2 for power"','"a positive number, 1 for magnitudes or 2 for power"'),('"give Hz from 0 on"','"a non-negative number of Hz"'),
('"give Hz above fmin, which is {}"','"above fmin, which is {} Hz"'),('"give a finite number"','"a finite number"'),
('"give at least {} samples, or a smaller n_fft"','"pass at least {} samples, or use a smaller n_fft"'),
])
sub('src/audio/mfcc.cpp',[
('''wrong(fmt::format("n_mfcc = {} cannot be", settings.n_mfcc),
                 fmt::format("give 1 to n_mels, which is {}", settings.mel.n_mels))''','''must_be("n_mfcc", fmt::format("between 1 and n_mels, which is {}", settings.mel.n_mels),
                   fmt::format("{}", settings.n_mfcc), "mfcc")'''),
('wrong("db_mult is given, but coefficients have decibels of their own", "leave it out")','wrong("db_mult cannot be used: the coefficients are computed from decibels", "omit it")'),
('wrong(fmt::format("lifter = {} cannot be", settings.lifter), "give 0 or more")','must_be("lifter", "a non-negative number", fmt::format("{}", settings.lifter), "mfcc")'),
])
sub('src/audio/read_audio.cpp',[
('invalid(fmt::format("start is {}; give seconds from 0 on", request.start))','invalid(fmt::format("start must be a non-negative number of seconds, got {}", request.start))'),
('invalid(fmt::format("duration is {}; give seconds from 0 on", *request.duration))','invalid(fmt::format("duration must be a non-negative number of seconds, got {}", *request.duration))'),
('''invalid(fmt::format("sample_rate is {}; give 1 to {} frames per second", *request.sample_rate,
                               kMaxAudioRate))''','''invalid(fmt::format("sample_rate must be between 1 and {} frames per second, got {}", kMaxAudioRate,
                               *request.sample_rate))'''),
])
sub('src/store/audio_shape.cpp',[
('''Error wrong_setting(const std::string& name, const std::string& value, std::string advice) {
  return {.kind = ErrorKind::invalid,
          .message = fmt::format("{} = {} cannot be", name, value),
          .advice = std::move(advice),
          .place = {.stage = "build"}};
}''','''Error wrong_setting(const std::string& name, const std::string& value, const std::string& expected) {
  return must_be(name, expected, value, "build");
}'''),
('"give {} to {}"','"between {} and {}"'),
('"a share lies between 0.0 and 1.0"','"an integer, or a share between 0.0 and 1.0"'),
('''"'cpu' is where penstock computes; give another name to a compute of your own"''','''s.compute ? "another name than 'cpu' for a custom compute" : "'cpu' without a custom compute"'''),
('"give seconds that are a whole number of samples at {} Hz, at most 2^28"','"a number of seconds that is an integer number of samples at {} Hz, at most 2^28"'),
('fmt::format("{} seconds are {} samples: give a number that divides them", s.duration, total)','fmt::format("a divisor of {}, the samples of {} seconds", total, s.duration)'),
('fmt::format("give a number that divides long_segment, which is {}", s.long_segment)','fmt::format("a divisor of long_segment, which is {}", s.long_segment)'),
])
sub('src/store/build_options.cpp',[
('wrong(name, fmt::format("is {}", *side), "give 1 to 65535 pixels")','must_be(name, "between 1 and 65535 pixels", fmt::format("{}", *side), "build")'),
('wrong("quality", fmt::format("is {}", *settings.quality), "give 1 to 100")','must_be("quality", "between 1 and 100", fmt::format("{}", *settings.quality), "build")'),
('wrong("max_errors", fmt::format("is a share of {}", *settings.max_error_share), "give 0 to 1")','must_be("max_errors", "an integer, or a share between 0.0 and 1.0", fmt::format("{}", *settings.max_error_share), "build")'),
('invalid(fmt::format("shard_bytes is {}", bytes), "give 4096 to 2^40 bytes", stage)','must_be("shard_bytes", "between 4096 and 2^40 bytes", fmt::format("{}", bytes), stage)'),
('invalid(fmt::format("workers is {}", *workers), "give 1 to 4096 threads", stage)','must_be("workers", "between 1 and 4096", fmt::format("{}", *workers), stage)'),
])
sub('src/pipeline/order/epoch_order.cpp',[
('''wrong(fmt::format("sampler: weight {} of sample {} cannot be", weights[i], i),
                   "give finite numbers, 0 or more")''','''wrong(fmt::format("sampler: the weight of sample {} must be a finite number of at least 0, got {}", i, weights[i]), {})'''),
('fmt::format("sampler: there is no sample {} (at place {}) among {}", sample, place, samples)','fmt::format("sampler: sample {} (at place {}) is out of range for {} samples", sample, place, samples)'),
('''"shuffle_mode = 'shards' cannot be: the data set has no shards"''','''"shuffle_mode='shards' requires a data set with shards"'''),
])
sub('src/pipeline/order/length_windows.cpp',[
('"length_window cannot be: the data set has no field of kind audio"','"length_window requires a field of kind audio"'),
('"leave it out: only recordings are padded"','"omit it: only recordings are padded"'),
])
sub('src/audio/hdf5_file.cpp',[])
