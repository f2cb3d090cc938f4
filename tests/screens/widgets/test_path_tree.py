"""The file tree: order, folding, marks, filters, and twenty thousand entries."""

from __future__ import annotations

import random
from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st
from textual.app import App, ComposeResult

from sandbox_tui.core.events import types as e
from sandbox_tui.core.events.run_state import RunState, fold
from sandbox_tui.tui.theming.derived_roles import derived_roles
from sandbox_tui.tui.widgets.files.file_tree import FileTree
from sandbox_tui.tui.widgets.files.file_versions import earlier, versions
from sandbox_tui.tui.widgets.files.path_tree import PathTree
from tests.cost import Work
from tests.unit.event_streams import started

ROOT = "/testbed"


def change(path: str, what: str = "created", **fields: object) -> e.FileChange:
    kind = "dir" if path.endswith("/") else "file"
    full = f"{ROOT}/{path.rstrip('/')}"
    return e.FileChange(path=full, change=what, **{"kind": kind, **fields})  # type: ignore[arg-type]


def listed(*paths: str) -> e.FilesListed:
    return e.FilesListed(files=tuple(change(path, size=100, blob=path) for path in paths))


def changed(step: int, *changes: e.FileChange, by: str = "model") -> e.FilesChanged:
    return e.FilesChanged(step=step, changes=changes, by=by)  # type: ignore[arg-type]


def reply(step: int) -> e.ModelReplied:
    return e.ModelReplied(
        step=step, message={}, text="", reasoning="", usage=e.Usage(), finish_reason="", latency=0
    )


def state_of(*happened: e.AnyEvent) -> RunState:
    return fold([started(), *happened])


def names(tree: PathTree) -> list[str]:
    return [f"{'  ' * row.depth}{row.name}{'/' if row.is_dir else ''}" for row in tree.rows()]


def tree_of(*paths: str) -> PathTree:
    tree = PathTree(ROOT)
    tree.update(state_of(listed(*paths)).files)
    return tree


def test_an_empty_folder_is_not_drawn_as_one_with_the_next_file_in_it() -> None:
    tree = tree_of("output/", "src/", "src/add.py", "answer.txt")
    assert not tree.has_children(f"{ROOT}/output")
    assert tree.has_children(f"{ROOT}/src")


def test_folders_come_first_and_hidden_ones_begin_closed() -> None:
    tree = tree_of("z.txt", "b/", "b/x", "a/", "a/.git/", "a/.git/HEAD", "A.txt", ".git/")
    assert names(tree) == [".git/", "a/", "  .git/", "b/", "  x", "A.txt", "z.txt"]
    tree.folded ^= {f"{ROOT}/b", f"{ROOT}/a/.git"}
    assert names(tree) == [".git/", "a/", "  .git/", "    HEAD", "b/", "A.txt", "z.txt"]


def test_a_folder_that_was_not_listed_is_made_up() -> None:
    tree = tree_of("deep/er/file")
    assert names(tree) == ["deep/", "  er/", "    file"]
    tree.update(state_of(listed("deep/er/file", "deep/", "deep/er/", "deep/a")).files)
    assert names(tree) == ["deep/", "  er/", "    file", "  a"]


def test_a_file_becomes_a_folder() -> None:
    tree = tree_of("x", "y")
    after = state_of(
        listed("x", "y"), changed(1, change("x", "modified", kind="dir"), change("x/in"))
    )
    tree.update(after.files)
    assert names(tree) == ["x/", "  in", "y"]
    tree.update(state_of(listed("x", "y")).files)
    assert names(tree) == ["x", "y"]


def test_filters() -> None:
    happened = [
        listed("in/", "in/data.csv", "in/notes.md"),
        changed(1, change("out/"), change("out/Data.json")),
    ]
    tree = PathTree(ROOT)
    tree.update(state_of(*happened).files)
    assert [row.name for row in tree.matching("data", changed=False)] == [
        "in",
        "data.csv",
        "out",
        "Data.json",
    ]
    assert [row.name for row in tree.matching("out json", changed=False)] == ["out", "Data.json"]
    assert [row.name for row in tree.matching("", changed=True)] == ["out", "Data.json"]
    assert tree.matching("nothing", changed=False) == []


def test_counts_below_a_closed_folder() -> None:
    tree = PathTree(ROOT)
    happened = [
        listed("d/", "d/e/", "d/e/old", "d/gone"),
        changed(1, change("d/e/old", "modified"), change("d/gone", "deleted"), change("d/new")),
    ]
    tree.update(state_of(*happened).files)
    counts = tree.below(f"{ROOT}/d")
    assert (counts.created, counts.modified, counts.deleted) == (1, 1, 1)


PATHS = st.lists(
    st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map("/".join), max_size=12
)


@given(steps=st.lists(PATHS, max_size=5))
def test_growing_is_the_same_as_building(steps: list[list[str]]) -> None:
    grown = PathTree(ROOT)
    every: list[str] = []
    for paths in steps:
        every += paths
        grown.update(state_of(_consistent(every)).files)
    built = PathTree(ROOT)
    built.update(state_of(_consistent(every)).files)
    assert names(grown) == names(built)


def _consistent(paths: Iterable[str]) -> e.FilesListed:
    """Build a listing in which every path with children is a folder."""
    unique = set(paths)
    above = {p.rpartition("/")[0] for p in unique} | {
        "/".join(p.split("/")[:n]) for p in unique for n in range(1, p.count("/") + 1)
    }
    return listed(*(f"{p}/" if p in above else p for p in sorted(unique)))


def test_versions() -> None:
    state = state_of(
        listed("a", "b"),
        changed(1, change("a", "modified", blob="a1"), change("c", blob="c1")),
        changed(2, change("a", "modified", blob="a1"), change("c", "deleted")),
        changed(3, change("a", "modified", blob="a3"), change("c", blob="c3")),
        changed(4, change("b", "deleted")),
    )
    files = {path.rpartition("/")[2]: file for path, file in state.files.items()}
    assert [v.name for v in versions(files["a"])] == ["beginning", "step 1", "step 3"]
    assert [v.blob for v in earlier(files["a"])] == ["a", "a1"]
    assert [v.name for v in versions(files["b"])] == ["beginning", "gone"]
    assert [v.blob for v in versions(files["c"])] == [None, "c1", "c3"]


class Shown(App[None]):
    def __init__(self, state: RunState) -> None:
        super().__init__()
        self.files = FileTree(state)
        self._first = state

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return derived_roles(self.current_theme)

    def compose(self) -> ComposeResult:
        yield self.files

    def on_mount(self) -> None:
        self.files.show(self._first)

    def lines(self) -> list[str]:
        count = self.files.block_count()
        return [self.files.render_line(y).text.rstrip() for y in range(min(count, 20))]


async def test_marks_sizes_and_titles() -> None:
    state = state_of(
        listed("d/", "d/gone", "kept", "odd\x1b[31m\nname"),
        reply(1),
        changed(1, change("d/first", size=1_234)),
        reply(2),
        changed(2, change("kept", "modified", size=98_765), change("d/gone", "deleted")),
    )
    state.seq = 1  # as after the first event of a run
    app = Shown(state)
    async with app.run_test(size=(40, 12)) as pilot:
        assert app.lines() == [
            " ▾ d",
            "     first                   new  1.2k",
            "     gone                 • gone",
            "   kept                   •    ~   99k",
            "   odd␛[31m␊name                  100B",
        ]
        assert app.files.border_title == "files /testbed 3"
        assert app.files.border_subtitle == "+1 ~1 -1 · step 2 +0 ~1 -1"
        await pilot.press("down", "enter")
        assert app.lines()[0].split() == ["▸", "d", "+1", "-1"]
        await pilot.press("c")
        assert [line.split()[0] for line in app.lines()] == ["▸", "kept"]
        assert app.files.border_subtitle == "changed 1 · esc show all"
        await pilot.press("escape")
        assert len(app.lines()) == 3


async def test_a_dot_stays_until_the_calls_of_another_step_run() -> None:
    state = state_of(listed("a", "b"), reply(1), changed(1, change("a", "modified", size=1)))
    app = Shown(state)

    def dotted() -> list[str]:
        app.files.show(state)
        return [line.split()[0] for line in app.lines() if "•" in line]

    call = e.ToolCall(number=1, step=2, id="c", name="execute_bash", arguments="{}")
    async with app.run_test(size=(40, 12)):
        assert dotted() == ["a"]
        state.apply(e.ModelAsked(step=2, digest="", messages=1))
        assert dotted() == ["a"], "while the model thinks"
        for event in (reply(2), e.CallProposed(call=call), e.CallHeld(call=1)):
            state.apply(event)
        assert dotted() == ["a"], "while a person decides"
        state.apply(e.CallDecided(call=1, verdict="approve", by="person"))
        assert dotted() == [], "step 2 runs, and has changed nothing so far"
        state.apply(changed(2, change("b", "modified", size=2)))
        assert dotted() == ["b"]


async def test_twenty_thousand_entries_cost_ten_times_as_much_as_two_thousand() -> None:
    """Applying a change and filtering scale linearly; moving the cursor costs the same."""
    costs: dict[int, list[int]] = {}
    for count in (2_000, 20_000):
        randomly = random.Random(1)
        paths = [f"d{n}/" for n in range(200)]
        paths += [f"d{randomly.randrange(200)}/file-{n}.txt" for n in range(count)]
        state = state_of(listed(*paths))
        app = Shown(state)
        async with app.run_test(size=(60, 30)) as pilot:
            assert app.files.block_count() == count + 200
            state.apply(changed(1, change("d7/fresh.txt", size=5)))
            with Work() as to_follow:
                app.files.show(state)
            with Work() as to_filter:
                app.files.filter_by("d7/ fresh")
            assert [row.name for row in app.files._rows] == ["d7", "fresh.txt"]
            app.files.filter_by("")
            await pilot.press("end")
            with Work() as to_move:
                app.files.action_cursor(-1)
                app.files.render_lines(app.files.size.region)
        costs[count] = [to_follow.lines, to_filter.lines, to_move.lines]
    for small, large, most in zip(costs[2_000], costs[20_000], (11, 11, 2), strict=True):
        assert 0 < large < most * small


def test_a_hundred_thousand_entries_begin_closed_and_can_be_opened() -> None:
    folders = [f"d{n}/" for n in range(1000)]
    files = [f"d{n}/file-{m}.txt" for n in range(1000) for m in range(99)]
    tree = PathTree("/testbed")
    tree.update(state_of(listed(*folders, *files)).files)
    assert len(tree.rows()) == 1000
    tree.folded ^= {"/testbed/d7"}
    rows = tree.rows()
    assert len(rows) == 1099
    assert rows[[row.name for row in rows].index("d7") + 1].path.startswith("/testbed/d7/file-")
    assert len(tree.matching("d12/ file-42.", changed=False)) == 2
