#!/usr/bin/env python3
"""Applications of other people on our driver, on the simulated GPU in strict mode, beside lavapipe.

In:  the folder of a finished build. Out: a line for each application: what it was given to do, and how far its bytes or its picture are
from lavapipe's; exit status 1 if one is further away than rounding, fails, or a finding is reported.

docs/applications.md lists these, and those that take too long to be run each time.
"""

import os
import subprocess
import sys
import tempfile
import time

LAVAPIPE = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"
# The device is Vulkan's first, and a frame is small: what is looked at is that each texel is right.
FFMPEG = ["ffmpeg", "-v", "error", "-y", "-init_hw_device", "vulkan=vk:0", "-filter_hw_device", "vk"]
SOURCE = ["-f", "lavfi", "-i", "testsrc=size=64x48:duration=1:rate=2"]


def ffmpeg(filters, out):
    chain = f"format=yuv420p,hwupload,{filters},hwdownload,format=yuv420p"
    return [*FFMPEG, *SOURCE, "-vf", chain, "-f", "rawvideo", out]


def gstreamer(out):
    raw = "video/x-raw,format=RGBA,width=128,height=96"
    device = "video/x-raw(memory:VulkanImage),format=BGRA"
    pipeline = f"videotestsrc num-buffers=3 ! {raw} ! vulkanupload ! vulkancolorconvert ! {device} ! vulkandownload"
    return ["gst-launch-1.0", "-q", *pipeline.split(), "!", "filesink", f"location={out}"]


# Name, command that writes a file, and by how much a byte may differ.
FILES = [
    ("GStreamer, colours converted", gstreamer, 0),
    ("FFmpeg, scale_vulkan", lambda out: ffmpeg("scale_vulkan=w=96:h=72", out), 2),
    ("FFmpeg, libplacebo", lambda out: ffmpeg("libplacebo=w=96:h=72", out), 2),
]


def run(binaries, driver, command, seconds, variables=None):
    """Runs a command on a driver. Out: exit status (None: it had to be ended), and what it wrote."""
    env = {**os.environ, **(variables or {})}
    if driver == "lavapipe":
        env["VK_ICD_FILENAMES"] = LAVAPIPE
    else:
        env["INGOT_SIM"] = "strict"
        command = [f"{binaries}/ingot", "sim", "--gpu", "skl", "--driver", driver, "--", *command]
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            status = None
        out.seek(0)
        return status, out.read().decode(errors="replace")


def files(binaries, folder):
    for name, command, most in FILES:
        found = []
        for driver in ["ingot", "lavapipe"]:
            path = f"{folder}/{driver}"
            status, text = run(binaries, driver, command(path), 120)
            if status != 0 or "hung:" in text:
                yield name, False, f"{driver}: exit status {status}\n{text}"
                break
            with open(path, "rb") as file:
                found.append(file.read())
        else:
            ours, theirs = found
            far = max((abs(a - b) for a, b in zip(ours, theirs)), default=0)
            same = len(ours) == len(theirs) > 0
            yield name, same and far <= most, f"{len(ours)} bytes, the furthest {far} from lavapipe's"


class Screen:
    """An X server without a screen."""

    def __init__(self, size="640x480"):
        self.size = size

    def __enter__(self):
        read, write = os.pipe()
        command = ["Xvfb", "-displayfd", str(write), "-noreset", "-screen", "0", f"{self.size}x24", "-nolisten", "tcp"]
        self.server = subprocess.Popen(command, pass_fds=[write], stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as number:
            self.display = ":" + number.readline().strip()
        return self

    def __exit__(self, *_):
        self.server.terminate()
        self.server.wait()

    def picture(self, path):
        shot = subprocess.run(["xwd", "-silent", "-root", "-display", self.display], capture_output=True)
        if shot.returncode == 0:
            subprocess.run(["convert", "xwd:-", path], input=shot.stdout, check=False)


def shown(binaries, driver, command, seconds, path, variables=None):
    """The screen while a program is running, once it shows several colours."""
    with Screen() as screen:
        env = {**os.environ, **(variables or {}), "DISPLAY": screen.display}
        if driver == "lavapipe":
            env["VK_ICD_FILENAMES"] = LAVAPIPE
        else:
            env["INGOT_SIM"] = "strict"
            command = [f"{binaries}/ingot", "sim", "--gpu", "skl", "--driver", driver, "--", *command]
        with tempfile.TemporaryFile() as out:
            process = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
            end = time.monotonic() + seconds
            try:
                while time.monotonic() < end and process.poll() is None:
                    time.sleep(0.5)
                    screen.picture(path)
                    if colours(path) > 4:
                        # What is drawn next is whole as well.
                        time.sleep(1)
                        screen.picture(path)
                        break
            finally:
                process.kill()
                process.wait()
            out.seek(0)
            return out.read().decode(errors="replace")


def colours(path):
    if not os.path.exists(path):
        return 0
    count = subprocess.run(["convert", path, "-format", "%k", "info:"], capture_output=True, text=True)
    return int(count.stdout or 0)


def apart(ours, theirs):
    """Share of pixels that differ by more than rounding."""
    command = ["compare", "-metric", "AE", "-fuzz", "2%", ours, theirs, "null:"]
    found = subprocess.run(command, capture_output=True, text=True).stderr
    return float(found.split()[0]) / (640 * 480)


def pictures(binaries, folder):
    name, paths = "vkd3d, a triangle by Direct3D 12", []
    for driver in ["ingot", "lavapipe"]:
        paths.append(f"{folder}/{driver}.png")
        text = shown(binaries, driver, ["vkd3d-triangle"], 60, paths[-1])
        if "hung:" in text or colours(paths[-1]) < 5:
            yield name, False, f"{driver}: nothing is shown\n{text}"
            break
    else:
        share = apart(*paths)
        yield name, share < 0.002, f"{share:.4%} of the pixels differ from lavapipe's"
    # Its gears turn: red, green and blue must be there, and no finding.
    name, path = "zink, OpenGL's gears", f"{folder}/gears.png"
    text = shown(binaries, "ingot", ["glxgears"], 60, path, {"MESA_LOADER_DRIVER_OVERRIDE": "zink"})
    gears = 0
    for colour in ["#cc1a00", "#00cc33", "#3333ff"]:
        share = ["convert", path, "-fuzz", "30%", "-fill", "white", "-opaque", colour]
        share += ["-fill", "black", "+opaque", "white", "-format", "%[fx:mean]", "info:"]
        found = subprocess.run(share, capture_output=True, text=True).stdout
        gears += float(found or 0) > 0.005
    yield name, gears == 3 and "hung:" not in text, f"{gears} of 3 gears\n{text if gears < 3 else ''}".strip()


# Scenes that know what their picture must be.
SCENES = """build texture texture:texture-filter=linear texture:texture-filter=mipmap shading:shading=gouraud shading:shading=phong
    bump:bump-render=high-poly bump:bump-render=normals bump:bump-render=height effect2d:kernel=0,1,0;1,-4,1;0,1,0; buffer pulsar
    conditionals:fragment-steps=5:vertex-steps=0 conditionals:fragment-steps=0:vertex-steps=5 function:fragment-steps=5
    desktop:effect=blur desktop:effect=shadow""".split()


def scenes(binaries):
    """What glmark2 draws by way of zink, as it judges its own pictures."""
    name = "zink, glmark2"
    with Screen("800x600") as screen:
        variables = {"MESA_LOADER_DRIVER_OVERRIDE": "zink", "DISPLAY": screen.display}
        command = ["glmark2", "--validate", *(word for scene in SCENES for word in ["-b", scene])]
        status, text = run(binaries, "ingot", command, 300, variables)
    right = text.count("Validation: Success")
    good = status == 0 and right == len(SCENES) and "[Ingot]" in text and "hung:" not in text
    yield name, good, f"{right} of {len(SCENES)} scenes are right\n{'' if good else text}".strip()


def main():
    binaries = sys.argv[1]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        results = [*files(binaries, folder), *pictures(binaries, folder), *scenes(binaries)]
    for name, good, text in results:
        failed += not good
        print(f"{'ok' if good else 'FAILED'} {name}: {text}")
    print(f"{len(results) - failed} applications as on lavapipe, {failed} not")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
