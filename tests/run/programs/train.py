"""train.py STEPS [CHANNELS [BATCH [SIZE]]]: a training loop that prints how long its steps took.

By default, layers are so small that calls dominate, not arithmetic: the worst case for watching calls.
"""

import sys
import time

import torch

steps, channels, batch, size = [*map(int, sys.argv[1:]), *(32, 32, 32)[len(sys.argv) - 2 :]]
torch.manual_seed(0)
layers = []
for _ in range(8):
    layers += [torch.nn.Conv2d(channels, channels, 3, padding=1), torch.nn.BatchNorm2d(channels), torch.nn.ReLU()]
model = torch.nn.Sequential(
    torch.nn.Conv2d(3, channels, 3, padding=1),
    *layers,
    torch.nn.AdaptiveAvgPool2d(1),
    torch.nn.Flatten(),
    torch.nn.Linear(channels, 10),
).cuda()
optimiser = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
images = torch.randn(batch, 3, size, size, device="cuda")
labels = torch.randint(0, 10, (batch,), device="cuda")


def step():
    optimiser.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(images), labels)
    loss.backward()
    optimiser.step()
    return loss


for _ in range(30):
    step()
torch.cuda.synchronize()
start = time.perf_counter()
for _ in range(steps):
    loss = step()
torch.cuda.synchronize()
print(f"seconds {time.perf_counter() - start:.6f} loss {loss.item():.6f}")
