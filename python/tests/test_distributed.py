"""Real jobs of torchrun (gloo): ranks share every epoch, and training equals that of one process."""

from __future__ import annotations

import json
import re
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
    import torch
    import torch.distributed as dist
    import penstock

    source, folder, case = sys.argv[1:]
    dist.init_process_group("gloo")
    rank = dist.get_rank()

    def loader_of(**options):
        return penstock.Loader(source, batch_size=5, num_workers=1, decode=False, **options)

    def drawn(seed):
        return torch.utils.data.RandomSampler(range(60), generator=torch.Generator().manual_seed(seed))

    loaders = {
        "different seeds of a sampler": lambda: [loader_of(sampler=drawn(rank))],
        "the same seed of a sampler": lambda: [loader_of(sampler=drawn(3))],
        "different seeds": lambda: [loader_of(shuffle=True, seed=rank)],
        "the same seed": lambda: [loader_of(shuffle=True, seed=4)],
        "independent draws": lambda: [loader_of(sampler=penstock.samplers.Random(replacement=True), seed=rank)],
        "two loaders": lambda: [loader_of(sampler=drawn(1)), loader_of(sampler=drawn(2))],
        "one rank alone": lambda: [loader_of(sampler=drawn(1))] if rank == 0 else [],
        "one rank reads all": lambda: [loader_of(sampler=drawn(rank), shard_world_size=1)],
        "a fresh seed": lambda: [loader_of(shuffle=True, seed=None)],
    }[case]()
    said, seen = "", []
    dist.barrier()
    for rank_in_turn in range(2):  # the second finds what the first wrote
        if rank == rank_in_turn:
            try:
                for loader in loaders:
                    for epoch in range(2):
                        seen.append([index for batch in loader for index in batch["index"].tolist()])
            except penstock.InvalidError as error:
                said = str(error)
        dist.barrier()
    with open(f"{folder}/{rank}.json", "w") as out:
        json.dump({"said": said, "seen": seen}, out)
    dist.barrier()
    dist.destroy_process_group()
""")


@pytest.mark.parametrize(
    ("case", "refused"),
    [
        ("different seeds of a sampler", "the ranks have different orders for epoch 0"),
        ("the same seed of a sampler", ""),
        ("different seeds", r"different orders for epoch 0 \(seed 0 and seed 1\)"),
        ("the same seed", ""),
        ("independent draws", ""),
        ("two loaders", ""),
        ("one rank alone", ""),
        ("one rank reads all", ""),
        ("a fresh seed", "seed=None cannot be used with several processes"),
    ],
)
def test_ranks_whose_orders_differ_are_refused(shards, tmp_path, case, refused):
    (tmp_path / "orders.py").write_text(ORDERS)
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node=2"]
    command += [str(tmp_path / "orders.py"), shards, str(tmp_path), case]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    ranks = [json.loads((tmp_path / f"{rank}.json").read_text()) for rank in range(2)]
    if refused:
        assert re.search(refused, ranks[1]["said"])
    else:
        assert [rank["said"] for rank in ranks] == ["", ""]
    if case in ("the same seed of a sampler", "the same seed", "two loaders"):
        for parts in zip(ranks[0]["seen"], ranks[1]["seen"], strict=True):
            assert sorted(index for part in parts for index in part) == list(range(60))
