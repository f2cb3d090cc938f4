
  // --- syntax highlighting and diffs

  const MAX_COLOURED = 60000;
  const words = (text) => new Set(text.split(" "));
  const PYTHON = words("False None True and as assert async await break case class continue def del elif else "
    + "except finally for from global if import in is lambda match nonlocal not or pass raise return try while with yield");
  const SHELL = words("if then else elif fi for while until do done case esac in function return exit export local "
    + "set unset read source cd echo printf");
  const BRACES = words("abstract as async await bool break case catch char class const continue default defer delete do "
    + "double else enum export extends false finally float fn for from func function go if impl import in instanceof int "
    + "interface let loop match mod mut new nil null package private protected pub public return self static struct "
    + "super switch this throw trait true try type typeof undefined union unsafe use using var void while yield");
  const HASH = "(?<![^\\s;])#[^\\n]*", SLASHES = "\\/\\/[^\\n]*|\\/\\*[\\s\\S]{0,4000}?\\*\\/";
  const QUOTED = "\"(?:\\\\.|[^\"\\\\\\n]){0,1000}\"|'(?:\\\\.|[^'\\\\\\n]){0,1000}'";
  const TRIPLE = "\"\"\"[\\s\\S]{0,4000}?\"\"\"|'''[\\s\\S]{0,4000}?'''|";
  const NUMBER = "\\b\\d[\\d_]*(?:\\.\\d+)?(?:e[+-]?\\d+)?\\b", WORD = "[A-Za-z_]\\w*";
  const grammar = (comment, string, known) => ({
    known, tokens: new RegExp(`(${comment})|(${string})|(${NUMBER})|(${WORD})`, "gi"),
  });
  const GRAMMARS = {
    python: grammar(HASH, TRIPLE + QUOTED, PYTHON), shell: grammar(HASH, QUOTED, SHELL),
    braces: grammar(SLASHES, `${QUOTED}|\`(?:\\\\.|[^\`\\\\]){0,1000}\``, BRACES),
    marks: grammar(HASH, QUOTED, words("true false null yes no on off")),
  };
  const FAMILIES = {
    python: "py pyi python python3", shell: "bash sh zsh shell console dockerfile make",
    braces: "c cc cpp cs css cu go h hpp java js json jsonl jsx kt mjs rs rust scala swift ts tsx javascript typescript",
    marks: "toml yaml yml ini cfg conf env r rb pl",
  };
  const GRAMMAR_OF = new Map(Object.entries(FAMILIES).flatMap(
    ([family, names]) => names.split(" ").map((name) => [name, GRAMMARS[family]])));

  const coloured = (text, language) => {
    const made = document.createDocumentFragment(), found = GRAMMAR_OF.get(language);
    if (language === "diff") {
      for (const line of text.split("\n")) {
        const kind = /^(---|\+\+\+) /.test(line) ? "hunk" : { "+": "add", "-": "del", "@": "hunk" }[line[0]] || "";
        made.append(make("span", kind, `${line}\n`));
      }
      return made;
    }
    let done = 0;
    for (const match of found && text.length <= MAX_COLOURED ? text.matchAll(found.tokens) : []) {
      const [all, comment, string, number, word] = match;
      const kind = comment ? "c" : string ? "s" : number ? "n" : found.known.has(word) ? "k" : "";
      if (!kind) continue;
      made.append(text.slice(done, match.index), make("span", kind, all));
      done = match.index + all.length;
    }
    made.append(text.slice(done));
    return made;
  };
  const block = (text, language = "") => {
    const pre = make("pre", language === "diff" ? "diff" : "");
    pre.append(coloured(text, language));
    return pre;
  };

  // Returns a unified diff of two texts; texts too long to compare are shown as removed and added.
  const MAX_COMPARED = 4e6, CONTEXT = 3;
  const difference = (before, after) => {
    const split = (text) => text.replace(/\n$/, "").split("\n"), a = split(before), b = split(after), edits = [];
    let start = 0, ends = 0;
    while (start < a.length && start < b.length && a[start] === b[start]) start++;
    while (ends < Math.min(a.length, b.length) - start && a[a.length - 1 - ends] === b[b.length - 1 - ends]) ends++;
    const n = a.length - start - ends, m = b.length - start - ends, wide = m + 1;
    const longest = n * m <= MAX_COMPARED ? new Uint32Array((n + 1) * wide) : null;
    for (let i = n - 1; longest && i >= 0; i--) {
      for (let j = m - 1; j >= 0; j--) {
        longest[i * wide + j] = a[start + i] === b[start + j] ? longest[(i + 1) * wide + j + 1] + 1
          : Math.max(longest[(i + 1) * wide + j], longest[i * wide + j + 1]);
      }
    }
    for (let i = 0; i < start; i++) edits.push([" ", a[i]]);
    let i = 0, j = 0;
    while (i < n || j < m) {
      if (longest && i < n && j < m && a[start + i] === b[start + j]) { edits.push([" ", a[start + i++]]); j++; }
      else if (i < n && (j === m || !longest || longest[(i + 1) * wide + j] >= longest[i * wide + j + 1])) {
        edits.push(["-", a[start + i++]]);
      } else edits.push(["+", b[start + j++]]);
    }
    for (let k = a.length - ends; k < a.length; k++) edits.push([" ", a[k]]);
    const near = new Set();
    edits.forEach(([mark], k) => { if (mark !== " ") for (let d = -CONTEXT; d <= CONTEXT; d++) near.add(k + d); });
    const lines = [];
    let line = 1;
    edits.forEach(([mark, text], k) => {
      if (near.has(k)) {
        if (!k || !near.has(k - 1)) lines.push(`@@ line ${line} @@`);
        lines.push(mark + text);
      }
      if (mark !== "-") line++;
    });
    return lines.join("\n");
  };
