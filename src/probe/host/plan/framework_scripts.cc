// Every script is the same frame around three functions of one framework: load() imports it and reports
// figures, devices() names the GPUs it sees, convolve() runs one convolution on the device; the frame
// compares that with the CPU. Python 3.6 runs all of it. A CPU-only build is not a fault of the machine, so
// it is told apart from "no device".
#include "probe/host/plan/framework_scripts.h"

#include <array>

namespace culprit::probe {
namespace {

// Standard output belongs to the protocol; everything else that is printed goes to standard error. What a
// script has loaded is read from /proc/self/maps.
constexpr std::string_view kFrame = R"PY(
import os, sys, time, traceback
out = os.dup(1)
os.dup2(2, 1)
sys.stdout = sys.stderr
if sys.path and sys.path[0] == '': del sys.path[0]
words = sys.argv[1:]
wanted = [words[i + 1] for i in range(len(words) - 1) if words[i] == '--only']
numbers = [words[i + 1] for i in range(len(words) - 1) if words[i] == '--device']
DEVICE = int(numbers[0]) if numbers else 0
COUNTED = True
def word(text):
    data = str(text).encode('utf-8', 'surrogateescape')[:4000]
    plain = ''.join(chr(b) if 32 < b < 127 and b != 37 else '%%%02X' % b for b in bytearray(data))
    return plain or '%'
def say(tag, *rest):
    os.write(out, (' '.join([tag] + [word(r) for r in rest]) + '\n').encode('ascii'))
class Failed(Exception):
    def __init__(self, status, call, detail):
        Exception.__init__(self, detail)
        self.status, self.call = status, call
seen = set()
def libraries():
    try:
        with open('/proc/self/maps', errors='surrogateescape') as maps:
            paths = [line.rstrip('\n').split(None, 5)[5] for line in maps if line.count('/')]
    except (OSError, IndexError):
        return
    for path in paths:
        name = os.path.basename(path)
        if path not in seen and name.startswith(('libcud', 'libcublas', 'libnv', 'libnccl', 'libcufft', 'libcusp')):
            seen.add(path)
            say('library', name, path)
failed = []
def step(name, work):
    if wanted and name not in wanted: return
    say('begin', name, SUBJECT)
    if failed:
        say('not-run', 'needs %s, which failed' % failed[0])
        return
    start = time.time()
    def ended():
        libraries()
        say('figure', 'microseconds', max(0, int((time.time() - start) * 1e6)))
    try:
        detail = work()
    except BaseException as error:
        failed.append(name)
        if not isinstance(error, Failed): traceback.print_exc()
        sys.stderr.flush()
        ended()
        frames = traceback.extract_tb(error.__traceback__)
        call = getattr(error, 'call', None) or (frames[-1][2] if frames else '')
        say('failed', getattr(error, 'status', None) or type(error).__name__, call, str(error))
        return
    ended()
    say('ok', detail or '')
state = {}
def once(name, work):
    if name not in state: state[name] = work()
    return state[name]
told = set()
def figure(name, value):
    if value is not None and name not in told:
        told.add(name)
        say('figure', name, value)
def about(module):
    figure('version', module.__version__)
    figure('file', module.__file__)
def compare(theirs, ours):
    theirs = [float(x) for x in theirs]; ours = [float(x) for x in ours]
    if len(theirs) != len(ours): raise Failed('wrong-result', 'convolution', 'a result of another size')
    scale = max([abs(x) for x in ours]) or 1.0
    worst = max(abs(a - b) for a, b in zip(theirs, ours)) / scale
    figure('relative_error', '%.1e' % worst)
    if not worst < 0.02: raise Failed('wrong-result', 'convolution', 'differs from the CPU by %.1e' % worst)
    return 'differs from the CPU by %.1e' % worst
def names_of(devices):
    figure('count', len(devices))
    for i, name in enumerate(devices): figure('device%d' % i, name)
    if not devices: raise Failed('no-device', CALL, SUBJECT + ' sees no GPU')
    if COUNTED and DEVICE >= len(devices): raise Failed('no-device', CALL, 'there is no device %d' % DEVICE)
    return ', '.join(devices)
# An 8 x 8 image of 4 channels, 4 filters of 3 x 3; the values are small and exact in binary.
IMAGE = [((i * 7) % 11 - 5) / 8.0 for i in range(4 * 8 * 8)]
FILTER = [((i * 5) % 13 - 6) / 16.0 for i in range(4 * 4 * 3 * 3)]
def on_cpu():
    return [sum(IMAGE[(c * 8 + y + r) * 8 + x + s] * FILTER[((k * 4 + c) * 3 + r) * 3 + s]
                for c in range(4) for r in range(3) for s in range(3))
            for k in range(4) for y in range(6) for x in range(6)]
)PY";

constexpr std::string_view kEnd = R"PY(
os.write(out, b'culprit-probe 1\n')
step('import', lambda: once('load', load))
step('framework-devices', lambda: (once('load', load), names_of(once('devices', devices)))[1])
step('framework-convolution', lambda: (once('load', load), compare(convolve(), on_cpu()))[1])
say('done')
sys.stderr.flush()
os._exit(0)
)PY";

constexpr std::string_view kTorch = R"PY(
SUBJECT, CALL = 'torch', 'torch.cuda.is_available'
refused = []
def load():
    global torch
    import torch
    about(torch)
    figure('cuda', torch.version.cuda)
    backend = torch.backends.cudnn
    try:
        figure('cudnn', backend.version())
    except Exception as error:  # torch refuses a cuDNN that it was not compiled for, and says so only once
        figure('cudnn_problem', error)
        refused.append(error)
    figure('enabled', backend.enabled)
    figure('benchmark', backend.benchmark)
    figure('deterministic', backend.deterministic)
    figure('allow_tf32', getattr(backend, 'allow_tf32', None))
    switches = [name for name in ('enabled', 'benchmark', 'deterministic') if getattr(backend, name)]
    return '%s; cuDNN %s' % (torch.__version__, ', '.join(switches) or 'not enabled')
def devices():
    if getattr(torch.version, 'hip', None):
        raise Failed('not-cuda', 'torch.version.hip', 'this torch was built for ROCm ' + torch.version.hip)
    if torch.version.cuda is None:
        raise Failed('cpu-only', 'torch.version.cuda', 'torch %s was built without CUDA' % torch.__version__)
    if not torch.cuda.is_available():
        torch.cuda.init()
        raise Failed('no-device', CALL, 'torch.cuda.is_available() says no')
    return [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]
def convolve():
    if refused: raise refused[0]
    torch.backends.cudnn.allow_tf32 = False
    image = torch.tensor(IMAGE, dtype=torch.float32).reshape(1, 4, 8, 8)
    kernel = torch.tensor(FILTER, dtype=torch.float32).reshape(4, 4, 3, 3)
    target = torch.device('cuda', DEVICE)
    result = torch.nn.functional.conv2d(image.to(target), kernel.to(target))
    torch.cuda.synchronize(target)
    return result.cpu().reshape(-1).tolist()
)PY";

constexpr std::string_view kTensorflow = R"PY(
SUBJECT, CALL = 'tensorflow', 'tf.config.list_physical_devices'
def load():
    global tf
    import tensorflow as tf
    about(tf)
    try:
        built = tf.sysconfig.get_build_info()
        figure('cuda', built.get('cuda_version'))
        figure('cudnn', built.get('cudnn_version'))
    except AttributeError:
        pass
    return tf.__version__
def devices():
    if not tf.test.is_built_with_cuda():
        raise Failed('cpu-only', 'tf.test.is_built_with_cuda', 'tensorflow %s was built without CUDA' % tf.__version__)
    found = tf.config.list_physical_devices('GPU')
    for device in found:
        try:
            tf.config.experimental.set_memory_growth(device, True)
        except Exception:
            pass
    names = []
    for device in found:
        try:
            names.append(tf.config.experimental.get_device_details(device).get('device_name') or device.name)
        except Exception:
            names.append(device.name)
    return names
def convolve():
    once('devices', devices)
    try:
        tf.config.experimental.enable_tensor_float_32_execution(False)
    except AttributeError:
        pass
    with tf.device('/GPU:%d' % DEVICE):
        image = tf.transpose(tf.reshape(tf.constant(IMAGE, tf.float32), (1, 4, 8, 8)), (0, 2, 3, 1))
        kernel = tf.transpose(tf.reshape(tf.constant(FILTER, tf.float32), (4, 4, 3, 3)), (2, 3, 1, 0))
        result = tf.nn.conv2d(image, kernel, strides=1, padding='VALID')
        if 'GPU' not in (result.device or 'GPU'):
            raise Failed('on-cpu', 'tf.nn.conv2d', 'it ran on ' + result.device)
        result = tf.transpose(result, (0, 3, 1, 2))
    return result.numpy().reshape(-1).tolist()
)PY";

constexpr std::string_view kJax = R"PY(
SUBJECT, CALL = 'jax', 'jax.devices'
os.environ.setdefault('XLA_PYTHON_CLIENT_PREALLOCATE', 'false')
def load():
    global jax
    import jax, jaxlib
    about(jax)
    figure('jaxlib', getattr(jaxlib, '__version__', None))
    return jax.__version__
def plugin():
    try:
        from importlib import util
        return any(util.find_spec(name) for name in
                   ('jax_cuda13_plugin', 'jax_cuda12_plugin', 'jax_cuda11_plugin')) or \
               'cuda' in __import__('jaxlib').__version__
    except Exception:
        return True
def devices():
    try:
        found = jax.devices('gpu')
    except RuntimeError as error:
        if not plugin():
            raise Failed('cpu-only', 'jax.devices', 'jax %s has no CUDA plugin: %s' % (jax.__version__, error))
        raise
    try:
        from jax._src.lib import cuda_versions
        figure('cuda', cuda_versions.cuda_runtime_get_version())
        figure('cudnn', cuda_versions.cudnn_get_version())
    except Exception:
        pass
    return [device.device_kind for device in found]
def convolve():
    import numpy
    where = jax.devices('gpu')[DEVICE]
    image = jax.device_put(numpy.array(IMAGE, numpy.float32).reshape(1, 4, 8, 8), where)
    kernel = jax.device_put(numpy.array(FILTER, numpy.float32).reshape(4, 4, 3, 3), where)
    result = jax.lax.conv_general_dilated(image, kernel, (1, 1), 'VALID', precision=jax.lax.Precision.HIGHEST)
    return numpy.asarray(result).reshape(-1).tolist()
)PY";

// A model with one Conv, built as raw protobuf; the field numbers are those of onnx.proto.
constexpr std::string_view kOnnxruntime = R"PY(
SUBJECT, CALL = 'onnxruntime', 'onnxruntime.get_available_providers'
COUNTED = False  # it names what it runs on, not the devices
import struct
def varint(n):
    data = bytearray()
    while n > 127:
        data.append(n & 127 | 128)
        n >>= 7
    return bytes(data) + bytes(bytearray([n]))
def number(field, n): return varint(field << 3) + varint(n)
def block(field, data):
    data = data.encode() if isinstance(data, str) else data
    return varint(field << 3 | 2) + varint(len(data)) + data
def value(name, shape):
    dims = b''.join(block(1, number(1, n)) for n in shape)
    return block(1, name) + block(2, block(1, number(1, 1) + block(2, dims)))
def model():
    node = block(1, 'image') + block(1, 'kernel') + block(2, 'result') + block(4, 'Conv')
    kernel = b''.join(number(1, n) for n in (4, 4, 3, 3)) + number(2, 1) + block(8, 'kernel') + \
        block(9, struct.pack('<%df' % len(FILTER), *FILTER))
    graph = block(1, node) + block(2, 'culprit') + block(5, kernel) + \
        block(11, value('image', (1, 4, 8, 8))) + block(12, value('result', (1, 4, 6, 6)))
    return number(1, 7) + block(7, graph) + block(8, number(2, 11))
def load():
    global ort
    import onnxruntime as ort
    about(ort)
    for name in ('cuda_version', 'cudnn_version'):
        figure(name.split('_')[0], getattr(getattr(ort, 'capi', None), name, None))
    figure('providers', ' '.join(ort.get_available_providers()))
    if hasattr(ort, 'preload_dlls'):
        ort.preload_dlls()
    return ort.__version__
def session():
    options = ort.SessionOptions()
    made = ort.InferenceSession(model(), options,
                                providers=[('CUDAExecutionProvider', {'device_id': DEVICE})])
    if 'CUDAExecutionProvider' not in made.get_providers():
        raise Failed('on-cpu', 'onnxruntime.InferenceSession',
                     'CUDAExecutionProvider could not be started; onnxruntime went on with ' + ' '.join(made.get_providers()))
    return made
def devices():
    if 'CUDAExecutionProvider' not in ort.get_available_providers():
        raise Failed('cpu-only', CALL, 'onnxruntime %s was built without CUDA (onnxruntime-gpu has it)' % ort.__version__)
    once('session', session)
    return ['CUDAExecutionProvider']
def convolve():
    devices()
    import numpy
    image = numpy.array(IMAGE, numpy.float32).reshape(1, 4, 8, 8)
    return once('session', session).run(None, {'image': image})[0].reshape(-1).tolist()
)PY";

constexpr std::string_view kCupy = R"PY(
SUBJECT, CALL = 'cupy', 'cupy.cuda.runtime.getDeviceCount'
def load():
    global cupy
    import cupy
    about(cupy)
    try:
        figure('cuda', cupy.cuda.runtime.runtimeGetVersion())
    except Exception as error:
        figure('cuda_problem', error)
    try:
        from cupy.cuda import cudnn
        figure('cudnn', cudnn.getVersion())
    except Exception:
        pass
    return cupy.__version__
def devices():
    count = cupy.cuda.runtime.getDeviceCount()
    return [cupy.cuda.runtime.getDeviceProperties(i)['name'].decode() for i in range(count)]
def convolve():
    with cupy.cuda.Device(DEVICE):
        image = cupy.array(IMAGE, cupy.float32).reshape(4, 8, 8)
        kernel = cupy.array(FILTER, cupy.float32).reshape(4, 4 * 9)
        columns = cupy.stack([image[c, r:r + 6, s:s + 6].reshape(-1)
                              for c in range(4) for r in range(3) for s in range(3)])
        return cupy.asnumpy((kernel[:, :, None] * columns[None]).sum(axis=1)).reshape(-1).tolist()
)PY";

struct Script {
  std::string_view framework;
  std::string_view text;
};
constexpr std::array kScripts = {Script{"torch", kTorch}, Script{"tensorflow", kTensorflow},
                                 Script{"jax", kJax}, Script{"onnxruntime", kOnnxruntime},
                                 Script{"cupy", kCupy}};

}  // namespace

std::string FrameworkScript(std::string_view framework) {
  for (const Script& script : kScripts) {
    if (script.framework != framework) continue;
    return std::string(kFrame) + std::string(script.text) + std::string(kEnd);
  }
  return "";
}

}  // namespace culprit::probe
