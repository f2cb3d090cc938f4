  // Plays the session in #data. A position is an event number (seq). Every pane is drawn from it alone,
  // so that seeking to a position and playing up to it show the same. Text is only ever set as text.

  // --- helpers: elements, formatting, local storage

  const $ = (id) => document.getElementById(id);
  const make = (tag, kind, text) => {
    const element = document.createElement(tag);
    if (kind) element.className = kind;
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const button = (words, done, label) => {
    const made = make("button", "", words);
    if (label) made.title = label;
    made.addEventListener("click", done);
    return made;
  };
  // Returns how many of the ascending numbers are at most `value`.
  const upTo = (numbers, value, key = (x) => x) => {
    let low = 0, high = numbers.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (key(numbers[middle]) <= value) low = middle + 1; else high = middle;
    }
    return low;
  };
  const sums = (steps) => { let sum = 0; return steps.map((step) => (sum += step)); };
  const two = (n) => String(n).padStart(2, "0");
  const time = (ms) => {
    const s = Math.floor(ms / 1000);
    const h = Math.floor(s / 3600), m = Math.floor(s / 60) % 60;
    return h ? `${h}:${two(m)}:${two(s % 60)}` : `${two(m)}:${two(s % 60)}`;
  };
  const took = (s) => (s < 10 ? `${s.toFixed(s < 1 ? 2 : 1)}s` : s < 60 ? `${Math.floor(s)}s` : time(s * 1000));
  const minute = (s) => {
    const at = new Date(s * 1000), day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())];
    return `${day.join("-")} ${two(at.getHours())}:${two(at.getMinutes())}`;
  };
  const size = (n) => {
    if (n === null) return ""; // not recorded
    for (const unit of ["B", "k", "M", "G"]) {
      if (n < 1000 || unit === "G") return unit === "B" ? `${n}B` : `${n.toFixed(n < 10 ? 1 : 0)}${unit}`;
      n /= 1000;
    }
  };
  const many = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
  // Pages opened from a file may have no local storage.
  const remember = (name, value) => { try { localStorage.setItem(name, value); } catch { /* no storage */ } };
  const remembered = (name) => { try { return localStorage.getItem(name); } catch { return null; } };

  let film, play, clock, total, starts, calls;
  let at = 0, seq = 0;
  const items = [];
  const following = { list: true, screen: true };
  const follow = (id) => {
    const body = $(id);
    if (following[id]) body.scrollTop = body.scrollHeight;
    if (id === "list") $("newcalls").hidden = following.list;
  };
