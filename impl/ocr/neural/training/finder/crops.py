"""Training data for the line finder: random crops of pages, with artefacts of scans, as ink and as the maps that the network
must return."""
import glob
import json
import math
import os

import numpy as np
from PIL import Image, ImageDraw, ImageFilter
from scipy.ndimage import median_filter

SIDE = 512   # of a crop, in pixels
BLOCK = 32   # side of a block whose paper is estimated, in pixels
TALL = 40    # height of the median line in the collected pages, in pixels


def ink_of(grey):
    """Returns how much darker each pixel is than the paper around it, 0 to 1, as relativeInk in impl/ocr/layout/finder.go
    does."""
    h, w = grey.shape
    rows, cols = -(-h // BLOCK), -(-w // BLOCK)
    full = np.full((rows * BLOCK, cols * BLOCK), np.nan, np.float32)
    full[:h, :w] = grey
    blocks = full.reshape(rows, BLOCK, cols, BLOCK).swapaxes(1, 2).reshape(rows, cols, -1)
    if h % BLOCK or w % BLOCK:
        paper = np.nanpercentile(blocks, 75, axis=2)
    else:
        k = int(.75 * (BLOCK * BLOCK - 1))
        paper = np.partition(blocks, k, axis=2)[:, :, k]
    padded = np.pad(paper, 1, constant_values=np.nan)
    near = np.stack([padded[y:y + rows, x:x + cols] for y in range(3) for x in range(3)])
    paper = np.nanmedian(near, axis=0).astype(np.float32)
    at = lambda n, m: np.clip((np.arange(n) + .5) / BLOCK - .5, 0, m - 1)
    y, x = at(h, rows), at(w, cols)
    y0, x0 = np.minimum(y.astype(int), max(rows - 2, 0)), np.minimum(x.astype(int), max(cols - 2, 0))
    y1, x1 = np.minimum(y0 + 1, rows - 1), np.minimum(x0 + 1, cols - 1)
    fy, fx = (y - y0)[:, None].astype(np.float32), (x - x0)[None].astype(np.float32)
    paper = (paper[y0][:, x0] * (1 - fx) + paper[y0][:, x1] * fx) * (1 - fy) + (paper[y1][:, x0] * (1 - fx) + paper[y1][:, x1] * fx) * fy
    return np.clip(1 - grey / np.maximum(paper, 40), 0, 1).astype(np.float32)


def scaled(ink):
    return (ink - .12) * 3.6


class Pages:
    def __init__(self, folder, names=None):
        self.sets = {}
        for path in sorted(glob.glob(f'{folder}/*.jsonl')):
            name = os.path.basename(path)[:-6]
            if names is None or name in names:
                rows = [json.loads(r) for r in open(path)]
                if rows:
                    self.sets[name] = (np.memmap(f'{folder}/{name}.u8', np.uint8, 'r'), rows)

    def page(self, name, row):
        data, _ = self.sets[name]
        return data[row['o']:row['o'] + row['w'] * row['h']].reshape(row['h'], row['w'])


def targets(lines, transform, side):
    """Returns the four maps of a crop, at half its size. transform converts points of the page to points of the crop."""
    n = side // 2
    base, ends = Image.new('L', (n, n), 0), Image.new('L', (n, n), 0)
    ups, downs = Image.new('F', (n, n), 0), Image.new('F', (n, n), 0)
    draws = [ImageDraw.Draw(i) for i in (base, ends, ups, downs)]
    for points, up, down in lines:
        p, scale = transform(points)
        p = p / 2
        if p[:, 0].max() < -n or p[:, 0].min() > 2 * n or p[:, 1].max() < -20 or p[:, 1].min() > n + 20:
            continue
        flat = [tuple(q) for q in p.tolist()]
        draws[0].line(flat, fill=255, width=3)
        for q in (flat[0], flat[-1]):
            draws[1].ellipse((q[0] - 3, q[1] - 3, q[0] + 3, q[1] + 3), fill=255)
        if up > 0:
            draws[2].line(flat, fill=up * scale / 16, width=3)
            draws[3].line(flat, fill=down * scale / 16, width=3)
    a = [np.asarray(i, np.float32) for i in (base, ends, ups, downs)]
    return np.stack([a[0] / 255, a[1] / 255, a[2], a[3]])


def crop(grey, lines, rng, height, angle=0., aspect=1., side=SIDE):
    """Returns a square of the page around a random line, scaled so that the median line is about height pixels high, and its
    maps."""
    f = height / TALL
    h, w = grey.shape
    if lines and rng.random() < .9:
        p = np.asarray(lines[rng.integers(len(lines))][0])
        k = rng.random()
        cx, cy = p[0] * (1 - k) + p[-1] * k
    else:
        cx, cy = rng.random() * w, rng.random() * h
    half = side / 2 / f
    cx, cy = cx + (rng.random() - .5) * half, cy + (rng.random() - .5) * half
    c, s = math.cos(angle) / f, math.sin(angle) / f
    a = np.array([[c * aspect, -s], [s * aspect, c]])       # from the crop to the page
    o = np.array([cx, cy]) - a @ np.array([side / 2, side / 2])
    reach = 1.5 * half * max(1, aspect) + 4
    x0, y0 = int(max(0, cx - reach)), int(max(0, cy - reach))
    x1, y1 = int(min(w, cx + reach)), int(min(h, cy + reach))
    part = Image.fromarray(np.ascontiguousarray(grey[y0:y1, x0:x1]))
    shrink = 1
    if f < .75:
        shrink = 2
        part = part.reduce(2)
    m = a / shrink
    q = (o - (x0, y0)) / shrink
    outside = int(rng.choice([0, 20, int(np.percentile(grey[y0:y1:8, x0:x1:8], 60)) if y1 > y0 and x1 > x0 else 200]))
    if part.width < 2 or part.height < 2:
        part = Image.new('L', (2, 2), outside)
    image = part.transform((side, side), Image.AFFINE, (m[0, 0], m[0, 1], q[0], m[1, 0], m[1, 1], q[1]), Image.BILINEAR, fillcolor=outside)
    inverse = np.linalg.inv(a)
    def transform(points):
        return (np.asarray(points, np.float64) - o) @ inverse.T, f
    return np.asarray(image, np.float32), targets(lines, transform, side)


def degrade(grey, rng):
    """Adds artefacts of scans: shade, ink that shows through, rules, blur, another contrast, noise."""
    side = grey.shape[0]
    if rng.random() < .5:
        low = np.asarray(Image.fromarray(rng.random((3, 3)).astype(np.float32)).resize((side, side), Image.BICUBIC))
        grey = grey * (1 - .45 * rng.random() * low)
    if rng.random() < .3:
        grey = grey - .35 * rng.random() * (255 - grey[:, ::-1])
    if rng.random() < .25:
        image = Image.fromarray(np.clip(grey, 0, 255).astype(np.uint8))
        draw = ImageDraw.Draw(image)
        tone = int(rng.integers(20, 170))
        for _ in range(rng.integers(1, 6)):
            p = rng.random() * side
            tilt = rng.normal() * 6
            ends = ((p, 0), (p + tilt, side)) if rng.random() < .6 else ((0, p), (side, p + tilt))
            draw.line(ends, fill=tone, width=int(rng.integers(1, 4)))
        grey = np.asarray(image, np.float32)
    if rng.random() < .2:
        image = Image.fromarray(np.clip(grey, 0, 255).astype(np.uint8))
        image = image.filter(ImageFilter.MinFilter(3) if rng.random() < .5 else ImageFilter.GaussianBlur(.4 + rng.random()))
        grey = np.asarray(image, np.float32)
    if rng.random() < .6:
        middle, gain = 200, .45 + 1. * rng.random()
        grey = middle + (grey - middle) * gain
    if rng.random() < .4:
        grey = 255 * (np.clip(grey, 1, 255) / 255) ** (.6 + .9 * rng.random())
    if rng.random() < .4:
        grey = grey + rng.normal(size=grey.shape).astype(np.float32) * (rng.random() * 12)
    return np.clip(grey, 0, 255)


def sample(pages, rng, weights):
    names, p = weights
    name = names[rng.choice(len(names), p=p)]
    data, rows = pages.sets[name]
    row = rows[rng.integers(len(rows))]
    height = float(np.clip(32 * math.exp(rng.normal() * .33), 14, 60))
    angle = rng.normal() * (.025 if rng.random() < .9 else .07)
    grey, maps = crop(pages.page(name, row), row['lines'], rng, height, angle, math.exp(rng.normal() * .06))
    if rng.random() < .8:
        grey = degrade(grey, rng)
    if rng.random() < .08:
        cut = int(rng.integers(64, SIDE - 64))        # the edge of a page, or the gutter
        other, more = crop(pages.page(name, row), row['lines'], rng, height)
        grey = np.concatenate([grey[:, :cut], other[:, :SIDE - cut]], 1)
        maps = np.concatenate([maps[:, :, :cut // 2], more[:, :, :(SIDE - cut // 2 * 2) // 2]], 2)
        grey = grey[:, :SIDE]
        if maps.shape[2] != SIDE // 2:
            maps = np.pad(maps, ((0, 0), (0, 0), (0, SIDE // 2 - maps.shape[2])))
        g = max(0, cut - 6)
        grey[:, g:cut + 6] *= np.linspace(1, .4, 12, dtype=np.float32)[:grey[:, g:cut + 6].shape[1]]
        maps[1, :, max(0, cut // 2 - 3):cut // 2 + 3] = np.maximum(maps[1, :, max(0, cut // 2 - 3):cut // 2 + 3], maps[0, :, max(0, cut // 2 - 3):cut // 2 + 3])
    return scaled(ink_of(grey))[None], maps
