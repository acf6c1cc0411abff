"""Real jobs of torchrun (gloo): ranks share every epoch, and training equals that of one process."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
import torch

import penstock

TRAIN = textwrap.dedent("""
    import json, sys
    import torch
    import torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel
    import penstock

    source, folder, total_batch, steps, checkpoint = sys.argv[1:]
    loader = penstock.Loader(source, shuffle=True, seed=6, num_workers=1, drop_last=False,
                             batch_size=int(total_batch) // int(__import__("os").environ["WORLD_SIZE"]),
                             transforms=penstock.presets.imagenet_train(8))
    dist.init_process_group("gloo")  # after the loader was made: rank and world size are read at the first use
    rank = dist.get_rank()
    torch.manual_seed(0)
    model = DistributedDataParallel(torch.nn.Linear(3 * 8 * 8, 10).double())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    if checkpoint != "none":
        saved = torch.load(checkpoint)
        model.module.load_state_dict(saved["model"])
        loader.load_state_dict(saved["loader"])
    seen = []
    for step, batch in enumerate(loader):
        loss = torch.nn.functional.cross_entropy(model(batch["image"].double().flatten(1)), batch["label"])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        seen.append(batch["index"].tolist())
        if step + 1 == int(steps):
            break
    if rank == 0:
        torch.save({"model": model.module.state_dict(), "loader": loader.state_dict()}, f"{folder}/saved.pt")
    with open(f"{folder}/{rank}.json", "w") as out:
        json.dump({"seen": seen, "steps": len(loader), "repeated": loader.stats()["repeated"]}, out)
    dist.barrier()
    dist.destroy_process_group()
""")


def run(program: Path, ranks: int, source: str, folder: Path, total_batch: int, steps: int, checkpoint: str = "none"):
    folder.mkdir()
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc_per_node={ranks}"]
    command += [str(program), source, str(folder), str(total_batch), str(steps), checkpoint]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    return [json.loads((folder / f"{rank}.json").read_text()) for rank in range(ranks)]


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    path = tmp_path_factory.mktemp("program") / "train.py"
    path.write_text(TRAIN)
    return path


@pytest.fixture(scope="module")
def one_process(program, shards, tmp_path_factory):
    """What one process trains in one epoch."""
    folder = tmp_path_factory.mktemp("one") / "out"
    run(program, 1, shards, folder, 12, 99)
    return parameters(folder)


def parameters(folder: Path) -> np.ndarray:
    model = torch.load(folder / "saved.pt")["model"]
    return np.concatenate([value.numpy().ravel() for value in model.values()])


def interleaved(outcomes) -> list[int]:
    return [index for step in zip(*(o["seen"] for o in outcomes), strict=True) for part in step for index in part]


def test_ddp_training_equals_one_process(program, shards, one_process, tmp_path):
    order = [i for b in penstock.Loader(shards, shuffle=True, seed=6, decode=False) for i in np.asarray(b["index"])]
    for ranks in (2, 4):
        outcomes = run(program, ranks, shards, tmp_path / str(ranks), 12, 99)
        assert {o["steps"] for o in outcomes} == {5}
        assert interleaved(outcomes) == order, "every sample once, in the order of one process"
        np.testing.assert_allclose(parameters(tmp_path / str(ranks)), one_process, rtol=0, atol=1e-12)


def test_elastic_stop_at_three_ranks_continue_at_two_then_four(program, shards, one_process, tmp_path):
    seen = []
    checkpoint = "none"
    for ranks, steps in ((3, 2), (2, 1), (4, 99)):
        folder = tmp_path / f"ranks{ranks}"
        seen += interleaved(run(program, ranks, shards, folder, 12, steps, checkpoint))
        checkpoint = str(folder / "saved.pt")
    assert sorted(seen) == list(range(60))
    np.testing.assert_allclose(parameters(folder), one_process, rtol=0, atol=1e-12)


def test_torch_distributed_checkpoint_keeps_the_state(shards, tmp_path):
    import torch.distributed.checkpoint as dcp

    make = lambda: penstock.Loader(shards, shuffle=True, batch_size=7, decode=False)  # noqa: E731
    loader = make()
    iterator = iter(loader)
    next(iterator)
    next(iterator)
    dcp.save({"loader": loader}, checkpoint_id=tmp_path / "checkpoint", no_dist=True)
    rest = [np.asarray(batch["index"]).tolist() for batch in iterator]
    resumed = make()
    dcp.load({"loader": resumed}, checkpoint_id=tmp_path / "checkpoint", no_dist=True)
    assert [np.asarray(batch["index"]).tolist() for batch in resumed] == rest


# --- orders that differ between ranks ---------------------------------------------------------------------------------

ORDERS = textwrap.dedent("""
    import json, sys
    import numpy as np
    import torch
    import torch.distributed as dist
    import penstock
    from penstock.samplers import Indices, Random, RepeatedAugmentation, Weighted

    source, fewer, folder = sys.argv[1:]
    dist.init_process_group("gloo")
    rank = dist.get_rank()

    def loader_of(source=source, **options):
        options = {"batch_size": 5, "num_workers": 1, "decode": False, **options}
        return penstock.Loader(source, **options)

    def drawn(seed):
        return torch.utils.data.RandomSampler(range(60), generator=torch.Generator().manual_seed(seed))

    def at_epoch(loader, epoch):
        loader.set_epoch(epoch)
        return loader

    def looked_at(loader):
        if rank == 0:
            next(iter(loader))
        return at_epoch(loader, 0)

    def halfway(loader, steps=4):
        batches = iter(loader)
        for _ in range(steps):
            next(batches)
        resumed = loader_of(shuffle=True, batch_size=3)
        resumed.load_state_dict(loader.state_dict())
        return resumed

    back = list(range(60))[:: 1 - 2 * rank]
    cases = {
        "different seeds of a sampler": lambda: [loader_of(sampler=drawn(rank))],
        "the same seed of a sampler": lambda: [loader_of(sampler=drawn(3))],
        "different lists": lambda: [loader_of(sampler=back)],
        "different arrays": lambda: [loader_of(sampler=np.array(back))],
        "different Indices": lambda: [loader_of(sampler=Indices(back))],
        "a list of other length": lambda: [loader_of(sampler=list(range(60 - rank)))],
        "a list and a sampler": lambda: [
            loader_of(sampler=torch.utils.data.SequentialSampler(range(60)) if rank else list(range(60)))],
        "different weights": lambda: [loader_of(sampler=Weighted(1.0 + rank * np.arange(60)))],
        "different seeds of weights": lambda: [loader_of(sampler=Weighted(np.ones(60), replacement=False), seed=rank)],
        "different seeds of repeated samples": lambda: [loader_of(sampler=RepeatedAugmentation(), seed=rank)],
        "different seeds": lambda: [loader_of(shuffle=True, seed=rank)],
        "the same seed": lambda: [loader_of(shuffle=True, seed=4)],
        "different seeds in order": lambda: [loader_of(seed=rank)],
        "shuffled and not": lambda: [loader_of(shuffle=rank == 1)],
        "the same by another name": lambda: [loader_of(**({"sampler": "random"} if rank else {"shuffle": True}))],
        "different modes": lambda: [loader_of(shuffle=True, shuffle_mode=["global", "window"][rank])],
        "different windows": lambda: [loader_of(shuffle=True, shuffle_mode="window", shuffle_window=8 + rank)],
        "different batch sizes": lambda: [loader_of(shuffle=True, batch_size=5 + rank)],
        "different drop_last": lambda: [loader_of(batch_size=7, drop_last=rank == 1)],
        "fewer draws": lambda: [loader_of(sampler=Random(replacement=True, num_samples=20 - 10 * rank))],
        "fewer samples": lambda: [loader_of(fewer if rank else source, shuffle=True)],
        "different epochs": lambda: [at_epoch(loader_of(shuffle=True), 4 + rank)],
        "a look before the epoch is named": lambda: [looked_at(loader_of(shuffle=True))],
        "a state": lambda: [halfway(loader_of(shuffle=True))],
        "states of different steps": lambda: [halfway(loader_of(shuffle=True), 1 + 2 * rank)],
        "independent draws": lambda: [loader_of(sampler=Random(replacement=True), seed=rank)],
        "two loaders": lambda: [loader_of(sampler=drawn(1)), loader_of(sampler=drawn(2))],
        "two loaders, used in another order": lambda: [
            loader_of(shuffle=True, seed=1), loader_of(shuffle=True, seed=2)][:: 1 - 2 * rank],
        "one rank reads all": lambda: [loader_of(sampler=drawn(rank), shard_world_size=1)],
        "a fresh seed": lambda: [loader_of(shuffle=True, seed=None)],
        # From here on the ranks have made different numbers of loaders.
        "another loader of one rank": lambda: [
            *([loader_of(batch_size=1)] if rank == 0 else []), loader_of(shuffle=True)],
        "one rank alone": lambda: [loader_of(sampler=drawn(1))] if rank == 0 else [],
    }

    def run(loaders):
        said, seen = "", []
        for rank_in_turn in range(2):  # the second finds what the first wrote
            if rank == rank_in_turn:
                try:
                    for loader in loaders:
                        for epoch in range(2):
                            seen.append([index for batch in loader for index in batch["index"].tolist()])
                except penstock.InvalidError as error:
                    said = str(error)
            dist.barrier()
        return {"said": said, "seen": seen}

    outcomes = {case: run(make()) for case, make in cases.items()}
    with open(f"{folder}/{rank}.json", "w") as out:
        json.dump(outcomes, out)
    dist.barrier()
    dist.destroy_process_group()
""")


@pytest.fixture(scope="module")
def outcomes(shards, tmp_path_factory):
    """Of every case on both ranks: what the loaders said, and what they gave."""
    folder = tmp_path_factory.mktemp("orders")
    (folder / "orders.py").write_text(ORDERS)
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node=2"]
    command += [str(folder / "orders.py"), shards, shards.replace("..000002", "..000001"), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    return [json.loads((folder / f"{rank}.json").read_text()) for rank in range(2)]


DIGESTS = r"[0-9a-f]{16} on another rank, [0-9a-f]{16} on this one\)"


@pytest.mark.parametrize(
    ("case", "refused"),
    [
        ("different seeds of a sampler", rf"\(indices {DIGESTS}"),
        ("different lists", rf"\(indices {DIGESTS}"),
        ("different arrays", rf"\(indices {DIGESTS}"),
        ("different Indices", rf"\(indices {DIGESTS}"),
        ("a list of other length", r"; num_samples 60 on another rank, 59 on this one\)"),
        ("different weights", rf"\(weights {DIGESTS}"),
        ("different seeds of weights", r"\(seed 0 on another rank, 1 on this one\)"),
        ("different seeds of repeated samples", r"\(seed 0 on another rank, 1 on this one\)"),
        ("different seeds", r"\(seed 0 on another rank, 1 on this one\)"),
        ("shuffled and not", r"\(order sequential on another rank, random on this one\)"),
        ("different modes", r"\(shuffle_mode global on another rank, window on this one"),
        ("different windows", r"\(shuffle_window 8 on another rank, 9 on this one\)"),
        ("different batch sizes", r"\(batch_size 5 on another rank, 6 on this one; steps 6 on another rank, 5 on this"),
        ("different drop_last", r"\(drop_last False on another rank, True on this one; steps 5 on another rank, 4 on"),
        ("fewer draws", r"\(num_samples 20 on another rank, 10 on this one; steps 2 on another rank, 1 on this one\)"),
        ("fewer samples", r"\(samples 60 on another rank, 40 on this one; steps 6 on another rank, 4 on this one\)"),
        ("different epochs", r"\(epoch 4 on another rank, 5 on this one\)"),
        ("states of different steps", r"\(position 10 on another rank, 30 on this one\)"),
        ("another loader of one rank", r"batch_size 1 on another rank, 5 on this one; .* only one rank has$"),
        ("a fresh seed", "^seed=None cannot be used with several processes"),
    ],
)
def test_ranks_whose_orders_differ_are_refused(outcomes, case, refused):
    assert re.search(refused, outcomes[1][case]["said"])
    assert case == "a fresh seed" or outcomes[1][case]["said"].startswith("the ranks have different orders (")


@pytest.mark.parametrize(
    "case",
    [
        "the same seed of a sampler",
        "a list and a sampler",
        "the same seed",
        "different seeds in order",
        "the same by another name",
        "a look before the epoch is named",
        "a state",
        "independent draws",
        "two loaders",
        "two loaders, used in another order",
        "one rank reads all",
        "one rank alone",
    ],
)
def test_ranks_whose_orders_agree_share_them(outcomes, case):
    ranks = [rank[case] for rank in outcomes]
    assert [rank["said"] for rank in ranks] == ["", ""]
    if case == "two loaders, used in another order":
        ranks[1]["seen"] = ranks[1]["seen"][2:] + ranks[1]["seen"][:2]
    if case == "a state":
        assert {len(rank["seen"].pop(0)) for rank in ranks} == {10}
    if case not in ("independent draws", "one rank reads all", "one rank alone"):
        for parts in zip(ranks[0]["seen"], ranks[1]["seen"], strict=True):
            assert sorted(index for part in parts for index in part) == list(range(60))


LEFT_ALONE = textwrap.dedent("""
    import os, sys
    from datetime import timedelta
    import torch.distributed as dist
    import penstock

    source, rank, port, told = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.stdin
    store = dist.TCPStore("127.0.0.1", port, 2, is_master=rank == 0, timeout=timedelta(seconds=60))
    dist.init_process_group("gloo", store=store, rank=rank, world_size=2)
    loader = penstock.Loader(source, shuffle=True, batch_size=5, num_workers=1, decode=False)
    first = sum(1 for _ in loader)
    print(first, flush=True)
    told.readline()  # the first rank is told to end, and the other one that it has
    if rank == 1:
        print(sum(1 for _ in loader), flush=True)
    os._exit(0)
""")


def test_a_rank_whose_store_is_gone_goes_on(shards, tmp_path):
    """The first rank holds it, and may have ended while another one still evaluates."""
    (tmp_path / "program.py").write_text(LEFT_ALONE)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    ranks = [
        subprocess.Popen(
            [sys.executable, str(tmp_path / "program.py"), shards, str(rank), str(port)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    try:
        assert [rank.stdout.readline() for rank in ranks] == ["6\n", "6\n"]
        ranks[0].communicate("end\n", timeout=60)
        said, problems = ranks[1].communicate("it has\n", timeout=60)
        assert said == "6\n", problems[-3000:]
        assert "the order of this epoch was not compared with that of other ranks" in problems
    finally:
        for rank in ranks:
            rank.kill()
            rank.wait()
