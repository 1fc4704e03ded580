"""`bulkhead soak handlers`: each deed in its sandbox, and the server counts what was done to it."""
import json
import pathlib
import tempfile
import unittest

import program
from soaking import ANY, soak


def guests():
    """The folder where the build put the broken examples."""
    found = sorted(pathlib.Path(program.PATH).parent.rglob("example_broken.wasm"))
    assert found, f"no example_broken.wasm below {pathlib.Path(program.PATH).parent}"
    return str(found[0].parent)


class SoaksHandlers(unittest.TestCase):
    def test_each_deed_is_counted_and_no_process_stays_or_is_missing(self):
        with tempfile.TemporaryDirectory() as folder:
            figures = pathlib.Path(folder) / "figures.json"
            done = soak("handlers", "--duration", "8", "--batches", "2", "--seed", "1", *ANY,
                        "--guests", guests(), "--json", str(figures))
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            report = json.loads(figures.read_text())
        injected = {one["target"]: one["injected"] for one in report["faults"]}
        self.assertEqual(len(injected), 52)
        self.assertEqual(injected["/process/broken/null"], 8)
        self.assertEqual(injected["/wasm/endless/loop"], 4)
        counted = {(one["handler"], one["outcome"]): (one["injected"], one["counted"])
                   for one in report["handlers"]}
        self.assertEqual(counted, {
            ("/process/broken/{deed}", "exception"): (24, 24),
            ("/process/broken/{deed}", "crashed"): (64, 64),
            ("/process/broken/{deed}", "out_of_memory"): (16, 16),
            ("/process/broken/{deed}", "protocol"): (40, 40),
            ("/process/endless/{deed}", "deadline"): (8, 8),
            ("/process/asleep/{deed}", "deadline"): (8, 8),
            ("/wasm/broken/{deed}", "trap"): (72, 72),
            ("/wasm/broken/{deed}", "out_of_memory"): (16, 16),
            ("/wasm/broken/{deed}", "protocol"): (40, 40),
            ("/wasm/endless/{deed}", "deadline"): (8, 8),
            ("/wasm/asleep/{deed}", "deadline"): (8, 8),
        })
        processes = [one["processes"] for one in report["batches"]]
        self.assertEqual(processes, [report["at_rest"]["processes"]] * 2)
        self.assertGreater(processes[0], 10)

    def test_a_guest_that_is_missing_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            done = soak("handlers", "--guests", folder)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done)
            self.assertRegex(done.stderr, r"^bulkhead soak: handlers:\d+: handler '/process/well/\{deed\}': "
                             rf"there is no {folder}/example_broken\.so; --guests names the folder "
                             r"that has example_broken\.so\n$")

    def test_what_the_server_refuses_of_a_handler_is_told(self):
        text = f'[[healthy]]\n[[handler]]\npath = "/x"\nfile = "{guests()}/example_broken.so"\ncolour = 1\n'
        with program.settings_file(text) as path:
            done = soak(path)
        self.assertEqual((done.returncode, done.stdout), (1, ""), done)
        self.assertIn("handler.colour: unknown key", done.stderr)
