"""Certificates for tests, made by `openssl` in a folder that goes when the process ends."""
import functools
import pathlib
import shutil
import subprocess
import tempfile
import typing

P256 = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
# Without it the system's own settings would add extensions.
NO_SETTINGS = "[req]\ndistinguished_name = none\n[none]\n"


class Pair(typing.NamedTuple):
    certificate: str
    key: str

    def copied_to(self, folder):
        """Files of its own, for a test that changes them."""
        return Pair(*(shutil.copy(file, folder) for file in self))

    def der(self):
        return openssl("x509", "-in", self.certificate, "-outform", "DER")


def openssl(*arguments):
    return subprocess.run(["openssl", *arguments], capture_output=True, timeout=60,
                          check=True).stdout


@functools.cache
def _owner():
    return tempfile.TemporaryDirectory()


def folder():
    return pathlib.Path(_owner().name)


@functools.cache
def _settings():
    path = folder() / "settings"
    path.write_text(NO_SETTINGS)
    return str(path)


def _files(stem):
    return Pair(str(folder() / f"{stem}.pem"), str(folder() / f"{stem}.key"))


@functools.cache
def authority(stem="authority", issuer=None):
    """One that may sign others; by itself unless `issuer` signs it."""
    return _made(stem, issuer, ("basicConstraints=critical,CA:TRUE",
                                "keyUsage=critical,keyCertSign"))


@functools.cache
def host(stem, *names):
    """A server's: signed by an authority that chain_root() has signed and that its file holds
    too, as certificates from public authorities are."""
    middle = authority("middle", chain_root())
    made = _made(stem, middle, ("subjectAltName=" + ",".join(f"DNS:{name}" for name in names),))
    with open(made.certificate, "ab") as file:
        file.write(pathlib.Path(middle.certificate).read_bytes())
    return made


def chain_root():
    """Whom clients trust."""
    return authority("root")


@functools.cache
def client(stem, issuer):
    return _made(stem, issuer, ("extendedKeyUsage=clientAuth",))


@functools.cache
def expired():
    made = _files("expired")
    request = str(folder() / "expired.csr")
    openssl("req", "-new", *P256, "-config", _settings(), "-keyout", made.key, "-out", request,
            "-subj", "/CN=expired.test")
    openssl("x509", "-req", "-in", request, "-days", "-1", "-out", made.certificate,
            "-CA", chain_root().certificate, "-CAkey", chain_root().key, "-CAcreateserial")
    return made


@functools.cache
def encrypted(pair, password):
    """The same certificate with its key behind a password."""
    key = pair.key + ".encrypted"
    openssl("pkcs8", "-topk8", "-v2", "aes-256-cbc", "-in", pair.key, "-out", key,
            "-passout", f"pass:{password}")
    return Pair(pair.certificate, key)


def _made(stem, issuer, extensions):
    made = _files(stem)
    by = ["-CA", issuer.certificate, "-CAkey", issuer.key] if issuer else []
    added = [word for one in extensions for word in ("-addext", one)]
    openssl("req", "-x509", *P256, "-config", _settings(), *by, *added, "-days", "2",
            "-subj", f"/CN={stem}", "-keyout", made.key, "-out", made.certificate)
    return made
