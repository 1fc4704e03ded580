"""The demo's handlers, and how the program ends."""
import http.client
import signal
import time
import unittest

import program
from served import Served


class Serving(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Served(program.PATH, "--threads", "2").__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()
        if cls.server.exit_code != 0:
            raise AssertionError(f"exit code {cls.server.exit_code}\n{cls.server.log}")

    def ask(self, target, method="GET", body=None, headers=None):
        connection = http.client.HTTPConnection(self.server.host, self.server.port, timeout=20)
        try:
            connection.request(method, target, body, headers or {})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def test_port_0_prints_the_real_port(self):
        self.assertGreater(self.server.port, 0)

    def test_plain_pages(self):
        self.assertEqual(self.ask("/")[0], 200)
        self.assertEqual(self.ask("/hello"), (200, b"Hello, world!"))
        self.assertEqual(self.ask("/small"), (200, b"Hello, world!"))
        self.assertEqual(self.ask("/nowhere")[0], 404)
        self.assertEqual(self.ask("/hello", "DELETE")[0], 405)

    def test_echo_gives_the_content_back(self):
        content = bytes(range(256)) * 1000
        self.assertEqual(self.ask("/echo", "POST", content), (200, content))

    def test_headers_come_back(self):
        self.assertIn(b"X-Colour: red\n", self.ask("/headers", headers={"X-Colour": "red"})[1])

    def test_big(self):
        self.assertEqual(len(self.ask("/big")[1]), 16384)
        self.assertEqual(len(self.ask("/big?n=3000000")[1]), 3000000)
        self.assertEqual(self.ask("/big?n=0"), (200, b""))

    def test_sleep_and_spin_take_their_time(self):
        for target in ("/sleep?ms=120", "/spin?ms=120"):
            started = time.monotonic()
            self.assertEqual(self.ask(target)[0], 200)
            self.assertGreaterEqual(time.monotonic() - started, 0.12)

    def test_stream(self):
        lines = b"".join(b"line %d\n" % (i + 1) for i in range(25))
        self.assertEqual(self.ask("/stream?n=25&ms=2"), (200, lines))
        self.assertEqual(self.ask("/stream?n=0"), (200, b""))

    def test_throw_ends_one_request_only(self):
        self.assertEqual(self.ask("/throw")[0], 500)
        self.assertEqual(self.ask("/throw?what=int")[0], 500)
        self.assertEqual(self.ask("/hello")[0], 200)

    def test_status(self):
        for code in (200, 204, 304, 404, 418, 503):
            self.assertEqual(self.ask(f"/status?c={code}")[0], code)

    def test_bad_query_numbers_are_400_and_name_the_parameter(self):
        for target, name in (("/sleep?ms=abc", b"ms"), ("/spin?ms=-1", b"ms"), ("/big?n=1e9", b"n"),
                             ("/big?n=99999999999999999999", b"n"), ("/status?c=99", b"c"),
                             ("/status?c=", b"c"), ("/stream?n=x", b"n"), ("/throw?what=up", b"what")):
            status, body = self.ask(target)
            self.assertEqual(status, 400, target)
            self.assertIn(name + b": ", body)


class Ending(unittest.TestCase):
    def test_sigterm_and_sigint_exit_0(self):
        for by in (signal.SIGTERM, signal.SIGINT):
            with Served(program.PATH) as server:
                server.process.send_signal(by)
                self.assertEqual(server.process.wait(20), 0)

    def test_an_open_connection_does_not_hold_it_up(self):
        with Served(program.PATH) as server:
            connection = http.client.HTTPConnection(server.host, server.port, timeout=20)
            connection.request("GET", "/hello")
            connection.getresponse().read()
        connection.close()
        self.assertEqual(server.exit_code, 0, server.log)
