//! Figures as data: series over two axes. The page draws them with the plotting library, `picture` as
//! pictures that need no JavaScript.

use serde::{Serialize, Serializer};

use super::paint::SeriesPaint;
use super::scale::FigureAxis;

/// A picture of several series.
#[derive(Debug, Clone, Serialize)]
pub struct Figure {
    /// Title.
    pub title: String,
    /// Description in words, for readers who cannot see it.
    #[serde(skip)]
    pub alt: String,
    /// What each form of series shows.
    pub key: Vec<(SeriesForm, String)>,
    /// Horizontal axis.
    pub x: FigureAxis,
    /// Vertical axis.
    pub y: FigureAxis,
    /// The series, in the order of drawing.
    pub series: Vec<FigureSeries>,
}

/// Form of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SeriesForm {
    /// A line.
    Line,
    /// A dashed line.
    Dashes,
    /// Filled marks.
    Dots,
    /// Hollow marks.
    Rings,
    /// Small faint marks, scattered to both sides of their places.
    Specks,
    /// Vertical bars from one value to another.
    Bars,
    /// Arrows upwards.
    Arrows,
    /// Stars.
    Stars,
    /// An area between two values.
    Band,
}

impl SeriesForm {
    /// A character that looks like the form.
    pub fn glyph(self) -> char {
        match self {
            Self::Line => '━',
            Self::Dashes => '┅',
            Self::Dots => '●',
            Self::Rings => '○',
            Self::Specks => '∴',
            Self::Bars => '┃',
            Self::Arrows => '△',
            Self::Stars => '☆',
            Self::Band => '▒',
        }
    }
}

impl Figure {
    /// The description with the meaning of the forms, for readers who cannot see the figure.
    pub fn label(&self) -> String {
        let meanings: Vec<&str> = self.key.iter().map(|(_, meaning)| meaning.as_str()).collect();
        match meanings.as_slice() {
            [] => self.alt.clone(),
            all => format!("{} Shown: {}.", self.alt, all.join("; ")),
        }
    }
}

/// Points that belong together.
#[derive(Debug, Clone, Serialize)]
pub struct FigureSeries {
    /// Name in the legend; series with one name are toggled together.
    pub name: String,
    /// Form.
    #[serde(rename = "look")]
    pub form: SeriesForm,
    /// Colour and mark.
    #[serde(rename = "colour")]
    pub paint: SeriesPaint,
    /// True if it is shown from the start.
    #[serde(rename = "on")]
    pub is_shown: bool,
    /// The process count that it is of, if one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub procs: Option<u32>,
    /// The size in bytes that it is of, if one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// Horizontal values.
    #[serde(serialize_with = "short")]
    pub x: Vec<f64>,
    /// Vertical values.
    #[serde(serialize_with = "short")]
    pub y: Vec<f64>,
    /// Upper values of bands and bars.
    #[serde(serialize_with = "short", skip_serializing_if = "Vec::is_empty")]
    pub upper: Vec<f64>,
    /// The cells whose repetitions are the specks; the page has their times beside its figures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cells: Option<CellReference>,
    /// The points of these cells.
    #[serde(skip)]
    pub specks: Vec<(f64, f64)>,
}

/// The measured cells of an algorithm and process count of a chapter.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct CellReference {
    /// Number of the algorithm.
    pub algorithm: usize,
    /// True for cells that the profile was not fitted to, false for the others.
    pub held: bool,
}

impl FigureSeries {
    /// Points of a series.
    pub fn new(name: &str, form: SeriesForm, paint: SeriesPaint, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let (x, y) = points.into_iter().unzip();
        Self {
            name: name.to_owned(),
            form,
            paint,
            is_shown: true,
            procs: None,
            size: None,
            x,
            y,
            upper: Vec::new(),
            cells: None,
            specks: Vec::new(),
        }
    }

    /// An area, or bars, between the second and the third value.
    pub fn between(
        name: &str,
        form: SeriesForm,
        paint: SeriesPaint,
        points: impl IntoIterator<Item = (f64, f64, f64)>,
    ) -> Self {
        let points: Vec<(f64, f64, f64)> = points.into_iter().collect();
        let lower = points.iter().map(|&(x, lower, _)| (x, lower));
        Self {
            upper: points.iter().map(|point| point.2).collect(),
            ..Self::new(name, form, paint, lower)
        }
    }

    /// The repetitions of some cells.
    pub fn specks(name: &str, paint: SeriesPaint, cells: Option<CellReference>, points: Vec<(f64, f64)>) -> Self {
        Self {
            cells,
            specks: points,
            ..Self::new(name, SeriesForm::Specks, paint, [])
        }
    }

    /// The same series, shown from the start or not.
    #[must_use]
    pub fn shown_from_start(self, is_shown: bool) -> Self {
        Self { is_shown, ..self }
    }

    /// The same series, as one of a process count.
    #[must_use]
    pub fn among(self, procs: netsig_base::units::Procs) -> Self {
        Self {
            procs: Some(procs.get()),
            ..self
        }
    }

    /// The same series, as one of a size.
    #[must_use]
    pub fn at_size(self, size: netsig_base::units::Bytes) -> Self {
        Self {
            size: Some(size.0),
            ..self
        }
    }

    /// All points; of bands and bars the lower ones.
    pub fn points(&self) -> impl Iterator<Item = (f64, f64)> {
        let drawn = self.x.iter().copied().zip(self.y.iter().copied());
        drawn.chain(self.specks.iter().copied())
    }

    /// All vertical values.
    pub fn heights(&self) -> impl Iterator<Item = f64> {
        self.points().map(|point| point.1).chain(self.upper.iter().copied())
    }
}

/// Places beside a place, evenly from -1 to 1, the same in every picture: multiples of the golden ratio.
pub fn jitter(number: usize) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_895;
    2.0 * (number as f64 * GOLDEN).fract() - 1.0
}

/// Five significant digits: an error of less than 0.005 %.
pub fn five_digits(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    format!("{value:.4e}").parse().unwrap_or(value)
}

fn short<S: Serializer>(values: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(values.iter().map(|value| {
        let short = five_digits(*value);
        short.is_finite().then_some(short)
    }))
}
