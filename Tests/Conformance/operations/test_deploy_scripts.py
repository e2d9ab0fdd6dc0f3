"""The scripts that services and certbot run, with stubs of the programs that they call; no server is needed."""

import os
import subprocess

import pytest
from client import TESTS

DEPLOY = TESTS.parent / "deploy"
OLD = ["20260101T030000Z", "20260102T030000Z"]
NAME = "files.example.com"


@pytest.fixture
def stub(tmp_path):
    """Creates a program in front of all others, which logs its arguments; `calls` in the folder has a line for each."""
    programs = tmp_path / "programs"
    programs.mkdir()

    def create(name, body=""):
        program = programs / name
        program.write_text(f'#!/bin/sh\necho "{name} $*" >> "{tmp_path}/calls"\n{body}\n')
        program.chmod(0o755)

    return create


@pytest.fixture
def run(tmp_path):
    def run(script, *arguments, **variables):
        path = f"{tmp_path}/programs:{os.environ['PATH']}"
        return subprocess.run(
            [DEPLOY / script, *arguments], cwd=tmp_path, env={"PATH": path, **variables}, capture_output=True, text=True,
            timeout=30,
        )

    return run


def calls(tmp_path):
    log = tmp_path / "calls"
    return log.read_text().splitlines() if log.exists() else []


# Backups

@pytest.fixture
def back_up(tmp_path, stub, run):
    """Runs the script beside two older backups; `code` is the exit code of `lcfile backup`, which makes a folder."""
    backups = tmp_path / "backups"
    for name in OLD:
        (backups / name).mkdir(parents=True)

    def back_up(keep, code=0, **variables):
        stub("lcfile", f'for last; do :; done\nmkdir -p "$last"\nexit {code}')
        done = run(
            "backup", STORAGE="/nowhere", BACKUPS=str(backups), KEEP=keep, CONFIG="/nowhere/lcfile.yaml", **variables
        )
        return done, sorted(path.name for path in backups.iterdir())

    return back_up


@pytest.mark.few(2)
@pytest.mark.parametrize("keep", ["0", "00", "07", "", "-1", "all", "--keep-daily 7"])
def test_backup_without_a_number_of_backups_to_keep_is_refused(keep, back_up, tmp_path):
    done, names = back_up(keep)
    assert done.returncode == 2
    assert f"KEEP is '{keep}'" in done.stderr
    assert names == OLD and not calls(tmp_path)


@pytest.mark.parametrize(("keep", "old"), [("1", []), ("2", OLD[1:]), ("10", OLD)])
def test_backup_keeps_the_newest(keep, old, back_up):
    done, names = back_up(keep)
    assert done.returncode == 0
    assert names[:-1] == old and names[-1] > OLD[-1]


def test_backups_behind_a_link_are_removed(back_up, tmp_path):
    (tmp_path / "backups").rename(tmp_path / "disk")
    (tmp_path / "backups").symlink_to("disk")
    (tmp_path / "disk" / "20260103T030000Z.partial").mkdir()
    done, names = back_up("2")
    assert done.returncode == 0
    assert names[:-1] == OLD[1:] and names[-1].endswith("Z")


def test_incomplete_backup_removes_none(back_up):
    done, names = back_up("1", code=65)
    assert done.returncode == 65
    assert names[:2] == OLD and len(names) == 3 and names[2].endswith("Z.incomplete")


def test_incomplete_backups_are_none_of_the_complete_ones_to_keep(back_up, tmp_path):
    """The complete ones have the undamaged bytes; what is older than all of them is removed."""
    before, after = "20251231T030000Z.incomplete", "20260102T030001Z.incomplete"
    for name in (before, after):
        (tmp_path / "backups" / name).mkdir()
        (tmp_path / "backups" / f"{name}.yaml").touch()
    done, names = back_up("2")
    assert done.returncode == 0
    assert names[:-1] == [OLD[1], after, f"{after}.yaml"] and names[-1].endswith("Z")


@pytest.mark.parametrize("kind", ["", ".incomplete"])
def test_removal_that_is_killed_leaves_no_part_of_a_backup_under_its_name(kind, back_up, stub, tmp_path):
    backups = tmp_path / "backups"
    old = f"20251231T030000Z{kind}"
    (backups / old).mkdir()
    (backups / f"{old}.yaml").touch()
    # The first run is killed by its first deletion.
    stub("rm", 'kill -9 "$PPID"')
    done, names = back_up("2")
    assert done.returncode != 0
    assert old not in names and f"{old}.partial" in names
    (tmp_path / "programs" / "rm").unlink()
    done, names = back_up("2")
    assert done.returncode == 0, done.stderr
    assert not [name for name in names if ".partial" in name or name.endswith(".yaml")]


@pytest.mark.parametrize(("program", "stuck"), [("rm", f"{OLD[0]}.partial"), ("mv", OLD[0])])
def test_old_backup_that_cannot_be_removed_leaves_the_others_to_the_removal(program, stuck, back_up, stub, tmp_path):
    incomplete = "20251231T030000Z.incomplete"
    (tmp_path / "backups" / incomplete).mkdir()
    stub(program, f'for argument; do case "$argument" in */{stuck}) exit 1; esac; done\nexec /bin/{program} "$@"')
    done, names = back_up("1")
    assert done.returncode == 1, done.stderr
    assert names[0] == stuck and names[-1] > OLD[-1]
    # A complete backup that stays is the oldest one, and what is older than it is removed.
    assert len(names) == 2


def test_backup_with_an_earlier_time_than_others_is_stored_and_removes_none(back_up, tmp_path):
    later = ["29990101T030000Z", "29990102T030000Z"]
    for name in later:
        (tmp_path / "backups" / name).mkdir()
    done, names = back_up("2")
    assert done.returncode == 73
    assert later[1] in done.stderr and "check the clock" in done.stderr
    assert names[:2] == OLD and names[3:] == later and names[2] > OLD[-1]


@pytest.mark.parametrize(("keep", "options"), [("7", " --keep-daily 7"), ("--keep-last 3", " --keep-last 3"), ("", "")])
def test_snapshot_has_the_rules_of_the_retention(keep, options, back_up, tmp_path):
    back_up(keep, REPOSITORY="s3://bucket")
    assert calls(tmp_path) == [f"lcfile backup --config /nowhere/lcfile.yaml --storage /nowhere --to s3://bucket{options}"]


# Certificates

@pytest.fixture
def renew(stub, run):
    """Runs certbot's hook for the server's certificate after a renewal."""
    for name in ("install", "systemctl"):
        stub(name)
    return lambda lineage, *arguments: run(
        "certbot/lcfile", *arguments, RENEWED_LINEAGE=f"/etc/letsencrypt/live/{lineage}", RENEWED_DOMAINS=lineage
    )


def test_hook_installs_the_certificate_of_the_server(renew, tmp_path):
    assert renew(NAME, NAME).returncode == 0
    assert calls(tmp_path) == [
        "install -d -o root -g lcfile -m 750 /etc/lcfile/tls",
        *(
            f"install -o root -g lcfile -m 640 /etc/letsencrypt/live/{NAME}/{file} /etc/lcfile/tls/{file}"
            for file in ("fullchain.pem", "privkey.pem")
        ),
        "systemctl is-active --quiet lcfile",
        "systemctl reload lcfile",
    ]


@pytest.mark.parametrize("other", ["shop.example.com", f"{NAME}-0001", "example.com"])
def test_hook_leaves_the_certificate_of_another_site(other, renew, tmp_path):
    assert renew(other, NAME).returncode == 0
    assert not calls(tmp_path)


def test_hook_without_a_name_installs_no_certificate(renew, tmp_path):
    assert renew(NAME).returncode == 2
    assert not calls(tmp_path)
