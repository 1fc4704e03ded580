"""Settings from a file and from flags, `bulkhead check` and `bulkhead config`."""
import os
import pathlib
import re
import socket
import tempfile
import tomllib
import unittest

import program
from program import settings_file
from served import Served

TOP = ("listen", "threads", "spare_threads_max", "sessions_max", "memory_bytes_max",
       "discarded_content_bytes_max", "content_rate_min")
TOP_TEXTS = ("access_log", "access_log_format", "admin_listen", "root")
TLS_LISTS = ("cert", "key", "password", "client_ca", "client_certificates")
TLS_TEXTS = ("self_signed", "unknown_names")
SANDBOX_LISTS, SANDBOX_TEXTS = ("require",), ("wasm_cache",)
TEXTS = TOP_TEXTS + TLS_TEXTS + SANDBOX_TEXTS
LISTS = ("listen", "tls_listen") + TLS_LISTS + SANDBOX_LISTS
LIMITS = ("request_line_bytes_max", "head_bytes_max", "fields_max", "field_name_bytes_max",
          "chunk_extension_bytes_max", "trailer_bytes_max", "trailer_fields_max",
          "content_bytes_max", "leading_empty_lines_max")
DEADLINES = ("handshake_ms", "first_byte_ms", "head_ms", "content_ms", "handler_ms",
             "write_stall_ms", "idle_ms", "linger_ms", "drain_grace_ms", "drain_ms")
NUMBERS = ([("", key) for key in TOP[1:]] + [("limits", key) for key in LIMITS] +
           [("deadlines", key) for key in DEADLINES])


def whole_file(value_of):
    """TOML of every number, and the line of each: value_of(table, key) or None to leave it out."""
    lines, line_of, last = [], {}, ""
    for table, key in NUMBERS:
        value = value_of(table, key)
        if value is None:
            continue
        if table != last:
            lines.append(f"[{table}]")
        last = table
        lines.append(f"{key} = {value}")
        line_of[table, key] = len(lines)
    return "\n".join(lines) + "\n", line_of


def full_name(table, key):
    return f"{table}.{key}" if table else key


def flag_of(table, key):
    if table == "deadlines":
        return "--" + key.replace("_ms", "_deadline_ms").replace("_", "-")
    return "--max-sessions" if key == "sessions_max" else "--" + key.replace("_", "-")


class Check(unittest.TestCase):
    def refused(self, content, *errors):
        """Every error is a line: (line number, what it must say...)."""
        with settings_file(content) as path:
            done = program.run("check", path)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done)
            lines = done.stderr.splitlines()
            self.assertEqual(len(lines), len(errors), done.stderr)
            for line, (number, *words) in zip(lines, errors):
                self.assertTrue(line.startswith(f"{path}:{number}: "), line)
                for word in words:
                    self.assertIn(word, line)

    def accepted(self, content):
        with settings_file(content) as path:
            done = program.run("check", path)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, f"{path}: ok\n", ""))

    def test_good_files(self):
        self.accepted("")
        self.accepted("# only a comment\n")
        self.accepted("\ufeffthreads = 2\r\n[limits]\r\nfields_max = 50\r\n")
        self.accepted("limits.fields_max = 50\ndeadlines = { head_ms = 0x10, idle_ms = 1_000 }\n")
        self.accepted('listen = ["127.0.0.1:0", "[::1]:8080", "localhost:80", "unix:/run/a.sock",'
                      ' "systemd"]\n')

    def test_unknown_keys_are_named_with_what_is_allowed(self):
        self.refused("# one\nthread = 2\n", (2, "thread: unknown key", *TOP, "[limits]"))
        self.refused("[limits]\n\nhead_max = 2\n", (3, "limits.head_max: unknown key", *LIMITS))
        self.refused("[deadlines]\nhead = 2\n", (2, "deadlines.head: unknown key", *DEADLINES))
        self.refused("[limit]\nhead_bytes_max = 2\n", (1, "limit: unknown key", "[limits]"))
        self.refused("[limits.more]\nx = 2\n", (1, "limits.more: unknown key"))
        self.refused("Threads = 2\n", (1, "Threads: unknown key"))

    def test_every_number_refuses_every_other_kind(self):
        wrong = {'"4"': "a string", "1.5": "a float", "1e3": "a float", "nan": "a float",
                 "true": "a boolean", "[]": "an array", "[1]": "an array", "{}": "a table",
                 "2020-01-01": "a date", "10:00:00": "a time",
                 "2020-01-01T10:00:00Z": "a date and time"}
        for value, kind in wrong.items():
            content, line_of = whole_file(lambda *_, value=value: value)
            self.refused(content, *((line, full_name(*name) + ": " + kind, "a whole number from")
                                    for name, line in line_of.items()))

    def test_every_number_names_its_range_and_ends_there(self):
        with settings_file(whole_file(lambda *_: -1)[0]) as path:
            errors = program.run("check", path).stderr.splitlines()
        ranges = {name: tuple(map(int, re.search(r"from (\d+) to (\d+)$", error).groups()))
                  for name, error in zip(NUMBERS, errors, strict=True)}
        self.accepted(whole_file(lambda *name: ranges[name][0])[0])
        self.accepted(whole_file(lambda *name: ranges[name][1])[0])
        for wrong in (lambda *name: ranges[name][1] + 1,
                      lambda *name: ranges[name][0] - 1 if ranges[name][0] > 0 else None):
            content, line_of = whole_file(wrong)
            self.refused(content, *((line, f"{full_name(*name)}: '{wrong(*name)}' is not a whole")
                                    for name, line in line_of.items()))

    def test_listen_refuses_every_other_kind(self):
        for value in ('"127.0.0.1:80"', "80", "[80]", '["127.0.0.1:80", 1]', "true", "{}", "[[]]",
                      "[]"):
            self.refused(f"listen = {value}\n", (1, "listen: ", "an array of addresses"))

    def test_listen_judges_every_address(self):
        self.refused('listen = [\n"127.0.0.1:80", "127.0.0.1",\n "unix:"]\n',
                     (1, "'127.0.0.1' is not like"), (1, "'unix:' names no path"))
        self.refused('listen = ["unix:/%s"]\n' % ("a" * 107), (1, "108 bytes", "at most 107"))
        self.accepted('listen = ["unix:/%s"]\n' % ("a" * 106))
        self.refused('listen = ["unix:/a\\u0000b"]\n', (1, "control characters"))

    def test_a_table_that_is_none(self):
        for value, kind in (("3", "an integer"), ('"x"', "a string"), ("[]", "an array")):
            self.refused(f"limits = {value}\n", (1, "limits: " + kind, "a table"))
        self.refused("[threads]\n", (1, "threads: a table", "a whole number"))

    def test_all_errors_are_told_in_the_order_of_their_lines(self):
        self.refused("[limits]\nfields_max = 0\nno = 1\n[deadlines]\nhead_ms = 0\nidle_ms = 'a'\n",
                     (2, "fields_max"), (3, "limits.no"), (5, "head_ms"), (6, "idle_ms"))

    def test_limits_that_contradict_each_other(self):
        self.refused("[limits]\nhead_bytes_max = 1024\nrequest_line_bytes_max = 2048\n",
                     (3, "request_line_bytes_max = 2048 is more than limits.head_bytes_max = 1024"))
        self.refused("[limits]\nhead_bytes_max = 1024\n",
                     (2, "limits.request_line_bytes_max = 8192 (default) is more than"))
        self.refused("[limits]\nhead_bytes_max = 64\n", (2, "request_line"), (2, "field_name"))

    def test_what_is_no_toml(self):
        for content in ("threads", "threads = ", "threads = 1 x\n",
                        "threads = 99999999999999999999\n", b"threads = 1 # \xff\n", b"\0",
                        'listen = ["127.0.0.1:80\n"]\n', "[limits\n"):
            self.refused(content, (1,))
        self.refused("threads = 1\nthreads = 2\n", (2, "threads"))

    def test_a_file_that_cannot_be_read_is_named_with_the_reason(self):
        with tempfile.TemporaryDirectory() as folder:
            missing = os.path.join(folder, "missing.toml")
            for path, why in ((missing, "No such file"), (folder, "Is a directory"),
                              ("/dev/zero", "larger than 1 MiB")):
                for arguments in (("check", path), ("config", "--config", path),
                                  ("serve", "--config", path)):
                    done = program.run(*arguments)
                    self.assertEqual(done.returncode, 2, done)
                    self.assertIn(f"{path}: {why}", done.stderr)
                    self.assertEqual(done.stderr.count("\n"), 1)

    def test_the_file_is_required_and_only_one(self):
        self.assertEqual(program.run("check").returncode, 2)
        self.assertIn("FILE", program.run("check").stderr)
        self.assertEqual(program.run("check", "a", "b").returncode, 2)

    def test_nothing_is_bound(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            self.accepted('listen = ["127.0.0.1:%d"]\n' % taken.getsockname()[1])
        with tempfile.TemporaryDirectory() as folder:
            self.accepted(f'listen = ["unix:{folder}/a.sock"]\n')
            self.assertEqual(os.listdir(folder), [])


class Config(unittest.TestCase):
    def printed(self, *arguments):
        done = program.run("config", *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        return done.stdout

    def test_every_setting_is_printed_with_its_default(self):
        text = self.printed()
        tables = tomllib.loads(text)
        self.assertEqual(tuple(tables), ("listen", "tls_listen", *TOP[1:], *TOP_TEXTS, "tls",
                                         "sandbox", "limits", "deadlines"))
        self.assertEqual([tuple(tables[one]) for one in ("tls", "sandbox", "limits", "deadlines")],
                         [TLS_LISTS + TLS_TEXTS, SANDBOX_LISTS + SANDBOX_TEXTS, LIMITS, DEADLINES])
        self.assertEqual(tables["listen"], ["127.0.0.1:8080"])
        for line in text.splitlines():
            self.assertRegex(line, r"^$|^\[\w+\]$|  # default$")

    def test_every_setting_is_a_flag(self):
        help_text = program.run("serve", "--help").stdout
        for table, key in NUMBERS:
            flag, value = flag_of(table, key), "2000000" if key == "memory_bytes_max" else "64"
            self.assertIn(f"{flag} ", help_text)
            small = () if table != "limits" else ("--field-name-bytes-max", "64",
                                                  "--request-line-bytes-max", "64")
            arguments = (flag, value, *(() if flag in small else small))
            self.assertIn(f"\n{key} = {value}  # {flag}\n", self.printed(*arguments))
        flags = re.findall(r"^  (--[a-z-]+) (?:N|ADDRESS|TEXT)", help_text, re.MULTILINE)
        self.assertEqual(len(flags), len(NUMBERS) + len(TEXTS) + len(LISTS), flags)

    def test_texts_of_file_and_flags(self):
        with settings_file('access_log = "a b.log"\nadmin_listen = "127.0.0.1:1"\n') as path:
            text = self.printed("--config", path, "--admin-listen", "[::1]:9")
        self.assertIn(f'access_log = "a b.log"  # {path}:1\n', text)
        self.assertIn('admin_listen = "[::1]:9"  # --admin-listen\n', text)
        for content, words in (("access_log = 3\n", "an integer, where a file name"),
                               ('access_log = "a\\nb"\n', "control character"),
                               ('access_log_format = "xml"\n', "neither json nor text"),
                               ('admin_listen = "nowhere"\n', "admin_listen: ")):
            with settings_file(content) as path:
                done = program.run("check", path)
            self.assertEqual(done.returncode, 2, done)
            self.assertIn(words, done.stderr)

    def test_where_each_value_came_from(self):
        content = ('# a file\nthreads = 3\nlisten = ["127.0.0.1:1"]\nsessions_max = 5\n'
                   "[limits]\nfields_max = 7\n")
        with settings_file(content) as path:
            text = self.printed("--config", path, "--listen", "[::1]:2", "--listen", "localhost:3",
                                "--head-deadline-ms=9", "--max-sessions", "6")
        for line in (f"threads = 3  # {path}:2", f"fields_max = 7  # {path}:6",
                     'listen = ["[::1]:2", "localhost:3"]  # --listen',
                     "sessions_max = 6  # --max-sessions", "head_ms = 9  # --head-deadline-ms",
                     "content_rate_min = 250  # default"):
            self.assertIn(line + "\n", text)

    def test_what_is_printed_reads_back_the_same(self):
        first = self.printed("--threads", "2", "--listen", 'unix:/a "b" \\c', "--listen", "[::]:1",
                             "--idle-deadline-ms", "86400000", "--content-bytes-max", str(2**40))
        with settings_file(first) as path:
            self.assertEqual(program.run("check", path).returncode, 0)
            second = self.printed("--config", path)
        self.assertEqual(tomllib.loads(first), tomllib.loads(second))
        self.assertNotIn("# default", second)

    def test_a_file_name_cannot_leave_the_comment(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a\nthreads = 9")
            with open(path, "w", encoding="utf-8") as file:
                file.write("threads = 3\n")
            self.assertEqual(tomllib.loads(self.printed("--config", path))["threads"], 3)

    def test_errors_of_file_and_flags_together(self):
        with settings_file("threads = 0.5\n") as path:
            done = program.run("config", "--config", path, "--max-sessions", "0")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        first, second = done.stderr.splitlines()
        self.assertTrue(first.startswith(f"bulkhead config: {path}:1: threads: a float"), first)
        self.assertTrue(second.startswith("bulkhead config: --max-sessions: '0'"), second)


class ServeFromFile(unittest.TestCase):
    def test_the_file_is_obeyed_and_flags_win(self):
        with settings_file('listen = ["127.0.0.1:1"]\n[limits]\nhead_bytes_max = 512\n'
                           "request_line_bytes_max = 64\n") as path:
            with Served(program.PATH, "--config", path) as server:
                with socket.create_connection((server.host, int(server.port)), 20) as peer:
                    peer.sendall(b"GET /" + b"a" * 100 + b" HTTP/1.1\r\nHost: a\r\n\r\n")
                    self.assertIn(b" 414 ", peer.recv(100))
        self.assertEqual(server.exit_code, 0, server.log)

    def test_a_wrong_file_starts_nothing(self):
        with settings_file("threads = 1\nno = 1\n") as path:
            done = program.run("serve", "--config", path, "--listen", "127.0.0.1:0")
        self.assertEqual((done.returncode, done.stdout), (2, ""), done)
        self.assertIn(f"bulkhead serve: {path}:2: no: unknown key", done.stderr)


class Readme(unittest.TestCase):
    def test_its_example_is_the_defaults(self):
        readme = pathlib.Path(__file__).resolve().parents[2] / "actors" / "cli" / "README.md"
        example = re.search(r"```toml\n(.*?)```", readme.read_text("utf-8"), re.DOTALL).group(1)
        self.assertEqual(tomllib.loads(example), tomllib.loads(program.run("config").stdout))
