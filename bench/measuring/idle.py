"""Resident memory of an idle connection."""
import contextlib
import resource
import time

from measuring import client, process
from measuring.table import table

WAVE = 100  # connections that are busy at the same time
SETTLE_S = 1.0
DESCRIPTORS_SPARE = 64

VARIANTS = {
    "no request yet": None,
    "after one GET": client.request("/hello"),
    "after a POST of 64 KiB": client.request("/echo", b"x" * 65536),
}


class NotIdle(Exception):
    pass


def raise_descriptor_limit(connections):
    needed = connections + DESCRIPTORS_SPARE
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and needed > hard:
        raise NotIdle(f"{connections} connections need {needed} descriptors, the limit is {hard}")
    if soft != resource.RLIM_INFINITY and soft < needed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))


def open_wave(port, count, request, until):
    """Opens `count` connections that stay open until the end of `until`; each has been answered."""
    opened = [until.enter_context(client.connect(port)) for _ in range(count)]
    if request is None:
        return
    for connection in opened:
        connection.sendall(request)
    for connection in opened:
        client.receive(connection)


def bytes_a_connection(server, connections, request):
    # A first wave comes and goes, so that code, pools and caches are not counted.
    with contextlib.ExitStack() as warm_up:
        open_wave(server.port, min(WAVE, connections), request, warm_up)
    time.sleep(SETTLE_S)
    resident, descriptors = server.resident_bytes(), server.descriptors()
    with contextlib.ExitStack() as until:
        for begin in range(0, connections, WAVE):
            open_wave(server.port, min(WAVE, connections - begin), request, until)
        time.sleep(SETTLE_S)
        still_open = server.descriptors() - descriptors
        if still_open != connections:
            raise NotIdle(f"{server.name} holds {still_open} connections, not {connections}")
        return (server.resident_bytes() - resident) / connections


def run(options, say):
    """(title, text, errors)"""
    raise_descriptor_limit(options.connections)
    rows = []
    for name, request in VARIANTS.items():
        say(f"idle: {options.connections} connections, {name}")
        with process.bulkhead(options.build, 1) as server:
            used = bytes_a_connection(server, options.connections, request)
        rows.append([name, f"{used / 1024:.2f}"])
    title = f"Idle: resident memory with {options.connections} connections"
    return title, table(["connection", "KiB a connection"], rows), []
