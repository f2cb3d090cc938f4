"""Films of the cockpit: a session as one SVG file that plays by itself."""
