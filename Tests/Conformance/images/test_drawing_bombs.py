"""SVG, PDF, JPEG XL and JPEG 2000 that reach for files, other hosts, all the memory or all the time."""

import base64
import zlib

import pytest
from cases import covering, some
from client import Server, assert_refused
from elsewhere import Elsewhere, answer
from hostile import (
    MB, answered, assert_unharmed, deflated_zeros, forget_peak, jp2_sized, jxl_sized, memory, opened, pdf, pdf_page,
    pdf_stream, written,
)

pytestmark = pytest.mark.long

BUDGET = 256 * MB
RED = (255, 0, 0)


@pytest.fixture(scope="module")
def start(tmp_path_factory):
    """Starts servers whose drawings may take a number of seconds."""
    servers = []

    def start(timeout):
        settings = {"LCFILE_IMAGES_MEMORY": "256MB", "LCFILE_IMAGES_TIMEOUT": str(timeout)}
        servers.append(Server(tmp_path_factory.mktemp("guarded"), **settings).start())
        return servers[-1]

    yield start
    for server in servers:
        assert server.stop() == 0


@pytest.fixture(scope="module")
def patient(start):
    return start(10)


@pytest.fixture(scope="module")
def impatient(start):
    return start(1)


@pytest.fixture
def api(patient, afterwards):
    """Calls whose drawings leave the server as it was."""
    return calls(patient, afterwards)


@pytest.fixture
def hurried(impatient, afterwards):
    """The same of a server that gives up after a second."""
    return calls(impatient, afterwards)


def calls(server, afterwards):
    forget_peak(server)
    afterwards(lambda: assert_unharmed(server, BUDGET))
    return server.api()


@pytest.fixture(scope="module")
def elsewhere():
    """A host that offers red images, and counts who asks for one."""
    elsewhere = Elsewhere()
    yield elsewhere
    elsewhere.close()


@pytest.fixture(scope="module")
def red(tmp_path_factory):
    """A red image on the server's disk that every user of the machine can read."""
    file = tmp_path_factory.mktemp("red") / "red.png"
    file.write_bytes(written(90, 90, "PNG", RED))
    for folder in [file, *file.parents[:3]]:
        folder.chmod(0o755)
    return file


def svg(inside, head="", size='width="100" height="100"'):
    names = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    return f"<?xml version='1.0'?>{head}<svg {names} {size}>{inside}</svg>".encode()


def drawn(api, data, words="imageView2/2/w/100/format/png"):
    """The colours of the drawing on white; nothing if it was refused."""
    image = answered(api, data, words, name="drawing.svg")
    if image is None:
        return set()
    image = image.convert("RGBA")
    white = opened(written(*image.size, "PNG", (255, 255, 255))).convert("RGBA")
    white.alpha_composite(image)
    return {colour for _, colour in white.convert("RGB").getcolors(1 << 20)}


WHITE = {(255, 255, 255)}
# An image that a drawing may show, because it is part of it.
EMBEDDED = "data:image/png;base64," + base64.b64encode(written(90, 90, "PNG", RED)).decode()


# What a drawing may show

@pytest.mark.extended
def test_text_and_shapes_and_embedded_pictures_are_drawn(api):
    text = '<text x="5" y="60" font-size="40">lcfile</text>'
    assert len(drawn(api, svg(text))) > 1
    assert drawn(api, svg(f'<rect width="100" height="100" fill="rgb{RED}"/>')) == {RED}
    assert drawn(api, pdf_page(b"1 0 0 rg 0 0 100 100 re f")) == {RED}


def test_entity_of_the_drawing_itself_is_drawn(api):
    text = svg('<text y="50" font-size="30">&a;</text>', '<!DOCTYPE svg [<!ENTITY a "text">]>')
    assert drawn(api, text) > WHITE


# Files

@pytest.mark.few(2)
@pytest.mark.parametrize("url, kind", covering(
    ["file:///etc/passwd", "/etc/passwd", "file:///proc/self/environ", "passwd"], ["general", "parameter"],
))
def test_external_entity_that_is_used_is_refused(api, url, kind):
    heads = {
        "general": f'<!DOCTYPE svg [<!ENTITY e SYSTEM "{url}">]>',
        "parameter": f"""<!DOCTYPE svg [<!ENTITY % p SYSTEM "{url}"> %p; <!ENTITY e "">]>""",
    }
    assert drawn(api, svg('<text y="50" font-size="30">&e;</text>', heads[kind])) == set()


@pytest.mark.extended
@pytest.mark.parametrize("url, head", covering(["file:///etc/passwd", "/etc/passwd", "passwd"], [
    'svg SYSTEM "{}" [<!ENTITY e "text">]', 'svg [<!ENTITY x SYSTEM "{}"><!ENTITY e "text">]',
]), ids=str)
def test_external_text_that_is_not_used_changes_nothing(api, url, head):
    """It is drawn, so that nothing is hidden by a refusal, and as it is without."""
    text = '<text y="50" font-size="30">&e;</text>'
    found = drawn(api, svg(text, f"<!DOCTYPE {head.format(url)}>"))
    assert found == drawn(api, svg(text, '<!DOCTYPE svg [<!ENTITY e "text">]>')) > WHITE


REFERENCES = {
    "image": '<image width="100" height="100" href="{}"/>',
    "xlink": '<image width="100" height="100" xlink:href="{}"/>',
    "base": '<g xml:base="file:///"><image width="100" height="100" href="{}"/></g>',
    "use": '<use href="{}#x"/>',
    "pattern": '<pattern id="p" href="{}#p"/><rect width="100" height="100" fill="url(#p) none"/>',
    "fill": '<rect width="100" height="100" fill="url({}#p) none"/>',
    "filter": '<filter id="f"><feImage href="{}"/></filter><rect width="99" height="99" fill="none" filter="url(#f)"/>',
    "style": '<style>@import url("{}"); rect {{ fill: none }}</style><rect width="100" height="100"/>',
    "font": '<style>@font-face {{ font-family: x; src: url("{}") }} text {{ fill: none }}</style><text>a</text>',
    "xinclude": '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="{}" parse="text"/>',
    "foreign": '<foreignObject width="100" height="100"><img src="{}"/></foreignObject>',
    "svg-in-svg": '<image width="99" height="99" href="data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22'
                  '%3E%3Cimage width=%2299%22 height=%2299%22 href=%22{}%22/%3E%3C/svg%3E"/>',
}


# Those that show an image, if it is one that may be shown.
SHOWING = ["image", "xlink", "base", "filter"]


@pytest.mark.few(2)
@pytest.mark.parametrize("name", SHOWING)
def test_reference_shows_what_is_embedded(api, name):
    """Else the tests below would see nothing of other images because nothing is ever seen."""
    assert RED in drawn(api, svg(REFERENCES[name].format(EMBEDDED)))


@pytest.mark.few(2)
@pytest.mark.parametrize("name, form", covering(REFERENCES, ["address", "path"]))
def test_file_of_the_server_is_not_shown(api, red, name, form):
    assert drawn(api, svg(REFERENCES[name].format(red.as_uri() if form == "address" else red))) == WHITE


@pytest.mark.parametrize("name", ["imageInfo", "exif", "imageAve"])
def test_question_about_a_drawing_reads_no_file(api, red, name):
    response = api.fetch(f"{api.store(svg(REFERENCES['image'].format(red.as_uri())), name='a.svg')['url']}?{name}")
    assert response.status_code == (400 if name == "exif" else 200)
    assert name != "imageAve" or response.json() == {"RGB": "0xffffff"}


# Other hosts

@pytest.mark.few(2)
@pytest.mark.parametrize("reference", REFERENCES.values(), ids=REFERENCES)
def test_no_other_host_is_asked(api, elsewhere, reference):
    url = elsewhere.offer(answer(written(90, 90, "PNG", RED), type="image/png"), "red.png")
    before = elsewhere.visitors()
    assert drawn(api, svg(reference.format(url))) == WHITE
    assert elsewhere.visitors() == before


@pytest.mark.few(2)
@pytest.mark.parametrize("head", [
    '<!DOCTYPE svg SYSTEM "{}">', '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "{}">',
    '<!DOCTYPE svg [<!ENTITY e SYSTEM "{}">]>', '<!DOCTYPE svg [<!ENTITY % e SYSTEM "{}"> %e;]>',
    '<?xml-stylesheet href="{}" type="text/css"?>', '<?xml-stylesheet href="{}" type="text/xsl"?>',
])
def test_head_of_a_drawing_asks_no_other_host(api, elsewhere, head):
    url = elsewhere.offer(answer(b"<!ENTITY x 'y'>"), "svg.dtd")
    before = elsewhere.visitors()
    found = drawn(api, svg("<text y='50'>&e;</text>" if "ENTITY e" in head else "", head.format(url)))
    # One that would have to be asked for is missing.
    assert found == (set() if "ENTITY" in head else WHITE)
    assert elsewhere.visitors() == before


@pytest.mark.extended
def test_pdf_asks_no_other_host(api, elsewhere):
    url = elsewhere.offer(answer(b"x"))
    before = elsewhere.visitors()
    reach = f"<</S/URI/URI({url})>>", f"<</Type/Filespec/FS/URL/F({url})>>"
    catalogue = f"<</Type/Catalog/Pages 2 0 R/OpenAction {reach[0]}/AA<</WC {reach[0]}>>/AF[{reach[1]}]>>"
    facts = "/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray/Length 0"
    page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<</XObject<</X 5 0 R>>>>>>"
    drawn(api, pdf(catalogue, "<</Type/Pages/Kids[3 0 R]/Count 1>>", page, pdf_stream(b"99 0 0 99 0 0 cm /X Do"),
                   f"<<{facts}/F {reach[1]}>>\nstream\n\nendstream"))
    assert elsewhere.visitors() == before


# Scripts

@pytest.mark.few(2)
@pytest.mark.parametrize("script", [
    "<script>while (true) {}</script>", '<g onload="while (true) {}"/>', '<set attributeName="x" onbegin="f()"/>',
    "<script>document.documentElement.innerHTML = '&lt;rect width=&quot;99&quot; height=&quot;99&quot;/>'</script>",
])
def test_scripts_do_not_run(api, script):
    assert drawn(api, svg(script)) == WHITE


def test_script_of_a_pdf_does_not_run(api):
    script = "<</S/JavaScript/JS(while \\(true\\) {})>>"
    page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>"
    data = pdf(f"<</Type/Catalog/Pages 2 0 R/OpenAction {script}>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>", page)
    assert drawn(api, data) == WHITE


# Sizes

SIZES = {
    "svg-box": lambda: svg("", size='viewBox="0 0 1000000 1000000"'),
    "svg-wide": lambda: svg("", size='width="30001" height="1"'),
    "pdf-wide": lambda: pdf_page(box="0 0 30001 10"),
    "jxl": lambda: jxl_sized(100_000, 70_000),
    "jp2": lambda: jp2_sized(60_000, 60_000),
}


@pytest.mark.few(2)
@pytest.mark.parametrize("make", SIZES.values(), ids=SIZES)
def test_size_beyond_the_limit_is_refused(api, make):
    assert_refused(api.fetch(f"{api.store(make())['url']}?imageView2/2/w/100"), 400, 400, "images.maxSource")


ODD_SIZES = {
    "svg-most": lambda: svg("", size='width="1e9" height="1e9"'),
    "svg-0": lambda: svg("", size='width="0" height="0"'),
    "svg-negative": lambda: svg("", size='width="-5" height="-5"'),
    "svg-nan": lambda: svg("", size='width="NaN" height="1e999"'),
    "svg-percent": lambda: svg("", size='width="1e30%" height="100%"'),
    "svg-em": lambda: svg("", size='width="1e30em" height="1em"'),
    "pdf-0": lambda: pdf_page(box="0 0 0 0"),
    "pdf-most": lambda: pdf_page(box="0 0 1000000000 1000000000"),
    "pdf-nan": lambda: pdf_page(box="0 0 1e400 nan"),
    "pdf-negative": lambda: pdf_page(box="100 100 -100 -100"),
    "pdf-unit": lambda: pdf_page(box="0 0 10 10", resources=">>/UserUnit 1000000000/X<<"),
    "jxl-most": lambda: jxl_sized(2**30, 2**30),
    "jxl-hollow": lambda: jxl_sized(3000, 3000),
    "jp2-most": lambda: jp2_sized(2**32 - 1, 2**32 - 1),
    "jp2-hollow": lambda: jp2_sized(10_000, 10_000),
    "jp2-0": lambda: jp2_sized(0, 0),
}


@pytest.mark.few(2)
@pytest.mark.parametrize("make", ODD_SIZES.values(), ids=ODD_SIZES)
def test_odd_size_harms_nobody(api, make):
    answered(api, make())


# Time and memory

def laughs(levels):
    entities = '<!ENTITY a0 "ha">' + "".join(
        f'<!ENTITY a{level + 1} "{f"&a{level};" * 10}">' for level in range(levels)
    )
    return svg(f"<text>&a{levels};</text>", f"<!DOCTYPE svg [{entities}]>")


def used(levels):
    """Groups, each of which uses the one before ten times."""
    groups = "".join(f'<g id="g{n + 1}">{f"""<use href="#g{n}"/>""" * 10}</g>' for n in range(levels))
    return svg(f'<defs><rect id="g0" width="1" height="1"/>{groups}</defs><use href="#g{levels}"/>')


def filtered(primitive, count=1):
    area = 'x="-1000%" y="-1000%" width="10000%" height="10000%"'
    return svg(f'<filter id="f" {area}>{primitive * count}</filter><rect width="90" height="90" filter="url(#f)"/>')


def patterns(levels):
    """Patterns, each of which is filled with the one before."""
    fill = '<rect width="100" height="100" fill="url(#p{})"/>'
    each = [f'<pattern id="p{n + 1}" width=".001" height=".001">{fill.format(n)}</pattern>' for n in range(levels)]
    return svg('<pattern id="p0" width=".01" height=".01"/>' + "".join(each) + fill.format(levels))


def form(content, draws):
    """A form of a PDF that may draw another one as X."""
    return pdf_stream(content, Type="/XObject", Subtype="/Form", BBox="[0 0 9 9]",
                      Resources=f"<</XObject<</X {draws} 0 R>>>>")


def drawing_itself():
    return pdf_page(b"/X Do", "0 0 9 9", "/XObject<</X 5 0 R>>", form(b"/X Do /X Do", draws=5))


def forms(levels):
    """Forms, each of which draws the next one ten times."""
    each = [form(b"/X Do " * 10, draws=number + 6) for number in range(levels)]
    return pdf_page(b"/X Do", "0 0 9 9", "/XObject<</X 5 0 R>>", *each, form(b"0 0 9 9 re f", draws=0))


def pages(levels):
    """Nodes of a tree of pages, each in the one before."""
    nodes = [f"<</Type/Pages/Kids[{number + 3} 0 R]/Count 1/Parent {number + 1} 0 R>>" for number in range(levels)]
    return pdf("<</Type/Catalog/Pages 2 0 R>>", *nodes, f"<</Type/Page/Parent {levels + 1} 0 R/MediaBox[0 0 9 9]>>")


def deflated(data):
    return pdf_page(data, Filter="/FlateDecode")


def huge_picture():
    image = pdf_stream(deflated_zeros(1 << 30), Type="/XObject", Subtype="/Image", Width=32_000, Height=32_000,
                       BitsPerComponent=8, ColorSpace="/DeviceGray", Filter="/FlateDecode")
    return pdf_page(b"99 0 0 99 0 0 cm /X Do", "0 0 99 99", "/XObject<</X 5 0 R>>", image)


SLOW = {
    "svg-laughs": lambda: laughs(9),
    "svg-quadratic": lambda: svg(f"<text>{'&a;' * 100_000}</text>", f'<!DOCTYPE svg [<!ENTITY a "{"x" * 100_000}">]>'),
    "svg-entity-in-itself": lambda: svg("<text>&a;</text>", '<!DOCTYPE svg [<!ENTITY a "&b;"><!ENTITY b "&a;">]>'),
    "svg-million-groups": lambda: svg("<g>" * 1_000_000 + "</g>" * 1_000_000),
    "svg-million-neighbours": lambda: svg("<g/>" * 1_500_000),
    "svg-100000-attributes": lambda: svg("<g " + " ".join(f'a{n}="x"' for n in range(100_000)) + "/>"),
    "svg-uses": lambda: used(9),
    "svg-uses-itself": lambda: svg('<g id="a"><use href="#b"/></g><g id="b"><use href="#a"/></g>'),
    "svg-patterns": lambda: patterns(9),
    "svg-blur": lambda: filtered('<feGaussianBlur stdDeviation="1000000"/>', 50),
    "svg-turbulence": lambda: filtered('<feTurbulence baseFrequency="9" numOctaves="2000000000"/>', 50),
    "svg-morphology": lambda: filtered('<feMorphology operator="dilate" radius="100000"/>', 50),
    "svg-convolution": lambda: filtered(f'<feConvolveMatrix order="100" kernelMatrix="{"1 " * 10_000}"/>', 50),
    "svg-dashes": lambda: svg('<path stroke="red" stroke-dasharray="1e-9" d="M0 0L1e9 1e9"/>'),
    "svg-long-path": lambda: svg(f'<path stroke="red" d="M0 0{"L1e9 1-1e9 1" * 300_000}"/>'),
    "svg-long-text": lambda: svg(f'<text font-size="1000000">{"W" * 1_000_000}</text>'),
    "svg-selectors": lambda: svg(f"<style>{'* * * * * * * * *{x:y}' * 20_000}</style>{'<g>' * 90}{'</g>' * 90}" * 5),
    "pdf-drawing-itself": drawing_itself,
    "pdf-forms": lambda: forms(12),
    "pdf-pages": lambda: pages(50_000),
    "pdf-page-in-itself": lambda: pdf("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[2 0 R]/Count 9>>"),
    "pdf-4GB-of-commands": lambda: deflated(deflated_zeros(4 << 30)),
    "pdf-packed-twice": lambda: pdf_page(zlib.compress(deflated_zeros(4 << 30)), Filter="[/FlateDecode/FlateDecode]"),
    "pdf-million-saves": lambda: deflated(zlib.compress(b"q " * 20_000_000)),
    "pdf-million-shapes": lambda: deflated(zlib.compress(b"0 0 100 100 re f " * 5_000_000)),
    "pdf-deep-array": lambda: pdf_page(b"[" * 1_000_000),
    "pdf-huge-picture": huge_picture,
}


@pytest.mark.few(2)
@pytest.mark.parametrize("make", some(SLOW.values(), 3), ids=some(SLOW, 3))
def test_drawing_that_would_take_for_ever_is_drawn_or_given_up(hurried, make):
    drawn(hurried, make())


@pytest.mark.extended
def test_drawing_that_takes_too_long_names_the_setting(hurried):
    url = hurried.store(SLOW["pdf-forms"](), name="forms.pdf")["url"]
    assert_refused(hurried.fetch(f"{url}?imageView2/2/w/100"), 400, 400, "images.timeout")


@pytest.mark.extended
def test_what_drawings_take_is_not_taken_from_the_server(patient, api):
    before = memory(patient)
    for make in (huge_picture, lambda: jp2_sized(12_000, 12_000), lambda: jxl_sized(12_000, 12_000)):
        answered(api, make())
    assert memory(patient) < before + 40 * MB


def test_drawings_are_made_after_all_this(api):
    assert drawn(api, svg(f'<rect width="100" height="100" fill="rgb{RED}"/>')) == {RED}
