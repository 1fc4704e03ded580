"""Benchmarks that are programs of their own and print their own tables."""
import subprocess


def printed(title, program):
    """A section: what the program prints."""
    def run(options, say):
        say(program)
        done = subprocess.run([str(options.build / "bench" / program)], capture_output=True,
                              text=True, check=True)
        return title, done.stdout.strip(), []
    return run
