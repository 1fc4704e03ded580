"""Who is who in HTTPS: names, clients' certificates, and the tickets that stand for them."""
import signal
import unittest

from certificates import authority, client, host
from secure_client import (BOTH, TLS_1_2, TLS_1_3, ask, connect, content, context, get, read_all,
                           refusal, shown, status)
from secure_server import SharedServer, serve
from supervising import until


class Names(SharedServer):
    @staticmethod
    def pairs():
        return [host("a", "a.test"), host("b", "b.test", "also-b.test"), host("w", "*.w.test")]

    def test_each_name_gets_its_certificate(self):
        for version in BOTH:
            for name in ("a.test", "b.test", "also-b.test", "x.w.test", "B.TEST"):
                self.assertEqual(status(ask(self.server, by=context(version), name=name)), 200, name)

    def test_other_names_get_the_first_host(self):
        first = shown(self.server, "a.test")
        for name in (None, "c.test", "w.test", "x.y.w.test", "127.0.0.1"):
            self.assertEqual(shown(self.server, name), first, name)
        self.assertNotEqual(shown(self.server, "b.test"), first)

    def test_a_request_for_another_host_is_misdirected(self):
        for name, other in (("a.test", "b.test"), ("a.test", "x.w.test"), ("b.test", "a.test"),
                            ("b.test", "B.W.TEST:443"), ("x.w.test", "c.test")):
            self.assertEqual(status(ask(self.server, name=name, host=other)), 421, other)
        for name, same in (("b.test", "also-b.test"), ("b.test", "B.test:1"),
                           ("x.w.test", "y.w.test"), ("a.test", "c.test")):
            self.assertEqual(status(ask(self.server, name=name, host=same)), 200, same)

    def test_a_misdirected_request_ends_its_connection(self):
        with connect(self.server) as peer:
            peer.sendall(get("/hello", "b.test", close=False) + get("/hello"))
            self.assertEqual(read_all(peer).count(b"HTTP/1.1 "), 1)

    def test_protocols(self):
        for offered in (["http/1.1"], ["h2", "http/1.1"], ["http/1.0", "http/1.1", "x"]):
            with connect(self.server, context(protocols=offered)) as peer:
                self.assertEqual(peer.selected_alpn_protocol(), "http/1.1")
        with connect(self.server) as peer:
            self.assertIsNone(peer.selected_alpn_protocol())
        for version in BOTH:
            self.assertEqual(refusal(self.server, context(version, protocols=["h2", "http/1.0"])),
                             "tlsv1 alert no application protocol")


class UnknownNamesRefused(SharedServer):
    options = ("--unknown-names", "refuse")

    def test_a_name_that_no_certificate_has_is_refused(self):
        for version in BOTH:
            self.assertEqual(refusal(self.server, context(version), "c.test"),
                             "tlsv1 unrecognized name")
            self.assertEqual(status(ask(self.server, by=context(version))), 200)


class ClientCertificates(SharedServer):
    @staticmethod
    def pairs():
        return [host("a", "a.test"), host("o", "optional.test"), host("r", "required.test")]

    options = ("--client-certificates", "off", "--client-ca", "",
               "--client-certificates", "optional", "--client-ca",
               "{ours}", "--client-certificates", "required", "--client-ca", "{ours}")

    @classmethod
    def setUpClass(cls):
        ours = authority("ours").certificate
        cls.options = [option.format(ours=ours) for option in ClientCertificates.options]
        super().setUpClass()
        cls.good = client("alice", authority("ours"))
        cls.foreign = client("mallory", authority("theirs"))

    def outcome(self, version, name, identity):
        return refusal(self.server, context(version, identity=identity), name)

    def test_off_optional_required(self):
        for version in BOTH:
            for name in ("a.test", "optional.test", "required.test"):
                self.assertIsNone(self.outcome(version, name, self.good))
            for name in ("a.test", "optional.test"):
                self.assertIsNone(self.outcome(version, name, None))
            self.assertIsNone(self.outcome(version, "a.test", self.foreign))
            for name in ("optional.test", "required.test"):
                self.assertEqual(self.outcome(version, name, self.foreign), "tlsv1 alert unknown ca")
        self.assertEqual(self.outcome(TLS_1_3, "required.test", None),
                         "tlsv13 alert certificate required")
        self.assertEqual(self.outcome(TLS_1_2, "required.test", None),
                         "sslv3 alert handshake failure")

    def test_the_host_field_does_not_get_round_it(self):
        self.assertEqual(status(ask(self.server, host="required.test")), 421)
        self.assertEqual(status(ask(self.server, host="REQUIRED.test:443")), 421)
        # The same name, written otherwise (RFC 9110 section 4.2.3, RFC 3986 sections 6.2.2.2, 3.2.2).
        for same in ("required.test.", "required%2Etest", "%72equired.test"):
            self.assertIn(status(ask(self.server, host=same)), (400, 421), same)

    def test_b059_a_ticket_of_another_host_does_not_get_round_it(self):
        for version in BOTH:
            by = context(version)
            session = ticket(self.server, by, "a.test")
            self.assertIsNotNone(refusal(self.server, by, "required.test", session))
            with connect(self.server, by, "optional.test", session) as peer:
                self.assertFalse(peer.session_reused)
            with connect(self.server, by, "a.test", session) as peer:
                self.assertTrue(peer.session_reused)
            known = context(version, identity=self.good)
            session = ticket(self.server, known, "required.test")
            with connect(self.server, known, "required.test", session) as peer:
                self.assertTrue(peer.session_reused)


def ticket(server, by, name="a.test"):
    """TLS 1.3 sends it after the handshake."""
    with connect(server, by, name) as peer:
        peer.sendall(get("/hello", name))
        read_all(peer)
        return peer.session


class Tickets(unittest.TestCase):
    def resumed(self, server, by, session):
        with connect(server, by, session=session) as peer:
            peer.sendall(get("/hello"))
            self.assertEqual(content(read_all(peer)), b"Hello, world!")
            return peer.session_reused

    def test_they_resume_after_a_reload_too_and_not_on_another_server(self):
        with serve() as server, serve() as other:
            for version in BOTH:
                by = context(version)
                session = ticket(server, by)
                self.assertTrue(self.resumed(server, by, session))
                self.assertFalse(self.resumed(other, by, session))
                done = server.so_far().count("reload: done")
                server.process.send_signal(signal.SIGHUP)
                until(lambda wanted=done + 1: server.so_far().count("reload: done") == wanted)
                self.assertTrue(self.resumed(server, by, ticket(server, by)))
                self.assertTrue(self.resumed(server, by, session))
        self.assertEqual((server.exit_code, other.exit_code), (0, 0), server.log)
