"""The programs of pocket's software tasks, written a second time by other means.

Each constant is source code that answers the same calls as the program it is named after.
"""

INTERVALS = '''
def busy(slots):
    """Every point and the halves between, as a set: slots widened by the gap, then filled in."""
    cells = set()
    for a, b in slots:
        cells |= set(range(2 * a, 2 * b))
    ends = sorted({2 * b for _, b in slots})
    starts = sorted({2 * a for a, _ in slots})
    for e in ends:
        for s in starts:
            if 0 <= s - e <= 2 * GAP:
                cells |= set(range(e, s))
    return cells

def runs(cells):
    result, last = [], None
    for c in sorted(cells):
        if last is None or c != last + 1:
            result.append([c // 2, None])
        result[-1][1] = (c + 1) // 2
        last = c
    return result

def merged(slots):
    return runs(busy(slots))

def free(slots, begin, end):
    return runs(set(range(2 * begin, 2 * end)) - busy(slots))

def busiest(slots):
    times = range(-1, 400)
    counts = [sum(a <= t < b for a, b in slots) for t in times]
    return times[counts.index(max(counts))] if slots else None
'''

LEDGER = """
import copy

def run(operations):
    balances, rejected = {}, 0
    for op in operations:
        before = copy.deepcopy(balances)
        try:
            step(balances, *op)
        except (KeyError, AssertionError):
            balances, rejected = before, rejected + 1
    return [balances, rejected]

def step(accounts, kind, *rest):
    if kind == "open":
        assert rest[0] not in accounts
        accounts[rest[0]] = 0
    elif kind == "interest":
        for n, b in accounts.items():
            accounts[n] = b + max(0, b) * rest[0] // 100
    elif kind == "pay":
        assert rest[1] > 0
        accounts[rest[0]] += rest[1]
    elif kind == "take":
        assert rest[1] > 0 and accounts[rest[0]] + LIMIT >= rest[1]
        left = accounts[rest[0]] - rest[1]
        accounts[rest[0]] = left if left >= 0 else left - FEE
    else:
        assert rest[0] != rest[1]
        step(accounts, "pay", rest[1], rest[2])
        step(accounts, "take", rest[0], rest[2])
"""

NUMERALS = """
import re
DIGITS = ["", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"]

def place(i, up):
    return DIGITS[i].translate(str.maketrans("IVX", up))

ALL = {place(t, "M  ") + place(h, "CDM") + place(z, "XLC") + place(e, "IVX"): 1000 * t + 100 * h + 10 * z + e
       for t in range(4) for h in range(10) for z in range(10) for e in range(10)}
BACK = {n: text for text, n in ALL.items()}

def to_roman(number):
    if number not in range(1, 4000):
        raise ValueError
    return BACK[number]

def from_roman(text):
    if not re.fullmatch("[IVXLCDMivxlcdm]+", text) or text.upper() not in ALL:
        raise ValueError
    return ALL[text.upper()]

def total(numerals):
    number = 0
    for text in numerals:
        number += from_roman(text)
    return to_roman(number)
"""

WORKDAYS = """
from datetime import date, timedelta

def parse(text):
    return date.fromisoformat(text)

def weekday(text):
    return parse(text).weekday()

def working(day):
    return day.isoweekday() not in (6, 7) and day.strftime("%m-%d") not in HOLIDAYS

def working_days(first, last):
    a, b = parse(first), parse(last)
    return sum(working(a + timedelta(n)) for n in range((b - a).days + 1))

def due(text, days):
    later = (parse(text) + timedelta(n) for n in range(1, 400))
    return [day for day in later if working(day)][days - 1].isoformat()
"""

PARAGRAPHS = """
import re, textwrap

def layout(text, width):
    parts = [p for p in re.split(r"\\n[ \\t]*(?:\\n[ \\t]*)+", text) if p.strip()]
    lines = []
    for p in parts:
        lines.append("")
        lines += fill(p.split(), width)
    return lines[1:]

def fill(words, width):
    # One long line with the positions at which it may break; then cut greedily.
    lines, current, first = [], [], True
    def room():
        return width - (INDENT if first and not lines else 0)
    def flush():
        lines.append((" " * INDENT if not lines else "") + " ".join(current))
        current.clear()
    for word in words:
        if current and len(" ".join([*current, word])) > room():
            flush()
        while not current and len(word) > room():
            size = room()
            current.append(word[:size])
            word = word[size:]
            flush()
        current.append(word)
    flush()
    return lines

def centred(lines, width):
    result = []
    for line in lines:
        spare = max(0, width - len(line))
        result.append(line and line.rjust(len(line) + (spare - spare % 2) // 2))
    return result
"""

TARIFF = """
def fee(arrival, departure):
    if arrival > departure:
        raise ValueError
    minutes = departure - arrival
    if minutes <= FREE:
        return 0
    days = {}
    for minute in range(minutes):
        if minute % 60 == 0:  # an hour begins
            clock = (arrival + minute) // 60 % 24, (arrival + minute) % 60
            night = clock >= (20, 0) or clock < (6, 0)
            days.setdefault(minute // 1440, []).append(HOUR >> 1 if night else HOUR)
    return sum(min(DAY, sum(hours)) for hours in days.values())

def monthly(stays):
    fees = [fee(*stay) for stay in stays]
    charged = [f for f in fees if f]
    return sum(fees) - (sum(fees) // 10 if len(charged) > 9 else 0)

def longest(stays):
    lengths = [b - a for a, b in stays]
    if any(n < 0 for n in lengths):
        raise ValueError
    return lengths.index(max(lengths)) if lengths else -1
"""

CALCULATOR = '''
import ast, re

class N:
    """An integer with the division of the specification."""
    def __init__(self, n): self.n = n
    def __add__(self, o): return N(self.n + o.n)
    def __sub__(self, o): return N(self.n - o.n)
    def __mul__(self, o): return N(self.n * o.n)
    def __truediv__(self, o):
        if o.n == 0: raise ZeroDivisionError
        sign = 1 if self.n * o.n >= 0 else -1
        return N(sign * (abs(self.n) // abs(o.n)))
    def __mod__(self, o): return self - (self / o) * o
    def __pow__(self, o):
        if o.n < 0: raise ValueError
        return N(self.n ** o.n)
    def __neg__(self): return N(-self.n)
    def __pos__(self): return self

def value(text):
    if re.search(r"[^\\d+\\-*/%^() ]|\\*\\s*\\*|/\\s*/|\\d\\s+\\d|\\(\\s*\\)|\\d\\s*\\(|\\)\\s*[\\d(]", text):
        raise ValueError
    try:  # Python binds these operators in the same way
        tree = compile(re.sub(r"(\\d+)", r"N(int('\\1'))", text.strip().replace("^", "**")), "", "eval")
    except SyntaxError:
        raise ValueError from None
    return eval(tree).n
'''

TASKS = '''
import heapq

def check(plan):
    for name in plan:
        seen, todo = set(), list(plan[name][1])
        while todo:
            other = todo.pop()
            if other == name or other not in plan:
                raise ValueError
            if other not in seen:
                seen.add(other)
                todo += plan[other][1]

def order(plan):
    check(plan)
    missing = {name: len(set(needs)) for name, (_, needs) in plan.items()}
    heap = [(-plan[name][0], name) for name in plan if not missing[name]]
    heapq.heapify(heap)
    result = []
    while heap:
        _, name = heapq.heappop(heap)
        result.append(name)
        for other, (_, needs) in plan.items():
            if name in needs:
                missing[other] -= 1
                if not missing[other]:
                    heapq.heappush(heap, (-plan[other][0], other))
    return result

def end(plan, name):
    days, needs = plan[name]
    return days + max([0] + [end(plan, n) for n in needs])

def finish(plan):
    check(plan)
    return max([0] + [end(plan, name) for name in plan])

def critical(plan):
    """A task is critical if taking one day longer makes everything later."""
    whole = finish(plan)
    return sorted(n for n in plan if finish({**plan, n: [plan[n][0] + 1, plan[n][1]]}) > whole)
'''

RECORDS = """
import csv, io, re

def read(text):
    # csv takes quotes only at the very start of a field, so spaces before them go first.
    trimmed = re.sub(r'(^|[\\n%s]) +(?=")' % re.escape(SEPARATOR), r"\\1", text)
    outside = re.sub(r'"(?:[^"]|"")*"', "", trimmed)
    if '"' in outside:
        raise ValueError
    marks, pieces = [], []
    def keep(found):
        pieces.append(found[0][1:-1].replace('""', '"'))
        return f"\\0{len(pieces) - 1}\\0"
    plain = re.sub(r'"(?:[^"]|"")*"', keep, trimmed)
    lines = plain.split("\\n")
    if lines[-1] == "":
        lines.pop()
    rows = [line.split(SEPARATOR) for line in lines]
    return [[pieces[int(f.strip().strip("\\0"))] if "\\0" in f else f.strip() for f in row] for row in rows]

def write(records):
    out = io.StringIO()
    for record in records:
        fields = []
        for field in record:
            if re.search(r'^ | $|["\\n%s]' % re.escape(SEPARATOR), field):
                field = '"%s"' % '""'.join(field.split('"'))
            fields.append(field)
        print(*fields, sep=SEPARATOR, file=out)
    return out.getvalue()

def column(text, name):
    rows = read(text)
    if name not in rows[0]:
        raise ValueError
    place = rows[0].index(name)
    return [(row + [""] * 50)[place] for row in rows[1:]]
"""

STOCK = """
from collections import deque

def run(events):
    stock, last, cash, spent, failed = {}, {}, 0, 0, 0
    for kind, item, count, *rest in events:
        shelf = stock.setdefault(item, deque())
        if kind == "buy":
            shelf.extend(rest * count)
        elif kind == "sell":
            if len(shelf) < count:
                failed += 1
            else:
                costs = [shelf.popleft() for _ in range(count)]
                spent += sum(costs)
                cash += rest[0] * count
                last[item] = [costs, rest[0]]
        elif kind == "return":
            costs, price = last.get(item, [[], 0])
            if len(costs) < count:
                failed += 1
            else:
                for _ in range(count):
                    piece = costs.pop()
                    spent -= piece
                    cash -= price
                    shelf.appendleft(piece)
        else:
            while shelf and count:
                spent += shelf.pop()
                count -= 1
    return [cash - spent, {item: len(s) for item, s in stock.items() if len(s)}, failed]
"""

CACHE = """
def run(operations):
    clock, put, used, value, out, tick = 0, {}, {}, {}, [], 0
    for op in operations:
        alive = lambda: [k for k in value if clock < put[k] + LIFE]
        for k in list(value):
            if k not in alive():
                del value[k]
        tick += 1
        if op[0] == "put":
            if op[1] not in value and len(value) == SIZE:
                del value[min(value, key=lambda k: used[k])]
            value[op[1]], put[op[1]], used[op[1]] = op[2], clock, tick
        elif op[0] == "get":
            out.append(value.get(op[1]))
            if op[1] in value:
                used[op[1]] = tick
        elif op[0] == "drop":
            if op[1] in value:
                del value[op[1]]
        clock += 1 + (op[1] if op[0] == "wait" else 0)
    return out
"""

PATTERNS = """
import re

def translate(p):
    out, i = "", 0
    while i < len(p):
        c = p[i]
        if p.startswith("**", i):
            out, i = out + "(?s:.*)", i + 2
            continue
        i += 1
        if c == "*":
            out += "[^/]*"
        elif c == "?":
            out += "[^/]"
        elif c == "[" and (found := re.match(r"(!?)(\\]?[^\\]]*)\\]", p[i:])) and (found[2]):
            body = found[2]
            i += found.end()
            items, k = [], 0
            while k < len(body):
                if k + 2 < len(body) and body[k + 1] == "-":
                    items += [chr(n) for n in range(ord(body[k]), ord(body[k + 2]) + 1)]
                    k += 3
                else:
                    items.append(body[k])
                    k += 1
            inner = "".join("\\\\" + x if not x.isalnum() else x for x in items)
            out += "[^/" + inner + "]" if found[1] else "[" + inner + "]"
        elif c == "\\\\" and i < len(p):
            out += re.escape(p[i])
            i += 1
        else:
            out += re.escape(c)
    return out

def matches(pattern, name):
    return bool(re.fullmatch(translate(pattern), name, re.IGNORECASE))

def selected(patterns, names):
    kept = set()
    for pattern in patterns:
        take_out = pattern[:1] == "!"
        covered = {n for n in names if matches(pattern[1:] if take_out else pattern, n)}
        kept = kept - covered if take_out else kept | covered
    return [n for n in names if n in kept]
"""
