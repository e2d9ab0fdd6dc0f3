"""Photographs to make derivatives of, and the programs and the Python environment that measure with them."""

import subprocess
import sys
from pathlib import Path

from measuring import PHOTO, ROOT

# Debian's package lomiri-wallpapers-16.04: free photographs of up to 16 megapixels.
PHOTOS = Path("/usr/share/backgrounds")
# 12 megapixels of a real camera, nothing scaled.
LARGE = "Dragonfly_by_Bolly.jpg"
DETAILED = "picosdeeuropa_by_Aitzol_Berasategi.jpg"
# The centres of several, of one shape, so that every width of the measured ones has a whole height.
SEVERAL = {
    LARGE: (4000, 3000),
    DETAILED: (3264, 2448),
    "life_by_Aitzol_Berasategi.jpg": (2736, 2052),
    "friends_by_Aitzol_Berasategi.jpg": (2056, 1542),
    "seeding_by_Clements_Engelhardt.jpg": (3984, 2988),
}


def built(folder, name, *libraries):
    """One of the C programs of this folder."""
    binary = folder / name
    if not binary.exists():
        flags = []
        if libraries:
            asked = ["pkg-config", "--cflags", "--libs", *libraries]
            flags = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.split()
        source = ROOT / f"Benchmarks/{name}.c"
        subprocess.run(["cc", "-O2", "-o", binary, source, *flags, "-lpthread"], check=True)
    return binary


class Pictures:
    """Makes pictures with libvips in a folder, each once."""

    def __init__(self, folder):
        self.folder = folder
        self.tool = built(folder, "image_loop", "vips")

    def run(self, *words):
        done = subprocess.run([self.tool, *map(str, words)], stdout=subprocess.PIPE, text=True, timeout=300)
        if done.returncode != 0:
            sys.exit(f"image_loop {words[0]} failed")
        return done.stdout

    def large(self):
        """A JPEG of 4000 x 3000, quality 90: a photograph, or without Debian's an enlarged one with noise."""
        target = self.folder / "large.jpg"
        if target.exists():
            return target
        if (PHOTOS / LARGE).exists():
            return self.cut(PHOTOS / LARGE, target, 4000, 3000, "[Q=90]")
        print(f"no {PHOTOS / LARGE}: measured with an enlarged picture; run scripts/bootstrap bench", flush=True)
        self.run("make", PHOTO, target)
        return target

    def detailed(self):
        """A PNG of 2304 x 1736, which is 4 megapixels."""
        source = PHOTOS / DETAILED
        target = self.folder / "detailed.png"
        return self.cut(source if source.exists() else self.large(), target, 2304, 1736)

    def several(self):
        """JPEGs of several photographs, quality 95, each with its size."""
        found = {name: size for name, size in SEVERAL.items() if (PHOTOS / name).exists()}
        if not found:
            return {self.large(): (4000, 3000)}
        return {self.cut(PHOTOS / name, self.folder / name, *size, "[Q=95]"): size for name, size in found.items()}

    def cut(self, source, target, width, height, options=""):
        if not target.exists():
            self.run("cut", source, f"{target}{options}", width, height)
        return target

    def smaller(self, source, name, width, options=""):
        """A picture of this width, in the format of its name."""
        target = self.folder / name
        self.run("plain", source, f"{target}{options}", width)
        return target

    def animated(self, source, name):
        target = self.folder / name
        self.run("animate", source, target)
        return target


def environment():
    """The folder with the programs of a Python environment that has what requirements.txt lists."""
    needed, folder = ROOT / "Benchmarks/requirements.txt", ROOT / "Benchmarks/.venv"
    stamp = folder / "requirements.stamp"
    if not stamp.exists() or stamp.read_text() != needed.read_text():
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        pip = [folder / "bin/pip", "install", "--quiet", "--disable-pip-version-check", "--requirement", needed]
        subprocess.run(pip, check=True)
        (folder / ".gitignore").write_text("*\n")
        stamp.write_text(needed.read_text())
    return folder / "bin"
