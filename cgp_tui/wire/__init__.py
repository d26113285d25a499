"""How do bytes become values, and values bytes? One parser for live traffic and files.

Laws:
- A line is the bytes between two LF; nothing else splits (SPEC 2), and every byte is kept.
- Strict UTF-8, bounded depth, no duplicate known member, finite numbers: a line that breaks one of these has a `Fault`, and
  its raw bytes are kept. One bad frame never costs its siblings (F-rows are checks, not decode errors).
- A long line decodes to the same value as in one piece, but is read in `portions`, so that no step of it keeps another
  thread waiting.
- `peek` feeds only what is drawn; whatever pairs, judges or acts takes `decode`.

Modules:
- The values: `line`, `note`. In and out: `framer`, `decode`, `peek`, `encode`.
- What `decode` is made of: `proof` and `skeleton` (nothing is doubled), `ranges`, `salvage` (a faulty line taken apart),
  `words` (what belongs there), `walk`, `surrogates`, `complaint` (why text is not JSON), `memo` and `shell` (frames read
  before).
- Long lines: `portions`, `long`, `small` (members in great numbers), `forms`, `cut`, `slices`, `skim`, `spent`.

At the front door `decode`, `encode` and `peek` are the functions, not the modules that they are in.

No clock, no file, no event loop. Every room above may call it; it imports `protocol`, `limits` and `errors`.
"""

from typing import TYPE_CHECKING

from cgp_tui.doors import door

if TYPE_CHECKING:
    from cgp_tui.wire.decode import decode
    from cgp_tui.wire.encode import encode
    from cgp_tui.wire.framer import Framer
    from cgp_tui.wire.line import Fault, Line
    from cgp_tui.wire.note import Note
    from cgp_tui.wire.peek import peek
else:
    __getattr__ = door(
        __name__,
        Fault="line",
        Framer="framer",
        Line="line",
        Note="note",
        decode="decode",
        encode="encode",
        peek="peek",
    )

__all__ = ["Fault", "Framer", "Line", "Note", "decode", "encode", "peek"]
