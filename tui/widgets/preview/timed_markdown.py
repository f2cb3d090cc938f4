"""Rich's Markdown with a time limit on highlighting its code blocks."""

from __future__ import annotations

from typing import ClassVar

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Markdown, MarkdownElement
from rich.syntax import Syntax, SyntaxTheme
from typing_extensions import override

from sandbox_tui.tui.widgets.preview.timed_lexer import TimeBudget, timed_lexer

_PARSER = MarkdownIt(options_update={"html": False}).enable(["strikethrough", "table"])
"""Parses HTML tags as text: Rich draws no HTML, so tags and their contents would be lost."""


class TimedMarkdown(Markdown):
    """A Markdown text.

    Args:
        text: the source.
        theme: the syntax theme of code blocks.
    """

    elements: ClassVar[dict[str, type[MarkdownElement]]]

    def __init__(self, text: str, theme: SyntaxTheme) -> None:
        super().__init__("", hyperlinks=False, justify="left")
        self.markup = text
        self.parsed = _PARSER.parse(text)
        self.theme = theme
        self.allowance = TimeBudget()


class Code(CodeBlock):
    """A code block."""

    @classmethod
    @override
    def create(cls, markdown: Markdown, token: Token) -> Code:
        assert isinstance(markdown, TimedMarkdown)
        return cls(token.info.partition(" ")[0] or "text", markdown)

    def __init__(self, lexer: str, markdown: TimedMarkdown) -> None:
        super().__init__(lexer, "")
        self._markdown = markdown

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lexer = timed_lexer(self.lexer_name, self._markdown.allowance)
        code = str(self.text).rstrip()
        yield Syntax(code, lexer, theme=self._markdown.theme, word_wrap=True, padding=1)


TimedMarkdown.elements = Markdown.elements | {"fence": Code, "code_block": Code}
