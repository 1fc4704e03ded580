"""Starts `bulkhead serve` on a port of the system's choice and ends it by its own process id."""
import os
import re
import select
import signal
import subprocess
import tempfile
import time

READY_S = 20  # instrumented builds on a busy machine start slowly
STOP_S = 20
LISTENING = re.compile(r"listening on https?://(.+):([0-9]+)\n")


class Served:
    """with Served(program) as server: ...; afterwards server.exit_code and server.log tell how it
    ended. A server that does not end in time is killed, and exit_code is None. With the option
    --tls-listen it also has a tls_port."""

    def __init__(self, program, *options, **variables):
        self.command = [program, "serve", "--listen", "127.0.0.1:0", *options]
        self.environment = {**os.environ, **variables}
        self.exit_code, self.log = None, ""
        self.tls_port = None

    def __enter__(self):
        # A file and not a pipe: a server that logs much must not wait for a reader.
        self._log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            self.command, stdout=subprocess.PIPE, stderr=self._log, text=True,
            env=self.environment)
        try:
            self.host, self.port = self._address()
            if "--tls-listen" in self.command:
                # It comes together with the first line, so that it may be in a buffer already.
                self.tls_port = int(LISTENING.fullmatch(self.process.stdout.readline()).group(2))
        except BaseException:
            self._end(signal.SIGKILL)
            raise
        return self

    def _address(self):
        deadline = time.monotonic() + READY_S
        while time.monotonic() < deadline:
            if select.select([self.process.stdout], [], [], 0.1)[0]:
                line = self.process.stdout.readline()
                found = LISTENING.fullmatch(line)
                if found:
                    return found.group(1), int(found.group(2))
                if not line:
                    break
        self._end(signal.SIGKILL)
        raise RuntimeError(f"no address from {' '.join(self.command)}\n{self.log}")

    def so_far(self):
        """What is in the log while it runs."""
        return os.pread(self._log.fileno(), 1 << 20, 0).decode()

    def __exit__(self, *_):
        self._end(signal.SIGTERM)

    def _end(self, by):
        if self.process.poll() is None:
            self.process.send_signal(by)
        try:
            self.exit_code = self.process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        if not self._log.closed:
            self._log.seek(0)
            self.log = self._log.read()
            self._log.close()
