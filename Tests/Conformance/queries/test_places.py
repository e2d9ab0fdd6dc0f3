"""Queries for places."""

import math

import pytest
from client import assert_refused
from data import geopoint as point
from queries import ask, body, found, listed, put

PARIS = point(48.8566, 2.3522)
PARIS_TO_LONDON = 343.6  # kilometres


@pytest.fixture(scope="module")
def places(api):
    """Paris, London, Berlin, Sydney, two islands on both sides of the date line, and nowhere."""
    return put(api, "QueryPlace", [
        {"name": "p", "at": PARIS}, {"name": "l", "at": point(51.5074, -0.1278)},
        {"name": "b", "at": point(52.52, 13.405)},
        {"name": "s", "at": point(-33.8688, 151.2093)}, {"name": "w", "at": point(-17, 179.5)},
        {"name": "e", "at": point(-17, -179.5)}, {"name": "n"},
    ])


def near(centre, **more):
    return {"at": {"$nearSphere": centre} | {f"${name}": value for name, value in more.items()}}


@pytest.mark.parametrize("centre, expected", [
    (PARIS, "plb"), (point(52, 13), "bpl"), (point(-17, 179), "wes"), (point(-17, -179), "ews"), (point(90, 0), "blp"),
])
def test_near_gives_the_nearest_first(api, places, centre, expected):
    assert listed(api, "QueryPlace", near(centre), limit=3) == expected


def test_near_leaves_out_rows_without_a_place(api, places):
    assert found(api, "QueryPlace", near(PARIS)) == "belpsw"


def test_order_goes_before_nearness(api, places):
    assert listed(api, "QueryPlace", near(PARIS), order="-name") == "wspleb"


@pytest.mark.parametrize("factor, expected", [(0.99, "p"), (1.01, "pl")])
@pytest.mark.parametrize("limit, unit", [
    ("maxDistanceInKilometers", 1), ("maxDistanceInMiles", 3958.8 / 6371), ("maxDistanceInRadians", 1 / 6371),
    ("maxDistance", 1 / 6371),
])
def test_greatest_distance(api, places, factor, expected, limit, unit):
    assert listed(api, "QueryPlace", near(PARIS, **{limit: PARIS_TO_LONDON * unit * factor})) == expected


@pytest.mark.parametrize("factor, expected", [(0.99, "lb"), (1.01, "b")])
@pytest.mark.parametrize("limit, unit", [
    ("minDistanceInKilometers", 1), ("minDistanceInMiles", 3958.8 / 6371), ("minDistanceInRadians", 1 / 6371),
    ("minDistance", 1 / 6371),
])
def test_least_distance(api, places, factor, expected, limit, unit):
    where = near(PARIS, **{limit: PARIS_TO_LONDON * unit * factor, "maxDistanceInKilometers": 2000})
    assert listed(api, "QueryPlace", where) == expected


def test_half_the_world_is_everything(api, places):
    assert found(api, "QueryPlace", near(PARIS, maxDistanceInRadians=math.pi)) == "belpsw"


def test_near_goes_with_conditions_and_count(api, places):
    reply = body(api, "QueryPlace", near(PARIS) | {"name": {"$ne": "p"}}, limit=1, count=1)
    assert ([row["name"] for row in reply["results"]], reply["count"]) == (["l"], 5)


@pytest.mark.parametrize("southwest, northeast, expected", [
    (point(48, -1), point(52, 3), "lp"), (point(-40, 150), point(0, 180), "sw"), (point(0, 0), point(1, 1), ""),
    (point(-90, -180), point(90, 180), "belpsw"), (point(48.8566, 2.3522), point(49, 3), "p"),
    (point(52, 3), point(48, -1), "lp"), (point(48, 3), point(52, -1), "lp"), (point(52, -1), point(48, 3), "lp"),
    (point(-20, 179), point(-10, -179), ""), (point(-40, 178), point(60, -178), "blps"),
])
def test_box(api, places, southwest, northeast, expected):
    assert found(api, "QueryPlace", {"at": {"$within": {"$box": [southwest, northeast]}}}) == expected


@pytest.mark.parametrize("operator", ["$within", "$geoWithin"])
def test_corners_may_be_arrays_with_the_longitude_first(api, places, operator):
    assert found(api, "QueryPlace", {"at": {operator: {"$box": [[-1, 48], [3, 52]]}}}) == "lp"


@pytest.mark.parametrize("operator", ["$near", "$nearSphere"])
def test_centre_may_be_an_array_with_the_longitude_first(api, places, operator):
    where = {"at": {operator: [2.3522, 48.8566], "$maxDistanceInKilometers": 400}}
    assert listed(api, "QueryPlace", where) == "pl"


def test_array_outside_the_world_is_302(api, places):
    assert_refused(ask(api, "QueryPlace", {"at": {"$near": [0, 91]}}), 400, 302)


def test_place_equals_a_place(api, places):
    assert found(api, "QueryPlace", {"at": point(-17, 179.5)}) == "w"


def test_place_has_decimals_in_a_reply(api, places):
    assert '"latitude":-17.0' in ask(api, "QueryPlace", {"name": "w"}).text.replace(" ", "")
