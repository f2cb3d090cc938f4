
  // --- the file tree and the preview

  const files = new Map();
  const PICTURES = { svg: "image/svg+xml" };
  const MAX_TABLE_ROWS = 500, MAX_TABLE_COLUMNS = 100;
  let preview = null, compared = false, drawnFiles = "", address = "";

  const shortened = (path) => {
    const root = film.meta.root.replace(/\/?$/, "/");
    return path.startsWith(root) ? path.slice(root.length) : path;
  };
  const suffix = (path) => (/\.(\w+)$/.exec(path)?.[1] || path.split("/").pop()).toLowerCase();
  const contentOf = (change) =>
    (change && change[5] && Object.hasOwn(film.contents, change[5]) ? film.contents[change[5]] : undefined);
  // Files that the run created or changed and did not delete.
  const changedFiles = () => [...files].filter(([, changes]) => changes.some((c) => c[2]))
    .map(([path, changes]) => [path, changes[changes.length - 1]])
    .filter(([, change]) => change[2] !== "deleted" && change[3] === "file")
    .sort((a, b) => (a[0] < b[0] ? -1 : 1)).slice(0, 100);
  const openFile = (path) => {
    preview = path;
    compared = false;
    showPane("files");
    drawFiles();
  };

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
    const key = rows.map(([path, change]) => `${path}\0${change[0]}`).join("\n") + `\n${preview}\n${compared}`;
    if (key === drawnFiles) return;
    drawnFiles = key;
    rows.sort((a, b) => (a[0] < b[0] ? -1 : 1));
    $("tree").replaceChildren(...rows.map(([path, change, mark]) => {
      const [, , , kind, bytes] = change, element = make("div", `row ${mark}`), label = make("span", "path");
      const name = shortened(path) + (kind === "dir" ? "/" : ""), cut = name.replace(/\/$/, "").lastIndexOf("/") + 1;
      label.append(make("span", "dim", name.slice(0, cut)), make("span", kind === "dir" ? "dim" : "", name.slice(cut)));
      const word = { created: "new ", modified: "~ ", deleted: "gone" }[mark] || "";
      element.append(label, make("span", mark ? "" : "dim",
        mark === "deleted" ? word : kind === "file" ? word + size(bytes) : word));
      if (kind !== "file" || mark === "deleted") return element;
      const open = () => { compared = false; preview = preview === path ? null : path; drawFiles(); };
      element.classList.toggle("open", contentOf(change) !== undefined);
      element.classList.toggle("shown", path === preview);
      element.tabIndex = 0;
      element.addEventListener("click", open);
      element.addEventListener("keydown", (event) => { if (event.key === "Enter") open(); });
      return element;
    }));
    drawPreview(rows.find(([path, , mark]) => path === preview && mark !== "deleted"));
    drawFound();
  };
  const drawPreview = (found) => {
    $("files").classList.toggle("previewing", !!found);
    $("preview").hidden = $("previewed").hidden = !found;
    if (address) URL.revokeObjectURL(address);
    address = "";
    if (!found) return;
    const [path, change] = found, content = contentOf(change), earlier = textBefore(path, change);
    const head = [button("←", () => { preview = null; drawFiles(); }, "close (esc)"), make("b", "", shortened(path))];
    if (earlier !== undefined) {
      const flip = button("changes", () => { compared = !compared; drawFiles(); }, "compare with the version before");
      flip.setAttribute("aria-pressed", String(compared));
      head.push(flip);
    }
    const body = compared && earlier !== undefined ? block(difference(earlier, content), "diff")
      : content === undefined ? make("p", "dim", change[4] === null ? "The recording does not contain this file."
        : `${size(change[4])}. This file is not in this page: it is binary, or too large.`)
        : shownFile(path, content);
    if (body.tagName === "PRE") head.push(wrapButton());
    if (content !== undefined) head.push(button("save", () => save(path, content), "save this file"));
    $("previewed").replaceChildren(...head);
    $("preview").replaceChildren(body);
    $("preview").scrollTop = 0;
  };
  // The previous different text of the file, if it is embedded.
  const textBefore = (path, change) => {
    const changes = files.get(path), now = contentOf(change);
    if (typeof now !== "string") return undefined;
    for (let i = changes.indexOf(change) - 1; i >= 0; i--) {
      const before = contentOf(changes[i]);
      if (typeof before === "string" && before !== now) return before;
    }
    return undefined;
  };
  const bytesOf = (path, content) => (typeof content === "string"
    ? new Blob([content], { type: PICTURES[suffix(path)] || "text/plain" })
    : new Blob([Uint8Array.from(atob(content[1]), (c) => c.charCodeAt(0))], { type: content[0] }));
  const save = (path, content) => {
    const link = make("a"), made = URL.createObjectURL(bytesOf(path, content));
    link.href = made;
    link.download = path.split("/").pop();
    link.click();
    setTimeout(() => URL.revokeObjectURL(made), 60000);
  };
  const shownFile = (path, content) => {
    const kind = suffix(path);
    if (typeof content !== "string" || kind in PICTURES) return picture(path, content);
    if (kind === "md" || kind === "markdown") return markdown(content);
    if (kind === "csv" || kind === "tsv") return columns(content, kind === "csv" ? "," : "\t");
    if (kind === "json") {
      try { return block(JSON.stringify(JSON.parse(content), null, 2), "json"); } catch { /* not JSON: show the source */ }
    }
    return block(content, kind);
  };
  const picture = (path, content) => {
    const box = make("div", "picture"), image = make("img");
    address = URL.createObjectURL(bytesOf(path, content));
    image.alt = path;
    image.addEventListener("load", () => box.append(make("div", "dim", `${image.naturalWidth} × ${image.naturalHeight}`)));
    image.addEventListener("error", () => image.replaceWith(make("p", "dim", "This picture cannot be shown.")));
    image.src = address;
    box.append(image);
    return box;
  };
  const columns = (text, separator) => {
    const made = make("table"), lines = text.split("\n").filter(Boolean);
    const field = new RegExp(`(?:^|${separator})(?:"((?:[^"]|""){0,2000})"|([^${separator}]*))`, "g");
    lines.slice(0, MAX_TABLE_ROWS).forEach((line, index) => {
      const cells = make("tr");
      for (const [, quoted, plain] of line.matchAll(field)) {
        if (cells.children.length === MAX_TABLE_COLUMNS) break;
        cells.append(make(index ? "td" : "th", "", quoted === undefined ? plain : quoted.replace(/""/g, '"')));
      }
      made.append(cells);
    });
    const box = make("div", "markdown");
    box.append(made);
    if (lines.length > MAX_TABLE_ROWS) box.append(make("p", "dim", `${lines.length - MAX_TABLE_ROWS} more rows`));
    return box;
  };
