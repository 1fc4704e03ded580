"""The client's side of HTTPS: what is connected, asked and refused."""
import re
import socket
import ssl
import threading

import certificates

PATIENCE_S = 20
TLS_1_2, TLS_1_3 = ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3
BOTH = (TLS_1_2, TLS_1_3)


def context(version=None, identity=None, protocols=None, trusted=None):
    """Takes only certificates of chain_root(), or of `trusted`, that have the name asked for."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    made.load_verify_locations(trusted or certificates.chain_root().certificate)
    if version:
        made.minimum_version = made.maximum_version = version
    if identity:
        made.load_cert_chain(*identity)
    if protocols:
        made.set_alpn_protocols(protocols)
    return made


def careless():
    """Takes every certificate."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    made.check_hostname, made.verify_mode = False, ssl.CERT_NONE
    return made


def dial(server, receive_bytes=None):
    peer = socket.socket()
    peer.settimeout(PATIENCE_S)
    if receive_bytes:
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
    peer.connect((server.host, server.tls_port))
    return peer


def secure(peer, by=None, name="a.test", session=None):
    """TLS on a connection. An end without close_notify raises SSLEOFError when it is read."""
    try:
        return (by or context()).wrap_socket(peer, server_hostname=name, session=session,
                                             suppress_ragged_eofs=False)
    except BaseException:
        peer.close()
        raise


def connect(server, by=None, name="a.test", session=None):
    return secure(dial(server), by, name, session)


def get(target, host="a.test", close=True):
    return (f"GET {target} HTTP/1.1\r\nHost: {host}\r\n"
            + "Connection: close\r\n" * close + "\r\n").encode()


def read_all(peer):
    """Up to the close_notify."""
    return b"".join(iter(lambda: peer.recv(65536), b""))


def read_until(peer, wanted):
    got = b""
    while wanted not in got:
        piece = peer.recv(65536)
        if not piece:
            raise AssertionError(f"the end before {wanted!r}: {got[-100:]!r}")
        got += piece
    return got


def ask(server, target="/hello", by=None, name="a.test", host=None, session=None):
    with connect(server, by, name, session) as peer:
        peer.sendall(get(target, host or name))
        return read_all(peer)


def status(answer):
    return int(answer.split(None, 2)[1])


def content(answer):
    return answer.partition(b"\r\n\r\n")[2]


def refusal(server, by=None, name="a.test", session=None):
    """The alert that the server sends instead of an answer, as OpenSSL calls it; None if it
    answers."""
    try:
        ask(server, "/hello", by, name, session=session)
    except ssl.SSLError as refused:
        return re.fullmatch(r"\[SSL.*?\] (.*?)(?: \(_ssl.*)?", refused.args[1]).group(1)
    return None


def shown(server, name="a.test"):
    """The certificate that a new client gets, in DER."""
    with connect(server, careless(), name) as peer:
        return peer.getpeercert(binary_form=True)


def together(jobs):
    """Runs them on a thread each; raises what the first of them has raised."""
    raised = []

    def run(job):
        try:
            job()
        except BaseException as error:  # pylint: disable=broad-except
            raised.append(error)

    threads = [threading.Thread(target=run, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if raised:
        raise raised[0]


class Wire:
    """A client whose encrypted bytes are in the test's hand."""

    def __init__(self, server, by=None, name="a.test"):
        self.peer = dial(server)
        self._in, self._out = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = (by or context()).wrap_bio(self._in, self._out, server_hostname=name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.peer.close()

    def hello(self):
        """The handshake's first record, not sent."""
        try:
            self._tls.do_handshake()
        except ssl.SSLWantReadError:
            return self._out.read()
        raise AssertionError("a handshake without a server")

    def shake_hands(self, send=None):
        self._until(self._tls.do_handshake, send or self.peer.sendall)

    def encrypted(self, data):
        self._tls.write(data)
        return self._out.read()

    def closing(self):
        """close_notify as bytes, not sent; what comes can still be read."""
        try:
            self._tls.unwrap()
        except ssl.SSLWantReadError:
            pass
        return self._out.read()

    def read_all(self):
        got = b""
        while piece := self._until(lambda: self._tls.read(65536), self.peer.sendall):
            got += piece
        return got

    def _until(self, step, send):
        while True:
            try:
                done = step()
                send(self._out.read())
                return done
            except ssl.SSLZeroReturnError:
                return b""
            except ssl.SSLWantReadError:
                send(self._out.read())
                if piece := self.peer.recv(65536):
                    self._in.write(piece)
                else:
                    self._in.write_eof()
