"""Writes an export by hand, and the files of its file domain beside it."""

import argparse
import json
from pathlib import Path

from . import LARGE, OldApp, write_archive, write_folder


def main():
    parser = argparse.ArgumentParser(prog="exports", description=__doc__)
    parser.add_argument("folder", type=Path, help="gets export/, files/ with the bytes of files, and passwords.json")
    parser.add_argument("--classes", type=int, default=20)
    parser.add_argument("--objects", type=int, default=2000)
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--large", type=int, default=0, help="how many of the files are larger than 16 MiB")
    parser.add_argument("--seed", default="old app")
    parser.add_argument("--file-domain", default="http://old-files.example.org")
    parser.add_argument("--archive", action="store_true", help="also write export.tar.gz")
    options = parser.parse_args()
    app = OldApp(
        options.classes, options.objects, options.files, options.seed, large=(LARGE,) * options.large,
        file_domain=options.file_domain,
    )
    export = write_folder(app, options.folder / "export")
    if options.archive:
        write_archive(export, options.folder / "export.tar.gz")
    for key in app.keys_of_files:
        path = options.folder / "files" / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(app.content(key))
    (options.folder / "passwords.json").write_text(json.dumps(app.passwords, ensure_ascii=False, indent=1))
    print(f"{sum(map(len, app.objects.values()))} objects with files, app id {app.keys.id}: {options.folder}")


main()
