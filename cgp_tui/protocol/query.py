"""The question a host asks (SPEC 5)."""

import msgspec


class ContextQuery(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """Empty `kinds` means any kind (Q1). `max_tokens` counts budget tokens (SPEC 7), not a model's."""

    goal: str
    max_frames: int
    max_tokens: int
    query_text: str | None = None
    embedding: tuple[float, ...] | None = None
    kinds: tuple[str, ...] = ()
    anchors: tuple[str, ...] = ()
    as_of: str | None = None
    representation_preferences: tuple[str, ...] = ()
