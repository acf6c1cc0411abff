"""Loaders inside the training frameworks that people use, with the real packages: what a run delivers after it was
stopped in the middle of an epoch and resumed is what it would have delivered."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
import warnings
from types import SimpleNamespace

import lightning
import numpy as np
import pytest
import torch
import torch.distributed.checkpoint.stateful
import torchdata.nodes
import torchdata.stateful_dataloader.stateful
from accelerate import Accelerator, skip_first_batches
from lightning.pytorch.callbacks import ModelCheckpoint
from transformers import GenerationConfig, Seq2SeqTrainer, Seq2SeqTrainingArguments, Trainer, TrainingArguments

import penstock

EPOCHS = 3
STEPS = 9  # of an epoch: 60 samples in batches of 7


def open_loader(source: str, **options) -> penstock.Loader:
    options = {"batch_size": 7, "num_workers": 2, "transforms": penstock.presets.imagenet_train(8), **options}
    return penstock.Loader(source, shuffle=True, seed=3, **options)


def contents(batch) -> tuple[list[int], bytes]:
    return batch["index"].tolist(), np.asarray(batch["image"]).tobytes()


@pytest.fixture(scope="module")
def unbroken(shards) -> list[tuple[list[int], bytes]]:
    """The batches of a run that nobody stops."""
    loader = open_loader(shards)
    return [contents(batch) for _ in range(EPOCHS) for batch in loader]


def test_a_batch_moves_to_a_device_and_stays_a_batch(shards):
    loader = open_loader(shards)
    batch = next(iter(loader))
    moved = batch.to("meta")
    assert isinstance(moved, penstock.Batch)
    assert {name: moved[name].device.type for name in ("image", "label", "index")} == dict.fromkeys(
        ("image", "label", "index"), "meta"
    )
    assert batch["image"].device.type == "cpu", "the batch itself stays"
    assert moved["key"] == batch["key"]
    assert moved["text"] == batch["text"]


# --- Lightning --------------------------------------------------------------------------------------------------------


class Model(lightning.LightningModule):
    """Writes down what it is trained with."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3 * 8 * 8, 10)
        self.seen = []

    def training_step(self, batch, number):
        assert isinstance(batch, penstock.Batch)
        self.seen.append(contents(batch))
        loss = torch.nn.functional.cross_entropy(self.layer(batch["image"].flatten(1)), batch["label"])
        self.log("loss", loss, batch_size=len(batch["index"]))
        return loss

    def validation_step(self, batch, number):
        self.log("score", self.layer(batch["image"].flatten(1)).mean(), batch_size=len(batch["index"]))

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.01)


def fit(folder, loader, *, resume=None, validation=None, callbacks=(), **options):
    model = Model()
    trainer = lightning.Trainer(
        accelerator="cpu",
        logger=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        default_root_dir=folder,
        callbacks=list(callbacks),
        enable_checkpointing=bool(callbacks),
        **{"max_epochs": EPOCHS, **options},
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*not resumable.*")
        trainer.fit(model, loader, validation, ckpt_path=resume)
    return model.seen


def test_lightning_delivers_every_epoch_as_the_loader_does(shards, unbroken, tmp_path):
    assert fit(tmp_path, open_loader(shards), validation=open_loader(shards)) == unbroken


@pytest.mark.parametrize("steps", [4, STEPS - 1, STEPS, STEPS + 1, 2 * STEPS])
def test_lightning_resumes_in_the_middle_of_an_epoch(shards, unbroken, tmp_path, steps):
    saver = ModelCheckpoint(dirpath=tmp_path, filename="{step}", every_n_train_steps=steps, save_top_k=-1)
    before = fit(tmp_path, open_loader(shards), callbacks=[saver], max_steps=steps)
    checkpoint = tmp_path / f"step={steps}.ckpt"
    after = fit(tmp_path, open_loader(shards, num_workers=1, prefetch=4), resume=checkpoint)
    assert before + after == unbroken


def test_lightning_resumes_from_the_end_of_an_epoch(shards, unbroken, tmp_path):
    saver = ModelCheckpoint(dirpath=tmp_path, filename="end", save_on_train_epoch_end=True)
    loaders = {"validation": open_loader(shards)}
    before = fit(tmp_path, open_loader(shards), callbacks=[saver], max_epochs=1, **loaders)
    assert before + fit(tmp_path, open_loader(shards), resume=tmp_path / "end.ckpt", **loaders) == unbroken


# --- torchdata --------------------------------------------------------------------------------------------------------


def test_a_loader_is_stateful_for_everybody(shards):
    loader = open_loader(shards)
    assert isinstance(loader, torchdata.nodes.Stateful)
    assert isinstance(loader, torchdata.stateful_dataloader.stateful.Stateful)
    assert isinstance(loader, torch.distributed.checkpoint.stateful.Stateful)


def nodes(source, *, ahead: bool):
    node = torchdata.nodes.IterableWrapper(open_loader(source))
    node = torchdata.nodes.Mapper(node, contents)
    return torchdata.nodes.Loader(torchdata.nodes.Prefetcher(node, prefetch_factor=3) if ahead else node)


@pytest.mark.parametrize("ahead", [False, True])
@pytest.mark.parametrize("steps", [1, 5, STEPS, STEPS + 2])
def test_torchdata_nodes_resume_a_loader(shards, unbroken, steps, ahead):
    loader = nodes(shards, ahead=ahead)
    got = []
    while len(got) < steps:
        for item in loader:
            got.append(item)
            if len(got) == steps:
                state = json.loads(json.dumps(loader.state_dict()))
                break
    resumed = nodes(shards, ahead=ahead)
    resumed.load_state_dict(state)
    while len(got) < len(unbroken):
        got += resumed
    assert got == unbroken


# --- Accelerate -------------------------------------------------------------------------------------------------------


def test_accelerate_leaves_the_loader_alone_and_keeps_its_state(shards, unbroken, tmp_path):
    def set_up(**options):
        accelerator = Accelerator(cpu=True)
        model = torch.nn.Linear(3 * 8 * 8, 10)
        given = open_loader(shards, **options)
        model, optimizer, loader = accelerator.prepare(model, torch.optim.SGD(model.parameters(), lr=0.01), given)
        assert loader is given, "it shards and moves batches by itself"
        accelerator.register_for_checkpointing(loader)
        return accelerator, loader

    accelerator, loader = set_up()
    iterator = iter(loader)
    seen = [contents(next(iterator)) for _ in range(4)]
    accelerator.save_state(str(tmp_path / "checkpoint"))
    accelerator, loader = set_up(num_workers=1)
    accelerator.load_state(str(tmp_path / "checkpoint"))
    seen += [contents(batch) for _ in range(EPOCHS) for batch in loader]
    assert seen == unbroken


def test_accelerate_prepares_it_as_a_data_loader(shards, unbroken, tmp_path):
    from accelerate.data_loader import prepare_data_loader

    accelerator = Accelerator(cpu=True)
    loader = open_loader(shards)
    assert accelerator.prepare_data_loader(loader) is accelerator.prepare(loader) is loader
    accelerator.save_state(str(tmp_path / "checkpoint"))
    accelerator.load_state(str(tmp_path / "checkpoint"))
    assert [contents(batch) for batch in loader] == unbroken[:STEPS]
    # Without the accelerator it becomes a DataLoader of one process, with all that this knows of the loader.
    for drop_last in (False, True):
        wrapped = prepare_data_loader(open_loader(shards, drop_last=drop_last))
        assert wrapped._drop_last is drop_last
        assert [contents(batch) for batch in wrapped] == unbroken[: len(wrapped)]


@pytest.mark.parametrize("skipped", [0, 1, 4, STEPS - 1, STEPS])
def test_accelerate_skips_the_first_batches(shards, unbroken, skipped):
    loader = open_loader(shards)
    rest = skip_first_batches(loader, skipped)
    assert len(rest) == STEPS - skipped
    assert [contents(batch) for batch in rest] == unbroken[skipped:STEPS]
    assert loader.stats()["samples"] == sum(len(indices) for indices, _ in unbroken[skipped:STEPS]), "none was skipped"
    # Who skips all of an epoch has begun none.
    assert [contents(batch) for batch in loader] == unbroken[STEPS if skipped < STEPS else 0 :][:STEPS]


def test_accelerate_skips_in_every_pass_and_names_the_epoch(shards, unbroken):
    rest = skip_first_batches(open_loader(shards), 5)
    assert [contents(batch) for _ in range(2) for batch in rest] == unbroken[5:STEPS] + unbroken[STEPS + 5 : 2 * STEPS]
    rest.batch_sampler.batch_sampler.set_epoch(2)
    assert [contents(batch) for batch in rest] == unbroken[2 * STEPS + 5 :]


def test_accelerate_skips_batches_of_tuples_and_of_collate_fn_and_of_samplers_without_length(shards):
    loader = open_loader(shards, as_tuple=("index", "label"))
    expected = [index.tolist() for index, _ in open_loader(shards, as_tuple=("index", "label"))]
    assert [index.tolist() for index, _ in skip_first_batches(loader, 3)] == expected[3:]
    loader = open_loader(shards, collate_fn=lambda samples: [sample["index"] for sample in samples])
    assert list(skip_first_batches(loader, 3)) == expected[3:]

    class Unsized:
        def __iter__(self):
            return iter(range(60))

    loader = penstock.Loader(shards, batch_size=7, sampler=Unsized(), decode=False)
    batches = skip_first_batches(loader, 3)
    assert [index for batch in batches for index in batch["index"].tolist()] == list(range(21, 60))


def test_accelerate_resumes_by_skipping(shards, unbroken, tmp_path):
    """As its documentation has it: the number of steps is kept beside the state, and the loader begins again."""
    accelerator = Accelerator(cpu=True)
    model = torch.nn.Linear(2, 2)
    model, optimizer, loader = accelerator.prepare(
        model, torch.optim.SGD(model.parameters(), lr=0.1), open_loader(shards)
    )
    seen = []
    for step, batch in enumerate(loader):
        seen.append(contents(batch))
        if step == 3:
            accelerator.save_state(str(tmp_path / "checkpoint"))
            break
    loader = accelerator.prepare(open_loader(shards, num_workers=1))
    accelerator.load_state(str(tmp_path / "checkpoint"))
    seen += [contents(batch) for batch in accelerator.skip_first_batches(loader, 4)]
    seen += [contents(batch) for _ in range(EPOCHS - 1) for batch in loader]
    assert seen == unbroken


def test_accelerate_moves_a_batch(shards):
    from accelerate.utils import send_to_device

    moved = send_to_device(next(iter(open_loader(shards))), torch.device("meta"))
    assert isinstance(moved, penstock.Batch)
    assert moved["image"].device.type == "meta"


RANKS = textwrap.dedent("""
    import json, sys
    import torch
    from accelerate import Accelerator
    import penstock

    source, folder, prepare = sys.argv[1:]

    accelerator = Accelerator(cpu=True)
    model = torch.nn.Linear(2, 2)
    loader = penstock.Loader(source, shuffle=True, seed=3, batch_size=5, num_workers=1, decode=False)
    model, optimizer = accelerator.prepare(model, torch.optim.SGD(model.parameters(), lr=0.01))
    loader = getattr(accelerator, prepare)(loader)
    accelerator.register_for_checkpointing(loader)
    seen = []
    for step, batch in enumerate(loader):
        if step < 2:
            seen.append(batch["index"].tolist())
        if step == 1:
            accelerator.save_state(f"{folder}/checkpoint")  # by the first process
            accelerator.wait_for_everyone()
    accelerator.load_state(f"{folder}/checkpoint")
    seen += [batch["index"].tolist() for batch in loader]
    with open(f"{folder}/{accelerator.process_index}.json", "w") as out:
        json.dump(seen, out)
    accelerator.end_training()
""")


@pytest.mark.parametrize("prepare", ["prepare", "prepare_data_loader"])
def test_accelerate_with_two_processes_shares_the_epoch(shards, tmp_path, prepare):
    (tmp_path / "program.py").write_text(RANKS)
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node=2"]
    command += [str(tmp_path / "program.py"), shards, str(tmp_path), prepare]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    parts = [json.loads((tmp_path / f"{rank}.json").read_text()) for rank in range(2)]
    seen = [index for step in zip(*parts, strict=True) for part in step for index in part]
    loader = penstock.Loader(shards, shuffle=True, seed=3, decode=False)
    assert seen == [index for batch in loader for index in batch["index"].tolist()]


# --- Hugging Face's Trainer -------------------------------------------------------------------------------------------


class Classifier(torch.nn.Module):
    """Takes the fields of a batch as keywords, and writes down what it is trained with."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3 * 8 * 8, 10)
        self.seen = []

    def forward(self, image, label, index, **other_fields):
        if self.training:
            self.seen.append((index.tolist(), image.numpy().tobytes()))
        logits = self.layer(image.flatten(1))
        return {"loss": torch.nn.functional.cross_entropy(logits, label), "logits": logits}


class LoaderTrainer(Trainer):
    """A Trainer that trains from a loader, as its documentation says."""

    def __init__(self, source, folder, model=None, **settings):
        arguments = TrainingArguments(
            output_dir=str(folder), use_cpu=True, report_to=[], disable_tqdm=True, num_train_epochs=EPOCHS, **settings
        )
        super().__init__(model=model or Classifier(), args=arguments)
        self.source = source

    def get_train_dataloader(self):
        return open_loader(self.source)

    def get_eval_dataloader(self, eval_dataset=None):
        return open_loader(self.source)


def test_the_trainer_trains_and_evaluates(shards, unbroken, tmp_path):
    trainer = LoaderTrainer(shards, tmp_path, save_strategy="no", label_names=["label"])
    trainer.train()
    assert trainer.model.seen == unbroken
    assert np.isfinite(trainer.evaluate()["eval_loss"])


class Logits(torch.nn.Module):
    """Leaves the loss to the Trainer, which takes the labels out of the batch for it."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3 * 8 * 8, 10)
        self.config = SimpleNamespace(problem_type=None, to_dict=dict, to_json_string=lambda: "{}")

    def forward(self, image, **other_fields):
        return {"logits": self.layer(image.flatten(1))}


def test_the_trainer_smooths_labels(shards, tmp_path):
    data = penstock.Dataset(shards, fields={"image": "image", "labels": "label"})
    settings = {"save_strategy": "no", "label_smoothing_factor": 0.1, "max_steps": 2}
    trainer = LoaderTrainer(data, tmp_path, Logits(), **settings)
    assert np.isfinite(trainer.train().training_loss)


@pytest.mark.parametrize("steps", [4, STEPS, STEPS + 3])
def test_the_trainer_resumes_in_the_middle_of_an_epoch(shards, unbroken, tmp_path, steps):
    before = LoaderTrainer(shards, tmp_path, save_steps=steps, max_steps=steps)
    before.train()
    after = LoaderTrainer(shards, tmp_path, save_strategy="no")
    after.train(resume_from_checkpoint=str(tmp_path / f"checkpoint-{steps}"))
    assert before.model.seen + after.model.seen == unbroken


class Writer(Classifier):
    """Generates texts, as models of the hub do that describe images."""

    main_input_name = "image"
    generation_config = GenerationConfig(max_length=4)
    config = SimpleNamespace(to_dict=dict, to_json_string=lambda: "{}")

    def generate(self, image, **other_fields):
        return torch.zeros(len(image), 4, dtype=torch.long)


def test_the_trainer_generates(shards, tmp_path):
    arguments = Seq2SeqTrainingArguments(str(tmp_path), use_cpu=True, report_to=[], predict_with_generate=True)
    trainer = Seq2SeqTrainer(model=Writer(), args=arguments)
    batch = next(iter(open_loader(shards)))
    _, generated, _ = trainer.prediction_step(trainer.model, batch, prediction_loss_only=False)
    assert generated.shape == (7, 4)
