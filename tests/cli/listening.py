"""Where `bulkhead serve` listens: addresses and names, unix sockets, sockets from systemd."""
import contextlib
import http.client
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

import program

READY_S = 20


class Started:
    """with Started(option, ...) as server: its `addresses` as printed, the end by SIGTERM; afterwards
    exit_code and log."""

    def __init__(self, *options, command=None, **popen):
        self.command = command or [program.PATH, "serve", *options]
        self.popen = popen
        self.addresses, self.exit_code, self.log = [], None, ""

    def __enter__(self):
        self._log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=self._log,
                                        text=True, **self.popen)
        try:
            self._read_addresses()
        except BaseException:
            self.__exit__()
            raise
        if not self.addresses:
            self.__exit__()
            raise RuntimeError(f"no address from {self.command}\n{self.log}")
        return self

    def _read_addresses(self):
        for line in self.process.stdout:
            found = re.fullmatch(r"listening on (?:http://)?(.+)\n", line)
            if not found:
                break
            self.addresses.append(found.group(1))

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.exit_code = self.process.wait(READY_S)
        self.process.stdout.close()
        self._log.seek(0)
        self.log = self._log.read()
        self._log.close()


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=20)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


def hello(address):
    """What /hello answers there."""
    if address.startswith("unix:"):
        connection = UnixConnection(address[len("unix:"):])
    else:
        host, port = address.rsplit(":", 1)
        connection = http.client.HTTPConnection(host.strip("[]"), int(port), timeout=20)
    with contextlib.closing(connection):
        connection.request("GET", "/hello")
        return connection.getresponse().read()


class ListeningCase(unittest.TestCase):
    def refused(self, exit_code, options, *words):
        done = program.run("serve", *options)
        self.assertEqual((done.returncode, done.stdout), (exit_code, ""), done)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for word in ("bulkhead serve: ", *words):
            self.assertIn(word, done.stderr)

    def served(self, server, count=1):
        self.assertEqual(len(server.addresses), count, server.addresses)
        for address in server.addresses:
            for _ in range(4):
                self.assertEqual(hello(address), b"Hello, world!", address)


class Addresses(ListeningCase):
    def test_b163_what_is_bound_is_printed_and_answers(self):
        for listen, bound in (("127.0.0.1:0", r"127\.0\.0\.1:[1-9]\d*"),
                              ("[::1]:0", r"\[::1\]:[1-9]\d*"),
                              ("0.0.0.0:0", r"0\.0\.0\.0:[1-9]\d*"), ("[::]:0", r"\[::\]:[1-9]\d*")):
            with Started("--listen", listen) as server:
                self.assertRegex(server.addresses[0], f"^{bound}$")
                self.served(server)
            self.assertEqual(server.exit_code, 0, server.log)

    def test_b163_localhost_is_every_address_that_it_stands_for(self):
        with Started("--listen", "localhost:0") as server:
            self.served(server, len(server.addresses))
            for address in server.addresses:
                self.assertRegex(address, r"^(127\.[\d.]+|\[::1\]):[1-9]\d*$")
        self.assertEqual(server.exit_code, 0, server.log)

    def test_b163_names_that_are_none(self):
        self.refused(2, ["--listen", "no-such-host.invalid:80"], "'no-such-host.invalid:80'")
        for bad in ("1:80", "127.1:80", "256.0.0.1:80", "a b:80", "http://a:80", "a/b:80", "::1:80"):
            self.refused(2, ["--listen", bad], f"--listen: '{bad}' is not like")

    def test_several_addresses(self):
        with tempfile.TemporaryDirectory() as folder:
            with Started("--listen", "127.0.0.1:0", "--listen", f"unix:{folder}/a.sock",
                         "--listen", "[::1]:0", "--threads", "3") as server:
                self.served(server, 3)
                self.assertEqual(server.addresses[1], f"unix:{folder}/a.sock")
            self.assertEqual(server.exit_code, 0, server.log)
            self.assertEqual(os.listdir(folder), [])


class UnixSockets(ListeningCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "a.sock"
        self.listen = ("--listen", f"unix:{self.path}", "--threads", "2")

    def test_it_serves_and_the_file_goes_with_it(self):
        with Started(*self.listen) as server:
            self.assertEqual(server.addresses, [f"unix:{self.path}"])
            self.served(server)
        self.assertEqual(server.exit_code, 0, server.log)
        self.assertFalse(self.path.exists())

    def test_the_printed_command_works(self):
        with Started(*self.listen) as server:
            done = subprocess.run(["curl", "-sS", "--unix-socket", self.path,
                                   "http://localhost/hello"], capture_output=True, check=False)
            self.assertEqual(done.stdout, b"Hello, world!", done)
        self.assertEqual(server.exit_code, 0, server.log)

    def test_the_file_of_a_killed_server_is_replaced(self):
        with Started(*self.listen) as server:
            server.process.kill()
            server.process.wait()
        self.assertTrue(self.path.is_socket())
        with Started(*self.listen) as server:
            self.served(server)
        self.assertEqual(server.exit_code, 0, server.log)

    def test_a_live_server_is_left_alone(self):
        with Started(*self.listen) as server:
            self.refused(1, self.listen, f"unix:{self.path}", "another server answers")
            self.served(server)

    def test_a_successor_keeps_its_file(self):
        with Started(*self.listen) as old:
            self.path.unlink()
            with Started(*self.listen) as new:
                old.process.send_signal(signal.SIGTERM)
                self.assertEqual(old.process.wait(READY_S), 0)
                self.served(new)
            self.assertEqual(new.exit_code, 0, new.log)
        self.assertFalse(self.path.exists())

    def test_a_file_that_is_no_socket_is_refused_and_kept(self):
        self.path.write_text("precious")
        self.refused(1, self.listen, f"unix:{self.path}", "no socket")
        self.assertEqual(self.path.read_text(), "precious")

    def test_a_folder_that_is_not_there(self):
        path = self.path.parent / "no" / "a.sock"
        self.refused(1, ["--listen", f"unix:{path}"], f"unix:{path}", "No such file")

    def test_path_lengths(self):
        longest = str(self.path.parent / "a")
        longest += "a" * (107 - len(longest))
        with Started("--listen", f"unix:{longest}") as server:
            self.assertEqual(server.addresses, [f"unix:{longest}"])
            self.served(server)
        self.refused(2, ["--listen", f"unix:{longest}a"], "108 bytes", "at most 107")
        self.refused(2, ["--listen", "unix:"], "'unix:' names no path")


# Puts descriptors where systemd does and becomes the program, whose process id it already has.
ACTIVATE = """
import os, sys
count, path = int(sys.argv[1]), sys.argv[2]
fds = [os.dup(int(fd)) for fd in sys.argv[3:3 + count]]
high = [os.dup2(fd, 100 + i) for i, fd in enumerate(fds)]
os.closerange(3, 100)
for i, fd in enumerate(high):
    os.dup2(fd, 3 + i)
if os.environ.get("LISTEN_PID") == "own":
    os.environ["LISTEN_PID"] = str(os.getpid())
os.execv(path, [path, *sys.argv[3 + count:]])
"""


def activated(sockets, *options, **variables):
    """Arguments of Popen for the program with these sockets passed to it."""
    numbers = [s.fileno() for s in sockets]
    environment = {**os.environ, "LISTEN_PID": "own", "LISTEN_FDS": str(len(sockets)), **variables}
    command = [sys.executable, "-c", ACTIVATE, str(len(numbers)), program.PATH,
               *map(str, numbers), "serve", *options]
    return {"args": command, "pass_fds": numbers, "env": environment}


class Systemd(ListeningCase):
    def setUp(self):
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(self.tcp.close)
        self.address = "127.0.0.1:%d" % self.tcp.getsockname()[1]

    def start(self, sockets, *options, **variables):
        popen = activated(sockets, *options, **variables)
        return Started(command=popen.pop("args"), **popen)

    def not_started(self, sockets, *words, options=("--listen", "systemd"), exit_code=2, **variables):
        popen = activated(sockets, *options, **variables)
        done = subprocess.run(popen.pop("args"), capture_output=True, text=True, timeout=READY_S,
                              check=False, **popen)
        self.assertEqual((done.returncode, done.stdout), (exit_code, ""), done)
        for word in ("bulkhead serve: ", *words):
            self.assertIn(word, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_b164_its_sockets_are_served_and_logged(self):
        with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as unix:
            path = f"{folder}/a.sock"
            unix.bind(path)
            unix.listen()
            with self.start([self.tcp, unix], "--listen", "systemd", "--threads", "2",
                            LISTEN_FDNAMES="web:local") as server:
                self.assertEqual(server.addresses, [self.address, f"unix:{path}"])
                self.served(server, 2)
            self.assertEqual(server.exit_code, 0, server.log)
            self.assertIn(f"descriptor 3 (web) from systemd: {self.address}", server.log)
            self.assertIn(f"descriptor 4 (local) from systemd: unix:{path}", server.log)
            self.assertTrue(os.path.exists(path), "the file is systemd's")

    def test_b164_from_a_file(self):
        with program.settings_file('listen = ["systemd"]\n') as path:
            with self.start([self.tcp], "--config", path) as server:
                self.served(server)

    def test_b164_a_configured_address_is_not_silently_replaced(self):
        with self.start([self.tcp], "--listen", "127.0.0.1:0") as server:
            self.assertNotEqual(server.addresses, [self.address])
            self.served(server)
        self.assertIn("LISTEN_FDS", server.log)

    def test_b164_of_another_process_they_are_ignored(self):
        self.not_started([self.tcp], "systemd", "LISTEN_PID", LISTEN_PID=str(os.getpid()))
        with self.start([self.tcp], "--listen", "127.0.0.1:0", LISTEN_PID=str(os.getpid())) as server:
            self.served(server)
        self.assertNotIn("LISTEN_", server.log)
        self.refused(2, ["--listen", "systemd"], "systemd", "LISTEN_PID")

    def test_b164_malformed_variables_are_named(self):
        for count in ("abc", "", "0", "-1", "1 "):
            self.not_started([self.tcp], f"LISTEN_FDS='{count}'", LISTEN_FDS=count)
        for pid in ("abc", "", "0"):
            self.not_started([self.tcp], f"LISTEN_PID='{pid}'", LISTEN_PID=pid)
        self.not_started([self.tcp], "LISTEN_FDNAMES='a:b'", LISTEN_FDNAMES="a:b")

    def test_b164_what_is_no_listening_stream_socket_is_refused(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp, socket.socket() as fresh, \
                open(os.devnull, "rb") as file:
            self.not_started([self.tcp, udp], "descriptor 4 is a datagram socket")
            self.not_started([fresh], "descriptor 3 is not listening")
            self.not_started([file], "descriptor 3 is no socket")
        self.not_started([self.tcp], "descriptor 4 ", LISTEN_FDS="2")


class OnARealSocketActivation(ListeningCase):
    def test_b164_systemd_socket_activate(self):
        tool = "/usr/bin/systemd-socket-activate"
        if not os.path.exists(tool):
            self.skipTest("needs systemd-socket-activate")
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/a.sock"
            # It clears the environment, a sanitizer's options too.
            kept = [f"--setenv={name}" for name in os.environ if name.endswith("SAN_OPTIONS")]
            process = subprocess.Popen(
                [tool, "-l", path, *kept, program.PATH, "serve", "--listen", "systemd"],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                deadline = time.monotonic() + READY_S
                while not os.path.exists(path) and time.monotonic() < deadline:
                    time.sleep(0.02)
                self.assertEqual(hello(f"unix:{path}"), b"Hello, world!")
            finally:
                process.terminate()
                self.assertEqual(process.wait(READY_S), 0)
