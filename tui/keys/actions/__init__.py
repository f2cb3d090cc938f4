"""Every action with a key, by the kind of screen it works on."""
