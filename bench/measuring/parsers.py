"""The protocol without sockets: Google Benchmark's medians, beside memchr or memcpy."""
import json
import subprocess

from measuring.table import table

REPETITIONS = 5
UNITS = ("memchr", "memcpy")  # over the same octets: below them nothing gets


def medians_ns(build):
    command = [str(build / "bench" / "parser_bench"), "--benchmark_format=json",
               f"--benchmark_repetitions={REPETITIONS}", "--benchmark_min_time=0.1",
               "--benchmark_enable_random_interleaving=true"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    runs = sorted(json.loads(done.stdout)["benchmarks"], key=lambda run: run["family_index"])
    failed = [f"{run['run_name']}: {run['error_message']}" for run in runs
              if run.get("error_occurred")]
    medians = {run["run_name"]: run["cpu_time"] for run in runs
               if run.get("aggregate_name") == "median"}
    return medians, failed


def run(options, say):
    """(title, text, errors)"""
    say("parsers")
    medians, failed = medians_ns(options.build)
    rows = []
    for name, ns in medians.items():
        octets, _, how = name.partition("/")
        if how in UNITS:
            continue
        unit = next((medians[f"{octets}/{of}"] for of in UNITS if f"{octets}/{of}" in medians), None)
        rows.append([name, f"{ns:.0f}", *([f"{unit:.0f}", f"{ns / unit:.1f}"] if unit else "--")])
    return "Parsers", table(["what", "ns", "unit ns", "x unit"], rows), failed
