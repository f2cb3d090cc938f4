"""Secrets are redacted everywhere, and nothing else is."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import urllib.parse

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox_tui.core.events import types as e
from sandbox_tui.sessions.interchange.redaction import MASK, Redactor, secrets_of
from tests.cost import assert_growth
from tests.unit.event_streams import streams
from tests.unit.sample_run import SECRET, sample

PEM = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0\nabc/+=\n-----END PRIVATE KEY-----"


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (f"export OPENAI_API_KEY={SECRET}", SECRET),
        (f"a\n{SECRET}\nb", SECRET),
        (json.dumps({"command": f"x\n{SECRET}"}), SECRET),
        (f"\x1b[32m{SECRET}\x1b[0m", SECRET),
        ("ghp_" + "a1" * 18, "ghp_" + "a1" * 18),
        ("AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE"),
        ("Authorization: Bearer abc.def-123_4567890xyz", "abc.def-123_4567890xyz"),
        ("postgres://joe:hunter22@db/x", "hunter22"),
        ("key is sk-zzzzTOPSECRET123456", "sk-zzzzTOPSECRET123456"),
        ('{"password": "correct-horse-42"}', "correct-horse-42"),
        ("api_key='0123abcd4567efgh'", "0123abcd4567efgh"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0.SflKxwRJSMeKKF2QT4", "SflKxwRJSMeKKF2QT4"),
        (PEM, "MIIEvQIBADANBgkqhkiG9w0"),
    ],
)
def test_what_looks_like_a_secret(text: str, secret: str) -> None:
    redactor = Redactor()
    assert secret not in redactor.text(text)
    assert redactor.found >= 1
    redacted = redactor.part(text)
    assert secret not in redacted
    assert len(redacted) == len(text)
    assert redacted.count("\n") == text.count("\n")
    assert redactor.data(text.encode()) == redacted.encode()


def test_a_mask_in_a_text_does_not_tell_how_long_the_secret_is() -> None:
    redactor = Redactor(["correct horse", "correct horse battery"])
    assert redactor.text("a correct horse b") == f"a {MASK} b"
    assert redactor.text("a correct horse battery b") == f"a {MASK} b"
    assert (
        redactor.text(f"a {SECRET} b\n{PEM}\n") == f"a {MASK} b\n{MASK}-----END PRIVATE KEY-----\n"
    )
    assert redactor.text("password=correct-horse-42 b") == f"password={MASK} b"


@pytest.mark.parametrize(
    "text",
    [
        "the task-based-risk-management-of-something-long",
        "tokens = line.split()",
        "max_tokens: 65536",
        "password=getpass.getpass()",
        "basic understanding of the problem",
        "https://example.org/a/b?c=d#e",
        "sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    ],
)
def test_what_does_not_look_like_a_secret(text: str) -> None:
    assert Redactor().text(text) == text


def test_values_of_the_environment_are_blanked_as_they_are() -> None:
    environment = {"MY_TOKEN": "tr0ub4dor ünd 3", "HOME": "/home/someone", "A_KEY": "short"}
    redactor = Redactor(secrets_of(environment))
    assert redactor.text("it is tr0ub4dor ünd 3!") == "it is ********!"
    assert redactor.part("it is tr0ub4dor ünd 3!") == "it is ***************!"
    assert "tr0ub4dor" not in redactor.data("it is tr0ub4dor ünd 3!".encode()).decode()
    assert redactor.text("/home/someone short") == "/home/someone short"


AWKWARD = """p"s's\\w0rd & mo/re ü$`"""


@pytest.mark.parametrize(
    "written",
    [
        AWKWARD,
        json.dumps(AWKWARD),
        json.dumps(AWKWARD, ensure_ascii=False),
        json.dumps({"arguments": json.dumps({"command": f"login {AWKWARD}"})}),
        urllib.parse.quote(AWKWARD),
        urllib.parse.quote_plus(AWKWARD),
        urllib.parse.quote(AWKWARD, safe="").lower(),
        shlex.quote(AWKWARD),
        json.dumps({"command": f"login {shlex.quote(AWKWARD)}"}),
        subprocess.run(
            ["bash", "-c", 'printf %q "$1"', "_", AWKWARD.replace("ü", "u")],
            capture_output=True,
            text=True,
            check=True,
        ).stdout,
    ],
)
def test_a_known_secret_is_found_however_it_is_written(written: str) -> None:
    known = (
        AWKWARD
        if "ü" in written or "%" in written or "\\u" in written
        else AWKWARD.replace("ü", "u")
    )
    redactor = Redactor([known])
    for redacted in (redactor.text(written), redactor.data(written.encode()).decode()):
        assert "w0rd" not in redacted
        assert "mo" not in redacted.replace("command", "")
    assert redactor.found == 2


def test_a_known_secret_is_found_in_files_of_windows() -> None:
    for code in ("utf-16-le", "utf-16-be", "utf-16"):
        redactor = Redactor(["correct horse"])
        assert "horse" not in redactor.data("it is correct horse!".encode(code)).decode("utf-16")
        assert redactor.found == 1


def test_addresses_and_paths_are_not_secrets() -> None:
    environment = {
        "GNOME_KEYRING_CONTROL": "/run/user/1000/keyring",
        "SSH_KEY_PATH": "/home/someone/.ssh/id_ed25519",
        "AWS_SHARED_CREDENTIALS_FILE": "/home/someone/.aws/credentials",
        "TOKENIZERS_PARALLELISM": "not at all",
        "KEYBOARD_LAYOUT": "de-latin1",
        "COMPASS_DIRECTION": "north-by-northwest",
    }
    assert secrets_of(environment) == []
    for name in ("OPENAI_API_KEY", "APIKEY", "DB_PASSWORD", "DB_PASS", "GH_TOKEN_2", "S3.SECRETS",
                 "my_secret_value", "AWS_SECRET_ACCESS_KEY", "KEY1"):  # fmt: skip
        assert secrets_of({name: "tr0ub4dor"}) == ["tr0ub4dor"], name


def test_json_stays_json() -> None:
    for secret in (SECRET, PEM, "password=correct-horse-42", f'{PEM}"}}'):
        text = json.dumps({"command": f'echo "{secret}" end', "n": [1]})
        assert json.loads(Redactor().text(text))["n"] == [1]


def test_every_place_of_a_run() -> None:
    events, _ = sample("text", SECRET)
    done = Redactor().events(events)
    assert SECRET.encode() not in b"".join(e.to_json(event) for event in done)
    for kind in (e.TerminalOutput, e.TerminalInput):  # also a secret that is split over two events
        joined = b"".join(x.data for x in done if isinstance(x, kind))
        assert SECRET.encode() not in joined
        assert b"*" * len(SECRET) in joined
    streamed = "".join(x.text for x in done if isinstance(x, e.ModelDelta))
    assert SECRET not in streamed
    assert [(x.kind, x.seq, x.t) for x in done] == [(x.kind, x.seq, x.t) for x in events]


@given(streams())
def test_events_without_secrets_are_as_they_were(events: list[e.AnyEvent]) -> None:
    redactor = Redactor()
    done = redactor.events(events)
    assert done == events or redactor.found


@given(st.text(max_size=300), st.lists(st.text(min_size=8, max_size=20), max_size=3))
def test_blanking_keeps_length_and_lines(text: str, secrets: list[str]) -> None:
    redacted = Redactor(secrets).part(text)
    assert len(redacted) == len(text)
    assert re.findall(r"[\r\n]", redacted) == re.findall(r"[\r\n]", text)


@pytest.mark.parametrize(
    "piece",
    ["token=", "eyJ", "sk-", "bearer ", "://a:", "-----BEGIN PRIVATE KEY-----", "password-"],
)
def test_no_text_takes_long(piece: str) -> None:
    redactor = Redactor()

    def redact(size: int) -> None:
        redactor.text(piece * (size // len(piece)))

    assert_growth(redact, 50_000, 500_000, below=40)
