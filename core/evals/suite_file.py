"""Loads suites from small YAML files, which say where the tasks are and how they are scored.

    name: homework
    dataset: {path: questions.jsonl, columns: {problem: question, target: answer}}
    modes: [vanilla, sandbox]
    samples: 4
    scorers: {math: math_verify, chemistry: choice}
    scorer_options: {judge: {base_url: "http://127.0.0.1:8000/v1", model: qwen3}}
    limits: {max_steps: 50}

Only `dataset` is required. The names of tables and their fields are those of `Suite`. A data file
can stand for a suite if the caller names a scorer.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated, Any, cast

import msgspec

from sandbox_tui.core.base.errors import ConfigError, refuse_deep_nesting
from sandbox_tui.core.base.typed_path import is_file, is_folder, is_there, typed_path
from sandbox_tui.core.config.expected_values import refuse_unknown_keys
from sandbox_tui.core.config.plain_values import with_plain_values
from sandbox_tui.core.config.settings import ModelSettings, SandboxSettings, config_dir
from sandbox_tui.core.evals.loaders import rows
from sandbox_tui.core.evals.loaders.dataset import Dataset
from sandbox_tui.core.evals.loaders.selection import selected
from sandbox_tui.core.evals.loaders.table import load_tasks
from sandbox_tui.core.evals.sample import EvalMode
from sandbox_tui.core.evals.scorers.table import NEED_TARGET
from sandbox_tui.core.evals.suite import VANILLA, Suite
from sandbox_tui.core.evals.suite_file_errors import described
from sandbox_tui.core.events.types import Limits
from sandbox_tui.core.prompts.yaml_problem import yaml_problem

_SUITES = "sandbox_tui.core.evals.suites"
_SETTINGS = ("model", "limits", "sandbox")
DATA_FILES = (".csv", ".json", ".jsonl", ".parquet")
"""Suffixes of the data files that can stand for a suite."""

YAML_FILES = (".yaml", ".yml")
SUITE_FILES = (*YAML_FILES, *DATA_FILES)
"""Suffixes of all files that can be run as a suite."""


class SuiteFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Contents of a suite file. Fields as in `Suite`, and:

    Attributes:
        description: one sentence for lists of suites.
        scorers, vanilla_prompts: one name for all tasks, or names by domain.
    """

    dataset: Dataset
    name: str = ""
    description: str = ""
    modes: tuple[EvalMode, ...] = ("vanilla", "sandbox")
    samples: Annotated[int, msgspec.Meta(ge=1)] = 1
    scorers: str | dict[str, str] = {}
    scorer_options: dict[str, dict[str, Any]] = {}
    prompts: str = ""
    vanilla_prompts: str | dict[str, str] = VANILLA
    model: ModelSettings = ModelSettings()
    limits: Limits = Limits()
    sandbox: SandboxSettings = SandboxSettings()
    seed: int = 0
    window: Annotated[int, msgspec.Meta(ge=1)] | None = None


class UnknownSuite(ConfigError):
    """There is no suite of this name.

    Attributes:
        with_names: the same in words that name all suites, for where no command can be typed.
    """

    def __init__(self, name: str, known: Sequence[str]) -> None:
        words, file = f"There is no suite {name!r}", f"end in .yaml, or {', '.join(DATA_FILES)}"
        near = next(iter(difflib.get_close_matches(name, known, 1)), "")
        meant = f"{words}. Did you mean {near!r}?"
        listed = f"{words}: `sandbox-tui eval suites` lists them; the name of a file must {file}."
        names = f"{words}. Known suites: {', '.join(known)}; or a .yaml or data file."
        super().__init__(meant if near else listed)
        self.with_names = meant if near else names


def load_suite(name_or_path: str, *, overrides: Mapping[str, Any] | None = None) -> Suite:
    """Load a suite from a file or by name: built in, or in suites/ of the config folder.

    Args:
        name_or_path: a name, a path that ends in .yaml or .yml, a data file, or a task folder of
            the reference (config.yaml, reward.py).
        overrides: values that replace the file's, by dotted name, such as `{"dataset.limit": 20,
            "modes": ["sandbox"]}`; None values are ignored.

    Raises:
        ConfigError: the suite is unknown or invalid; the message names the file and the error.
    """
    file = typed_path(name_or_path)
    _refuse_missing(name_or_path, file)
    if file.suffix in YAML_FILES:
        return _suite(file.stem, _read(name_or_path, file), file.parent, overrides or {})
    if file.suffix in DATA_FILES:
        return _suite(file.stem, {"dataset": {"path": file.name}}, file.parent, overrides or {})
    if is_folder(file):
        from sandbox_tui.core.evals.loaders.reference_task import suite_tables

        return _suite(file.resolve().name, suite_tables(file), file, overrides or {})
    known = {entry.name.removesuffix(".yaml"): entry for entry in _suite_files()}
    if name_or_path not in known:
        raise UnknownSuite(name_or_path, sorted(known))
    entry = known[name_or_path]
    folder = entry.parent if isinstance(entry, Path) else Path()
    return _suite(name_or_path, _read(name_or_path, entry), folder, overrides or {})


def _refuse_missing(typed: str, file: Path) -> None:
    """Refuse the name of a file that there is not.

    Raises:
        ConfigError: the message says what else could be typed.
    """
    if file.suffix not in SUITE_FILES or is_file(file):
        return
    what = "is not a file" if is_there(file) else "does not exist"
    raise ConfigError(
        f"{typed} {what}. A suite is a name (`sandbox-tui eval suites` lists them), a file "
        f"(.yaml, or data: {', '.join(DATA_FILES)}), or a folder of the reference."
    )


def needs_download(name_or_path: str) -> bool:
    """Return whether the tasks of a suite may have to be downloaded.

    Raises:
        ConfigError: its file cannot be read.
    """
    dataset: object = _tables(name_or_path).get("dataset")
    return isinstance(dataset, dict) and "hugging_face" in cast(dict[Any, Any], dataset).values()


def scorers_in_file(name_or_path: str) -> tuple[str, ...]:
    """Return the scorers that a suite names under `scorers`, without loading its tasks; none for a
    data file.

    Raises:
        ConfigError: its file cannot be read.
    """
    named: object = _tables(name_or_path).get("scorers")
    names = cast(dict[Any, Any], named).values() if isinstance(named, dict) else (named,)
    return tuple(dict.fromkeys(name for name in names if isinstance(name, str)))


def known_domains(name_or_path: str) -> Sequence[str]:
    """Return the domains of a suite's tasks; if those may have to be downloaded, the one that its
    file names for all of them.

    Raises:
        ConfigError: the suite is unknown or invalid.
    """
    if not needs_download(name_or_path):
        return load_suite(name_or_path, overrides={"dataset.limit": 1}).domains  # of each
    dataset = cast(dict[str, object], _tables(name_or_path)["dataset"])
    return [named] if isinstance(named := dataset.get("domain"), str) else []


def _tables(name_or_path: str) -> dict[str, Any]:
    """Return what the file of a suite says; nothing for other files and unknown names."""
    file = typed_path(name_or_path)
    if file.suffix in YAML_FILES:
        return _read(name_or_path, file)
    entries = (one for one in _suite_files() if one.name == f"{name_or_path}.yaml")
    entry = next(entries, None)
    return {} if entry is None else _read(name_or_path, entry)


def known_suites() -> dict[str, str]:
    """Return the descriptions of all named suites, by name; empty if a file cannot be read."""
    found: dict[str, str] = {}
    for entry in _suite_files():
        name = entry.name.removesuffix(".yaml")
        try:
            found[name] = str(_read(name, entry).get("description") or "")
        except ConfigError:
            found[name] = ""
    return dict(sorted(found.items()))


def suite_names() -> list[str]:
    """Return the names of all named suites; reads no file."""
    return sorted({entry.name.removesuffix(".yaml") for entry in _suite_files()})


def _suite_files() -> Iterator[Traversable]:
    """Yield the files of the named suites; the user's own come last and take precedence."""
    for folder in (resources.files(_SUITES), config_dir() / "suites"):
        if folder.is_dir():
            yield from (entry for entry in folder.iterdir() if entry.name.endswith(".yaml"))


def _read(name: str, file: Traversable) -> dict[str, Any]:
    import yaml

    try:
        with refuse_deep_nesting(f"The suite {name}"):
            value: object = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ConfigError(f"The suite {name} cannot be read: {reason}.") from error
    except yaml.YAMLError as error:
        raise ConfigError(f"The suite {name} is not valid YAML: {yaml_problem(error)}.") from error
    if not isinstance(value, dict):
        raise ConfigError(f"The suite {name} must be a table of keys and values.")
    return {str(key): one for key, one in cast(dict[Any, Any], value).items()}


def _suite(name: str, tables: dict[str, Any], folder: Path, overrides: Mapping[str, Any]) -> Suite:
    source = f"The suite {name}"
    for key, value in overrides.items():
        if value is not None:
            _set_value(tables, key, value)
    try:
        tables = with_plain_values(tables)
        content = msgspec.convert(tables, SuiteFile)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{source}: {described(error, SuiteFile, tables)}") from error
    _check(content, tables, source)
    tasks = selected(load_tasks(content.dataset, folder, source), content.dataset, source)
    scorers = content.scorers
    suite = Suite(
        name=content.name or name,
        tasks=tasks,
        modes=content.modes,
        samples=content.samples,
        scorers={"": scorers} if isinstance(scorers, str) else scorers,
        scorer_options=content.scorer_options,
        prompts=_resolve_pack(folder, content.prompts),
        vanilla_prompts=_resolve_packs(folder, content.vanilla_prompts),
        seed=content.seed,
        window=content.window,
        **{key: dict(tables.get(key) or {}) for key in _SETTINGS},
    )
    check_targets(suite, source)
    return suite


def check_targets(suite: Suite, source: str) -> None:
    """Check before the first sample what each of them would fail for.

    Raises:
        ConfigError: a task has no target, and its scorer needs one.
    """
    for task in suite.tasks:
        scorer = suite.scorer_of(task)
        if scorer in NEED_TARGET and not task.target:
            how = rows.how_to_name("target", task.metadata, "Its other columns are")
            raise ConfigError(
                f"{source}, task {task.id}: there is no target to compare the answer with, which "
                f"the scorer {scorer} does. {how}"
            )


def _check(content: SuiteFile, tables: Mapping[str, Any], source: str) -> None:
    """Check what the types do not express.

    Raises:
        ConfigError: a value is invalid.
    """
    if not content.modes or len(set(content.modes)) < len(content.modes):
        raise ConfigError(f"{source}: modes must name each mode once, and at least one.")
    refuse_unknown_keys(source, tables, "limits", Limits)


def _set_value(tables: dict[str, Any], name: str, value: Any) -> None:
    *above, key = name.split(".")
    for table in above:
        found: object = tables.setdefault(table, {})
        if not isinstance(found, dict):
            return  # converting the whole file reports the error
        tables = cast(dict[str, Any], found)
    tables[key] = value


def _resolve_packs(folder: Path, packs: str | dict[str, str]) -> str | dict[str, str]:
    if isinstance(packs, str):
        return _resolve_pack(folder, packs)
    return {domain: _resolve_pack(folder, pack) for domain, pack in packs.items()}


def _resolve_pack(folder: Path, pack: str) -> str:
    """Resolve the file of a prompt pack relative to the suite; a name stays as it is."""
    return str(folder / typed_path(pack)) if pack.endswith(YAML_FILES) else pack
