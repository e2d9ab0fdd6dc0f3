"""What the picture of a captcha shows, for tests that cannot read it: the holder of the master key can derive it."""

import hashlib
import hmac

ALPHABET = "ACDEFHJKNPRTUVXY3679"


def code_of(key, text):
    return hmac.new(key, text, hashlib.sha256).digest()


def solution(token, app):
    """The characters of a captcha of an app (CaptchaSecret, CaptchaToken)."""
    nonce, _, _, _, count, _ = token.split("-")
    # HKDF-SHA256 (RFC 5869) without a salt, one block.
    key = code_of(code_of(bytes(32), app.master.encode()), b"lcfile captcha\x01")
    digest = code_of(key, f"characters {nonce}".encode())
    numbers = [int.from_bytes(digest[2 * index:2 * index + 2]) for index in range(int(count))]
    return "".join(ALPHABET[number % len(ALPHABET)] for number in numbers)
