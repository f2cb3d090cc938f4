
  // --- terminals

  const SHOWN_LINES = 400, MIN_PIXELS = 11, MIN_PIXELS_OF_PHONES = 7, PHONE = "(max-width: 900px)";
  const COLOURS = {
    black: "#38424d", red: "#e07077", green: "#86b98b", brown: "#e3a94b", blue: "#7fa7d6",
    magenta: "#b29ae0", cyan: "#83b0b0", white: "#b9c0ca", brightblack: "#7a8694",
    brightred: "#e8949a", brightgreen: "#a4cba8", brightbrown: "#eabe78", brightblue: "#9fbde0",
    brightmagenta: "#c5b3e8", brightcyan: "#a2c4c4", brightwhite: "#f1f3f5",
  };
  const terminals = new Map();
  let shown = null;

  const readTerminal = (frames) => {
    const lines = [];
    frames.forEach((frame, index) => {
      for (const [number, ...runs] of frame[3]) (lines[number] ||= []).push([index, runs]);
    });
    const width = (runs) => runs.reduce((sum, run) => sum + (typeof run === "string" ? run.length : 0), 0);
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
    const [, top, rows] = terminal.frames[index];
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
    follow("screen");
  };
  // On narrow screens, shrinks the font until the longest line fits.
  const fitTerminal = () => {
    const screen = $("screen"), columns = terminals.get(shown)?.columns;
    screen.style.fontSize = "";
    if (!columns || !screen.clientWidth) return;
    const probe = make("span", "", "0".repeat(20));
    screen.append(probe);
    const letter = probe.getBoundingClientRect().width / 20, pixels = parseFloat(getComputedStyle(screen).fontSize);
    probe.remove();
    const room = screen.clientWidth - 24;
    const least = matchMedia(PHONE).matches ? MIN_PIXELS_OF_PHONES : MIN_PIXELS;
    if (letter * columns > room) screen.style.fontSize = `${Math.max(least, pixels * room / (letter * columns))}px`;
  };
  const choose = (name) => {
    shown = name;
    for (const [other, { tab }] of terminals) tab.setAttribute("aria-pressed", String(other === name));
    following.screen = true;
    fitTerminal();
    drawTerminal();
    drawFound();
  };
