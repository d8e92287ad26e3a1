"""The parts of PyTorch that a probe uses, on top of the fake driver. FAKE_TORCH=cpu: built without CUDA; crash: dies of SIGSEGV;
wrong: returns a wrong result; import: cannot be imported."""
import ctypes
import os
import types

HOW = os.environ.get('FAKE_TORCH', '')
if HOW == 'import':
    raise ImportError('libcudnn.so.9: cannot open shared object file: No such file or directory')

__version__ = '2.11.0+cpu' if HOW == 'cpu' else '2.11.0+cu130'
version = types.SimpleNamespace(cuda=None if HOW == 'cpu' else '13.0', hip=None)
backends = types.SimpleNamespace(cudnn=types.SimpleNamespace(
    version=lambda: 91900, enabled=True, benchmark=False, deterministic=False, allow_tf32=True))
float32 = 'float32'


class Tensor:
    def __init__(self, data, shape):
        self.data, self.shape = list(data), shape

    def reshape(self, *shape):
        return Tensor(self.data, shape)

    def to(self, device):
        return self

    def cpu(self):
        return self

    def tolist(self):
        return self.data


def tensor(data, dtype=None):
    return Tensor(data, (len(data),))


def device(kind, index):
    return (kind, index)


def driver():
    library = ctypes.CDLL('libcuda.so.1')
    return library, library.cuInit(0)


def device_count():
    count = ctypes.c_int()
    library, status = driver()
    return count.value if status or library.cuDeviceGetCount(ctypes.byref(count)) else count.value


def init():
    if driver()[1]:
        raise RuntimeError('No CUDA GPUs are available')


cuda = types.SimpleNamespace(is_available=lambda: device_count() > 0, device_count=device_count, init=init,
                             get_device_name=lambda index: 'Fake H200', synchronize=lambda device=None: None)


def conv2d(image, kernel):
    if HOW == 'crash':
        ctypes.string_at(0)
    _, channels, height, width = image.shape
    filters, _, rows, columns = kernel.shape
    result = [sum(image.data[(c * height + y + r) * width + x + s] * kernel.data[((k * channels + c) * rows + r) * columns + s]
                  for c in range(channels) for r in range(rows) for s in range(columns))
              for k in range(filters) for y in range(height - rows + 1) for x in range(width - columns + 1)]
    if HOW == 'wrong':
        result[0] += 1
    return Tensor(result, (len(result),))


nn = types.SimpleNamespace(functional=types.SimpleNamespace(conv2d=conv2d))
