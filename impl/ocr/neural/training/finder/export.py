#!/usr/bin/python3
"""export.py WEIGHTS.npz OUT.uff VERSION: writes a model file with the 16-bit form of the weights that train.py exported."""
import hashlib
import json
import os
import struct
import sys

import numpy as np

source, path, version = sys.argv[1:4]
header, parts, at = {}, [], 0
with np.load(source) as weights:
    for name in weights.files:
        raw = weights[name].astype(np.float16).tobytes()
        header[name] = {'dtype': 'F16', 'shape': list(weights[name].shape), 'data_offsets': [at, at + len(raw)]}
        parts.append(raw)
        at += len(raw)
data = b''.join(parts)
header['__metadata__'] = {
    'format': 'uncial-finder-1', 'version': version, 'licence': 'CC-BY-SA-4.0', 'sha256': hashlib.sha256(data).hexdigest()}
text = json.dumps(header).encode()
text += b' ' * (-len(text) % 8)
with open(path + '.part', 'wb') as f:
    f.write(struct.pack('<Q', len(text)) + text + data)
os.replace(path + '.part', path)
