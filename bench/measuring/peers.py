"""Other servers, of those that are installed, with a configuration that does as little as ours."""
import pathlib
import shutil
import socket
import tempfile
import time

from measuring import process

# master_process off: one process, whose CPU time is the server's.
NGINX = """daemon off;
master_process off;
worker_processes 1;
worker_rlimit_nofile 20000;
pid {folder}/pid;
error_log stderr;
events {{ worker_connections 10000; }}
http {{
  access_log off;
  keepalive_requests 1000000000;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  ssl_certificate {certificate};
  ssl_certificate_key {key};
  server {{
    listen 127.0.0.1:{port} deferred;
    listen 127.0.0.1:{secure_port} ssl;
    default_type text/plain;
    root {folder};
    location = /small {{ return 200 "Hello, world!"; }}
    location = /big {{ }}
  }}
}}
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Nginx(process.Server):
    """Answers no POST: that takes a module."""

    def __init__(self, build, cpus):
        self._folder = tempfile.TemporaryDirectory()
        self._ports = free_port(), free_port()
        folder = pathlib.Path(self._folder.name)
        shown, key = process.certificate(build)
        (folder / "big").write_bytes(b"x" * 16384)
        (folder / "nginx.conf").write_text(NGINX.format(
            folder=folder, certificate=shown.resolve(), key=key.resolve(), port=self._ports[0],
            secure_port=self._ports[1]))
        super().__init__("nginx", ["nginx", "-e", "stderr", "-c", str(folder / "nginx.conf")], cpus, True)
        self.is_ours, self.echoes = False, False

    def _await_ports(self):
        deadline = time.monotonic() + process.READY_S
        while time.monotonic() < deadline and self._process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self._ports[1]), 1).close()
                return self._ports
            except OSError:
                time.sleep(0.05)
        return self._fail()

    def __exit__(self, *what):
        super().__exit__(*what)
        self._folder.cleanup()


def installed(build, cpus):
    return [Nginx(build, cpus)] if shutil.which("nginx") else []
