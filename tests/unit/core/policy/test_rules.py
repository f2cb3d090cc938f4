"""Policy rules about tool calls."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sandbox_tui.core.base.errors import ConfigError
from sandbox_tui.core.base.tool_names import installed_tool_names
from sandbox_tui.core.config.settings import load
from sandbox_tui.core.policy.rule_matching import PolicyDecision, decide
from sandbox_tui.core.policy.rules import BASH, EDITOR, Action, Policy, Rule
from sandbox_tui.core.policy.session_rules import granted_rules, open_parts
from tests.unit.core.policy.test_bash_parser import PIECES, ran_by_bash

RULES = (
    Rule(action="allow", tool=BASH, command="rm -rf /tmp/*"),
    Rule(action="deny", tool=BASH, command="rm -rf *", reason="Keep what there is."),
    Rule(action="ask", tool=BASH, command="pip *"),
    Rule(action="allow", tool=BASH, command="ls *"),
    Rule(action="allow", tool=BASH, regex=r"git (status|log)( .*)?"),
    Rule(action="allow", tool=BASH, command="> /testbed/*"),
    Rule(action="allow", tool=EDITOR, command="view"),
    Rule(action="deny", tool=EDITOR, path="/etc/*"),
    Rule(action="allow", tool=EDITOR, command="create", path="/testbed/*"),
    Rule(action="allow", tool="submit"),
)
POLICY = Policy(rules=RULES)


def bash(command: str, policy: Policy = POLICY, granted: tuple[Rule, ...] = ()) -> PolicyDecision:
    return decide(policy, BASH, json.dumps({"command": command}), granted)


@pytest.mark.parametrize(
    ("command", "action", "rule"),
    [
        ("ls", "allow", 4),
        ("ls -la /", "allow", 4),
        ("lsblk", "ask", None),
        ("ls && ls | ls; ls", "allow", 4),
        ("ls && pwd", "ask", None),
        ("ls\npip install x", "ask", 3),
        ("ls $(rm -rf /x)", "deny", 2),
        ("pip x; rm -rf y", "deny", 2),
        ("ls; rm -rf /tmp/x", "allow", None),
        ("rm -rf /tmp/x; rm -rf /y", "deny", 2),
        ("git status", "allow", 5),
        ("git status --short", "allow", 5),
        ("git push", "ask", None),
        ("git status; git push", "ask", None),
        ("ls > /testbed/out", "allow", None),
        ("ls > /testbed/../etc/passwd", "ask", None),
        ("ls > out", "ask", None),
        ("ls 2>/dev/null", "allow", 4),
        ("X=1 ls", "ask", None),
        ("sudo rm -rf x", "deny", 2),
        ("env A=1 rm -rf x", "deny", 2),
        ("timeout 5 /bin/rm -rf x", "deny", 2),
        ("A=1 rm -rf x", "deny", 2),
        ("/usr/bin/rm -rf x", "deny", 2),
        ("r''m -rf x", "deny", 2),
        ("r\0m -rf x", "deny", 2),
        ("bash -c 'ls; rm -rf x'", "deny", 2),
        ("eval 'rm -rf x'", "deny", 2),
        ("$X -rf y", "ask", None),
        ("case x in x) rm -rf y;; esac", "deny", 2),
        ("f() { ls; }; f", "ask", None),
        ("if ls; then ls; fi", "allow", 4),
        ("echo rm -rf x", "ask", None),
    ],
)
def test_a_bash_command_is_as_good_as_its_worst_part(
    command: str, action: Action, rule: int | None
) -> None:
    found = bash(command)
    assert found.action == action
    assert rule is None or found.rule == rule


@pytest.mark.parametrize(
    ("command", "path", "action", "rule"),
    [
        ("view", "/etc/passwd", "allow", 7),
        ("create", "/etc/x", "deny", 8),
        ("create", "/testbed/a/b", "allow", 9),
        ("create", "/testbed/../etc/x", "deny", 8),
        ("create", "//etc/x", "deny", 8),
        ("create", "/testbed/./x/../y", "allow", 9),
        ("create", "elsewhere", "ask", None),
        ("insert", "/testbed/x", "ask", None),
    ],
)
def test_the_editor_is_judged_by_command_and_path(
    command: str, path: str, action: Action, rule: int | None
) -> None:
    found = decide(POLICY, EDITOR, json.dumps({"command": command, "path": path}))
    assert (found.action, found.rule) == (action, rule)


def test_other_tools_are_judged_by_name() -> None:
    assert decide(POLICY, "submit", "{}").action == "allow"
    assert decide(POLICY, "submit", "").rule == 10
    assert decide(POLICY, "unheard_of", "{}").action == "ask"
    star = Policy(rules=(Rule(action="deny"),))
    assert decide(star, "unheard_of", "{}").action == "deny"
    assert bash("ls", star).action == "deny"


@pytest.mark.parametrize("arguments", ["{", "[1]", '{"command": 5}', '{"command": [1]}', '""'])
def test_arguments_that_are_odd_are_never_allowed_by_a_pattern(arguments: str) -> None:
    assert decide(POLICY, BASH, arguments).action == "ask"
    assert decide(POLICY, EDITOR, arguments).action == "ask"


def test_what_is_in_doubt_is_allowed_only_where_everything_is() -> None:
    doubtful = "case a in a) ls;; esac"
    everything = Rule(action="allow", tool=BASH)
    assert bash(doubtful, Policy(rules=(everything,))).action == "allow"
    assert bash(doubtful, Policy(rules=(RULES[1], everything))).action == "ask"
    assert bash(doubtful, Policy(rules=(RULES[3], everything))).action == "allow"
    assert bash(doubtful, Policy(default="allow", rules=(RULES[2],))).action == "ask"
    assert "cannot be checked:" in bash(doubtful).why
    itself = Rule(action="allow", tool=BASH, command=doubtful)
    assert bash(doubtful, Policy(rules=(itself,))).action == "allow"


def test_the_default_holds_where_no_rule_does() -> None:
    assert bash("pwd", Policy(default="allow")).action == "allow"
    assert bash("pwd", Policy(default="deny")).action == "deny"
    assert bash("pwd", Policy()).why == "no rule matches this call"


def test_handing_in_is_allowed_unless_a_rule_says_otherwise() -> None:
    for default in ("ask", "deny", "allow"):
        assert decide(Policy(default=default), "submit", "{}").action == "allow"
    rule = Rule(action="ask", tool="submit")
    assert decide(Policy(default="allow", rules=(rule,)), "submit", "{}").action == "ask"


def test_the_parts_of_a_command_that_no_rule_matches_are_named() -> None:
    assert bash("ls; make a && make b; ls").why == "no rule matches `make a`, `make b`"
    assert bash("make a").why == "no rule matches this call"
    assert bash("make a; rm -rf x").why == "rule 2: deny execute_bash rm -rf *"


def test_reason_and_rule_are_reported() -> None:
    found = bash("rm -rf x")
    assert (found.why, found.reason) == (
        "rule 2: deny execute_bash rm -rf *",
        "Keep what there is.",
    )


# --- what the user allows during the run


@pytest.mark.parametrize(
    ("command", "proposals"),
    [
        ("pwd", ["pwd"]),
        ("python3 -V", ["python3 -V", "python3 *"]),
        ("git push origin", ["git push origin", "git push *", "git *"]),
        (
            "ls; make all; make x",
            ["make all", "make all *", "make *", "make x", "make x *", "make *"],
        ),
        ("echo x > /tmp/a/b", ["> /tmp/a/b", "> /tmp/a/*", "echo x", "echo x *", "echo *"]),
        ("echo x > b", ["> b", "echo x", "echo x *", "echo *"]),
        ("sudo apt install x", ["sudo apt install x"]),
        ("bash -c 'a; b'", ["bash -c 'a; b'"]),
        ("rm -f *.o [ab]?", ["rm -f [*].o [[]ab][?]", "rm *"]),
        ("$X -rf", ["$X -rf"]),
        ("[[ a ]]", ["[[][[] a ]]"]),
        ("f() {\nx\n}", ["f() {\nx\n}"]),
    ],
)
def test_proposals_go_from_the_exact_command_to_broader_ones(
    command: str, proposals: list[str]
) -> None:
    given = json.dumps({"command": command})
    parts = open_parts(POLICY, BASH, given)
    assert [one for part in parts for one in part.proposals] == proposals
    for place in range(max(len(part.proposals) for part in parts)):
        patterns = [part.proposals[min(place, len(part.proposals) - 1)] for part in parts]
        assert all(one.is_matched_by(p) for one, p in zip(parts, patterns, strict=True))
        found = bash(command, granted=granted_rules(BASH, patterns))
        assert (found.action, found.granted) == ("allow", True)


def test_the_first_proposal_allows_nothing_else() -> None:
    given = json.dumps({"command": "rm -f *.o"})
    (part,) = open_parts(Policy(), BASH, given)
    rules = granted_rules(BASH, part.proposals[:1])
    assert bash("rm -f *.o", Policy(), rules).granted
    assert bash("rm -f a b.o", Policy(), rules).action == "ask"


@pytest.mark.parametrize(
    ("pattern", "matches"),
    [("make *", True), (" make all ", True), ("*", True), ("make x", False), ("", False)],
)
def test_a_part_says_what_matches_it(pattern: str, matches: bool) -> None:
    (part,) = open_parts(Policy(), BASH, json.dumps({"command": "make all"}))
    assert part.is_matched_by(pattern) is matches
    (whole,) = open_parts(Policy(), BASH, json.dumps({"command": "make *; f() {"}))
    assert whole.proposals == ("make [*]; f() {",)
    assert whole.is_matched_by(whole.proposals[0])
    assert whole.is_whole
    assert whole.is_matched_by("*")
    assert whole.is_matched_by(whole.text)
    assert not whole.is_matched_by("make *")


@pytest.mark.parametrize("action", ["ask", "allow"])
def test_the_exact_text_of_an_unclear_command_can_be_granted_whatever_the_rules_say(
    action: Action,
) -> None:
    policy = Policy(rules=(Rule(action=action, tool=BASH),))
    command = "case x in *) date;; esac"
    assert not bash(command, policy).granted
    assert bash(command, policy, granted_rules(BASH, [command])).granted
    denying = Policy(default="deny")
    assert bash(command, denying, granted_rules(BASH, ["*"])).action == "deny"


def test_a_grant_does_not_override_a_denial() -> None:
    everything = granted_rules(BASH, ["*"])
    assert bash("pip install x", granted=everything).action == "allow"
    assert bash("rm -rf x", granted=everything).action == "deny"
    assert bash("ls; rm -rf x", granted=everything).action == "deny"


def test_the_editor_and_other_tools_can_be_granted() -> None:
    given = json.dumps({"command": "insert", "path": "/testbed/a/b.py"})
    (part,) = open_parts(POLICY, EDITOR, given)
    assert part.proposals == ("insert /testbed/a/b.py", "insert /testbed/a/*", "* /testbed/a/*")
    for pattern in part.proposals:
        assert part.is_matched_by(pattern)
        assert decide(POLICY, EDITOR, given, granted_rules(EDITOR, [pattern])).granted
    assert not part.is_matched_by("insert /testbed/b/*")
    rules = granted_rules(EDITOR, part.proposals[1:2])
    other = json.dumps({"command": "insert", "path": "/testbed/a/../c"})
    assert decide(POLICY, EDITOR, other, rules).action == "ask"
    (other_tool,) = open_parts(POLICY, "unheard_of", "{}")
    assert other_tool.proposals == ("unheard_of",)
    assert not other_tool.is_matched_by("unheard *")
    assert decide(POLICY, "unheard_of", "{}", granted_rules("unheard_of", ["x"])).granted


# --- arbitrary input


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(PIECES, min_size=1, max_size=10).map("".join))
def test_bash_runs_only_what_was_allowed(
    tmp_path_factory: pytest.TempPathFactory, command: str
) -> None:
    policy = Policy(rules=(Rule(action="allow", tool=BASH, command="aa *"),))
    if bash(command, policy).action == "allow":
        assert ran_by_bash(command, tmp_path_factory.mktemp("bash")) <= {"aa"}


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_call_gets_a_judgement(tool: str, arguments: str) -> None:
    for name in (tool, BASH, EDITOR):
        for given_ in (arguments, json.dumps({"command": arguments, "path": arguments})):
            assert decide(POLICY, name, given_).action in ("allow", "ask", "deny")
            patterns = [p for part in open_parts(POLICY, name, given_) for p in part.proposals]
            granted = granted_rules(name, patterns)
            assert decide(POLICY, name, given_, granted).action in ("allow", "ask", "deny")


@given(st.text(max_size=40))
def test_without_rules_a_person_is_always_asked(command: str) -> None:
    assert bash(command, Policy()).action == "ask"


# --- in the config


def config(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "config.toml"
    file.write_text(text)
    return file


def test_rules_come_from_the_config(tmp_path: Path) -> None:
    file = config(
        tmp_path,
        '[policy]\ndefault = "deny"\n[[policy.rules]]\naction = "allow"\ntool = "submit"\n',
    )
    policy = load(file=file).policy
    assert policy == Policy(default="deny", rules=(Rule(action="allow", tool="submit"),))


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (
            'action = "maybe"',
            "policy rule 2: action must be one of allow, ask or deny, not 'maybe'.",
        ),
        (
            'action = "alow"',
            "policy rule 2: action must be one of allow, ask or deny, not 'alow'. "
            "Did you mean 'allow'?",
        ),
        ('tool = "submit"', "policy rule 2: Object missing required field `action`"),
        ('action = "deny"\ntool = "bash"', "policy rule 2: there is no tool named 'bash'"),
        ('action = "deny"\ncommand = "ls"', "policy rule 2: `command` needs tool"),
        ('action = "deny"\ntool = "execute_bash"\npath = "/"', "policy rule 2: `path` needs"),
        ('action = "deny"\ntool = "execute_bash"\nregex = "("', "policy rule 2: the regular"),
        ('action = "deny"\ntool = "submit"\nregex = "a"', "policy rule 2: `regex` needs"),
        (
            'action = "deny"\ntool = "execute_bash"\nregex = "a"\ncommand = "b"',
            "policy rule 2: give `command` or `regex`, not both",
        ),
        ('action = "deny"\ncomand = "ls"', "Did you mean 'command'?"),
    ],
)
def test_a_rule_that_cannot_be_used_is_named_by_its_number(
    tmp_path: Path, rule: str, words: str
) -> None:
    good = '[[policy.rules]]\naction = "allow"\n'
    with pytest.raises(ConfigError) as caught:
        load(file=config(tmp_path, f"{good}[[policy.rules]]\n{rule}\n"))
    assert words in str(caught.value)
    assert "config.toml" in str(caught.value)


def test_a_rule_may_be_about_a_tool_that_a_package_installs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_home: Path
) -> None:
    own_home.mkdir(exist_ok=True)
    (own_home / "config.toml").write_text(
        '[[policy.rules]]\naction = "deny"\ntool = "look_around"\n'
    )
    with pytest.raises(ConfigError, match="no tool named 'look_around'"):
        load()
    package = tmp_path / "looking-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: looking\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text("[sandbox_tui.tools]\nlook_around = looking:Look\n")
    monkeypatch.syspath_prepend(tmp_path)
    installed_tool_names.cache_clear()
    try:
        assert load().policy.rules[0].tool == "look_around"
    finally:
        installed_tool_names.cache_clear()
