"""The providers of a transcript, by number and by both their names."""

from __future__ import annotations

from pathlib import Path

from cgp_tui.ui.parties import NAMED_BYTES, Party, parties
from tests.present.samples import ack
from tests.ui.pilots import DIALOGUE, write_bare
from tests.ui.test_jump import source_over, two_providers


def test_each_connection_has_our_name_and_its_own(tmp_path: Path) -> None:
    source = source_over(two_providers(tmp_path / "s.ndjson"))
    first, second = parties(source)
    assert (first.connection, first.id, first.name, first.version) == (1, "repo-graph-1", "repo-graph", "0.2.0")
    assert (second.connection, second.id, second.name) == (2, "acme-search", "graph\x1b[2J")
    assert second.at == source.analysis.connections.of(2).connect
    assert second.said == "acme-search, says graph␛[2J 0.2.0"
    assert second.is_called("ACME") and second.is_called("graph") and not second.is_called("acmes")
    source.transcript.close()


def test_what_a_file_does_not_tell_is_left_out(tmp_path: Path) -> None:
    source = source_over(write_bare(tmp_path / "s.ndjson", [*DIALOGUE[:2], DIALOGUE[0]]))
    assert list(parties(source)) == [Party(1, 1, "", "repo-graph", "0.2.0")], "of the second nothing is told"
    assert Party(3, 1, "ours", "", "").said == "ours" and Party(3, 1, "", "", "").said == ""
    source.transcript.close()


def test_a_long_record_is_not_read_for_a_name(tmp_path: Path) -> None:
    greeting = [DIALOGUE[0], ack("x" * NAMED_BYTES)]
    source = source_over(write_bare(tmp_path / "s.ndjson", greeting))
    assert list(parties(source)) == [Party(1, 1, "", "", "")]
    source.transcript.close()
