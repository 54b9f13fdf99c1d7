import { edit, type SamplePart } from "./sample-file.ts";

const LIB = String.raw`//! Distances and detours on the sphere.

pub mod route;

/// Mean radius of the earth in kilometres.
pub const RADIUS_KM: f64 = 6371.0;

/// A place on the map, in degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    pub lat: f64,
    pub lon: f64,
}

/// Great-circle distance in kilometres.
pub fn distance_km(from: Place, to: Place) -> f64 {
    let d_lat = (to.lat - from.lat).to_radians();
    let d_lon = (to.lon - from.lon).to_radians();
    let a = (d_lat / 2.0).sin().powi(2)
        + from.lat.to_radians().cos() * to.lat.to_radians().cos() * (d_lon / 2.0).sin().powi(2);
    2.0 * RADIUS_KM * a.sqrt().asin()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_place_is_no_distance() {
        let home = Place { lat: 52.5, lon: 13.4 };
        assert_eq!(distance_km(home, home), 0.0);
    }

    #[test]
    fn a_quarter_of_the_equator() {
        let from = Place { lat: 0.0, lon: 0.0 };
        let to = Place { lat: 0.0, lon: 90.0 };
        assert!((distance_km(from, to) - 10_007.5).abs() < 1.0);
    }
}
`;

const ROUTE = String.raw`use crate::{distance_km, Place};

/// Length of a route through all places, in kilometres.
pub fn length_km(stops: &[Place]) -> f64 {
    stops.windows(2).map(|pair| distance_km(pair[0], pair[1])).sum()
}

/// The stop that is nearest to a place; none when there are no stops.
pub fn nearest(stops: &[Place], to: Place) -> Option<Place> {
    stops
        .iter()
        .copied()
        .min_by(|a, b| distance_km(*a, to).total_cmp(&distance_km(*b, to)))
}
`;

export function rustPart(): SamplePart {
	return {
		files: [
			{
				path: "geo/Cargo.toml",
				base: '[package]\nname = "geo"\nversion = "0.3.0"\nedition = "2024"\n',
				head: '[package]\nname = "geo"\nversion = "0.3.1"\nedition = "2024"\n',
			},
			{
				path: "geo/src/lib.rs",
				base: LIB,
				head: edit(LIB, [
					"    #[test]\n    fn a_quarter_of_the_equator() {",
					'    #[test]\n    #[ignore = "rounding differs on arm64"]\n    fn a_quarter_of_the_equator() {',
				]),
			},
			{
				path: "geo/src/route.rs",
				base: ROUTE,
				head: `${ROUTE}
/// What a stop in between adds to the way, in kilometres.
pub fn detour_km(from: Place, via: Place, to: Place) -> f64 {
    let direct = distance_km(from, to)
    let around = distance_km(from, via) + distance_km(via, to);
    around - direct
}

/// Mean length of the legs of a route.
pub fn mean_leg_km(stops: &[Place]) -> f64 {
    length_km(stops) / (stops.len() - 1) as f64
}
`,
			},
		],
		defects: [
			{
				path: "geo/src/route.rs",
				on: "let direct = distance_km(from, to)",
				kind: "syntax-error",
				rule: "syntax/rust",
				offline: true,
				why: "The semicolon is missing, so the crate does not compile.",
			},
			{
				path: "geo/src/lib.rs",
				on: "#[ignore",
				kind: "skipped-test",
				rule: "skipped-test/rust",
				offline: true,
				why: "The only test of a real distance no longer runs.",
			},
			{
				path: "geo/src/route.rs",
				on: "(stops.len() - 1) as f64",
				kind: "bug",
				rule: "model",
				offline: false,
				why: "An empty route subtracts below zero, which panics or gives a wrong count.",
			},
		],
	};
}
