"""What neither parser tells of: chunks that say more than their size, spaces in a request line.

A chunk extension (RFC 9112 §7.1.1) carries words past everybody who only reads bodies, and two
readers could end its line at different places. A request line has two spaces (§3): where there are
more, two readers could take another part of it for the target.
"""

import re

_LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*([0-9]{1,18})[ \t]*\r\n")
_SIZE = re.compile(rb"[0-9A-Fa-f]{1,16}")
_END = b"\r\n\r\n"
_SPACES = 2  # in a request line
LONGEST = 64 * 1024  # bytes of a head, and of a line that is kept


class Chunks:
    """Follows the framing of one connection beside its parser, which refuses what is malformed."""

    __slots__ = ("_in_line", "_kept", "_skip", "over")

    def __init__(self) -> None:
        self._kept = b""  # of a head or a line that is not complete
        self._in_line = ""  # what a line would be: of a chunk's size, or a trailer
        self._skip = 0  # bytes of a body, or of a chunk and its line's end
        self.over = False  # the offence is a head of more bytes than it may have

    @property
    def between(self) -> bool:
        """Whether all messages that began are complete."""
        return not (self._skip or self._in_line or self._kept)

    def offence(self, data: bytes) -> int:
        """Where a head or a chunk's line begins that is not as it should be; -1 if all are.

        Of a head that is too long it is where that is certain: its parser may see why before.
        """
        at, kept = 0, len(self._kept)
        data, self._kept = self._kept + data, b""
        while at < len(data):
            if self._skip:
                step = min(self._skip, len(data) - at)
                self._skip -= step
                at += step
            elif self._in_line:
                end = data.find(b"\r\n", at)
                line = data[at:].removesuffix(b"\r") if end < 0 else data[at:end]
                if self._in_line == "size" and not _SIZE.fullmatch(line or b"0"):
                    return max(0, at - kept)
                if end < 0:
                    self._kept = data[at:][-LONGEST:]
                    return -1
                self._after(line)
                at = end + 2
            else:
                start, at = at, self._head(data, at)
                if at < 0:
                    return max(0, start + LONGEST * self.over - kept)
        return -1

    def _after(self, line: bytes) -> None:
        """What comes after a line of a body in chunks."""
        if self._in_line == "trailer":
            self._in_line = "trailer" if line else ""
        elif size := int(line or b"0", 16):
            self._skip = size + 2
        else:
            self._in_line = "trailer"

    def _head(self, data: bytes, at: int) -> int:
        """Read the head that begins here; where it ends, or -1 if it is malformed or too long."""
        while data[at : at + 1] in (b"\r", b"\n"):  # before a request line
            at += 1
        end = data.find(_END, at)
        self.over = (end if end >= 0 else len(data)) - at > LONGEST
        if self.over:
            return -1
        if end < 0:
            self._kept = data[at:]
            return len(data)
        if data.count(b" ", at, data.find(b"\r\n", at)) != _SPACES:
            return -1
        head = data[at : end + 2].lower()
        if b"\r\ntransfer-encoding:" in head:
            self._in_line = "size"
        elif found := _LENGTH.search(head):
            self._skip = int(found[1])
        return end + 4
