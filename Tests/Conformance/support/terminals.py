"""Runs commands of the binary on a pseudo-terminal, as a person sees them."""

import fcntl
import os
import pty
import struct
import subprocess
import termios

from client import BINARY, TIMEOUT, eventually
from commands import own_environment


class OnTerminal:
    """A command whose input, output and errors are one terminal."""

    def __init__(self, *arguments, folder=None, columns=100, **environment):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self.process = subprocess.Popen(
            [BINARY, *map(str, arguments)], cwd=folder, env=own_environment(**{"TERM": "xterm"} | environment),
            stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
        )
        os.close(slave)
        os.set_blocking(self.master, False)
        self.text = ""

    def read(self):
        """What the terminal has shown so far."""
        try:
            while data := os.read(self.master, 65536):
                self.text += data.decode(errors="replace")
        except (BlockingIOError, OSError):
            # A terminal whose last process ended gives EIO.
            pass
        return self.text

    def shows(self, words):
        """Waits until the terminal shows the words."""
        return eventually(lambda: words in self.read(), TIMEOUT)

    def type(self, line):
        os.write(self.master, f"{line}\n".encode())

    def end(self):
        """Waits for the end of the command; returns its exit code."""
        assert eventually(lambda: (self.read(), self.process.poll())[1] is not None, TIMEOUT), self.text
        self.read()
        os.close(self.master)
        return self.process.returncode


def on_terminal(*arguments, **options):
    """Runs a command to its end; returns its exit code and what the terminal showed."""
    command = OnTerminal(*arguments, **options)
    code = command.end()
    return code, command.text
