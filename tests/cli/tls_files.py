"""Certificates and keys as files: refused ones, those that change, those made at the first start."""
import hashlib
import json
import os
import pathlib
import signal
import socket
import stat
import tempfile
import unittest

import certificates
import program
from certificates import authority, host
from secure_client import ask, context, dial, get, read_all, read_until, secure, shown, status
from secure_server import hosts, pages, serve
from served import Served
from supervising import children, until

PASSWORD = "correct-horse"


def settings(*pairs):
    certs, keys = ([getattr(pair, part) for pair in pairs] for part in ("certificate", "key"))
    return f"[tls]\ncert = {json.dumps(certs)}\nkey = {json.dumps(keys)}\n"


class ReloadedCertificates(unittest.TestCase):
    def setUp(self):
        owner = tempfile.TemporaryDirectory()
        self.addCleanup(owner.cleanup)
        self.folder = owner.name
        self.pair = host("a", "a.test").copied_to(self.folder)

    def replace(self, by):
        for file, new in zip(self.pair, by):
            pathlib.Path(file).write_bytes(pathlib.Path(new).read_bytes())

    def test_b058_a_download_goes_on_and_a_broken_pair_changes_nothing(self):
        wanted = pages(self.folder)
        for options in ([], ["--no-supervisor"]):
            self.replace(host("a", "a.test"))
            with serve("--root", self.folder, *options, pairs=[self.pair]) as server, \
                    secure(dial(server, receive_bytes=4096)) as download:
                def reload(server, said):
                    server.process.send_signal(signal.SIGHUP)
                    until(lambda: said in server.so_far())

                self.assertEqual(shown(server), host("a", "a.test").der())
                download.sendall(get("/large"))
                head, _, start = read_until(download, b"\r\n\r\n").partition(b"\r\n\r\n")
                self.assertEqual(status(head), 200)
                self.replace(host("new-a", "a.test"))
                reload(server, "reload: done")
                self.assertEqual(shown(server), host("new-a", "a.test").der())
                pathlib.Path(self.pair.key).write_bytes(
                    pathlib.Path(host("b", "b.test").key).read_bytes())
                reload(server, f"reload: {self.pair.key}: the key does not belong")
                self.assertEqual(shown(server), host("new-a", "a.test").der())
                os.remove(self.pair.certificate)
                reload(server, f"reload: {self.pair.certificate}: no such file")
                self.assertEqual(shown(server), host("new-a", "a.test").der())
                self.assertEqual(hashlib.sha256(start + read_all(download)).hexdigest(), wanted)
            self.assertEqual(server.exit_code, 0, server.log)

    def test_hosts_come_and_go(self):
        a, b = host("a", "a.test"), host("b", "b.test")
        with program.settings_file(settings(a)) as path, \
                Served(program.PATH, "--tls-listen", "127.0.0.1:0", "--config", path) as server:
            self.assertEqual(shown(server, "b.test"), a.der())
            pathlib.Path(path).write_text(settings(a, b))
            server.process.send_signal(signal.SIGHUP)
            until(lambda: shown(server, "b.test") == b.der())
            self.assertEqual(status(ask(server, host="b.test")), 421)
            pathlib.Path(path).write_text(settings(b))
            server.process.send_signal(signal.SIGHUP)
            until(lambda: shown(server, "a.test") == b.der())
        self.assertEqual(server.exit_code, 0, server.log)

    def test_a_worker_after_a_refused_reload_has_what_held_before(self):
        a, b = host("a", "a.test"), host("b", "b.test")
        with program.settings_file(settings(a)) as path, \
                Served(program.PATH, "--tls-listen", "127.0.0.1:0", "--config", path) as server:
            pathlib.Path(path).write_text(settings(certificates.Pair(a.certificate, b.key)))
            server.process.send_signal(signal.SIGHUP)
            until(lambda: "does not belong" in server.so_far())
            os.kill(children(server.process.pid)[0], signal.SIGKILL)
            until(lambda: "restart 1" in server.so_far())
            self.assertEqual(status(ask(server)), 200)
        self.assertEqual(server.exit_code, 0, server.log)


class BadFiles(unittest.TestCase):
    def setUp(self):
        owner = tempfile.TemporaryDirectory()
        self.addCleanup(owner.cleanup)
        self.folder = pathlib.Path(owner.name)
        self.a = host("a", "a.test")

    def file(self, name, text=""):
        path = self.folder / name
        path.write_text(text)
        return str(path)

    def refused(self, options, *words, exit_code=2, address="127.0.0.1:0"):
        done = program.run("serve", "--listen", "127.0.0.1:0", "--tls-listen", address, *options)
        self.assertEqual((done.returncode, done.stdout), (exit_code, ""), done)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for word in ("bulkhead serve: ", *words):
            self.assertIn(word, done.stderr)
        self.assertNotIn(PASSWORD, done.stderr)
        self.assertNotIn("-----", done.stderr)
        for line in pathlib.Path(self.a.key).read_text().splitlines():
            self.assertNotIn(line, done.stderr)

    def test_what_is_no_certificate_or_key(self):
        for bad, reason in ((str(self.folder / "none"), "no such file"),
                            (str(self.folder), "directory"), (self.file("empty"), "empty"),
                            (self.file("prose", "secret words\n"), "holds no PEM")):
            self.refused(["--cert", bad, "--key", self.a.key], bad, reason)
            self.refused(["--cert", self.a.certificate, "--key", bad], bad, reason)

    def changed(self, path, at):
        text = pathlib.Path(path).read_text()
        return self.file("changed", text[:at] + "AAAA" + text[at + 4:])

    def test_broken_pem(self):
        broken = self.changed(self.a.certificate, 40)
        self.refused(["--cert", broken, "--key", self.a.key], broken)
        broken = self.changed(self.a.key, 40)
        self.refused(["--cert", self.a.certificate, "--key", broken], broken)

    def test_a_key_whose_halves_do_not_belong_together(self):
        # Its public half, which the file holds too, is that of the certificate.
        broken = self.changed(self.a.key, 80)
        self.refused(["--cert", self.a.certificate, "--key", broken], broken)

    def test_a_foreign_key(self):
        other = host("b", "b.test").key
        self.refused(["--cert", self.a.certificate, "--key", other], other, "does not belong",
                     self.a.certificate)

    def test_an_expired_certificate(self):
        self.refused(hosts(certificates.expired()), certificates.expired().certificate, "expired")

    def test_a_chain_out_of_order(self):
        text = pathlib.Path(self.a.certificate).read_text()
        strange = self.file("chain", text[:text.index("-----BEGIN", 1)]
                            + pathlib.Path(authority("ours").certificate).read_text())
        self.refused(["--cert", strange, "--key", self.a.key], strange)

    def test_an_encrypted_key(self):
        pair = certificates.encrypted(self.a, PASSWORD)
        wrong, right = self.file("wrong", PASSWORD[:-1] + "\n"), self.file("right", PASSWORD + "\n")
        self.refused(hosts(pair), pair.key, "encrypted")
        self.refused([*hosts(pair), "--key-password", wrong], pair.key, wrong)
        self.refused([*hosts(pair), "--key-password", str(self.folder / "none")], "none")
        with serve("--key-password", right, pairs=[pair]) as server:
            self.assertEqual(status(ask(server)), 200)
            # B061: whoever can't listen says where, and nothing else
            address = f"{server.host}:{server.tls_port}"
        self.assertEqual(server.exit_code, 0, server.log)
        with socket.create_server(("127.0.0.1", 0)) as taken:
            address = "127.0.0.1:%d" % taken.getsockname()[1]
            self.refused([*hosts(pair), "--key-password", right], address, exit_code=1,
                         address=address)
        self.assertNotIn(PASSWORD, program.run("config", *hosts(pair), "--key-password",
                                               right).stdout)

    def test_hosts_that_are_not_whole(self):
        self.refused([])
        self.refused(["--cert", self.a.certificate])
        self.refused(["--key", self.a.key])
        self.refused([*hosts(self.a), "--cert", self.a.certificate])
        self.refused([*hosts(self.a), "--client-certificates", "required"])
        self.refused([*hosts(self.a), "--client-certificates", "perhaps"],
                     "--client-certificates")


class SelfSigned(unittest.TestCase):
    def test_made_at_the_first_start_and_used_again(self):
        with tempfile.TemporaryDirectory() as owner:
            folder = pathlib.Path(owner) / "tls"
            options = ("--tls-listen", "127.0.0.1:0", "--self-signed", str(folder))
            seen = []
            for _ in range(2):
                with Served(program.PATH, *options) as server:
                    trusting = context(trusted=str(folder / "localhost.pem"))
                    for name in ("localhost", "127.0.0.1"):
                        self.assertEqual(status(ask(server, by=trusting, name=name)), 200)
                    seen.append(shown(server))
                self.assertEqual(server.exit_code, 0, server.log)
                key = folder / "localhost.key"
                self.assertEqual(stat.S_IMODE(key.stat().st_mode), 0o600)
            self.assertEqual(seen[0], seen[1])
            self.assertEqual(sorted(os.listdir(folder)), ["localhost.key", "localhost.pem"])

    def test_a_folder_that_cannot_be_written_is_named(self):
        done = program.run("serve", "--listen", "127.0.0.1:0", "--tls-listen", "127.0.0.1:0",
                           "--self-signed", "/proc/none")
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual((done.stdout, done.stderr.count("\n")), ("", 1), done)
        self.assertIn("/proc/none", done.stderr)
