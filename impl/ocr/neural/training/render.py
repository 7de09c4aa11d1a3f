#!/usr/bin/python3
"""render.py FOLDER --texts FILE... --fonts FILE... --model MODEL.uhm --lines N [--seed N]

Renders lines of print for training, and writes them as a training folder (lines.u8 and lines.jsonl; see lines.py). Each paragraph
of the text files is a line of the file. A font is used for texts whose characters it has; fonts with a long s also get texts with
the spelling of before 1800. Names of fonts with "mono", "type" or "courier" are drawn as typescript, letter by letter. Needs
python3-pil and python3-fonttools."""
import argparse
import json
import os
import random
import re

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont
from fontTools.ttLib import TTFont

import modelfile

HEIGHT = 48
PLAIN = str.maketrans({'’': "'", '‘': "'", '“': '"', '”': '"', '„': '"', '‚': "'", '–': '—', '―': '—', '…': '...', '\xa0': ' ', '¬': '-', '‐': '-'})
TYPESCRIPT = re.compile('mono|type|courier', re.I)
MAX_WIDTH = 2200          # columns of a line
NARROWEST_LETTER = 4.2    # columns


class Font:
    """A font file, and the characters of the model that it has."""

    def __init__(self, path, alphabet):
        self.path, self.typescript = path, bool(TYPESCRIPT.search(os.path.basename(path)))
        cmap = TTFont(path, lazy=True).getBestCmap() or {}
        self.has = {c for c in alphabet if ord(c) in cmap}

    def at(self, size):
        return ImageFont.truetype(self.path, size)


def long_s(text):
    return re.sub(r's(?=[^\W\d_])', 'ſ', text)


def early_spelling(text):
    """Writes u and v, i and j, and "et" as printers did before 1700, each in some texts."""
    for pattern, letter in ((r'(?<=\w)v(?=\w)', 'u'), (r'\bu(?=\w)', 'v'), ('j', 'i'), (r'\bet\b', '&')):
        if random.random() < .5:
            text = re.sub(pattern, letter, text)
    return text


def number():
    a, b = random.randint(1, 9999), random.randint(1, 31)
    return random.choice([f'{a}', f'{b}.{b % 12 + 1}.19{b + 10}', f'({a})', f'No. {a}', f'p. {a}', f'{a}/{b}', f'§ {b}', f'18{b + 10}', f'{b},{a % 90 + 10}', f'{b})'])


def phrase(paragraphs, font):
    """Returns a part of a paragraph as it might be set in a font."""
    words = random.choice(paragraphs).translate(PLAIN).split(' ')
    count = random.randint(2, 12)
    first = random.randrange(max(1, len(words) - count + 1))
    text = ' '.join(words[first:first + count])[:90]
    if 'ſ' in font.has and random.random() < .8:
        text = long_s(early_spelling(text) if random.random() < .5 else text)
    if random.random() < .1:
        text = random.choice([f'{number()} {text}', f'{text} {number()}'])
    if random.random() < .05:
        text = text.upper()
    elif random.random() < .05:
        text += '-'
    return re.sub(r'\s+', ' ', text).strip()


def drawn(text, font):
    """Returns a picture of the text, 0 for paper to 255 for ink, with the text's left and right end, its baseline and its size."""
    size = random.randint(26, 52)
    face = font.at(size)
    if not font.typescript and random.random() < .75:
        width = int(face.getlength(text)) + 2 * size + 10
        image = Image.new('L', (width, 3 * size))
        ImageDraw.Draw(image).text((size, 2 * size), text, font=face, fill=255, anchor='ls')
        return image, size, width - size, 2 * size, size
    image = Image.new('L', (int(1.25 * sum(map(face.getlength, text))) + 2 * size + 40, 3 * size))
    draw, x, uneven = ImageDraw.Draw(image), size, font.typescript and random.random() < .6
    gap = size * (random.uniform(-.03, .03) if font.typescript else random.choice([random.uniform(-.02, .04)] * 3 + [random.uniform(.08, .22)]))
    blank = 1 if font.typescript else random.uniform(.9, 1.3)
    for c in text:
        ink = int(min(255, max(90, random.gauss(225, 45)))) if uneven else 255
        lift, shift = (random.gauss(0, size * .018), random.gauss(0, size * .008)) if uneven else (0, 0)
        draw.text((x + shift, 2 * size + lift), c, font=face, fill=ink, anchor='ls')
        x += face.getlength(c) * (blank if c == ' ' else 1) + gap
    return image, size, x, 2 * size, size


def worn(image, size, rng):
    """Returns the picture as greys from 0 to 1, with spread or thin ink, worn letters, stains, noise and the other side of the page."""
    chance = random.random()
    if chance < .25:
        image = image.filter(ImageFilter.MaxFilter(3))
    elif chance < .31 and size >= 42:
        image = image.filter(ImageFilter.MinFilter(3))
    a = np.asarray(image.filter(ImageFilter.GaussianBlur(random.uniform(.2, size * .045)))).astype(np.float32) / 255
    height, width = a.shape

    def clouds(step, strength):
        points = rng.standard_normal((height // step + 2, width // step + 2)).astype(np.float32)
        return np.asarray(Image.fromarray(points).resize((width, height), Image.BICUBIC)) * strength

    if random.random() < .6:
        a = a + clouds(random.randint(2, 5), random.uniform(.03, .3)) * (a > .08)
    if random.random() < .4:
        a = 1 / (1 + np.exp((random.uniform(.3, .5) - a) * random.uniform(4, 16)))
        a = (a - a.min()) / (a.max() - a.min() + 1e-6)
    if random.random() < .4:
        a = a + clouds(random.randint(20, 60), random.uniform(.02, .12))
    if random.random() < .3:
        a = a + rng.standard_normal(a.shape).astype(np.float32) * random.uniform(.01, .08)
    if random.random() < .2:
        a = np.maximum(a, np.roll(a[:, ::-1], random.randint(0, width), 1) * random.uniform(.1, .35))
    return a


def line(paragraphs, fonts, rng):
    """Returns a line, 48 rows of bytes from 0 (paper) to 255 (ink), and its text; or None if the font lacks a character, or the
    line would be too long or too narrow."""
    font = random.choice(fonts)
    text = phrase(paragraphs, font)
    if not text or not set(text) <= font.has:
        return None
    image, left, right, base, size = drawn(text, font)
    rows = np.nonzero(np.asarray(image).max(1) > 40)[0]
    if not len(rows):
        return None
    up = max(base - rows[0], size * .5) * random.uniform(.95, 1.25)
    down = max(rows[-1] - base, size * .15) * random.uniform(.95, 1.5)
    if random.random() < .5:  # as tall as a line with ascenders and descenders
        up, down = max(up, size * .72), max(down, size * .24)
    left, right = max(0, left - random.uniform(0, .3) * size), min(image.width, right + random.uniform(0, .3) * size)
    width = max(16, round((right - left) * HEIGHT / (up + down) * random.uniform(.88, 1.12)))
    if width > MAX_WIDTH or width < NARROWEST_LETTER * len(text):
        return None
    image = Image.fromarray((np.clip(worn(image, size, rng), 0, 1) * 255).astype(np.uint8))
    tilt = random.gauss(0, .012) * (up + down)
    corners = (left, base - up - tilt, left, base + down - tilt, right, base + down + tilt, right, base - up + tilt)
    ink = np.asarray(image.transform((width, HEIGHT), Image.QUAD, corners, Image.BICUBIC)).astype(np.float32)
    paper, black = np.percentile(ink, (25, 98.5))
    return np.clip((ink - paper) * (255 / max(black - paper, 30)), 0, 255).astype(np.uint8), text


def main():
    a = argparse.ArgumentParser()
    a.add_argument('folder')
    a.add_argument('--texts', nargs='+', required=True)
    a.add_argument('--fonts', nargs='+', required=True)
    a.add_argument('--model', required=True, help='a model of print, for its alphabet')
    a.add_argument('--lines', type=int, required=True)
    a.add_argument('--seed', type=int, default=1)
    o = a.parse_args()
    random.seed(o.seed)
    rng = np.random.default_rng(o.seed)
    alphabet = json.loads(modelfile.read(o.model)[0]['alphabet'])
    paragraphs = []
    for path in o.texts:
        with open(path, encoding='utf-8') as f:
            paragraphs += f.read().splitlines()
    fonts = [Font(path, alphabet) for path in o.fonts]
    os.makedirs(o.folder, exist_ok=True)
    offset = done = tried = 0
    with open(f'{o.folder}/lines.u8', 'wb') as pixels, open(f'{o.folder}/lines.jsonl', 'w', encoding='utf-8') as rows:
        while done < o.lines:
            tried += 1
            if tried > 100 * (done + 100):
                a.error('the fonts lack characters of nearly all texts')
            made = line(paragraphs, fonts, rng)
            if made is None:
                continue
            ink, text = made
            pixels.write(ink.tobytes())
            rows.write(json.dumps({'offset': offset, 'width': ink.shape[1], 'text': text, 'page': 'rendered', 'held': done % 100 == 99}, ensure_ascii=False) + '\n')
            offset, done = offset + ink.size, done + 1


if __name__ == '__main__':
    main()
