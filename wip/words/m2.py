R={
'python/penstock/_distributed.py':[('''f"the ranks have different orders for epoch {epoch} ({first} and {order}), and each takes its slice of its "
                "own order: some samples would be left out and others seen twice; use the same seed on all ranks, also "
''','''f"the ranks have different orders for epoch {epoch} ({first} and {order}), and each takes its slice of "
                "its own: some samples would be left out and others seen twice; use the same seed on all ranks, also "
''')],
'python/penstock/_stages.py':[('''f"multiprocessing_context='fork' is not safe here: {reason}, and a forked copy of a process with threads may "
                    "hang; use 'spawn' or 'forkserver', or create the loader before threads are started"''',
'''f"multiprocessing_context='fork' is not safe here: {reason}, and a fork of a process with threads may "
                    "hang; use 'spawn' or 'forkserver', or create the loader before threads are started"''')],
'python/penstock/dataset.py':[("max_pixels must be a positive integer, the largest width * height to accept, got {limit!r}","max_pixels must be a positive integer, got {limit!r}")],
'python/penstock/samplers.py':[('raise InvalidError("options with a custom sampler cannot be converted to a dict; remove it first, and pass it again later")',
'''raise InvalidError("options with a custom sampler cannot be converted to a dict; remove the sampler first")''')],
}
for f,rs in R.items():
    s=open(f).read()
    for a,b in rs:
        if a not in s: print('MISSING',f,a[:70]); continue
        s=s.replace(a,b)
    open(f,'w').write(s)
