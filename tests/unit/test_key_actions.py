from __future__ import annotations

import sys
import threading
from types import ModuleType

from sandbox_tui.tui import key_actions


def test_keys_are_looked_up_while_modules_are_being_imported() -> None:
    """As they are in the background once the first screen is shown."""
    interval, over, names = sys.getswitchinterval(), threading.Event(), list[str]()

    def imports() -> None:
        while not over.is_set():
            name = f"{key_actions.__package__}.screens.none_{len(names)}"
            names.append(name)
            sys.modules[name] = ModuleType(name)
            if len(names) % 50 == 0:
                for gone in names[-50:]:
                    del sys.modules[gone]

    importing = threading.Thread(target=imports)
    sys.setswitchinterval(1e-6)
    importing.start()
    try:
        for _ in range(50):
            assert key_actions._keys_of_loaded.__wrapped__() is not None
    finally:
        over.set()
        importing.join()
        sys.setswitchinterval(interval)
        for name in names:
            sys.modules.pop(name, None)
