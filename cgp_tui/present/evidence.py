"""Provenance and proof for people: the chain link by link, the proof hash by hash (SPEC 6.5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from cgp_tui.analysis.cited_files import Reread
from cgp_tui.checks.types import NEVER_COVERED, Appraisal, ProofStep, Standing
from cgp_tui.present.layout import digest, labelled
from cgp_tui.present.lookups import reread_spans
from cgp_tui.present.spans import EMPTY, GAP, Jump, Row, Rows, Span, Token, row, span
from cgp_tui.present.symbols import Look, Symbols
from cgp_tui.protocol.attestation import chain_heads
from cgp_tui.protocol.frame import ContextFrame, Provenance
from cgp_tui.text import Shown, compose, own, show

_STANDINGS: Final[dict[Standing, tuple[str, Token, str, str]]] = {
    "attested": (
        "good",
        "good",
        "attested",
        "{label}, whom you trust for this provider, signed identity, chain and this content.",
    ),
    "signer_unknown": (
        "similar",
        "doubt",
        "signer unknown",
        "Built correctly, signer unknown: the key is not in your trust store.",
    ),
    "signer_not_for_provider": (
        "similar",
        "doubt",
        "signer not for provider",
        "Built correctly by {label}, whom you trust for others, or at other dates.",
    ),
    "identity_only": (
        "similar",
        "doubt",
        "identity only",
        "The signature fits, but without a content_digest the content is not covered.",
    ),
    "content_mismatch": (
        "unequal",
        "bad",
        "content mismatch",
        "The signature is good, the content shown is not what was signed.",
    ),
    "mismatch": ("unequal", "bad", "mismatch", "Not what was signed: the frame changed, or the attestation is another's."),
    "invalid": ("bad", "bad", "invalid", "Signature, proof or key is malformed or wrong: broken or forged."),
    "uncheckable": ("question", "doubt", "uncheckable", "Algorithm, key or root unknown here. Says nothing either way."),
    "unattested": ("quiet", "muted", "unattested", "Nothing was signed. That is allowed."),
}
"""Symbol, token, word and sentence of each standing."""


def standing_mark(standing: Standing, symbols: Symbols) -> Span:
    """The one-cell symbol of a standing."""
    sign, token, _, sentence = _STANDINGS[standing]
    return Span(own(getattr(symbols, sign)), token, compose(sentence, label=own("A signer")))


def standing_word(standing: Standing) -> Shown:
    return own(_STANDINGS[standing][2])


def standing_sentence(appraisal: Appraisal) -> Shown:
    """What we say of a frame's evidence; the signer's label is the person's own word for a key."""
    label = show(appraisal.signer) if appraisal.signer else own("A signer")
    return compose(_STANDINGS[appraisal.standing][3], label=label)


def standing_rows(appraisal: Appraisal | None, look: Look, *, key_changed: bool = False) -> Rows:
    """Standing, verdict, key and what stays uncovered. `key_changed`: the key's id was met with other bytes before."""
    if appraisal is None:
        yield from labelled("standing", look, span("not appraised yet", "muted"))
        return
    symbol = standing_mark(appraisal.standing, look.symbols)
    word = Span(standing_word(appraisal.standing), symbol.token)
    yield from labelled("standing", look, symbol, span(" "), word)
    yield from labelled("", look, Span(standing_sentence(appraisal)))
    if key_changed:
        sign = f"{look.symbols.doubt} "
        yield from labelled("", look, span(sign, "doubt"), span("Key changed since it was last seen here.", "doubt"))
    verdict = f"{appraisal.verdict.replace('_', ' ')}, proof: {appraisal.proof.replace('_', ' ')}" if appraisal.proof else ""
    yield from labelled("verdict", look, Span(show(verdict or appraisal.verdict.replace("_", " "))))
    if appraisal.standing == "unattested":
        return
    if appraisal.key_id is not None:
        yield from labelled("key", look, Span(show(appraisal.key_id)), *_key(appraisal))
    if appraisal.attester_id is not None:
        claim = span("  a claim: the signature does not cover it", "muted")
        yield from labelled("attester", look, Span(show(appraisal.attester_id)), claim)
    covered = ", ".join(appraisal.covers) or "nothing that could be checked"
    yield from labelled("covered", look, Span(show(covered)))
    yield from labelled("not covered", look, span(", ".join(uncovered(appraisal)), "muted"))


def uncovered(appraisal: Appraisal) -> tuple[str, ...]:
    """What the evidence says nothing about."""
    return NEVER_COVERED if "content" in appraisal.covers else ("content", *NEVER_COVERED)


def _key(appraisal: Appraisal) -> tuple[Span, ...]:
    return (GAP, Span(show(appraisal.public_key), "muted")) if appraisal.public_key else ()


Reader = Callable[[Provenance, str | None], Reread | None]
"""Reads again what a link cites, given the link and its frame's content; None where there is nothing to read."""


def chain_rows(frame: ContextFrame, look: Look, reread: Reader | None = None) -> Rows:
    """The chain, source first, with the chain hash after each link (SPEC 6.5.2), and what became of the cited files."""
    heads = [head.hex() for head in chain_heads(frame.provenance)]
    yield from labelled("start", look, Span(show(heads[0])))
    yield from labelled("", look, span('SHA256("contextgraph/attest/1/genesis")', "muted"))
    last = len(frame.provenance)
    for number, link in enumerate(frame.provenance, 1):
        yield EMPTY
        yield from _link_rows(number, link, look)
        found = None if reread is None else reread(link, frame.content)
        if found is not None:
            yield from labelled("", look, *reread_spans(found, look))
        token: Token | None = "strong" if number == last else None
        yield from labelled("chain head" if number == last else "so far", look, Span(show(heads[number]), token))
    yield EMPTY
    if last:
        yield row(
            span("The chain head goes into the frame's commitment: no link can be added, cut or moved unseen.", "muted")
        )
    else:
        yield row(
            span("No provenance is claimed. The start is then the chain head, so that even this can be signed.", "muted")
        )


def _link_rows(number: int, link: Provenance, look: Look) -> Rows:
    lead = f"{number} "
    method = (GAP, Span(show(link.method))) if link.method is not None else ()
    by = (span("  by "), Span(show(link.by))) if link.by is not None else ()
    yield Row((Span(show(link.kind), "strong"), *method, *by), lead=span(lead, "muted"), rest=span("  "))
    for label, value in (("  uri", link.uri), ("  range", link.range), ("  digest", link.digest)):
        if value is not None:
            yield from labelled(label, look, Span(show(value)))


def walk(appraisal: Appraisal) -> tuple[ProofStep, ...]:
    """All steps to look at: those that make the verdict, then those of a proof carried beside a signature."""
    return (*appraisal.steps, *appraisal.path)


_BESIDE: Final = row(span("Beside its own signature, a proof under the answer's root:", "muted"))


def proof_rows(appraisal: Appraisal, at: int, look: Look) -> Rows:
    """The steps up to `at` (from 0) with their outcome, step `at` with every hash in full, the later ones as names only.

    Reading the last step is verifying: the steps stop at the first that fails.
    """
    steps = walk(appraisal)
    if not steps:
        yield from labelled("verdict", look, Span(show(appraisal.verdict.replace("_", " "))))
        yield row(span("There is no evidence to walk through for this frame.", "muted"))
        return
    leaf = next((step for step in steps if step.name == "leaf"), None)
    if leaf is not None:
        nodes = [step for step in steps if step.name == "node"]
        yield from _tree_rows(leaf, nodes, show(appraisal.frame.frame_id), look)
        yield EMPTY
    for number, step in enumerate(steps):
        if number == len(appraisal.steps):
            yield _BESIDE
        yield _step_row(appraisal, number, number <= at, look)
        if number == at:
            yield from _hash_rows(step, look)
        if number <= at:
            yield from _stop(appraisal, number, look)
    yield from _ending(appraisal, at, look)


def every_step(appraisal: Appraisal, look: Look) -> Rows:
    """All steps with their outcome and every hash in full, up to the first that fails."""
    for number, step in enumerate(walk(appraisal)):
        if number == len(appraisal.steps):
            yield _BESIDE
        yield _step_row(appraisal, number, True, look)
        yield from _hash_rows(step, look)
        yield from _stop(appraisal, number, look)
    yield from _ending(appraisal, len(walk(appraisal)) - 1, look)


def _failed(appraisal: Appraisal) -> int | None:
    """The first step that fails; the steps after it do not matter."""
    return next((number for number, step in enumerate(walk(appraisal)) if step.ok is False), None)


def _stop(appraisal: Appraisal, number: int, look: Look) -> Rows:
    """A row that says so where the verification stops at step `number`."""
    if number != _failed(appraisal):
        return
    step, sign = walk(appraisal)[number], _failure(appraisal, look.symbols)
    happened = "cannot be done" if appraisal.standing == "uncheckable" else "fails"
    reason = Span(show(step.detail or step.name))
    yield Row(
        (span(f"step {number + 1} {happened}: "), reason, span(". It stops here.", "muted")),
        lead=Span(sign.text, sign.token),
        rest=span("  "),
    )


def _ending(appraisal: Appraisal, at: int, look: Look) -> Rows:
    symbols, steps, failed = look.symbols, walk(appraisal), _failed(appraisal)
    if failed is not None and at >= failed:
        return
    yield EMPTY
    if at == len(steps) - 1:
        mark = standing_mark(appraisal.standing, symbols)
        yield Row((Span(standing_sentence(appraisal)),), lead=Span(Shown(f"{mark.text} "), mark.token), rest=span("  "))
    else:
        yield row(span(f"step {at + 1} of {len(steps)}: the same so far", "muted"))


def _failure(appraisal: Appraisal, symbols: Symbols) -> Span:
    """The sign of the step that ends the verification: what cannot be checked is kept apart from what is bad (F8)."""
    uncheckable = appraisal.standing == "uncheckable"
    return span(f"{symbols.question} ", "doubt") if uncheckable else span(f"{symbols.bad} ", "bad")


def _step_row(appraisal: Appraisal, number: int, reached: bool, look: Look) -> Row:
    symbols, step = look.symbols, walk(appraisal)[number]
    if not reached or step.ok is None:
        sign = span(f"{symbols.quiet} ", "muted")
    else:
        sign = span(f"{symbols.good} ", "good") if step.ok else _failure(appraisal, symbols)
    value = (GAP, Span(digest(show(step.computed), symbols))) if reached and step.computed else ()
    detail = (GAP, Span(show(step.detail), "muted")) if reached and step.detail else ()
    lead = span(f"{number + 1:>2} ", "muted")
    spans = (sign, span(step.name.ljust(10)), *value, *detail)
    return Row(spans, lead=lead, rest=span("     "), jump=Jump(step=number))


_INPUTS: Final[dict[str, tuple[str, str]]] = {
    "commitment": ("identity", "chain"),
    "leaf": ("leaf of", "right"),
    "node": ("left", "right"),
    "compare": ("left", "right"),
    "signature": ("key", "signature"),
    "signer": ("left", "right"),
}
"""The names of a step's two inputs, by the step's name."""


def _hash_rows(step: ProofStep, look: Look) -> Rows:
    left, right = _INPUTS[step.name]
    rows = ((left, step.left), (right, step.right), ("computed", step.computed), ("expected", step.expected))
    for label, value in rows:
        if value:
            yield from labelled(f"  {label}", look, Span(show(value)))


def _tree_rows(leaf: ProofStep, nodes: Sequence[ProofStep], frame_id: Shown, look: Look) -> Rows:
    """The way from the root down to this leaf; hashes cut to `8…4`, in full at their step."""
    symbols = look.symbols
    ours = leaf.computed or ""
    name_of_leaf = span("  leaf: " if nodes else "  leaf and root: ")
    below: list[tuple[Span, ...]] = [(Span(digest(show(ours), symbols)), name_of_leaf, Span(frame_id, "strong"))]
    for node in nodes:
        on_left = node.left == ours
        sibling = node.right if on_left else node.left
        side = "right" if on_left else "left"
        given: list[tuple[Span, ...]] = [(Span(digest(show(sibling), symbols)), span(f"  given, {side}", "muted"))]
        first, second = (below, given) if on_left else (given, below)
        ours = node.computed or ""
        name = span("  root", "strong") if node is nodes[-1] else span("  computed", "muted")
        head: tuple[Span, ...] = (Span(digest(show(ours), symbols)), name)
        below = [head, *_branch(first, symbols.tee, symbols.bar), *_branch(second, symbols.corner, "   ")]
    for spans in below:
        yield Row(spans)


def _branch(lines: Sequence[tuple[Span, ...]], first: str, later: str) -> list[tuple[Span, ...]]:
    return [(span(later if number else first, "muted"), *spans) for number, spans in enumerate(lines)]
