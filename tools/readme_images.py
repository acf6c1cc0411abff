"""Puts the images of a finished `make demo` into docs/images, where README shows them.

python tools/readme_images.py [demo-out]
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from PIL import Image

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"


def main() -> None:
    parser = argparse.ArgumentParser(description="Copies the demo's images into docs/images.")
    parser.add_argument("folder", nargs="?", type=Path, default=Path("demo-out"))
    folder = parser.parse_args().folder
    IMAGES.mkdir(parents=True, exist_ok=True)
    # Noisy images are large as PNG; the repository keeps a JPEG.
    Image.open(folder / "contact_sheet.png").save(IMAGES / "contact_sheet.jpg", quality=88, optimize=True)
    shutil.copy(folder / "run.png", IMAGES / "run.png")


if __name__ == "__main__":
    main()
