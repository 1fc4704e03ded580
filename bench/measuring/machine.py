"""The machine: what it is, and what else it does while we measure."""
import os
import pathlib
import platform
import re
import subprocess
import time

TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")


class TooFewCpus(Exception):
    pass


def two_cpus():
    """One CPU for the server and one for the client, so that neither takes the other's time."""
    allowed = sorted(os.sched_getaffinity(0))
    if len(allowed) < 2:
        raise TooFewCpus("server and client need a CPU each, and only one may be used")
    return allowed[0], allowed[1]


class CpuWatch:
    """Seconds of CPU time that all programs used, and that the hypervisor took, since it began."""

    def __init__(self):
        self._began = self._read()
        self._clock = time.monotonic()

    @staticmethod
    def _read():
        with open("/proc/stat", encoding="ascii") as file:
            user, nice, system, _idle, _wait, irq, softirq, stolen = map(
                int, file.readline().split()[1:9])
        return (user + nice + system + irq + softirq) / TICKS_A_SECOND, stolen / TICKS_A_SECOND

    def shares(self, own_s):
        """What others used and what was stolen, as shares of all CPUs' time."""
        busy, stolen = (now - then for now, then in zip(self._read(), self._began))
        whole = (time.monotonic() - self._clock) * os.cpu_count()
        return max(0.0, busy - own_s) / whole, stolen / whole


def describe(root):
    """(what, value) lines for the head of a saved result."""
    return [
        ("date", time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())),
        ("commit", _first_line("git", "-C", root, "describe", "--always", "--dirty")),
        ("compiler", _first_line(os.environ.get("CXX", "c++"), "--version")),
        ("kernel", f"{platform.system()} {platform.release()}"),
        ("CPU", f"{_cpu_model()}, {os.cpu_count()} of them"),
    ]


def flags(build):
    """What the server was compiled with, from the build itself."""
    text = (build / "CMakeCache.txt").read_text(encoding="utf-8")
    names = ("CMAKE_BUILD_TYPE", "CMAKE_INTERPROCEDURAL_OPTIMIZATION", "CMAKE_CXX_FLAGS",
             "CMAKE_CXX_COMPILER")
    found = [re.search(rf"^{name}:\w+=(.*)$", text, re.MULTILINE) for name in names]
    return " ".join(f"{name}={match.group(1)}" for name, match in zip(names, found) if match)


def load_average():
    return " ".join(f"{load:.2f}" for load in os.getloadavg())


def _cpu_model():
    text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    found = re.search(r"model name\s*: (.*)", text)
    return found.group(1) if found else platform.machine()


def _first_line(*command):
    try:
        run = subprocess.run(command, capture_output=True, text=True, check=True)
        return run.stdout.splitlines()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return "unknown"
