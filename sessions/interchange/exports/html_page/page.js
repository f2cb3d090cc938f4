"use strict";
// Plays the session in #data. A moment is the number of an event; every pane is drawn from it alone,
// so that scrubbing to a moment and playing up to it show the same. Text is only ever set as text.
(() => {
  const $ = (id) => document.getElementById(id);
  const SHOWN_LINES = 400, SHOWN_ITEMS = 200;
  const COLOURS = {
    black: "#38424d", red: "#e07077", green: "#86b98b", brown: "#e3a94b", blue: "#7fa7d6",
    magenta: "#b29ae0", cyan: "#83b0b0", white: "#b9c0ca", brightblack: "#7a8694",
    brightred: "#e8949a", brightgreen: "#a4cba8", brightbrown: "#eabe78", brightblue: "#9fbde0",
    brightmagenta: "#c5b3e8", brightcyan: "#a2c4c4", brightwhite: "#f1f3f5",
  };
  let film, play, clock, total, starts;
  let at = 0, seq = 0, playing = false, speed = 1, last = 0;
  const following = { list: true, screen: true };

  // --- small things

  const make = (tag, kind, text) => {
    const element = document.createElement(tag);
    if (kind) element.className = kind;
    if (text !== undefined) element.textContent = text;
    return element;
  };
  // How many of the ascending numbers are at most `value`.
  const upTo = (numbers, value, key = (x) => x) => {
    let low = 0, high = numbers.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (key(numbers[middle]) <= value) low = middle + 1; else high = middle;
    }
    return low;
  };
  const sums = (steps) => { let sum = 0; return steps.map((step) => (sum += step)); };
  const time = (ms) => {
    const s = Math.floor(ms / 1000), two = (n) => String(n).padStart(2, "0");
    const h = Math.floor(s / 3600), m = Math.floor(s / 60) % 60;
    return h ? `${h}:${two(m)}:${two(s % 60)}` : `${two(m)}:${two(s % 60)}`;
  };
  const took = (s) => (s < 10 ? `${s.toFixed(s < 1 ? 2 : 1)}s` : time(s * 1000));
  const size = (n) => {
    for (const unit of ["b", "k", "M", "G"]) {
      if (n < 1000 || unit === "G") return unit === "b" ? `${n}b` : `${n.toFixed(n < 10 ? 1 : 0)}${unit}`;
      n /= 1000;
    }
  };

  // --- calls

  const items = [];
  const block = (text) => { const pre = make("pre", "", text); return pre; };

  class Item {
    constructor(data) {
      this.data = data;
      this.seq = data.seq;
      this.known = "";
      this.element = null;
    }
    // Its look at a moment; drawn anew only when that differs from what is drawn.
    draw(now) {
      const past = (moment) => !!moment && moment <= now, d = this.data;
      const done = past(d.done), state = done ? "done" : past(d.started) ? "running" : "new";
      const known = [state, past(d.told), past(d.withdrawn), past(d.decided), now >= play.length].join();
      if (this.element && this.known === known) return this.element;
      this.known = known;
      const fresh = this[d.kind](done, state, past, now >= play.length);
      fresh.classList.add("item", state);
      if (this.element) this.element.replaceWith(fresh);
      return (this.element = fresh);
    }
    reply(done) {
      const { step, thought, text } = this.data, box = make("div");
      if (!done) {
        const head = make("div", "head dim", "");
        head.append(make("span", "number", ""), make("span", "", `step ${step} · thinking …`));
        box.append(head);
        return box;
      }
      if (thought) {
        const more = make("details", "thought"), line = thought.trim().split("\n")[0];
        more.append(make("summary", "", line), block(thought));
        box.append(more);
      }
      if (text) box.append(make("div", "prose", text.trim()));
      if (this.data.remark) box.append(make("div", "prose dim", this.data.remark));
      return box;
    }
    call(done, state, past) {
      const d = this.data, box = make("details"), summary = make("summary");
      const head = make("div", "head");
      head.append(make("span", "number", d.number), make("span", "name", d.name), make("span", "", d.head));
      const line = make("div", "state");
      const decided = past(d.decided) ? d.decision : "";
      if (done && d.ok === null) line.append(make("span", "human", `◆ ${decided}`));
      else if (done) {
        line.append(make("span", d.ok ? "good" : "bad", d.ok ? "✓" : "✗"));
        const code = d.code ? ` exit ${d.code}` : "", last = d.last ? ` ${d.last}` : "";
        line.append(make("span", "dim", [code, d.took ? ` ${took(d.took)}` : ""].filter(Boolean).join(" ·")));
        if (decided) line.append(make("span", "human", `  ${decided} `));
        if (last) line.append(make("span", "dim", ` ·${last}`));
      } else {
        line.append(make("span", "", state === "running" ? "● running" : "proposed"));
        if (decided) line.append(make("span", "human", `  ${decided}`));
      }
      if (decided && d.feedback) line.append(make("span", "dim", `  “${d.feedback}”`));
      line.classList.add("head");
      summary.append(head, line);
      box.append(summary);
      this.fill(box, done);
      return box;
    }
    // The long texts come in when it is opened.
    fill(box, done) {
      box.addEventListener("toggle", () => {
        if (!box.open || box.dataset.filled) return;
        box.dataset.filled = "1";
        const d = this.data;
        if (d.proposed) box.append(make("div", "label", "the model wrote"), block(d.proposed), make("div", "label", "you made of it"));
        if (d.args) box.append(block(d.args));
        if (done && d.out) box.append(block(d.out));
        if (done && d.err) box.append(make("div", "label", "stderr"), block(d.err));
      });
    }
    // What became of a person's words: at the end of the session, and before.
    fate(past, over) {
      const d = this.data;
      if (over || past(d.told) || past(d.withdrawn)) return d.fate;
      return d.told || d.withdrawn || d.fate.includes("never") ? "waits" : d.fate;
    }
    said(done, state, past, over) {
      const gone = past(this.data.withdrawn);
      const box = this.line("human", gone ? "◇ not said" : "◆ said", this.data.text);
      box.append(make("div", "prose dim", this.fate(past, over)));
      box.classList.toggle("gone", gone);
      return box;
    }
    ran(done, state, past, over) {
      return this.deed("you", this.data.args.split("\n")[0], this.fate(past, over), done);
    }
    file(done, state, past, over) {
      const { action, path, host } = this.data;
      const words = { pull: `${path} copied to ${host}`, push: `${path} put in from ${host}`, edit: path };
      return this.deed({ pull: "out", push: "in", edit: "edit" }[action], words[action], this.fate(past, over), done);
    }
    deed(name, words, fate, done) {
      const box = make("details"), summary = make("summary"), head = make("div", "head");
      head.append(make("span", "number human", "◆"), make("span", "name human", name), make("span", "", words));
      summary.append(head, make("div", "state dim", fate));
      box.append(summary);
      this.fill(box, done);
      return box;
    }
    note() { return this.line(this.data.sign === "✎" ? "human" : "dim", this.data.sign, this.data.text); }
    snapshot() { return this.line("dim", "◇", this.data.text); }
    end() { return this.line(this.data.ok ? "good" : "bad", this.data.ok ? "✓" : "✗", this.data.text); }
    line(kind, sign, text) {
      const box = make("div"), line = make("div", "prose");
      line.append(make("span", kind, `${sign} `), make("span", "", text));
      box.append(line);
      return box;
    }
  }

  let shownItems = SHOWN_ITEMS, calls;
  const more = make("button", "more");
  const drawCalls = () => {
    const list = $("list"), count = upTo(items, seq, (item) => item.seq);
    if (following.list) shownItems = SHOWN_ITEMS;
    const first = Math.max(0, count - shownItems);
    more.hidden = !first;
    more.textContent = `↑ ${first} earlier`;
    if (!more.parentNode) list.append(more);
    const wanted = items.slice(first, count).map((item) => item.draw(seq)), kept = new Set(wanted);
    for (const child of [...list.children]) if (child !== more && !kept.has(child)) child.remove();
    let next = more.nextSibling;
    for (const element of wanted) {
      if (element === next) next = next.nextSibling; else list.insertBefore(element, next);
      element.classList.toggle("now", element === wanted[wanted.length - 1]);
    }
    $("count").textContent = upTo(calls, seq);
    follow("list");
  };
  more.addEventListener("click", () => {
    const list = $("list"), below = list.scrollHeight - list.scrollTop;
    following.list = false;
    shownItems += SHOWN_ITEMS;
    drawCalls();
    list.scrollTop = list.scrollHeight - below;
  });
  const follow = (id) => {
    const body = $(id);
    if (following[id]) body.scrollTop = body.scrollHeight;
    if (id === "list") $("newcalls").hidden = following.list;
  };

  // --- terminals

  const terminals = new Map();
  let shown = null;

  const readTerminal = (frames) => {
    const lines = [];
    frames.forEach((frame, index) => {
      for (const [number, ...runs] of frame[3]) (lines[number] ||= []).push([index, runs]);
    });
    return { frames, lines };
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
    if (index < 0) { screen.replaceChildren(); return; }
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
  const choose = (name) => {
    shown = name;
    for (const [other, { tab }] of terminals) tab.setAttribute("aria-pressed", String(other === name));
    following.screen = true;
    drawTerminal();
  };

  // --- files

  const files = new Map();
  let preview = null, drawnFiles = "";

  const drawFiles = () => {
    const rows = [];
    for (const [path, changes] of files) {
      const count = upTo(changes, seq, (change) => change[0]);
      if (!count) continue;
      const change = changes[count - 1];
      const marked = changes.slice(0, count).find((c) => c[2]);
      const mark = change[2] === "deleted" ? "deleted" : marked ? (marked === changes[0] ? marked[2] : "modified") : "";
      rows.push([path, change, mark]);
    }
    const key = rows.map(([path, change]) => `${path}\0${change[0]}`).join("\n") + `\n${preview}`;
    if (key === drawnFiles) return;
    drawnFiles = key;
    rows.sort((a, b) => (a[0] < b[0] ? -1 : 1));
    const root = film.meta.root.replace(/\/?$/, "/");
    $("tree").replaceChildren(...rows.map(([path, change, mark]) => {
      const [, , , kind, bytes, digest] = change;
      const row = make("div", `row ${mark}`);
      const name = path.startsWith(root) ? path.slice(root.length) : path;
      row.append(make("span", "path", name + (kind === "dir" ? "/" : "")));
      const word = { created: "new ", modified: "~ ", deleted: "gone" }[mark] || "";
      row.append(make("span", mark ? "" : "dim", mark === "deleted" ? word : kind === "file" ? word + size(bytes) : word));
      if (kind === "file" && digest && Object.hasOwn(film.contents, digest)) {
        row.classList.add("open");
        row.classList.toggle("shown", path === preview);
        row.addEventListener("click", () => { preview = preview === path ? null : path; drawFiles(); });
      }
      return row;
    }));
    const found = rows.find(([path]) => path === preview);
    const text = found && Object.hasOwn(film.contents, found[1][5]) ? film.contents[found[1][5]] : undefined;
    $("preview").hidden = $("previewed").hidden = text === undefined;
    if (text === undefined) return;
    $("preview").textContent = text;
    $("previewed").textContent = preview;
  };

  // --- the moment

  const draw = () => {
    document.documentElement.dataset.seq = seq;
    drawCalls();
    drawTerminal();
    drawFiles();
  };
  const show = (ms, number) => {
    at = ms;
    $("scrub").value = at;
    $("clock").textContent = `${time(clock[number - 1])} / ${time(clock[clock.length - 1])}`;
    if (number !== seq) { seq = number; draw(); }
  };
  // The last event at this time; `goTo` tells apart those that happened at once.
  const go = (ms) => {
    ms = Math.min(Math.max(0, ms), total);
    show(ms, Math.max(1, upTo(play, ms)));
  };
  const goTo = (number) => show(play[number - 1], number);
  const step = (direction) => {
    pause();
    const next = upTo(starts, direction > 0 ? seq : seq - 1) - (direction > 0 ? 0 : 1);
    goTo(starts[Math.min(Math.max(0, next), starts.length - 1)]);
  };
  const tick = (now) => {
    if (!playing) return;
    const passed = Math.min(now - last, 250) * speed;
    last = now;
    go(at + passed);
    if (at >= total) pause(); else requestAnimationFrame(tick);
  };
  const start = () => {
    if (at >= total) go(0);
    playing = true;
    $("play").textContent = "❚❚";
    $("play").setAttribute("aria-label", "Pause");
    last = performance.now();
    requestAnimationFrame(tick);
  };
  const pause = () => {
    playing = false;
    $("play").textContent = "▶";
    $("play").setAttribute("aria-label", "Play");
  };

  // --- the beginning

  const nextFailure = () => {
    pause();
    const found = items.find(({ data }) => data.kind === "call" && data.ok === false && data.done > seq);
    if (found) goTo(found.data.done);
  };
  const keys = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const speeds = $("speed"), done = {
      " ": () => (playing ? pause() : start()),
      ArrowLeft: () => step(-1), ArrowRight: () => step(1),
      Home: () => go(0), End: () => go(total), f: nextFailure,
      "+": () => { speeds.selectedIndex = Math.min(speeds.selectedIndex + 1, speeds.length - 1); speed = +speeds.value; },
      "-": () => { speeds.selectedIndex = Math.max(speeds.selectedIndex - 1, 0); speed = +speeds.value; },
    }[event.key];
    const own = event.target.tagName === "BUTTON" || event.target.tagName === "SUMMARY";
    if (!done || event.target.tagName === "SELECT" || (own && event.key === " ")) return;
    event.preventDefault();
    done();
  };
  const marks = () => {
    const kinds = { said: "human", ran: "human", file: "human", reply: "step" }, box = $("marks");
    const marked = film.items.filter((i) => i.kind in kinds || (i.kind === "call" && i.ok === false));
    for (const item of marked.slice(0, 2000)) {
      const mark = make("i", kinds[item.kind] || "bad");
      mark.style.left = `${(100 * play[item.seq - 1]) / (total || 1)}%`;
      box.append(mark);
    }
  };
  // A link may name a moment (#event=40); without one, what became of it is seen first, and playing
  // starts from the beginning.
  const open = () => {
    const named = /^#event=(\d+)$/.exec(location.hash);
    pause();
    goTo(Math.min(Math.max(1, named ? +named[1] : play.length), play.length));
  };
  const begin = () => {
    play = sums(film.play);
    clock = sums(film.clock);
    total = play[play.length - 1];
    const meta = film.meta, good = meta.outcome === "submitted";
    $("title").textContent = meta.title;
    $("title").title = meta.task;
    const cost = meta.cost === null ? "" : ` · $${meta.cost.toFixed(2)}`;
    const tokens = meta.tokens ? ` · ${meta.tokens.toLocaleString("en")} tok` : "";
    $("figures").textContent = `${meta.model} · ${meta.sandbox} · ${meta.steps} steps${tokens}${cost}`;
    $("outcome").textContent = `${good ? "✓" : "✗"} ${meta.outcome.replace(/_/g, " ")}`;
    $("outcome").className = good ? "good" : "bad";
    $("outcome").title = meta.error;
    $("root").textContent = meta.root;
    for (const data of film.items) items.push(new Item(data));
    calls = film.items.filter((i) => i.kind === "call").map((i) => i.seq);
    starts = [1, ...film.items.filter((i) => i.kind === "call").map((i) => i.done || i.seq), play.length];
    starts = [...new Set(starts)].sort((a, b) => a - b);
    for (const [name, frames] of Object.entries(film.terminals)) {
      const tab = make("button", "", name);
      tab.addEventListener("click", () => choose(name));
      terminals.set(name, { ...readTerminal(frames), tab, drawn: -1 });
      $("terminals").append(tab);
    }
    for (const change of film.files) {
      if (!files.has(change[1])) files.set(change[1], []);
      files.get(change[1]).push(change);
    }
    $("scrub").max = total;
    marks();
    for (const id of ["list", "screen"]) {
      const body = $(id);
      const watch = () => {
        following[id] = body.scrollTop + body.clientHeight >= body.scrollHeight - 4;
        if (id === "list") $("newcalls").hidden = following.list;
      };
      body.addEventListener("wheel", () => requestAnimationFrame(watch), { passive: true });
      body.addEventListener("touchmove", watch, { passive: true });
      body.addEventListener("keyup", watch);
    }
    $("newcalls").addEventListener("click", () => { following.list = true; follow("list"); });
    $("previewed").addEventListener("click", () => { preview = null; drawFiles(); });
    $("scrub").addEventListener("input", () => { pause(); go(+$("scrub").value); });
    $("play").addEventListener("click", () => (playing ? pause() : start()));
    $("back").addEventListener("click", () => step(-1));
    $("on").addEventListener("click", () => step(1));
    $("speed").addEventListener("change", () => { speed = +$("speed").value; });
    for (const tab of document.querySelectorAll("#tabs button")) {
      tab.addEventListener("click", () => {
        document.querySelector("main").dataset.pane = tab.dataset.pane;
        for (const other of document.querySelectorAll("#tabs button")) {
          other.setAttribute("aria-pressed", String(other === tab));
        }
      });
    }
    document.addEventListener("keydown", keys);
    choose(terminals.has("model") ? "model" : terminals.keys().next().value);
    open();
    window.addEventListener("hashchange", open);
    document.documentElement.dataset.ready = "1";
  };
  const read = async () => {
    const packed = Uint8Array.from(atob($("data").textContent), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    film = await new Response(stream).json();
    begin();
  };
  read().catch((error) => {
    $("title").textContent = `This recording cannot be played here: ${error.message}`;
    throw error;
  });
})();
