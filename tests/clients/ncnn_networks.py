#!/usr/bin/env python3
"""Runs small fp32 networks with ncnn on the CPU and on Vulkan, and compares them.

In:  the Vulkan driver that the environment names (VK_ICD_FILENAMES), or the library given with --icd,
     which ncnn then opens itself, with no loader above it.
Out: a line per network and configuration; exit status 1 if one differs, 2 if there is no Vulkan device.
Ref: ncnn, "param and model file structure" and "operation param weight table".

Tolerance: both sides compute in fp32 (every fp16, bf16 and int8 option is off), but sum in different
orders, fuse multiplications and additions differently, and Winograd transforms lose a few bits more.
A value may differ by 1e-4 of the largest value of its blob, plus 1e-6.
"""

import argparse
import struct
import sys
import time

import ncnn
import numpy as np

RELATIVE = 1e-4
ABSOLUTE = 1e-6


class Network:
    """A network in ncnn's text form, with its weights in the order of the layers."""

    def __init__(self, name, shape):
        self.name = name
        self.shape = shape  # channels, rows, columns
        self.lines = []
        self.blobs = set()
        self.weights = []
        self.seed = sum(name.encode())
        self.layer("Input", [], ["data"], {0: shape[2], 1: shape[1], 2: shape[0]})

    def numbers(self, count, scale):
        """Weights that are the same on every machine: a linear congruential sequence."""
        out = np.empty(count, np.float32)
        for i in range(count):
            self.seed = (self.seed * 1103515245 + 12345) & 0x7FFFFFFF
            out[i] = ((self.seed >> 8) % 2001 / 1000.0 - 1.0) * scale
        return out

    def layer(self, kind, inputs, outputs, params=None):
        fields = [f"{k}={v}" for k, v in (params or {}).items()]
        words = [kind, f"layer{len(self.lines)}", str(len(inputs)), str(len(outputs))]
        self.lines.append(" ".join(words + inputs + outputs + fields))
        self.blobs.update(outputs)
        return outputs[0]

    def weighted(self, kind, source, target, fan_in, count, outputs, params):
        """A layer with weights (an fp32 tag before them) and a bias (no tag)."""
        self.weights.append(struct.pack("<I", 0))
        self.weights.append(self.numbers(count, 1.5 / fan_in**0.5).tobytes())
        self.weights.append(self.numbers(outputs, 0.1).tobytes())
        return self.layer(kind, [source], [target], params)

    def convolution(self, source, target, channels, outputs, kernel, stride=1, pad=0, activation=0):
        count = channels * outputs * kernel * kernel
        params = {0: outputs, 1: kernel, 3: stride, 4: pad, 5: 1, 6: count, 9: activation}
        return self.weighted("Convolution", source, target, channels * kernel**2, count, outputs, params)

    def depthwise(self, source, target, channels, kernel, pad):
        count = channels * kernel * kernel
        params = {0: channels, 1: kernel, 4: pad, 5: 1, 6: count, 7: channels}
        return self.weighted("ConvolutionDepthWise", source, target, kernel**2, count, channels, params)

    def deconvolution(self, source, target, channels, outputs, kernel, stride):
        count = channels * outputs * kernel * kernel
        params = {0: outputs, 1: kernel, 3: stride, 5: 1, 6: count}
        return self.weighted("Deconvolution", source, target, channels * kernel**2, count, outputs, params)

    def inner_product(self, source, target, inputs, outputs, activation=0):
        params = {0: outputs, 1: 1, 2: inputs * outputs, 9: activation}
        return self.weighted("InnerProduct", source, target, inputs, inputs * outputs, outputs, params)

    def text(self):
        return "\n".join(["7767517", f"{len(self.lines)} {len(self.blobs)}"] + self.lines) + "\n"

    def run(self, configuration):
        """All of `out`, flattened, and the seconds taken."""
        net = ncnn.Net()
        for option in dir(net.opt):
            if any(word in option for word in ("fp16", "bf16", "int8")):
                setattr(net.opt, option, False)
        net.opt.num_threads = 1
        for option, value in configuration.items():
            setattr(net.opt, option, value)
        start = time.monotonic()
        if net.load_param_mem(self.text()) != 0:
            raise RuntimeError(f"{self.name}: ncnn does not take the network")
        net.load_model_mem(b"".join(self.weights))
        # Without a usable device ncnn takes the CPU, and says so in its options alone.
        if configuration["use_vulkan_compute"] and not net.opt.use_vulkan_compute:
            raise RuntimeError(f"{self.name}: not on Vulkan")
        c, h, w = self.shape
        steps = np.arange(c * h * w, dtype=np.float32)
        image = (np.sin(steps * 0.37) + (steps % 7) * 0.1 - 0.3).reshape(self.shape)
        extractor = net.create_extractor()
        extractor.input("data", ncnn.Mat(image).clone())
        status, out = extractor.extract("out")
        if status != 0:
            raise RuntimeError(f"{self.name}: extract returned {status}")
        return np.array(out).flatten(), time.monotonic() - start


def classifier():
    """Convolutions, pooling, inner products and softmax: a digit classifier's shape."""
    net = Network("classifier", (3, 20, 20))
    net.convolution("data", "conv1", 3, 16, 3, pad=1, activation=1)
    net.layer("Pooling", ["conv1"], ["pool1"], {0: 0, 1: 2, 2: 2})
    net.convolution("pool1", "conv2", 16, 32, 3, pad=1)
    net.layer("ReLU", ["conv2"], ["relu2"], {0: 0.1})
    net.layer("Pooling", ["relu2"], ["pool2"], {0: 1, 1: 2, 2: 2})
    net.inner_product("pool2", "fc1", 32 * 5 * 5, 24, activation=1)
    net.inner_product("fc1", "fc2", 24, 10)
    net.layer("Softmax", ["fc2"], ["out"], {0: 0, 1: 1})
    return net


def residual():
    """Depth-wise and 1x1 convolutions with a shortcut: a MobileNet block and its head."""
    net = Network("residual", (4, 13, 11))
    net.convolution("data", "stem", 4, 8, 3, stride=2, pad=1, activation=1)
    net.layer("Split", ["stem"], ["left", "right"])
    net.convolution("left", "expand", 8, 24, 1, activation=1)
    net.depthwise("expand", "depth", 24, 3, 1)
    net.layer("HardSwish", ["depth"], ["swish"], {0: 0.1666667, 1: 0.5})
    net.convolution("swish", "project", 24, 8, 1)
    net.layer("BinaryOp", ["project", "right"], ["sum"], {0: 0})
    net.layer("Pooling", ["sum"], ["global"], {0: 1, 4: 1})
    net.layer("Sigmoid", ["global"], ["gate"])
    net.inner_product("gate", "out", 8, 7)
    return net


def decoder():
    """Deconvolution, concatenation, resizing, padding and permutation: an image out."""
    net = Network("decoder", (5, 6, 7))
    net.layer("Split", ["data"], ["a", "b"])
    net.deconvolution("a", "up", 5, 6, 2, 2)
    net.layer("Interp", ["b"], ["large"], {0: 2, 1: 2.0, 2: 2.0})
    net.layer("Concat", ["up", "large"], ["both"], {0: 0})
    net.convolution("both", "mix", 11, 12, 3, pad=1)
    net.layer("TanH", ["mix"], ["tanh"])
    net.layer("Padding", ["tanh"], ["padded"], {0: 1, 1: 2, 2: 0, 3: 1, 4: 0, 5: 0.25})
    net.layer("Permute", ["padded"], ["turned"], {0: 3})
    net.layer("UnaryOp", ["turned"], ["out"], {0: 7})
    return net


CONFIGURATIONS = {
    "plain": {"use_packing_layout": False, "use_winograd_convolution": False, "use_sgemm_convolution": False},
    "packed": {"use_packing_layout": True, "use_winograd_convolution": True, "use_sgemm_convolution": True},
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--icd", help="the driver's library, opened by ncnn without the Vulkan loader")
    parser.add_argument("--device", help="a part of the device's name that must be there")
    parser.add_argument("--only", help="a network's name")
    arguments = parser.parse_args()
    if arguments.icd:
        ncnn.create_gpu_instance(arguments.icd)
    else:
        ncnn.create_gpu_instance()
    if ncnn.get_gpu_count() == 0:
        print("no Vulkan device")
        return 2
    device = ncnn.get_gpu_info(ncnn.get_default_gpu_index()).device_name()
    print(f"device: {device}", flush=True)
    if arguments.device and arguments.device not in device:
        print(f"not the device asked for: {arguments.device}")
        return 2
    failed = 0
    for build in (classifier, residual, decoder):
        for label, options in CONFIGURATIONS.items():
            net = build()
            if arguments.only and net.name != arguments.only:
                continue
            reference, _ = net.run({"use_vulkan_compute": False})
            try:
                result, seconds = net.run({"use_vulkan_compute": True, **options})
            except RuntimeError as error:
                failed += 1
                print(f"FAILED {net.name} {label}: {error}", flush=True)
                continue
            largest = float(np.abs(reference).max())
            # A constant answer would make the comparison empty.
            spread = float(np.ptp(reference))
            same_shape = reference.shape == result.shape
            error = float(np.abs(reference - result).max()) if same_shape else float("inf")
            good = same_shape and spread > 1e-3 and error <= RELATIVE * largest + ABSOLUTE
            failed += not good
            print(
                f"{'ok' if good else 'FAILED'} {net.name} {label}: {reference.size} values up to {largest:.4g}, "
                f"largest difference {error:.3g}, {seconds:.2f} s",
                flush=True,
            )
    ncnn.destroy_gpu_instance()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
