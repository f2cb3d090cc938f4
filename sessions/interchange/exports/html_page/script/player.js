
  // --- position and playback

  let playing = false, speed = 1, last = 0;

  const draw = () => {
    document.documentElement.dataset.seq = seq;
    drawCalls();
    drawTerminal();
    drawFiles();
    $("failure").disabled = !failureAfter(seq);
  };
  const show = (ms, number) => {
    at = ms;
    $("scrub").value = at;
    $("clock").textContent = `${time(clock[number - 1])} / ${time(clock[clock.length - 1])}`;
    if (number !== seq) { seq = number; draw(); }
  };
  // Goes to the last event at this time; `goTo` tells simultaneous events apart.
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

  // --- panes, themes and keys

  const PANES = ["calls", "terminal", "files"];
  const THEMES = ["auto", "lamplight", "daylight", "contrast"];

  const showPane = (pane) => {
    const main = document.querySelector("main");
    main.dataset.pane = pane;
    if (main.dataset.zoom) main.dataset.zoom = pane;
    for (const tab of document.querySelectorAll("#tabs button")) {
      tab.setAttribute("aria-pressed", String(tab.dataset.pane === pane));
    }
    if (pane === "terminal") { fitTerminal(); follow("screen"); }
    if (pane === "calls") follow("list");
  };
  const focusPane = (number) => {
    showPane(PANES[number]);
    $(["list", "screen", "tree"][number]).focus();
  };
  const zoom = () => {
    const main = document.querySelector("main"), focused = document.activeElement.closest("section")?.id;
    if (main.dataset.zoom) delete main.dataset.zoom;
    else { main.dataset.zoom = focused || main.dataset.pane; showPane(main.dataset.zoom); }
    fitTerminal();
  };
  const useTheme = (name) => {
    const theme = THEMES.includes(name) ? name : "auto";
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    $("theme").value = theme;
    remember("sandbox-tui theme", theme);
  };
  const nextTheme = () => useTheme(THEMES[(THEMES.indexOf($("theme").value) + 1) % THEMES.length]);
  const failureAfter = (number) =>
    items.find(({ data }) => data.kind === "call" && data.ok === false && data.done > number)?.data.done;
  const nextFailure = () => {
    pause();
    const found = failureAfter(seq);
    if (found) goTo(found);
  };
  // Moves the focus up and down the list, as in the cockpit.
  const nextItem = (direction) => {
    const summaries = [...$("list").querySelectorAll(".item > summary")], now = summaries.indexOf(document.activeElement);
    const next = now < 0 ? (direction > 0 ? 0 : summaries.length - 1) : now + direction;
    following.list = false;
    summaries[Math.min(Math.max(0, next), summaries.length - 1)]?.focus();
  };
  const openAll = () => {
    const all = [...$("list").querySelectorAll("details")], open = all.some((one) => !one.open);
    for (const one of all) one.open = open;
  };
  const faster = (by) => {
    const speeds = $("speed");
    speeds.selectedIndex = Math.min(Math.max(0, speeds.selectedIndex + by), speeds.length - 1);
    speed = +speeds.value;
  };
  const escape = () => {
    if (!$("search").hidden) closeSearch();
    else if (preview) { preview = null; drawFiles(); }
    else if (document.querySelector("main").dataset.zoom) zoom();
  };
  const KEYS = [
    ["space", "play or pause", () => (playing ? pause() : start()), " "],
    ["← →", "call before, call after", () => step(-1), "ArrowLeft"], ["", "", () => step(1), "ArrowRight"],
    ["home end", "beginning, end", () => go(0), "Home"], ["", "", () => go(total), "End"],
    ["- +", "slower, faster", () => faster(-1), "-"], ["", "", () => faster(1), "+"],
    ["f", "next call that failed", nextFailure, "f"],
    ["j k", "down, up the calls; enter opens one", () => nextItem(1), "j"], ["", "", () => nextItem(-1), "k"],
    ["e", "open or fold all calls", openAll, "e"],
    ["/", "search", openSearch, "/"],
    ["n N", "next match, previous match", () => visit(place + 1), "n"], ["", "", () => visit(place - 1), "N"],
    ["1 2 3", "calls, terminal, files", () => focusPane(0), "1"], ["", "", () => focusPane(1), "2"],
    ["", "", () => focusPane(2), "3"],
    ["z", "one pane alone, or all", zoom, "z"],
    ["w", "wrap long lines, or scroll sideways", () => wrap(!wraps), "w"],
    ["t", "next theme", nextTheme, "t"],
    ["esc", "close search, file or pane", escape, "Escape"],
    ["?", "this help", () => $("help").showModal(), "?"],
  ];
  const keys = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || $("help").open) return;
    const done = KEYS.find(([, , , key]) => key === event.key)?.[2], tag = event.target.tagName;
    const own = tag === "BUTTON" || tag === "SUMMARY";
    if (!done || tag === "SELECT" || event.target.id === "needle" || (own && event.key === " ")) return;
    event.preventDefault();
    done();
  };
  const fillHelp = () => {
    const rows = KEYS.filter(([name]) => name).map(([name, told]) => {
      const line = make("tr");
      line.append(make("th", "", name), make("td", "", told));
      return line;
    });
    $("keys").replaceChildren(...rows);
    $("help").addEventListener("click", () => $("help").close());
    $("helps").addEventListener("click", () => $("help").showModal());
  };

  // --- startup

  const marks = () => {
    const kinds = { said: "human", ran: "human", file: "human", reply: "step" }, box = $("marks");
    const marked = film.items.filter((i) => i.kind in kinds || (i.kind === "call" && i.ok === false));
    for (const item of marked.slice(0, 2000)) {
      const mark = make("i", kinds[item.kind] || "bad");
      mark.style.left = `${(100 * play[item.seq - 1]) / (total || 1)}%`;
      box.append(mark);
    }
  };
  // A link may name a position (#event=40). Without one, the page shows the end first, and playing
  // starts from the beginning.
  const open = () => {
    const named = /^#event=(\d+)$/.exec(location.hash);
    pause();
    goTo(Math.min(Math.max(1, named ? +named[1] : play.length), play.length));
  };
  const fillHeader = () => {
    const meta = film.meta;
    $("title").textContent = meta.title;
    $("title").title = meta.task;
    const cost = meta.cost === null ? "" : ` · $${meta.cost.toFixed(2)}`;
    const tokens = meta.tokens ? ` · ${meta.tokens.toLocaleString("en")} tok` : "";
    $("figures").textContent = `${meta.model} · ${meta.sandbox} · ${many(meta.steps, "step")}${tokens}${cost}`;
    $("outcome").textContent = `${meta.sign} ${meta.state}${meta.score ? ` · ${meta.score}` : ""}`;
    $("outcome").className = meta.colour;
    $("outcome").title = [meta.error, ...meta.verdict].filter(Boolean).join("\n");
    $("root").textContent = meta.root;
  };
  const fillPanes = () => {
    film.items.unshift({ kind: "task", seq: 1, text: film.meta.task });
    for (const data of film.items) items.push(new Item(data));
    calls = film.items.filter((i) => i.kind === "call").map((i) => i.seq);
    starts = [1, ...film.items.filter((i) => i.kind === "call").map((i) => i.done || i.seq), play.length];
    starts = [...new Set(starts)].sort((a, b) => a - b);
    for (const [name, frames] of Object.entries(film.terminals)) {
      const tab = button(name, () => choose(name));
      terminals.set(name, { ...readTerminal(frames), tab, drawn: -1 });
      $("terminals").append(tab);
    }
    for (const change of film.files) {
      if (!files.has(change[1])) files.set(change[1], []);
      files.get(change[1]).push(change);
    }
  };
  const listen = () => {
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
    $("list").addEventListener("click", (event) => { if (event.target.closest("summary")) following.list = false; });
    $("newcalls").addEventListener("click", () => { following.list = true; follow("list"); });
    $("scrub").addEventListener("input", () => { pause(); go(+$("scrub").value); });
    $("play").addEventListener("click", () => (playing ? pause() : start()));
    $("back").addEventListener("click", () => step(-1));
    $("on").addEventListener("click", () => step(1));
    $("failure").addEventListener("click", nextFailure);
    $("speed").addEventListener("change", () => { speed = +$("speed").value; });
    $("theme").addEventListener("change", () => useTheme($("theme").value));
    for (const tab of document.querySelectorAll("#tabs button")) {
      tab.addEventListener("click", () => showPane(tab.dataset.pane));
    }
    document.addEventListener("keydown", keys);
    window.addEventListener("resize", fitTerminal);
    window.addEventListener("hashchange", open);
  };
  const begin = () => {
    play = sums(film.play);
    clock = sums(film.clock);
    total = play[play.length - 1];
    $("scrub").max = total;
    useTheme(remembered("sandbox-tui theme"));
    $("wraps").append(wrapButton());
    wrap(remembered("sandbox-tui wrap") !== "false");
    fillHeader();
    fillPanes();
    fillHelp();
    marks();
    $("failure").hidden = !failureAfter(0);
    listen();
    listenToSearch();
    choose(terminals.has("model") ? "model" : terminals.keys().next().value);
    open();
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
