"""The configured key provider."""

from proxy.config import Config
from proxy.keys.file import FileKek
from proxy.keys.kek import Kek


def open_kek(config: Config) -> Kek:
    """The provider that the section ``keys`` names."""
    keys = config.keys
    match keys.provider:
        case "file":
            return FileKek(keys.file or config.state_dir / "keys" / "kek.json")
