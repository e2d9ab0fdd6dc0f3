"""Queries and relations with the official Python SDK, unmodified, as an app makes them."""

import textwrap

import pytest
import queries
from client import ALPHA
from data import MISSING, geopoint as point, pointer

START = """
import datetime
from leancloud import GeoPoint, Query
ids = arguments["ids"]
def names(found): return "".join(one.get("name") for one in found)
def of(name, letter): return leancloud.Object.extend(name).create_without_data(ids[letter])
def song(letter): return of("SdkSong", letter)
def singer(letter): return of("SdkSinger", letter)
def point(letter): return {"P": GeoPoint(48.8566, 2.3522), "L": GeoPoint(51.5074, -0.1278)}[letter]
def song_of(n): return Query("SdkSong").equal_to("n", n)
query, singers, places = Query("SdkSong"), Query("SdkSinger"), Query("SdkPlace")
"""


@pytest.fixture
def sdk(sdk, world):
    """Runs lines that know the world; gives what they say."""
    return lambda lines, **arguments: sdk(START + textwrap.dedent(lines), ids=world, **arguments)


@pytest.fixture
def found(sdk):
    """The names of what a query finds, whatever the order."""
    return lambda query, **arguments: "".join(sorted(sdk(f"say(names=names({query}.find()))", **arguments)["names"]))


@pytest.fixture
def listed(sdk):
    """The names of what a query finds, in the order of the reply."""
    return lambda query, **arguments: sdk(f"say(names=names({query}.find()))", **arguments)["names"]


def put(api, name, rows):
    """Creates rows of a class; returns their ids by their names."""
    return dict(zip((row["name"] for row in rows), queries.put(api, name, rows)))


def date(day):
    return {"__type": "Date", "iso": f"2024-05-{day:02}T10:00:00.000Z"}


@pytest.fixture(scope="module")
def world(api):
    """Songs a to e, whose singers are A (of band X) and B, and places P(aris), L(ondon), S(ydney); ids by name."""
    ids = put(api, "SdkBand", [{"name": "X", "founded": 1999}])
    ids |= put(api, "SdkSinger", [
        {"name": "A", "age": 30, "band": pointer("SdkBand", ids["X"])}, {"name": "B", "age": 40},
    ])
    one, other = pointer("SdkSinger", ids["A"]), pointer("SdkSinger", ids["B"])
    ids |= put(api, "SdkSong", [
        {"name": "a", "n": 1, "title": "Hello", "tags": ["pop", "slow"], "on": date(1), "singer": one, "good": True,
         "by": [one, other]},
        {"name": "b", "n": 2, "title": "hello world", "tags": ["pop"], "on": date(2), "singer": one, "good": False},
        {"name": "c", "n": 3, "title": "Goodbye\nworld", "tags": [], "on": date(3), "singer": other, "first": "A"},
        {"name": "d", "n": 4, "title": "a.b", "tags": ["rock", "slow", "pop"], "first": "Z"},
        {"name": "e"},
    ])
    ids |= put(api, "SdkPlace", [
        {"name": "P", "at": point(48.8566, 2.3522)}, {"name": "L", "at": point(51.5074, -0.1278)},
        {"name": "S", "at": point(-33.8688, 151.2093)}, {"name": "N"},
    ])
    put(api, "SdkMany", [{"name": "m", "n": number} for number in range(120)])
    return ids


@pytest.mark.parametrize("query, expected", [
    ("query", "abcde"), ("query.equal_to('n', 2)", "b"), ("query.equal_to('title', 'Hello')", "a"),
    ("query.equal_to('good', False)", "b"),
    ("query.equal_to('singer', singer('A'))", "ab"), ("query.equal_to('tags', 'pop')", "abd"),
    ("query.equal_to('tags', ['pop'])", "b"),
    ("query.equal_to('n', 1).equal_to('title', 'Hello')", "a"), ("query.equal_to('first', None)", "abe"),
    ("query.equal_to('objectId', ids['c'])", "c"), ("query.equal_to('n', 99)", ""),
])
def test_equal_to(found, query, expected):
    assert found(query) == expected


@pytest.mark.parametrize("query, expected", [
    ("query.not_equal_to('n', 2)", "acde"), ("query.not_equal_to('singer', singer('A'))", "cde"),
    ("query.not_equal_to('tags', 'slow')", "bce"),
    ("query.not_equal_to('first', None)", "cd"),
])
def test_not_equal_to(found, query, expected):
    assert found(query) == expected


@pytest.mark.parametrize("query, expected", [
    ("query.less_than('n', 2)", "a"), ("query.less_than_or_equal_to('n', 2)", "ab"),
    ("query.greater_than('n', 3)", "d"),
    ("query.greater_than_or_equal_to('n', 3)", "cd"), ("query.greater_than('n', 1).less_than('n', 4)", "bc"),
    ("query.greater_than('title', 'I')", "bd"), ("query.greater_than('n', 0.5).less_than('n', 1.5)", "a"),
])
def test_comparisons(found, query, expected):
    assert found(query) == expected


@pytest.mark.parametrize("query, expected", [
    ("query.equal_to('on', day)", "b"), ("query.greater_than('on', day)", "c"),
    ("query.less_than_or_equal_to('on', day)", "ab"),
    ("query.contained_in('on', [day])", "b"), ("query.less_than('createdAt', day)", ""),
    ("query.greater_than('updatedAt', day)", "abcde"),
])
def test_dates(sdk, query, expected):
    day = "day = datetime.datetime(2024, 5, 2, 10, tzinfo=datetime.timezone.utc)"
    assert sdk(f"{day}; say(names=names({query}.ascending('name').find()))")["names"] == expected


@pytest.mark.parametrize("query, expected", [
    ("query.contained_in('n', [1, 4, 9])", "ad"), ("query.contained_in('n', [])", ""),
    ("query.contained_in('tags', ['rock', 'jazz'])", "d"),
    ("query.contained_in('singer', [singer('A'), singer('B')])", "abc"), ("query.not_contained_in('n', [1, 4])", "bce"),
    ("query.not_contained_in('tags', ['pop'])", "ce"), ("query.contained_in('objectId', [ids['a'], ids['b']])", "ab"),
    ("query.contains_all('tags', ['pop', 'slow'])", "ad"), ("query.contains_all('tags', ['jazz'])", ""),
    ("query.size_equal_to('tags', 0)", "c"), ("query.size_equal_to('tags', 3)", "d"),
    ("query.contains_all('by', [singer('B'), singer('A')])", "a"), ("query.equal_to('by', singer('B'))", "a"),
])
def test_lists(found, query, expected):
    assert found(query) == expected


@pytest.mark.parametrize("query, expected", [
    ("query.exists('n')", "abcd"), ("query.does_not_exist('n')", "e"), ("query.exists('singer')", "abc"),
    ("query.does_not_exist('nothing')", "abcde"),
])
def test_existence(found, query, expected):
    assert found(query) == expected


@pytest.mark.parametrize("query, expected", [
    ("query.matched('title', '^h')", "b"), ("query.matched('title', '^h', ignore_case=True)", "ab"),
    ("query.matched('title', '^world')", ""),
    ("query.matched('title', '^WORLD$', ignore_case=True, multi_line=True)", "c"),
    ("query.startswith('title', 'Hel')", "a"), ("query.endswith('title', 'world')", "bc"),
    ("query.contains('title', 'oo')", "c"),
    ("query.contains('title', '\\\\.')", "d"), ("query.startswith('title', '\\\\Qa.b\\\\E')", "d"),
    ("query.contains('title', 'Q')", ""),
])
def test_text(found, query, expected):
    assert found(query) == expected


@pytest.mark.parametrize("query, expected", [
    ("Query.or_(Query('SdkSong').equal_to('n', 1), Query('SdkSong').equal_to('title', 'a.b'))", "ad"),
    ("Query.and_(Query('SdkSong').greater_than('n', 1), Query('SdkSong').less_than('n', 3))", "b"),
    ("Query.or_(Query('SdkSong').equal_to('n', 1), Query('SdkSong').does_not_exist('n')).exists('title')", "a"),
    ("Query.and_(Query.or_(song_of(1), song_of(2)), Query('SdkSong').equal_to('good', False))", "b"),
])
def test_or_and(found, query, expected):
    assert found(query) == expected


@pytest.mark.parametrize("query, expected", [
    ("query.ascending('name')", "abcde"), ("query.descending('name')", "edcba"), ("query.descending('n')", "dcbae"),
    ("query.ascending('n')", "eabcd"),
    ("query.exists('good').ascending('good').add_descending('n')", "ba"), ("query.descending('n').limit(2)", "dc"),
    ("query.descending('n').limit(2).skip(1)", "cb"),
    ("query.ascending('singer.name').add_ascending('name').limit(0)", ""),
    ("query.ascending('first').add_descending('name')", "ebacd"),
])
def test_order_and_pages(listed, query, expected):
    assert listed(query) == expected


def test_hundred_unless_told(sdk):
    queries = "Query('SdkMany'), Query('SdkMany').limit(1000), Query('SdkMany').skip(90)"
    assert sdk(f"say(counts=[len(one.find()) for one in ({queries})])") == {"counts": [100, 120, 30]}


@pytest.mark.parametrize("query, expected", [
    ("query", 5), ("query.exists('n').limit(1)", 4), ("query.equal_to('n', 99)", 0),
])
def test_count(sdk, query, expected):
    assert sdk(f"say(count={query}.count())") == {"count": expected}


@pytest.mark.smoke
def test_first(sdk):
    assert sdk("say(name=query.descending('n').first().get('name'))") == {"name": "d"}


def raised(call):
    return f"""
try:
    {call}
    say(code=None)
except leancloud.LeanCloudError as error:
    say(code=error.code)
"""


def test_first_of_nothing_raises_101(sdk):
    assert sdk(raised("query.equal_to('n', 99).first()")) == {"code": 101}


def test_find_in_an_unknown_class_raises_101(sdk):
    assert sdk(raised("Query('SdkNowhere').find()")) == {"code": 101}


def test_unknown_operator_raises_107(sdk):
    assert sdk(raised("query._add_condition('n', '$foo', 1).find()")) == {"code": 107}


def test_pattern_that_is_none_raises_107(sdk):
    assert sdk(raised("query.matched('title', '(').find()")) == {"code": 107}


def test_get(sdk):
    seen = sdk("one = query.get(ids['a']); say(title=one.get('title'), existed=one.is_existed())")
    assert seen == {"title": "Hello", "existed": True}


def test_get_of_what_is_not_there_has_no_data(sdk):
    seen = sdk(f"one = query.get('{MISSING}'); say(title=one.get('title'), existed=one.is_existed())")
    assert seen == {"title": None, "existed": False}


def test_get_with_select_and_include(sdk):
    seen = sdk("""
        one = query.include('singer').select('n', 'singer').get(ids['a'])
        say(n=one.get('n'), title=one.get('title'), singer=one.get('singer').get('name'))
        """)
    assert seen == {"n": 1, "title": None, "singer": "A"}


def test_found_object_has_its_values(sdk):
    seen = sdk("""
        one = query.equal_to('name', 'a').first()
        singer = one.get('singer')
        say(n=one.get('n'), tags=one.get('tags'), good=one.get('good'), on=one.get('on').timestamp(),
            singer=[type(singer).__name__, singer.id == ids['A']], made=one.created_at == one.updated_at,
            by=[by.id == ids[name] for by, name in zip(one.get('by'), 'AB')])
        """)
    assert seen == {
        "n": 1, "tags": ["pop", "slow"], "good": True, "on": 1714557600.0, "singer": ["SdkSinger", True], "made": True,
        "by": [True, True],
    }


# Columns

def test_select(sdk):
    seen = sdk("""
        one = query.select('n', 'title').ascending('name').first()
        say(n=one.get('n'), title=one.get('title'), tags=one.get('tags'), id=one.id == ids['a'])
        """)
    assert seen == {"n": 1, "title": "Hello", "tags": None, "id": True}


def test_select_without(sdk):
    seen = sdk("one = query.select('-title').ascending('name').first(); say(n=one.get('n'), title=one.get('title'))")
    assert seen == {"n": 1, "title": None}


def test_select_of_an_included_object(sdk):
    seen = sdk("""
        singer = query.include('singer').select('singer.name').ascending('name').first().get('singer')
        say(name=singer.get('name'), age=singer.get('age'))
        """)
    assert seen == {"name": "A", "age": None}


def test_not_included_pointer_has_no_data(sdk):
    assert sdk("say(name=query.ascending('name').first().get('singer').get('name'))") == {"name": None}


def test_include(sdk):
    seen = sdk("""
        singer = query.include('singer').ascending('name').first().get('singer')
        say(name=singer.get('name'), band=singer.get('band').get('name'))
        """)
    assert seen == {"name": "A", "band": None}


def test_include_of_several_steps(sdk):
    lines = "say(year=query.include('singer.band').ascending('name').first().get('singer').get('band').get('founded'))"
    assert sdk(lines) == {"year": 1999}


def test_include_of_an_array(sdk):
    assert sdk("say(names=names(query.include('by').ascending('name').first().get('by')))") == {"names": "AB"}


def test_include_acl(sdk):
    lines = "say(without=query.first().get_acl(), acl=query.include_acl().first().get_acl().dump())"
    assert sdk(lines) == {"without": None, "acl": {"*": {"read": True, "write": True}}}


# Sub-queries

@pytest.mark.parametrize("query, expected", [
    ("query.matches_query('singer', singers.equal_to('name', 'A'))", "ab"),
    ("query.matches_query('singer', singers)", "abc"),
    ("query.does_not_match_query('singer', singers.equal_to('name', 'A'))", "cde"),
    ("query.matches_query('singer', singers.descending('age').limit(1))", "c"),
    ("query.matches_query('singer', Query('SdkNowhere'))", ""),
    ("query.matches_query('singer', singers.include('band').select('name'))", "abc"),
    ("query.matches_query('singer', singers.matches_query('band', Query('SdkBand').equal_to('founded', 1999)))", "ab"),
    ("query.matches_key_in_query('first', 'name', singers)", "c"),
    ("query.does_not_match_key_in_query('first', 'name', singers)", "abde"),
    ("query.does_not_match_key_in_query('first', 'name', singers).exists('n')", "abd"),
    ("query.matches_key_in_query('singer', 'singer', Query('SdkSong').equal_to('n', 3))", "c"),
    ("Query.or_(query.matches_query('singer', singers.equal_to('name', 'B')), song_of(4))", "cd"),
])
def test_sub_queries(found, query, expected):
    assert found(query) == expected


def test_count_of_a_sub_query(sdk):
    assert sdk("say(count=query.matches_query('singer', singers).count())") == {"count": 3}


# Places

@pytest.mark.parametrize("query, expected", [
    ("places.near('at', point('P'))", "PLS"), ("places.near('at', point('L'))", "LPS"),
    ("places.near('at', point('P')).limit(1)", "P"),
    ("places.near('at', point('P')).ascending('name')", "LPS"),
    ("places.near('at', point('P')).not_equal_to('name', 'P')", "LS"),
    ("places.within_kilometers('at', point('P'), 340)", "P"), ("places.within_kilometers('at', point('P'), 350)", "PL"),
    ("places.within_kilometers('at', point('P'), 350, 340)", "L"), ("places.within_miles('at', point('P'), 210)", "P"),
    ("places.within_miles('at', point('P'), 215)", "PL"),
    ("places.within_miles('at', point('P'), 215, min_distance=210)", "L"),
    ("places.within_radians('at', point('P'), 0.0535)", "P"), ("places.within_radians('at', point('P'), 0.0545)", "PL"),
    ("places.within_radians('at', point('P'), 3.2, min_distance=0.06)", "S"),
])
def test_nearness(listed, query, expected):
    assert listed(query) == expected


@pytest.mark.parametrize("corners, expected", [
    ("GeoPoint(48, -1), GeoPoint(52, 3)", "LP"), ("GeoPoint(-40, 150), GeoPoint(-30, 152)", "S"),
    ("GeoPoint(0, 0), GeoPoint(1, 1)", ""), ("(-1, 48), (3, 52)", "LP"),
])
def test_box(found, corners, expected):
    assert found(f"places.within_geo_box('at', {corners})") == expected


def test_place_keeps_its_numbers(sdk):
    lines = "at = places.equal_to('name', 'L').first().get('at'); say(at=[at.latitude, at.longitude])"
    assert sdk(lines) == {"at": [51.5074, -0.1278]}


# Relations

LIKES = """
List = leancloud.Object.extend('SdkList' + arguments['suffix'])
def lists(): return Query('SdkList' + arguments['suffix'])
def made(*letters):
    one = List(name='l')
    for letter in letters: one.relation('songs').add(song(letter))
    one.save()
    return List.create_without_data(one.id)
def again(one): return List.create_without_data(one.id)
"""


@pytest.fixture
def likes(sdk, request):
    """Runs lines that have a class of lists to themselves, each list with a relation to songs."""
    suffix = "".join(filter(str.isalnum, request.node.name.title()))
    return lambda lines: sdk(LIKES + textwrap.dedent(lines), suffix=suffix)


def test_relation_gives_its_members(likes):
    lines = "one = made('a', 'b'); one.fetch(); say(names=names(one.relation('songs').query.ascending('name').find()))"
    assert likes(lines) == {"names": "ab"}


def test_relation_of_an_object_that_was_not_fetched(likes):
    assert likes("say(names=names(made('a', 'c').relation('songs').query.ascending('name').find()))") == {"names": "ac"}


def test_relation_takes_several_at_once(likes):
    lines = """
        one = made()
        one.relation('songs').add(song('a'), song('d'))
        one.save()
        say(count=again(one).relation('songs').query.count())
        """
    assert likes(lines) == {"count": 2}


def test_relation_is_queried_with_conditions(likes):
    lines = """
        one = made('a', 'b', 'd')
        one.fetch()
        say(names=names(one.relation('songs').query.greater_than('n', 1).descending('n').find()))
        """
    assert likes(lines) == {"names": "db"}


def test_member_is_removed(likes):
    lines = """
        one = made('a', 'b')
        one.relation('songs').remove(song('a'))
        one.save()
        say(names=names(again(one).relation('songs').query.find()))
        """
    assert likes(lines) == {"names": "b"}


def test_adding_and_removing_in_one_save(likes):
    lines = """
        one = made('a', 'b')
        one.relation('songs').add(song('c'))
        one.relation('songs').remove(song('a'))
        one.save()
        say(names=names(again(one).relation('songs').query.ascending('name').find()))
        """
    assert likes(lines) == {"names": "bc"}


def test_first_member_and_count(likes):
    lines = """
        relation = made('a', 'b').relation('songs')
        say(first=relation.query.descending('n').first().get('name'), count=relation.query.count())
        """
    assert likes(lines) == {"first": "b", "count": 2}


def test_relation_of_an_empty_list(likes):
    lines = "made('a'); one = List(name='e'); one.save(); say(found=len(again(one).relation('songs').query.find()))"
    assert likes(lines) == {"found": 0}


def test_fetched_object_has_the_relation(likes):
    lines = "one = made('a'); one.fetch(); say(target=one.relation('songs').target_class_name)"
    assert likes(lines) == {"target": "SdkSong"}


def test_reverse_query_gives_the_owners(likes):
    lines = """
        one, two = made('a', 'b'), made('b')
        def query(letter): return leancloud.Relation.reverse_query(List._class_name, 'songs', song(letter))
        def owners(letter): return {owner.id for owner in query(letter).find()}
        say(a=owners('a') == {one.id}, b=owners('b') == {one.id, two.id}, c=owners('c') == set())
        """
    assert likes(lines) == {"a": True, "b": True, "c": True}


def test_relation_includes(likes):
    lines = """
        one = made('a')
        one.fetch()
        say(name=one.relation('songs').query.include('singer').first().get('singer').get('name'))
        """
    assert likes(lines) == {"name": "A"}


# Scan

def test_scan_gives_everything_once(sdk):
    lines = "say(numbers=sorted(one.get('n') for one in Query('SdkMany').scan(batch_size=50)))"
    assert sdk(lines, key=None, master=ALPHA.master) == {"numbers": list(range(120))}


def test_scan_goes_by_its_key(sdk):
    lines = "say(numbers=[one.get('n') for one in Query('SdkMany').scan(batch_size=7, scan_key='-n')])"
    assert sdk(lines, master=ALPHA.master) == {"numbers": list(range(119, -1, -1))}


def test_scan_takes_conditions(sdk):
    lines = "say(numbers=sorted(one.get('n') for one in Query('SdkMany').less_than('n', 5).scan(batch_size=2)))"
    assert sdk(lines, master=ALPHA.master) == {"numbers": [0, 1, 2, 3, 4]}


def test_scan_with_the_app_key_raises_119(sdk):
    assert sdk(raised("list(Query('SdkMany').scan())")) == {"code": 119}


# Files

@pytest.fixture
def record(api):
    return api.store(b"song", name="sdk-query.txt")


@pytest.mark.parametrize("query", ["leancloud.File.query", "Query('File')", "Query('_File')", "Query(leancloud.File)"])
def test_files_are_found_by_name(sdk, record, query):
    lines = f"""
        one = {query}.equal_to('name', 'sdk-query.txt').descending('createdAt').first()
        say(id=one.id, name=one.name, url=one.url, size=one.size)
        """
    assert sdk(lines) == {"id": record["objectId"], "name": "sdk-query.txt", "url": record["url"], "size": 4}


@pytest.mark.parametrize("condition", [
    "equal_to('metaData.size', 4)", "equal_to('mime_type', 'text/plain')", "startswith('name', 'sdk-q')",
    "exists('key')",
    "contained_in('objectId', [arguments['file']])", "greater_than('createdAt', datetime.datetime(2024, 1, 1))",
])
def test_files_are_found_by_their_columns(sdk, record, condition):
    lines = f"""
        files = Query('File').{condition}.descending('createdAt').find()
        say(found=arguments['file'] in [one.id for one in files])
        """
    assert sdk(lines, file=record["objectId"]) == {"found": True}


def test_files_are_counted(sdk, record):
    lines = "say(count=Query('File').equal_to('objectId', arguments['file']).count())"
    assert sdk(lines, file=record["objectId"]) == {"count": 1}


def test_file_column_comes_whole(sdk, api, record):
    put(api, "SdkAlbum", [{"name": record["objectId"], "cover": {"__type": "File", "id": record["objectId"]}}])
    seen = sdk("""
        cover = Query('SdkAlbum').equal_to('name', arguments['file']).first().get('cover')
        say(id=cover.id, name=cover.name, url=cover.url)
        """, file=record["objectId"])
    assert seen == {"id": record["objectId"], "name": "sdk-query.txt", "url": record["url"]}


def test_file_finds_the_objects_that_hold_it(sdk, api, record):
    put(api, "SdkAlbum", [{"name": record["objectId"], "cover": {"__type": "File", "id": record["objectId"]}}])
    lines = """
        file = leancloud.File.create_without_data(arguments['file'])
        say(count=Query('SdkAlbum').equal_to('cover', file).count())
        """
    assert sdk(lines, file=record["objectId"]) == {"count": 1}
