"""Passwords and their hashes, as published by those who made them."""

import base64
import hashlib

# The vectors of protocol/data 6.6.
LEANCLOUD = [
    ("password", {
        "salt": "h60d8x797d3oa0naxybxxv9bn7xpt2yiowz68mpiwou7gwr2",
        "password": "tA7BLW+NK0UeARng0693gCaVnljkglCB9snqlpCSUKjx2RgYp8VZZOQt0S5iUtlDrkJXfT3gknS4rRqjYsd/Ug==",
    }),
    ("Tr0ub4dor&3", {
        "salt": "0123456789abcdefghijklmnopqrstuvwxyz0123456789ab",
        "password": "pqUfMmG7WTpgNH8/TAQFBjfbklvlMQ81j6xWfecRQKZuYytCM2iabaN2kz7YlaqpRmP40oMouRi9Kp0GIWpJ/w==",
    }),
]
# The vectors of crypt_blowfish.
BCRYPT = [
    ("U*U", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"),
    ("U*U*", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK"),
    ("U*U*U", "$2a$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a"),
    ("U*U", "$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"),
    ("U*U", "$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"),
    ("пароль 茶", "$2b$05$CCCCCCCCCCCCCCCCCCCCC.PhmNZr79kkdzmsrAvFCBBgGsWm6zdCO"),
]


def leancloud_hash(password, salt):
    """The stored form of a password, by protocol/data 6.6."""
    digest = hashlib.sha512((salt + password).encode()).digest()
    for _ in range(512):
        digest = hashlib.sha512(digest).digest()
    return base64.b64encode(digest).decode()
