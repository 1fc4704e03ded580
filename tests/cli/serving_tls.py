"""`bulkhead serve --tls-listen`: what its clients get, and what hostile ones can't do."""
import contextlib
import hashlib
import json
import os
import pathlib
import random
import re
import signal
import socket
import ssl
import struct
import subprocess
import tempfile
import time
import unittest
import warnings

from secure_client import (BOTH, TLS_1_2, TLS_1_3, Wire, ask, careless, connect, content, context,
                           dial, get, read_all, read_until, refusal, secure, status, together)
from secure_server import SharedServer, metric, pages, serve
from supervising import children, until


class Conversations(SharedServer):
    options = ("--threads", "2", "--handler-deadline-ms", "1000")

    def test_both_versions_with_a_chain_that_a_client_trusts(self):
        for version, name in ((TLS_1_2, "TLSv1.2"), (TLS_1_3, "TLSv1.3")):
            with connect(self.server, context(version)) as peer:
                self.assertEqual(peer.version(), name)
                peer.sendall(get("/hello"))
                self.assertEqual(content(read_all(peer)), b"Hello, world!")

    def test_older_versions_are_refused(self):
        old = context()
        old.set_ciphers("DEFAULT@SECLEVEL=0")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            old.minimum_version = ssl.TLSVersion.TLSv1
            old.maximum_version = ssl.TLSVersion.TLSv1_1
        self.assertEqual(refusal(self.server, old), "tlsv1 alert protocol version")

    def test_weak_ciphers_are_refused(self):
        for cipher in ("AES128-SHA", "ECDHE-ECDSA-AES128-SHA", "NULL", "aNULL"):
            weak = context(TLS_1_2)
            weak.set_ciphers(cipher + ":@SECLEVEL=0")
            self.assertEqual(refusal(self.server, weak), "sslv3 alert handshake failure", cipher)

    def test_all_byte_values_come_back(self):
        data = bytes(range(256)) * 4000
        head = b"POST /echo HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n"
        for version in BOTH:
            for framed in (b"Content-Length: %d\r\n\r\n%s" % (len(data), data),
                           b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n"
                           % (len(data), data)):
                with connect(self.server, context(version)) as peer:
                    peer.sendall(head + framed)
                    self.assertEqual(content(read_all(peer)), data)

    def test_pipelined_requests_are_answered_in_order(self):
        for version in BOTH:
            with connect(self.server, context(version)) as peer:
                peer.sendall(b"".join(get(f"/status?c={code}", close=False)
                                      for code in range(400, 450)) + get("/hello"))
                answers = read_all(peer)
            self.assertEqual([int(code) for code in re.findall(rb"HTTP/1.1 (\d+)", answers)],
                             [*range(400, 450), 200])

    def test_an_answer_does_not_wait_for_the_handler_of_the_next_request(self):
        with connect(self.server) as peer:
            peer.sendall(get("/hello", close=False) + get("/sleep?ms=700"))
            first = read_until(peer, b"Hello, world!")
            self.assertNotIn(b"slept", first)
            self.assertIn(b"slept", read_all(peer))

    def test_a_stream(self):
        with connect(self.server) as peer:
            peer.sendall(get("/stream?n=30&ms=2"))
            self.assertEqual(read_all(peer).count(b"line "), 30)

    def test_a_handler_that_takes_too_long_or_throws(self):
        self.assertEqual(status(ask(self.server, "/sleep?ms=1500")), 503)
        self.assertEqual(status(ask(self.server, "/throw")), 500)

    def test_a_connection_is_kept_and_its_end_is_said(self):
        with connect(self.server) as peer:
            for _ in range(3):
                peer.sendall(get("/hello", close=False))
                read_until(peer, b"Hello, world!")
            peer.sendall(get("/hello"))
            read_all(peer)  # raises when there is no close_notify

    def test_a_client_that_has_said_its_end_still_gets_its_answer(self):
        for version in BOTH:
            with Wire(self.server, context(version)) as wire:
                wire.shake_hands()
                wire.peer.sendall(wire.encrypted(get("/big?n=300000", close=False)) + wire.closing())
                self.assertEqual(len(content(wire.read_all())), 300000)

    def test_b056_a_client_that_does_not_say_its_end(self):
        with connect(self.server) as peer:
            peer.sendall(get("/hello", close=False))
            read_until(peer, b"Hello, world!")
        with connect(self.server) as peer:
            peer.sendall(b"POST /echo HTTP/1.1\r\nHost: a.test\r\nContent-Length: 9\r\n\r\nhalf")
            peer.shutdown(socket.SHUT_WR)  # of TCP alone; from here on the bytes are raw
            with contextlib.suppress(ConnectionResetError):
                while peer.recv(65536):
                    pass
        self.assertEqual(status(ask(self.server)), 200)

    def test_every_record_in_single_bytes(self):
        for version in BOTH:
            with Wire(self.server, context(version)) as wire:
                def drip(data, to=wire.peer):
                    for byte in data:
                        to.sendall(bytes([byte]))
                wire.shake_hands(drip)
                drip(wire.encrypted(get("/hello")))
                self.assertEqual(content(wire.read_all()), b"Hello, world!")

    def test_a_record_that_is_cut_or_changed(self):
        for spoil in (lambda record: record[:len(record) // 2],
                      lambda record: record[:-1] + bytes([record[-1] ^ 1]),
                      lambda record: b"\x17\x03\x03\xff\xff" + record,
                      lambda record: b"\x99" + record):
            for version in BOTH:
                with Wire(self.server, context(version)) as wire:
                    wire.shake_hands()
                    wire.peer.sendall(spoil(wire.encrypted(get("/hello"))))
                    wire.peer.shutdown(socket.SHUT_WR)
                    with contextlib.suppress(ssl.SSLError, ConnectionError):
                        self.assertNotIn(b" 200 ", wire.read_all())
        self.assertEqual(status(ask(self.server)), 200)

    def test_b053_slow_readers_get_everything(self):
        def read_slowly(version):
            with secure(dial(self.server, receive_bytes=4096), context(version)) as peer:
                peer.sendall(get("/big?n=1500000"))
                got = 0
                while piece := peer.recv(40000):
                    got += len(piece)
                    time.sleep(0.001)
            self.assertGreater(got, 1500000)
        together([lambda version=version: read_slowly(version) for version in BOTH * 10])

    def test_b052_key_update_and_renegotiation_in_a_download(self):
        for version, wish, wanted in (("-tls1_3", b"K", b"KEYUPDATE"), ("-tls1_2", b"R", b"RENEG")):
            with subprocess.Popen(
                    ["openssl", "s_client", version, "-servername", "a.test", "-connect",
                     f"{self.server.host}:{self.server.tls_port}"], stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as asking:
                asking.stdin.write(get("/stream?n=20&ms=30"))
                asking.stdin.flush()
                seen = b""
                while b"line 3\n" not in seen:
                    seen += os.read(asking.stdout.fileno(), 65536)
                asking.stdin.write(wish + b"\n")
                asking.stdin.flush()
                # TLS 1.2 clients end when they are refused, with a fatal alert of their own.
                seen += asking.stdout.read()
                self.assertIn(wanted, seen)
                if wish == b"K":
                    self.assertIn(b"line 20\n", seen)
        self.assertEqual(status(ask(self.server)), 200)


class Files(unittest.TestCase):
    def test_a_file_comes_whole_however_it_is_read(self):
        with tempfile.TemporaryDirectory() as folder:
            wanted = pages(folder)
            with serve("--root", folder) as server:
                def read(version, receive_bytes):
                    found = hashlib.sha256()
                    with secure(dial(server, receive_bytes), context(version)) as peer:
                        peer.sendall(get("/large"))
                        found.update(read_until(peer, b"\r\n\r\n").partition(b"\r\n\r\n")[2])
                        while piece := peer.recv(200_000):
                            found.update(piece)
                    self.assertEqual(found.hexdigest(), wanted)
                together([lambda v=v, b=b: read(v, b) for v in BOTH for b in (None, 8192)])
                with connect(server) as peer:
                    peer.sendall(get("/large", close=False)[:-2]
                                 + b"Range: bytes=1000-2999999\r\nConnection: close\r\n\r\n")
                    self.assertEqual(len(content(read_all(peer))), 2_999_000)
            self.assertEqual(server.exit_code, 0, server.log)


class PlainHttp(unittest.TestCase):
    def test_is_told_so_and_logged(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "access.log"
            with serve("--access-log", str(path), "--admin-listen", "127.0.0.1:0") as server:
                for sent in (get("/hello", close=False), b"G"):
                    with dial(server) as peer:
                        peer.sendall(sent)
                        answer = read_all(peer)
                    self.assertEqual(status(answer), 400)
                    self.assertIn(b"\r\nConnection: close\r\n", answer)
                    self.assertIn(b"HTTPS", content(answer).upper().replace(b"TLS", b"HTTPS"))
                self.assertEqual(metric(server, 'bulkhead_requests_total{reason="plain_http"}'), 2)
            lines = [json.loads(line) for line in path.read_text().splitlines()]
            self.assertEqual([(line["status"], line["reason"]) for line in lines],
                             [(400, "plain_http")] * 2)
        self.assertEqual(server.exit_code, 0, server.log)


def has_ended(peer):
    """Whether the server has closed this connection. Whatever comes before is dropped."""
    peer.setblocking(False)
    try:
        while peer.recv(65536):
            pass
        return True
    except BlockingIOError:
        return False
    except OSError:
        return True


class Hostile(unittest.TestCase):
    def alive(self, server):
        self.assertEqual(status(ask(server)), 200)

    def test_b050_who_is_silent_or_drips_ends_at_the_deadline(self):
        with serve("--handshake-deadline-ms", "1500", "--admin-listen", "127.0.0.1:0") as server:
            with Wire(server) as wire:
                hello = wire.hello()
            silent = [dial(server) for _ in range(200)]
            dripping = [dial(server) for _ in range(200)]
            left, sent = set(silent + dripping), 0

            def turn():
                # So slowly that only an absolute deadline ends them before it is whole.
                nonlocal sent
                for peer in left.intersection(dripping):
                    with contextlib.suppress(OSError):
                        peer.send(hello[sent:sent + 1])
                sent += 1
                left.difference_update([peer for peer in left if has_ended(peer)])
                time.sleep(0.1)
                return not left

            turn()
            for _ in range(5):
                self.alive(server)
                turn()
            until(turn)
            self.assertLess(sent, len(hello))
            counted = 'bulkhead_requests_total{reason="handshake_timeout"}'
            until(lambda: metric(server, counted) == 400)
            for peer in silent + dripping:
                peer.close()
            self.alive(server)
        self.assertEqual(server.exit_code, 0, server.log)

    def test_200_downloads_that_their_clients_cut(self):
        with serve() as server:
            workers = children(server.process.pid)
            at_once = struct.pack("ii", 1, 0)
            peers = []
            for i in range(200):
                peers.append(connect(server, context(BOTH[i % 2]) if i < 2 else careless()))
                peers[-1].sendall(get("/big?n=1000000", close=False))
            for i, peer in enumerate(peers):
                peer.recv(1000)
                if i % 2:
                    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
                peer.close()
            self.alive(server)
            self.assertEqual(children(server.process.pid), workers)
        self.assertEqual(server.exit_code, 0, server.log)
        self.assertNotIn("killed", server.log)

    def test_a_storm_of_handshakes(self):
        with serve("--threads", "2") as server:
            with Wire(server) as wire:
                hello = wire.hello()

            def storm():
                for _ in range(15):
                    with dial(server) as peer:
                        peer.sendall(hello)  # and gone, before or in the middle of the answer
                    with dial(server) as peer:
                        peer.sendall(hello)
                        peer.recv(100)
                    self.alive(server)

            together([storm] * 6)
        self.assertEqual(server.exit_code, 0, server.log)

    def test_garbage(self):
        with serve() as server:
            with Wire(server) as wire:
                hello = wire.hello()
            noise = random.Random(2)
            for data in (b"\x80\x2e\x01\x00\x02", b"\x16\x03\x01\x00\x00", b"\x16\x03\x01\xff\xff",
                         b"\x00" * 300, b"\x15\x03\x03\x00\x02\x02\x28", b"\x16\x03\x03\x00\x05hello",
                         *(bytes(b ^ (noise.random() < 0.02) * noise.randrange(256) for b in hello)
                           for _ in range(100))):
                with dial(server) as peer, contextlib.suppress(ConnectionError):
                    peer.sendall(data)
                    peer.shutdown(socket.SHUT_WR)
                    read_all(peer)
            self.alive(server)
        self.assertEqual(server.exit_code, 0, server.log)

    def test_who_comes_when_all_places_are_taken_is_closed_at_once(self):
        with serve("--max-sessions", "2", "--handshake-deadline-ms", "60000") as server:
            peers = [connect(server) for _ in range(2)]
            for _ in range(3):
                with self.assertRaises((ssl.SSLEOFError, ConnectionError)):
                    connect(server)
            peers.pop().close()

            def is_answered():
                with contextlib.suppress(ssl.SSLEOFError, ConnectionError):
                    self.alive(server)
                    return True
            until(is_answered)
            peers.pop().close()
        self.assertEqual(server.exit_code, 0, server.log)


class Drains(unittest.TestCase):
    def test_a_download_ends_whole_and_an_idle_connection_is_told(self):
        for by in BOTH:
            with serve() as server:
                with connect(server, context(by)) as idle, connect(server, context(by)) as busy:
                    idle.sendall(get("/hello", close=False))
                    read_until(idle, b"Hello, world!")
                    busy.sendall(get("/stream?n=20&ms=50", close=False))
                    seen = read_until(busy, b"line 1\n")
                    server.process.send_signal(signal.SIGTERM)
                    self.assertEqual(read_all(idle), b"")
                    self.assertIn(b"line 20\n", seen + read_all(busy))
            self.assertEqual(server.exit_code, 0, server.log)
