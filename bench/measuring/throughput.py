"""Requests a second and CPU time a request, beside the bare loop, in alternating rounds."""
import dataclasses
import pathlib
import re
import resource
import statistics
import subprocess

from measuring import client, machine, process
from measuring.table import table

HERE = pathlib.Path(__file__).resolve().parent.parent
WARM_UP_S = 1
CLOSE = ["-H", "Connection: close"]


@dataclasses.dataclass
class Workload:
    path: str
    connections: int
    options: list = dataclasses.field(default_factory=list)


def script(name):
    return ["-s", str(HERE / name)]


WORKLOADS = {
    "small-16": Workload("/small", 16),
    "small-64": Workload("/small", 64),
    "small-256": Workload("/small", 256),
    "pipelined-16": Workload("/small", 16, script("pipelined.lua")),
    "connection-16": Workload("/small", 16, CLOSE),
    "big-16": Workload("/big", 16),
    "big-64": Workload("/big", 64),
    "echo-16": Workload("/echo", 16, script("echo.lua")),
}


@dataclasses.dataclass
class Sample:
    """One run of the client against one server."""
    requests: int
    seconds: float
    user_s: float
    system_s: float
    others: float
    stolen: float
    errors: list

    @property
    def rate(self):
        return self.requests / self.seconds

    @property
    def cpu_us(self):
        return (self.user_s + self.system_s) / max(1, self.requests) * 1e6

    @property
    def user_us(self):
        return self.user_s / max(1, self.requests) * 1e6

    @property
    def system_us(self):
        return self.system_s / max(1, self.requests) * 1e6


def check_same_answers(servers):
    """The comparison is fair only if both send the same."""
    content = b"x" * 1024
    for path, posted, expected in (("/small", None, b"Hello, world!"),
                                   ("/hello", None, b"Hello, world!"),
                                   ("/big", None, b"x" * 16384), ("/echo", content, content)):
        answers = [client.ask(server.port, path, posted) for server in servers]
        names = [[line.partition(b":")[0] for line in head.splitlines()] for head, _ in answers]
        if any(got != expected for _, got in answers):
            raise client.BadResponse(f"{path}: not the expected content")
        if any(sorted(n) != sorted(names[0]) for n in names):
            raise client.BadResponse(f"{path}: not the same fields: {names}")


def errors_in(text):
    socket_errors = re.search(r"Socket errors: (.*)", text)
    bad_status = re.search(r"Non-2xx or 3xx responses: [0-9]+", text)
    return [found.group(0) for found in (socket_errors, bad_status) if found]


def run_wrk(server, workload, seconds, cpu):
    command = ["wrk", "-t1", f"-c{workload.connections}", f"-d{seconds}s", *workload.options,
               f"http://127.0.0.1:{server.port}{workload.path}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False,
                          preexec_fn=lambda: process.pin({cpu}))
    count = re.search(r"([0-9]+) requests in", done.stdout)
    rate = re.search(r"Requests/sec: +([0-9.]+)", done.stdout)
    errors = errors_in(done.stdout)
    if done.returncode != 0 or not count or not rate or float(rate.group(1)) == 0:
        return 0, 1.0, errors + [f"wrk failed: {(done.stderr or done.stdout).strip()[:200]}"]
    requests = int(count.group(1))
    return requests, requests / float(rate.group(1)), errors


def children_cpu_s():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(server, workload, seconds, cpu):
    watch, client_before = machine.CpuWatch(), children_cpu_s()
    user, system = server.cpu_s()
    requests, took, errors = run_wrk(server, workload, seconds, cpu)
    user, system = (now - then for now, then in zip(server.cpu_s(), (user, system)))
    others, stolen = watch.shares(user + system + children_cpu_s() - client_before)
    return Sample(requests, took, user, system, others, stolen, errors)


def median(samples, what):
    return statistics.median(getattr(sample, what) for sample in samples)


def ratio(ours, bare, what):
    """Median of the rounds' ratios: what disturbs a whole round cancels out."""
    pairs = [(getattr(o, what), getattr(b, what)) for o, b in zip(ours, bare)]
    return statistics.median(o / b if b else 0.0 for o, b in pairs)


def row(name, bare, ours):
    rates = [o.rate / b.rate if b.rate else 0.0 for o, b in zip(ours, bare)]
    both = ours + bare

    def cpu(samples):
        return f"{median(samples, 'user_us'):.2f} + {median(samples, 'system_us'):.2f}"

    return [name, f"{median(bare, 'rate'):.0f}", f"{median(ours, 'rate'):.0f}",
            f"{ratio(ours, bare, 'rate'):.2f}", f"{min(rates):.2f}..{max(rates):.2f}",
            cpu(bare), cpu(ours), f"{ratio(ours, bare, 'cpu_us'):.2f}",
            f"{100 * median(both, 'others'):.0f}", f"{100 * median(both, 'stolen'):.0f}",
            sum(len(sample.errors) for sample in both)]


HEADER = ["workload", "bare/s", "ours/s", "ratio", "min..max", "bare us", "ours us", "ratio",
          "others %", "stolen %", "errors"]
LEGEND = ("/s: requests a second. us: CPU time a request, in the program + in the kernel. "
          "ratio: ours / bare.\n\n")


def run(options, say):
    """(title, text, errors)"""
    server_cpu, client_cpu = machine.two_cpus()
    rows, errors = [], []
    with process.bare_loop(options.build, {server_cpu}) as bare, \
            process.bulkhead(options.build, 1, {server_cpu}) as ours:
        check_same_answers([bare, ours])
        for name in options.workloads or WORKLOADS:
            samples = {bare: [], ours: []}
            for server in samples:
                run_wrk(server, WORKLOADS[name], WARM_UP_S, client_cpu)
            for number in range(options.rounds):
                say(f"{name}: round {number + 1} of {options.rounds}")
                for server, of_server in samples.items():
                    of_server.append(measure(server, WORKLOADS[name], options.seconds, client_cpu))
                    errors += [f"{name}, {server.name}: {error}" for error in of_server[-1].errors]
            rows.append(row(name, samples[bare], samples[ours]))
    return "Throughput", LEGEND + table(HEADER, rows), errors
