"""`bulkhead serve --root`: a folder in place of the demo."""
import http.client
import pathlib
import tempfile
import unittest

import program
from program import settings_file
from served import Served


class Root(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "index.html").write_text("<h1>home</h1>")
        (self.folder / "large").write_bytes(b"x" * 5_000_000)

    def ask(self, server, target, **fields):
        connection = http.client.HTTPConnection(server.host, server.port, timeout=20)
        try:
            connection.request("GET", target, headers=fields)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def test_the_folder_is_served_and_the_demo_is_not(self):
        with Served(program.PATH, "--root", str(self.folder)) as server:
            self.assertEqual(server.process.stdout.readline(),
                             f"try: curl http://{server.host}:{server.port}/\n")
            self.assertEqual(self.ask(server, "/"), (200, b"<h1>home</h1>"))
            self.assertEqual(len(self.ask(server, "/large")[1]), 5_000_000)
            self.assertEqual(self.ask(server, "/index.html", Range="bytes=4-7"), (206, b"home"))
            for target in ("/hello", "/throw", "/spin", "/../etc/passwd", "/%2e%2e/etc/passwd"):
                self.assertEqual(self.ask(server, target)[0], 404, target)
        self.assertEqual(server.exit_code, 0, server.log)

    def test_it_can_be_set_in_the_file(self):
        with settings_file(f'root = "{self.folder}"\n') as path:
            with Served(program.PATH, "--config", path) as server:
                self.assertEqual(self.ask(server, "/")[0], 200)

    def test_a_folder_that_is_none_ends_the_start_and_is_named(self):
        for name in ("no/such/folder", str(self.folder / "large")):
            done = program.run("serve", "--listen", "127.0.0.1:0", "--root", name)
            self.assertEqual((done.returncode, done.stdout), (1, ""), done)
            self.assertIn(name, done.stderr)
