"""Settings of apps, which stand in the server's file and not in its environment."""

import json

from client import ALPHA, BETA, yaml_of

APPS = {"alpha": ALPHA, "beta": BETA}


def configured(server, **settings):
    """Gives each of the two apps its settings; they hold from the next start."""
    parts = []
    for name, app in APPS.items():
        # What is JSON is YAML, too.
        lines = [f"    {key}: {json.dumps(value)}\n" for key, value in settings.get(name, {}).items()]
        parts.append(yaml_of([app]).removeprefix("apps:\n") + "".join(lines))
    (server.folder / "lcfile.yaml").write_text("apps:\n" + "".join(parts))
    return server
