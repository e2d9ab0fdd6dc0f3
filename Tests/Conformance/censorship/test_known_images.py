"""The list of known images: exact copies and changed copies of blocked images are found again."""

import hashlib
import io

import pytest
from cases import count, covering
from censoring import (
    Receiver, block, bytes_of, censoring, decided, image, known, learned, photo, put, settings, state, with_webhook,
)
from client import ROCKET, assert_refused
from data import MISSING
from people import unique
from PIL import Image, ImageDraw


@pytest.fixture(scope="module")
def receiver():
    """Passes what the list does not reject."""
    receiver = Receiver()
    yield receiver
    receiver.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory, receiver):
    server = censoring(tmp_path_factory.mktemp("known"), **with_webhook(receiver))
    settings(server.api(master=True), auto=True)
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def master(server):
    return server.api(master=True)


@pytest.fixture(scope="module")
def api(server):
    return server.api()


def add(master, *images, status=200):
    response = master.post("/1.1/censorship/known", json={"images": list(images)})
    assert response.status_code == status, response.text
    return response.json()


def picture(seed):
    """A picture with large shapes, as photographs have them."""
    made = image(seed, 640, 480)
    draw = ImageDraw.Draw(made)
    draw.ellipse((80, 60, 330, 300), fill=(240, 230, 40))
    draw.rectangle((350, 200, 600, 440), fill=(20, 40, 160))
    draw.line((0, 480, 640, 0), fill=(250, 250, 250), width=24)
    return made


CHANGES = {
    "smaller": lambda made: made.resize((200, 133)),
    "larger": lambda made: made.resize((1000, 667)),
    "recompressed": lambda made: Image.open(io.BytesIO(bytes_of(made, quality=40))),
    "cropped a little": lambda made: made.crop((6, 5, made.width - 6, made.height - 4)),
    "brighter": lambda made: made.point(lambda value: min(255, int(value * 1.08) + 4)),
    "grey": lambda made: made.convert("L").convert("RGB"),
}


@pytest.mark.smoke
def test_exact_copy_of_a_blocked_image_is_rejected(master, api):
    data = photo(unique("exact"))
    first = api.store(data)
    assert decided(master, first["objectId"])["censorResult"] == "passed"
    block(master, first["objectId"])
    entry = learned(master, first["objectId"])
    seen = decided(master, api.store(data)["objectId"])
    assert (seen["censorResult"], seen["decidedBy"], seen["checker"]) == ("rejected", "machine", "known")
    assert entry["id"] in seen["reason"]


@pytest.fixture(scope="module")
def blocked(master, api):
    """A real photograph that a person blocked."""
    id = api.store(ROCKET.read_bytes())["objectId"]
    block(master, id)
    learned(master, id)
    return Image.open(ROCKET).convert("RGB")


@pytest.mark.few(2)
@pytest.mark.parametrize("change, format", covering(CHANGES, ["JPEG", "PNG", "WEBP"]))
def test_changed_copy_of_a_blocked_image_is_rejected(master, api, blocked, change, format):
    copy = bytes_of(CHANGES[change](blocked), format)
    seen = decided(master, api.store(copy, name=f"copy.{format.lower()}")["objectId"])
    assert (seen["censorResult"], seen["decidedBy"], seen["checker"]) == ("rejected", "machine", "known"), seen


@pytest.mark.extended
def test_other_images_are_not_rejected(master, api):
    first = api.store(bytes_of(picture("blocked")))["objectId"]
    block(master, first)
    learned(master, first)
    other = [decided(master, api.store(bytes_of(image(unique("other"), 640, 480)))["objectId"]) for _ in range(3)]
    assert [seen["censorResult"] for seen in other] == ["passed"] * 3


@pytest.mark.extended
def test_distance_of_zero_takes_no_changed_copies(master, api):
    made = picture("zero")
    first = api.store(bytes_of(made))["objectId"]
    block(master, first)
    learned(master, first)
    settings(master, hashDistance=0)
    try:
        copy = bytes_of(made.crop((40, 40, 600, 440)).resize((300, 200)), quality=30)
        assert decided(master, api.store(copy)["objectId"])["censorResult"] == "passed"
    finally:
        settings(master, hashDistance=31)


def test_imported_sha256_is_rejected(master, api):
    data = photo(unique("imported"))
    assert add(master, {"sha256": hashlib.sha256(data).hexdigest(), "note": "from a list"}) == {"added": 1}
    assert decided(master, api.store(data)["objectId"])["censorResult"] == "rejected"


@pytest.mark.extended
def test_hash_of_a_blocked_image_finds_copies_when_it_is_imported_elsewhere(master, api):
    """The PDQ hash in the list is the one that imports take."""
    made = picture("pdq")
    id = api.store(bytes_of(made))["objectId"]
    block(master, id)
    entry = learned(master, id)
    assert len(entry["pdq"]) == 64 and entry["sha256"] == hashlib.sha256(bytes_of(made)).hexdigest()
    assert master.call("DELETE", f"/1.1/censorship/known/{entry['id']}").status_code == 200
    copy = bytes_of(made.resize((320, 240)), "PNG")
    assert decided(master, api.store(copy, name="copy.png")["objectId"])["censorResult"] == "passed"
    add(master, {"pdq": entry["pdq"]})
    copy = bytes_of(made.resize((330, 250)), "PNG")
    assert decided(master, api.store(copy, name="copy.png")["objectId"])["censorResult"] == "rejected"


@pytest.mark.extended
def test_pass_of_a_blocked_image_takes_it_from_the_list(master, api):
    data = bytes_of(picture("pardon"))
    id = api.store(data)["objectId"]
    block(master, id)
    learned(master, id)
    put(master, id, "passed")
    assert not [one for one in known(master) if one.get("file") == id]
    assert decided(master, api.store(data)["objectId"])["censorResult"] == "passed"


def test_check_of_a_caller_uses_the_list(master, api):
    data = photo(unique("asked"))
    id = api.store(data)["objectId"]
    decided(master, id)
    add(master, {"sha256": hashlib.sha256(data).hexdigest()})
    assert master.post(f"/1.1/files/{id}/censor").json() == {"censorResult": "rejected"}


def test_entry_is_added_once(master):
    entry = {"sha256": hashlib.sha256(unique("once").encode()).hexdigest()}
    assert add(master, entry, entry) == {"added": 1}
    assert add(master, entry) == {"added": 0}
    assert add(master) == {"added": 0}


def test_capital_digits_are_the_same_entry(master):
    digits = hashlib.sha256(unique("capitals").encode()).hexdigest()
    assert add(master, {"sha256": digits.upper()}) == {"added": 1}
    assert add(master, {"sha256": digits}) == {"added": 0}


@pytest.mark.parametrize("images", [
    [{}], [{"sha256": "ab"}], [{"sha256": "g" * 64}], [{"pdq": 5}], [{"md5": "ab" * 32}], ["ab" * 32], [None],
    [{"sha256": "ab" * 32, "note": "n" * 1001}], [{"sha256": "ab" * 32}] * 1001,
], ids=lambda value: str(value)[:40])
def test_bad_entry_is_refused_and_none_is_added(master, images):
    before = len(known(master))
    good = {"sha256": hashlib.sha256(unique("good").encode()).hexdigest()}
    response = master.post("/1.1/censorship/known", json={"images": [good, *images]})
    assert response.status_code == 400, response.text
    assert len(known(master)) == before


@pytest.mark.parametrize("body", [{}, {"images": None}, {"images": {}}, {"images": "x"}], ids=str)
def test_body_without_images_is_refused(master, body):
    assert_refused(master.post("/1.1/censorship/known", json=body), 400, 1, "images")


def test_unknown_entry_is_404(master):
    assert master.call("DELETE", f"/1.1/censorship/known/{MISSING}").status_code == 404


def test_list_has_pages(master):
    add(master, *({"sha256": hashlib.sha256(unique(f"{n}").encode()).hexdigest()} for n in range(12)))
    ids, cursor = [], None
    while True:
        page = master.get("/1.1/censorship/known", params={"limit": 5} | ({"cursor": cursor} if cursor else {})).json()
        ids += [one["id"] for one in page["results"]]
        cursor = page.get("cursor")
        if not cursor:
            break
    assert len(ids) == len(set(ids)) == master.get("/1.1/censorship/status").json()["known"]


@pytest.fixture(scope="module")
def hidden(master, api):
    """A picture that a person blocked, for later frames of animations."""
    made = picture("hidden")
    first = api.store(bytes_of(made))["objectId"]
    block(master, first)
    learned(master, first)
    return made


def animation(first, later, format):
    data = io.BytesIO()
    first.save(data, format, save_all=True, append_images=[later] * 2, duration=100, quality=90)
    # As a still image that has a sequence beside it; others are not read at all.
    return data.getvalue().replace(b"ftypavis", b"ftypavif")


@pytest.mark.extended
def test_animation_is_found_by_a_later_frame(master, api, hidden):
    """A blocked picture that hides behind a harmless first frame."""
    data = animation(image(unique("harmless"), 640, 480), hidden, "WEBP")
    seen = decided(master, api.store(data, name="a.webp", type="image/webp")["objectId"])
    assert seen["censorResult"] == "rejected", seen


@pytest.mark.extended
@pytest.mark.parametrize("format", ["PNG", "AVIF"])
def test_animation_whose_later_frames_cannot_be_read_passes_by_a_person_only(master, api, hidden, format):
    """The webhook passes all images."""
    data = animation(image(unique("harmless"), 640, 480), hidden, format)
    seen = decided(master, api.store(data, name=f"a.{format.lower()}")["objectId"])
    assert seen["censorResult"] == "review" and "first frame" in seen["reason"], seen
    data = animation(hidden, image(unique("harmless"), 640, 480), format)
    seen = decided(master, api.store(data, name=f"a.{format.lower()}")["objectId"])
    assert (seen["censorResult"], seen["checker"]) == ("rejected", "known"), seen


@pytest.mark.extended
def test_large_list_is_searched_quickly(master, api):
    """Thousands of entries cost a check no time that a person notices; `make soak` has 20 000."""
    for start in range(0, count(3000, 20_000), 1000):
        add(master, *({"pdq": hashlib.sha256(f"{n}".encode()).hexdigest()} for n in range(start, start + 1000)))
    seen = decided(master, api.store(photo(unique("quick")))["objectId"], within=15)
    assert seen["censorResult"] == "passed"
    assert state(master, seen["objectId"])["history"]
