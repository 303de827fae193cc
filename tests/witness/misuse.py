#!/usr/bin/env python3
"""Makes a mistake that the validation layer must report: an instance from a misnamed structure.

In:  the environment (VK_INSTANCE_LAYERS and the layer's settings).
Out: nothing; exit status 0 once the mistake was made. Without it, silence of the layer would not
     show that the layer listened.
"""

import ctypes
import sys

STRUCTURE_TYPE_INSTANCE_CREATE_INFO = 1
STRUCTURE_TYPE_DEVICE_CREATE_INFO = 3


class ApplicationInfo(ctypes.Structure):
    _fields_ = [
        ("sType", ctypes.c_uint32),
        ("pNext", ctypes.c_void_p),
        ("pApplicationName", ctypes.c_char_p),
        ("applicationVersion", ctypes.c_uint32),
        ("pEngineName", ctypes.c_char_p),
        ("engineVersion", ctypes.c_uint32),
        ("apiVersion", ctypes.c_uint32),
    ]


class InstanceCreateInfo(ctypes.Structure):
    _fields_ = [
        ("sType", ctypes.c_uint32),
        ("pNext", ctypes.c_void_p),
        ("flags", ctypes.c_uint32),
        ("pApplicationInfo", ctypes.POINTER(ApplicationInfo)),
        ("enabledLayerCount", ctypes.c_uint32),
        ("ppEnabledLayerNames", ctypes.c_void_p),
        ("enabledExtensionCount", ctypes.c_uint32),
        ("ppEnabledExtensionNames", ctypes.c_void_p),
    ]


def main():
    vulkan = ctypes.CDLL("libvulkan.so.1")
    application = ApplicationInfo(sType=STRUCTURE_TYPE_DEVICE_CREATE_INFO, apiVersion=(1 << 22) | (1 << 12))
    info = InstanceCreateInfo(
        sType=STRUCTURE_TYPE_INSTANCE_CREATE_INFO, pApplicationInfo=ctypes.pointer(application)
    )
    instance = ctypes.c_void_p()
    vulkan.vkCreateInstance(ctypes.byref(info), None, ctypes.byref(instance))
    return 0


if __name__ == "__main__":
    sys.exit(main())
