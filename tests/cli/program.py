"""The program under test, and a file of settings for it. `run` says which program it is."""
import contextlib
import pathlib
import subprocess
import tempfile

PATH = None


def run(*arguments, **options):
    return subprocess.run([PATH, *arguments], capture_output=True, text=True, timeout=30,
                          check=False, **options)


@contextlib.contextmanager
def settings_file(content):
    """A file with this content, text or bytes; gives its path."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "bulkhead.toml"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        yield str(path)
