"""Model files: reads one into a Network, and writes one. impl/ocr/neural/model.go reads the same files."""
import contextlib
import hashlib
import json
import os
import struct

import numpy as np
import torch

from network import Network

FORMAT = 'uncial-lines-1'
MAX_WEIGHT = 1e4  # largest absolute value of a weight, as in impl/ocr/neural/file.go
DTYPES = {'F16': np.float16, 'F32': np.float32}


def read(path):
    """Returns the metadata, and the tensors by name in 32 bits. The error is a ValueError if the file is not a model."""
    with open(path, 'rb') as f:
        data = f.read()
    try:
        return parse(path, data)
    except (AttributeError, KeyError, TypeError, struct.error, json.JSONDecodeError, UnicodeDecodeError) as e:
        raise ValueError(f'{path} is not a model file, or not in the format {FORMAT}') from e


def parse(path, data):
    """Returns what read returns. Errors of all kinds mean that the file is not a model."""
    length = struct.unpack('<Q', data[:8])[0]
    header, weights = json.loads(data[8:8 + length]), data[8 + length:]
    metadata = header.pop('__metadata__')
    if metadata['format'] != FORMAT or hashlib.sha256(weights).hexdigest() != metadata['sha256']:
        raise ValueError(f'{path} is damaged, or not in the format {FORMAT}')
    tensors = {}
    for name, t in header.items():
        begin, end = t['data_offsets']
        values = np.frombuffer(weights[begin:end], DTYPES[t['dtype']]).reshape(t['shape'])
        tensors[name] = torch.from_numpy(values.astype(np.float32))
    return metadata, tensors


def network(tensors, old, alphabet, channels=None, hidden=None):
    """Returns the network of a file, with output rows for the characters of alphabet. Rows of characters that the file lacks are random.
    channels and hidden, if given, are the sizes of a wider network; its outputs are at first those of the file's network."""
    narrow = [tensors[f'c{k}.weight'].shape[0] for k in range(1, 6)]
    layers = len({name.split('.')[1] for name in tensors if name.startswith('rnn.')})
    units = tensors['rnn.0.f.wh'].shape[1]
    net = Network(len(alphabet) + 1, channels or narrow, hidden or units, layers)
    wide = hidden or units
    both = [*range(units), *range(wide, wide + units)]  # the file's units in the output of both directions of a layer
    with torch.no_grad():
        for k, conv in enumerate(net.conv, 1):
            weight = tensors[f'c{k}.weight']
            plain = conv.plain()
            plain[:len(weight)] = 0
            plain[:len(weight), :weight.shape[1]] = weight
            conv.take(plain)
            conv.bias[:len(weight)] = tensors[f'c{k}.bias']
        for k, layer in enumerate(net.rnn):
            inputs = range(narrow[-1]) if k == 0 else both
            for short, suffix in (('f', ''), ('b', '_reverse')):
                own = [getattr(layer, name + suffix) for name in ('weight_ih_l0', 'weight_hh_l0', 'bias_ih_l0', 'bias_hh_l0')]
                own[3].zero_()
                for gate in range(4):
                    rows, file = slice(gate * wide, gate * wide + units), slice(gate * units, (gate + 1) * units)
                    own[0][rows], own[1][rows] = 0, 0
                    own[0][rows, inputs] = tensors[f'rnn.{k}.{short}.wi'][file].to(own[0])
                    own[1][rows, :units] = tensors[f'rnn.{k}.{short}.wh'][file].to(own[1])
                    own[2][rows] = tensors[f'rnn.{k}.{short}.bias'][file].to(own[2])
        rows = {c: i for i, c in enumerate(['', *old])}
        for i, c in enumerate(['', *alphabet]):
            if c in rows:
                net.out.weight[i] = 0
                net.out.weight[i, both] = tensors['out.weight'][rows[c]].to(net.out.weight)
                net.out.bias[i] = tensors['out.bias'][rows[c]]
    return net


def write(path, net, alphabet, metadata):
    """Writes the model with 16-bit weights. The file is written atomically. The error is a ValueError if weights cannot be read again."""
    tensors = {}
    for k, conv in enumerate(net.conv, 1):
        tensors[f'c{k}.weight'], tensors[f'c{k}.bias'] = conv.plain(), conv.bias
    for k, layer in enumerate(net.rnn):
        for short, suffix in (('f', ''), ('b', '_reverse')):
            name = f'rnn.{k}.{short}.'
            tensors[name + 'wi'] = getattr(layer, 'weight_ih_l0' + suffix)
            tensors[name + 'wh'] = getattr(layer, 'weight_hh_l0' + suffix)
            tensors[name + 'bias'] = getattr(layer, 'bias_ih_l0' + suffix) + getattr(layer, 'bias_hh_l0' + suffix)
    tensors['out.weight'], tensors['out.bias'] = net.out.weight, net.out.bias
    header, parts, at = {}, [], 0
    for name, t in tensors.items():
        values = t.detach().float().cpu().numpy()
        if not (np.abs(values) <= MAX_WEIGHT).all():  # also if one is not a number
            raise ValueError(f'the training failed: the weights {name} are not numbers, or too large; train again, with another --out')
        raw = values.astype(np.float16).tobytes()
        header[name] = {'dtype': 'F16', 'shape': list(t.shape), 'data_offsets': [at, at + len(raw)]}
        parts.append(raw)
        at += len(raw)
    weights = b''.join(parts)
    header['__metadata__'] = {
        **metadata, 'format': FORMAT, 'height': '48', 'sha256': hashlib.sha256(weights).hexdigest(),
        'alphabet': json.dumps(alphabet, ensure_ascii=False)}
    text = json.dumps(header, ensure_ascii=False).encode()
    text += b' ' * (-len(text) % 8)
    store(path, struct.pack('<Q', len(text)) + text + weights)


def store(path, content):
    """Writes a file atomically."""
    part = path + '.part'
    try:
        with open(part, 'wb') as f:
            f.write(content)
            f.flush()
            os.fsync(f.fileno())
        os.replace(part, path)
    except OSError as e:
        with contextlib.suppress(OSError):
            os.remove(part)
        raise OSError(f'{path} could not be written: {e.strerror}') from e
