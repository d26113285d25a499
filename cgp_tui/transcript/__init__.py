"""The file: what exactly is kept of a recording, and how is it read back while it still grows?

Laws:
- Append-only: a header, then one record a line, wire lines numbered from 1 without gaps; a gap is a loss.
- Every byte of a wire line comes back as it was, whatever it is: embedded where it is one JSON object, else as text, else
  as base64. Both directions are recorded before they are acted on (`Writer`).
- Reading never trusts the file: it may be cut, replaced, foreign or damaged. Each damaged line is a record of its own.
- What is packed (gzip, zstd) is unpacked as it is looked at, within bounds; what ends it early costs no whole line before.
- Nothing is kept of a record but where it starts. No memory map: another process may cut the file at any time.

Called by host and cli (`writer`), by analysis, consent, report, present, ui and cli (`reader`); it calls `wire`,
`protocol`, and `text` for names in what it refuses.
"""

from cgp_tui.transcript.reader import Transcript
from cgp_tui.transcript.writer import Writer

__all__ = ["Transcript", "Writer"]
