"""The bounds against what peers, files and other programs may do to us, and those that several modules keep, each with a
sentence. How much a module reads at once, or one store keeps, stands in that module.

Sizes are in bytes and times in seconds unless the name says otherwise.
"""

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
"""How long we go on reading after the child has exited while another process still holds its pipe."""

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
"""How many findings a pass over a whole transcript holds back to hand them on in the order of its lines."""

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

LOOKALIKE_BYTES: Final = 64 * 1024
"""The longest line whose unknown members are looked through for slips of the pen."""

OBJECT_MEMBERS: Final = 250_000
"""In a doubtful object with more members than this, those seen so far count as doubled."""

BAD_PARTS: Final = 1000
"""After this many faulty frames, entries or verdicts in one line the rest is not looked at."""

FINDINGS_ALIKE: Final = 1000
"""The most findings of one requirement listed for one line; one more says how many others there are."""

FINDINGS_KEPT: Final = 20_000
"""How many findings a screen holds in memory; further ones are counted, and judged again when they are looked at."""

REMEMBERED: Final = 4096
"""How many URIs, frame ids, keys and unread answers a session remembers, and how many it looks at in one line."""

REMEMBERED_BYTES: Final = 8 * 1024 * 1024
"""How many bytes of one connection's answers are put aside until somebody asks what was served."""

REMEMBERED_CHARS: Final = 4096
"""A URI, an id or a key longer than this is not remembered."""

FRAMES_KEPT: Final = 16_384
"""How many decoded frames a pass over a transcript keeps, in each of two generations, so that one served again is not
decoded again."""

FRAMES_KEPT_BYTES: Final = 12 * 1024 * 1024
"""How many bytes of text the frames of a generation may have."""

FRAMES_SHOWN_BYTES: Final = 512 * 1024
"""The same for a screen, whose memory must stay small: a decoded frame takes three times its text."""

SHELL_AT_ONCE_BYTES: Final = 1024 * 1024
"""The longest line that is read in one go; a longer one is read in portions."""

FRAMES_AT_ONCE_BYTES: Final = 256 * 1024
"""How many bytes of frames are decoded in one go."""

LOOK_SECONDS: Final = 0.25
"""How often the gate is asked about a message under way, so that a withdrawal by another process ends it."""

TRUST_BYTES: Final = 1024 * 1024
"""A trust store larger than this cannot be ours."""

KEY_TARGETS: Final = 1024
"""How many providers' keys are remembered between runs; the one met least recently is forgotten first."""

KEYS_KEPT: Final = 64
"""How many keys of one provider are remembered; further ones are not, so that none can push out an earlier one."""

KEY_ID_CHARS: Final = 256
"""A key id longer than this is not remembered between runs."""

PROVIDER_NAME_CHARS: Final = 256
"""A provider that declares a longer name cannot be consented to, and is remembered by one character more than this."""

PROVIDER_VERSION_CHARS: Final = 128
"""The same for the version it declares."""

FILTER_CHARS: Final = 2000
"""A longer filter is not used, and so not kept either."""

REREAD_BYTES: Final = 64 * 1024 * 1024
"""A file larger than this is not read again to compare it with provenance."""

REREAD_TOTAL_BYTES: Final = 4 * 1024 * 1024 * 1024
"""How much of the person's files one run reads in total to compare them with provenance."""

REREAD_KEPT_BYTES: Final = 64 * 1024 * 1024
"""How much of the files read for that is kept in memory for further ranges of them."""

HISTORY_FRAMES: Final = 50_000
"""How many frame identities are remembered with their earlier sightings; the one met least recently is forgotten first."""

BUNDLE_BYTES: Final = 128 * 1024 * 1024
"""A larger file is not read as an evidence bundle, which holds a line of the wire and, in hex, the bytes that are hashed."""

RESTARTS: Final = 3
"""How often in a row a provider is started again unasked, without having answered anything in between."""

PROVIDERS_BYTES: Final = 256 * 1024
"""A providers file or a policy larger than this is not read."""

LEDGER_UNCOVERED_BYTES: Final = 64 * 1024 * 1024
"""How much of a ledger is read beyond what its head covers; a file with more than that is damaged."""

STORE_BYTES: Final = 16 * 1024 * 1024
"""A consent store of another program larger than this is not read."""

KEY_BYTES: Final = 64 * 1024
"""A larger file is not searched for a key."""

PROVIDERS_SECONDS: Final = 3600.0
"""The longest time limit that a providers file may give a provider."""
