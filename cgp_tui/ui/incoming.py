"""What a terminal sends, as text, whatever it sends.

The stock driver decodes strictly and takes the app down with the first byte that is no UTF-8: a paste in another encoding,
or a mouse report in the oldest form, which some terminals fall back to when they are reset and which has raw bytes for
coordinates beyond column 95.
"""

from __future__ import annotations

import codecs
import re
from typing import Final

_ESCAPE: Final = 0x1B
_OLD_MOUSE: Final = rb"\x1b\[M[\x20-\xff]{3}"
"""X10: a button, a column and a row, each one byte and 32 more than it says."""

_BEGUN: Final = rb"\x1b\[M[\x20-\xff]{0,2}\Z"


class Incoming:
    """`strange` counts what was no text of ours: bytes replaced by U+FFFD, and old mouse reports, which are left out. They
    must not reach the parser: what follows one that it misreads would be taken for keys."""

    def __init__(self) -> None:
        self.strange = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._kept = b""

    def text(self, data: bytes) -> str:
        """The text of the next bytes; what has only begun waits for its rest."""
        data = self._kept + data
        self._kept, mice = b"", 0
        if _ESCAPE in data:
            begun = re.search(_BEGUN, data)
            end = len(data) if begun is None else begun.start()
            data, self._kept = data[:end], data[end:]
            data, mice = re.subn(_OLD_MOUSE, b"", data)
        text = self._decoder.decode(data)
        self.strange += mice + text.count("\ufffd")
        return text
