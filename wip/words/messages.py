#!/usr/bin/env python3
"""Messages of penstock in plain English: rewrites string literals in a working tree, code and tests alike.

    messages.py REPO

Adjacent literals of C++ are taken together, changed, and broken again by clang-format. Where a tree has no such text,
nothing happens; running it again changes nothing.
"""
import re
import subprocess
import sys
from pathlib import Path

# What is stored in files (reasons in manifests, warnings in index caches, states) is not here on purpose.
SKIPPED = {"tar_index_build.cpp", "coefficients.cpp", "encoder.cpp"}

RULES = [
    # values and advice
    (r"give a larger max_pixels if the image is to be trusted", "raise max_pixels if you trust the image"),
    (r"no encoder writes so many: if the file is to be trusted, write it anew with jpegtran -copy all", "no encoder writes so many; if you trust the file, rewrite it with jpegtran -copy all"),
    (r"if the file is to be trusted, convert it to WAV", "if you trust the file, convert it to WAV"),
    (r"write it anew without them, for example by ffmpeg", "rewrite it without them, for example with ffmpeg"),
    (r"use a newer penstock\b", "use a newer version of penstock"),
    (r"this penstock reads (up to )?version", r"this version of penstock reads \1version"),
    (r"build the store anew", "rebuild the store"),
    (r"delete it to build it anew", "delete it to rebuild it"),
    (r"to take it, or mend the source and build anew: resume=False \(--no-resume\), into another folder if this one is complete",
     "to accept it, or fix the source and rebuild with resume=False (--no-resume), into another folder if this one is complete"),
    (r"\(--on-error skip\) to take it, or delete it", "(--on-error skip) to accept it, or delete it"),
    (r"open the data set again: the index is then made anew", "reopen the data set; this rebuilds the index"),
    (r"no known (image|audio)\b(?! format)", r"not a known \1 format"),
    (r"\{\} frames from frame \{\} on do not lie inside a recording of \{\}", "{} frames from frame {} exceed a recording of {} frames"),
    (r"do not lie inside a recording of", "exceed a recording of"),
    (r"does not lie inside an image of", "is not inside an image of"),
    (r"the output has no room for the frames", "the output is too small for the frames"),
    (r"the rows end early", "the data ends before the last row"),
    (r"the data ends early", "the data ends early"),
    (r"of \{\} bits per sample$", "with {} bits per sample"),
    (r"its last frame, at byte \{\}, is not whole", "its last frame, at byte {}, is incomplete"),
    (r"the page at byte \{\} does not have its checksum", "the checksum of the page at byte {} is wrong"),
    (r"its headers are not whole at byte \{\}", "its headers are incomplete at byte {}"),
    (r"its image data does not end", "its image data is incomplete"),
    (r"\{\} bytes are stored for \{\} x \{\} pixels", "{} bytes are stored for {} x {} pixels"),
    (r"repacked image without its code tables", "the repacked image has no code tables"),
    (r"it does not begin as one", "it does not start like one"),
    (r"(a tile|a lane|its header|its tables|its tiles|its JPEG header|a name of its root group) (is|are) cut off", r"\1 \2 truncated"),
    (r"the archive is cut off", "the archive is truncated"),
    (r"it may be cut off", "it may be truncated"),
    (r"the file is cut off or was changed after it was opened: fetch it again and open it anew",
     "the file is truncated or was changed after it was opened; fetch it again and reopen it"),
    (r"its JPEG header is invalid", "its JPEG header is not valid"),
    (r"these are no code tables of repacked images", "these are not the code tables of repacked images"),
    (r"the content begins like FLAC, Ogg or MP3, but libsndfile cannot read it", "the content starts like FLAC, Ogg or MP3, but libsndfile cannot read it"),
    (r"this build of penstock reads no FLAC, Ogg and MP3, only WAV", "this build of penstock reads only WAV, not FLAC, Ogg or MP3"),
    (r"and build penstock again, with PENSTOCK_AUDIO=ON to be told if it is not found", "and rebuild penstock, with PENSTOCK_AUDIO=ON to make sure that it is found"),
    (r"and build penstock again with -DPENSTOCK_AUDIO=ON", "and rebuild penstock with -DPENSTOCK_AUDIO=ON"),
    (r"this build of penstock has no HDF5", "this build of penstock has no support for HDF5"),
    (r"(\{\} bytes), 16 are the least", r"\1, at least 16 are required"),
    (r"\{\} of its \{\} bytes of samples are there", "it has {} of {} bytes of samples"),
    (r"WAV has its samples before their format", "WAV has its samples before its format chunk"),
    (r"libwebp is of another version than its header", "the version of libwebp does not match its header"),
    (r"queue capacity must be a power of two and at least 2, not ", "queue capacity must be a power of two and at least 2, got "),
    # formats
    (r"write a brace that belongs to the name as", "escape a brace that is part of the name as"),
    (r"a brace is opened and not closed", "unmatched opening brace"),
    (r"a brace is closed and not opened", "unmatched closing brace"),
    (r"the pattern stands for more than \{\} names", "the pattern expands to more than {} names"),
    (r"is not a whole number", "is not an integer"),
    (r"cannot look at the (folder|file|path)", r"cannot access the \1"),
    (r"cannot cut the file", "cannot truncate the file"),
    (r"it points behind the end of the file", "it points past the end of the file"),
    (r"it ends before it begins", "its data starts after its end"),
    (r"is no object of the root group", "is not in the root group"),
    (r"has a type and no values \(h5py\.Empty\)", "has a type but no values (h5py.Empty)"),
    (r"is one value and no list of rows", "is a single value, not a list of rows"),
    (r"is a group and no data set", "is a group, not a data set"),
    (r"^is no data set", "is not a data set"),
    (r"has chunks of another number of axes", "has chunks with a different number of axes"),
    (r"can grow \(maxshape\), so that its chunks are found in another way", "is resizable (maxshape), so its chunks are indexed in another way"),
    (r" and is no list of texts", ", which is not a list of strings"),
    (r" and is no list of whole numbers", ", which is not a list of integers"),
    (r"holds \{\}, and arrays are of \{\}", "holds {}, but arrays must be of {}"),
    (r"^there is: ", "available: "),
    (r"; there is: ", "; available: "),
    (r"numbers of \{\} bytes of no type that numpy has", "numbers of {} bytes, of a type that numpy does not have"),
    (r"are left out because their kind cannot be decoded \(first: \{\}\); \{\} can", "are left out because their format is not supported (first: {}); supported are {}"),
    (r"are left out because their kind cannot be decoded", "are left out because their format is not supported"),
    (r"none of a kind that can be decoded", "none in a supported format"),
    (r"are taken for classes, with labels; to read one part of a data set, open its folder", "are treated as classes; to read one part of a data set, open its folder"),
    (r"every folder counts as a class: remove those that are none", "every folder counts as a class; remove those that are not"),
    (r"the kept index is not used: ", "the cached index is not used: "),
    (r"this is no JSON: ", "not valid JSON: "),
    (r"something follows the value", "unexpected data after the value"),
    (r"it ends early$", "it ends unexpectedly"),
    (r"a member has no name", "expected the name of a member"),
    (r"a member comes twice", "duplicate member"),
    (r"a field comes twice", "duplicate field"),
    (r"a colon is missing", "expected a colon"),
    (r"a comma or the end of an object is missing", "expected a comma or the end of the object"),
    (r"a comma or the end of a list is missing", "expected a comma or the end of the list"),
    (r"a text holds a control character", "a string contains a control character"),
    (r"a text is not UTF-8", "a string is not valid UTF-8"),
    (r"a text has no end", "unterminated string"),
    (r"an escape is wrong", "invalid escape sequence"),
    (r"a value is expected", "expected a value"),
    (r"^a number is incomplete", "incomplete number"),
    (r"^a number is too large", "number too large"),
    (r"either may be the data set", "either could be the data set"),
    (r"name the tars by a pattern \('\{\}'\), or move them out to read the class folders", "use a pattern for the tars ('{}'), or move them elsewhere to read the class folders"),
    (r"an HDF5 file is opened by itself: build one of all recordings", "open an HDF5 file on its own; build one file of all recordings"),
    (r"a store is opened by itself; penstock build --append joins sources in one", "open a store on its own; penstock build --append joins sources"),
    (r"class folders are opened by naming the one folder that holds them all", "to open class folders, pass the folder that contains them all"),
    (r"reading from standard input allows no random access", "standard input does not allow random access"),
    (r"commands as sources \(pipe:\) are never run", "commands as sources (pipe:) are not supported"),
    (r"write the archive to a file and name that", "write the archive to a file and pass that"),
    (r"refer to each other without end", "refer to each other in a cycle"),
    (r"name a path, a glob or a brace pattern", "pass a path, a glob or a brace pattern"),
    (r"a source is an empty text", "a source is an empty string"),
    (r"a source holds a NUL byte", "a source contains a NUL byte"),
    (r"the source names nothing", "the source is empty"),
    (r"no source is given", "no source was given"),
    (r"\{\} bytes where \{\} are wanted", "{} bytes where {} are expected"),
    (r"there is no codec \{\}", "unknown codec {}"),
    (r"the store has no manifest: it was not finished, or not copied whole", "the store has no manifest: it was not finished, or not copied completely"),
    (r"the store lacks this file", "this file of the store is missing"),
    (r"has (\{\}) bytes, and the manifest says \{\}", r"has \1 bytes, but the manifest says {}"),
    (r"it does not say that it is one", "it is not the manifest of a store"),
    (r"the store has version \{\}, and this version", "the store has version {}, but this version"),
    (r"a record names shard \{\}, and there are \{\}", "a record refers to shard {}, but there are only {}"),
    (r"tar header with a wrong checksum", "wrong checksum of a tar header"),
    (r"^is compressed with \{\}, which allows no random access", "is compressed with {}, which does not allow random access"),
    (r"\bis no number\b", "is not a number"),
    (r"give tar shards, or a folder with one folder of images or recordings per class", "pass tar shards, or a folder with one folder of images or recordings per class"),
    (r"holds data behind its end mark \(from byte \{\}\), which is not read; archives must not be joined with cat", "has trailing data after its end mark (from byte {}), which is not read; archives must not be joined with cat"),
    (r"data behind its end mark", "trailing data after its end mark"),
    (r"the file is empty \(0 bytes\), not even an empty archive", "the file is empty (0 bytes), which is not even an empty archive"),
    (r"a header needs 512 bytes, \{\} are left", "a header has 512 bytes, but only {} are left"),
    (r"needs a name of its own for each field", "requires a different name for each field"),
    (r"does not begin with its length", "does not start with its length"),
    (r"is no part of a character", "is not part of a valid character"),
    (r"looks like UTF-\{\} and is none", "looks like UTF-{} but is not valid"),
    (r"a value or mark is missing or wrong", "expected a value or a delimiter"),
    # io
    (r"^\{\} bytes wanted, but the file ends at byte \{\}", "cannot read {} bytes: the file ends at byte {}"),
    (r"wanted, but the file ends at byte", "the file ends at byte"),
    (r"^name the files in it", "pass the files in it"),
    (r"is no name of a file in a folder", "is not a valid file name"),
    (r"another process is at work on this build", "another process is working on this build"),
    (r"is a link of another user", "is a link owned by another user"),
    (r"^name another file$", "choose another file"),
    (r"cannot let the old and the new store change places", "cannot swap the old and the new store"),
    (r"this file system cannot do it in one step; build a new store elsewhere", "this file system cannot do so atomically; build a new store elsewhere"),
    (r"has become shorter while it was in use", "became shorter while it was in use"),
    (r"^give 'user:NAME' or 'group:NAME', several with commas between them", "use 'user:NAME' or 'group:NAME', separated by commas"),
    (r"cannot make the (folder|file)", r"cannot create the \1"),
    # audio, store
    (r"this is no HDF5 file", "not an HDF5 file"),
    (r"^cannot make room for ", "cannot allocate space for "),
    (r"is longer than can be read at once", "is too long to be read at once"),
    (r"read it in parts: give start and duration", "read it in parts, with start and duration"),
    (r"there is a file of this name already, from other files or settings", "the file already exists, built from other files or settings"),
    (r"the file that is there lacks \{\} bad files", "the existing file lacks {} bad files"),
    (r"there is a complete file of these recordings and settings", "a complete file of these recordings and settings already exists"),
    (r"there is a store of this name, made from another source", "the store already exists, built from another source"),
    (r"there is a store of this name, made with other settings: ", "the store already exists, built with other settings: "),
    (r"there is a store of this name", "the store already exists"),
    (r"there is a complete store of this source and settings", "a complete store of this source and settings already exists"),
    (r"^the store that is there$", "the existing store"),
    (r"'\{\}' is no name for a file", "'{}' is not a valid file name"),
    (r"^give one such as", "use one such as"),
    (r"is in no folder that would be its label", "is not in a folder that could be its label"),
    (r"or say where labels stand in their names with label_pattern", "or describe where labels are in their names with label_pattern"),
    (r"there is no memory for \{\} buffers of one file", "not enough memory for {} buffers of one file"),
    (r"^give a shorter duration or fewer num_mega_buffers", "use a shorter duration or fewer num_mega_buffers"),
    (r"start it again to go on", "start it again to resume"),
    (r"^there is no store to append to", "no store to append to"),
    (r"leave out append to make one", "omit append to create one"),
    (r"the destination exists and is no store", "the destination exists and is not a store"),
    (r"name a folder that is not there yet", "choose a folder that does not exist yet"),
    (r"name another folder", "choose another folder"),
    (r"name another destination", "choose another destination"),
    (r"delete it, or choose another name", "delete it, or choose another name"),
    (r"the source has other (fields|classes) than the store", r"the source and the store have different \1"),
    (r"^is no folder", "is not a folder"),
    (r"the destination is no name of a new folder", "the destination is not a valid name for a new folder"),
    (r"name the folder that the store is to be", "pass the folder of the new store"),
    (r"the destination is a link to what is not there", "the destination is a dangling link"),
    (r"delete the link, or make the folder that it names", "delete the link, or create the folder that it points to"),
    (r"^the destination lies inside the source '", "the destination is inside the source '"),
    (r"', which could not be read any more: a new folder in it would count as a class", "', which could then no longer be read: a new folder in it would count as a class"),
    (r"name a destination outside of it", "choose a destination outside of it"),
    (r"give larger shard_bytes", "use larger shard_bytes"),
    (r"the store would have more shards than it can", "the store would have too many shards"),
    (r"^give the sample another key", "use another key for the sample"),
    (r"its key is more often in the store than in the source", "its key occurs more often in the store than in the source"),
    (r"^this is no store", "not a store"),
    (r"^there is nothing of this name", "no such file or folder"),
    (r"name the folder that penstock build made", "pass the folder that penstock build created"),
    (r"fields belong to a source that is given by its path: a store has its own", "fields can only be chosen for a source that is given by its path; a store has its own"),
    (r"^leave them out, or name the source too", "omit them, or pass the source too"),
    (r"^name one store", "pass one store"),
    (r"name them all to compare with", "pass all of them to compare"),
    (r"name the file that it was made from", "name the file that it was made from"),
    (r"a smaller db_mult", "a smaller db_mult"),
    # loader
    (r"^there is no option '\{\}'", "unknown option '{}'"),
    (r"there is no option '", "unknown option '"),
    (r"^give a value as JSON has it", "use a JSON value"),
    (r"the system gives no random numbers", "the system provides no random numbers"),
    (r"^give a seed$", "pass a seed"),
    (r"^open a loader in the child", "create a loader in the child"),
    (r"^give the state of a loader of this data set", "use the state of a loader of this data set"),
    (r"^give one weight for each sample", "pass one weight per sample"),
    (r"^give numbers from 0 to the number of samples - 1", "use numbers from 0 to the number of samples - 1"),
    (r"^give shuffle_mode='window' or 'global', or build a store of it", "use shuffle_mode='window' or 'global', or build a store of it"),
    (r"shuffle=True and this sampler contradict each other", "shuffle=True and this sampler cannot be combined"),
    (r"^leave out one of them: a sampler is an order by itself", "omit one of them: a sampler already determines the order"),
    (r"contradict each other", "cannot be combined"),
    (r"^leave one of them out", "omit one of them"),
    (r"this is no state of a Loader", "not the state of a Loader"),
    (r"^give what state_dict\(\) returned", "pass what state_dict() returned"),
    (r"pass strict=False to go on at that position all the same", "pass strict=False to continue from that position anyway"),
    (r"a name that batches use themselves", "a name that is reserved in batches"),
    (r"^look into its shards: they hold no sample", "check its shards: they contain no samples"),
    (r"stored bytes cannot be transformed: leave one of them out", "stored bytes cannot be transformed; omit one of them"),
    (r", or leave out ToFloat and Normalize", ", or remove ToFloat and Normalize"),
    (r"there was not enough memory", "not enough memory"),
    (r"give fewer num_workers, or build the store beforehand", "use fewer num_workers, or build the store beforehand"),
    (r"give a cache= that nobody else can write to, or name those who may with cache_trust=", "use a cache= that nobody else can write to, or list those who may with cache_trust="),
    (r"the source has no files that could be told from others", "the source has no files that could be identified"),
    (r"did not end within \{\} s and was left behind; it ends when the source answers", "did not finish within {} s and was abandoned; it ends when the source responds"),
    (r"the store '\{\}' is not what was written a moment ago", "the store '{}' does not match what was just written"),
    (r"^let it return a uint8 array \[H, W, 3\]", "return a uint8 array [H, W, 3] from it"),
    (r"returned \{\}, and \{\}\{\} was planned", "returned {}, but {}{} was planned"),
    (r"the helper processes were ended", "the helper processes were stopped"),
    (r"^open a new loader", "create a new loader"),
    (r"^\{\} is given an array of \{\} dimensions", "{} was given an array of {} dimensions"),
    (r"and its helper process was ended", "and its helper process was stopped"),
    (r"a helper process answered with nonsense", "a helper process sent a malformed reply"),
    (r"a helper process did not take its memory", "a helper process did not accept its memory"),
    (r"too few to keep the workers busy: (.*); make batches smaller, or name more data", r"too few to keep the workers busy: \1; use smaller batches or more data"),
    (r"raise prefetch, so that slow samples hold up less", "raise prefetch, so that slow samples delay less"),
    (r"set num_workers to \{\} to work beside it", "set num_workers to {} to load in parallel"),
    # transforms
    (r"^there is no operation \{\}", "unknown operation {}"),
    (r"there is no operation ", "unknown operation "),
    (r"operation \{\} of the list is missing", "operation {} of the list is null"),
    (r"give it for a field of kind (audio|image): ", r"use it for a field of kind \1: "),
    (r"^put it behind MelSpectrogram or MFCC", "put it after MelSpectrogram or MFCC"),
    (r"becomes \{\} samples long, \{\} are the most", "becomes {} samples long, the maximum is {}"),
    (r"the recording has \{\} frames per second, others have \{\}", "the recording has {} frames per second, but others have {}"),
    (r"the recording has \{\} channels, others have \{\}", "the recording has {} channels, but others have {}"),
    (r"the recording has \{\} frames, \{\} were planned", "the recording has {} frames, but {} were planned"),
    (r"^begin the transforms with", "start the transforms with"),
    (r" is no operation of an image program", " cannot be part of an image program"),
    (r"^put it into the transforms of a Loader", "use it in the transforms of a Loader"),
    (r"give max_size to Resize, or leave out such images", "set max_size of Resize, or exclude such images"),
    (r"(raise|give) max_size, or leave out images that are this narrow", lambda m: ("raise" if m[1] == "raise" else "set") + " max_size, or exclude images that are this narrow"),
    (r"pass pad_if_needed=True, or resize before", "pass pad_if_needed=True, or resize first"),
    (r"ToFloat gets an image that is float already", "ToFloat got an image that is already float"),
    (r"give an order with Sampler::given\(\), and only with it", "pass an order if, and only if, the sampler is Sampler::given()"),
    (r"to go on without it$", "to continue without it"),
    (r"^leave the field out \(fields, --field\)", "exclude the field (fields, --field)"),
    (r"to leave such (files|samples) out", r"to leave out such \1"),
    (r"^give \{\}$", "use {}"),
    (r"give two positive numbers, the smaller one first", "two positive numbers, the smaller one first"),
    # command line
    (r"^begin anew instead of going on with an interrupted build", "start over instead of resuming an interrupted build"),
    (r"^what happens to bad \{\}", "what to do with bad {}"),
    (r"--max-errors counts \{\} that are left out, and none is with --on-error raise", "--max-errors counts {} that are left out, but --on-error raise leaves out none"),
    (r"^give --on-error skip, or leave out --max-errors", "use --on-error skip, or omit --max-errors"),
    (r"\{\} samples, there already", "{} samples, already complete"),
    (r"^there already", "already complete"),
    (r"\{\} paths were given", "got {} paths"),
    (r"^give SRC and DST\.h5, or --test-pipeline FILES alone", "pass SRC and DST.h5, or only --test-pipeline FILES"),
    (r"work with audio$", "commands for audio"),
    (r"^where labels stand, such as", "where labels are, such as"),
    (r"^short segments that are computed in one go", "short segments that are computed at once"),
    (r"^say where the time went", "print where the time was spent"),
    (r"^no paths: run so many made-up files through the pipeline and write nothing", "without paths: run this many synthetic files through the pipeline and write nothing"),
    (r"fills \{\} of the batches of \{\}, so that mostly the begin of epochs is measured; name more data, or a smaller --batch-size",
     "fills {} batches of {}, so mostly the start of epochs is measured; use more data or a smaller --batch-size"),
    (r"mostly the begin of epochs is measured", "mostly the start of epochs is measured"),
    (r"^the data set holds no sample", "the data set has no samples"),
    (r"^the source holds no sample", "the source has no samples"),
    (r"^the file holds no sample", "the file has no samples"),
    (r"^there is no sample$", "there are no samples"),
    (r"^what becomes of images \(default: repack\)", "how images are stored (default: repack)"),
    (r"^make images smaller: longest length of the shorter side", "shrink images: max length of the shorter side"),
    (r"^largest size of a (shard|tar)", r"max size of a \1"),
    (r"then the folder to make$", "then the folder to create"),
    (r"^the folder to make$", "the folder to create"),
    (r"; the file to make$", "; the file to create"),
    (r"^there is no subcommand '", "unknown subcommand '"),
    (r"there are build, info, verify, convert, bench and audio; penstock --help tells more", "the subcommands are build, info, verify, convert, bench and audio; see penstock --help"),
    (r"penstock --help tells what can be given", "see penstock --help"),
    (r"'\{\}' cannot be: give more than 0 and at most \{\} seconds", "must be above 0 and at most {1} seconds, got '{0}'"),
    (r"'\{\}' cannot be: give a count \(100\) or a share \(0\.01\)", "must be a count (100) or a share (0.01), got '{}'"),
    (r"^the cores that the process may use", "the cores that the process may use"),
    (r"^check sums only, decode no image and no recording", "verify checksums only, without decoding images or recordings"),
    (r"^what a data set holds", "show what a data set contains"),
    (r"\{\}: \{\} samples, no store", "{}: {} samples, not a store"),
    # options and parameters
    (r"the longest that the consumer waits for a batch: then TimeoutError says which stage is stuck; None = for ever",
     "max seconds that the consumer waits for a batch, after which a TimeoutError says which stage is stuck; None = forever"),
    (r"num_workers is then the most, prefetch the beginning; stats\(\)\['auto_tune'\] tells what was measured and decided",
     "num_workers is then the maximum and prefetch the initial value; stats()['auto_tune'] shows what was measured and decided"),
    (r"None = a fresh one, which stats\(\) tells and states keep", "None = a random one, which stats() shows and states keep"),
    (r"shuffled epochs choose for each window whether it rises or falls", "shuffled epochs choose for each window whether lengths ascend or descend"),
    (r"leave out a last batch smaller than batch_size", "drop the last batch if it is smaller than batch_size"),
    (r"threads live across epochs and prepare the next one", "threads stay alive across epochs and prepare the next one"),
    (r"0 = work in the caller's thread", "0 = load in the caller's thread"),
    (r"most (frames|bands) that are masked; how many and where is drawn", r"max number of masked \1; how many and where is random"),
    (r"^what they become$", "their new value"),
    (r"nothing is further below the loudest; None: as it is", "values further than this below the loudest are raised to it; None: no limit"),
    (r"^smaller amplitudes count as this", "smaller amplitudes are raised to this"),
    (r"frame t has its middle at sample t \* hop_length, else its beginning", "frame t is centred at sample t * hop_length, otherwise it starts there"),
    (r"^of the magnitudes: 1 or 2, as a rule", "exponent of the magnitudes, usually 1 or 2"),
    (r"^samples from one frame to the next", "samples between successive frames"),
    (r"added on all sides before: one number", "padding on all sides before cropping: one number"),
    (r"pad a smaller image on both sides by what it lacks; otherwise it is an error", "pad a smaller image on both sides to the size; otherwise it is an error"),
    (r"^chance of ", "probability of "),
    (r"with a given chance\.", "with a given probability."),
    (r"from a random place on\.", "starting at a random position."),
    (r"Makes a recording that many frames long: adds silence at its end, or cuts the end off\.", "Makes a recording this many frames long: appends silence, or cuts off its end."),
    (r"Keeps that many frames of a recording", "Keeps this many frames of a recording"),
    (r"by a drawn number of decibels", "by a random number of decibels"),
    (r"at a drawn distance to the recording", "at a random distance below the recording"),
    (r"Masks a run of (frames|bands) of drawn length at a drawn place", r"Masks a run of \1 of random length at a random position"),
    (r"from a random place\.$", "at a random position."),
    (r"Keeps a rectangle of random area, shape and place", "Keeps a rectangle of random area, shape and position"),
    (r"Keeps the middle of the image", "Keeps the centre of the image"),
    (r"Pillow always smooths when it shrinks, so only True is accepted", "must be True: Pillow always antialiases when it shrinks an image"),
    (r"leave it out: Pillow always smooths when it shrinks an image", "omit it: Pillow always antialiases when it shrinks an image"),
    (r"a recording that has it stays as it is", "a recording that already has it is not changed"),
    (r"smallest and largest ", "min and max "),
    (r"^subtracted: one number, or one for each channel", "subtracted: one number, or one per channel"),
    (r"^then divided by: one number, or one for each channel", "divisor after that: one number, or one per channel"),
    (r"one number or one for each channel", "one number or one per channel"),
    (r"; None: as it is$", "; None: unchanged"),
]
RULES = [(re.compile(a), b) for a, b in RULES]

ARGS = r"((?:[^()\"]|\([^()]*\))+?)"


def bound(text: str) -> str:
    """What follows "give" as what follows "must be"."""
    text = re.sub(r"^(\S+) to (\S+)", r"between \1 and \2", text)
    text = re.sub(r"^\(smallest, largest\), (\S+) to (\S+)", r"(min, max) between \1 and \2", text)
    text = re.sub(r"^(\d+) or more", r"at least \1", text)
    text = re.sub(r"^more than (\d+)", r"above \1", text)
    return re.sub(r"^finite numbers$", "finite", text)


# Whole statements of operations: wrong(parameter, "is ...", "give ...").
CODE = [
    (re.compile(r'fmt::format\("is (\{\}|\(\{\}, \{\}\))", ' + ARGS + r'\),\s*"give ([^"]*)"'),
     lambda m: f'fmt::format("must be {bound(m[3])}, got {m[1]}", {m[2]}), ""'),
    (re.compile(r'fmt::format\("is \{\}", ' + ARGS + r'\),\s*fmt::format\("give (\d+) to \{\}", ' + ARGS + r"\)"),
     lambda m: f'fmt::format("must be between {m[2]} and {{}}, got {{}}", {m[3]}, {m[1]}), ""'),
    (re.compile(r'fmt::format\("has \{\} numbers", ' + ARGS + r'\),\s*"give ([^"]*)"'),
     lambda m: f'fmt::format("must have {m[2]} numbers, got {{}}", {m[1]}), ""'),
    (re.compile(r'fmt::format\("has \{\}", ' + ARGS + r'\),\s*"give ([^"]*)"'),
     lambda m: f'fmt::format("must be {bound(m[2])}, got {{}}", {m[1]}), ""'),
    (re.compile(r'"has a 0",\s*"give numbers other than 0, also as float32"'), '"must not contain 0, also as float32", ""'),
    (re.compile(r'"is given with height and width",\s*"give it with one number as size"'), '"requires size to be one number", ""'),
    (re.compile(r'"is not above size",\s*"give more than the length of the shorter side"'), '"must be larger than size", ""'),
    (re.compile(r'"is not a size of an image",\s*"give 1 to 65536 pixels"'), '"must be between 1 and 65536 pixels", ""'),
    (re.compile(r'"is " \+ repr\(what\),\s*"give " \+ std::string\(Codec::kType\)'),
     '"must be " + std::string(Codec::kType) + ", got " + repr(what), ""'),
    (re.compile(r'"is missing",\s*"give " \+ std::string\(Codec::kType\)'), '"is required", "pass " + std::string(Codec::kType)'),
    (re.compile(r'fmt::format\("there are \{\} splits", ' + ARGS + r'\),\s*"give at most 256"'),
     lambda m: f'fmt::format("there must be at most 256 splits, got {{}}", {m[1]}), ""'),
]
CPP = re.compile(r'//[^\n]*|/\*.*?\*/|R"\w*\(.*?\)\w*"|(?P<s>"(?:\\.|[^"\\\n])*"(?:\s*"(?:\\.|[^"\\\n])*")*)', re.S)


def apply(text: str) -> str:
    for pattern, new in RULES:
        text = pattern.sub(new, text)
    return text


def cpp(text: str) -> str:
    def one(found: re.Match[str]) -> str:
        if found["s"] is None or found[0].startswith('"') and text.rfind("#include", text.rfind("\n", 0, found.start()), found.start()) >= 0:
            return found[0]
        joined = re.sub(r'"\s*"', "", found[0]) if re.search(r'"\s+"', found[0]) else found[0]
        new = apply(joined[1:-1])
        return f'"{new}"' if new != joined[1:-1] else found[0]

    for pattern, new in CODE:
        text = pattern.sub(new, text)
    return CPP.sub(one, text)


STRING = re.compile(r'"""|(?<![\w])r?f?"(?P<s>(?:\\.|[^"\\\n])*)"')


def python(text: str) -> str:
    """Single literals: those of tests, mostly. `match=` has regular expressions, whose text is changed all the same."""
    return re.sub(r'(?<!")"(?!")(?P<s>(?:\\.|[^"\\\n])*)"(?!")', lambda m: '"' + apply(m["s"]) + '"', text)


def main() -> int:
    root = Path(sys.argv[1]).resolve()
    listing = subprocess.run(["git", "ls-files", "src", "include", "python", "tests", "fuzz", "examples"], cwd=root, check=True, capture_output=True, text=True)
    touched = []
    for path in listing.stdout.splitlines():
        file = root / path
        if file.name in SKIPPED or not file.is_file():
            continue
        if file.suffix in (".cpp", ".hpp"):
            change = cpp
        elif file.suffix == ".py" and ("/tests/" in path or path.startswith("tests/")):
            change = python
        else:
            continue
        old = file.read_text()
        new = change(old)
        if new != old:
            file.write_text(new)
            touched.append(path)
    (form,) = Path("/tmp/ci/main/.venv/lib").glob("python3*/site-packages/clang_format/data/bin/clang-format")
    sources = [p for p in touched if p.endswith((".cpp", ".hpp"))]
    if sources:
        subprocess.run([form, "-i", *sources], cwd=root, check=True)
    print(f"{len(touched)} files changed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
