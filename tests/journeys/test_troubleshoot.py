"""Guide: Troubleshoot."""

from __future__ import annotations

from collections.abc import Callable

from sandbox_tui.core.sandboxes.docker.engine import connect
from tests import scripted_server as s
from tests.integration.conftest import require
from tests.journeys.person import Person

Serve = Callable[..., s.ScriptedServer]


def test_the_doctor_says_what_is_there(person: Person) -> None:
    with person:
        person.enters("sandbox-tui doctor")
        person.is_back()
        person.sees("bubblewrap")
        person.enters("sandbox-tui doctor --json | grep name")
        person.is_back()
        person.sees('"name":')


def test_the_doctor_asks_the_model(person: Person, scripted_server: Serve) -> None:
    written = '```json\n{"name": "say_hello", "arguments": {"name": "World"}}\n```'
    server = scripted_server(s.say(written))
    config = f'[model]\nname = "m"\nbase_url = "{server.url}"\nlocal_ports = []\n'
    (person.folder / "home" / "config.toml").write_text(config)
    with person:
        screen = person.runs("sandbox-tui doctor --ask-model")
        assert "The model wrote its call as text" in " ".join(screen.split())


def test_a_run_that_failed_says_why(person: Person, scripted_server: Serve) -> None:
    server = scripted_server(s.failure(401, "no such key"))
    with person:
        person.enters(f"sandbox-tui run x --base-url {server.url} --model m")
        person.sees("model error", "key")
        person.presses("q")
        assert person.is_back() == 5
        assert "key" in person.runs("sandbox-tui sessions show last")


def test_an_image_that_is_missing_is_offered(person: Person, scripted_server: Serve) -> None:
    require("docker")
    server = scripted_server(s.call("submit"))
    with person:
        person.enters(
            f"sandbox-tui run x --base-url {server.url} --model m --sandbox docker --image no:such"
        )
        person.sees("the image is missing", "no:such")
        person.presses("n")
        assert person.is_back() == 3


def test_a_run_that_cannot_start_gives_its_text_back(
    person: Person, scripted_server: Serve
) -> None:
    require("docker")
    require("bubblewrap")
    server = scripted_server(s.call("submit"))
    model = f'[model]\nname = "m"\nbase_url = "{server.url}"\nlocal_ports = []\n'
    sandbox = '[sandbox]\nkind = "docker"\nimage = "no:such"\n'
    (person.folder / "home" / "config.toml").write_text(model + sandbox)
    with person:
        person.enters("sandbox-tui")
        person.sees("Nothing here yet")
        person.presses("n")
        person.sees("new run")
        person.types("a task typed with care")
        person.presses("C-s")
        person.sees("the image is missing", "no:such", "Use bubblewrap instead")
        person.presses("Escape")
        person.sees("new run", "a task typed with care", "Draft saved")
        person.presses("C-s")
        person.sees("the image is missing", "Use bubblewrap instead")
        person.presses("Tab", "Enter")
        person.sees("submitted", "bubblewrap")
        person.presses("q")
        person.sees("a task typed with care", "submitted", "n new run")
        person.presses("q")
        assert person.is_back() == 0


def test_an_image_is_made_without_a_registry(person: Person) -> None:
    require("docker")
    image = "sandbox-tui-journey:latest"
    with person:
        person.runs(
            f"sandbox-tui image build --from-packages --small --tag {image} | tail -3", seconds=600
        )
    client = connect()
    try:
        assert client.images.get(image)
        client.images.remove(image)
    finally:
        client.close()
