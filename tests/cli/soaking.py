"""`bulkhead soak`: short runs, whose bounds are counts and not times."""
import json
import pathlib
import re
import subprocess
import tempfile
import unittest

import program
from served import Served


def soak(*arguments):
    return subprocess.run([program.PATH, "soak", *arguments], capture_output=True, text=True,
                          timeout=200, check=False)


# Instrumented builds keep what was freed, and a busy machine needs long for anything.
ANY = ("--bound", 'memory_growth_kib="any"', "--bound", 'recovery_ms="any"',
       "--bound", 'threads_growth="any"')


class Soaks(unittest.TestCase):
    def test_mixed_traps_hold_their_bounds(self):
        with tempfile.TemporaryDirectory() as folder:
            figures, page = pathlib.Path(folder) / "f.json", pathlib.Path(folder) / "p.html"
            done = soak("mixed-traps", "--duration", "10", "--batches", "2", "--seed", "1", *ANY,
                        "--json", str(figures), "--html", str(page))
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            report = json.loads(figures.read_text())
            html = page.read_text()
        self.assertTrue(report["holds"])
        injected = {(one["kind"], one["target"]): one["injected"] for one in report["faults"]}
        self.assertEqual(injected[("request", "/throw")], 100)
        self.assertEqual(injected[("request", "/throw?what=int")], 60)
        self.assertGreaterEqual(injected[("stalled-head", "")], 64)
        self.assertGreater(report["healthy"]["requests"], 0)
        self.assertEqual(len(report["batches"]), 2)
        self.assertEqual(report["completions"]["sessions_ended"],
                         report["completions"]["delivered"])
        self.assertIn("Every bound holds.", done.stdout)
        self.assertEqual(html.count("<svg"), html.count("</svg>"))
        self.assertNotRegex(html, r"(?:src|href)=|<script")
        self.assertNotIn("\x1b", done.stderr)  # no terminal, no live line

    def test_a_broken_bound_fails_and_tells_how_to_do_it_again(self):
        done = soak("user", "--duration", "2", "--batches", "1", "--trap", "/hello=500", "--seed", "5")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("request /hello: status 200", done.stdout)
        self.assertIn("The same again: bulkhead soak user --duration 2 --batches 1 "
                      "--trap /hello=500 --seed 5\n", done.stdout)

    def test_another_server(self):
        with Served(program.PATH) as server:
            done = soak("user", "--target", f"http://{server.host}:{server.port}", "--pid",
                        str(server.process.pid), "--duration", "2", "--batches", "1", *ANY,
                        "--healthy", "/hello", "--trap", "/throw=500")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"request /throw +[1-9]")
        self.assertEqual(server.exit_code, 0, server.log)

    def test_a_server_that_dies_ends_the_run_and_is_named(self):
        with subprocess.Popen([program.PATH, "serve", "--no-supervisor", "--listen", "127.0.0.1:0"],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
            origin = server.stdout.readline().split()[-1]
            done = soak("user", "--target", origin, "--pid", str(server.pid), "--duration", "600",
                        "--batches", "300", "--healthy", "/hello", "--trap", "/crash=0")
            server.kill()
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"the server lived on +it ended in batch 1 +yes +BROKEN")
        self.assertNotIn("last lines", done.stdout)  # its log is its own

    def test_a_crash_storm_is_survived(self):
        done = soak("crash-storm", "--duration", "4", "--batches", "1", *ANY)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"request /crash +2 +0 ")

    def test_what_is_wrong_is_named(self):
        def refused(code, what, *arguments):
            done = soak(*arguments)
            self.assertEqual(done.returncode, code, done)
            self.assertEqual(done.stdout, "")
            self.assertRegex(done.stderr, r"^bulkhead soak: .*" + re.escape(what))
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

        with program.settings_file("[[healthy]]\ncolour = 1\n") as path:
            refused(2, f"{path}:2: healthy.colour: unknown key", path)
        refused(2, "no-such: no such file", "no-such")
        refused(2, "--swim", "--swim")
        refused(2, "--trap: 'x' is not like", "user", "--trap", "x")
        refused(2, "--bound:1: colour: unknown key", "user", "--bound", "colour=1")
        refused(2, "ftp://x", "user", "--target", "ftp://x")

    def test_lists_and_shows(self):
        listed = soak("--list")
        self.assertIn("mixed-traps: ", listed.stdout)
        self.assertIn("tls-silent: ", listed.stdout)
        shown = soak("user", "--show")
        with program.settings_file(shown.stdout) as path:
            self.assertEqual(soak(path, "--show").stdout, shown.stdout)
        self.assertIn("soak", program.run("--help").stdout)
