
  // --- the list of items up to the current position

  const SHOWN_ITEMS = 200;
  const INTERRUPTED = "◌ interrupted";
  // At its last event, a session either still runs, or what had not ended was cut off.
  const hasStopped = () => film.meta.outcome !== "running";

  class Item {
    constructor(data) {
      this.data = data;
      this.seq = data.seq;
      this.known = "";
      this.element = null;
    }
    // Returns the element for a position, redrawn only if its state has changed.
    draw(now) {
      const past = (moment) => !!moment && moment <= now, d = this.data, over = now >= play.length;
      const done = past(d.done), running = over && hasStopped() ? "lost" : "running";
      const state = done ? "done" : past(d.started) ? running : "new";
      const known = [state, past(d.told), past(d.withdrawn), past(d.decided), past(d.held), over].join();
      if (this.element && this.known === known) return this.element;
      this.known = known;
      const fresh = this[d.kind](done, state, past, over);
      fresh.classList.add("item", state, `of-${d.kind}`);
      if (this.element) {
        if (this.element.open) fresh.open = true;
        this.element.replaceWith(fresh);
      }
      return (this.element = fresh);
    }
    // The searchable text, in lower case.
    get words() {
      const d = this.data;
      return this.found ||= [d.name, d.head, d.text, d.thought, d.remark, d.args, d.proposed, d.out, d.err, d.printed, d.path,
        d.host, d.decision, d.feedback, d.fate, d.answer].filter(Boolean).join("\n").toLowerCase();
    }
    task() {
      const box = make("div");
      box.append(make("div", "label human", "task"), make("div", "prose", this.data.text.trim()));
      return box;
    }
    reply(done, state, past, over) {
      const { step, thought, text, remark } = this.data, box = make("div");
      if (!done) {
        const head = make("div", "head dim", "");
        const words = over && hasStopped() ? "! interrupted" : "thinking …";
        head.append(make("span", "number", ""), make("span", "", `step ${step} · ${words}`));
        box.append(head);
        return box;
      }
      if (thought && thought.trim() !== text.trim()) {
        const more = make("details", "thought"), line = thought.trim().split("\n")[0];
        more.append(make("summary", "", line));
        more.addEventListener("toggle", () => { if (more.children.length < 2) more.append(markdown(thought)); });
        box.append(more);
      }
      if (text) box.append(markdown(text));
      if (remark) box.append(make("div", "prose dim", remark));
      return box;
    }
    call(done, state, past, over) {
      const d = this.data, box = make("details"), summary = make("summary"), head = make("div", "head");
      const line = make("div", "head state"), command = make("span", "command");
      command.append(coloured(d.head, d.language === "bash" ? "bash" : ""));
      head.append(make("span", "number", d.number), make("span", "name", d.name), command);
      const decided = past(d.decided) ? d.decision : "";
      if (done && d.ok === null) line.append(make("span", "human", `◆ ${decided}`));
      else if (done) {
        line.append(make("span", d.ok ? "good" : "bad", d.ok ? "✓ " : "✗ "));
        const end = d.interrupted ? ["interrupted"] : [d.code ? `exit ${d.code}` : "", d.took];
        const facts = end.filter(Boolean).join(" · ");
        line.append(make("span", "dim", facts));
        if (decided) line.append(make("span", "human", `${facts ? "  " : ""}◆ ${decided}`));
        if (d.result) line.append(make("span", "dim", `${facts || decided ? " · " : ""}${d.result}`));
      } else {
        const waits = state === "new" && past(d.held) && !past(d.decided);
        const lost = over && !past(d.decided) ? d.decision : "";
        const words = waits ? "waits for you" : over && hasStopped() ? INTERRUPTED : "● running";
        line.append(make("span", waits ? "human" : "", lost || words));
        if (state === "lost" && d.printed) line.append(make("span", "dim", ` after ${d.printed_lines}`));
        if (decided) line.append(make("span", "human", `  ${decided}`));
      }
      if (decided && d.feedback) line.append(make("span", "dim", `  “${d.feedback}”`));
      summary.append(head, line);
      box.append(summary);
      this.fill(box, done, state === "lost");
      return box;
    }
    // Long texts are added when the item is opened.
    fill(box, done, lost = false) {
      box.addEventListener("toggle", () => {
        if (!box.open || box.dataset.filled) return;
        box.dataset.filled = "1";
        const d = this.data, label = (words) => box.append(make("div", "label", words));
        if (d.proposed) {
          label("the model wrote");
          box.append(block(d.proposed, d.proposed_language));
          label("you made of it");
        }
        if (d.label) label(d.label);
        if (d.args) box.append(block(d.args, d.kind === "file" ? "diff" : d.kind === "ran" ? "bash" : d.language));
        if (done && d.out) box.append(block(d.out));
        if (done && d.err) { label("stderr"); box.append(block(d.err)); }
        if (lost && d.printed) { label("interrupted; it had printed"); box.append(block(d.printed)); }
        if (done && d.kind !== "file" && !d.out && !d.err) label("no output");
        drawFound();
      });
    }
    // The fate of the user's message: final at the end of the session, provisional before.
    fate(past, over) {
      const d = this.data;
      if (over || past(d.told) || past(d.withdrawn)) return d.fate;
      return d.told || d.withdrawn || d.fate.includes("never") ? "sent with the next request" : d.fate;
    }
    said(done, state, past, over) {
      const gone = past(this.data.withdrawn), box = make("div"), label = make("div", "label");
      label.append(make("span", "human", gone ? "◇ you withdrew" : "◆ you said"),
        make("span", "dim", ` · ${this.fate(past, over)}`));
      box.append(label, gone ? make("div", "prose", this.data.text) : markdown(this.data.text));
      box.classList.toggle("gone", gone);
      return box;
    }
    ran(done, state, past, over) {
      return this.deed("you", this.data.args.split("\n")[0], this.ending(done, state, past, over), done);
    }
    // How far the user's command is, in the words of the program.
    ending(done, state, past, over) {
      const d = this.data;
      if (state === "new" && (over || past(d.withdrawn))) return d.fate;
      if (state === "lost") return `${INTERRUPTED}  ${d.visibility}`;
      if (!done) return `${state === "running" ? "● running" : "◇ after the running call"}  ${d.visibility}`;
      const sign = d.code === 0 ? "✓" : d.code === null ? "✗ failed" : `✗ exit ${d.code}`;
      const told = past(d.withdrawn) ? d.fate : d.visibility;
      const words = [sign + (d.took ? ` ${d.took}` : ""), d.result].filter(Boolean).join(" · ");
      return `${words}  ${told}`;
    }
    file(done, state, past, over) {
      const { action, path, host, args } = this.data;
      const count = (mark) => args.split("\n").filter((line) => line[0] === mark && line.slice(0, 3) !== mark.repeat(3)).length;
      const changed = args ? ` +${count("+")} -${count("-")}` : "";
      const told = { pull: `${path} → ${host}`, push: `${path} ← ${host}`, edit: path + changed };
      const names = { pull: "you copied out", push: "you uploaded", edit: "you edited" };
      return this.deed(names[action], told[action], this.fate(past, over), done);
    }
    deed(name, told, fate, done) {
      const box = make("details"), summary = make("summary"), head = make("div", "head");
      head.append(make("span", "number human", "◆"), make("span", "name human", name), make("span", "", told));
      summary.append(head, make("div", "head state dim", fate));
      box.append(summary);
      this.fill(box, done);
      return box;
    }
    note() {
      const {sign, on, text} = this.data;
      return this.line(on ? "human" : "dim", sign, (on ? on + ": " : "") + text);
    }
    snapshot() { return this.line("dim", "◇", this.data.text); }
    // The end of the last run has a card with answer, files and figures.
    end() {
      const d = this.data, meta = film.meta, box = this.line(d.colour, d.sign, d.text);
      if (!d.card) return box;
      box.classList.add("card");
      if (meta.answer.trim()) box.append(make("div", "label", meta.answer_label), markdown(meta.answer, "answer"));
      else box.append(make("div", "label", meta.no_answer));
      const changed = changedFiles();
      if (changed.length) box.append(make("div", "label", "files"));
      const results = make("div", "results");
      for (const [path, change] of changed) {
        const open = button(shortened(path), () => openFile(path));
        open.disabled = !contentOf(change);
        const line = make("div", "result");
        line.append(open, make("span", "dim", size(change[4])));
        results.append(line);
      }
      if (changed.length) box.append(results);
      const cost = meta.cost === null ? "" : `$${meta.cost.toFixed(2)}`;
      const failed = meta.failed ? `${many(meta.calls, "call")}, ${meta.failed} failed` : many(meta.calls, "call");
      // A line breaks between two facts, not inside one.
      const facts = (parts) => box.append(make("div", "label figures",
        parts.filter(Boolean).map((part) => part.replaceAll(" ", "\u00a0")).join(" · ")));
      if (meta.score) box.append(make("div", "label", [meta.score, ...meta.verdict].join(" · ")));
      facts([many(meta.steps, "step"), failed, meta.tokens ? many(meta.tokens, "token") : "", cost,
        meta.seconds ? took(meta.seconds) : ""]);
      facts([meta.model, meta.sandbox, minute(meta.began)]);
      return box;
    }
    line(kind, sign, text) {
      const box = make("div"), line = make("div", "prose");
      line.append(make("span", kind, `${sign} `), make("span", "", text));
      box.append(line);
      return box;
    }
  }

  let shownItems = SHOWN_ITEMS;
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
