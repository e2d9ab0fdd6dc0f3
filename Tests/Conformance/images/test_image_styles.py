"""Styles: chains that have a name, which stands behind a file's key."""

from urllib.parse import urlsplit

import pytest
from app_settings import configured
from client import ALPHA, BETA, Server, assert_refused
from image_looks import fetched, seen
from image_sources import COLOURS
from image_writers import read
from pictures import encoded
from starting import SETTING, assert_does_not_start
from uploading import ask_for_tokens as token

STYLES = {
    "small": "imageView2/2/w/59", "turned": "imageView2/2/w/59|imageMogr2/rotate/90",
    "web": "imageView2/2/w/59/format/webp",
    "S": "imageView2/2/w/20", "small2": "imageView2/2/w/30", "info": "imageInfo",
    "square_1": "imageView2/1/w/40/h/40",
}
DATA = encoded(COLOURS)


@pytest.fixture(scope="module")
def styled(tmp_path_factory):
    """A server whose first app has styles; the second has one of its own behind another sign."""
    server = Server(tmp_path_factory.mktemp("styles"))
    configured(server, alpha={"styles": STYLES}, beta={"styles": {"mine": "imageView2/2/w/59"}, "styleSeparator": "!"}).start()
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def api(styled):
    return styled.api()


@pytest.fixture(scope="module")
def beta(styled):
    return styled.api(BETA)


@pytest.fixture(scope="module")
def url(api):
    return api.store(DATA, name="picture.png")["url"]


def put(master, key, data):
    """Stores a file under a key that the operator chose; returns its URL."""
    made = token(master, key=key, name="picture.png").json()
    assert master.session.put(made["upload_url"], data=data, timeout=15).status_code == 200
    return made["url"]


@pytest.mark.parametrize("name, size, format", [
    ("small", (59, 39), "PNG"), ("turned", (39, 59), "PNG"), ("web", (59, 39), "WEBP"), ("S", (20, 13), "PNG"),
    ("small2", (30, 20), "PNG"), ("square_1", (40, 40), "PNG"),
])
def test_name_behind_the_key_is_the_chain(api, url, name, size, format):
    image = seen(api, f"{url}-{name}")
    assert (image.size, image.format) == (size, format)


@pytest.mark.parametrize("name", ["small", "turned", "web"])
def test_style_and_its_chain_are_one_derivative(api, url, name):
    styled, spelt = fetched(api, f"{url}-{name}"), fetched(api, f"{url}?{STYLES[name]}")
    assert (styled.headers["ETag"], styled.content) == (spelt.headers["ETag"], spelt.content)


def test_style_has_the_headers_of_a_derivative(api, url):
    response = fetched(api, f"{url}-web")
    assert response.headers["Content-Type"] == "image/webp"
    assert response.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert api.fetch(f"{url}-web", If_None_Match=response.headers["ETag"]).status_code == 304
    assert api.fetch(f"{url}-web", "HEAD").headers["Content-Length"] == str(len(response.content))


def test_style_may_be_a_question(api, url):
    response = api.fetch(f"{url}-info")
    assert response.json()["width"] == COLOURS.width
    assert "no-store" in response.headers["Cache-Control"]


@pytest.mark.parametrize("sign", ["!", "%21"])
def test_separator_may_be_escaped(styled, beta, sign):
    path = urlsplit(beta.store(DATA, name="picture.png")["url"]).path
    with styled.raw() as connection:
        assert read(connection.request("GET", f"{path}{sign}mine", {}).content).size == (59, 39)


def test_kept_name_may_hold_the_separator(api):
    url = api.store(DATA, name="my-own photo-small.png", keep_file_name="true")["url"]
    assert api.fetch(url).content == DATA
    assert seen(api, f"{url}-small").size == (59, 39)


def test_separator_is_a_setting(beta):
    url = beta.store(DATA, name="picture.png")["url"]
    assert seen(beta, f"{url}!mine").size == (59, 39)
    assert_refused(beta.fetch(f"{url}-mine"), 404, 404)


def test_style_is_of_its_app_alone(api, beta, url):
    other = beta.store(DATA, name="picture.png")["url"]
    for strange in (f"{other}-small", f"{other}!small", f"{url}!mine", f"{url}-mine"):
        assert_refused(api.fetch(strange), 404, 404)


@pytest.mark.parametrize("name", [
    "", "none", "Small", "small-", "smal", "small/", "small-small", "small|imageInfo", "imageInfo",
])
def test_unknown_style_is_404(api, url, name):
    assert_refused(api.fetch(f"{url}-{name}"), 404, 404)


def test_style_of_an_unknown_key_is_404(api, styled):
    assert_refused(api.fetch(f"{styled.url}/{'0' * 32}.png-small"), 404, 404)


def test_style_of_what_is_no_image_is_refused(api):
    assert_refused(api.fetch(api.store(b"just text", name="note.txt")["url"] + "-small"), 400, 400)


def test_file_whose_key_is_the_whole_path_wins(styled, api):
    master = styled.api(master=True)
    put(master, "both.png", DATA)
    before = f"{styled.url}/both.png-small"
    assert read(fetched(api, before).content).size == (59, 39)
    assert put(master, "both.png-small", b"a file of its own") == before
    assert api.fetch(before).content == b"a file of its own"


def test_style_comes_back_when_the_file_in_its_way_is_deleted(styled, api):
    master = styled.api(master=True)
    url = put(master, "left.png", DATA)
    made = token(master, key="left.png-small", name="x.txt").json()
    assert master.session.put(made["upload_url"], data=b"in the way", timeout=15).status_code == 200
    assert api.fetch(f"{url}-small").content == b"in the way"
    assert master.delete(made["objectId"]).status_code == 200
    assert seen(api, f"{url}-small").size == (59, 39)


@pytest.mark.parametrize("words", ["imageInfo", "imageView2/2/w/30", "nonsense", "stat", "imageView2/2/w/59"])
def test_words_behind_a_styled_url_are_refused(api, url, words):
    assert_refused(api.fetch(f"{url}-small?{words}"), 400, 400)


@pytest.mark.parametrize("query", ["v=3", "", "e=1&token=a", "v=3&imageInfo"])
def test_parameters_behind_a_styled_url_change_nothing(api, url, query):
    assert fetched(api, f"{url}-small?{query}").content == fetched(api, f"{url}-small").content


def test_style_may_be_named_for_saving(api, url):
    assert "small.png" in fetched(api, f"{url}-small?attname=small.png").headers["Content-Disposition"]


def test_deleted_file_has_no_styles(styled, api):
    record = api.store(DATA, name="picture.png")
    assert seen(api, f"{record['url']}-small").size == (59, 39)
    assert styled.api(master=True).delete(record["objectId"]).status_code == 200
    assert_refused(api.fetch(f"{record['url']}-small"), 404, 404)


@pytest.mark.extended
def test_two_apps_may_have_one_name_for_two_chains(new_server):
    server = configured(
        new_server(), alpha={"styles": {"s": "imageView2/2/w/59"}}, beta={"styles": {"s": "imageView2/2/w/20"}},
    ).start()
    apis = [server.api(), server.api(BETA)]
    assert [seen(api, api.store(DATA, name="x.png")["url"] + "-s").size for api in apis] == [(59, 39), (20, 13)]


@pytest.mark.extended
def test_changed_style_gives_another_picture_after_a_restart(new_server):
    server = configured(new_server(), alpha={"styles": {"s": "imageView2/2/w/59"}}).start()
    url = server.api().store(DATA, name="x.png")["url"]
    assert seen(server.api(), f"{url}-s").size == (59, 39)
    assert server.stop() == 0
    configured(server, alpha={"styles": {"s": "imageView2/2/w/20"}}).start()
    assert seen(server.api(), f"{url}-s").size == (20, 13)


@pytest.mark.few(1)
@pytest.mark.parametrize("signs", ["-_", "!@", "~,", ".;"])
def test_separator_is_one_of_several_signs(new_server, signs):
    """One for each of the two apps."""
    alpha, beta = ({"styles": {"s": "imageView2/2/w/59"}, "styleSeparator": sign} for sign in signs)
    server = configured(new_server(), alpha=alpha, beta=beta).start()
    for sign, app in zip(signs, (ALPHA, BETA)):
        api = server.api(app)
        assert seen(api, api.store(DATA, name="x.png")["url"] + f"{sign}s").size == (59, 39)


@pytest.mark.few(2)
@pytest.mark.parametrize("styles", [
    {"s": "nonsense"}, {"s": ""}, {"s": "imageView2/2/w/-1"}, {"s": 5}, {"s": ["imageInfo"]}, {"": "imageInfo"}, ["imageInfo"],
    "imageInfo", {"s": "|".join(["imageInfo"] * 2)}, {"s": "|".join(["imageMogr2/rotate/90"] * 17)}, {"s": "v=3"},
], ids=str)
def test_bad_style_stops_the_start(new_server, styles):
    assert_does_not_start(configured(new_server(), alpha={"styles": styles}), SETTING, "style")


@pytest.mark.few(2)
@pytest.mark.parametrize("separator", ["", "/", "?", "#", "%", "a", "--", "a/b", 5, ["-"]], ids=str)
def test_bad_separator_stops_the_start(new_server, separator):
    settings = {"styles": {"s": "imageInfo"}, "styleSeparator": separator}
    assert_does_not_start(configured(new_server(), alpha=settings), SETTING, "styleSeparator")
