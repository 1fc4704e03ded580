"""Handlers in sandboxes, from the file of settings."""
import contextlib
import http.client
import json
import os
import pathlib
import shutil
import signal
import tempfile
import subprocess
import time
import unittest

import program
from program import settings_file
from served import Served
from supervising import children

PATIENCE_S = 20


def guest(name):
    """A shared object that the build made."""
    folder = pathlib.Path(program.PATH).parent
    found = sorted(folder.rglob(name + ".so"))
    assert found, f"no {name}.so below {folder}"
    return found[0]


def settings(*handlers, more=""):
    text = more
    for path, file, extra in handlers:
        text += f'[[handler]]\npath = "{path}"\nfile = "{file}"\n{extra}\n'
    return text


def ask(server, target, address=None):
    connection = http.client.HTTPConnection(address or f"{server.host}:{server.port}",
                                            timeout=PATIENCE_S)
    with contextlib.closing(connection):
        connection.request("GET", target)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


class Handlers(unittest.TestCase):
    def test_served_and_seen_from_outside(self):
        text = settings(("/{deed}", guest("hostile"), "breaker_faults = 2\nbreaker_open_ms = 60000"))
        with settings_file(text) as file, \
                Served(program.PATH, "--config", file, "--admin-listen", "127.0.0.1:0") as server:
            while not (line := server.process.stdout.readline()).startswith("admin on "):
                self.assertTrue(line)
            admin = line.split("/")[2]
            self.assertEqual(ask(server, "/ok"), (200, "ok"))
            self.assertEqual(ask(server, "/abort")[0], 502)
            self.assertEqual(ask(server, "/null")[0], 502)
            self.assertEqual(ask(server, "/ok")[0], 503)
            report = json.loads(ask(server, "/handlers", admin)[1])
            self.assertEqual(len(report), 1)
            self.assertEqual(report[0]["circuit"], "open")
            self.assertEqual(report[0]["requests"]["crashed"], 2)
            null, abort = report[0]["faults"]
            self.assertEqual((null["signal"], abort["signal"]), ("SIGSEGV", "SIGABRT"))
            self.assertRegex(null["program_counter"], r"^hostile\.so\+0x[0-9a-f]+$")
            self.assertIn("null_pointer", null["symbol"])
            self.assertEqual(null["fault_address"], "0x0")
            self.assertNotIn("fault_address", abort)
            metrics = ask(server, "/metrics", admin)[1]
            self.assertIn('bulkhead_guest_requests_total{handler="/{deed}",outcome="crashed"} 2', metrics)
            self.assertIn('bulkhead_guest_circuit_open{handler="/{deed}"} 1', metrics)
        self.assertEqual(server.exit_code, 0, server.log)
        self.assertIn("handler /{deed}: crashed: SIGABRT at libc.so.6+0x", server.log)
        self.assertRegex(server.log, r"SIGSEGV at hostile\.so\+0x[0-9a-f]+ in \w*null_pointer\w*\+0x")

    def test_check_loads_each_in_a_sandbox(self):
        good = settings(("/a", guest("hostile"), ""), ("/b", guest("example_guest"), ""))
        with settings_file(good) as file:
            done = program.run("check", file)
            self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        bad = settings(("/a", guest("hostile"), ""), ("/b", guest("at_load_crash"), ""),
                       ("/c", guest("at_load_no_handler"), ""), ("/d", "/nowhere/at/all.so", ""))
        with settings_file(bad) as file:
            done = program.run("check", file)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done)
            lines = done.stderr.splitlines()
            self.assertEqual(len(lines), 3, done.stderr)
            for line, words in zip(lines, (("'/b'", "signal"), ("'/c'", "bulkhead_handle"),
                                           ("'/d'", "/nowhere/at/all.so"))):
                for word in words:
                    self.assertIn(word, line)

    def test_inline_is_served_and_checked_in_a_sandbox(self):
        inline = 'run = "inline"'
        with settings_file(settings(("/{deed}", guest("hostile"), inline))) as file, \
                Served(program.PATH, "--config", file) as server:
            self.assertEqual(ask(server, "/ok"), (200, "ok"))
            self.assertEqual(ask(server, "/throw")[0], 500)
            self.assertEqual(ask(server, "/ok"), (200, "ok"))
        self.assertEqual(server.exit_code, 0, server.log)
        self.assertIn("handler /{deed}: exception: thrown on purpose", server.log)
        # What would end the server ends a process.
        with settings_file(settings(("/a", guest("at_load_crash"), inline))) as file:
            done = program.run("check", file)
            self.assertEqual(done.returncode, 2, done)
            self.assertIn("'/a': it died while it was loaded, by signal 11", done.stderr)

    def test_inline_that_crashes_ends_a_worker_and_the_next_one_serves(self):
        text = settings(("/{deed}", guest("hostile"), 'run = "inline"'))
        with settings_file(text) as file, \
                Served(program.PATH, "--config", file) as server:
            self.assertEqual(ask(server, "/ok"), (200, "ok"))
            with self.assertRaises((http.client.HTTPException, OSError)):
                ask(server, "/null")
            end = time.monotonic() + PATIENCE_S
            while time.monotonic() < end:
                try:
                    if ask(server, "/ok") == (200, "ok"):
                        break
                except (http.client.HTTPException, OSError):
                    time.sleep(0.02)
            else:
                self.fail(server.log)
        self.assertRegex(server.log, r"killed by signal 11 .* in request .*/\{deed\}")

    def test_a_worker_that_takes_another_ones_place_serves_without_what_it_can_not_have(self):
        with tempfile.TemporaryDirectory() as folder:
            lost = pathlib.Path(shutil.copy(guest("hostile"), folder))
            inline = pathlib.Path(shutil.copy(guest("hostile"), f"{folder}/inline.so"))
            text = settings(("/lost/{deed}", lost, ""), ("/inline/{deed}", inline, 'run = "inline"'),
                            ("/here/{deed}", guest("hostile"), ""))
            with settings_file(text) as file, \
                    Served(program.PATH, "--config", file) as server:
                for path in ("/lost/ok", "/inline/ok", "/here/ok"):
                    self.assertEqual(ask(server, path)[0], 404)  # of the guest's own
                lost.unlink()
                inline.unlink()
                (worker,) = children(server.process.pid)
                os.kill(worker, signal.SIGKILL)
                self.assertEqual(ask(server, "/here/ok")[0], 404)
                for path in ("/lost/ok", "/inline/ok"):
                    self.assertEqual(ask(server, path)[0], 503)
                shutil.copy(guest("hostile"), lost)
                shutil.copy(guest("hostile"), inline)
                server.process.send_signal(signal.SIGHUP)
                end = time.monotonic() + PATIENCE_S
                while ask(server, "/inline/ok")[0] == 503 or ask(server, "/lost/ok")[0] == 503:
                    self.assertLess(time.monotonic(), end, server.so_far())
                    time.sleep(0.02)
            self.assertEqual(server.exit_code, 0, server.log)

    def test_mistakes_name_line_and_key(self):
        cases = (
            ("handler = 3\n", ":1: handler: an integer", "[[handler]]"),
            ("[handler]\npath = \"/x\"\n", ":1: handler: a table", "[[handler]]"),
            ("[[handler]]\npath = \"x\"\n", ":2: handler.path: does not begin with /"),
            ("[[handler]]\nrun = \"thread\"\n", ":2: handler.run: is neither process nor wasm nor inline"),
            ("[[handler]]\ncolour = 1\n", ":2: handler.colour: unknown key", "wall_ms"),
            ("[[handler]]\nwall_ms = 0\n", ":2: handler.wall_ms: '0' is not a whole number"),
            ("[[handler]]\npath = \"/x\"\n", ":1: [[handler]]: it needs a file"),
            ("[[handler]]\nfile = \"x\"\n", ":1: [[handler]]: it needs a path"),
            ("\n[[handler]]\n", ":2: [[handler]]: it needs a path and a file"),
            ("[[handler]]\npath = \"/x\"\nfile = \"x\"\n[[handler]]\n",
             ":4: [[handler]]: it needs a path and a file"),
            ("handler = [{}]\n", ":1: [[handler]]: it needs a path and a file"),
            ("[sandbox]\nrequire = [\"moat\"]\n", ":2: sandbox.require: is none of 'user_namespace'"),
        )
        for text, *words in cases:
            with settings_file(text) as file:
                done = program.run("check", file)
                self.assertEqual(done.returncode, 2, text)
                for word in words:
                    self.assertIn(word, done.stderr)

    def test_check_refuses_what_serve_refuses(self):
        file = guest("hostile")
        cases = (
            (settings(("/x", file, ""), ("/x", file, "")), "route '/x': given twice for"),
            (settings(("/{a}", file, ""), ("/{b}", file, "")), "other parameter names"),
            (settings(("/x", file, 'methods = ["G ET"]')), "a method must be a token"),
            (settings(("/x", file, 'methods = [""]')), "a method must be a token"),
            (settings(("/x", file, 'methods = ["GET", "GET"]')), "given twice for GET"),
            (settings(("/x", file, 'methods = []')), "it needs a method"),
            (settings(("/{", file, "")), "route '/{'"),
            (settings(("/{}", file, "")), "a parameter needs a name"),
            (settings(("/{a...}/b", file, "")), "must be the last"),
            (settings(("/a?b", file, "")), "segment 'a?b'"),
            (settings(("/x", file, 'run = "wasm"\nconcurrency = 40'),
                      ("/y", file, 'run = "wasm"\nconcurrency = 25')),
             "may keep 65 threads, their concurrency, but spare_threads_max is 64"),
        )
        for text, words in cases:
            with settings_file(text) as named:
                checked = program.run("check", named)
                self.assertEqual(checked.returncode, 2, text)
                self.assertIn(words, checked.stderr)
                served = program.run("serve", "--listen", "127.0.0.1:0", "--config", named)
                self.assertEqual(served.returncode, 2, text)
                self.assertIn(words, served.stderr)

    def test_check_says_which_budget_holds(self):
        file = guest("hostile")
        text = settings(("/x", file, "wall_ms = 60000\ncpu_ms = 300"), more="[deadlines]\nhandler_ms = 500\n")
        with settings_file(text) as named:
            checked = program.run("check", named)
        self.assertEqual(checked.returncode, 0, checked)
        self.assertEqual(checked.stderr.count("\n"), 1)
        self.assertIn("handler '/x': wall_ms = 60000 is more than deadlines.handler_ms = 500",
                      checked.stderr)

    def test_more_processes_than_descriptors_end_the_start(self):
        text = settings(("/x", guest("hostile"), "concurrency = 40\nspares = 1"))
        with settings_file(text) as file:
            done = subprocess.run(["prlimit", "--nofile=100", program.PATH, "serve", "--threads", "1",
                                   "--listen", "127.0.0.1:0", "--config", file],
                                  capture_output=True, text=True, timeout=PATIENCE_S)
        self.assertEqual(done.returncode, 2, done)
        self.assertIn("41 processes need 123 descriptors", done.stderr)
        self.assertIn("may have 100", done.stderr)

    def test_a_missing_file_ends_the_start_and_is_named(self):
        with settings_file(settings(("/x", "/nowhere.so", ""))) as file:
            done = program.run("serve", "--listen", "127.0.0.1:0", "--config", file)
            self.assertEqual(done.returncode, 1, done)
            self.assertIn("/nowhere.so", done.stderr)

    def test_config_prints_what_it_reads(self):
        text = settings(("/x", guest("hostile"), "wall_ms = 77"))
        with settings_file(text) as file:
            first = program.run("config", "--config", file)
            self.assertIn(f"wall_ms = 77  # {file}:4", first.stdout)
            with settings_file(first.stdout) as again:
                second = program.run("config", "--config", again)
        strip = lambda all: [line.split("  # ")[0] for line in all.splitlines()]
        self.assertEqual(strip(first.stdout), strip(second.stdout))

    def test_reload_adds_and_removes(self):
        one = ("/a/{deed}", guest("hostile"), "")
        with settings_file(settings(one)) as file, Served(program.PATH, "--config", file) as server:
            self.assertEqual(ask(server, "/hello")[0], 404)
            pathlib.Path(file).write_text(settings(one, ("/{deed}", guest("example_guest"), "")))
            server.process.send_signal(signal.SIGHUP)
            end = time.monotonic() + PATIENCE_S
            while ask(server, "/hello")[0] != 200 and time.monotonic() < end:
                time.sleep(0.02)
            self.assertEqual(ask(server, "/hello"), (200, "Hello from a sandbox!\n"))
            pathlib.Path(file).write_text(settings(("/{deed}", "/nowhere.so", "")))
            server.process.send_signal(signal.SIGHUP)
            while "/nowhere.so" not in server.so_far() and time.monotonic() < end:
                time.sleep(0.02)
            self.assertEqual(ask(server, "/hello"), (200, "Hello from a sandbox!\n"))
        self.assertEqual(server.exit_code, 0, server.log)
