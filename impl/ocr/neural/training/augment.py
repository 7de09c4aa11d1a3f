"""Augmentation: changes a batch of lines in the ways in which pens, scans and line finders differ."""
import random

import torch
import torch.nn.functional as F


def uniform(low, high, *shape):
    return low + (high - low) * torch.rand(*shape)


def augment(x, printed=False):
    """x: lines x 1 x 48 x width, 0 paper to 1 ink; the result may be up to a seventh narrower or a fifth wider. Print is slanted
    and bent less than handwriting, and no part of it is covered."""
    x = add_neighbours(x)
    x = warp(x, .2, .5, 1.3, .03, 2) if printed else warp(x, .45, .7, 1.2, .05, 3.5)
    x = stroke(x)
    n = len(x)
    x = x.clamp(0, 1) ** uniform(.65, 1.5, n, 1, 1, 1) * uniform(.6, 1.1, n, 1, 1, 1)
    if not printed:
        x = occlude(x)
    grain = .09 * torch.rand(n, 1, 1, 1) * (torch.rand(n, 1, 1, 1) < .5)
    return x + torch.randn_like(x) * grain + uniform(0, .15, n, 1, 1, 1) * (torch.rand(n, 1, 1, 1) < .3)


def add_neighbours(x):
    """Adds ink of another line of the batch at the upper or lower edge of some lines."""
    n, _, height, _ = x.shape
    if n == 1:
        return x
    shift = random.randint(int(.62 * height), int(.85 * height))
    other, seen = x.roll(1, 0), torch.zeros_like(x)
    if random.random() < .5:
        seen[:, :, :height - shift] = other[:, :, shift:]
    else:
        seen[:, :, shift:] = other[:, :, :height - shift]
    return torch.maximum(x, seen * (torch.rand(n, 1, 1, 1) < .3) * uniform(.5, 1, n, 1, 1, 1))


def warp(x, most_slant, slanted, smallest, lift, drift):
    """Slants, shifts and bends each line, and changes its height. The whole batch is stretched, and single lines are squeezed
    within it. A fraction `slanted` of the lines leans by up to `most_slant`. Letters become between 1/smallest and 1/.84 times
    as tall. lift and drift are the standard deviations of the waves: up and down as a share of half the height, and sideways
    in half pixels."""
    n, _, height, old = x.shape
    width = max(64, int(old * random.uniform(.86, 1.2)) // 16 * 16)
    squeeze, tall = uniform(1, 1.12, n, 1, 1), uniform(.84, smallest, n, 1, 1)
    slant = uniform(-most_slant, most_slant, n, 1, 1) * (torch.rand(n, 1, 1) < slanted)
    place = uniform(-.14, .14, n, 1, 1)
    ys, xs = torch.linspace(-1, 1, height).view(1, -1, 1), torch.linspace(-1, 1, width).view(1, 1, -1)
    waves = max(2, width // 60)

    def wave(count, size):
        points = torch.randn(n, 1, 3, count) * size
        return F.interpolate(points, (height, width), mode='bilinear', align_corners=True)[:, 0]

    y = ys * tall + place + wave(waves, lift)
    x_at = (xs + 1) * squeeze - 1 + slant * ys * (height / old) + wave(2 * waves, drift / old)
    return F.grid_sample(x, torch.stack((x_at, y), -1), align_corners=True)


def stroke(x):
    """Makes strokes thicker, thinner or blurred."""
    pick, share = random.random(), torch.rand(len(x), 1, 1, 1)
    if pick < .3:
        return torch.where(share < .4, F.max_pool2d(x, 3, 1, 1), x)
    if pick < .5:
        return torch.where(share < .3, -F.max_pool2d(-x, 3, 1, 1), x)
    if pick < .75:
        return torch.where(share < .6, F.avg_pool2d(x, 3, 1, 1), x)
    return x


def occlude(x):
    """Covers blocks with paper or with a blot, so that the model learns to read letters from parts of them."""
    n, _, height, width = x.shape
    columns, rows = torch.arange(width).view(1, 1, 1, -1), torch.arange(height).view(1, 1, -1, 1)
    for _ in range(max(1, width // 220)):
        left, wide = torch.rand(n, 1, 1, 1) * width, uniform(4, 26, n, 1, 1, 1)
        top, tall = torch.rand(n, 1, 1, 1) * height * .8, uniform(.15, 1.2, n, 1, 1, 1) * height
        inside = (torch.rand(n, 1, 1, 1) < .45) & (columns >= left) & (columns < left + wide) & (rows >= top) & (rows < top + tall)
        x = torch.where(inside, torch.rand(n, 1, 1, 1) * (torch.rand(n, 1, 1, 1) < .3), x)
    return x
