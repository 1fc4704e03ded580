"""Just enough of an HTTP/1.1 client to see that a server answers, and what."""
import re
import socket
import ssl

LENGTH = re.compile(rb"\r\ncontent-length: *([0-9]+)\r\n", re.IGNORECASE)
TIMEOUT_S = 20


class BadResponse(Exception):
    pass


def request(path, content=None):
    if content is None:
        return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(content)}\r\n\r\n"
    return head.encode() + content


def connect(port, secure=False):
    connection = socket.create_connection(("127.0.0.1", port), TIMEOUT_S)
    if not secure:
        return connection
    trusting = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    return trusting.wrap_socket(connection, server_hostname="localhost")


def receive(connection):
    """(head, content) of one 200 response with a Content-Length."""
    head, content = receive_any(connection)
    if not head.startswith(b"HTTP/1.1 200 "):
        raise BadResponse(f"a bad response: {head[:100]!r}")
    return head, content


def status(connection):
    """That of the next response."""
    return int(receive_any(connection)[0].split()[1])


def receive_any(connection):
    data = b""
    while b"\r\n\r\n" not in data:
        data += _some(connection)
    head, _, content = data.partition(b"\r\n\r\n")
    length = LENGTH.search(head + b"\r\n")
    if not head.startswith(b"HTTP/1.1 ") or not length:
        raise BadResponse(f"a bad response: {head[:100]!r}")
    pieces, missing = [content], int(length.group(1)) - len(content)
    while missing > 0:
        pieces.append(_some(connection))
        missing -= len(pieces[-1])
    if missing < 0:
        raise BadResponse("more content than Content-Length says")
    return head, b"".join(pieces)


def _some(connection):
    data = connection.recv(1 << 17)
    if not data:
        raise BadResponse("the connection ended in the middle of a response")
    return data


def ask(port, path, content=None, secure=False):
    with connect(port, secure) as connection:
        connection.sendall(request(path, content))
        return receive(connection)
