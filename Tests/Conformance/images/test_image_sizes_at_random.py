"""Sizes of images of random sizes behind random words, chains among them: what the rules say, to the pixel."""

import pytest
from cases import chance, count
from geometry import GRAVITIES, Refused, way
from image_words import size_or_refusal, stored, stored_turned
from pictures import plain

REQUESTS = count(48, 960)
# Images of more pixels, even on the way, cost more than they tell; the limits themselves are tested elsewhere.
LARGEST = 1_500_000


def sizes():
    """Of the images in the pool: some that tables like, the rest at random; and how EXIF turns them."""
    rng = chance("sizes")
    fixed = [(1, 1), (2, 3), (1, 500), (640, 1), (100, 100), (256, 256), (1920, 1080), (3, 2000)]
    drawn = [(rng.randint(1, limit), rng.randint(1, limit)) for limit in (10, 50, 50, 200, 200, 700, 700, 700, 1500, 1500)]
    turned = [(rng.randint(20, 400), rng.randint(20, 400)) for _ in range(7)]
    return [(size, 1) for size in fixed + drawn] + [(size, 2 + index) for index, size in enumerate(turned)]


POOL = sizes()


@pytest.fixture(scope="module")
def urls(api):
    return [
        stored(api, plain(*size)) if orientation == 1 else stored_turned(api, plain(*size), orientation)
        for size, orientation in POOL
    ]


# Words

def side(rng):
    number = rng.randint(1, rng.choice([20, 300, 300, 1200, 9998]))
    return f"{number}.{rng.choice('0459')}" if rng.random() < 0.1 else str(number)


def box(rng):
    return rng.choice(["{0}x{1}", "{0}x{1}", "{0}x", "x{1}"]).format(side(rng), side(rng))


def view(rng):
    parts = [f"{name}/{rng.choice(['0', side(rng), side(rng)])}" for name in "wh"]
    if all(part.endswith("/0") for part in parts) or rng.random() < 0.3:
        parts = [f"{rng.choice('wh')}/{side(rng)}"]
    rng.shuffle(parts)
    operator = rng.choice([*(f"imageView2/{mode}" for mode in range(6)), "imageView/1", "imageView/2"])
    return "/".join([operator, *parts])


def thumbnail(rng):
    percent = rng.randint(1, rng.choice([100, 250]))
    return rng.choice([
        f"!{percent}p", f"!{percent}px", f"!x{percent}p", box(rng), box(rng), f"!{box(rng)}r", f"{box(rng)}>",
        f"{side(rng)}x{side(rng)}!", f"{side(rng)}x{side(rng)}<", f"{rng.randint(1, rng.choice([2_000, 900_000]))}@",
    ])


def crop(rng):
    if rng.random() < 0.4:
        return box(rng)
    offsets = [rng.choice("a-") + str(rng.randint(0, rng.choice([0, 15, 300]))) for _ in range(2)]
    return f"!{box(rng)}{''.join(offsets)}"


def mogr(rng):
    steps = {
        "thumbnail": lambda: f"thumbnail/{thumbnail(rng)}",
        "crop": lambda: f"crop/{crop(rng)}",
        "rotate": lambda: f"rotate/{rng.choice([90, 180, 270, 360, rng.randint(1, 360)])}",
        "auto-orient": lambda: "auto-orient",
    }
    words = [steps[name]() for name in rng.choices(list(steps), [5, 5, 2, 1], k=rng.randint(1, 3))]
    if rng.random() < 0.6:
        words.insert(rng.randrange(len(words)), f"gravity/{rng.choice(GRAVITIES)}")
    return "/".join(["imageMogr2", *words])


def chain(rng):
    count = rng.choice([1, 1, 1, 2, 3, 4])
    return "|".join(rng.choice([view, mogr])(rng) for _ in range(count))


def requests():
    """(number in the pool, words, the answer's size or 400), mostly images, each different."""
    rng, found = chance("requests"), {}
    refused = 0
    while len(found) < REQUESTS:
        index, words = rng.randrange(len(POOL)), chain(rng)
        size, orientation = POOL[index]
        try:
            wanted = way(words, *size, orientation)
            if wanted.most <= LARGEST:
                found[index, words] = wanted.size
        except Refused:
            if refused < REQUESTS // 12:
                refused += 1
                found[index, words] = 400
    return [(index, words, wanted) for (index, words), wanted in found.items()]


@pytest.mark.few(3)
@pytest.mark.parametrize("index, words, wanted", requests())
def test_size_is_what_the_rules_say(api, urls, index, words, wanted):
    assert size_or_refusal(api, urls[index], words) == wanted, POOL[index]
