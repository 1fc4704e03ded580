"""Resident memory of an idle connection."""
import contextlib
import resource
import time

from measuring import client, process
from measuring.table import table

WAVE = 100  # connections that are busy at the same time
SETTLE_S = 1.0
ACCEPT_S = 10  # a kernel told to defer accept hands silent connections over after a second or two
DESCRIPTORS_SPARE = 64

# (request, with TLS)
VARIANTS = {
    "no request yet": (None, False),
    "after one GET": (client.request("/hello"), False),
    "after a POST of 64 KiB": (client.request("/echo", b"x" * 65536), False),
    "TLS, after one GET": (client.request("/hello"), True),
    "TLS, after a POST of 64 KiB": (client.request("/echo", b"x" * 65536), True),
}


class NotIdle(Exception):
    pass


def raise_descriptor_limit(connections):
    """Of this process and of the servers that it starts. How many of the connections it allows."""
    needed = connections + DESCRIPTORS_SPARE
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = resource.RLIM_INFINITY
    allowed = needed if hard == unlimited else min(needed, hard)
    if soft != unlimited and soft < allowed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    return allowed - DESCRIPTORS_SPARE


def open_wave(server, count, variant, until):
    """Opens `count` connections that stay open until the end of `until`; each has been answered."""
    request, secure = variant
    port = server.secure_port if secure else server.port
    opened = [until.enter_context(client.connect(port, secure)) for _ in range(count)]
    if request is None:
        return
    for connection in opened:
        connection.sendall(request)
    for connection in opened:
        client.receive(connection)


def wait_for(server, descriptors):
    """Every connection must be the server's: neither still the kernel's nor dropped."""
    until = time.monotonic() + ACCEPT_S
    while server.descriptors() != descriptors and time.monotonic() < until:
        time.sleep(0.1)
    if server.descriptors() != descriptors:
        raise NotIdle(f"{server.name} holds {server.descriptors()} descriptors, not {descriptors}")


def bytes_a_connection(server, connections, variant):
    # A first wave comes and goes, so that code, pools and caches are not counted.
    descriptors = server.descriptors()
    with contextlib.ExitStack() as warm_up:
        open_wave(server, min(WAVE, connections), variant, warm_up)
        wait_for(server, descriptors + min(WAVE, connections))
    wait_for(server, descriptors)
    time.sleep(SETTLE_S)
    resident = server.resident_bytes()
    with contextlib.ExitStack() as until:
        for begin in range(0, connections, WAVE):
            open_wave(server, min(WAVE, connections - begin), variant, until)
        wait_for(server, descriptors + connections)
        time.sleep(SETTLE_S)
        wait_for(server, descriptors + connections)
        return (server.resident_bytes() - resident) / connections


def run(options, say):
    """(title, text, errors)"""
    possible = raise_descriptor_limit(options.connections)
    if possible < options.connections:
        raise NotIdle(f"the limit of descriptors allows {possible} connections, "
                      f"not {options.connections}")
    rows = []
    for name, variant in VARIANTS.items():
        say(f"idle: {options.connections} connections, {name}")
        with process.bulkhead(options.build, 1, secure=True) as server:
            used = bytes_a_connection(server, options.connections, variant)
        rows.append([name, f"{used / 1024:.2f}"])
    title = f"Idle: resident memory with {options.connections} connections"
    return title, table(["connection", "KiB a connection"], rows), []
