"""A run in bench/results/DATE-NAME/: everything that was measured, a summary, a plot."""
import html
import json
import statistics
import time

BAR, GAP, LEFT, WIDTH = 14, 10, 190, 460


def medians(samples, what):
    """{workload: {server: median}}, in the order in which they were measured."""
    found = {}
    for each in samples:
        found.setdefault(each["workload"], {}).setdefault(each["server"], []).append(each[what])
    return {workload: {server: statistics.median(values) for server, values in servers.items()}
            for workload, servers in found.items()}


def plot(samples):
    """CPU time a request as bars, each workload to the scale of its own longest."""
    parts, y = [], 30
    for workload, servers in medians(samples, "cpu_us").items():
        longest = max(servers.values()) or 1
        for server, cpu_us in servers.items():
            width = WIDTH * cpu_us / longest
            parts.append(
                f'<text x="{LEFT - 6}" y="{y + 11}" text-anchor="end">{html.escape(workload)}, '
                f'{html.escape(server)}</text><rect x="{LEFT}" y="{y}" width="{width:.1f}" '
                f'height="{BAR - 2}" fill="{"#c33" if server == "bulkhead" else "#888"}"/>'
                f'<text x="{LEFT + width + 4:.1f}" y="{y + 11}">{cpu_us:.2f}</text>')
            y += BAR
        y += GAP
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 60}" height="{y + 10}" '
            'font-family="sans-serif" font-size="11"><rect width="100%" height="100%" fill="white"/>'
            '<text x="6" y="18" font-size="13">CPU time a request, microseconds; medians</text>'
            + "".join(parts) + "</svg>\n")


def save(results, name, facts, sections, samples, failed):
    folder = results / f"{time.strftime('%Y-%m-%d', time.gmtime())}-{name}"
    folder.mkdir(parents=True, exist_ok=True)
    whole = {"facts": dict(facts), "failed": failed, "samples": samples}
    (folder / "samples.json").write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")
    head = "\n".join(f"- {what}: {value}" for what, value in facts)
    (folder / "README.md").write_text(f"# {name}\n\n{head}\n\n" + "\n".join(sections),
                                      encoding="utf-8")
    if samples:
        (folder / "cpu.svg").write_text(plot(samples), encoding="utf-8")
    return folder
