"""What others notice of handlers that burn their threads."""
import contextlib
import subprocess
import time

from measuring import client, process
from measuring.table import table

REACTORS = 2
SPINNERS = 6
SPIN_MS = 3000
CALM_S = 3
TARGET_MS = 100
SPIN = f"/spin?ms={SPIN_MS}"


class NotSpinning(Exception):
    pass


def watch(build, port, seconds, content="Hello, world!"):
    """Rows (stream, requests, p50, p99, worst, client's own worst delay) in ms, and the errors."""
    command = [str(build / "bench" / "latency"), str(port), str(seconds), content]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    rows, errors = [], []
    for line in done.stdout.splitlines():
        stream, requests, failed, *times_us = line.split()
        rows.append([stream, int(requests), *(int(us) / 1000 for us in times_us)])
        if int(failed):
            errors.append(f"neighbours, {stream}: {failed} of {requests} requests failed")
    return rows, errors


def watch_beside_spinners(build, port):
    with contextlib.ExitStack() as until:
        spinners = [until.enter_context(client.connect(port)) for _ in range(SPINNERS)]
        began = time.monotonic()
        for spinner in spinners:
            spinner.sendall(client.request(SPIN))
        found = watch(build, port, SPIN_MS / 1000)
        for spinner in spinners:
            client.receive(spinner)
        if time.monotonic() - began < SPIN_MS / 1000:
            raise NotSpinning(f"{SPIN} came back too early")
    return found


def run(options, say):
    """(title, text, errors)"""
    with process.bulkhead(options.build, REACTORS) as server:
        say("neighbours: calm")
        calm, errors = watch(options.build, server.port, CALM_S)
        say(f"neighbours: beside {SPINNERS} spinners")
        beside, more_errors = watch_beside_spinners(options.build, server.port)
    rows = [[f"{stream}, {when}", requests, *(f"{ms:.2f}" for ms in times)]
            for when, found in (("calm", calm), ("beside spinners", beside))
            for stream, requests, *times in found]
    worst = max(row[4] for row in beside)
    verdict = "met" if worst < TARGET_MS else "MISSED"
    text = table(["connections", "requests", "p50 ms", "p99 ms", "worst ms", "client's own"], rows)
    text += f"\n\nWorst neighbour: {worst:.1f} ms; target under {TARGET_MS} ms: {verdict}."
    title = f"Neighbours of {SPINNERS} handlers that spin for {SPIN_MS} ms on {REACTORS} reactors"
    return title, text, errors + more_errors
