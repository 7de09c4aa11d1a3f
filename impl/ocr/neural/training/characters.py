#!/usr/bin/python3
"""characters.py --lines FOLDER... --base MODEL.uhm --out OUT.uhm --characters TEXT [--minutes N] [--lower NUMBER]
         [--lower-more CHARACTERS=NUMBER...] [--threads N] [--metadata JSON]

Teaches a model characters that it lacks or misreads, and changes nothing else except by rounding: only the rows of the output layer for
these characters are trained. The folders (see lines.py) should hold lines with the characters, and several times as many without them,
also of rare and poor type. The output of the other layers is computed once and kept in memory, about 400 KB for each line. At the end,
--lower is subtracted from the biases of the characters, so that they are not read in spots and worn letters. --lower-more names characters
from which a further number is subtracted. The program prints, for an eighth of the pages that are held back, how many of the characters
are read and how many are read wrongly."""
import argparse
import json
import random
import time

import torch

import lines
import modelfile
import train

NEW_BIAS = -8        # of a character that the model lacks, so that at first it is never read
HELD = 8             # one page in so many is held back
RATE = 2e-2
WARM_UP = 30         # steps


class Rows:
    """The rows of the output layer for some characters; the other rows are fixed."""

    def __init__(self, out, index):
        self.index = torch.tensor(index)
        self.fixed_weight, self.fixed_bias = out.weight.detach().clone(), out.bias.detach().clone()
        self.weight = self.fixed_weight[self.index].requires_grad_()
        self.bias = self.fixed_bias[self.index].requires_grad_()

    def scores(self, features):
        with torch.no_grad():
            fixed = features @ self.fixed_weight.T + self.fixed_bias
        return fixed.index_copy(2, self.index, features @ self.weight.T + self.bias)


def features_of(net, chosen):
    """Returns the input of the output layer for each batch of lines, steps x lines x values, with the texts of the lines."""
    found = []
    with torch.no_grad(), torch.autocast('cpu', torch.bfloat16, enabled=train.has_bfloat16()):
        for batch in lines.batches(chosen, train.COLUMNS, random.Random(1)):
            found.append((net.features(lines.collate(batch)).to(torch.bfloat16), [line.text for line in batch]))
    return found


def learn(rows, batches, alphabet, minutes):
    optimizer = torch.optim.AdamW([rows.weight, rows.bias], lr=RATE, weight_decay=1e-3)
    order, began, step = random.Random(2), time.monotonic(), 0
    while True:
        order.shuffle(batches)
        for features, texts in batches:
            share = (time.monotonic() - began) / (60 * minutes)
            if share >= 1:
                return
            optimizer.param_groups[0]['lr'] = RATE * min(1, (step + 1) / WARM_UP) * (1.01 - share)
            loss = train.loss_of(rows.scores(features.float()), texts, alphabet)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1


def measure(rows, batches, alphabet, characters):
    """Returns how many of the characters the lines have, how many of these are read, and how many are read that are not there."""
    there = read = false = 0
    with torch.no_grad():
        for features, texts in batches:
            for text, classes in zip(texts, rows.scores(features.float()).argmax(-1).t().tolist()):
                found = alphabet.decode(classes)
                for c in characters:
                    there += text.count(c)
                    read += min(text.count(c), found.count(c))
                    false += max(0, found.count(c) - text.count(c))
    return there, read, false


def main():
    a = argparse.ArgumentParser()
    a.add_argument('--lines', nargs='+', required=True)
    for name in ('base', 'out', 'characters'):
        a.add_argument('--' + name, required=True)
    a.add_argument('--minutes', type=float, default=12)
    a.add_argument('--lower', type=float, default=4)
    a.add_argument('--lower-more', nargs='*', default=[], metavar='CHARACTERS=NUMBER')
    a.add_argument('--threads', type=int, default=2)
    a.add_argument('--metadata', default='{}')
    o = a.parse_args()
    torch.set_num_threads(o.threads)
    o.characters = ''.join(dict.fromkeys(o.characters))
    lowered = dict.fromkeys(o.characters, o.lower)
    for option in o.lower_more:
        characters, separator, number = option.rpartition('=')
        if not separator or not set(characters) <= set(lowered):
            a.error(f'--lower-more: {option}: expected characters of --characters, "=" and a number')
        lowered.update(dict.fromkeys(characters, o.lower + float(number)))
    metadata, tensors = modelfile.read(o.base)
    old = json.loads(metadata['alphabet'])
    alphabet = train.Alphabet([*old, *(c for c in o.characters if c not in old)])
    net = modelfile.network(tensors, old, alphabet.characters).eval()
    with torch.no_grad():
        for c in set(o.characters) - set(old):
            net.out.weight[alphabet.index[c]], net.out.bias[alphabet.index[c]] = 0, NEW_BIAS
    known = set(alphabet.index)
    found = [line for part in lines.load(o.lines)[:2] for line in part if set(line.text) <= known]
    pages = sorted({line.page for line in found})
    random.Random(5).shuffle(pages)
    held = set(pages[:len(pages) // HELD])
    if not held:
        a.error(f'--lines: at least {HELD} pages with lines in characters that the model has or is to learn are needed')
    rows = Rows(net.out, [alphabet.index[c] for c in o.characters])
    learn(rows, features_of(net, [line for line in found if line.page not in held]), alphabet, o.minutes)
    with torch.no_grad():
        rows.bias -= torch.tensor([lowered[c] for c in o.characters])
        net.out.weight[rows.index], net.out.bias[rows.index] = rows.weight, rows.bias
    print('%d of the characters in lines that were held back; %d read, %d false' % measure(
        rows, features_of(net, [line for line in found if line.page in held]), alphabet, o.characters))
    modelfile.write(o.out, net, alphabet.characters, {**{k: v for k, v in metadata.items() if k == 'licence'}, 'base': metadata.get('version', ''), **json.loads(o.metadata)})


if __name__ == '__main__':
    main()
