"""What a person reads before saying yes: whom a connection leads to, what leaves, under which words, and what changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from cgp_tui.consent.interchange import Offer
from cgp_tui.consent.receipt import ANY, NEVER, Draft, Receipt
from cgp_tui.consent.types import Binding, Need, Reason
from cgp_tui.present.layout import cut_middle, digest, labelled
from cgp_tui.present.numbers import exact_bytes
from cgp_tui.present.refusal import Whose, need_name, reason_words
from cgp_tui.present.scopes import scope_meaning
from cgp_tui.present.spans import GAP, Row, Rows, Span, Token, row, span
from cgp_tui.present.symbols import Look
from cgp_tui.present.until import until_words
from cgp_tui.protocol.capability import DataFlow
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.target import Target
from cgp_tui.text import Shown, apart, beyond_ascii, compose, hidden_codes, join, mixed_scripts, own, show

_MEMBERS: Final = ("goal", "query_text", "kinds", "anchors", "as_of", "max_frames", "max_tokens")
_PREVIEW_CHARS: Final = 160
_KEYS_TOLD: Final = 4
"""Key ids of one provider that a prompt names."""
_SANDBOX: Final = {
    "none": "none: it has all your rights, your files and the network",
    "processes": "processes: it sees no other process, but has your files and the network",
    "no-network": "processes, no IP network: it sees no other process, but has your files",
}


class Payload(msgspec.Struct, frozen=True):
    """What one query would give away: its size on the wire in bytes and each member with a preview, as sent."""

    size: int
    members: tuple[tuple[str, tuple[str, ...]], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The members' names, sorted, as a receipt keeps them."""
        return tuple(sorted(name for name, _ in self.members))


class Answered(msgspec.Struct, frozen=True):
    """A need with what stands for it (a receipt) or against it (a reason). Not `declared` is what is on record alone."""

    need: Need
    receipt: Receipt | None = None
    reason: Reason | None = None
    declared: bool = True

    @property
    def set_aside(self) -> bool:
        """Whether a yes means that what is on record counts no longer: the provider has come to declare less."""
        return self.reason is not None and self.reason.reason == "posture_narrowed"


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """One connection as consent sees it. `receipts` is the whole ledger, oldest first; `others` are further bindings of
    this session; `sandbox` is how the process is confined; `offered` is what an import would ask for, where it still
    stands, by need: it fills the prompt in and counts for nothing. `changed_keys` are the ids of keys it signs with that
    were met with other bytes before."""

    binding: Binding
    data_flow: DataFlow
    needs: tuple[Answered, ...] = ()
    receipts: tuple[Receipt, ...] = ()
    others: tuple[Binding, ...] = ()
    sandbox: str = "none"
    offered: tuple[tuple[Need, Offer], ...] = ()
    offered_by: str = ""
    changed_keys: tuple[str, ...] = ()

    @property
    def open(self) -> tuple[Answered, ...]:
        """The needs that no receipt covers."""
        return tuple(answered for answered in self.needs if answered.reason is not None)


def payload_of(query: ContextQuery, size: int) -> Payload:
    """What `query`, encoded in `size` bytes, would give away; members it leaves out are left out here."""
    members: list[tuple[str, tuple[str, ...]]] = []
    for name in _MEMBERS:
        value = getattr(query, name)
        if value is None or value == ():
            continue
        members.append((name, value if isinstance(value, tuple) else (str(value),)))
    if query.embedding is not None:
        members.append(("embedding", (f"{len(query.embedding)} numbers computed from the query",)))
    return Payload(size, tuple(members))


def scope_words(need: Need) -> Shown:
    """What consenting to a need means, in words."""
    if need.basis == "boolean":
        return own("it sends data off this machine and does not say to whom")
    return scope_meaning(need.scope)


def name_warnings(label: str, name: str, look: Look) -> Rows:
    """What is odd about a name that could pass for another one: hidden codes, mixed scripts, characters beyond ASCII."""
    sign = span(f"{look.symbols.doubt} ", "doubt")
    hidden = hidden_codes(name)
    if hidden:
        yield Row((span(f"the {label} holds {hidden} hidden or control codes, shown as signs", "doubt"),), lead=sign)
    scripts = mixed_scripts(name)
    if scripts:
        yield Row((span(f"the {label} mixes {' and '.join(scripts)} letters, as a lookalike does", "doubt"),), lead=sign)
    odd = beyond_ascii(name)
    if odd:
        yield Row((span(f"the {label} is not plain ASCII: ", "doubt"), Span(join(", ", odd))), lead=sign, rest=span("  "))


def prompt_rows(case: Case, payload: Payload | None, made: Sequence[Draft], look: Look) -> Rows:
    """All that a person is told before deciding. `made` are the records that granting would write, at least one: the
    policies and the end that are shown are theirs."""
    binding = case.binding
    draft = next((one for one in made if one.kind == "grant"), None)
    yield row(span("Let ", "strong"), Span(show(binding.provider_id), "strong"), span(" receive your queries?", "strong"))
    yield from _who(binding, look)
    for key_id in case.changed_keys[:_KEYS_TOLD]:
        said = (span("key changed since it was last seen here: ", "doubt"), Span(show(key_id, 80), "doubt"))
        yield from labelled("keys", look, span(f"{look.symbols.doubt} ", "doubt"), *said)
    yield from _target(binding.target, case.sandbox, look)
    yield from _leaves(payload, draft, look)
    keeps = (
        "yes: it says it stores what it derives (writes)" if case.data_flow.writes else "it says it stores nothing (writes)"
    )
    yield from labelled("keeps", look, span(keeps, "doubt" if case.data_flow.writes else None))
    yield from _changed(case, look)
    yield from _also(case, look)
    yield from _scopes(case, look)
    yield from _offered(case, look)
    if draft is not None:
        yield from _policies(draft, case.binding.target.unplaced, look)
    yield from _written(made, look)


def _who(binding: Binding, look: Look) -> Rows:
    name, version = binding.provider_name, binding.provider_version
    claimed = (
        span('"'),
        Span(show(name, 256)),
        span('" '),
        Span(show(version, 128)),
        span("  as claimed, unproven", "muted"),
    )
    yield from labelled("claims", look, *claimed)
    yield from name_warnings("name", name, look)
    yield from name_warnings("version", version, look)


def _target(target: Target, sandbox: str, look: Look) -> Rows:
    if target.kind == "http":
        yield from labelled("sent to", look, Span(join(" ", map(show, target.shown))))
        return
    yield from labelled("runs", look, Span(join(" ", map(show, target.shown))))
    room = max(look.width - 34, 20)
    for pin in target.pins:
        path = cut_middle(show(pin.path), room, look.symbols)
        label = "program" if pin.role == "program" else "file"
        hashed = Span(digest(show(pin.sha256), look.symbols)) if pin.sha256 else span("not read", "doubt")
        yield from labelled(label, look, Span(path), span("  sha256 ", "muted"), hashed)
    if target.env_names:
        yield from labelled("variables", look, Span(join(", ", map(show, target.env_names))))
    sign = span(f"{look.symbols.doubt} ", "doubt")
    if target.floating:
        said = "decides at each start which code runs: no digest pins that code"
        yield from labelled("launcher", look, sign, Span(show(target.floating), "doubt"), span(f" {said}", "doubt"))
    if target.remote:
        said = "reaches another machine: what it gets leaves this one, whatever is declared (C4)"
        yield from labelled("launcher", look, sign, Span(show(target.remote), "doubt"), span(f" {said}", "doubt"))
    yield from labelled("sandbox", look, span(_SANDBOX.get(sandbox, sandbox)))


def _leaves(payload: Payload | None, draft: Draft | None, look: Look) -> Rows:
    this = "" if payload is None else f"; this one, {exact_bytes(payload.size)}:"
    if draft is None:
        yield from labelled("leaves", look, span("queries that the other needs allow", "strong"), span(this))
    else:
        until = Span(until_words(draft.expires_at), "doubt" if draft.expires_at == NEVER else None)
        every = "every query " if payload is None else "this and every later query "
        many = "one query or verify " if draft.uses == "once" else every
        yield from labelled("leaves", look, span(many, "strong"), until, span(this))
    if payload is None:
        yield from labelled(
            "", look, span("none waits now; a query holds a goal, and query text, kinds and anchors if given")
        )
    else:
        yield from _members(payload, look)
    yield from labelled("", look, span("and verify: frame ids and digests, never content"))


def _members(payload: Payload, look: Look) -> Rows:
    for name, values in payload.members:
        for index, value in enumerate(values):
            label = own((name if index == 0 else "").ljust(12))
            path = name == "anchors" and (value.startswith(("file:", "/", "~")))
            note = span("  a path on this machine", "doubt") if path else span("")
            yield from labelled("", look, Span(label, "muted"), Span(show(value, _PREVIEW_CHARS)), note)


def last_on_record(case: Case) -> Receipt | None:
    """The newest grant or denial of this provider id, the one that changes are told against; rather one that knows what the
    provider declared, which a no to a mere command does not."""
    mine = [r for r in case.receipts if r.provider_id == case.binding.provider_id and r.kind in ("grant", "deny")]
    met = [r for r in mine if r.provider_name or r.provider_version]
    return next(reversed(met or mine), None)


def changes(case: Case) -> Iterable[tuple[str, Shown, Shown]]:
    """What differs from the last record: field, old value, new value."""
    last = last_on_record(case)
    if last is None:
        return
    binding = case.binding
    met = bool(last.provider_name or last.provider_version)
    pairs = [
        ("name", last.provider_name, binding.provider_name, met),
        ("version", last.provider_version, binding.provider_version, met),
        ("command", " ".join(last.target_shown), " ".join(binding.target.shown), bool(last.target)),
    ]
    for field, old, new, known in pairs:
        if known and old != new:
            yield field, *apart(old, new, 256)
    if last.target and last.target == binding.target.digest and last.code != binding.target.code:
        yield "code", Shown(show(last.code)[:12]), Shown(show(binding.target.code)[:12])
    elif last.target and last.target != binding.target.digest and last.target_shown == binding.target.shown:
        yield "target", Shown(show(last.target)[:12]), Shown(show(binding.target.digest)[:12])
    if last.kind == "grant":
        yield from _scope_changes(last.declared, case.data_flow.egress_scopes)


def _scope_changes(old: Sequence[str], new: Sequence[str]) -> Iterable[tuple[str, Shown, Shown]]:
    for scope in dict.fromkeys((*old, *new)):
        if (scope in old) != (scope in new):
            yield "scope", show(scope) if scope in old else own("-"), show(scope) if scope in new else own("-")


def _changed(case: Case, look: Look) -> Rows:
    last = last_on_record(case)
    if last is None:
        yield from labelled("changed", look, span("no record of this provider yet"))
        return
    found = list(changes(case))
    said = f"since #{last.seq}, {last.kind} of {last.granted_at}"
    if not found:
        yield from labelled("changed", look, span(f"nothing {said}"))
        return
    yield from labelled("changed", look, span(said, "doubt"))
    for field, old, new in found:
        parts = (span(field.ljust(9), "muted"), Span(old), span(f" {look.symbols.sent} ", "muted"), Span(new, "doubt"))
        yield from labelled("", look, *parts)


def _also(case: Case, look: Look) -> Rows:
    mine = case.binding
    sign = span(f"{look.symbols.doubt} ", "doubt")
    on_record = [(r.provider_id, r.target, r.provider_name, r.target_shown) for r in case.receipts if r.target]
    here = [(o.provider_id, o.target.digest, o.provider_name, o.target.shown) for o in case.others]
    known = dict.fromkeys(entry for entry in (*on_record, *here) if entry[0] not in (mine.provider_id, ANY))
    ids = dict.fromkeys(other for other, target, _, _ in known if target == mine.target.digest)
    if ids:
        yield from labelled("also", look, sign, span("same command, other id: ", "doubt"), Span(join(", ", map(show, ids))))
    for other, target, name, shown in known:
        if name and name == mine.provider_name and target != mine.target.digest:
            said = (span("same claimed name, other command: ", "doubt"), Span(show(other)), span("  "))
            yield from labelled("also", look, sign, *said, Span(join(" ", map(show, shown)), "muted"))


def _scopes(case: Case, look: Look) -> Rows:
    whose = Whose(case.binding, {receipt.receipt_id: receipt for receipt in case.receipts})
    for index, answered in enumerate(case.needs):
        label = "scopes" if index == 0 else ""
        name = Span(need_name(answered.need), "strong")
        gone = () if answered.declared else (span("  on record, not declared any more", "doubt"),)
        yield from labelled(label, look, name, GAP, Span(scope_words(answered.need)), *gone)
        yield from name_warnings("scope", answered.need.scope, look)
        yield from labelled("", look, span("  "), *_standing(answered, whose))


def _standing(answered: Answered, whose: Whose) -> tuple[Span, ...]:
    if answered.reason is not None:
        return (Span(reason_words(answered.reason, whose), "muted"),)
    if answered.receipt is not None:
        said = compose(
            "granted by #{seq}, {until}", seq=answered.receipt.seq, until=until_words(answered.receipt.expires_at)
        )
        return (Span(said, "good"),)
    return (span("not decided", "muted"),)


_VERSION_POLICY: Final = {
    "exact": "exactly this version",
    "minor": "this version and later ones of the same major",
    "any": "any version",
}
_CODE_POLICY: Final = {
    "exact": "exactly these files; a changed file asks again",
    "path": "whatever is at these paths; a changed file does not ask again",
}


def _offered(case: Case, look: Look) -> Rows:
    """What an import asks for: where it came from, and that it counts for nothing."""
    for index, (need, offer) in enumerate(case.offered):
        said = (Span(need_name(need)), span(" "), Span(until_words(offer.until)), span(", as "), Span(show(case.offered_by)))
        yield from labelled("imported" if index == 0 else "", look, *said)
    if case.offered:
        yield from labelled("", look, span("filled in below; nothing of it is granted", "muted"))


def _written(made: Sequence[Draft], look: Look) -> Rows:
    """The records themselves, one a line."""
    for index, draft in enumerate(made):
        need = Need(draft.provider_id, "scope" if draft.basis == "scope" else "boolean", draft.scope)
        about: tuple[Span, ...] = (span(f"{draft.kind} ", "strong"), Span(need_name(need)))
        if draft.kind == "grant":
            about += (span(" "), Span(until_words(draft.expires_at)))
        else:
            about += (span(": what was said of it here counts no longer for this command", "doubt"),)
        yield from labelled("writes" if index == 0 else "", look, *about)


def anywhere(words: Sequence[str]) -> Shown:
    """What a policy of paths means for files that are named without their whole path."""
    return compose(
        "{files}: of that name in whatever folder it is started from; only a whole path holds to one file",
        files=join(", ", map(show, words)),
    )


def _policies(draft: Draft, unplaced: Sequence[str], look: Look) -> Rows:
    yield from labelled("holds for", look, span(_VERSION_POLICY.get(draft.version_policy, draft.version_policy)))
    loose: Token | None = "doubt" if draft.code_policy == "path" else None
    yield from labelled("", look, span(_CODE_POLICY.get(draft.code_policy, draft.code_policy), loose))
    if loose and unplaced:
        yield from labelled("", look, Span(anywhere(unplaced), loose))
    uses = "every query until then" if draft.uses == "unlimited" else "one query"
    at_hand = "{consent.revoke} on the consent screen" if look.keys else "`cgp-tui consent revoke`"
    ends = look.say(f"{at_hand} revokes it")
    yield from labelled("", look, span(f"{uses}; "), Span(ends))
