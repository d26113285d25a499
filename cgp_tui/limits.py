"""Every bound in one place, a sentence each. Sizes are bytes, times are seconds, unless the name says otherwise."""

from __future__ import annotations

from typing import Final

LINE_BYTES: Final = 16 * 1024 * 1024
"""A wire line longer than this, without its newline, poisons the stream."""

JSON_DEPTH: Final = 64
"""More nested arrays and objects than this in one line are refused before they are parsed."""

HANDSHAKE_SECONDS: Final = 10.0
"""How long a provider may take to answer `handshake`."""

EXCHANGE_SECONDS: Final = 30.0
"""How long one query or verify may take, from its first written byte to its whole reply."""

WRITE_SECONDS: Final = 30.0
"""How long one message may take to be written; a provider that does not read is stalled."""

SHUTDOWN_SECONDS: Final = 2.0
"""The grace after `shutdown` before the process tree is killed."""

EXIT_DRAIN_SECONDS: Final = 0.5
"""How long we go on reading after the child has exited while somebody else holds its pipe."""

STDERR_KEPT_BYTES: Final = 64 * 1024
"""How much of the end of a provider's stderr is kept in memory."""

STDERR_NOTED_BYTES: Final = 1024 * 1024
"""How much of a provider's stderr goes into one transcript."""

UNSOLICITED_BYTES: Final = 64 * 1024 * 1024
"""Bytes in lines that nobody asked for before the connection is cut as a flood."""

UNSOLICITED_LINES: Final = 1000
"""Lines that nobody asked for before the connection is cut as a flood."""

TRANSCRIPT_BYTES: Final = 2 * 1024 * 1024 * 1024
"""A recording stops growing here and counts what it drops."""

FINDINGS_HELD: Final = 10_000
"""Findings that a pass over a whole transcript holds back, so that they come in the order of its lines."""

UNPACKED_BYTES: Final = 1024 * 1024 * 1024
"""A packed transcript that grows beyond this is not opened unasked."""

UNPACK_RATIO: Final = 200
"""A packed transcript that grows by more than this factor is not opened unasked."""

PAYLOAD_WRITE_BYTES: Final = 64 * 1024
"""The most that leaves under one answer of the gate."""

SHOWN_CHARS: Final = 4096
"""Characters of one foreign string that are shown before it is cut with a count."""

MARKS_PER_BASE: Final = 4
"""Combining marks shown on one base character."""

SLOW_JSON_BYTES: Final = 1024 * 1024
"""The most of a doubtful line that is built in memory, or read byte by byte, to tell what is wrong with it."""

OBJECT_MEMBERS: Final = 250_000
"""A doubtful object with more members than this is taken to double the ones it has shown."""

BAD_PARTS: Final = 1000
"""After so many faulty frames, entries or verdicts in one line the rest is not looked at."""

FINDINGS_ALIKE: Final = 1000
"""So many findings of one requirement are told of one line; one more says how many others there are."""

FINDINGS_KEPT: Final = 20_000
"""Findings that a screen holds in memory; those beyond are counted, and judged again where they are looked at."""

REMEMBERED: Final = 4096
"""How many URIs, frame ids, keys and unread answers a session remembers, and how many of one line it looks at."""

REMEMBERED_BYTES: Final = 8 * 1024 * 1024
"""How much of the answers of one connection is put aside until somebody asks what was served."""

REMEMBERED_CHARS: Final = 4096
"""A URI, an id or a key longer than this is not remembered."""

FRAMES_KEPT: Final = 16_384
"""Frames that a pass over a transcript keeps decoded, in each of two generations: one that is served again is not read
again."""

FRAMES_KEPT_BYTES: Final = 12 * 1024 * 1024
"""How much text of such frames a generation holds."""

FRAMES_SHOWN_BYTES: Final = 512 * 1024
"""The same behind a screen, whose memory must stay small: decoded, a frame takes three times its text."""

SHELL_AT_ONCE_BYTES: Final = 1024 * 1024
"""How long a line may be that is read in one go; a longer one is read in portions."""

FRAMES_AT_ONCE_BYTES: Final = 256 * 1024
"""How much text of frames is decoded in one go."""

LOOK_SECONDS: Final = 0.25
"""How often the gate is asked about a message that is under way, so that a withdrawal by another process ends it."""

TRUST_BYTES: Final = 1024 * 1024
"""A trust store larger than this is none of ours."""

KEY_TARGETS: Final = 1024
"""Providers whose keys are remembered between runs; the one not met longest is forgotten first."""

KEYS_KEPT: Final = 64
"""Keys that are remembered of one provider; those beyond are not, so that none can push out an earlier one."""

KEY_ID_CHARS: Final = 256
"""A key id longer than this is not remembered between runs."""

REREAD_BYTES: Final = 64 * 1024 * 1024
"""A file larger than this is not read again to compare it with provenance."""

REREAD_TOTAL_BYTES: Final = 4 * 1024 * 1024 * 1024
"""What one run reads of the person's files to compare them with provenance, all together."""

REREAD_KEPT_BYTES: Final = 64 * 1024 * 1024
"""How much of the files that were read again is kept for further ranges of them."""

HISTORY_FRAMES: Final = 50_000
"""Frame identities whose earlier sightings are remembered; the one not met longest is forgotten first."""

BUNDLE_BYTES: Final = 128 * 1024 * 1024
"""A larger file is not read as an evidence bundle: it holds a line of the wire and, in hex, what is hashed of it."""

RESTARTS: Final = 3
"""How often in a row a provider is started again unasked, without having answered anything in between."""

PROVIDERS_BYTES: Final = 256 * 1024
"""A providers file or a policy larger than this is not read."""

LEDGER_UNCOVERED_BYTES: Final = 64 * 1024 * 1024
"""How much of a ledger is read beyond what its head covers; a file with more behind it is damaged."""

STORE_BYTES: Final = 16 * 1024 * 1024
"""A consent store of another program larger than this is not read."""

KEY_BYTES: Final = 64 * 1024
"""A file larger than this is not looked at for a private key."""

PROVIDERS_SECONDS: Final = 3600.0
"""The longest time limit that a providers file may give a provider."""
