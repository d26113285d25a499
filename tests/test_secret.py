"""Command lines are shown without what looks like a credential, and otherwise as they are."""

from __future__ import annotations

import base64
import random
import time

import pytest

from cgp_tui.secret import MASK, mask, mask_argv


@pytest.mark.parametrize(
    ("argv", "shown"),
    [
        (["p", "--api-key", "hunter2", "x"], ("p", "--api-key", MASK, "x")),
        (["p", "--api-key=hunter2"], ("p", f"--api-key={MASK}")),
        (["p", "-token", "-x-y"], ("p", "-token", MASK)),
        (["p", "--no-auth", "--verbose", "-v"], ("p", "--no-auth", "--verbose", "-v")),
        (["env", "GITHUB_TOKEN=abc", "run"], ("env", f"GITHUB_TOKEN={MASK}", "run")),
        (["sh", "-c", "MY_PASSWORD=abc exec run"], ("sh", "-c", f"MY_PASSWORD={MASK} exec run")),
        (["curl", "-H", "Authorization: Bearer abc def"], ("curl", "-H", f"Authorization: {MASK}")),
        (["p", "https://user:pw@host/x"], ("p", f"https://{MASK}@host/x")),
        (["p", "https://host/x?api_key=abc&y=1"], ("p", f"https://host/x?api_key={MASK}")),
        (["p", "https://host:8443/path"], ("p", "https://host:8443/path")),
        ([], ()),
    ],
)
def test_named_values_are_hidden(argv: list[str], shown: tuple[str, ...]) -> None:
    assert mask_argv(argv) == shown


@pytest.mark.parametrize(
    "token",
    [
        "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
        "sk-proj-a1B2c3D4e5F6g7H8i9J0",
        "550e8400-e29b-41d4-a716-446655440000",
        "0123456789abcdef0123456789abcdef",
        "1234-5678-9012-3456-7890",
        "dGhpcyBpcyBhIHNlY3JldA+/Zz09Aa==",
        "/dGhpcyBpcyBh9zZWNyZXQZz09AaXYZ",
    ],
)
def test_opaque_words_are_hidden_wherever_they_stand(token: str) -> None:
    for item in (token, f"--data={token}", f"a {token} b", f"x,{token}", f"https://h/{token}"):
        assert token not in mask(item)
        assert MASK in mask(item)


def test_random_tokens_are_hidden() -> None:
    """Over many random tokens almost none reads as words; the few that do hold no digit and no odd case."""
    draw = random.Random(24).randbytes
    tokens = [base64.urlsafe_b64encode(draw(24)).decode() for _ in range(2000)]
    assert len([token for token in tokens if mask(token) == token]) <= 4
    assert all(mask(draw(16).hex()) == MASK for _ in range(200))
    assert all(MASK in mask(base64.b64encode(draw(30)).decode()) for _ in range(2000))


def test_base64_that_begins_with_a_slash_is_no_path() -> None:
    assert mask("/kZ3xQ9vB7nM2LpR5/tW8yC1dF4gH6jK/0sAqEuN") == MASK


@pytest.mark.parametrize(
    "item",
    [
        "/usr/lib/python3/dist-packages/contextgraph",
        "/home/User1/Projects/provider.py",
        "./build/release/provider-server-v2",
        "~/work/some_long_folder_name/provider",
        "@modelcontextprotocol-server-filesystem",
        "--some-very-long-option-name-without-a-value",
        "contextgraphexampleprovider",
        "example-docs",
        "",
    ],
)
def test_ordinary_words_are_shown(item: str) -> None:
    assert mask(item) == item


@pytest.mark.parametrize("bit", ["a", "-", "1", "A_", "key", "eyJ", "key:", "a=", "/"])
def test_a_long_word_is_masked_in_time_linear_in_it(bit: str) -> None:
    begun = time.process_time()
    mask(bit * (20_000 // len(bit)) + "+")
    assert time.process_time() - begun < 2
