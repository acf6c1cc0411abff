"""Mel spectrograms of short segments by torch, for a GPU. No GPU was there to test it on; on "cpu:0" it is tested.

Each of a few slots has pinned memory and its own events: while one segment batch is computed, the next goes up and the
last comes down, each on a stream of its own. On request the computation is a CUDA graph.
"""

from __future__ import annotations

import queue
import threading
from typing import Any

import torch

from .. import _core
from ..errors import InvalidError

_FLOOR = 1e-10
_SLOTS = 3
_WAIT_SECONDS = 300.0


class _Graph:
    """The computation for waves of one shape, recorded once: replaying it is one call."""

    def __init__(self, mel: TorchMel, like: torch.Tensor, dtype: torch.dtype, stream: Any) -> None:
        self.waves = torch.zeros_like(like)
        mel.features(self.waves).to(dtype)  # libraries make their plans and handles, which cannot be recorded
        stream.synchronize()
        self._graph = torch.cuda.CUDAGraph()
        # Other threads may allocate meanwhile.
        with torch.cuda.graph(self._graph, stream=stream, capture_error_mode="thread_local"):
            self._result = mel.features(self.waves).to(dtype)

    def __call__(self, waves: torch.Tensor) -> torch.Tensor:
        self.waves.copy_(waves)
        self._graph.replay()
        return self._result


class TorchMel:
    """Called by any number of threads with waves [n, samples] and the array [n, n_mels, frames] for the results."""

    def __init__(self, program: _core.MelSpectrogram, settings: dict[str, Any], device: str, cuda_graph: bool) -> None:
        try:
            self._device = torch.device(device)
            self._window = torch.tensor(program.window(), device=self._device)
        except (RuntimeError, AssertionError) as error:
            raise InvalidError(f"device={device!r} cannot be used: {error}") from None
        bins = settings["n_fft"] // 2 + 1
        self._filters = torch.tensor(program.filters(), device=self._device).reshape(settings["n_mels"], bins)
        self._settings = settings
        self._on_gpu = self._device.type == "cuda"
        self._cuda_graph = cuda_graph
        self._recording = threading.Lock()
        self._slots: queue.Queue[dict[str, Any]] = queue.Queue()
        if self._on_gpu:
            self._set_up_gpu()

    def _set_up_gpu(self) -> None:
        self._upload, self._compute, self._download = (torch.cuda.Stream(self._device) for _ in range(3))
        for _ in range(_SLOTS):
            self._slots.put({})

    def __call__(self, waves: Any, out: Any) -> None:
        with torch.inference_mode():
            source = torch.from_numpy(waves)
            target = torch.from_numpy(out)
            if not self._on_gpu:
                target.copy_(self.features(source))
                return
            slot = self._slots.get(timeout=_WAIT_SECONDS)
            try:
                self._through_gpu(slot, source, target)
            finally:
                self._slots.put(slot)

    def features(self, waves: torch.Tensor) -> torch.Tensor:
        """The result in float32, on the device of the waves."""
        s = self._settings
        padding = {"constant": "constant", "reflect": "reflect", "edge": "replicate"}[s["pad_mode"]]
        spectrum = torch.stft(
            waves, s["n_fft"], s["hop_length"], window=self._window, center=s["center"], pad_mode=padding,
            return_complex=True,
        )  # fmt: skip
        mel = self._filters @ spectrum.abs().pow_(s["power"])
        if s["db_mult"] is not None:
            mel.clamp_(min=_FLOOR).log10_().mul_(s["db_mult"])  # in place: no temporaries
        return mel

    def _computed(self, slot: dict[str, Any], waves: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
        """A graph per slot, for the shape that comes first: a slot has one call at a time."""
        if self._cuda_graph and "graph" not in slot:
            with self._recording:
                slot["graph"] = _Graph(self, waves, dtype, self._compute)
        if self._cuda_graph and slot["graph"].waves.shape == waves.shape:
            result: torch.Tensor = slot["graph"](waves)
            return result
        return self.features(waves).to(dtype)

    def _through_gpu(self, slot: dict[str, Any], source: torch.Tensor, target: torch.Tensor) -> None:
        pinned_in = self._pinned(slot, "in", source)
        pinned_out = self._pinned(slot, "out", target)
        pinned_in.copy_(source)
        with torch.cuda.stream(self._upload):
            waves = pinned_in.to(self._device, non_blocking=True)
            uploaded = self._upload.record_event()
        with torch.cuda.stream(self._compute):
            self._compute.wait_event(uploaded)
            waves.record_stream(self._compute)
            result = self._computed(slot, waves, target.dtype)
            computed = self._compute.record_event()
        with torch.cuda.stream(self._download):
            self._download.wait_event(computed)
            result.record_stream(self._download)
            pinned_out.copy_(result, non_blocking=True)
            downloaded = self._download.record_event()
        downloaded.synchronize()
        target.copy_(pinned_out)

    @staticmethod
    def _pinned(slot: dict[str, Any], name: str, like: torch.Tensor) -> torch.Tensor:
        if name not in slot or slot[name].numel() < like.numel():
            slot[name] = torch.empty(like.numel(), dtype=like.dtype, pin_memory=True)
        pinned: torch.Tensor = slot[name][: like.numel()].view(like.shape)
        return pinned
