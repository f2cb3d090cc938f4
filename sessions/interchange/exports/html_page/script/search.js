
  // --- search: in messages, replies, calls, files and shells

  let needle = "", places = [], place = -1;

  const placesOf = (wanted) => {
    const found = [];
    for (const item of items) if (item.words.includes(wanted)) found.push({ seq: item.data.done || item.seq, item });
    for (const [name, { frames, lines }] of terminals) {
      if (name === "model") continue; // its output is part of the calls
      for (const history of lines) {
        const hit = history?.find(([, runs]) => runs.filter((x) => typeof x === "string").join("").toLowerCase().includes(wanted));
        if (hit) found.push({ seq: frames[hit[0]][0], terminal: name });
      }
    }
    for (const [path, changes] of files) {
      const hit = changes.find((change) => {
        const content = contentOf(change);
        return path.toLowerCase().includes(wanted) || (typeof content === "string" && content.toLowerCase().includes(wanted));
      });
      if (hit && hit[2] !== "deleted") found.push({ path, hit });
    }
    return found;
  };
  const search = () => {
    needle = $("needle").value.trim().toLowerCase();
    places = needle ? placesOf(needle) : [];
    place = -1;
    drawFound();
    sayFound();
  };
  const sayFound = () => {
    $("found").textContent = !needle ? "" : !places.length ? "not found"
      : place < 0 ? many(places.length, "place") : `${place + 1} of ${places.length}`;
  };
  const visit = (number) => {
    if (!places.length) return;
    pause();
    place = (number + places.length) % places.length;
    const { seq: moment, item, terminal, path, hit } = places[place];
    sayFound();
    if (path) { visitFile(path, hit); return; }
    following.list = true;
    goTo(moment);
    if (terminal) { showPane("terminal"); choose(terminal); return; }
    showPane("calls");
    const element = item.draw(seq);
    for (const details of [element, ...element.querySelectorAll("details")]) {
      if (details.tagName === "DETAILS" && !details.querySelector("summary").textContent.toLowerCase().includes(needle)) {
        details.open = true;
      }
    }
    following.list = false;
    follow("list");
    requestAnimationFrame(() => { element.scrollIntoView({ block: "nearest" }); drawFound(); });
  };
  // Keeps the position if the file already contains the words at this point.
  const visitFile = (path, hit) => {
    const changes = files.get(path), now = changes[upTo(changes, seq, (change) => change[0]) - 1];
    if (!now || now[5] !== hit[5]) goTo(hit[0]);
    openFile(path);
    requestAnimationFrame(() => {
      const found = CSS.highlights?.get("found"), first = found && [...found].find((range) => $("preview").contains(range.startContainer));
      first?.startContainer.parentElement.scrollIntoView({ block: "nearest" });
    });
  };
  // Highlights matches with the CSS Custom Highlight API, where it is supported.
  const drawFound = () => {
    if (!window.Highlight || !CSS.highlights) return;
    CSS.highlights.delete("found");
    if (!needle) return;
    const ranges = [];
    for (const id of ["list", "preview", "screen"]) {
      const walker = document.createTreeWalker($(id), NodeFilter.SHOW_TEXT);
      while (walker.nextNode() && ranges.length < 2000) {
        const node = walker.currentNode, text = node.textContent.toLowerCase();
        for (let i = text.indexOf(needle); i >= 0 && i + needle.length <= node.length; i = text.indexOf(needle, i + needle.length)) {
          const range = new Range();
          range.setStart(node, i);
          range.setEnd(node, i + needle.length);
          ranges.push(range);
        }
      }
    }
    CSS.highlights.set("found", new Highlight(...ranges));
  };
  const openSearch = () => {
    $("search").hidden = false;
    $("needle").focus();
    $("needle").select();
  };
  const closeSearch = () => {
    $("search").hidden = true;
    $("needle").value = needle = "";
    places = [];
    drawFound();
    sayFound();
  };
  const listenToSearch = () => {
    $("needle").addEventListener("input", search);
    $("needle").addEventListener("keydown", (event) => {
      if (event.key === "Enter") visit(place + (event.shiftKey ? -1 : 1));
      else if (event.key === "Escape") { closeSearch(); $("list").focus(); }
      else return;
      event.preventDefault();
    });
    $("find").addEventListener("click", () => ($("search").hidden ? openSearch() : closeSearch()));
    $("before").addEventListener("click", () => visit(place - 1));
    $("after").addEventListener("click", () => visit(place + 1));
  };
