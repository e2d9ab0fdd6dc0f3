"""How results are packed: quality and what corrects it, progressive JPEGs, the most bytes, colours of GIFs."""

import pytest
from image_words import answered, opened, stored
from pictures import encoded, plain


@pytest.fixture(scope="module")
def photo(rocket):
    """400 x 300 of the photograph, without its profile."""
    image = opened(rocket).crop((120, 60, 520, 360))
    image.info.clear()
    return image


@pytest.fixture(scope="module")
def png(api, photo):
    return stored(api, photo)


@pytest.fixture(scope="module")
def jpegs(api, photo):
    """The photograph as a JPEG by its quality."""
    return {quality: stored(api, photo, "JPEG", quality=quality) for quality in (20, 40, 60, 80, 90, 91, 100)}


def tables(quality):
    return opened(encoded(plain(16, 16), "JPEG", quality=quality)).quantization


def quality_of(data):
    """The quality whose tables a JPEG has."""
    found = opened(data).quantization
    return next((quality for quality in range(1, 101) if tables(quality) == found), found)


@pytest.mark.extended
def test_tables_tell_every_quality():
    """All that tests ask for have tables of their own."""
    assert [quality_of(encoded(plain(16, 16), "JPEG", quality=quality)) for quality in range(3, 101)] == list(range(3, 101))


# q

@pytest.mark.few(2)
@pytest.mark.parametrize("words, quality", [
    ("imageView/2/w/200", 85), ("imageView/1/w/200/h/100", 85), ("imageView2/2/w/200", 75), ("imageView2/1/w/200/h/100", 75),
    ("imageMogr2/thumbnail/200x", 75), ("imageMogr2/crop/200x200", 75), ("imageView2/2/w/200|imageView/2/w/100", 85),
    ("imageView/2/w/200|imageView2/2/w/100", 75),
])
def test_quality_if_none_is_given(api, png, words, quality):
    words = "|".join(f"{operator}/format/jpg" for operator in words.split("|"))
    assert quality_of(answered(api, png, words)) == quality


@pytest.mark.each_value
@pytest.mark.parametrize("quality", [3, 10, 50, 75, 90, 91, 100])
@pytest.mark.parametrize("words", [
    "imageView/2/w/200/q/{}", "imageView2/2/w/200/q/{}", "imageView2/2/w/200/q/{}!", "imageMogr2/q/{}", "imageMogr2/quality/{}",
    "imageMogr2/quality/{}!",
])
def test_quality_is_what_was_asked_for(api, png, words, quality):
    assert quality_of(answered(api, png, f"{words.format(quality)}/format/jpg")) == quality


@pytest.mark.parametrize("words", ["q/0", "q/101", "q/0!", "q/!", "q/75/quality/75", "quality/75/quality/60"])
def test_quality_out_of_range_or_said_twice_is_refused(api, png, words):
    assert api.fetch(f"{png}?imageMogr2/{words}").status_code == 400


@pytest.mark.parametrize("format", ["png", "gif"])
def test_other_formats_pass_over_the_quality(api, png, format):
    low, high = (answered(api, png, f"imageView2/2/w/100/q/{quality}/format/{format}") for quality in (1, 100))
    assert low == high


@pytest.mark.parametrize("format", ["jpg", "webp", "avif"])
def test_quality_changes_the_size(api, png, format):
    low, high = (len(answered(api, png, f"imageView2/2/w/200/q/{quality}/format/{format}")) for quality in (20, 90))
    assert low * 1.5 < high


@pytest.mark.parametrize("words", ["imageView2/2/w/100", "imageMogr2/thumbnail/100x", "imageView/2/w/100"])
def test_quality_of_avif_if_none_is_given(api, png, words):
    assert answered(api, png, f"{words}/format/avif") == answered(api, png, f"{words}/q/55/format/avif")


# The correction: at most min(90, s times the root of source pixels over result pixels)

@pytest.mark.few(2)
@pytest.mark.parametrize("source, words, quality", [
    (60, "imageMogr2/q/90", 60), (20, "imageMogr2/q/75", 20), (40, "imageMogr2/strip", 40), (90, "imageMogr2/q/100", 90),
    (80, "imageMogr2/q/50", 50),
    (60, "imageView2/2/w/400/q/90", 60), (60, "imageView2/2/w/320/q/90", 75), (40, "imageView2/2/w/200/q/90", 80),
    (40, "imageView2/2/w/200", 75), (20, "imageView2/2/w/100", 75), (20, "imageView2/2/w/200/q/100", 40),
    (60, "imageView2/2/w/200/q/100", 90), (90, "imageView2/2/w/200/q/95", 90), (40, "imageMogr2/thumbnail/!50p/q/100", 80),
    (40, "imageMogr2/thumbnail/!200p/q/100", 20), (80, "imageMogr2/thumbnail/!200p", 40), (20, "imageMogr2/crop/200x150/q/100", 40),
    (20, "imageMogr2/crop/200x300/thumbnail/100x75!/q/100", 80), (20, "imageView2/1/w/100/h/48/q/100", 90),
    (40, "imageView2/2/w/200|imageView2/2/w/200/q/100", 80), (20, "imageMogr2/thumbnail/!50p|imageMogr2/thumbnail/!50p/q/100", 80),
])
def test_quality_follows_the_sources(api, jpegs, source, words, quality):
    assert quality_of(answered(api, jpegs[source], words)) == quality


@pytest.mark.few(2)
@pytest.mark.parametrize("source, words, quality", [
    (91, "imageMogr2/q/100", 100), (100, "imageView2/2/w/200/q/95", 95), (100, "imageMogr2/thumbnail/!200p/q/96", 96),
    (60, "imageView2/2/w/400/q/90!", 90), (20, "imageMogr2/q/100!", 100), (20, "imageMogr2/quality/75!", 75),
    (20, "imageView/2/w/400", 85), (20, "imageView/2/w/400/q/100", 100),
])
def test_quality_does_not_follow_the_sources(api, jpegs, source, words, quality):
    assert quality_of(answered(api, jpegs[source], words)) == quality


@pytest.mark.parametrize("words, same", [
    ("imageMogr2/format/webp/q/90", "imageMogr2/format/webp/q/40!"),
    ("imageView2/2/w/200/format/webp/q/100", "imageView2/2/w/200/format/webp/q/80!"),
])
def test_quality_of_a_webp_follows_the_jpegs(api, jpegs, words, same):
    assert answered(api, jpegs[40], words) == answered(api, jpegs[40], same)


def test_quality_of_a_webp_follows_no_png(api, png):
    assert answered(api, png, "imageMogr2/format/webp/q/95") == answered(api, png, "imageMogr2/format/webp/q/95!")


def test_quality_of_an_avif_follows_no_jpeg(api, jpegs):
    words = "imageView2/2/w/100/format/avif/q/90"
    assert answered(api, jpegs[20], words) == answered(api, jpegs[20], f"{words}!")


# interlace

@pytest.mark.parametrize("words, progressive", [
    ("imageView/2/w/200/interlace/1", True), ("imageView2/2/w/200/interlace/1", True), ("imageMogr2/interlace/1", True),
    ("imageView/2/w/200/interlace/0", False), ("imageView2/2/w/200/interlace/0", False), ("imageMogr2/interlace/0", False),
    ("imageView2/2/w/200", False), ("imageMogr2/strip", False), ("imageView/2/w/200", False),
])
def test_jpeg_is_progressive_if_asked(api, png, words, progressive):
    assert bool(opened(answered(api, png, f"{words}/format/jpg")).info.get("progressive")) == progressive


@pytest.mark.parametrize("format", ["png", "webp", "gif"])
def test_other_formats_pass_over_interlace(api, png, format):
    without, interlaced = (answered(api, png, f"imageView2/2/w/100/format/{format}{words}") for words in ("", "/interlace/1"))
    assert without == interlaced


# size-limit

@pytest.mark.each_value
@pytest.mark.parametrize("limit, bytes", [
    ("6000", 6000), ("9k", 9 * 1024), ("9k!", 9 * 1024), ("1m", 1 << 20), ("2m", 2 << 20), ("12000!", 12000),
])
@pytest.mark.parametrize("words", ["imageMogr2/strip", "imageMogr2/q/100", "imageMogr2/thumbnail/300x"])
def test_jpeg_is_no_larger_than_its_limit(api, png, words, limit, bytes):
    assert len(answered(api, png, f"{words}/format/jpg/size-limit/{limit}")) <= bytes


def test_quality_is_lowered_no_more_than_needed(api, png):
    free = answered(api, png, "imageMogr2/format/jpg/q/90")
    limited = answered(api, png, f"imageMogr2/format/jpg/q/90/size-limit/{len(free) // 2}")
    assert len(free) // 3 < len(limited) <= len(free) // 2


def test_jpeg_that_fits_keeps_its_quality(api, png):
    assert quality_of(answered(api, png, "imageMogr2/format/jpg/q/80/size-limit/1m")) == 80


def test_quality_is_not_lowered_below_10(api, png):
    assert quality_of(answered(api, png, "imageMogr2/format/jpg/size-limit/100")) == 10


def test_quality_below_10_is_not_raised_for_a_limit(api, png):
    assert quality_of(answered(api, png, "imageMogr2/format/jpg/q/5/size-limit/100")) == 5


def test_limit_is_the_sources_size(api, jpegs):
    source = len(api.fetch(jpegs[60]).content)
    free = answered(api, jpegs[60], "imageMogr2/q/95!")
    limited = answered(api, jpegs[60], "imageMogr2/q/95!/size-limit/$(fsize)")
    assert len(limited) <= source < len(free)


@pytest.mark.parametrize("format", ["png", "webp", "gif", "avif"])
def test_other_formats_pass_over_a_limit(api, png, format):
    words = f"imageMogr2/thumbnail/100x/format/{format}"
    free, limited = (answered(api, png, f"{words}{limit}") for limit in ("", "/size-limit/100"))
    assert free == limited


@pytest.mark.parametrize("format", ["webp", "avif"])
def test_forced_limit_holds_for_other_formats(api, png, format):
    words = f"imageMogr2/thumbnail/200x/format/{format}/q/95"
    half = len(answered(api, png, words)) // 2
    data = answered(api, png, f"{words}/size-limit/{half}!")
    assert len(data) <= half
    assert opened(data).size == (200, 150)


@pytest.mark.few(2)
@pytest.mark.parametrize("format", ["jpg", "png", "webp", "gif", "avif"])
def test_source_is_returned_if_nothing_fits(api, jpegs, format):
    response = api.fetch(f"{jpegs[60]}?imageMogr2/thumbnail/300x/format/{format}/size-limit/50!")
    assert (response.status_code, response.headers["Content-Type"]) == (200, "image/jpeg")
    assert response.content == api.fetch(jpegs[60]).content


@pytest.mark.parametrize("format", ["png", "gif"])
def test_result_without_a_quality_is_kept_to_a_forced_limit(api, png, format):
    """Nothing can be lowered: it fits to the byte, or the source is the answer."""
    words = f"imageMogr2/thumbnail/100x/format/{format}"
    free, source = answered(api, png, words), api.fetch(png).content
    assert answered(api, png, f"{words}/size-limit/{len(free)}!") == free
    assert answered(api, png, f"{words}/size-limit/{len(free) - 1}!") == source


@pytest.mark.parametrize("limit", ["", "k", "-5", "1g", "9kk", "9!k", "$(size)", "!"])
def test_limit_that_is_no_size_is_refused(api, png, limit):
    assert api.fetch(f"{png}?imageMogr2/format/jpg/size-limit/{limit}").status_code == 400


# colors

@pytest.mark.few(2)
@pytest.mark.each_value
@pytest.mark.parametrize("asked, most", [(2, 2), (3, 4), (4, 4), (5, 8), (16, 16), (17, 32), (100, 128), (128, 128), (256, 256)])
@pytest.mark.parametrize("words", ["imageView2/2/w/200", "imageMogr2/thumbnail/200x", "imageView/2/w/200"])
def test_gif_has_at_most_these_colours(api, png, words, asked, most):
    image = opened(answered(api, png, f"{words}/format/gif/colors/{asked}")).convert("RGBA")
    assert most / 4 < len(image.getcolors(1 << 16)) <= most


@pytest.mark.parametrize("format", ["jpg", "png", "webp"])
def test_other_formats_pass_over_colors(api, png, format):
    free, few = (answered(api, png, f"imageView2/2/w/100/format/{format}{words}") for words in ("", "/colors/4"))
    assert free == few


@pytest.mark.parametrize("words", ["colors/0", "colors/257", "colors/x", "interlace/2", "interlace/yes", "interlace/"])
def test_encoding_words_out_of_range_are_refused(api, png, words):
    assert api.fetch(f"{png}?imageView2/2/w/100/{words}").status_code == 400
