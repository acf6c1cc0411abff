"""Mel spectrograms of short segments by torch, for a GPU. No GPU was there to test it on; on "cpu:0" it is tested.

Each of a few slots has pinned memory and its own events: while one segment batch is computed, the next goes up and the
last comes down, each on a stream of its own.
"""

from __future__ import annotations

import queue
from typing import Any

import torch

from .. import _core
from ..errors import InvalidError

_FLOOR = 1e-10
_SLOTS = 3
_WAIT_SECONDS = 300.0


class TorchMel:
    """Called by any number of threads with waves [n, samples] and the array [n, n_mels, frames] for the results."""

    def __init__(self, program: _core.MelSpectrogram, settings: dict[str, Any], device: str) -> None:
        try:
            self._device = torch.device(device)
            self._window = torch.tensor(program.window(), device=self._device)
        except (RuntimeError, AssertionError) as error:
            raise InvalidError(f"device = {device!r} cannot be used: {error}") from None
        bins = settings["n_fft"] // 2 + 1
        self._filters = torch.tensor(program.filters(), device=self._device).reshape(settings["n_mels"], bins)
        self._settings = settings
        self._on_gpu = self._device.type == "cuda"
        self._slots: queue.Queue[dict[str, torch.Tensor]] = queue.Queue()
        if self._on_gpu:
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

    def _through_gpu(self, slot: dict[str, torch.Tensor], source: torch.Tensor, target: torch.Tensor) -> None:
        pinned_in = self._pinned(slot, "in", source)
        pinned_out = self._pinned(slot, "out", target)
        pinned_in.copy_(source)
        with torch.cuda.stream(self._upload):
            waves = pinned_in.to(self._device, non_blocking=True)
            uploaded = self._upload.record_event()
        with torch.cuda.stream(self._compute):
            self._compute.wait_event(uploaded)
            waves.record_stream(self._compute)
            result = self.features(waves).to(target.dtype)
            computed = self._compute.record_event()
        with torch.cuda.stream(self._download):
            self._download.wait_event(computed)
            result.record_stream(self._download)
            pinned_out.copy_(result, non_blocking=True)
            downloaded = self._download.record_event()
        downloaded.synchronize()
        target.copy_(pinned_out)

    @staticmethod
    def _pinned(slot: dict[str, torch.Tensor], name: str, like: torch.Tensor) -> torch.Tensor:
        if name not in slot or slot[name].numel() < like.numel():
            slot[name] = torch.empty(like.numel(), dtype=like.dtype, pin_memory=True)
        return slot[name][: like.numel()].view(like.shape)
