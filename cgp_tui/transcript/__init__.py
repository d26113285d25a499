"""The file: what exactly is kept of a recording, and how is it read back while it still grows?

Laws:
- Append-only: a header, then one record a line, wire lines numbered from 1 without gaps; a gap is a loss.
- Every byte of a wire line comes back as it was: embedded where it is one JSON object, else as text, else as base64. Both
  directions are recorded before they are acted on (`Writer`). Where the header says `digests`, a line of our own stands for
  each message that may hold payload (`digests`).
- Reading never trusts the file: it may be cut, replaced, foreign or damaged. Each damaged line is a record of its own.
- A packed file (gzip, zstd) is unpacked as it is looked at, within bounds; damage does not cost the whole lines before it.
- Of a record only its start is kept in memory. No memory map: another process may truncate the file at any time.

Modules: `record` (the format), `writer`, `digests` (a recording without payload); `reader`, `index`, `row`, `sender`,
`excerpt`, `formats`, `opened`, `packed` (gzip, zstd); `recent` (a folder of recordings).

Called by host, cli and ui (`writer`, `digests`), and by analysis, consent, report, present, ui and cli (`reader`). It
imports `wire`, `protocol`, and `text` for names in its refusals.
"""

from cgp_tui.transcript.reader import Transcript
from cgp_tui.transcript.writer import Writer

__all__ = ["Transcript", "Writer"]
