"""A certificate authority for tests: real certificates, on disk, for real TLS."""

import ipaddress
import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from proxy.clock import SystemClock

_DAY = timedelta(days=1)


@dataclass(frozen=True)
class Pair:
    """A certificate and its key as PEM files."""

    certificate: Path
    key: Path

    def server_context(self) -> ssl.SSLContext:
        """For a server that shows it."""
        made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        made.load_cert_chain(self.certificate, self.key)
        return made


@dataclass(frozen=True)
class Authority:
    """Signs certificates."""

    folder: Path
    pair: Pair
    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey

    def issue(
        self, name: str, *, alternatives: Sequence[x509.GeneralName] = (), common: str = ""
    ) -> Pair:
        """A certificate for a server on 127.0.0.1, or with other names for a client."""
        local = [x509.IPAddress(ipaddress.ip_address("127.0.0.1")), x509.DNSName("localhost")]
        key = ec.generate_private_key(ec.SECP256R1())
        builder = (
            _builder(common or name, self.certificate.subject, key)
            .add_extension(x509.SubjectAlternativeName(alternatives or local), critical=False)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        )
        return _written(self.folder, name, builder.sign(self.key, hashes.SHA256()), key)

    def client_context(self, shown: Pair | None = None) -> ssl.SSLContext:
        """For a client that trusts this authority alone, and may show a certificate."""
        made = ssl.create_default_context(cafile=str(self.pair.certificate))
        if shown is not None:
            made.load_cert_chain(shown.certificate, shown.key)
        return made


def authority(folder: Path, name: str = "test-ca") -> Authority:
    """A new authority with its files in ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    usage = x509.KeyUsage(
        digital_signature=True, key_cert_sign=True, crl_sign=True, content_commitment=False,
        key_encipherment=False, data_encipherment=False, key_agreement=False,
        encipher_only=False, decipher_only=False,
    )  # fmt: skip
    builder = (
        _builder(name, subject, key)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(usage, critical=True)
    )
    signed = builder.sign(key, hashes.SHA256())
    return Authority(folder, _written(folder, name, signed, key), signed, key)


def _builder(
    common: str, issuer: x509.Name, key: ec.EllipticCurvePrivateKey
) -> x509.CertificateBuilder:
    now = SystemClock().now()
    return (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common)]))
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _DAY)
        .not_valid_after(now + _DAY)
    )


def _written(
    folder: Path, name: str, certificate: x509.Certificate, key: ec.EllipticCurvePrivateKey
) -> Pair:
    pair = Pair(folder / f"{name}.pem", folder / f"{name}.key")
    pair.certificate.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    pair.key.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return pair
