"""Requests a second and CPU time a request of several servers, in alternating rounds."""
import contextlib
import dataclasses
import pathlib
import re
import resource
import statistics
import subprocess

from measuring import client, machine, peers, process
from measuring.table import table

HERE = pathlib.Path(__file__).resolve().parent.parent
WARM_UP_S = 1
CLOSE = ["-H", "Connection: close"]


# What a browser sends: some 600 bytes.
BROWSER = [word for field in (
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
    "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
    "Accept-Language: en-GB,en;q=0.7,de;q=0.3", "Accept-Encoding: gzip, deflate, br, zstd",
    "Referer: https://www.example.org/some/page?with=a&query=string", "DNT: 1",
    "Cookie: session=0123456789abcdef0123456789abcdef; theme=dark; consent=yes",
    "Upgrade-Insecure-Requests: 1", "Sec-Fetch-Dest: document", "Sec-Fetch-Mode: navigate",
    "Sec-Fetch-Site: same-origin", "Priority: u=0, i") for word in ("-H", field)]


@dataclasses.dataclass
class Workload:
    path: str
    connections: int
    options: list = dataclasses.field(default_factory=list)
    secure: bool = False
    idle: int = 0  # connections that are open beside it and say nothing


def script(name):
    return ["-s", str(HERE / name)]


WORKLOADS = {
    "small-1": Workload("/small", 1),
    "small-16": Workload("/small", 16),
    "small-64": Workload("/small", 64),
    "small-256": Workload("/small", 256),
    "small-16-idle-984": Workload("/small", 16, idle=984),
    "browser-64": Workload("/small", 64, BROWSER),
    "pipelined-16": Workload("/small", 16, script("pipelined.lua")),
    "connection-16": Workload("/small", 16, CLOSE),
    "big-16": Workload("/big", 16),
    "big-64": Workload("/big", 64),
    "echo-16": Workload("/echo", 16, script("echo.lua")),
    "tls-small-16": Workload("/small", 16, secure=True),
    "tls-small-64": Workload("/small", 64, secure=True),
    "tls-big-16": Workload("/big", 16, secure=True),
    "tls-echo-16": Workload("/echo", 16, script("echo.lua"), secure=True),
    "tls-connection-16": Workload("/small", 16, CLOSE, secure=True),
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


def check_answers(servers):
    """The comparison is fair only if all send the same content, and ours the same fields too."""
    content = b"x" * 1024
    for path, posted, expected in (("/small", None, b"Hello, world!"), ("/big", None, b"x" * 16384),
                                   ("/echo", content, content)):
        names = []
        for server in servers:
            if posted and not server.echoes:
                continue
            head, got = client.ask(server.port, path, posted)
            if got != expected:
                raise client.BadResponse(f"{server.name}, {path}: not the expected content")
            if server.is_ours:
                names.append(sorted(line.partition(b":")[0] for line in head.splitlines()))
        if any(each != names[0] for each in names):
            raise client.BadResponse(f"{path}: not the same fields: {names}")


@contextlib.contextmanager
def idle_neighbours(server, workload):
    """Connections that have had an answer and are silent from then on."""
    with contextlib.ExitStack() as until:
        for _ in range(workload.idle):
            silent = until.enter_context(client.connect(server.port, workload.secure))
            silent.sendall(client.request("/small"))
            client.receive(silent)
        yield


def errors_in(text):
    socket_errors = re.search(r"Socket errors: (.*)", text)
    bad_status = re.search(r"Non-2xx or 3xx responses: [0-9]+", text)
    return [found.group(0) for found in (socket_errors, bad_status) if found]


def run_wrk(server, workload, seconds, cpu):
    where = f"https://127.0.0.1:{server.secure_port}" if workload.secure else \
        f"http://127.0.0.1:{server.port}"
    command = ["wrk", "-t1", f"-c{workload.connections}", f"-d{seconds}s", *workload.options,
               where + workload.path]
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


def ratios(samples, unit, what):
    """Of each round: what disturbs a whole round cancels out."""
    pairs = zip(samples, unit)
    return [getattr(s, what) / getattr(u, what) if getattr(u, what) else 0.0 for s, u in pairs]


# Slower in every round by more than that is no noise.
SLOWER_MAX = 0.05


def verdict(rates, cpu):
    slower = all(each < 1 - SLOWER_MAX for each in rates)
    dearer = all(each > 1 + SLOWER_MAX for each in cpu)
    return ", SLOWER" * slower + ", DEARER" * dearer


def row(workload, server, samples, unit, judged):
    rates, cpu = ratios(samples, unit, "rate"), ratios(samples, unit, "cpu_us")
    mark = verdict(rates, cpu) if judged else ""
    return [f"{workload}, {server}{mark}", f"{median(samples, 'rate'):.0f}",
            f"{statistics.median(rates):.2f}", f"{min(rates):.2f}..{max(rates):.2f}",
            f"{median(samples, 'user_us'):.2f} + {median(samples, 'system_us'):.2f}",
            f"{statistics.median(cpu):.2f}", f"{100 * median(samples, 'others'):.0f}",
            f"{100 * median(samples, 'stolen'):.0f}", sum(len(each.errors) for each in samples)]


HEADER = ["workload, server", "requests/s", "ratio", "min..max", "CPU us", "ratio", "others %",
          "stolen %", "errors"]
LEGEND = ("CPU us: CPU time a request, in the program + in the kernel. ratio: to the first server "
          "of the workload, in the same round.\n\n")


def can(server, workload):
    if workload.secure and not server.secure_port:
        return False
    return workload.path != "/echo" or server.echoes


def started(options, cpus, until):
    """The first is what others are compared with."""
    if options.reference:
        servers = [process.bulkhead(build, 1, cpus, secure=True, name=name) for name, build in
                   (("reference", options.reference), ("bulkhead", options.build))]
        return [until.enter_context(server) for server in servers]
    servers = [process.bare_loop(options.build, cpus),
               process.worker_server(options.build, 1, cpus),
               process.bulkhead(options.build, 1, cpus, secure=True),
               *peers.installed(options.build, cpus)]
    return [until.enter_context(server) for server in servers]


def measure_workload(name, servers, options, cpu, say):
    """{server: samples}, each server once in each round."""
    workload, samples = WORKLOADS[name], {server: [] for server in servers}
    with contextlib.ExitStack() as until:
        for server in servers:
            until.enter_context(idle_neighbours(server, workload))
            run_wrk(server, workload, WARM_UP_S, cpu)
        for number in range(options.rounds):
            say(f"{name}: round {number + 1} of {options.rounds}")
            for server, of_server in samples.items():
                of_server.append(measure(server, workload, options.seconds, cpu))
    return samples


def run(options, say):
    """(title, text, errors)"""
    server_cpu, client_cpu = machine.two_cpus()
    rows, errors = [], []
    with contextlib.ExitStack() as until:
        servers = started(options, {server_cpu}, until)
        check_answers(servers)
        for name in options.workloads or WORKLOADS:
            able = [server for server in servers if can(server, WORKLOADS[name])]
            samples = measure_workload(name, able, options, client_cpu, say)
            for server, of_server in samples.items():
                rows.append(row(name, server.name, of_server, samples[able[0]],
                                options.reference is not None))
                options.samples += [{"workload": name, "server": server.name, "round": number,
                                     "rate": each.rate, "cpu_us": each.cpu_us,
                                     **dataclasses.asdict(each)}
                                    for number, each in enumerate(of_server)]
                errors += [f"{name}, {server.name}: {error}"
                           for each in of_server for error in each.errors]
    return "Throughput", LEGEND + table(HEADER, rows), errors
