"""What consent here promises and what it does not, in the words that the README and the screen both use."""

from __future__ import annotations

from typing import Final

PROMISE: Final = (
    "Before each query or verify that needs consent, this program checks a receipt in the ledger. A provider that says it "
    "is local and runs as a child process needs none: we cannot see what it does with what it gets. A stdio provider that "
    "is not sandboxed has all your rights: it can read your files, use the network, and write this ledger and its head. "
    "Against such a program consent is a record of what you were told and agreed to, not a barrier.",
    "When `revoke` says *confirmed*, every process on this machine that uses this gate and this ledger has finished its "
    "last write for that consent and starts no other. Bytes already given to a pipe or socket count as sent. *Recorded, "
    "not confirmed* names the process we could not wait for.",
    "Changed, removed or reordered acknowledged records are detected against the remembered head. Not detected: restoring "
    "ledger and head together, or a program with your rights that rewrites both; a head you keep elsewhere (`consent "
    "head`) detects these. A receipt says that a terminal prompt was answered, not that a person answered it. We pin the "
    "program file and the files named in its arguments, not the libraries it loads nor what a launcher downloads. A "
    "signature says who vouched for identity, provenance and digest, not that the content is true.",
)
"""Three paragraphs."""
