"""The lines of a training folder, as `uncial train` cuts them: lines.jsonl has the position of each line in lines.u8, and its text."""
import json
import random
import re
import unicodedata

import numpy as np
import torch

HEIGHT = 48
MARGIN = 16          # columns of paper on both sides, as in reading
NARROWEST_LETTER = 4  # pixels; a line with more characters than fit into its width was cut wrongly
NOT_A_TEXT = re.compile(r'\u27e6|\u27e7')  # brackets with which editions mark illegible text


class Line:
    """A line. ink has 48 rows of bytes, from 0 (paper) to 255 (ink)."""

    def __init__(self, ink, text, page, held):
        self.ink, self.text, self.page, self.held = ink, text, page, held

    @property
    def width(self):
        return self.ink.shape[1]


def normal(text):
    """Returns the text in composed form (NFC), with single spaces."""
    return re.sub(r'\s+', ' ', unicodedata.normalize('NFC', text)).strip()


def load(folders):
    """Returns the lines to train on, the lines that are held back, and the number of lines that were left out, by reason."""
    train, held, left = [], [], {}
    for folder in folders:
        load_folder(folder, train, held, left)
    return train, held, left


def load_folder(folder, train, held, left):
    """Adds the lines of a folder to the results of load."""
    data = np.memmap(f'{folder}/lines.u8', np.uint8, 'r')
    with open(f'{folder}/lines.jsonl', encoding='utf-8') as rows:
        for row in map(json.loads, rows):
            text, width = normal(row['text']), row['width']
            if not text or NOT_A_TEXT.search(text):
                reason = 'no text that can be read'
            elif width < NARROWEST_LETTER * len(text):
                reason = 'more text than fits its width'
            else:
                at = row['offset']
                line = Line(data[at:at + HEIGHT * width].reshape(HEIGHT, width), text, row['page'], row['held'])
                (held if row['held'] else train).append(line)
                continue
            left[reason] = left.get(reason, 0) + 1


def batches(lines, pixels, rng: random.Random):
    """Returns batches of lines of about equal width, in random order. The lines of a batch have at most `pixels`
    columns in all."""
    order = list(lines)
    rng.shuffle(order)
    out = []
    for chunk in (order[i:i + 1024] for i in range(0, len(order), 1024)):
        chunk.sort(key=lambda line: line.width)
        batch = []
        for line in chunk:
            if batch and (len(batch) + 1) * (line.width + 2 * MARGIN) > pixels:
                out.append(batch)
                batch = []
            batch.append(line)
        out.append(batch)
    rng.shuffle(out)
    return out


def collate(batch):
    """Returns lines x 1 x 48 x width, 0 for paper to 1 for ink, with paper on both sides. The width is a multiple of 32."""
    width = (max(line.width for line in batch) + 2 * MARGIN + 31) // 32 * 32
    x = np.zeros((len(batch), 1, HEIGHT, width), np.float32)
    for row, line in zip(x, batch):
        row[0, :, MARGIN:MARGIN + line.width] = line.ink
    return torch.from_numpy(x / 255)
