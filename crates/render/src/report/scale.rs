//! Axes: quantities, their scales and the places of their ticks.

use netsig_base::units::{Bytes, Seconds};
use serde::Serialize;

/// Quantity on an axis, which decides how a number reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AxisQuantity {
    /// Bytes.
    Bytes,
    /// Seconds.
    Seconds,
    /// A share or relative error, shown in per cent.
    Percent,
    /// A plain number.
    Number,
}

/// An axis.
#[derive(Debug, Clone, Serialize)]
pub struct FigureAxis {
    /// Text beside the axis.
    pub title: String,
    /// Quantity on the axis.
    pub quantity: AxisQuantity,
    /// True for a logarithmic axis.
    #[serde(rename = "log")]
    pub is_log: bool,
    /// Ends of the axis.
    pub range: [f64; 2],
    /// Places of the ticks with their texts.
    pub ticks: Vec<(f64, String)>,
}

/// Most ticks of an axis.
const TICKS: usize = 9;

impl AxisQuantity {
    /// A value in words.
    pub fn text(self, value: f64) -> String {
        match self {
            Self::Bytes => Bytes::rounded(value).to_string(),
            Self::Seconds => Seconds(value).to_string(),
            Self::Percent => format!("{} %", plain_number(value * 100.0)),
            Self::Number => plain_number(value),
        }
    }

    fn tick(self, value: f64) -> String {
        match self {
            Self::Seconds => self.text(value).replace(".00", "").replace(".0", ""),
            _ => self.text(value),
        }
    }
}

/// A number without needless zeros.
fn plain_number(value: f64) -> String {
    let text = format!("{value:.2}");
    match text.trim_end_matches('0').trim_end_matches('.') {
        "-0" => "0".to_owned(),
        text => text.to_owned(),
    }
}

impl FigureAxis {
    /// A logarithmic axis over all positive `values`, with some room.
    pub fn log(title: &str, quantity: AxisQuantity, values: impl Iterator<Item = f64>) -> Self {
        const ROOM: f64 = 1.25;
        let positive = values.filter(|value| *value > 0.0 && value.is_finite());
        let (least, most) = span(positive).unwrap_or((1.0, 10.0));
        let range = [least / ROOM, most * ROOM];
        let ticks = match quantity {
            AxisQuantity::Bytes => powers(range, 2.0),
            _ => decades(range),
        };
        Self::new(title, quantity, true, range, ticks)
    }

    /// A linear axis over all `values` and `included`.
    pub fn linear(title: &str, quantity: AxisQuantity, values: impl Iterator<Item = f64>, included: &[f64]) -> Self {
        let finite = values.chain(included.iter().copied()).filter(|value| value.is_finite());
        let (least, most) = span(finite).unwrap_or((0.0, 1.0));
        let room = (most - least).max(1e-9) * 0.05;
        let range = [least - room, most + room];
        Self::new(title, quantity, false, range, steps(range))
    }

    fn new(title: &str, quantity: AxisQuantity, is_log: bool, range: [f64; 2], ticks: Vec<f64>) -> Self {
        let text = |value| (value, quantity.tick(value));
        Self {
            title: title.to_owned(),
            quantity,
            is_log,
            range,
            ticks: ticks.into_iter().map(text).collect(),
        }
    }

    /// Place of a value on the axis, in the units of the screen.
    pub fn place(&self, value: f64) -> f64 {
        if self.is_log { value.max(1e-300).log10() } else { value }
    }
}

fn span(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |found, value| {
        let (least, most) = found.unwrap_or((value, value));
        Some((value.min(least), value.max(most)))
    })
}

/// Powers of a base in a range, thinned out evenly.
fn powers([least, most]: [f64; 2], base: f64) -> Vec<f64> {
    let all = range(least.log(base).ceil(), most.log(base).floor(), 1.0);
    let step = all.len().div_ceil(TICKS).max(1);
    let some = all.into_iter().step_by(step);
    some.map(|power| base.powf(power)).collect()
}

/// 1, 2 and 5 times the powers of ten, or the powers alone where there are many.
fn decades([least, most]: [f64; 2]) -> Vec<f64> {
    let tens = range(least.log10().floor(), most.log10().ceil(), 1.0);
    let multiples = |factors: &[f64]| -> Vec<f64> {
        let all = tens.iter().flat_map(|ten| {
            let ten = 10f64.powf(*ten);
            factors.iter().map(move |factor| factor * ten)
        });
        all.filter(|tick| (least..=most).contains(tick)).collect()
    };
    let fine = multiples(&[1.0, 2.0, 5.0]);
    if fine.len() <= TICKS { fine } else { multiples(&[1.0]) }
}

/// Multiples of 1, 2 or 5 times a power of ten.
fn steps([least, most]: [f64; 2]) -> Vec<f64> {
    let rough = (most - least) / 6.0;
    let ten = 10f64.powf(rough.log10().floor());
    let round_steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * ten);
    let step = round_steps.into_iter().find(|step| *step >= rough).unwrap_or(rough);
    range((least / step).ceil() * step, most, step)
}

/// Numbers from the first to the last, `step` apart.
fn range(first: f64, last: f64, step: f64) -> Vec<f64> {
    let all = (0..1000).map(|place| first + f64::from(place) * step);
    all.take_while(|value| *value <= last + step * 1e-9).collect()
}
