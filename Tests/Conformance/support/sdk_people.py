"""People of the official Python SDK, which keeps one of them as the user who is logged in."""

import textwrap

from people import PASSWORD

START = f"""
import uuid
from leancloud import ACL, Query, Role, User
PASSWORD = {PASSWORD!r}
""" + """
def new_name(): return "sdk" + uuid.uuid4().hex
def new_email(): return new_name() + "@example.org"
def new_phone(): return f"+33{uuid.uuid4().int % 10 ** 12:012}"
def person(**fields):
    user = User(**fields)
    user.sign_up(new_name(), PASSWORD)
    return user
def log_in(username, password=PASSWORD):
    user = User()
    user.login(username, password)
    return user
def of(user): return User.create_without_data(user.id)
def refusal(call):
    try:
        call()
    except leancloud.LeanCloudError as error:
        return {"code": error.code, "error": error.error}
def fields(object):
    # A relation that another test gave to the class is on every object of it.
    is_relation = lambda value: isinstance(value, dict) and value.get("__type") == "Relation"
    return sorted(name for name, value in object.dump().items() if not is_relation(value))
def code(call): return (refusal(call) or {}).get("code")
"""


def with_people(sdk, more=""):
    """Yields a function that runs lines with helpers for users; no user is logged in before and after them."""
    nobody = "leancloud.User.set_current(None)\n"
    yield lambda lines, **arguments: sdk(nobody + START + more + textwrap.dedent(lines), **arguments)
    sdk(nobody + "say()")
