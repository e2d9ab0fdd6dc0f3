internal import Glibc

/// A point on the Earth.
package struct GeoPoint: Hashable, Sendable {
    /// In degrees, -90 to 90.
    package let latitude: Double
    /// In degrees, -180 to 180.
    package let longitude: Double

    /// The Earth's radius in kilometers, by which the SDKs convert to radians (protocol/data 4.1).
    package static let kilometers = 6371.0
    /// The Earth's radius in miles.
    package static let miles = 3958.8

    /// Creates a point from checked degrees.
    package init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }

    /// Parses `{"__type":"GeoPoint","latitude":…,"longitude":…}`.
    ///
    /// - Throws: ``ServiceError/Code/invalidGeoPoint`` (302).
    package init(_ members: [String: JSONValue]) throws {
        guard let latitude = members["latitude"]?.numberValue, let longitude = members["longitude"]?.numberValue,
            (-90.0...90).contains(latitude), (-180.0...180).contains(longitude)
        else {
            throw ServiceError(
                .invalidGeoPoint,
                "Invalid GeoPoint: latitude must be a number from -90 to 90, longitude one from -180 to 180."
            )
        }
        self.init(latitude: latitude, longitude: longitude)
    }

    /// Reads a stored point; `nil` if the value is of another type.
    package init?(stored value: JSONValue) {
        guard case .object(let members) = value, members["__type"] == .string("GeoPoint"),
            let point = try? GeoPoint(members)
        else { return nil }
        self = point
    }

    /// The canonical form, always with a decimal point, because Dart fails without one (protocol/data 1.7).
    package var json: JSONValue {
        .object(["__type": .string("GeoPoint"), "latitude": .number(latitude), "longitude": .number(longitude)])
    }

    /// The smallest absolute latitude and longitude that ``distance(to:)`` distinguishes from 0.
    ///
    /// Products of smaller ones underflow, which PostgreSQL treats as an error.
    package static let leastDegrees = 1e-100

    /// The point with 0 for coordinates of less than ``leastDegrees``.
    package var rounded: GeoPoint {
        GeoPoint(
            latitude: abs(latitude) < GeoPoint.leastDegrees ? 0 : latitude,
            longitude: abs(longitude) < GeoPoint.leastDegrees ? 0 : longitude
        )
    }

    /// The belt of latitudes that contains all points within an angle in radians, by which an index narrows a search.
    package func latitudes(within angle: Double) -> (lowest: Double, highest: Double) {
        // A little wider, so that rounding loses no point at the edge.
        let degrees = angle * 180 / .pi + 1e-6
        return (latitude - degrees, latitude + degrees)
    }

    /// The central angle between two points in radians, 0 to π (haversine).
    ///
    /// PostgreSQL computes it in the same steps.
    package func distance(to other: GeoPoint) -> Double {
        let (own, other) = (rounded, other.rounded)
        let (latitude, longitude) = (own.latitude, own.longitude)
        let halfLatitude = sin((other.latitude - latitude) * .pi / 360)
        let halfLongitude = sin((other.longitude - longitude) * .pi / 360)
        let chord =
            halfLatitude * halfLatitude
            + cos(latitude * .pi / 180) * cos(other.latitude * .pi / 180) * halfLongitude * halfLongitude
        return 2 * asin(min(1, chord.squareRoot()))
    }
}
