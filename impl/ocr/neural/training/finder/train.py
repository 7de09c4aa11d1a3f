#!/usr/bin/python3
"""train.py DATA OUT --minutes N [--unseen NAME...] [--init CHECKPOINT] [--export FILE.npz]

Trains the line finder on the pages that pages.py collected, on one core. If it is interrupted, the same command continues the training.
Collections named by --unseen are used only for measuring. --export writes the averaged weights every four minutes, with the
normalization folded in."""
import argparse
import copy
import os
import time

import numpy as np
import torch
from torch.nn import functional as F
from torch.utils.data import DataLoader, IterableDataset

import crops
from network import Finder

class Crops(IterableDataset):
    def __init__(self, pages, seed):
        self.pages, self.seed = pages, seed
        names = list(pages.sets)
        p = np.array([len(pages.sets[n][1]) for n in names]) ** .5
        self.weights = names, p / p.sum()

    def __iter__(self):
        rng = np.random.default_rng(self.seed)
        while True:
            yield crops.sample(self.pages, rng, self.weights)


def loss_of(out, maps):
    base, ends = maps[:, 0], maps[:, 1]
    p = torch.sigmoid(out[:, 0])
    dice = 1 - (2 * (p * base).sum((1, 2)) + 20) / (p.sum((1, 2)) + base.sum((1, 2)) + 20)
    line = F.binary_cross_entropy_with_logits(out[:, 0], base, pos_weight=torch.tensor(2.)) + .5 * dice.mean()
    end = F.binary_cross_entropy_with_logits(out[:, 1], ends, pos_weight=torch.tensor(4.))
    known = (maps[:, 2] > 0).float()
    tall = (F.smooth_l1_loss(out[:, 2:], maps[:, 2:], reduction='none', beta=.2) * known[:, None]).sum() / (known.sum() + 1)
    return line + 2 * end + .3 * tall, line.item(), end.item(), tall.item()


def split(pages, unseen):
    """Removes the pages that are held back from pages, and returns them: every twentieth page of each collection, and every
    eighth of those in unseen, of which no page is trained on."""
    held = {}
    for name, (data, rows) in list(pages.sets.items()):
        held[name] = (data, rows[::8] if name in unseen else rows[::20])
        rest = [] if name in unseen else [r for i, r in enumerate(rows) if i % 20]
        if rest:
            pages.sets[name] = (data, rest)
        else:
            del pages.sets[name]
    return held


def check(net, held, unseen):
    """Returns the overlap (Dice) of true and found baselines and the error of the heights, on fixed crops of seen and of unseen
    collections."""
    net.eval()
    scores = {}
    rng = np.random.default_rng(7)
    view = crops.Pages.__new__(crops.Pages)
    view.sets = held
    for name, (_, rows) in held.items():
        for row in rows[:6]:
            grey, maps = crops.crop(view.page(name, row), row['lines'], rng, 32)
            x = torch.from_numpy(crops.scaled(crops.ink_of(grey)))[None, None]
            with torch.no_grad():
                out = net(x)[0].numpy()
            p, t = 1 / (1 + np.exp(-out[0])) > .4, maps[0] > 0
            known = maps[2] > 0
            tall = np.abs(out[2:, known] - maps[2:, known]).mean() / maps[2:, known].sum(0).mean() if known.any() else 0
            scores.setdefault('unseen' if name in unseen else 'seen', []).append((2 * (p & t).sum() / (p.sum() + t.sum() + 1), tall))
    net.train()
    return {k: np.mean(v, 0).round(4).tolist() for k, v in scores.items()}


def main():
    a = argparse.ArgumentParser()
    a.add_argument('data'), a.add_argument('out'), a.add_argument('--minutes', type=float, default=60)
    a.add_argument('--init'), a.add_argument('--rate', type=float, default=2e-3), a.add_argument('--batch', type=int, default=4)
    a.add_argument('--export'), a.add_argument('--unseen', nargs='*', default=[])
    o = a.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    os.makedirs(o.out, exist_ok=True)
    pages = crops.Pages(o.data)
    held = split(pages, o.unseen)
    net = Finder().to(memory_format=torch.channels_last)
    if o.init:
        net.load_state_dict(torch.load(o.init))
    ema = copy.deepcopy(net)
    opt = torch.optim.AdamW(net.parameters(), lr=o.rate, weight_decay=1e-3)
    spent, step = 0., 0
    last = f'{o.out}/last.pt'
    if os.path.exists(last):
        s = torch.load(last, weights_only=False)
        net.load_state_dict(s['net']), ema.load_state_dict(s['ema']), opt.load_state_dict(s['opt'])
        spent, step = s['spent'], s['step']
    loader = iter(DataLoader(Crops(pages, 1 + step), batch_size=o.batch, num_workers=1, prefetch_factor=4))
    log = open(f'{o.out}/log.tsv', 'a')
    began, saved, sums = time.time(), time.time(), np.zeros(4)
    net.train()
    while True:
        share = min(1, (spent + time.time() - began) / 60 / o.minutes)
        rate = o.rate * min(1, (step + 1) / 200) * max(.01, .5 * (1 + np.cos(np.pi * share)))
        for g in opt.param_groups:
            g['lr'] = rate
        x, maps = next(loader)
        x = x.to(memory_format=torch.channels_last)
        with torch.autocast('cpu', dtype=torch.bfloat16):
            out = net(x)
        loss, *parts = loss_of(out.float(), maps)
        opt.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.)
        opt.step()
        step += 1
        sums += [loss.item(), *parts]
        keep = min(.998, 1 - 1 / (step + 1) ** .75)
        with torch.no_grad():
            for e, n in zip(ema.state_dict().values(), net.state_dict().values()):
                if e.dtype.is_floating_point:
                    e.lerp_(n, 1 - keep)
                else:
                    e.copy_(n)
        if step % 100 == 0:
            print(step, f'{(spent + time.time() - began) / 60:.1f} min', f'{rate:.5f}', (sums / 100).round(4).tolist(), flush=True)
            sums[:] = 0
        done = share >= 1
        if done or time.time() - saved > 240:
            saved = time.time()
            torch.save(dict(net=net.state_dict(), ema=ema.state_dict(), opt=opt.state_dict(), spent=spent + time.time() - began, step=step), last + '.part')
            os.replace(last + '.part', last)
            torch.save(ema.state_dict(), f'{o.out}/ema.pt')
            score = check(ema, held, o.unseen)
            print('check', step, score, flush=True)
            log.write(f'{step}\t{(spent + time.time() - began):.0f}\t{score}\n'), log.flush()
            if o.export:
                np.savez(o.export + '.part.npz', **ema.folded())
                os.replace(o.export + '.part.npz', o.export)
        if done:
            break


main()
