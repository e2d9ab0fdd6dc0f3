"""Rows of `_User` and `_Role`, and of the built-in classes of push, messages and friends."""

from data import date, pointer, relation
from hashes import BCRYPT, leancloud_hash

from .identifiers import chance, token

LOWER = "0123456789abcdefghijklmnopqrstuvwxyz"
# Names of roles; the next role in the list belongs to the role before it.
ROLES = ["Administrators", "Editors", "Guest Writers", "版主", "empty-role"]


def user(app, number):
    """Users in turns: most have a password, some a hash of another server, some only a third party's, some neither."""
    random = chance(app.seed, "_User", number)
    fields = {
        "username": f"user{number}" if number % 5 else f"用户 {number}", "emailVerified": number % 2 == 0,
        "mobilePhoneVerified": number % 3 == 0, "sessionToken": token(random, 25, LOWER),
        "nickname": ["Ann", "", "安", None, "O'Hara \\ \"x\""][number % 5],
    }
    if number % 4 != 3:
        fields["email"] = f"user{number}@example.org"
    elif number % 8 == 3:
        fields["email"] = None
    if number % 3 == 0:
        fields["mobilePhoneNumber"] = f"+86138{number:08}"
    if app.has_files and number % 2:
        fields["avatar"] = app.file_value(random, form=number % 3)
    if number % 10 == 7:
        fields["authData"] = platforms(number)
        if number % 20 == 7:
            return fields
    if number % 10 == 8:
        # Logs in by a code that is sent to the phone.
        return fields | {"mobilePhoneNumber": f"+86138{number:08}", "mobilePhoneVerified": True}
    if number % 10 == 9 and number // 10 < len(BCRYPT):
        app.passwords[fields["username"]], hash = BCRYPT[number // 10]
        return fields | {"bcryptPassword": hash}
    password, salt = f"Tr0ub4dor&{number}", token(random, 48, LOWER)
    app.passwords[fields["username"]] = password
    return fields | {"password": leancloud_hash(password, salt), "salt": salt}


def platforms(number):
    """`authData`: of one platform, of a sub-app with its union, or of an anonymous user."""
    return [
        {"weixin": {"openid": f"openid-{number}", "access_token": "t", "expires_in": 7200}},
        {
            "wxapp": {"uid": f"uid-{number}", "platform": "weixin", "unionid": f"union-{number}", "main_account": True},
            "_weixin_unionid": {"uid": f"union-{number}"},
        },
        {"anonymous": {"id": f"00000000-0000-4000-8000-{number:012}"}},
        {"github": {"uid": f"{number}"}, "custom_platform": {"uid": f"c{number}", "extra": [1, None]}},
    ][number // 10 % 4]


def role(app, number):
    name = ROLES[number] if number < len(ROLES) else f"Role {number}"
    return {"name": name, "users": relation("_User"), "roles": relation("_Role")}


def role_members(app):
    """Each role but the fifth has three users; the second and third belong to the role before them."""
    users, roles = [], []
    for number in range(app.counts["_Role"]):
        random = chance(app.seed, "members", number)
        if number != 4:
            members = random.sample(range(app.counts["_User"]), min(3, app.counts["_User"]))
            users += [(app.id("_Role", number), app.id("_User", member)) for member in members]
        if number in (1, 2):
            roles.append((app.id("_Role", number - 1), app.id("_Role", number)))
    return users, roles


def installation(app, number):
    random = chance(app.seed, "_Installation", number)
    fields = {
        "deviceType": ["ios", "android"][number % 2], "channels": ["", "新闻"][:number % 3], "valid": number % 7 != 0,
        "timeZone": "Asia/Shanghai", "badge": number % 4, "user": pointer("_User", app.some_user(random)),
    }
    if number % 2:
        return fields | {"installationId": token(random, 32, LOWER)}
    # Two devices with one token, as after a phone was restored.
    return fields | {"deviceToken": f"{number // 4:064x}"}


def conversation(app, number):
    random = chance(app.seed, "_Conversation", number)
    return {
        "name": f"对话 {number}", "c": app.some_user(random), "m": [app.some_user(random) for _ in range(3)], "mu": [],
        "lm": date("2021-05-06T07:08:09.010Z"), "attr": {"topic": "tea", "pinned": number % 2 == 0},
        "unique": number % 2 == 0, "sys": False,
    }


def followee(app, number):
    random = chance(app.seed, "_Followee", number)
    return {
        "user": pointer("_User", app.some_user(random)), "followee": pointer("_User", app.some_user(random)),
        "friendStatus": number % 2 == 0,
    }
