#!/usr/bin/python3
"""pairs.py FOLDER --pairs DIR... --model MODEL.uhm [--without PREFIX...] [--seed N]

Writes a training folder (lines.u8 and lines.jsonl; see lines.py) from pairs of the image of one line of print and its text: NAME.png
and NAME.gt.txt. The texts are written as the network for print writes them. Pairs whose name begins with a PREFIX are left out.
A tenth of the pages, which are NAME up to its last _, is held back. Needs python3-numpy and python3-pil."""
import argparse
import glob
import json
import os
import random
import re
import unicodedata

import numpy as np
from PIL import Image

import modelfile
from lines import HEIGHT
from render import GREEK, MAX_WIDTH, PLAIN

HELD = 10  # one of so many pages is held back


def written(text):
    """Returns a text as the network writes it: composed, with plain signs, and without spaces before signs that close."""
    text = unicodedata.normalize('NFC', text).translate(PLAIN)
    return re.sub(r'\s+', ' ', re.sub(r' (?=[;:?!])', '', text)).strip()


def ink_of(path, rng):
    """Returns 48 rows of bytes from 0 (paper) to 255 (ink). The line gets a margin above and below, as lines have when a page is read."""
    with Image.open(path) as image:
        grey = image.convert('L')
    up, down = (round(grey.height * rng.uniform(0, .14)) for _ in range(2))
    paper, black = np.percentile(np.asarray(grey), (75, 1.5))
    whole = Image.new('L', (grey.width, grey.height + up + down), int(paper))
    whole.paste(grey, (0, up))
    width = max(16, round(whole.width * HEIGHT / whole.height))
    ink = (paper - np.asarray(whole.resize((width, HEIGHT), Image.LANCZOS)).astype(np.float32)) * (255 / max(paper - black, 30))
    return np.clip(ink, 0, 255).astype(np.uint8)


def main():
    a = argparse.ArgumentParser()
    a.add_argument('folder')
    a.add_argument('--pairs', nargs='+', required=True)
    a.add_argument('--model', required=True, help='a model of print, for its alphabet')
    a.add_argument('--without', nargs='*', default=[])
    a.add_argument('--seed', type=int, default=1)
    o = a.parse_args()
    rng = random.Random(o.seed)
    alphabet = set(json.loads(modelfile.read(o.model)[0]['alphabet'])) | {'·'}
    os.makedirs(o.folder, exist_ok=True)
    offset, left, pages = 0, 0, {}
    with open(f'{o.folder}/lines.u8', 'wb') as pixels, open(f'{o.folder}/lines.jsonl', 'w', encoding='utf-8') as rows:
        for path in sorted(p for d in o.pairs for p in glob.glob(f'{d}/*.gt.txt')):
            name = os.path.basename(path).removesuffix('.gt.txt')
            if name.startswith(tuple(o.without)):
                continue
            with open(path, encoding='utf-8') as f:
                text = written(f.read())
            ink = ink_of(path.removesuffix('.gt.txt') + '.png', rng)
            if not text or ink.shape[1] > MAX_WIDTH or any(c not in alphabet and not GREEK.match(c) for c in text):
                left += 1
                continue
            page = name.rpartition('_')[0]
            held = pages.setdefault(page, len(pages) % HELD == 0)
            pixels.write(ink.tobytes())
            rows.write(json.dumps({'offset': offset, 'width': ink.shape[1], 'text': text, 'page': page, 'held': held}, ensure_ascii=False) + '\n')
            offset += ink.size
    print(f'{len(pages)} pages; {left} lines were left out, because they are empty, too long, or have characters that the model lacks')


if __name__ == '__main__':
    main()
