#!/usr/bin/python3
"""pages.py OUT FOLDER... [--exclude FILE]: collects the pages on which the line finder is trained, from folders of ground truth in PAGE or ALTO.

Each folder becomes a collection with its name. OUT/NAME.u8 has the pages in grey, row after row, scaled so that the median line is
40 pixels high. OUT/NAME.jsonl describes each page: its offset, its size, and its lines as [baseline, up, down], where up and down
are the distances to which the letters of the line reach above and below its baseline. FILE lists the file names of images on
which accuracy is measured; they are left out."""
import argparse
import json
import os
import re
from xml.etree import ElementTree

import numpy as np
from PIL import Image, ImageDraw

Image.MAX_IMAGE_PIXELS = None
TALL = 40            # height of the median line in a collected page, in pixels
MAX_PIXELS = 5e6     # of a collected page
IMAGES = ('.jpg', '.jpeg', '.png', '.tif', '.tiff')


def local(element):
    return element.tag.rpartition('}')[2]


def points(text):
    numbers = [float(v) for v in re.findall(r'-?\d+(?:\.\d+)?', text or '')]
    return list(zip(numbers[0::2], numbers[1::2]))


def parse(path):
    """Returns the name of the image, the width, the height, and the lines, [(baseline, polygon)], of a PAGE or ALTO file; None
    for other XML."""
    root = ElementTree.parse(path).getroot()
    image, width, height, lines = '', 0., 0., []
    if local(root) not in ('PcGts', 'alto'):
        return None
    for e in root.iter():
        name = local(e)
        if name == 'Page':
            image = e.get('imageFilename') or image
            width = float(e.get('imageWidth') or e.get('WIDTH') or 0)
            height = float(e.get('imageHeight') or e.get('HEIGHT') or 0)
        elif name == 'fileName':
            image = image or (e.text or '').strip()
        elif name == 'TextLine':
            baseline, polygon = points(e.get('BASELINE')), []
            for child in e:
                if local(child) == 'Baseline':
                    baseline = points(child.get('points'))
                elif local(child) == 'Coords':
                    polygon = points(child.get('points'))
                elif local(child) == 'Shape':
                    polygon = [p for q in child if local(q) == 'Polygon' for p in points(q.get('POINTS'))]
            lines.append((baseline, polygon))
    return image, width, height, lines


def heights(polygon, baseline):
    """Returns the distances to which a polygon reaches above its baseline (the 90th percentile of its columns) and below it
    (the 85th), or None if the polygon does not fit the baseline."""
    xs, ys = [p[0] for p in polygon], [p[1] for p in polygon]
    if len(polygon) < 3:
        return None
    x0, x1, y0, y1 = int(min(xs)), int(max(xs)) + 1, int(min(ys)), int(max(ys)) + 1
    if x1 - x0 < 12 or y1 - y0 < 8 or (x1 - x0) * (y1 - y0) > 4e7:
        return None
    mask = Image.new('L', (x1 - x0, y1 - y0), 0)
    ImageDraw.Draw(mask).polygon([(a - x0, b - y0) for a, b in polygon], fill=255, outline=255)
    inside = np.asarray(mask) > 0
    h, w = inside.shape
    base = sorted((a - x0, b - y0) for a, b in baseline)
    columns = np.arange(0, w, max(1, w // 200))
    columns = columns[inside.any(0)[columns]]
    if len(columns) < 3:
        return None
    at = np.interp(columns, [a for a, _ in base], [b for _, b in base])
    up = at - inside.argmax(0)[columns]
    down = h - 1 - inside[::-1].argmax(0)[columns] - at
    top, bottom = max(4, np.percentile(up, 90)), max(2, np.percentile(down, 85))
    if top > 6 * np.median(np.maximum(up, 1)) + 10:
        top = np.median(up) * 2
    return (float(top), float(bottom)) if 8 <= top + bottom <= h * 1.6 else None


def collect(path, image):
    """Returns the page in grey and its lines, or None if too few lines have a baseline and a height."""
    _, width, height, lines = parse(path)
    usable = [line for line in lines if len(line[0]) > 1]
    if len(usable) < 2 or len(usable) < .8 * len(lines):
        return None
    page = Image.open(image)
    w, h = page.size
    sx, sy = w / (width or w), h / (height or h)
    known = []
    for baseline, polygon in usable:
        baseline = [(x * sx, y * sy) for x, y in baseline]
        known.append((baseline, heights([(x * sx, y * sy) for x, y in polygon], baseline)))
    tall = [sum(k) for _, k in known if k]
    if len(tall) < 2:
        return None
    scale = min(TALL / float(np.median(tall)), 1.5, (MAX_PIXELS / (w * h)) ** .5)
    size = max(32, round(w * scale)), max(32, round(h * scale))
    grey = page.convert('L').resize(size, Image.BOX if scale < 1 else Image.BILINEAR)
    fx, fy = size[0] / w, size[1] / h
    rows = [[[[round(x * fx, 1), round(y * fy, 1)] for x, y in b], *([round(v * fy, 1) for v in k] if k else (0, 0))] for b, k in known]
    return np.asarray(grey), rows


def main():
    a = argparse.ArgumentParser()
    a.add_argument('out'), a.add_argument('folders', nargs='+'), a.add_argument('--exclude')
    o = a.parse_args()
    excluded = set(open(o.exclude, encoding='utf-8').read().split('\n')) if o.exclude else set()
    os.makedirs(o.out, exist_ok=True)
    for folder in o.folders:
        name = os.path.basename(os.path.normpath(folder))
        files = sorted(os.path.join(d, f) for d, _, names in os.walk(folder) for f in names)
        images = {os.path.basename(f): f for f in files if f.lower().endswith(IMAGES)}
        images.update({os.path.splitext(k)[0]: v for k, v in list(images.items())})
        at = pages = 0
        with open(f'{o.out}/{name}.u8', 'wb') as data, open(f'{o.out}/{name}.jsonl', 'w') as rows:
            for path in files:
                if not path.lower().endswith('.xml'):
                    continue
                try:
                    parsed = parse(path)
                    if not parsed:
                        continue
                    stem = os.path.splitext(os.path.basename(path))[0]
                    image = images.get(os.path.basename(parsed[0].replace('\\', '/'))) or images.get(stem)
                    if not image or os.path.basename(image) in excluded:
                        continue
                    got = collect(path, image)
                except (ElementTree.ParseError, OSError, ValueError) as e:
                    print(f'{path}: {e}')
                    continue
                if got:
                    grey, lines = got
                    data.write(grey.tobytes())
                    rows.write(json.dumps({'o': at, 'w': grey.shape[1], 'h': grey.shape[0], 'page': os.path.basename(image), 'lines': lines}) + '\n')
                    at, pages = at + grey.size, pages + 1
        print(f'{name}: {pages} pages')


if __name__ == '__main__':
    main()
