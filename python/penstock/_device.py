"""Batches on their way to a device: page-locked memory, a stream of their own, one sent while another is used.

Written against torch's public interface. What concerns CUDA has not been tried on a GPU yet.
"""

from __future__ import annotations

import warnings
from typing import Any

from ._caller import caller_level
from .batch import Batch
from .errors import InvalidError
from .options import LoaderOptions


class Transfer:
    """Sends batches to a device, or only into page-locked memory (device None)."""

    def __init__(self, device: Any, pin_memory: bool, non_blocking: bool) -> None:
        import torch

        self._torch = torch
        self._device = device
        self._pin_memory = pin_memory
        self._non_blocking = non_blocking
        self._stream = torch.cuda.Stream(device) if device is not None and device.type == "cuda" else None

    def send(self, batch: Batch) -> Batch:
        """Begins to copy; receive() makes sure that it has ended."""
        if self._stream is None:
            batch.map_tensors(self._copied)
        else:
            with self._torch.cuda.stream(self._stream):
                batch.map_tensors(self._copied)
        return batch

    def receive(self, batch: Batch) -> Batch:
        """What runs on the current stream from now on sees the copies."""
        if self._stream is not None:
            current = self._torch.cuda.current_stream(self._device)
            current.wait_stream(self._stream)
            batch.map_tensors(lambda tensor: self._used_by(tensor, current))
        return batch

    def _copied(self, tensor: Any) -> Any:
        if self._pin_memory:
            tensor = tensor.pin_memory()
        return tensor if self._device is None else tensor.to(self._device, non_blocking=self._non_blocking)

    @staticmethod
    def _used_by(tensor: Any, stream: Any) -> Any:
        tensor.record_stream(stream)
        return tensor


def transfer_for(options: LoaderOptions) -> Transfer | None:
    """What the options ask for; None if batches stay where they are. Warns where page-locked memory cannot be had."""
    wanted, pin_memory = options.device, options.pin_memory
    if wanted is None and options.non_blocking:
        warnings.warn(
            "non_blocking=True has no effect without device; pass device='cuda', or omit it and call "
            "batch.to(device, non_blocking=True)",
            RuntimeWarning,
            stacklevel=caller_level(),
        )
    if wanted is None and not pin_memory:
        return None
    if options.output != "torch":
        name = "device" if wanted is not None else "pin_memory"
        raise InvalidError(f"{name} and output={options.output!r} cannot be combined; use output='torch'")
    import torch

    try:
        device = None if wanted is None else torch.device(wanted)
    except (RuntimeError, TypeError):
        raise InvalidError(f"device must be a torch.device or its name, such as 'cuda:1', got {wanted!r}") from None
    has_cuda = torch.cuda.is_available()
    if device is not None and device.type == "cuda" and not has_cuda:
        raise InvalidError(f"device={wanted!r} is not available: {_why_no_cuda(torch)}; use 'cpu' or None")
    if pin_memory and not has_cuda:
        problem = f"pin_memory=True has no effect: {_why_no_cuda(torch)}"
        warnings.warn(problem, RuntimeWarning, stacklevel=caller_level())
        pin_memory = False
    if device is not None and device.type == "cpu":
        device = None
    return Transfer(device, pin_memory, options.non_blocking) if device is not None or pin_memory else None


def _why_no_cuda(torch: Any) -> str:
    return "this torch was built without CUDA" if torch.version.cuda is None else "torch sees no CUDA device"
