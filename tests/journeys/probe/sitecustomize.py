"""Python imports this by itself when the folder is on PYTHONPATH: the way into the program under
test, which knows nothing of it."""

import os

if os.environ.get("SANDBOX_TUI_JOURNEY_LOG"):
    import journey_probe

    journey_probe.install(os.environ["SANDBOX_TUI_JOURNEY_LOG"])
