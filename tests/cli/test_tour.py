"""What the demo leaves behind, and what it clears away."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from cgp_tui.cli.tour import clear_leftovers


def test_only_the_folders_of_dead_demos_go(tmp_path: Path) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    gone = tmp_path / f"cgp-tui-demo-{dead.pid}-abc"
    kept = [tmp_path / name for name in (f"cgp-tui-demo-{os.getpid()}-abc", "cgp-tui-demo-abc", "cgp-tui-demo-0x1-abc")]
    for folder in (gone, *kept):
        folder.mkdir()
        (folder / "receipts.toml").write_text("")
    elsewhere = tmp_path / "mine"
    elsewhere.mkdir()
    link = tmp_path / f"cgp-tui-demo-{dead.pid}-link"
    link.symlink_to(elsewhere)
    clear_leftovers(tmp_path)
    assert not gone.exists()
    assert all((folder / "receipts.toml").exists() for folder in kept)
    assert link.is_symlink()
    assert elsewhere.is_dir()
