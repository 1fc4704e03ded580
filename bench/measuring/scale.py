"""What the same requests cost beside more and more sessions that are idle."""
import contextlib
import multiprocessing
import statistics

from measuring import client, idle, machine, process, throughput
from measuring.table import table

SESSIONS = (1, 100, 1_000, 10_000, 20_000)
FROM, TO, GROWTH_MAX = 100, 10_000, 0.10
WORKLOAD = throughput.WORKLOADS["small-16"]


def hold(server, sessions, parent):
    """In a process of its own, whose descriptors are for these connections alone."""
    with contextlib.ExitStack() as until:
        for begin in range(0, sessions, idle.WAVE):
            idle.open_wave(server, min(idle.WAVE, sessions - begin),
                           (client.request("/small"), False), until)
        parent.send("all are open")
        parent.recv()


@contextlib.contextmanager
def filled(build, cpus, sessions):
    """A server with so many idle sessions, and the octets that each of them keeps resident."""
    with process.bulkhead(build, 1, cpus, name=f"{sessions} idle") as server:
        before = server.resident_bytes()
        ours, theirs = multiprocessing.Pipe()
        holder = multiprocessing.Process(target=hold, args=(server, sessions, theirs))
        holder.start()
        theirs.close()
        try:
            ours.recv()
            yield server, (server.resident_bytes() - before) / sessions
        except EOFError as ended:
            raise idle.NotIdle(f"{sessions} connections: their process has ended") from ended
        finally:
            # Not by closing: later holders have inherited this end.
            with contextlib.suppress(OSError):
                ours.send("enough")
            holder.join()
            ours.close()


def run(options, say):
    """(title, text, errors)"""
    server_cpu, client_cpu = machine.two_cpus()
    possible = idle.raise_descriptor_limit(max(SESSIONS))
    every = sorted({min(sessions, possible) for sessions in SESSIONS})
    with contextlib.ExitStack() as until:
        servers, kept = {}, {}
        for sessions in every:
            say(f"scale: {sessions} idle sessions")
            servers[sessions], kept[sessions] = until.enter_context(
                filled(options.build, {server_cpu}, sessions))
            throughput.run_wrk(servers[sessions], WORKLOAD, throughput.WARM_UP_S, client_cpu)
        samples = {sessions: [] for sessions in every}
        for number in range(options.rounds):
            say(f"scale: round {number + 1} of {options.rounds}")
            for sessions, server in servers.items():
                samples[sessions].append(
                    throughput.measure(server, WORKLOAD, options.seconds, client_cpu))
    rows = []
    for sessions, of_server in samples.items():
        cpu = throughput.ratios(of_server, samples[FROM], "cpu_us")
        rows.append([sessions, f"{throughput.median(of_server, 'rate'):.0f}",
                     f"{throughput.median(of_server, 'cpu_us'):.2f}",
                     f"{statistics.median(cpu):.2f}", f"{min(cpu):.2f}..{max(cpu):.2f}",
                     f"{kept[sessions] / 1024:.2f}" if sessions >= FROM else "-"])
    growth = statistics.median(throughput.ratios(samples[TO], samples[FROM], "cpu_us")) - 1
    text = table(["idle sessions", "requests/s", "CPU us", f"ratio to {FROM}", "min..max",
                  "KiB a session"], rows)
    text += (f"\n\nCPU a request from {FROM} to {TO} idle sessions: {100 * growth:+.0f} %; target at most "
             f"{100 * GROWTH_MAX:+.0f} %: {'met' if growth <= GROWTH_MAX else 'MISSED'}.")
    errors = [f"scale, {sessions}: {error}" for sessions, of_server in samples.items()
              for each in of_server for error in each.errors]
    return "Scale: 16 busy connections beside idle ones", text, errors
