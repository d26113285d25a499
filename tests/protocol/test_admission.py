"""When a host goes no further with a provider."""

from __future__ import annotations

import pytest

from cgp_tui.protocol.admission import mandatory_refusal, refusal
from cgp_tui.protocol.capability import Capabilities, DataFlow, ProviderInfo
from cgp_tui.protocol.envelope import HandshakeAck


@pytest.mark.parametrize(
    ("version", "flow", "code"),
    [
        ("contextgraph/1.0", DataFlow(), None),
        ("contextgraph/1.7-draft", DataFlow(egress=True, egress_scopes=("acme:x", "cloud")), None),
        ("contextgraph/2.0", DataFlow(), "version_mismatch"),
        ("contextgraph/10.0", DataFlow(), "version_mismatch"),
        ("contextgraph/1", DataFlow(), "version_mismatch"),
        ("contextgraph/1.0", DataFlow(egress_scopes=("third-party-model",)), "scope_contradiction"),
        ("contextgraph/1.0", DataFlow(egress=True, egress_scopes=("acme:",)), "scope_malformed"),
        ("contextgraph/2.0", DataFlow(egress_scopes=(":",)), "version_mismatch"),
    ],
)
def test_the_first_reason_is_named(version: str, flow: DataFlow, code: str | None) -> None:
    ack = HandshakeAck(version, ProviderInfo("docs", "1", flow), Capabilities())
    assert refusal("contextgraph/1.0", ack) == code


@pytest.mark.parametrize(
    ("version", "scope", "code"),
    [
        ("contextgraph/1.0", "local-only", None),
        ("contextgraph/2.0", "local-only", "version_mismatch"),
        ("contextgraph/10.0", "acme:x", "version_mismatch"),
        ("contextgraph/1", "local-only", None),
        ("contextgraph/1.", "local-only", None),
        ("contextgraph/1", "acme:x", "scope_contradiction"),
        ("contextgraph/1.0", ":", "scope_contradiction"),
    ],
)
def test_what_every_host_has_to_refuse(version: str, scope: str, code: str | None) -> None:
    info = ProviderInfo("docs", "1", DataFlow(egress_scopes=(scope,)))
    assert mandatory_refusal("contextgraph/1.0", HandshakeAck(version, info, Capabilities())) == code
