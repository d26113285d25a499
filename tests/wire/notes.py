"""A note of every kind, each with the bytes it has in a transcript, which no later version may write otherwise."""

from __future__ import annotations

from typing import Final

from cgp_tui.wire import note as notes

TARGET: Final = notes.ShownTarget("stdio", ("/bin/cat",), "sha256:" + "0" * 64, "c")
NEED: Final = notes.NeedNote("scope", "third-party-index", receipt_id="r1")
REFUSED: Final = notes.NeedNote("boolean", "", "no_receipt")
HEAD: Final = notes.LedgerMark("i", 3, "h")
_AT: Final = b'"t":0.5,"connection":1'

WRITTEN: Final[list[tuple[notes.KnownNote, bytes]]] = [
    (
        notes.Connect(t=0.5, connection=1, provider_id="docs", target=TARGET),
        b'{"note":"connect",%b,"provider_id":"docs","target":{"kind":"stdio","shown":["/bin/cat"],'
        b'"digest":"sha256:%b","code":"c"}}' % (_AT, b"0" * 64),
    ),
    (notes.Spawn(t=0.5, connection=1, pid=7, sandbox="none"), b'{"note":"spawn",%b,"pid":7,"sandbox":"none"}' % _AT),
    (notes.Exit(t=0.5, connection=1), b'{"note":"exit",%b}' % _AT),
    (notes.Exit(t=0.5, connection=1, code=0), b'{"note":"exit",%b,"code":0}' % _AT),
    (notes.Exit(t=0.5, connection=1, signal=9), b'{"note":"exit",%b,"signal":9}' % _AT),
    (notes.Exit(t=0.5, connection=1, signal=9, ours=True), b'{"note":"exit",%b,"signal":9,"ours":true}' % _AT),
    (notes.Stderr(t=0.5, connection=1, text="\x1b[31mé"), '{"note":"stderr",%b,"text":"\\u001b[31mé"}'.encode() % _AT),
    (
        notes.GateNote(t=0.5, connection=1, allowed=True, bytes=9, exchange=2, needs=(NEED,), ledger=HEAD),
        b'{"note":"gate",%b,"allowed":true,"bytes":9,"exchange":2,"needs":[{"basis":"scope","scope":"third-party-index",'
        b'"receipt_id":"r1"}],"ledger":{"id":"i","seq":3,"hash":"h"}}' % _AT,
    ),
    (
        notes.GateNote(t=0.5, connection=1, allowed=False, bytes=9, asked="verify", needs=(REFUSED,)),
        b'{"note":"gate",%b,"allowed":false,"bytes":9,"asked":"verify","needs":[{"basis":"boolean","scope":"",'
        b'"reason":"no_receipt"}]}' % _AT,
    ),
    (
        notes.GaveUp(t=0.5, connection=1, exchange=2, after_s=30.0),
        b'{"note":"gave_up",%b,"exchange":2,"after_s":30.0}' % _AT,
    ),
    (notes.Refused(t=0.5, connection=1), b'{"note":"refused",%b}' % _AT),
    (
        notes.Refused(t=0.5, connection=1, line=4, fault="not_json"),
        b'{"note":"refused",%b,"line":4,"fault":"not_json"}' % _AT,
    ),
    (notes.Cut(t=0.5, connection=1, exchange=2, bytes=65536), b'{"note":"cut",%b,"exchange":2,"bytes":65536}' % _AT),
    (notes.AnsweredAfterRevoke(t=0.5, connection=1, line=4), b'{"note":"answered_after_revoke",%b,"line":4}' % _AT),
    (notes.Poisoned(t=0.5, connection=1, reason="line_too_long"), b'{"note":"poisoned",%b,"reason":"line_too_long"}' % _AT),
    (notes.Poisoned(t=0.5, connection=1), b'{"note":"poisoned",%b}' % _AT),
    (
        notes.SendFailed(t=0.5, connection=1, exchange=2, reason="x"),
        b'{"note":"send_failed",%b,"exchange":2,"reason":"x"}' % _AT,
    ),
    (notes.SendFailed(t=0.5, connection=1), b'{"note":"send_failed",%b}' % _AT),
    (notes.Dropped(t=0.5, connection=1, lines=3), b'{"note":"dropped",%b,"lines":3}' % _AT),
]
