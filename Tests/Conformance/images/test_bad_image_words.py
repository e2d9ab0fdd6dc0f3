"""Malformed and hostile image URLs: each returns an image, or an error that names the parameter."""

import base64
from urllib.parse import quote

import pytest
from cases import chance, count, covering
from client import TIMEOUT, assert_refused, eventually
from pictures import encoded, plain, render


@pytest.fixture(scope="module")
def picture(api):
    return api.store(encoded(plain(60, 40)), name="picture.png")["url"]


def b64(text):
    return base64.urlsafe_b64encode(text.encode()).decode()


def asked(api, url, words):
    """The answer to a query that is sent as it stands, where requests would write it in its own way."""
    with api.server.raw() as connection:
        path = url.removeprefix(api.server.url)
        return connection.request("GET", f"{path}?{words}", {})


def assert_word_is_named(api, url, words, named):
    response = api.fetch(f"{url}?{words}")
    assert_refused(response, 400, 400, named)
    assert response.json()["error"].startswith("Bad image request: ")
    assert "no-store" in response.headers["Cache-Control"]


# Numbers

NUMBERS = [
    "-1", "-0", "+5", "1e5", "1e-5", "0x10", "0b1", "NaN", "nan", "inf", "-inf", "Infinity", "1.2.3", ".", ".5.",
    "1,5", "1_000",
    "١٠", "５", "1 0", " 5", "5 ", "five", "null", "true", "$(id)", "${w}", "9" * 33, "1" + "0" * 500,
    "0." + "0" * 40 + "1",
    "2147483648", "4294967296", "9223372036854775808", "18446744073709551616", "1e400", "--5", "5-", "5%", "5p",
    "½", "Ⅳ", "\0", "5\n",
]


@pytest.mark.few(2)
@pytest.mark.parametrize("word, number", covering([
    "imageView2/2/w/", "imageView/1/h/", "imageMogr2/rotate/", "imageMogr2/quality/",
], NUMBERS), ids=ascii)
def test_what_is_no_number_is_named(api, picture, word, number):
    # What is not ASCII can be no word at all, so it is named itself.
    named = word.split("/")[-2] if number.isascii() else number
    assert_word_is_named(api, picture, word + quote(number, safe=""), f"'{named}'")


@pytest.mark.few(2)
@pytest.mark.parametrize("words, named", [
    ("imageView2/2/w/10000", "9999"), ("imageView2/2/w/1000000000", "9999"), ("imageView2/2/w/200/q/0", "'q'"),
    ("imageView2/2/w/200/q/101", "'q'"), ("imageView2/2/w/200/interlace/2", "'interlace'"),
    ("imageView2/2/w/200/colors/0", "'colors'"), ("imageView2/2/w/200/colors/257", "'colors'"),
    ("imageView2/2/w/200/ignore-error/yes", "'ignore-error'"), ("imageMogr2/rotate/0", "'rotate'"),
    ("imageMogr2/rotate/361", "'rotate'"), ("imageMogr2/blur/0x1", "blur"), ("imageMogr2/blur/51x1", "blur"),
    ("imageMogr2/blur/1x51", "blur"), ("imageMogr2/blur/5", "blur"),
    ("imageMogr2/blur/1e1x5", "blur"), ("imageMogr2/sharpen/2", "'sharpen'"),
    ("imageMogr2/thumbnail/!1001p", "thumbnail"),
    ("imageMogr2/thumbnail/1000001x", "thumbnail"), ("imageMogr2/thumbnail/-5x5", "thumbnail"),
    ("imageMogr2/thumbnail/5x5x5", "thumbnail"), 
    ("imageMogr2/thumbnail/!", "thumbnail"),
    ("imageMogr2/thumbnail/5x5!!", "thumbnail"), ("imageMogr2/thumbnail/5x5%3E%3E", "thumbnail"),
    ("imageMogr2/thumbnail/@", "thumbnail"), ("imageMogr2/thumbnail/0@", "thumbnail"),
    ("imageMogr2/thumbnail/1e9@", "thumbnail"),
    ("imageMogr2/crop/!5x5a1", "crop"), ("imageMogr2/crop/!5x5a1a", "crop"),
    ("imageMogr2/crop/!5x5a1a1a1", "crop"), ("imageMogr2/crop/!5x5a99999999999999999999a1", "crop"),
    ("imageMogr2/crop/!5x5--1a1", "crop"), ("imageMogr2/crop/5x5a1a1/crop/1e3x", "crop"),
    ("imageMogr2/gravity/center", "'gravity'"), ("imageMogr2/gravity/Middle", "'gravity'"),
    ("imageMogr2/background/red", "'background'"), (f"imageMogr2/background/{b64('#12345')}", "#12345"),
    (f"imageMogr2/background/{b64('url(#a)')}", "url(#a)"), (f"imageMogr2/background/{b64('FFFFFF')}", "FFFFFF"),
    ("imageMogr2/size-limit/0", "size-limit"), ("imageMogr2/size-limit/-5", "size-limit"),
    ("imageMogr2/size-limit/5g", "size-limit"),
    ("imageMogr2/size-limit/$(HOME)", "size-limit"), ("imageMogr2/format/exe", "'format'"),
    ("imageslim/zlevel/11", "'zlevel'"), ("imageslim/zlevel/-1", "'zlevel'"), ("imageslim/level/1", "'level'"),
])
def test_number_beyond_its_limits_is_named(api, picture, words, named):
    assert_word_is_named(api, picture, words, named)


@pytest.mark.parametrize("words, setting", [
    ("imageMogr2/thumbnail/9000x9000!", "images.maxResultPixels"),
    ("imageMogr2/thumbnail/10000x1!", "images.maxResultSide"),
    ("imageMogr2/thumbnail/1000000x1000000!", "images.maxResultSide"),
    ("imageMogr2/thumbnail/!9999x9999r", "images.maxResult"),
    ("imageMogr2" + "/thumbnail/!1000p" * 3 + "/thumbnail/5x", "images.maxResult"),
    ("|".join(["imageMogr2/thumbnail/!1000p"] * 3 + ["imageView2/2/w/5"]), "images.maxResult"),
    ("imageView/1/w/9999/h/9999", "images.maxResult"),
])
def test_result_beyond_the_limit_names_its_setting(api, picture, words, setting):
    assert_refused(api.fetch(f"{picture}?{words}"), 400, 400, setting)


# Words

@pytest.mark.parametrize("words, named", [
    ("imageView3/2/w/5", "'imageView3'"), ("imageview2/2/w/5", "'imageview2'"), ("ImageMogr2/strip", "'ImageMogr2'"),
    ("imageMogr/strip", "'imageMogr'"), ("imageMogr2/Strip", "'Strip'"), ("imageMogr2/AUTO-ORIENT", "'AUTO-ORIENT'"),
    ("imageInfo/a", "'a'"), ("exif/1", "'1'"), ("imageAve/x", "'x'"), ("stat/x", "'x'"), ("IMAGEINFO", "'IMAGEINFO'"),
    ("imageView2/2/w/5/w/6", "'w'"), ("imageView2/2/w/5/h/5/h/5", "'h'"),
    ("imageView2/2/w/5/format/png/format/png", "'format'"),
    ("imageMogr2/quality/5/quality/5", "'quality'"), ("imageMogr2/q/5/quality/5", "quality"),
    ("imageMogr2/strip/strip", "'strip'"),
    ("imageView2/2/w", "'w'"), ("imageView2/2/w/", "'w'"), ("imageView2/2/w//h/5", "'w'"), ("imageView2/2//w/5", "''"),
    ("imageView2/6/w/5", "imageView2"), ("imageView/0/w/5", "imageView"), ("imageView/3/w/5", "imageView"),
    ("imageView2/2/width/5", "'width'"), ("imageView2/2/w/5/quality/5", "'quality'"),
    ("imageView2/2/w/5/rotate/5", "'rotate'"),
    ("imageView2/2/w/5/é/1", "'é'"), ("imageMogr2/汉字", "'汉字'"), ("imageMogr2/a%00b", "a b"),
    ("imageMogr2/a%0D%0Ab", "a b"),
    ("imageInfo|imageView2/2/w/5", "'imageInfo'"), ("exif|imageView2/2/w/5", "'exif'"),
    ("imageView2/2/w/5|exif", "'exif'"),
    ("imageView2/2/w/5|imageAve", "'imageAve'"), ("imageView2/2/w/5|stat", "'stat'"),
    ("imageInfo|imageInfo", "'imageInfo'"),
    ("watermark", "watermark"), ("watermark/5/text/YQ==", "watermark"), ("watermark/1", "image"),
    ("watermark/2/text/", "'text'"),
    ("watermark/2/text/!!!", "'text'"), ("watermark/2/text/gICA", "'text'"), ("watermark/2/text/IA==", "'text'"),
    (f"watermark/2/text/{b64('a')}/gravity/Top", "'gravity'"),
    (f"watermark/2/text/{b64('a')}/dissolve/0", "'dissolve'"),
    (f"watermark/2/text/{b64('a')}/fontsize/99999", "'fontsize'"),
    (f"watermark/2/text/{b64('x' * 1001)}", "images.maxTextLength"),
    (f"watermark/3/{f'text/{b64(chr(97))}/' * 17}", "watermark/3"),
    (f"watermark/2/text/{b64('a')}/text/{b64('a')}", "'text'"),
    ("imageView2%252F2%252Fw%252F5", "'imageView2%2F2%2Fw%2F5'"), ("imageView2/2/w/5%257CimageInfo", "'w'"),
])
def test_word_that_is_not_understood_is_named(api, picture, words, named):
    assert_word_is_named(api, picture, words, named.strip("'") if named == "''" else named)


@pytest.mark.parametrize("words", [
    "|", "||", "/", "//", "imageView2/2/w/5|", "|imageView2/2/w/5", "imageView2/2/w/5||imageInfo", "%7C",
])
def test_operator_that_is_missing_is_said(api, picture, words):
    assert_word_is_named(api, picture, words, "operator")


@pytest.mark.parametrize("words", [
    "imageView2/2/w/5%", "imageView2/2/w/%zz", "imageView2/2/w/%E", "%ff", "imageMogr2/%c0%af", "%ed%a0%80",
])
def test_escape_that_is_none_is_refused(api, picture, words):
    response = asked(api, picture, words)
    assert (response.status, response.getheader("Content-Type")) == (400, "application/json;charset=utf-8")


# Length

LONG = {
    "operators": "|".join(["imageView2/2/w/50"] * 600), "words": "imageMogr2" + "/strip" * 1500, "slashes": "/" * 1000,
    "slashes-behind": "imageView2/2/w/50" + "/" * 1000, "bars": "|" * 10_000, "word": "imageMogr2/" + "a" * 10_000,
    "number": "imageView2/2/w/" + "1" * 10_000, "zeros": "imageView2/2/w/" + "0" * 10_000 + "5",
    "escapes": "%41" * 3000,
    "base64": "watermark/2/text/" + "YWFh" * 2500, "thumbnails": "imageMogr2" + "/thumbnail/!50p" * 600,
    "blurs": "imageMogr2" + "/blur/50x50" * 900, "questions": "|".join(["imageInfo"] * 1000),
    "scripts": "imageMogr2/" + "é" * 5000,
    "marks": "watermark/3" + "/text/YQ" * 1000, "turns": "imageMogr2" + "/rotate/1" * 33,
}


@pytest.mark.few(2)
@pytest.mark.parametrize("words", LONG.values(), ids=LONG)
def test_long_query_is_refused_in_a_short_sentence(api, picture, words):
    response = api.fetch(f"{picture}?{words}")
    assert_refused(response, 400, 400)
    assert len(response.json()["error"]) < 300


def test_query_that_is_longer_than_any_head_closes_the_connection_or_is_refused(api, picture, server):
    with server.raw() as connection:
        connection.send(f"GET {picture.removeprefix(server.url)}?imageView2/{'2/' * 500_000} HTTP/1.1\r\n".encode())
        connection.send(b"Host: 127.0.0.1\r\n\r\n")
        assert connection.answer_or_end() in (None, 400, 414, 431)


# Bytes that no URL may hold

@pytest.mark.parametrize("byte", [
    b"\0", b"\x01", b"\x7f", b"\x80", b"\xff", b"\xc3\x28", "é".encode(), "汉".encode(), b"\t", b"\"", b"<>", b"\\",
    b"^`{}",
])
def test_byte_that_must_be_escaped_is_answered(api, picture, server, byte):
    with server.raw() as connection:
        path = picture.removeprefix(server.url).encode()
        connection.send(b"GET " + path + b"?imageView2/2/w/5" + byte + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert connection.answer_or_end() == 400


# Anything

VALID = [
    "imageView2/1/w/200/h/100/format/webp/q/75/interlace/1", "imageView/2/w/50/h/30/q/90",
    "imageView2/5/w/20/h/10/colors/16/format/gif",
    "imageMogr2/auto-orient/thumbnail/50x50/gravity/Center/crop/20x20/rotate/45/format/png",
    "imageMogr2/thumbnail/!50px/blur/3x5",
    "imageMogr2/crop/!30x40a10a20/strip/quality/80!", "imageMogr2/thumbnail/400x300%3E/sharpen/1/size-limit/15k",
    f"imageMogr2/rotate/30/background/{b64('#ff0')}/ignore-error/1",
    "imageMogr2/thumbnail/2500@/format/jpg|imageView2/1/w/10",
    f"watermark/2/text/{b64('lcfile')}/fontsize/300/fill/{b64('red')}/dissolve/50/gravity/North/dx/5/dy/-5",
    f"watermark/3/text/{b64('a')}/text/{b64('b')}/gravity/Center",
    f"watermark/4/text/{b64('tile')}/rotate/30/uw/20/uh/20",
    "imageslim/zlevel/5", "imageInfo", "imageAve", "imageView2/2/w/20|imageMogr2/rotate/90|imageInfo",
]
PIECES = [
    "/", "|", "%7C", "%2F", "!", "-", "a", "x", "0", "1", "9", "99", ".", "@", "%3E", "%3C", "%25", "%00", "%ff", "é",
    "e5", "&", "=", "w", "h",
    "/w/5", "/strip", "/format/png", "|imageInfo", "/ignore-error/1", "imageMogr2", "/crop/5x5", "%20", "+", "~", "(",
    "$",
]


def mutated(rng):
    """Something that was valid, changed in up to four places."""
    text = rng.choice(VALID)
    for _ in range(rng.randint(1, 4)):
        at, length = rng.randrange(len(text) + 1), rng.randint(0, 6)
        text = rng.choice([
            text[:at] + rng.choice(PIECES) + text[at:], text[:at] + text[at + length:],
            text[:at] + text[at: at + length] + text[at:],
            text[:at] + rng.choice(PIECES) + text[at + length:], swapped(text, rng),
            text[:at] + "|" + rng.choice(VALID),
        ])
    return text.replace(" ", "%20")


def swapped(text, rng):
    words = text.split("/")
    one, other = rng.randrange(len(words)), rng.randrange(len(words))
    words[one], words[other] = words[other], words[one]
    return "/".join(words)


@pytest.mark.few(2)
@pytest.mark.parametrize("seed", range(count(4, 100)))
def test_url_at_random_is_a_picture_or_a_refusal(api, picture, seed):
    rng = chance(seed)
    for words in [mutated(rng) for _ in range(50)]:
        response = api.fetch(f"{picture}?{words}")
        if response.status_code == 200:
            assert response.headers["Content-Type"].startswith(("image/", "application/json")), words
        else:
            assert_refused(response, 400, 400)
            assert "no-store" in response.headers["Cache-Control"], words


def test_pictures_are_made_after_all_this(api, picture):
    assert eventually(api.server.is_healthy, TIMEOUT)
    assert render(api, picture, "imageView2/2/w/30").size == (30, 20)
