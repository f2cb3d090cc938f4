"""`sandbox-tui image build`: what it refuses, and what it says when the image is ready."""

from __future__ import annotations

from typing import Any

import pytest
from click.testing import CliRunner, Result

from sandbox_tui.core.sandboxes.image_name import DEFAULT_IMAGE
from sandbox_tui.tui.cli import build_image
from sandbox_tui.tui.cli.main import main


def build(*words: str) -> Result:
    return CliRunner().invoke(main, ["image", "build", *words])


async def builds_at_once(*_: Any, **__: Any) -> None:
    """A build that needs no engine."""


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build_image, "build_from_dockerfile", builds_at_once)
    monkeypatch.setattr(build_image, "build_from_packages", builds_at_once)


@pytest.mark.usefixtures("quick")
def test_a_small_image_is_built_from_packages_alone() -> None:
    done = build("--small")
    assert done.exit_code == 2
    assert done.output.count("\n") == 1
    assert "--from-packages" in done.output
    assert build("--small", "--from-packages").exit_code == 0


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("tag", "chosen", "words"),
    [
        (None, "", "`sandbox-tui run` uses it from now on"),
        ("mine:1", "mine:1", "`sandbox-tui run` uses it from now on"),
        ("mine", "mine:latest", "`sandbox-tui run` uses it from now on"),
        ("mine:1", "", "`sandbox-tui run --image mine:1` uses it"),
        (None, "mine:1", f"`sandbox-tui run --image {DEFAULT_IMAGE}` uses it"),
    ],
)
def test_it_says_which_runs_use_the_image(
    tag: str | None, chosen: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SANDBOX_TUI_SANDBOX_IMAGE", chosen)
    assert words in build(*(("--tag", tag) if tag else ())).output


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("tag", ["", "Bad Name", "UPPER:1", "mine:", "mine:a b", "-x", "a//b"])
def test_a_tag_that_no_image_can_have_is_refused_before_the_build(tag: str) -> None:
    for kind in ([], ["--from-packages"]):
        done = build(f"--tag={tag}", *kind)
        assert done.exit_code == 2
        assert done.output == (
            f"sandbox-tui: --tag must be the name of an image, such as mine:1, not {tag!r}.\n"
        )


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("tag", ["mine", "mine:1.0-RC", "ghcr.io/me/my_image:x", "Host:5000/a/b:v"])
def test_names_of_images_are_accepted(tag: str) -> None:
    assert build("--tag", tag).exit_code == 0
