"""A server under measurement, as a process on a port of the system's choice."""
import os
import pathlib
import re
import select
import signal
import subprocess
import tempfile
import time

from measuring.machine import TICKS_A_SECOND

READY_S = 10
STOP_S = 10
LISTENING = re.compile(r"listening on (https?)://127\.0\.0\.1:([0-9]+)\n")


class ServerFailed(Exception):
    pass


class Server:
    """with Server(...) as server: server.port is served until the end of the block, and with TLS
    server.secure_port, when it is `secure`."""

    def __init__(self, name, command, cpus=None, secure=False):
        self.name, self.command, self._cpus, self._secure = name, command, cpus, secure
        self.is_ours, self.echoes = True, True

    def __enter__(self):
        self._log = tempfile.TemporaryFile("w+")  # a pipe that nobody reads could block it
        self._process = subprocess.Popen(
            self.command, stdout=subprocess.PIPE, stderr=self._log, text=True,
            preexec_fn=lambda: pin(self._cpus))
        self.port, self.secure_port = self._await_ports()
        self._proc = pathlib.Path("/proc", str(self._process.pid))
        return self

    def _await_ports(self):
        if not select.select([self._process.stdout], [], [], READY_S)[0]:
            self._fail()
        # All addresses are written at once.
        return self._read_port("http"), self._read_port("https") if self._secure else None

    def _read_port(self, scheme):
        found = LISTENING.fullmatch(self._process.stdout.readline())
        if not found or found.group(1) != scheme:
            self._fail()
        return int(found.group(2))

    def _fail(self):
        self._end(signal.SIGKILL)
        raise ServerFailed(f"{self.name} does not start: {self._logged()}")

    def __exit__(self, kind, *_):
        died = self._process.poll() is not None
        self._end(signal.SIGTERM)
        if died and kind is None:
            raise ServerFailed(f"{self.name} died: {self._logged()}")
        self._log.close()

    def _logged(self):
        self._log.seek(0)
        return self._log.read().strip() or f"exit code {self._process.returncode}"

    def _end(self, by):
        if self._process.poll() is None:
            self._process.send_signal(by)
        try:
            self._process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()

    def cpu_s(self):
        """Seconds of CPU time until now: (in the program, in the kernel)."""
        fields = (self._proc / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return int(fields[11]) / TICKS_A_SECOND, int(fields[12]) / TICKS_A_SECOND

    def resident_bytes(self):
        text = (self._proc / "smaps_rollup").read_text(encoding="ascii")
        return int(re.search(r"^Rss:\s+([0-9]+) kB", text, re.MULTILINE).group(1)) * 1024

    def descriptors(self):
        return len(os.listdir(self._proc / "fd"))


def pin(cpus):
    if cpus is not None:
        os.sched_setaffinity(0, cpus)


def certificate(build):
    """(certificate, key) of localhost, which `bulkhead --self-signed` makes when it is not there."""
    folder = build / "bench" / "tls"
    if not list(folder.glob("*.pem")):
        with bulkhead(build, 1, secure=True):
            pass
    files = sorted(folder.glob("*.pem")) + sorted(folder.glob("*.key"))
    keys = [file for file in files if "PRIVATE KEY" in file.read_text(encoding="ascii")]
    return next(file for file in files if file not in keys), keys[0]


def bulkhead(build, threads, cpus=None, secure=False, name="bulkhead", more=()):
    # One process, so that its figures are the server's.
    secured = ["--tls-listen", "127.0.0.1:0", "--self-signed", str(build / "bench" / "tls")]
    return Server(name, [
        str(build / "bulkhead"), "serve", "--no-supervisor", "--listen", "127.0.0.1:0",
        "--threads", str(threads), "--max-sessions", "100000", *(secured if secure else []), *more],
        cpus, secure)


def bare_loop(build, cpus=None):
    return Server("bare_loop", [str(build / "bench" / "bare_loop"), "0"], cpus)


def worker_server(build, threads, cpus=None):
    shown, key = certificate(build)
    return Server("worker_server", [
        str(build / "bench" / "worker_server"), "--threads", str(threads), "--listen", "127.0.0.1:0",
        "--tls-listen", "127.0.0.1:0", "--cert", str(shown), "--key", str(key)], cpus, True)
