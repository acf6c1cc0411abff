"""Operations that move pixels, each beside those of others."""

from __future__ import annotations

import albumentations as alb
import cv2
import kornia
import torch

from penstock import transforms as t
from rows import ALBUMENTATIONS, KORNIA, PIL, TENSOR, Row
from support.torchvision import v2

F = v2.functional
NEAREST, BILINEAR = v2.InterpolationMode.NEAREST, v2.InterpolationMode.BILINEAR
EXACT_MOVE = {PIL: 0.0, TENSOR: 0.0, ALBUMENTATIONS: 0.0, KORNIA: 0.001}
ANGLE, SCALE = 30.0, 1.25  # float32 has both exactly


def rows(height: int, width: int) -> list[Row]:
    return [*sizes(height, width), *moves(height, width), *warps(height, width)]


def sizes(height: int, width: int) -> list[Row]:
    side = 160 if min(height, width) < 256 else 224
    square = (side, side)
    return [
        Row(
            "Resize, bilinear",
            [t.Resize(square)],
            lambda image: F.resize(image, square, BILINEAR, antialias=True),
            albumentations=alb.Resize(side, side),
            kornia=lambda image: kornia.geometry.resize(image, square, antialias=True),
            within={PIL: 0.0, TENSOR: 1.0},  # the others do not average what they leave out, or blur more
        ),
        Row(
            "Resize, bicubic",
            [t.Resize(square, "bicubic")],
            lambda image: F.resize(image, square, v2.InterpolationMode.BICUBIC, antialias=True),
            albumentations=alb.Resize(side, side, interpolation=cv2.INTER_CUBIC),
            kornia=lambda image: kornia.geometry.resize(image, square, "bicubic", antialias=True),
            within={PIL: 0.0, TENSOR: 1.0},
        ),
        Row("RandomResize", [t.RandomResize(side, side + 1)], v2.RandomResize(side, side + 1), within={PIL: 0.0}),
        Row(
            "RandomShortestSize",
            [t.RandomShortestSize(side)],
            v2.RandomShortestSize(side),
            albumentations=alb.SmallestMaxSize(side),
            within={PIL: 0.0},
        ),
        Row(
            "ScaleJitter",
            [t.ScaleJitter(side, (1.0, 1.0))],
            v2.ScaleJitter(square, (1.0, 1.0)),
            albumentations=alb.LongestMaxSize(side),
        ),
        Row(
            "CenterCrop",
            [t.CenterCrop(side)],
            lambda image: F.center_crop(image, square),
            albumentations=alb.CenterCrop(side, side),
            kornia=lambda image: kornia.geometry.center_crop(image, square),
            within={PIL: 0.0, TENSOR: 0.0},  # the others round half pixels to another side
        ),
        Row("RandomCrop", [t.RandomCrop(side)], v2.RandomCrop(side), albumentations=alb.RandomCrop(side, side)),
        Row(
            "RandomResizedCrop",
            [t.RandomResizedCrop(side)],
            v2.RandomResizedCrop(side),
            albumentations=alb.RandomResizedCrop(square),
        ),
        Row("DirectRandomResizedCrop", [t.DirectRandomResizedCrop(side)]),
        Row("ResizeShortCropLong", [t.ResizeShortCropLong(side)]),
        Row("RandomIoUCrop", [t.RandomIoUCrop(sampler_options=(0.0,))]),
        Row(
            "Pad 16, reflect",
            [t.Pad(16, padding_mode="reflect")],
            lambda image: F.pad(image, [16], padding_mode="reflect"),
            albumentations=alb.Pad(16, border_mode=cv2.BORDER_REFLECT_101),
            kornia=lambda image: torch.nn.functional.pad(image, (16, 16, 16, 16), "reflect"),
            within=EXACT_MOVE,
        ),
        Row("RandomEmbed", [t.RandomEmbed((height + 32, width + 32))]),
        Row("RandomZoomOut", [t.RandomZoomOut(side_range=(1.5, 1.5), p=1.0)], v2.RandomZoomOut(0, (1.5, 1.5), p=1.0)),
    ]


def moves(height: int, width: int) -> list[Row]:
    del height, width
    return [
        Row(
            "RandomHorizontalFlip",
            [t.RandomHorizontalFlip(1.0)],
            F.hflip,
            albumentations=alb.HorizontalFlip(p=1.0),
            kornia=kornia.geometry.hflip,
            within=EXACT_MOVE,
        ),
        Row(
            "RandomVerticalFlip",
            [t.RandomVerticalFlip(1.0)],
            F.vflip,
            albumentations=alb.VerticalFlip(p=1.0),
            kornia=kornia.geometry.vflip,
            within=EXACT_MOVE,
        ),
        Row("RandomRotate90", [t.RandomRotate90(1.0)], albumentations=alb.RandomRotate90(p=1.0)),
        Row(
            "RandomPatchShuffle",
            [t.RandomPatchShuffle([0.25], p=1.0)],
            albumentations=alb.RandomGridShuffle((4, 4), p=1.0),
        ),
    ]


def warps(height: int, width: int) -> list[Row]:
    corners = [[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]]
    moved = [[width // 8, height // 8], [width - 1, 0], [width - 1, height - 1], [0, height - 1 - height // 8]]
    turned = torch.tensor(ANGLE)
    points = [torch.tensor([each], dtype=torch.float32) for each in (corners, moved)]

    def perspective(image: torch.Tensor) -> torch.Tensor:
        matrix = kornia.geometry.get_perspective_transform(*points)
        return kornia.geometry.warp_perspective(image, matrix, (height, width))

    return [
        Row(
            "RandomRotation, nearest",
            [t.RandomRotation((ANGLE, ANGLE))],
            lambda image: F.rotate(image, ANGLE, NEAREST),
            albumentations=alb.Rotate((ANGLE, ANGLE), cv2.INTER_NEAREST, p=1.0),
            kornia=lambda image: kornia.geometry.rotate(image, turned, mode="nearest"),
            within={PIL: 0.0, TENSOR: 1.0},
        ),
        Row(
            "RandomRotation, bilinear",
            [t.RandomRotation((ANGLE, ANGLE), "bilinear")],
            lambda image: F.rotate(image, ANGLE, BILINEAR),
            albumentations=alb.Rotate((ANGLE, ANGLE), cv2.INTER_LINEAR, p=1.0),
            kornia=lambda image: kornia.geometry.rotate(image, turned),
            within={PIL: 0.0, TENSOR: 2.0},
        ),
        Row(
            "RandomAffine, nearest",
            [t.RandomAffine((ANGLE, ANGLE), scale=(SCALE, SCALE))],
            lambda image: F.affine(image, ANGLE, [0, 0], SCALE, [0.0], NEAREST),
            albumentations=alb.Affine(scale=SCALE, rotate=(-ANGLE, -ANGLE), interpolation=cv2.INTER_NEAREST, p=1.0),
            within={PIL: 0.0, TENSOR: 1.0},
        ),
        Row(
            "RandomAffine, bilinear",
            [t.RandomAffine((ANGLE, ANGLE), scale=(SCALE, SCALE), interpolation="bilinear")],
            lambda image: F.affine(image, ANGLE, [0, 0], SCALE, [0.0], BILINEAR),
            albumentations=alb.Affine(scale=SCALE, rotate=(-ANGLE, -ANGLE), interpolation=cv2.INTER_LINEAR, p=1.0),
            within={PIL: 0.0, TENSOR: 2.0},
        ),
        Row(
            "RandomPerspective, bilinear",
            [t.RandomPerspective(0.25, p=1.0)],
            lambda image: F.perspective(image, corners, moved, BILINEAR),
            albumentations=alb.Perspective((0.1, 0.1), p=1.0),
            kornia=perspective,
        ),
        Row(
            "RandomZoom",
            [t.RandomZoom(p=1.0, zoom=(0.75, 0.75))],
            albumentations=alb.Affine(scale=(0.75, 0.75), p=1.0),
        ),
        Row(
            "ElasticTransform",
            [t.ElasticTransform()],
            v2.ElasticTransform(),
            albumentations=alb.ElasticTransform(50, 5, p=1.0),
            kornia=kornia.augmentation.RandomElasticTransform(kernel_size=(41, 41), sigma=(5.0, 5.0), p=1.0),
        ),
        Row(
            "OpticalDistortion",
            [t.OpticalDistortion(0.3)],
            albumentations=alb.OpticalDistortion((0.3, 0.3), p=1.0),
        ),
    ]
