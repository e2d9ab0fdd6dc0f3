"""Animated WebPs that cost few bytes and many pixels, written without any library."""

import struct


def animated_webp(width, height, frames, colours=((40, 90, 160), (250, 200, 30)), milliseconds=40):
    """An animation whose frames each have one colour; a frame takes about fifty bytes, whatever its size."""
    size = pair(width - 1) + pair(height - 1)
    pieces = [chunk(b"VP8X", b"\x02\0\0\0" + size), chunk(b"ANIM", bytes(4) + bytes(2))]
    for number in range(frames):
        # Frames differ in colour, so that no two are merged.
        red, green, blue = colours[number % len(colours)]
        picture = chunk(b"VP8L", plain(width, height, (red, green, (blue + number) % 256)))
        pieces.append(chunk(b"ANMF", bytes(6) + size + pair(milliseconds) + b"\0" + picture))
    body = b"WEBP" + b"".join(pieces)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def plain(width, height, colour):
    """A lossless picture of one colour: every prefix code has one symbol, so no pixel takes a bit (RFC 9649, 3)."""
    bits = Bits()
    bits.add(0x2F, 8)
    bits.add(width - 1, 14)
    bits.add(height - 1, 14)
    # No alpha, version 0; no transform, no colour cache, one set of codes.
    bits.add(0, 1 + 3 + 1 + 1 + 1)
    red, green, blue = colour
    for symbol in (green, red, blue, 255, 0):
        # A simple code of one symbol of eight bits.
        bits.add(0b101, 3)
        bits.add(symbol, 8)
    return bits.bytes()


class Bits:
    """Bits, the lowest first."""

    def __init__(self):
        self.value = self.length = 0

    def add(self, value, length):
        self.value |= value << self.length
        self.length += length

    def bytes(self):
        return self.value.to_bytes((self.length + 7) // 8 + 1, "little")


def pair(value):
    return struct.pack("<I", value)[:3]


def chunk(name, data):
    return name + struct.pack("<I", len(data)) + data + bytes(len(data) % 2)
