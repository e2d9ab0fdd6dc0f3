"""Ids and times of objects: functions of the seed, the class and the number of the object in it."""

import hashlib
from datetime import datetime, timedelta, timezone
from random import Random

START = datetime(2019, 3, 1, 8, tzinfo=timezone.utc)
# The time between two objects of a class: a class of 100 000 objects covers three years.
STEP = timedelta(minutes=17, seconds=23, milliseconds=117)
LETTERS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def iso(time):
    """A time as LeanCloud writes it: UTC with three digits of milliseconds."""
    return time.strftime("%Y-%m-%dT%H:%M:%S.") + f"{time.microsecond // 1000:03}Z"


def milliseconds(text):
    """A time that LeanCloud wrote, as milliseconds since 1970."""
    time = datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc)
    return round((time - datetime(1970, 1, 1, tzinfo=timezone.utc)) / timedelta(milliseconds=1))


def creation(number):
    return START + number * STEP


def object_id(seed, name, number):
    """24 hexadecimal digits that begin with the time in seconds, as MongoDB's do."""
    digest = hashlib.md5(f"{seed} {name} {number}".encode()).hexdigest()
    return f"{int(creation(number).timestamp()):08x}{digest[:16]}"


def system_fields(seed, name, number, random):
    """`objectId`, `createdAt` and `updatedAt`; most objects were updated within a month."""
    created = updated = creation(number)
    if random.random() < 0.7:
        updated += timedelta(milliseconds=random.randrange(30 * 24 * 3600 * 1000))
    return {"objectId": object_id(seed, name, number), "createdAt": iso(created), "updatedAt": iso(updated)}


def token(random, length, letters=LETTERS):
    return "".join(random.choices(letters, k=length))


def chance(*names):
    """Random numbers that only the names decide."""
    return Random(" ".join(map(str, names)))
