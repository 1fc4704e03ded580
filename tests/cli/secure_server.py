"""HTTPS servers for tests, and what is seen of them."""
import hashlib
import pathlib
import random
import re
import unittest
import urllib.request

import program
from certificates import host
from secure_client import PATIENCE_S
from served import Served


def hosts(*pairs):
    """The options that name these hosts."""
    return [word for pair in pairs for word in ("--cert", pair.certificate, "--key", pair.key)]


def serve(*options, pairs=None):
    pairs = pairs or [host("a", "a.test")]
    return Served(program.PATH, "--tls-listen", "127.0.0.1:0", *hosts(*pairs), *options)


def metric(server, name):
    """A figure of a server that was started with --admin-listen."""
    if not hasattr(server, "admin"):
        server.process.stdout.readline()  # try: curl
        server.admin = server.process.stdout.readline().split()[-1]
    with urllib.request.urlopen(server.admin, timeout=PATIENCE_S) as answer:
        text = answer.read().decode()
    return int(re.search("^" + re.escape(name) + r" (\d+)$", text, re.MULTILINE).group(1))


def pages(path):
    """A folder to serve with a large file that no two pieces of are alike; the file's hash."""
    data = random.Random(1).randbytes(8_000_000)
    (pathlib.Path(path) / "large").write_bytes(data)
    return hashlib.sha256(data).hexdigest()


class SharedServer(unittest.TestCase):
    options, pairs = (), None

    @classmethod
    def setUpClass(cls):
        if cls is not SharedServer:
            cls.server = serve(*cls.options, pairs=cls.pairs and cls.pairs()).__enter__()

    @classmethod
    def tearDownClass(cls):
        if cls is SharedServer:
            return
        cls.server.__exit__()
        if cls.server.exit_code != 0:
            raise AssertionError(f"exit code {cls.server.exit_code}\n{cls.server.log}")
