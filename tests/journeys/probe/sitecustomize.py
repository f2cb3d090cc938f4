"""Loads the probe. Python imports this module by itself when the folder is on PYTHONPATH, so the
program under test needs no hook.
"""

import os

if os.environ.get("SANDBOX_TUI_JOURNEY_LOG"):
    import journey_probe

    journey_probe.install(os.environ["SANDBOX_TUI_JOURNEY_LOG"])
