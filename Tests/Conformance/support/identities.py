"""`authData` of third-party log-ins, and of sub-apps that speak of a union."""

from accounts import unique

KEYS = {
    "github": "uid", "weibo": "uid", "lc_apple": "uid", "weixin": "openid", "qq": "openid", "anonymous": "id",
    "weixin_app": "openid", "taptap": "openid", "wx-mini": "uid",
}


def data_of(platform, id=None, **more):
    """`authData` of one platform."""
    return {platform: {KEYS[platform]: id or unique("id")} | more}


def github(id=None, **more):
    return data_of("github", id, **more)


ENTRY = "_weixin_unionid"


def app(name, union, main=None, platform="weixin", uid=None):
    """`authData` of a sub-app; `main` as the SDK says it."""
    data = {"uid": uid or unique("id"), "access_token": "t", "platform": platform, "unionid": union}
    return {name: data if main is None else data | {"main_account": main}}


def nobody(union, main):
    """`authData` of an anonymous user that speaks of a union."""
    data = app("anonymous", union, main)
    return {"anonymous": data["anonymous"] | {"id": unique("id")}}
