"""What the command line takes, and what it says of the rest."""
import unittest

import program
from program import run
from served import Served


class Options(unittest.TestCase):
    def refused(self, arguments, *words):
        done = run(*arguments)
        self.assertEqual(done.returncode, 2, done)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def test_help_and_version_exit_0(self):
        self.assertEqual(run("--help").returncode, 0)
        self.assertIn("--listen", run("serve", "--help").stdout)
        self.assertRegex(run("--version").stdout, r"^bulkhead [0-9]+\.[0-9]+\.[0-9]+\n$")

    def test_no_or_unknown_subcommand(self):
        self.refused([], "bulkhead: ")
        self.refused(["swim"], "swim")

    def test_unknown_option_is_named(self):
        self.refused(["serve", "--colour", "red"], "bulkhead serve: ", "--colour")

    def test_what_is_no_module_is_named(self):
        self.refused(["wasm"], "bulkhead wasm: ")
        done = run("wasm", "build", __file__)
        self.assertEqual(done.returncode, 1, done)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr, f"{__file__}: no WebAssembly module\n")

    def test_missing_value_names_the_option(self):
        self.refused(["serve", "--threads"], "bulkhead serve: ", "--threads")

    def test_numbers_are_checked_against_their_bounds(self):
        for option, highest in (("--threads", 256), ("--spare-threads-max", 1024)):
            for bad in ("abc", "1.5", "0x10", "010x", "", " 4", str(highest + 1), "9" * 30):
                self.refused(["serve", option, bad], f"bulkhead serve: {option}: ", str(highest))
        self.assertEqual(
            run("serve", "--threads", "abc").stderr,
            "bulkhead serve: --threads: 'abc' is not a whole number from 0 to 256\n")

    def test_b160_an_empty_value_names_the_option(self):
        for arguments in (["serve", "--threads="], ["serve", "--config=", "--threads", "1"],
                          ["serve", "--listen=", "-p"], ["config", "--head-deadline-ms="]):
            self.refused(arguments, arguments[1][:-1] + ": nothing after its '='")
        self.refused(["serve", "--threads", ""], "--threads: '' is not a whole number")
        self.refused(["serve", "--config", ""], "No such file")

    def test_b160_a_missing_argument_names_the_option(self):
        for option in ("--threads", "--listen", "--config", "--max-sessions"):
            self.refused(["serve", option], "bulkhead serve: ", option)
            self.refused(["serve", "--threads", "1", option], "bulkhead serve: ", option)

    def test_b160_options_that_are_none(self):
        for arguments in (["-p"], ["-p", "abc"], ["-p", "70000"], ["-p=1"], ["x"], ["-"],
                          ["--thread", "1"], ["--threads", "1", "--threads", "2"]):
            self.refused(["serve", *arguments], "bulkhead serve: ", arguments[0])

    def test_limits_that_contradict_each_other(self):
        self.refused(["serve", "--listen", "127.0.0.1:0", "--head-bytes-max", "1024",
                      "--request-line-bytes-max", "2048"], "--request-line-bytes-max")

    def test_addresses(self):
        for bad in ("localhost", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:http",
                    "::1:8080", "[::1]", "[::1:80", "256.0.0.1:80", ":8080", ""):
            self.refused(["serve", "--listen", bad], "bulkhead serve: --listen: '", "is not like 127.0.0.1:8080")

    def test_an_address_in_use_exits_1_and_is_named(self):
        with Served(program.PATH) as server:
            done = run("serve", "--listen", "192.0.2.1:9")
            self.assertEqual(done.returncode, 1, done)
            self.assertIn("192.0.2.1:9", done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertEqual(server.exit_code, 0, server.log)
