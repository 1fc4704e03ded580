"""What is seen of the server from outside: access log and admin listener."""
import http.client
import json
import pathlib
import socket
import tempfile
import unittest

import program
from served import Served


def send_raw(server, data):
    with socket.create_connection((server.host, server.port), 10) as connection:
        connection.sendall(data)
        while connection.recv(65536):
            pass


def ask(address, target):
    connection = http.client.HTTPConnection(address, timeout=20)
    try:
        connection.request("GET", target)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


class AccessLog(unittest.TestCase):
    def test_the_same_as_text(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "access.log"
            with Served(program.PATH, "--access-log", str(path),
                        "--access-log-format", "text") as server:
                self.assertEqual(ask(f"{server.host}:{server.port}", "/hello?x=1")[0], 200)
            self.assertRegex(path.read_text(), r'^\S+Z info [0-9a-f]{16} 127\.0\.0\.1:\d+ '
                             r'"GET /hello\?x=1" 200 served "" received=0 sent=\d+ us=\d+\n$')

    def test_every_request_and_refusal_is_one_line_of_json(self):  # B151
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "access.log"
            with Served(program.PATH, "--access-log", str(path)) as server:
                address = f"{server.host}:{server.port}"
                self.assertEqual(ask(address, "/hello?x=1")[0], 200)
                self.assertEqual(ask(address, "/throw")[0], 500)
                send_raw(server, b"nonsense\r\n\r\n")
                send_raw(server, b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n")
            lines = [json.loads(line) for line in path.read_text().splitlines()]
        found = [(line["method"], line["target"], line["status"], line["reason"])
                 for line in lines]
        self.assertCountEqual(found, [
            ("GET", "/hello?x=1", 200, "served"), ("GET", "/throw", 500, "exception"),
            ("", "", 400, "bad_head"), ("", "", 400, "bad_framing")])

    def test_a_file_that_cannot_be_written_is_named(self):
        done = program.run("serve", "--listen", "127.0.0.1:0", "--access-log", "/no/such/folder/log")
        self.assertEqual(done.returncode, 1, done)
        self.assertIn("/no/such/folder/log", done.stderr)


class Admin(unittest.TestCase):
    def test_metrics_health_and_readiness(self):
        with Served(program.PATH, "--admin-listen", "127.0.0.1:0") as server:
            server.process.stdout.readline()  # try: curl
            line = server.process.stdout.readline()
            self.assertRegex(line, r"^admin on http://127\.0\.0\.1:[0-9]+/metrics\n$")
            admin = line.split("/")[2]
            for _ in range(3):
                self.assertEqual(ask(f"{server.host}:{server.port}", "/hello")[0], 200)
            status, text = ask(admin, "/metrics")
            self.assertEqual(status, 200)
            self.assertIn('bulkhead_requests_total{reason="served"} 3\n', text)
            self.assertIn("bulkhead_accepted_total 3\n", text)
            self.assertEqual(ask(admin, "/healthz")[0], 200)
            self.assertEqual(ask(admin, "/readyz")[0], 200)
        self.assertEqual(server.exit_code, 0, server.log)

    def test_an_address_in_use_ends_the_start_and_is_named(self):
        with Served(program.PATH) as server:
            taken = f"{server.host}:{server.port}"
            done = program.run("serve", "--listen", "127.0.0.1:0", "--admin-listen", taken)
        self.assertEqual(done.returncode, 1, done)
        self.assertIn(taken, done.stderr)
