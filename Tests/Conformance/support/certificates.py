"""Certificates made with openssl: a root, an intermediate, and what it signs."""

import ssl
import subprocess
from dataclasses import dataclass
from pathlib import Path

# Kinds of keys, as arguments of `openssl genpkey`.
EC = ("EC", "-pkeyopt", "ec_paramgen_curve:P-256")
RSA = ("RSA", "-pkeyopt", "rsa_keygen_bits:2048")
NAMES = "subjectAltName=DNS:localhost,IP:127.0.0.1"
AUTHORITY = "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign"


def openssl(*arguments):
    result = subprocess.run(["openssl", *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert result.returncode == 0, (arguments, result.stderr)
    return result.stdout


@dataclass(frozen=True)
class Certificate:
    """The files of a certificate with its chain, and of its key."""

    chain: Path
    key: Path

    @property
    def settings(self):
        return {"LCFILE_TLS_CERTIFICATE": str(self.chain), "LCFILE_TLS_KEY": str(self.key)}

    @property
    def der(self):
        """The first certificate, as `getpeercert` has it."""
        end = "-----END CERTIFICATE-----\n"
        return ssl.PEM_cert_to_DER_cert(self.chain.read_text().partition(end)[0] + end)

    def copied(self, folder):
        """The same in files of a test's own, which it can change."""
        copy = Certificate(Path(folder) / "certificate.pem", Path(folder) / "key.pem")
        copy.become(self)
        return copy

    def become(self, other):
        """Gives both files the content of another certificate's, as a renewal does."""
        self.chain.write_bytes(other.chain.read_bytes())
        self.key.write_bytes(other.key.read_bytes())


class Authority:
    """A root, which clients trust, and an intermediate, which signs all other certificates."""

    def __init__(self, folder):
        self.folder = folder
        self.root, self.intermediate = folder / "root.pem", folder / "intermediate.pem"
        self._sign("root", self._key("root", EC), None, AUTHORITY, 30)
        self._sign("intermediate", self._key("intermediate", EC), "root", AUTHORITY, 30)
        self.context = self.client()

    def issue(self, name, kind=EC, days=30):
        """A certificate for localhost that ends in so many days, with the intermediate behind it."""
        key = self._key(name, kind)
        self._sign(name, key, "intermediate", NAMES, days)
        chain = self.folder / f"{name}.chain.pem"
        chain.write_text((self.folder / f"{name}.pem").read_text() + self.intermediate.read_text())
        return Certificate(chain, key)

    def client(self):
        """The context of a client that trusts only the root; for tests that change it."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.load_verify_locations(self.root)
        return context

    def _key(self, name, kind):
        key = self.folder / f"{name}.key"
        openssl("genpkey", "-algorithm", *kind, "-out", key)
        return key

    def _sign(self, name, key, issuer, extensions, days):
        request, file = self.folder / f"{name}.csr", self.folder / f"{name}.ext"
        file.write_text(extensions)
        openssl("req", "-new", "-key", key, "-subj", f"/CN={name}", "-out", request)
        by = ["-signkey", key]
        if issuer:
            by = ["-CA", self.folder / f"{issuer}.pem", "-CAkey", self.folder / f"{issuer}.key"]
        result = self.folder / f"{name}.pem"
        openssl("x509", "-req", "-in", request, *by, "-days", days, "-extfile", file, "-out", result)
