import subprocess
R={
'python/penstock/_device.py':[
 ("device must be what torch.device takes, as 'cuda:1', got {wanted!r}","device must be a torch.device or its name, such as 'cuda:1', got {wanted!r}"),
 ("device = {wanted!r} cannot be: {_why_no_cuda(torch)}; give 'cpu' or None","device={wanted!r} is not available: {_why_no_cuda(torch)}; use 'cpu' or None"),
 ("contradict each other; give output='torch'","cannot be combined; use output='torch'"),
 ("has no effect without device; give device='cuda', or leave it out and call","has no effect without device; pass device='cuda', or omit it and call"),
],
'python/penstock/_distributed.py':[
 ("the environment has RANK={rank!r} and WORLD_SIZE={world!r}, which cannot be; mend them, or pass ","the environment variables RANK={rank!r} and WORLD_SIZE={world!r} are inconsistent; correct them, or pass "),
 ('''f"the ranks have different orders of epoch {epoch} ({first} and {order}), and each takes its part of "
                "its own: samples would be left out, and others seen twice; give all ranks the same seed, also that of "
                "a sampler's generator, and a loader that one rank alone has shard_world_size=1"''',
  '''f"the ranks have different orders for epoch {epoch} ({first} and {order}), and each takes its slice of its "
                "own order: some samples would be left out and others seen twice; use the same seed on all ranks, also "
                "for a sampler's generator, and shard_world_size=1 for a loader that only one rank has"'''),
],
'python/penstock/_functions.py':[
 ("shape and dtype belong together; give both, or none","shape and dtype must be given together"),
 ("shape must be 1 to 8 whole numbers, each at least 1, got","shape must be 1 to 8 positive integers, got"),
],
'python/penstock/_output.py':[("output = 'torch' needs torch, which is not installed; give 'numpy' or 'dlpack'","output='torch' requires torch, which is not installed; use 'numpy' or 'dlpack'")],
'python/penstock/audio/_build.py':[("cuda_graph is for CUDA devices, and device = {device!r}; leave it out, or give 'cuda'","cuda_graph requires a CUDA device, got device={device!r}; omit it, or use 'cuda'")],
'python/penstock/audio/_cuda.py':[("device = {device!r} cannot be used: {error}","device={device!r} cannot be used: {error}")],
'python/penstock/audio/_features.py':[
 ("a tensor on {values.device} cannot be; move it with .cpu()","expected a tensor on the CPU, got one on {values.device}; move it with .cpu()"),
 ("this cannot be an array; give one of floats: {error}","expected an array of floats: {error}"),
 ("an array of {array.dtype} cannot be; give floats, a wave between -1 and 1","expected an array of floats, a wave between -1 and 1, got {array.dtype}"),
 ("a single number is no wave; give an array with samples along its last axis","expected an array with samples along its last axis, got a single number"),
 ("{name} must be a whole number, got","{name} must be an integer, got"),
],
'python/penstock/audio/_read.py':[("path must be a path, or a file's content as bytes, got","path must be a path or the content of a file as bytes, got")],
'python/penstock/batch.py':[("there is no field {name!r}; this batch has {', '.join(self._names)}","no field {name!r}; this batch has {', '.join(self._names)}")],
'python/penstock/dataset.py':[
 ("source: no end after {_MAX_SOURCES:,} paths; give a list","source: an iterable must end, got more than {_MAX_SOURCES:,} paths"),
 ("brace pattern or a list of them, got","brace pattern, or a list of them, got"),
 ("fields must be {{name: extension}}, or leave fields out, got","fields must be a mapping of names to extensions, got"),
 ("max_pixels must be the largest width * height to accept, got","max_pixels must be a positive integer, the largest width * height to accept, got"),
 ("there is no sample {number}: the data set has {size}","sample {number} is out of range: the data set has {size}"),
],
'python/penstock/errors.py':[('"""An argument cannot be."""','"""An argument is not valid."""')],
'python/penstock/loader.py':[
 ("transforms must be a list of penstock.transforms and functions, got","transforms must be a list of transforms and functions, got"),
 ("transforms: more than {_MAX_OPERATIONS:,} operations; give a list that ends","transforms: a list must end, got more than {_MAX_OPERATIONS:,} operations"),
 ("{operation!r} is no transform; use those of penstock.transforms, or a function of an array","{operation!r} is not a transform; use one of penstock.transforms, or a function of an array"),
 ("options must be a LoaderOptions, or the options as keywords, got {options!r}","options must be a LoaderOptions, got {options!r}; single options are keywords"),
 ("{name} of a Loader does not change; make another: {other}","{name} of a Loader cannot be changed; create another one: {other}"),
 ("as_tuple must be names of fields, as ('image', 'label'), got","as_tuple must be names of fields, such as ('image', 'label'), got"),
 ("as_tuple and collate_fn contradict each other; let collate_fn return a tuple","as_tuple and collate_fn cannot be combined; return a tuple from collate_fn"),
 ("as_tuple: there is no field {unknown[0]!r}; there are {', '.join(known)}","as_tuple: no field {unknown[0]!r}; the fields are {', '.join(known)}"),
 ("collate_fn must be a function of a list of samples, got","collate_fn must be a function that takes a list of samples, got"),
 ("collate_fn and device or pin_memory contradict each other; send what your function returns yourself","collate_fn cannot be combined with device or pin_memory; move what it returns to the device yourself"),
 ("this Loader has no len(): its sampler has none","this Loader has no len(), because its sampler has none"),
 ("this is no state of a Loader; give what state_dict() returned","expected the state of a Loader, as state_dict() returns it"),
 ("epoch must be a whole number, 0 or more, got","epoch must be a non-negative integer, got"),
 ("sampler: it gave no sample for epoch {epoch}; give what can be iterated over again, every epoch","sampler: no samples for epoch {epoch}; use one that can be iterated over again, every epoch"),
 ('''f"sampler: its order of epoch {epoch} is not what it was when the state was taken; give one whose "''','''f"sampler: its order of epoch {epoch} is not what it was when the state was saved; use one whose "'''),
 ("a Loader has threads and cannot be pickled; make it in the process that iterates over it","a Loader owns threads and cannot be pickled; create it in the process that iterates over it"),
],
'python/penstock/options.py':[
 ("shuffle=True and sampler={sampler!r} contradict each other; leave out one: a sampler is an order","shuffle=True and sampler={sampler!r} cannot be combined: a sampler already determines the order"),
 ("options do not change; use with_{name}({value!r}), which returns a changed copy","options are immutable; use with_{name}({value!r}), which returns a changed copy"),
 ("there is no option {name!r}; the options are:","unknown option {name!r}; the options are:"),
],
'python/penstock/_option_list.py':[('there is no option {name!r}{meant} the options are:','unknown option {name!r}{meant} the options are:')],
'python/penstock/presets.py':[
 ("size must be the side of the square images, got","size must be an integer, the side of square images, got"),
 ("size must be 1 to 65536 pixels, got","size must be between 1 and 65536 pixels, got"),
],
'python/penstock/samplers.py':[
 ("weights cannot be: {problem}; give a list of numbers","weights must be a list of numbers: {problem}"),
 ("weights cannot be; give one number for each sample","weights must be one number per sample"),
 ("options with a sampler of your own have no plain form; leave it out, and give it again","options with a custom sampler cannot be converted to a dict; remove it first, and pass it again later"),
 ("sampler: {problem}; give sample numbers","sampler must consist of sample numbers: {problem}"),
 ("sampler: {array.dtype} of {array.ndim} dimensions cannot be; give sample numbers","sampler must be a one-dimensional array of sample numbers, got {array.ndim} dimensions of {array.dtype}"),
 ("sampler: there is no sample {int(array.min())}; count from 0","sampler: sample numbers start at 0, got {int(array.min())}"),
 ("sampler: an iterator is empty after one epoch; give what can be iterated over again","sampler: an iterator is exhausted after one epoch; use an iterable that can be iterated over again"),
 ("sampler must be a name, one of penstock.samplers, or sample numbers, got","sampler must be a name, one of penstock.samplers, or an iterable of sample numbers, got"),
 ("sampler = {dict(given)!r} cannot be: {problem}","sampler={dict(given)!r} is not valid: {problem}"),
 ("sampler: a DistributedSampler gives the part of one rank, and penstock slices the global order by rank ","sampler: a DistributedSampler gives the slice of one rank, and penstock slices the global order by rank "),
 ("itself: both together would leave samples out; pass","itself: together they would leave samples out; pass"),
 ("{name} must be a whole number, 1 or more, got","{name} must be a positive integer, got"),
 ("{name}: no end after {limit:,} values; give one that ends, or a list","{name}: an iterable must end, got more than {limit:,} values"),
],
'python/penstock/store.py':[
 ("fields belong to a source that is given by its path; a Dataset has chosen its own","fields can only be chosen for a source that is given by its path; a Dataset has its own"),
 ("a Dataset is not compared with a source; give the path of the store","a Dataset cannot be compared with a source; pass the path of the store"),
 ("resize = {resize!r}: {unknown[0]!r} is no side; give shorter or longest","resize must name 'shorter' or 'longest', got {unknown[0]!r}"),
 ("max_errors needs on_error='skip': with 'raise' the first bad sample ends the build","max_errors requires on_error='skip': with 'raise' the first bad sample ends the build"),
 ("max_errors = {max_errors!r} cannot be; a share lies between 0.0 and 1.0","max_errors must be an integer, or a share between 0.0 and 1.0, got {max_errors!r}"),
 ("{name} must be a whole number from {least} to {most}, got","{name} must be an integer between {least} and {most}, got"),
 ("{name} must be its name, got","{name} must be a string, got"),
],
'python/penstock/transforms.py':[
 ("Transform is what all operations have in common; use one of them, such as Resize(256)","Transform is the base class of all operations; use one of them, such as Resize(256)"),
 ("there is no operation {name!r}; there are {', '.join(_classes)}","unknown operation {name!r}; the operations are {', '.join(_classes)}"),
],
'python/penstock/_stages.py':[
 ('''f"multiprocessing_context = 'fork' cannot be: {reason}, and the copy of a process with threads may "
                    "hang; give 'spawn' or 'forkserver', or make the loader before threads are started"''',
  '''f"multiprocessing_context='fork' is not safe here: {reason}, and a forked copy of a process with threads may "
                    "hang; use 'spawn' or 'forkserver', or create the loader before threads are started"'''),
 ("Python functions run in this process and hold up its other threads:","Python functions run in this process and block its other threads:"),
 ("'it cannot stand here'","'it cannot be used here'"),
],
'python/penstock/_helpers.py':[],
}
for f,rs in R.items():
    s=open(f).read()
    for a,b in rs:
        if a not in s: print('MISSING',f,a[:70]); continue
        s=s.replace(a,b)
    open(f,'w').write(s)
