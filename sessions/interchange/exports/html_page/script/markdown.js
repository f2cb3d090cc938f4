
  // --- Markdown. Creates only text and elements that load or link to nothing.

  // Repetitions are bounded, so that no text takes quadratic time.
  const MAX_PATTERN_LINE = 2000;
  const INLINE = new RegExp([
    "(`{1,4})([^`\\n]{1,1000})\\1", "\\*\\*([^*\\n]{1,1000})\\*\\*", "__([^_\\n]{1,1000})__", "~~([^~\\n]{1,1000})~~",
    "\\*([^\\s*][^*\\n]{0,1000})\\*", "(?<!\\w)_([^\\s_][^_\\n]{0,1000})_(?!\\w)",
    "!?\\[([^\\[\\]\\n]{0,300})\\]\\(([^()\\s]{0,300})( \"[^()\\n]{0,300}\")?\\)",
    "\\\\([\\\\`*_{}\\[\\]()#+.!|~-])",
  ].join("|"), "g");
  const inline = (text, into, depth = 0) => {
    let done = 0;
    for (const match of text.matchAll(INLINE)) {
      const [all, , code, strong, strong2, struck, weak, weak2, label, address, , plain] = match;
      into.append(text.slice(done, match.index));
      done = match.index + all.length;
      const within = (tag, inner) => {
        const element = make(tag);
        if (depth < 4) inline(inner, element, depth + 1); else element.textContent = inner;
        into.append(element);
      };
      if (code !== undefined) into.append(make("code", "", code));
      else if (strong || strong2) within("strong", strong || strong2);
      else if (struck) within("s", struck);
      else if (weak || weak2) within("em", weak || weak2);
      else if (plain) into.append(plain);
      else {
        within("u", label || address);
        if (label && address && address !== label) into.append(make("span", "dim", ` (${address})`));
      }
    }
    into.append(text.slice(done));
  };

  const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([\w+-]*)/, HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*$/;
  const RULE = /^ {0,3}(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,})$/, QUOTE = /^ {0,3}> ?/;
  const LIST = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)/, DELIMITER = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;
  const row = (line) => line.trim().replace(/^\||\|$/g, "").split(/(?<!\\)\|/).map((cell) => cell.trim());
  const isTable = (lines, i) => lines[i].includes("|") && lines[i + 1]?.includes("-")
    && lines[i + 1].length < MAX_PATTERN_LINE && DELIMITER.test(lines[i + 1]);
  const headingOf = (line) => (line.length < MAX_PATTERN_LINE ? HEADING.exec(line) : null);
  const begins = (lines, i) => FENCE.test(lines[i]) || headingOf(lines[i]) || RULE.test(lines[i])
    || QUOTE.test(lines[i]) || LIST.test(lines[i]) || isTable(lines, i);

  const table = (lines, i) => {
    const made = make("table"), line = (tag, text) => {
      const cells = make("tr");
      for (const cell of row(text)) { const one = make(tag); inline(cell, one); cells.append(one); }
      made.append(cells);
    };
    line("th", lines[i]);
    for (i += 2; i < lines.length && lines[i].includes("|"); i++) line("td", lines[i]);
    return [made, i];
  };
  const list = (lines, i, depth) => {
    const [, indent, first] = LIST.exec(lines[i]), made = make(/\d/.test(first) ? "ol" : "ul");
    if (/\d/.test(first)) made.start = parseInt(first, 10);
    while (i < lines.length) {
      const match = LIST.exec(lines[i]);
      if (!match || match[1].length !== indent.length) break;
      const inner = [match[3]];
      for (i++; i < lines.length; i++) {
        const deeper = /^\s*/.exec(lines[i])[0].length > indent.length;
        if (lines[i].trim() ? !deeper : !(lines[i + 1] && /^\s*/.exec(lines[i + 1])[0].length > indent.length)) break;
        inner.push(lines[i].slice(Math.min(/^\s*/.exec(lines[i])[0].length, indent.length + 2)));
      }
      const one = make("li");
      blocks(inner, one, depth + 1);
      made.append(one);
      while (i < lines.length && !lines[i].trim() && LIST.test(lines[i + 1] || "")) i++;
    }
    return [made, i];
  };
  const blocks = (lines, into, depth = 0) => {
    for (let i = 0; i < lines.length;) {
      const line = lines[i], fence = FENCE.exec(line), heading = headingOf(line);
      let made;
      if (!line.trim()) { i++; continue; }
      if (fence) {
        const inner = [];
        for (i++; i < lines.length && !lines[i].trim().startsWith(fence[1]); i++) inner.push(lines[i]);
        i++;
        made = block(inner.join("\n"), fence[2].toLowerCase());
      } else if (heading) {
        made = make(`h${Math.min(6, heading[1].length + 2)}`);
        inline(heading[2], made);
        i++;
      } else if (RULE.test(line)) { made = make("hr"); i++; }
      else if (QUOTE.test(line) && depth < 8) {
        const inner = [];
        for (; i < lines.length && QUOTE.test(lines[i]); i++) inner.push(lines[i].replace(QUOTE, ""));
        made = make("blockquote");
        blocks(inner, made, depth + 1);
      } else if (isTable(lines, i)) [made, i] = table(lines, i);
      else if (LIST.test(line) && depth < 8) [made, i] = list(lines, i, depth);
      else {
        made = make("p");
        for (let first = true; i < lines.length && lines[i].trim() && (first || !begins(lines, i)); i++, first = false) {
          if (!first) made.append(make("br"));
          inline(lines[i], made);
        }
      }
      into.append(made);
    }
  };
  const markdown = (text, kind = "") => {
    const made = make("div", `markdown ${kind}`);
    blocks(text.trim().split("\n"), made);
    return made;
  };
