"""What the places of a handler cost, and what a neighbour notices while handlers fail."""
import contextlib
import pathlib
import statistics
import tempfile
import threading

from measuring import client, machine, neighbours, process, throughput
from measuring.table import table

HELLO = throughput.Workload("/hello", 16)
GREETING = "Hello from a sandbox!\n"  # what it answers
INJECTED = 1000  # of each fault
P99_GROWTH_MAX = 1.2
BUDGETS = "wall_ms = 50\ncpu_ms = 20\nmemory_bytes = 33554432\nbreaker_faults = 0\n"
# A fault and how often: those that end at a deadline take that long each.
DEEDS = {
    "process": {"throw": INJECTED, "null": INJECTED, "abort": INJECTED, "stack": INJECTED,
                "huge": INJECTED, "too-large": INJECTED, "wrong-length": INJECTED,
                "loop": INJECTED // 10, "sleep": INJECTED // 10},
    "wasm": {"trap": INJECTED, "wild": INJECTED, "division": INJECTED, "stack": INJECTED,
             "huge": INJECTED, "too-large": INJECTED, "wrong-length": INJECTED,
             "loop": INJECTED // 10},
}


def file_of(build, guest, place):
    stem = pathlib.Path("examples") / guest / f"example_{guest}"
    return (build / stem).with_suffix(".wasm" if place == "wasm" else ".so").resolve()


def handler(build, guest, place, path):
    return (f'[[handler]]\npath = "{path}"\nrun = "{place}"\nfile = "{file_of(build, guest, place)}"\n'
            f"concurrency = 2\n{BUDGETS}")


@contextlib.contextmanager
def hosting(options, cpus, settings, folder):
    path = pathlib.Path(tempfile.mkstemp(".toml", dir=folder)[1])
    path.write_text(settings, encoding="utf-8")
    with process.bulkhead(options.build, 1, cpus, more=[
            "--config", str(path), "--wasm-cache", f"{folder}/cache"]) as server:
        yield server


def place_rows(options, cpus, folder, say):
    """Requests a second and CPU time of the hello handler in each place, to inline."""
    places = ("inline", "process", "wasm")
    with contextlib.ExitStack() as until:
        servers = {place: until.enter_context(hosting(
            options, {cpus[0]}, handler(options.build, "guest", place, "/{name}"), folder))
            for place in places}
        for server in servers.values():
            throughput.run_wrk(server, HELLO, throughput.WARM_UP_S, cpus[1])
        samples = {place: [] for place in places}
        for number in range(options.rounds):
            say(f"handlers: round {number + 1} of {options.rounds}")
            for place, server in servers.items():
                samples[place].append(throughput.measure(server, HELLO, options.seconds, cpus[1]))
    rows, errors = [], []
    for place, of_place in samples.items():
        rates = throughput.ratios(of_place, samples["inline"], "rate")
        rows.append([place, f"{throughput.median(of_place, 'rate'):.0f}",
                     f"{statistics.median(rates):.2f}", f"{min(rates):.2f}..{max(rates):.2f}"])
        errors += [f"handlers, {place}: {error}" for each in of_place for error in each.errors]
    return rows, errors


def inject(server, deed, times, done):
    """One after the other on kept connections; a fault must end its own request alone."""
    connection = client.connect(server.port)
    for _ in range(times):
        connection.sendall(client.request(f"/broken/{deed}"))
        if client.status(connection) < 400:
            done.append(f"{deed} was answered as if nothing had happened")
    connection.close()


def neighbour_rows(options, cpus, folder, place, say):
    """p99 of an inline neighbour, calm and beside each fault, in turns."""
    settings = (handler(options.build, "guest", "inline", "/{name}") +
                handler(options.build, "broken", place, "/broken/{deed}"))
    rows, errors = [], []
    with hosting(options, {cpus[0]}, settings, folder) as server:
        for deed, times in DEEDS[place].items():
            say(f"handlers: beside {deed} in {place}")
            calm, faults = neighbours.watch(options.build, server.port, 2, GREETING)
            errors += faults
            wrong = []
            injecting = threading.Thread(target=inject, args=(server, deed, times, wrong))
            injecting.start()
            beside = []
            while injecting.is_alive() or not beside:
                found, faults = neighbours.watch(options.build, server.port, 2, GREETING)
                beside.append(found)
                errors += faults
            injecting.join()
            errors += [f"handlers, {place}: {each}" for each in wrong[:1]]
            p99_calm = calm[0][3]
            p99 = statistics.median(found[0][3] for found in beside)
            rows.append([f"{deed}, {place}", times, f"{p99_calm:.2f}", f"{p99:.2f}", f"{p99 / p99_calm:.2f}",
                         f"{max(found[0][4] for found in beside):.2f}"])
    return rows, errors


def run(options, say):
    """(title, text, errors)"""
    cpus = machine.two_cpus()
    with tempfile.TemporaryDirectory() as folder:
        rows, errors = place_rows(options, cpus, folder, say)
        beside = []
        for place in DEEDS:
            more, faults = neighbour_rows(options, cpus, folder, place, say)
            beside += more
            errors += faults
    worst = max(float(row[4]) for row in beside)
    text = (table(["place", "requests/s", "ratio to inline", "min..max"], rows) +
            "\n\nA neighbour that runs inline, calm and while another handler fails:\n\n" +
            table(["fault", "injected", "p99 ms, calm", "p99 ms, beside", "ratio", "worst ms"], beside) +
            f"\n\nHighest ratio {worst:.2f}; target at most {P99_GROWTH_MAX}: "
            f"{'met' if worst <= P99_GROWTH_MAX else 'MISSED'}.")
    return "Handlers in their places", text, errors
