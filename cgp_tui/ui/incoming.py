"""Whatever a terminal sends, decoded as text.

The stock driver decodes strictly and takes the app down with the first byte that is not UTF-8: a paste in another encoding,
or a mouse report in the oldest form, to which some terminals fall back when they are reset, and which uses raw bytes for
coordinates beyond column 95.
"""

from __future__ import annotations

import codecs
import re
from typing import Final

_ESCAPE: Final = 0x1B
_OLD_MOUSE: Final = rb"\x1b\[M[\x20-\xff]{3}"
"""X10: a button, a column and a row, each as one byte with 32 added."""

_BEGUN: Final = rb"\x1b\[M[\x20-\xff]{0,2}\Z"


class Incoming:
    """`strange` counts what is not text: bytes replaced by U+FFFD, and old mouse reports, which are left out. Those must not
    reach the parser, which misreads them and would take the rest for keys."""

    def __init__(self) -> None:
        self.strange = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._kept = b""

    def text(self, data: bytes) -> str:
        """The text of the next bytes; an incomplete sequence waits for its rest."""
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
