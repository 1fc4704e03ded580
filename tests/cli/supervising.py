"""The supervisor and its worker: crashes, reloads, and the ways to end."""
import contextlib
import fcntl
import os
import re
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest

import program
from served import Served

PATIENCE_S = 20


def ask(server, target, timeout=PATIENCE_S):
    """The answer to a GET; b"" when the connection ended without one."""
    with socket.create_connection((server.host, server.port), timeout) as peer:
        peer.sendall(f"GET {target} HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n".encode())
        answer = b""
        with contextlib.suppress(ConnectionResetError):
            while piece := peer.recv(65536):
                answer += piece
        return answer


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(child) for child in file.read().split()]


def is_alive(pid):
    with contextlib.suppress(FileNotFoundError), \
            open(f"/proc/{pid}/stat", encoding="ascii") as file:
        return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    return False


def until(holds):
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        if time.monotonic() > deadline:
            raise AssertionError("waited in vain")
        time.sleep(0.01)


class Crashes(unittest.TestCase):
    def test_a_crash_is_logged_and_another_worker_serves(self):
        with Served(program.PATH) as server:
            self.assertIn(b"Hello", ask(server, "/hello"))
            before = children(server.process.pid)
            self.assertEqual(ask(server, "/crash"), b"")
            self.assertIn(b"Hello", ask(server, "/hello"))
            self.assertNotEqual(children(server.process.pid), before)
        self.assertEqual(server.exit_code, 0, server.log)
        self.assertRegex(server.log, r"worker \d+ killed by signal 11 .* in request "
                                     r"[0-9a-f]{16} \(GET /crash\); restart 1 in 0 ms")

    def test_no_connection_is_refused_while_it_crashes_again_and_again(self):
        with Served(program.PATH) as server:
            for _ in range(4):
                self.assertEqual(ask(server, "/crash"), b"")
            # It is in a pause now: this one waits in the queue.
            self.assertIn(b"Hello", ask(server, "/hello"))
        self.assertEqual(server.exit_code, 0, server.log)
        pauses = [int(ms) for ms in re.findall(r"restart \d in (\d+) ms", server.log)]
        self.assertEqual(pauses, [0, 100, 200, 400])

    def test_a_neighbour_in_a_handler_is_named_too(self):
        with Served(program.PATH) as server:
            neighbour = threading.Thread(target=ask, args=(server, "/sleep?ms=60000"))
            neighbour.start()
            time.sleep(0.3)
            self.assertEqual(ask(server, "/crash"), b"")
            neighbour.join(PATIENCE_S)
            until(lambda: "restart 1" in server.so_far())
        self.assertRegex(server.log, r"\(GET /crash\); running: request [0-9a-f]{16} \(GET /sleep\)")

    def test_a_worker_killed_from_outside_is_replaced(self):
        with Served(program.PATH) as server:
            os.kill(children(server.process.pid)[0], signal.SIGKILL)
            self.assertIn(b"Hello", ask(server, "/hello"))
        self.assertIn("signal 9", server.log)

    def test_a_worker_takes_signals_from_its_supervisor_alone(self):
        with Served(program.PATH) as server:
            worker = children(server.process.pid)[0]
            os.kill(worker, signal.SIGTERM)  # not its supervisor's
            self.assertIn(b"Hello", ask(server, "/hello"))
            self.assertEqual(children(server.process.pid), [worker])
        self.assertEqual(server.exit_code, 0, server.log)

    def test_a_service_manager_that_tells_both_gets_one_drain(self):
        with Served(program.PATH) as server:
            answer = []
            stream = threading.Thread(
                target=lambda: answer.append(ask(server, "/stream?n=10&ms=100")))
            stream.start()
            time.sleep(0.3)
            for pid in (*children(server.process.pid), server.process.pid):
                os.kill(pid, signal.SIGTERM)
            stream.join(PATIENCE_S)
            self.assertIn(b"line 10\n", answer[0])
            self.assertTrue(answer[0].endswith(b"0\r\n\r\n"))
            self.assertEqual(server.process.wait(PATIENCE_S), 0)

    def test_request_ids_of_the_next_worker_are_others(self):
        with Served(program.PATH, "--threads", "1") as server:
            for _ in range(2):
                self.assertEqual(ask(server, "/crash"), b"")
                self.assertIn(b"Hello", ask(server, "/hello"))
            ids = re.findall(r"request ([0-9a-f]{16})", server.so_far())
        self.assertEqual(len(set(ids)), 2, ids)

    def test_a_worker_ends_when_its_supervisor_is_killed(self):
        with Served(program.PATH) as server:
            worker = children(server.process.pid)[0]
            server.process.kill()
            until(lambda: not is_alive(worker))

    def test_without_a_supervisor_a_crash_is_the_end(self):
        with Served(program.PATH, "--no-supervisor") as server:
            self.assertEqual(children(server.process.pid), [])
            self.assertEqual(ask(server, "/crash"), b"")
            until(lambda: server.process.poll() is not None)
        self.assertNotEqual(server.exit_code, 0)


class Reloads(unittest.TestCase):
    def test_new_limits_hold_and_a_broken_file_changes_nothing(self):
        with program.settings_file("[limits]\nrequest_line_bytes_max = 100\n") as path, \
                Served(program.PATH, "--config", path) as server:
            def status(bytes_of_path):
                return ask(server, "/" + "x" * bytes_of_path).split()[1]

            def reload(content, said):
                with open(path, "w", encoding="ascii") as file:
                    file.write(content)
                server.process.send_signal(signal.SIGHUP)
                until(lambda: said in server.so_far())

            self.assertEqual(status(200), b"414")
            reload("[limits]\nrequest_line_bytes_max = 1000\n", "reload: done")
            self.assertEqual(status(200), b"404")
            reload("[limits]\nrequest_line_bytes_max = 50\ncolour = 1\n",
                   f"{path}:3: limits.colour: unknown key")
            self.assertEqual(status(200), b"404")
            ask(server, "/crash")  # the next worker has what was reloaded
            self.assertEqual(status(200), b"404")
            # Only the worker finds out that there is no such file.
            reload("[limits]\nrequest_line_bytes_max = 50\n[[handler]]\npath = \"/x\"\n"
                   "run = \"process\"\nfile = \"/no/such/guest.so\"\n", "/no/such/guest.so")
            self.assertEqual(status(200), b"404")
            ask(server, "/crash")  # and the next worker does not have what was refused
            self.assertEqual(status(200), b"404")
            reload("threads = 7\n", "threads counts at the next start")
        self.assertEqual(server.exit_code, 0, server.log)

    def test_the_access_log_is_opened_anew(self):
        for options in ([], ["--no-supervisor"]):
            with tempfile.TemporaryDirectory() as folder:
                path = f"{folder}/access.log"
                with Served(program.PATH, "--access-log", path, *options) as server:
                    ask(server, "/hello")
                    until(lambda: os.path.getsize(path) > 0)
                    os.rename(path, path + ".1")
                    server.process.send_signal(signal.SIGHUP)
                    until(lambda: os.path.exists(path))
                    ask(server, "/small")
                with open(path, encoding="utf-8") as file:
                    self.assertIn("/small", file.read())


class Ends(unittest.TestCase):
    def test_a_second_signal_does_not_wait_for_a_handler(self):
        for options in ([], ["--no-supervisor"]):
            with Served(program.PATH, *options) as server:
                stuck = threading.Thread(target=ask, args=(server, "/sleep?ms=60000"))
                stuck.start()
                time.sleep(0.3)
                server.process.send_signal(signal.SIGTERM)
                time.sleep(0.3)
                server.process.send_signal(signal.SIGTERM)
                self.assertEqual(server.process.wait(PATIENCE_S), 1)
                stuck.join(PATIENCE_S)
            self.assertIn("handlers have not returned", server.log)

    def test_a_stuck_handler_does_not_outlast_the_drain(self):
        with Served(program.PATH, "--drain-deadline-ms", "200") as server:
            stuck = threading.Thread(target=ask, args=(server, "/sleep?ms=60000"))
            stuck.start()
            time.sleep(0.3)
            server.process.send_signal(signal.SIGTERM)
            self.assertEqual(server.process.wait(PATIENCE_S), 1)
            stuck.join(PATIENCE_S)

    def test_nobody_reads_standard_error(self):
        process = subprocess.Popen([program.PATH, "serve", "--listen", "127.0.0.1:0"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            line = process.stdout.readline()
            server = type("", (), {"host": "127.0.0.1", "port": int(line.rsplit(":", 1)[1])})
            fcntl.fcntl(process.stderr, fcntl.F_SETPIPE_SZ, 4096)
            for _ in range(90):
                self.assertIn(b" 500 ", ask(server, "/throw"))
            self.assertEqual(ask(server, "/crash"), b"")
            self.assertIn(b"Hello", ask(server, "/hello"))
            process.terminate()
            self.assertEqual(process.wait(PATIENCE_S), 0)
        finally:
            process.kill()
            process.communicate()


class Notifications(unittest.TestCase):
    def test_the_service_manager_is_told(self):
        for options in ([], ["--no-supervisor"]):
            with tempfile.TemporaryDirectory() as folder, \
                    socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
                path = f"{folder}/notify"
                manager.bind(path)
                manager.settimeout(PATIENCE_S)
                with Served(program.PATH, *options, NOTIFY_SOCKET=path):
                    self.assertEqual(manager.recv(100), b"READY=1")
                self.assertEqual(manager.recv(100), b"STOPPING=1")
