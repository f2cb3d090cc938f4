
  // --- terminals

  const SHOWN_LINES = 400, MIN_PIXELS = 11, MIN_PIXELS_OF_PROGRAMS = 7, PHONE = "(max-width: 900px)";
  const COLOURS = {
    black: "#38424d", red: "#e07077", green: "#86b98b", brown: "#e3a94b", blue: "#7fa7d6",
    magenta: "#b29ae0", cyan: "#83b0b0", white: "#b9c0ca", brightblack: "#7a8694",
    brightred: "#e8949a", brightgreen: "#a4cba8", brightbrown: "#eabe78", brightblue: "#9fbde0",
    brightmagenta: "#c5b3e8", brightcyan: "#a2c4c4", brightwhite: "#f1f3f5",
  };
  const terminals = new Map();
  let shown = null, wraps = true;

  const width = (runs) => runs.reduce((sum, run) => sum + (typeof run === "string" ? run.length : 0), 0);
  const readTerminal = (frames) => {
    const lines = [];
    frames.forEach((frame, index) => {
      for (const [number, ...runs] of frame[3]) (lines[number] ||= []).push([index, runs]);
    });
    let columns = 1;
    for (const history of lines) for (const [, runs] of history || []) columns = Math.max(columns, width(runs));
    return { frames, lines, columns };
  };
  const drawLine = (runs) => {
    const line = make("div");
    for (let i = 0; i < runs.length; i += 2) {
      const [fg, bg, bold, italic, under, struck, reverse, , faint, hidden] = film.looks[runs[i + 1]];
      const run = make("span", "", runs[i]), style = run.style;
      const colour = (name, other) => (name === "default" ? other : COLOURS[name] || `#${name}`);
      let front = colour(fg, ""), back = colour(bg, "");
      if (reverse) [front, back] = [back || "#0f1318", front || "#d6dae1"];
      if (hidden) front = back || "#0f1318";
      if (front) style.color = front;
      if (back) style.backgroundColor = back;
      if (bold) style.fontWeight = "700";
      if (italic) style.fontStyle = "italic";
      if (faint) style.opacity = "0.65";
      if (under || struck) style.textDecoration = `${under ? "underline " : ""}${struck ? "line-through" : ""}`;
      line.append(run);
    }
    return line;
  };
  const drawTerminal = () => {
    for (const [name, { frames, tab }] of terminals) tab.hidden = !frames.length || frames[0][0] > seq;
    const screen = $("screen"), terminal = terminals.get(shown);
    const index = terminal ? upTo(terminal.frames, seq, (frame) => frame[0]) - 1 : -1;
    if (index < 0) {
      screen.replaceChildren();
      if (terminal) terminal.drawn = -1;
      return;
    }
    if (terminal.drawn === index && screen.dataset.name === shown) return;
    terminal.drawn = index;
    screen.dataset.name = shown;
    const [, top, rows, , full] = terminal.frames[index];
    const at = (number) => {
      const history = terminal.lines[number];
      const found = history ? upTo(history, index, (entry) => entry[0]) - 1 : -1;
      return found < 0 ? null : history[found];
    };
    let end = top + rows;
    while (end > top && !at(end - 1)?.[1].length) end--;
    const wanted = [];
    for (let number = Math.max(0, end - SHOWN_LINES); number < end; number++) {
      const entry = at(number);
      wanted.push(entry ? (entry.element ||= drawLine(entry[1])) : make("div"));
    }
    screen.replaceChildren(...wanted);
    const program = full ? Math.max(1, ...wanted.map((line) => line.textContent.length)) : 0;
    if (terminal.program !== program) { terminal.program = program; fitTerminal(); }
    follow("screen");
  };
  // Shrinks the font until the longest line fits, but not so far that it cannot be read: longer
  // lines wrap. The lines of a full-screen program never do; on phones, they may become smaller.
  const fitTerminal = () => {
    const screen = $("screen"), terminal = terminals.get(shown), program = terminal?.program || 0;
    const columns = program || terminal?.columns;
    screen.classList.toggle("wrapped", wraps && !program);
    screen.style.fontSize = "";
    if (!columns || !screen.clientWidth) return;
    const probe = make("span", "", "0".repeat(20));
    screen.append(probe);
    const letter = probe.getBoundingClientRect().width / 20, pixels = parseFloat(getComputedStyle(screen).fontSize);
    probe.remove();
    const room = screen.clientWidth - 24;
    const least = program && matchMedia(PHONE).matches ? MIN_PIXELS_OF_PROGRAMS : MIN_PIXELS;
    if (letter * columns > room) screen.style.fontSize = `${Math.max(least, pixels * room / (letter * columns))}px`;
  };
  const wrap = (on) => {
    wraps = on;
    for (const one of document.querySelectorAll(".wrap")) one.setAttribute("aria-pressed", String(on));
    $("preview").classList.toggle("wrapped", on);
    remember("sandbox-tui wrap", String(on));
    fitTerminal();
    follow("screen");
  };
  const wrapButton = () => {
    const made = button("wrap", () => wrap(!wraps), "wrap long lines, or scroll sideways (w)");
    made.classList.add("wrap");
    made.setAttribute("aria-pressed", String(wraps));
    return made;
  };
  const choose = (name) => {
    shown = name;
    for (const [other, { tab }] of terminals) tab.setAttribute("aria-pressed", String(other === name));
    following.screen = true;
    fitTerminal();
    drawTerminal();
    drawFound();
  };
