//! Figures as data: series over two axes. The page draws them with the plotting library, `picture` as
//! pictures that need no JavaScript.

use serde::{Serialize, Serializer};

use super::scale::FigureAxis;

/// A picture of several series.
#[derive(Debug, Clone, Serialize)]
pub struct Figure {
    /// Title.
    pub title: String,
    /// Description in words, for readers who cannot see it.
    #[serde(skip)]
    pub alt: String,
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
    /// An area between two values.
    Band,
}

/// Points that belong together.
#[derive(Debug, Clone, Serialize)]
pub struct FigureSeries {
    /// Name in the legend; series with one name are toggled together.
    pub name: String,
    /// Form.
    #[serde(rename = "look")]
    pub form: SeriesForm,
    /// Number of the colour.
    pub colour: usize,
    /// True if it is shown from the start.
    #[serde(rename = "on")]
    pub is_shown: bool,
    /// Horizontal values.
    #[serde(serialize_with = "short")]
    pub x: Vec<f64>,
    /// Vertical values.
    #[serde(serialize_with = "short")]
    pub y: Vec<f64>,
    /// Upper values of a band.
    #[serde(serialize_with = "short", skip_serializing_if = "Vec::is_empty")]
    pub upper: Vec<f64>,
}

impl FigureSeries {
    /// Points of a series.
    pub fn new(name: &str, form: SeriesForm, colour: usize, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let (x, y) = points.into_iter().unzip();
        Self {
            name: name.to_owned(),
            form,
            colour,
            is_shown: true,
            x,
            y,
            upper: Vec::new(),
        }
    }

    /// An area between the second and the third value.
    pub fn band(name: &str, colour: usize, points: impl IntoIterator<Item = (f64, f64, f64)>) -> Self {
        let points: Vec<(f64, f64, f64)> = points.into_iter().collect();
        let lower = points.iter().map(|&(x, lower, _)| (x, lower));
        Self {
            upper: points.iter().map(|point| point.2).collect(),
            ..Self::new(name, SeriesForm::Band, colour, lower)
        }
    }

    /// The same series, shown from the start or not.
    #[must_use]
    pub fn shown_from_start(self, is_shown: bool) -> Self {
        Self { is_shown, ..self }
    }

    /// True without points.
    pub fn is_empty(&self) -> bool {
        self.x.is_empty()
    }

    /// All vertical values.
    pub fn heights(&self) -> impl Iterator<Item = f64> {
        self.y.iter().chain(&self.upper).copied()
    }
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
