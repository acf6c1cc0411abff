"""torchvision without its compiled operations.

The wheel on PyPI is built against CUDA and its detection operations do not load beside a CPU torch. Transforms and
datasets need none of them, so their registration is left out.
"""

from __future__ import annotations

import sys
import types

sys.modules.setdefault("torchvision._meta_registrations", types.ModuleType("torchvision._meta_registrations"))

from torchvision import datasets, transforms  # noqa: E402
from torchvision.transforms import v2  # noqa: E402

__all__ = ["datasets", "transforms", "v2"]
