"""Rich's Markdown, whose blocks of code are coloured as long as there is time for it."""

from __future__ import annotations

from typing import ClassVar

from markdown_it.token import Token
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Markdown, MarkdownElement
from rich.syntax import Syntax, SyntaxTheme

from .lexer_in_time import Allowance, lexer_in_time


class MarkdownInTime(Markdown):
    """A text in Markdown.

    Args:
        text: its source.
        theme: the colours of code.
    """

    elements: ClassVar[dict[str, type[MarkdownElement]]]

    def __init__(self, text: str, theme: SyntaxTheme) -> None:
        super().__init__(text, hyperlinks=False, justify="left")
        self.theme = theme
        self.allowance = Allowance()


class Code(CodeBlock):
    """A block of code."""

    @classmethod
    def create(cls, markdown: Markdown, token: Token) -> Code:
        """See `CodeBlock`."""
        assert isinstance(markdown, MarkdownInTime)
        return cls(token.info.partition(" ")[0] or "text", markdown)

    def __init__(self, lexer: str, markdown: MarkdownInTime) -> None:
        super().__init__(lexer, "")
        self._markdown = markdown

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lexer = lexer_in_time(self.lexer_name, self._markdown.allowance)
        code = str(self.text).rstrip()
        yield Syntax(code, lexer, theme=self._markdown.theme, word_wrap=True, padding=1)


MarkdownInTime.elements = Markdown.elements | {"fence": Code, "code_block": Code}
