//! Colours of series. An algorithm has the hue of its place in the table of algorithms on all pages, unless another
//! one of the page has it; process counts and sizes have shades of a ramp.

use std::collections::BTreeMap;
use std::fmt;

use netsig_base::algorithm::{ALGORITHMS, Collective, LIBRARY, offered_algorithms};
use plotters::style::RGBColor;
use serde::{Serialize, Serializer};

/// Hues; `page.css` has the same as `--c0` and so on. The first is the library's.
const HUES: [RGBColor; 11] = [
    RGBColor(31, 111, 180),
    RGBColor(200, 84, 10),
    RGBColor(20, 130, 95),
    RGBColor(176, 58, 145),
    RGBColor(110, 100, 190),
    RGBColor(150, 105, 20),
    RGBColor(60, 130, 30),
    RGBColor(190, 40, 55),
    RGBColor(0, 122, 145),
    RGBColor(90, 102, 114),
    RGBColor(132, 76, 50),
];

/// Shades from the fewest to the most; `page.css` has the same as `--p0` and so on.
const SHADES: [RGBColor; 8] = [
    RGBColor(240, 150, 80),
    RGBColor(234, 112, 80),
    RGBColor(215, 78, 98),
    RGBColor(188, 56, 122),
    RGBColor(152, 44, 134),
    RGBColor(112, 37, 132),
    RGBColor(74, 29, 114),
    RGBColor(34, 17, 80),
];

/// Colour of a series, with a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeriesPaint {
    /// One of several unordered things.
    Hue(usize),
    /// One of several ordered things.
    Shade(usize),
}

impl SeriesPaint {
    /// The shade of one of `count` ordered things.
    pub fn shade_of(place: usize, count: usize) -> Self {
        let last = SHADES.len() - 1;
        Self::Shade(match count {
            0 | 1 => last - 2,
            _ => place * last / (count - 1),
        })
    }

    /// The colour on a white ground.
    pub fn rgb(self) -> RGBColor {
        match self {
            Self::Hue(number) => HUES[number % HUES.len()],
            Self::Shade(number) => SHADES[number % SHADES.len()],
        }
    }
}

impl fmt::Display for SeriesPaint {
    /// Name of the colour in the style of the page, without its dashes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hue(number) => write!(f, "c{}", number % HUES.len()),
            Self::Shade(number) => write!(f, "p{}", number % SHADES.len()),
        }
    }
}

impl Serialize for SeriesPaint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Hues of the algorithms of a collective.
#[derive(Debug, Default)]
pub struct AlgorithmHues(BTreeMap<String, usize>);

impl AlgorithmHues {
    /// Hues of `names`, of which the first ones choose first. The library's own choice has the first hue. Each other
    /// algorithm has the hue of its place in the table of algorithms, or if that is taken, the next free one.
    pub fn of<'n>(collective: Collective, names: impl IntoIterator<Item = &'n str>) -> Self {
        let mut hues = BTreeMap::from([(LIBRARY.to_owned(), 0)]);
        for name in names {
            if hues.contains_key(name) {
                continue;
            }
            let preferred = 1 + place(collective, name) % (HUES.len() - 1);
            let mut following = (0..HUES.len() - 1).map(|step| 1 + (preferred - 1 + step) % (HUES.len() - 1));
            let free = following.find(|hue| hues.values().all(|taken| taken != hue));
            hues.insert(name.to_owned(), free.unwrap_or(preferred));
        }
        Self(hues)
    }

    /// The paint of an algorithm.
    pub fn paint(&self, name: &str) -> SeriesPaint {
        SeriesPaint::Hue(self.0.get(name).copied().unwrap_or(HUES.len() - 1))
    }
}

/// Place of an algorithm among those of netsig and then those of the libraries, whatever its settings. A name of
/// another program has a place of its letters.
fn place(collective: Collective, name: &str) -> usize {
    let entries = ALGORITHMS
        .iter()
        .filter(|entry| entry.collective == collective.operation());
    let entry_names = entries.map(|entry| entry.name.to_owned());
    let offers = offered_algorithms(collective).into_iter();
    let offer_names = offers.map(|offer| format!("{LIBRARY}:{}", offer.name));
    let is_family = |family: &String| {
        let settings = name.strip_prefix(family.as_str());
        settings.is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
    };
    let letters = || name.bytes().map(usize::from).sum();
    entry_names
        .chain(offer_names)
        .position(|family| is_family(&family))
        .unwrap_or_else(letters)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 6] = [
        "library",
        "direct",
        "pairwise",
        "library:pairwise",
        "windowed:segment=4096,window=4",
        "bruck:2",
    ];

    /// The library is the first everywhere, algorithms differ, and another page with fewer of them has the same hues.
    #[test]
    fn an_algorithm_has_one_hue() {
        let all = AlgorithmHues::of(Collective::Alltoall, NAMES);
        let mut paints: Vec<String> = NAMES.iter().map(|name| all.paint(name).to_string()).collect();
        assert_eq!(paints[0], "c0");
        for name in NAMES {
            let alone = AlgorithmHues::of(Collective::Alltoall, [name]);
            assert_eq!(alone.paint(name), all.paint(name), "{name}");
        }
        paints.sort();
        paints.dedup();
        assert_eq!(paints.len(), NAMES.len());
        // Two settings of one algorithm collide, and the later one gives way.
        let settings = ["pipeline:1024", "pipeline:4096"];
        let both = AlgorithmHues::of(Collective::Bcast, settings);
        assert_ne!(both.paint(settings[0]), both.paint(settings[1]));
    }
}
