"""The network that reads lines, for training. impl/ocr/neural/network.go runs the same layers."""
import math

import torch
import torch.nn.functional as F
from torch import nn

# Gain by which a convolution compensates for the variance lost in the preceding ReLU (Brock et al. 2021, table 1).
RELU_GAIN = math.sqrt(2 / (1 - 1 / math.pi))


class StandardizedConv(nn.Conv2d):
    """A convolution whose weights have mean 0 and fixed variance in each output channel. It trains without batch
    normalization, so batches may be as small as one line."""

    def __init__(self, inputs, outputs, side, stride=1):
        super().__init__(inputs, outputs, side, stride, side // 2)
        self.scale = 1.0 if inputs == 1 else RELU_GAIN
        self.gain = nn.Parameter(torch.ones(outputs, 1, 1, 1))
        nn.init.zeros_(self.bias)

    def plain(self):
        """Returns the standardized weights, as the layer uses them and as a model file stores them."""
        w = self.weight.float()
        n = w[0].numel()
        mean, variance = w.mean((1, 2, 3), keepdim=True), w.var((1, 2, 3), unbiased=False, keepdim=True)
        return (w - mean) * (self.gain.float() * torch.rsqrt(variance * n + 1e-4) * self.scale)

    def take(self, plain):
        """Sets the weights so that plain() returns those of a model file, whose mean is 0 already."""
        n = plain[0].numel()
        spread = torch.sqrt(plain.var((1, 2, 3), unbiased=False, keepdim=True) * n)
        with torch.no_grad():
            self.weight.copy_(plain / spread.clamp_min(1e-6))
            variance = self.weight.var((1, 2, 3), unbiased=False, keepdim=True)
            self.gain.copy_(spread * torch.sqrt(variance * n + 1e-4) / self.scale)

    def forward(self, x):
        return F.conv2d(x, self.plain(), self.bias, self.stride, self.padding)


class Network(nn.Module):
    """Convolutions, max pooling over each column, LSTM layers in both directions, one linear layer."""

    def __init__(self, classes, channels=(32, 48, 96, 128, 160), hidden=192, layers=2, drop=0.15):
        super().__init__()
        sides, inputs = (5, 3, 3, 3, 3), (1, *channels[:-1])
        self.conv = nn.ModuleList(
            StandardizedConv(i, o, side, 2 if side == 5 else 1) for i, o, side in zip(inputs, channels, sides))
        self.rnn = nn.ModuleList(
            nn.LSTM(channels[-1] if k == 0 else 2 * hidden, hidden, bidirectional=True) for k in range(layers))
        self.out = nn.Linear(2 * hidden, classes)
        self.drop = drop

    def columns(self, x):
        x = F.relu(self.conv[0](x))
        x = F.max_pool2d(F.relu(self.conv[1](x)), 2)
        x = F.relu(self.conv[2](x))
        x = F.max_pool2d(F.relu(self.conv[3](x)), (2, 1))
        return F.relu(self.conv[4](x)).amax(2)

    def features(self, ink):
        """ink: lines x 1 x 48 x width, 0 to 1 -> input of the linear layer: steps x lines x values"""
        y = self.columns((ink - 0.12) * 3.6).permute(2, 0, 1)
        for layer in self.rnn:
            y = layer(self.thin(y))[0]
        return self.thin(y)

    def forward(self, ink):
        """ink: lines x 1 x 48 x width, 0 to 1 -> scores: steps x lines x classes"""
        return self.out(self.features(ink))

    def thin(self, y):
        """Drops the same units at every step of a line (dropout)."""
        if not self.training or not self.drop:
            return y
        keep = (torch.rand(1, *y.shape[1:]) > self.drop).to(y.dtype)
        return y * keep / (1 - self.drop)
