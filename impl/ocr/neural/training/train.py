#!/usr/bin/python3
"""train.py --lines FOLDER... --base MODEL.uhm --out OUT.uhm --state FOLDER [--minutes N] [--passes N] [--rate R] [--threads N] [--metadata JSON] [--printed]
         [--device cuda] [--columns N] [--channels N,N,N,N,N] [--hidden N]

Trains a line model from a base model on the lines of folders. `uncial train` calls it; package training describes the
folder. Each line of standard output is a JSON object: {"kind": "start" | "note" | "progress" | "sample" | "done" | "error", ...}.
SIGINT and SIGTERM save the state and end it with status 3; the same command continues from there."""
import argparse
import collections
import copy
import io
import json
import math
import os
import random
import signal
import sys
import time

import torch
import torch.nn.functional as F

import augment
import lines
import modelfile

MIN_OCCURRENCES = 3        # lines that must have a character before the model learns it
MIN_LINES = 3000           # minimum number of lines seen, however many passes that takes: for two pages, more than forty
COLUMNS = 8192             # columns of a batch; --columns changes those of the batches that are trained on
AVERAGE = .995             # decay of the moving average of the weights; the average is the model that is written
SAVE_EVERY = 60            # seconds
MAX_MEASURING_SHARE = .05  # largest share of the time spent measuring the error
MAX_HELD = 200             # largest number of lines that the error is measured on


def has_bfloat16():
    """Reports whether the processor supports 16-bit arithmetic (BF16), which halves the time of training."""
    try:
        with open('/proc/cpuinfo', encoding='ascii', errors='replace') as f:
            return 'avx512_bf16' in f.read()
    except OSError:
        return False


def say(kind, **values):
    print(json.dumps({'kind': kind, **values}, ensure_ascii=False), flush=True)


def distance(a, b):
    """Returns the edit distance of two texts."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (x != y))
    return row[-1]


class Alphabet:
    def __init__(self, characters):
        self.characters = characters
        self.index = {c: i for i, c in enumerate(characters, 1)}

    def encode(self, text):
        return torch.tensor([self.index[c] for c in text])

    def decode(self, classes):
        out, before = [], 0
        for c in classes:
            if c != before and c:
                out.append(self.characters[c - 1])
            before = c
        return ''.join(out)


def learnable(base, train):
    """Returns the alphabet (that of the base model, and new characters that occur in enough lines), the new characters, and those that are
    too rare."""
    counts = collections.Counter(c for line in train for c in set(line.text))
    fresh = sorted(c for c, n in counts.items() if c not in base and n >= MIN_OCCURRENCES)
    return Alphabet([*base, *fresh]), fresh, sorted(c for c, n in counts.items() if c not in base and n < MIN_OCCURRENCES)


def loss_of(scores, texts, alphabet):
    """Returns the mean CTC loss per character."""
    targets = [alphabet.encode(t) for t in texts]
    sizes = torch.tensor([len(t) for t in targets])
    steps = torch.full((len(texts),), scores.shape[0])
    return F.ctc_loss(scores.log_softmax(-1), torch.cat(targets), steps, sizes, reduction='sum', zero_infinity=True) / sizes.sum()


def reasons(left):
    return ', '.join(f'{reason}: {n}' for reason, n in sorted(left.items())) or 'there are none'


class Trainer:
    def __init__(self, o):
        self.o = o
        metadata, tensors = modelfile.read(o.base)
        train, held, left = lines.load(o.lines)
        old = json.loads(metadata['alphabet'])
        self.alphabet, fresh, rare = learnable(old, train)
        whole = [line for line in train if all(c in self.alphabet.index for c in line.text)]
        if len(whole) < len(train):
            left['characters that occur too rarely'] = len(train) - len(whole)
        if not whole:
            raise ValueError('no line is left to train on')
        if not held:
            raise ValueError(f'none of the lines that were held back to measure the error can be used ({reasons(left)}); transcribe more lines')
        self.train, self.held = whole, [held[i * len(held) // MAX_HELD] for i in range(MAX_HELD)] if len(held) > MAX_HELD else held
        wide = [int(n) for n in o.channels.split(',')] if o.channels else None
        self.net = modelfile.network(tensors, old, self.alphabet.characters, wide, o.hidden)
        self.mean = copy.deepcopy(self.net).eval()
        self.net.to(memory_format=torch.channels_last)
        self.base = metadata
        self.bfloat16 = o.device != 'cpu' or has_bfloat16()
        self.total = max(MIN_LINES, int(o.passes * len(whole)))
        self.seen, self.step, self.spent, self.before, self.curve = 0, 0, 0.0, None, []
        groups = [{'params': [p for n, p in self.net.named_parameters() if (p.dim() > 1 and 'gain' not in n) == decays], 'weight_decay': .01 * decays}
                  for decays in (True, False)]
        self.optimizer = torch.optim.AdamW(groups, lr=o.rate, betas=(.9, .98))
        self.resume()
        say('start', lines=len(whole), held=len(self.held), left_out=left, new=fresh, rare=rare)

    @property
    def state(self):
        return os.path.join(self.o.state, 'state.pt')

    def resume(self):
        if not os.path.exists(self.state):
            return
        s = torch.load(self.state, weights_only=False)  # a file of this program
        if s.get('base') != self.base['sha256']:
            say('note', message=f'{self.state} was made from another base model; the training starts anew')
            return
        if s['alphabet'] != self.alphabet.characters or s['lines'] != len(self.train):
            raise ValueError(f'{self.state} was made from other lines; delete it or choose another --out')
        try:
            for module, key in ((self.net, 'net'), (self.mean, 'mean'), (self.optimizer, 'optimizer')):
                module.load_state_dict(s[key])
        except RuntimeError as e:
            raise ValueError(f'{self.state} was made by another version, or with other sizes; delete it or choose another --out') from e
        self.seen, self.step, self.spent, self.before, self.curve = s['seen'], s['step'], s['spent'], s['before'], s['curve']

    def save(self):
        content = io.BytesIO()
        torch.save({'net': self.net.state_dict(), 'mean': self.mean.state_dict(), 'optimizer': self.optimizer.state_dict(),
                    'seen': self.seen, 'step': self.step, 'spent': self.spent, 'before': self.before, 'curve': self.curve,
                    'base': self.base['sha256'], 'alphabet': self.alphabet.characters, 'lines': len(self.train)}, content)
        modelfile.store(self.state, content.getbuffer())

    def error(self):
        """Returns the share of wrong characters in the lines that are held back, and some of these lines with the model's readings."""
        wrong = characters = 0
        samples = []
        with torch.no_grad():
            for batch in lines.batches(self.held, COLUMNS, random.Random(1)):
                best = self.mean(lines.collate(batch).to(self.o.device)).argmax(-1).t().tolist()
                for line, classes in zip(batch, best):
                    read = lines.normal(self.alphabet.decode(classes))
                    wrong += distance(line.text, read)
                    characters += len(line.text)
                    samples.append({'page': line.page, 'text': line.text, 'read': read})
        random.Random(2).shuffle(samples)
        return wrong / max(characters, 1), samples[:12]

    def progress(self):
        """Returns the share of the run that is over, 0 to 1: that of the lines or that of the time, whichever is larger."""
        return min(1.0, max(self.seen / self.total, self.spent / 60 / self.o.minutes))

    def learn(self, batch):
        rate = self.o.rate * min(1, (self.step + 1) / 50) * (.01 + .99 * .5 * (1 + math.cos(math.pi * self.progress())))
        for group in self.optimizer.param_groups:
            group['lr'] = rate
        ink = augment.augment(lines.collate(batch).to(self.o.device), self.o.printed).contiguous(memory_format=torch.channels_last)
        with torch.autocast(self.o.device, torch.bfloat16, enabled=self.bfloat16):
            scores = self.net(ink)
        loss = loss_of(scores.float(), [line.text for line in batch], self.alphabet)
        self.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
        self.optimizer.step()
        self.step += 1
        self.seen += len(batch)
        keep = min(AVERAGE, (self.step + 1) / (self.step + 10))
        with torch.no_grad():
            for mean, now in zip(self.mean.parameters(), self.net.parameters()):
                mean.lerp_(now, 1 - keep)

    def run(self, stopped):
        """Trains to the end, or until stopped() is true. Returns whether it reached the end."""
        started = time.monotonic()
        if self.before is None:
            self.before = self.error()[0]
            self.save()  # so that a full disk is noticed now and not after the training
        began, spent, saved, told = time.monotonic(), self.spent, time.monotonic(), 0.0
        pause = max(SAVE_EVERY, (began - started) / MAX_MEASURING_SHARE)
        self.net.train()
        while self.progress() < 1:
            for batch in lines.batches(self.train, self.o.columns, random.Random(self.step)):
                self.learn(batch)
                now = time.monotonic()
                self.spent = spent + now - began
                if stopped():
                    self.save()
                    return False
                if now - told > 2:
                    told, share = now, self.progress()
                    say('progress', share=share, left=self.spent * (1 - share) / max(share, 1e-3))
                if now - saved > pause:
                    error, samples = self.error()
                    self.curve.append([self.seen, error])
                    self.save()
                    say('sample', error=error, samples=samples[:3])
                    saved = time.monotonic()
                if self.progress() >= 1:
                    break
        return True

    def finish(self):
        error, samples = self.error()
        self.curve.append([self.seen, error])
        metadata = {**{k: v for k, v in self.base.items() if k in ('licence',)}, **json.loads(self.o.metadata), 'base': self.base.get('version', ''),
                    'lines': str(len(self.train)), 'error_before': f'{self.before:.4f}', 'error': f'{error:.4f}'}
        self.save()
        modelfile.write(self.o.out, self.mean, self.alphabet.characters, metadata)
        say('done', error=error, before=self.before, seconds=self.spent, curve=self.curve, samples=samples)


def main():
    a = argparse.ArgumentParser()
    a.add_argument('--lines', nargs='+', required=True)
    for name in ('base', 'out', 'state'):
        a.add_argument('--' + name, required=True)
    a.add_argument('--minutes', type=float, default=60)
    a.add_argument('--passes', type=float, default=20)
    a.add_argument('--rate', type=float, default=8e-4)
    a.add_argument('--threads', type=int, default=2)
    a.add_argument('--metadata', default='{}')
    a.add_argument('--printed', action='store_true', help='the lines are print, not handwriting')
    a.add_argument('--device', default='cpu', help='cpu or cuda')
    a.add_argument('--columns', type=int, default=COLUMNS, help='columns of a batch')
    a.add_argument('--channels', default='', help='channels of the convolutions of a network wider than the base model')
    a.add_argument('--hidden', type=int, default=0, help='units of its LSTM layers')
    o = a.parse_args()
    if o.device != 'cpu':
        torch.set_default_device(o.device)  # needs PyTorch 2
    torch.set_num_threads(o.threads)
    torch.manual_seed(1)
    random.seed(1)
    stop = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.append(True))
    trainer = Trainer(o)
    if not trainer.run(lambda: bool(stop)):
        say('error', message='interrupted; the state is saved')
        return 3
    trainer.finish()
    return 0


if __name__ == '__main__':
    try:
        sys.exit(main())
    except (OSError, ValueError, RuntimeError) as e:
        say('error', message=str(e))
        sys.exit(1)
