#!/usr/bin/python3
"""render.py FOLDER --texts FILE... --fonts FILE... --model MODEL.uhm --lines N [--characters TEXT] [--greek FILE... --greek-fonts FILE...]
         [--signs] [--seed N]

Renders lines of print for training, and writes them as a training folder (lines.u8 and lines.jsonl; see lines.py). Each line of a
text file is a paragraph. A font is used for texts whose characters it has; four fifths of the texts in fonts with a long s are
written with it. Fonts whose file name contains "mono", "type" or "courier" are drawn as typescript, letter by letter. With --greek,
most lines hold Greek, alone or among words of the other texts, as in a commentary; it is set in a font of its own. With --signs, all
lines hold signs such as £, ½ and †, or what resembles them. Needs
python3-torch, python3-numpy, python3-pil and python3-fonttools."""
import argparse
import json
import os
import random
import re
import sys
import unicodedata

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont
from fontTools.ttLib import TTFont, TTLibError

import modelfile
from lines import HEIGHT

# How the model writes what is drawn.
PLAIN = str.maketrans({'’': "'", '‘': "'", '“': '"', '”': '"', '„': '"', '‚': "'", '–': '—', '―': '—', '…': '...', 'ʼ': "'", '᾽': "'", '\xa0': ' ', '¬': '-', '‐': '-'})
TYPESCRIPT = re.compile('mono|type|courier', re.I)
MAX_WIDTH = 2200      # columns of a line
LETTER_WIDTH = 4.2    # columns, at least, on average
MAX_TRIES = 100       # for each line
GREEK = re.compile('[\u0370-\u03ff\u1f00-\u1fff]')


class Font:
    """A font file, and the characters that it has."""

    def __init__(self, path):
        self.path, self.typescript = path, bool(TYPESCRIPT.search(os.path.basename(path)))
        self.has = {chr(c) for c in TTFont(path, lazy=True).getBestCmap() or {}}

    def at(self, size):
        return ImageFont.truetype(self.path, size)


def long_s(text):
    """Returns the text with a long s for each s before a letter."""
    return re.sub(r's(?=[^\W\d_])', 'ſ', text)


def early_spelling(text):
    """Returns the text with u and v, i and j, and "et" as printers set them before 1700, each in half of the texts."""
    for pattern, letter in ((r'(?<=\w)v(?=\w)', 'u'), (r'\bu(?=\w)', 'v'), ('j', 'i'), (r'\bet\b', '&')):
        if random.random() < .5:
            text = re.sub(pattern, letter, text)
    return text


def number():
    a, b = random.randint(1, 9999), random.randint(1, 31)
    return random.choice([
        f'{a}', f'{b}.{b % 12 + 1}.19{b + 10}', f'({a})', f'No. {a}', f'p. {a}', f'{a}/{b}', f'§ {b}', f'18{b + 10}', f'{b},{a % 90 + 10}', f'{b})',
        f'${a}', f'$ {b}.{a % 90 + 10}', f'£{b}', f'£ {a}', f'{b}%', f'{a} %', f'#{b}', f'€{a}',
    ])


def fraction():
    return random.choice('½½½¼¼¾')


def sign():
    """Returns a sign beside a number, or alone, as accounts, tables and notes have it."""
    a, b, c = random.randint(1, 9999), random.randint(1, 19), random.randint(0, 11)
    return random.choice([
        f'£{a}', f'£ {a}', f'£{b},{a:03d}', f'£{b}. {b}. {c}.', f'£{b} {b}s. {c}d.', f'£{b} {b}s. {c}{fraction()}d.', f'£{a}:{b}:{c}', f'(£{a})',
        '£ s. d.', '£. s. d.', '£', f'{c}{fraction()}d.', f'{b}{fraction()}', f'{b}{fraction()} lbs.', fraction(), f'{b} {fraction()} per cent.',
        f'@ {b}s.', f'@ {c}{fraction()}d.', f'{b} @ {c}d.', f'§ {b}', f'§. {b}.', f'§{b}', f'§§ {b}, {c}', '§', f'¶ {b}', '¶',
        f'† See p. {a}', '† Ibid.', '‡ Ibid.', '†', '‡', f'* See p. {a}', f'† {b}', f'‡ {b}', f'{b}°', f'{b}° {c}', f'{b} × {c}', f'${a}', f'$ {b}.{a % 90 + 10}',
        f'${b}', f'${b},{a:03d}', f'$ {a}', f'${c}.{a % 90 + 10}', f'{b} %', f'{b}%', f'{c}{fraction()} %', f'{b}.{c}%', f'{a % 100} %', f'#{b}', f'# {a}',
    ])


def resembling():
    """Returns what resembles a sign beside a number, or is written in its place."""
    b = random.randint(1, 99)
    return random.choice([
        f'f {b}', f'f. {b}', f'E {b}', f'L {b}', f'l. {b}', f'{b}96', f'{b} 90', f'S {b}', f'8 {b}', f'{b}S', f'+ {b}', f't {b}', f'& {b}', f'a {b}', f'P {b}', '1/2', '1/4',
        '3/4', f'{b}/4', '& c.', f'{b}*', f'{b} x {b}', f'1 {b}',
    ])


def with_signs(paragraphs, font):
    """Returns some words of a paragraph among one to three signs and what resembles them."""
    words = part(paragraphs, 0, 6)[:60].split() if random.random() < .9 else []
    if 'ſ' in font.has and not font.typescript and random.random() < .35:
        words = long_s(' '.join(words)).split()
    for _ in range(random.randint(1, 3)):
        s, at = sign() if random.random() < .75 else resembling(), random.randint(0, len(words))
        if s in '†‡*§¶' and at and random.random() < .6:
            words[at - 1] += s
        elif s in '†‡*§¶' and at < len(words) and random.random() < .4:
            words[at] = s + words[at]
        else:
            words.insert(at, s)
    return ' '.join(words)


def part(paragraphs, least, most):
    """Returns some successive words of a paragraph."""
    words = random.choice(paragraphs).split(' ')
    count = random.randint(least, most)
    first = random.randrange(max(1, len(words) - count + 1))
    return ' '.join(words[first:first + count])


def commentary(paragraphs, greek):
    """Returns Greek, alone or among words of other paragraphs, as a commentary has it."""
    if random.random() < .4:
        text = part(greek, 2, 9)
    else:
        text, turn = '', random.random() < .5
        for _ in range(random.randint(2, 4)):
            text += part(greek if turn else paragraphs, 1, 4) + random.choice(['', '', '', ',', ':', '.', ']', ')', ' ('] if turn else ['', '', '', ',', ':', ' (']) + ' '
            turn = not turn
    text = text.replace('( ', '(')
    if random.random() < .15:
        text = random.choice([f'{random.randint(1, 1999)}. {text}', f'{text} {random.randint(1, 1999)}'])
    if random.random() < .05:  # as names of speakers are set, without accents
        text = unicodedata.normalize('NFC', ''.join(c for c in unicodedata.normalize('NFD', text.upper()) if not unicodedata.combining(c)))
    return text


def phrase(paragraphs, font, greek, signs):
    """Returns a part of a paragraph as it might be set in a font, among signs on request. greek has paragraphs in Greek, or is empty."""
    if signs:
        return with_signs(paragraphs, font)
    if greek and random.random() < .8:
        return re.sub(r'\s+', ' ', commentary(paragraphs, greek)[:90]).strip()
    text = part(paragraphs, 2, 12)[:90]
    if 'ſ' in font.has and not font.typescript and random.random() < .8:
        text = long_s(early_spelling(text) if random.random() < .5 else text)
    if random.random() < .1:
        text = random.choice([f'{number()} {text}', f'{text} {number()}'])
    if random.random() < .05:
        text = text.upper()
    elif random.random() < .05:
        text += '-'
    return re.sub(r'\s+', ' ', text).strip()


def runs(text):
    """Divides a text into Greek and other runs; returns each with whether it is Greek."""
    out = []
    for c in text:
        is_greek = bool(GREEK.match(c)) if c.isalpha() or not out else out[-1][1]
        if out and out[-1][1] == is_greek:
            out[-1][0] += c
        else:
            out.append([c, is_greek])
    return out


def drawn(text, font, greek):
    """Returns a picture of the text, 0 for paper to 255 for ink, with the text's right end and its size. Its left end is at size, its baseline at 2 * size.
    Greek is set in the font greek."""
    size = random.randint(26, 52)
    faces = font.at(size), greek.at(round(size * random.uniform(.92, 1.08)))
    if not font.typescript and random.random() < .75:
        pieces, gap, blank = runs(text), 0, 1
    else:
        pieces = [(c, is_greek) for run, is_greek in runs(text) for c in run]
        gap = size * (random.uniform(-.03, .03) if font.typescript else random.choice([random.uniform(-.02, .04)] * 3 + [random.uniform(.08, .22)]))
        blank = 1 if font.typescript else random.uniform(.9, 1.3)
    advances = [faces[is_greek].getlength(piece) * (blank if piece == ' ' else 1) + gap for piece, is_greek in pieces]
    image = Image.new('L', (int(sum(advances)) + 2 * size + 10, 3 * size))
    draw, x, uneven = ImageDraw.Draw(image), size, font.typescript and random.random() < .6
    for (piece, is_greek), advance in zip(pieces, advances):
        ink = int(min(255, max(90, random.gauss(225, 45)))) if uneven else 255
        lift, shift = (random.gauss(0, size * .018), random.gauss(0, size * .008)) if uneven else (0, 0)
        draw.text((x + shift, 2 * size + lift), piece, font=faces[is_greek], fill=ink, anchor='ls')
        x += advance
    return image, x, size


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


def line(paragraphs, fonts, greek, greek_fonts, signs, alphabet, rng):
    """Returns a line, 48 rows of bytes from 0 (paper) to 255 (ink), and its text as the model writes it; or None if the text is
    empty, font or model lack a character, or the line would be too long or too narrow."""
    font, for_greek = random.choice(fonts), random.choice(greek_fonts or fonts)
    text = phrase(paragraphs, font, greek, signs)
    written = text.translate(PLAIN)
    if not text or not set(written) <= alphabet or any(not set(run) <= (for_greek if is_greek else font).has for run, is_greek in runs(text)):
        return None
    image, right, size = drawn(text, font, for_greek)
    left, base = size, 2 * size
    rows = np.nonzero(np.asarray(image).max(1) > 40)[0]
    if not len(rows):
        return None
    up = max(base - rows[0], size * .5) * random.uniform(.95, 1.25)
    down = max(rows[-1] - base, size * .15) * random.uniform(.95, 1.5)
    if random.random() < .5:  # as tall as a line with ascenders and descenders
        up, down = max(up, size * .72), max(down, size * .24)
    left, right = max(0, left - random.uniform(0, .3) * size), min(image.width, right + random.uniform(0, .3) * size)
    width = max(16, round((right - left) * HEIGHT / (up + down) * random.uniform(.88, 1.12)))
    if width > MAX_WIDTH or width < LETTER_WIDTH * len(written):
        return None
    image = Image.fromarray((np.clip(worn(image, size, rng), 0, 1) * 255).astype(np.uint8))
    tilt = random.gauss(0, .012) * (up + down)
    corners = (left, base - up - tilt, left, base + down - tilt, right, base + down + tilt, right, base - up + tilt)
    ink = np.asarray(image.transform((width, HEIGHT), Image.QUAD, corners, Image.BICUBIC)).astype(np.float32)
    paper, black = np.percentile(ink, (25, 98.5))
    return np.clip((ink - paper) * (255 / max(black - paper, 30)), 0, 255).astype(np.uint8), written


def paragraphs_of(parser, name, paths):
    """Returns the paragraphs of the text files that an option names."""
    found = []
    for path in paths:
        with open(path, encoding='utf-8') as f:
            found += filter(None, map(str.strip, f))
    if paths and not found:
        parser.error(f'{name}: the files are empty')
    return found


def fonts_of(parser, name, paths):
    """Returns the fonts of the files that an option names."""
    found = []
    for path in paths:
        try:
            found.append(Font(path))
        except TTLibError as e:
            parser.error(f'{name}: {path}: {e}')
    return found


def main():
    a = argparse.ArgumentParser()
    a.add_argument('folder')
    a.add_argument('--texts', nargs='+', required=True)
    a.add_argument('--fonts', nargs='+', required=True)
    a.add_argument('--model', required=True, help='a model of print, for its alphabet')
    a.add_argument('--lines', type=int, required=True)
    a.add_argument('--characters', default='', help='characters that the model lacks and is to learn')
    a.add_argument('--greek', nargs='+', default=[], help='texts in Greek')
    a.add_argument('--greek-fonts', nargs='+', default=[], help='fonts for them')
    a.add_argument('--signs', action='store_true', help='each line has signs such as £, ½ and †, or what resembles them')
    a.add_argument('--seed', type=int, default=1)
    o = a.parse_args()
    random.seed(o.seed)
    rng = np.random.default_rng(o.seed)
    if o.lines < 1:
        a.error('--lines must be at least 1')
    alphabet = set(json.loads(modelfile.read(o.model)[0]['alphabet'])) | set(o.characters)
    if bool(o.greek) != bool(o.greek_fonts):
        a.error('--greek and --greek-fonts belong together')
    paragraphs, greek = (paragraphs_of(a, name, paths) for name, paths in (('--texts', o.texts), ('--greek', o.greek)))
    fonts, greek_fonts = (fonts_of(a, name, paths) for name, paths in (('--fonts', o.fonts), ('--greek-fonts', o.greek_fonts)))
    alphabet.update(c for c in set(''.join(greek)) if GREEK.match(c) or c == '·')
    os.makedirs(o.folder, exist_ok=True)
    offset = done = tried = 0
    with open(f'{o.folder}/lines.u8', 'wb') as pixels, open(f'{o.folder}/lines.jsonl', 'w', encoding='utf-8') as rows:
        while done < o.lines:
            tried += 1
            if tried > MAX_TRIES * (done + MAX_TRIES):
                sys.exit('hardly any text could be rendered: fonts or model lack its characters, or its words are too long')
            made = line(paragraphs, fonts, greek, greek_fonts, o.signs, alphabet, rng)
            if made is None:
                continue
            ink, text = made
            pixels.write(ink.tobytes())
            rows.write(json.dumps({'offset': offset, 'width': ink.shape[1], 'text': text, 'page': 'rendered', 'held': done % 100 == 99}, ensure_ascii=False) + '\n')
            offset, done = offset + ink.size, done + 1


if __name__ == '__main__':
    main()
