#!/usr/bin/python3
"""texts.py OUT FOLDER... [--share S] [--exclude FILE...]: extracts lines of text for a character model from the TEI files of editions.

It divides paragraphs at spaces into lines about as long as those of handwritten letters. It leaves out notes, headings and corrections by
editors. With --share, it takes a share S of the paragraphs, always the same ones. Each FILE is the ground truth of a page on which
accuracy is measured: paragraphs that share a passage with it are left out, and so are works with several such paragraphs."""
import argparse
import html
import pathlib
import random
import re
import unicodedata

SHORTEST, LONGEST = 30, 62   # characters of a line
PASSAGE = 24                 # successive letters that only copies of the same text have in common
MAX_COPIES = 2               # paragraphs of a work that may share a passage with measured pages
MIN_PARAGRAPH = 20           # characters
LEFT_OUT = re.compile(r'<(note|fw|head|reg|expan)\b[^>]*?(/>|>.*?</\1>)', re.S)
PARAGRAPH = re.compile(r'</?(p|l|div|lg|sp|speaker|salute|opener|closer|dateline)\b[^>]*>')
PLAIN = str.maketrans({'’': "'", '‘': "'", '“': '"', '”': '"', '„': '"', '—': '-', '–': '-', '‐': '-', '‑': '-', 'ſ': 's', '…': '...'})


def paragraphs(tei):
    """Returns the paragraphs of the text of a TEI file."""
    body = re.split(r'<text[\s>]', tei, maxsplit=1)[-1]
    body = PARAGRAPH.sub('\n', re.sub(r'\s+', ' ', LEFT_OUT.sub(' ', body)))
    plain = html.unescape(re.sub(r'<[^>]*>', '', re.sub(r'<[lpc]b\b[^>]*>', ' ', body)))
    lines = (re.sub(r'\s+', ' ', unicodedata.normalize('NFC', p.translate(PLAIN))).strip() for p in plain.split('\n'))
    return [p for p in lines if len(p) >= MIN_PARAGRAPH]


def letters(text):
    """Returns the letters of a text in lower case without accents, with u for v and i for j, so that copies can be compared."""
    text = unicodedata.normalize('NFD', text.lower()).replace('ſ', 's').replace('v', 'u').replace('j', 'i')
    return re.sub('[^a-z]', '', text)


def passages(text, step):
    text = letters(text)
    return (text[i:i + PASSAGE] for i in range(0, len(text) - PASSAGE + 1, step))


def lines(paragraph, rnd):
    line, longest = '', rnd.randint(SHORTEST, LONGEST)
    for word in paragraph.split(' '):
        if line and len(line) + 1 + len(word) > longest:
            yield line
            line, longest = word, rnd.randint(SHORTEST, LONGEST)
        else:
            line = f'{line} {word}' if line else word
    yield line


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('out')
    parser.add_argument('folders', nargs='+', type=pathlib.Path)
    parser.add_argument('--share', type=float, default=1)
    parser.add_argument('--exclude', nargs='*', default=[], type=pathlib.Path)
    args = parser.parse_args()
    measured = {p for name in args.exclude for p in passages(name.read_text(encoding='utf-8'), 1)}
    rnd, written = random.Random(1), 0
    with open(args.out, 'w', encoding='utf-8') as out:
        for name in sorted(f for folder in args.folders for f in folder.rglob('*.xml')):
            kept, copies = [], 0
            for p in paragraphs(name.read_text(encoding='utf-8')):
                if not measured.isdisjoint(passages(p, PASSAGE // 2)):
                    copies += 1
                elif rnd.random() < args.share:
                    kept.append(p)
            if copies > MAX_COPIES:
                print(f'{name}: left out; {copies} paragraphs share a passage with measured pages')
                continue
            for p in kept:
                for line in lines(p, rnd):
                    out.write(line + '\n')
                    written += 1
    print(written, 'lines')


if __name__ == '__main__':
    main()
