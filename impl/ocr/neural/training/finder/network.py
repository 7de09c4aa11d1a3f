"""The network of the line finder: a small U-Net of 18 convolutions. Its input is the ink of a page, and its output four maps at half the size:
the logits of a baseline and of the end of a line, and the heights above and below the baseline in units of 16 pixels.
impl/ocr/neural/finder.go runs the same network."""
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

WIDTHS = (16, 32, 64, 96, 128)


def shapes(widths=WIDTHS):
    """Returns the numbers of input and output channels of every convolution, in the order of the model file."""
    a, b, c, d, e = widths
    return [(1, a), (a, a), (a, b), (b, b), (b, c), (c, c), (c, d), (d, d), (d, e), (e, d),
            (d, d), (d, c), (c, c), (c, b), (b, b), (b, a), (a, a), (a, 4)]


class Finder(nn.Module):
    def __init__(self, widths=WIDTHS):
        super().__init__()
        self.widths = widths
        pairs = shapes(widths)
        self.conv = nn.ModuleList(
            nn.Conv2d(i, o, 5 if n == 0 else 3, 2 if n == 0 else 1, 2 if n == 0 else 1, bias=n == len(pairs) - 1)
            for n, (i, o) in enumerate(pairs))
        self.norm = nn.ModuleList(nn.BatchNorm2d(o, momentum=.02) for _, o in pairs[:-1])
        for conv in self.conv:
            nn.init.kaiming_normal_(conv.weight, nonlinearity='relu')
        nn.init.normal_(self.conv[-1].weight, std=.01)
        self.conv[-1].bias.data = torch.tensor([-3., -5., 1.2, .6])

    def forward(self, x):
        step = lambda n, v: F.relu(self.norm[n](self.conv[n](v)))
        up = lambda v: F.interpolate(v, scale_factor=2, mode='nearest')
        x = F.pad(x, (2, 2, 2, 2), value=-.432)
        x = F.relu(self.norm[0](F.conv2d(x, self.conv[0].weight, stride=2)))
        skips = [step(1, x)]
        for n in (2, 4, 6):
            skips.append(step(n + 1, step(n, F.max_pool2d(skips[-1], 2))))
        x = step(9, step(8, F.max_pool2d(skips[-1], 2)))
        for n in (10, 12, 14):
            x = step(n + 1, step(n, up(x) + skips.pop()))
        return self.conv[17](step(16, up(x) + skips.pop()))

    def folded(self):
        """Returns the weights and biases with the normalization folded in, as impl/ocr/neural/finder.go expects them."""
        out = {}
        for n, conv in enumerate(self.conv):
            w = conv.weight.detach().float().numpy()
            if n < len(self.norm):
                b = self.norm[n]
                g = (b.weight / (b.running_var + b.eps).sqrt()).detach().numpy()
                out[f'c{n}.weight'] = w * g[:, None, None, None]
                out[f'c{n}.bias'] = (b.bias.detach().numpy() - b.running_mean.numpy() * g)
            else:
                out[f'c{n}.weight'], out[f'c{n}.bias'] = w, conv.bias.detach().numpy()
        return {k: np.ascontiguousarray(v, dtype=np.float32) for k, v in out.items()}
