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
    /// Processes; ticks are whole numbers.
    Processes,
    /// A plain number.
    Number,
}

/// How values are placed along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AxisScale {
    /// In proportion.
    Linear,
    /// By their logarithm.
    Log,
    /// By log10(1 + value / unit): zero has a line of its place, and the unit is visible beside thousands.
    #[serde(untagged)]
    Shifted {
        /// The unit, positive.
        unit: f64,
    },
}

/// An axis.
#[derive(Debug, Clone, Serialize)]
pub struct FigureAxis {
    /// Text beside the axis.
    pub title: String,
    /// Quantity on the axis.
    pub quantity: AxisQuantity,
    /// How values are placed.
    pub scale: AxisScale,
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
            Self::Processes | Self::Number => plain_number(value),
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
            _ => Some(decades(range))
                .filter(|ticks| ticks.len() > 1)
                .unwrap_or_else(|| steps(range, 0.0)),
        };
        Self::new(title, quantity, AxisScale::Log, range).ticked(ticks)
    }

    /// An axis of counts from zero on, which shows the smallest positive of `values` beside the largest.
    pub fn from_zero(title: &str, quantity: AxisQuantity, values: impl Iterator<Item = f64>) -> Self {
        let counted = values.filter(|value| *value > 0.0 && value.is_finite());
        let (least, most) = span(counted).unwrap_or((1.0, 1.0));
        let unit = 10f64.powf(least.log10().floor().clamp(-3.0, 0.0));
        let scale = AxisScale::Shifted { unit };
        let powers = decades([unit, most.max(10.0 * unit) * 1.6]).into_iter();
        let tens = powers.filter(|tick| tick.log10().fract().abs() < 1e-6);
        let range = [-0.15 * unit, most.max(unit) * 1.6];
        Self::new(title, quantity, scale, range).ticked([0.0].into_iter().chain(tens).collect())
    }

    /// A linear axis over all `values` and `included`.
    pub fn linear(title: &str, quantity: AxisQuantity, values: impl Iterator<Item = f64>, included: &[f64]) -> Self {
        let finite = values.chain(included.iter().copied()).filter(|value| value.is_finite());
        let (least, most) = span(finite).unwrap_or((0.0, 1.0));
        let room = (most - least).max(1e-9) * 0.05;
        let range = [least - room, most + room];
        let least_step = if quantity == AxisQuantity::Processes { 1.0 } else { 0.0 };
        Self::new(title, quantity, AxisScale::Linear, range).ticked(steps(range, least_step))
    }

    /// An axis of places 0, 1 and so on with these names.
    pub fn of_names(title: &str, names: &[String]) -> Self {
        let range = [-0.5, names.len() as f64 - 0.5];
        let ticks = names.iter().enumerate();
        Self {
            ticks: ticks.map(|(place, name)| (place as f64, name.clone())).collect(),
            ..Self::new(title, AxisQuantity::Number, AxisScale::Linear, range)
        }
    }

    fn new(title: &str, quantity: AxisQuantity, scale: AxisScale, range: [f64; 2]) -> Self {
        Self {
            title: title.to_owned(),
            quantity,
            scale,
            range,
            ticks: Vec::new(),
        }
    }

    fn ticked(self, ticks: Vec<f64>) -> Self {
        let text = |value| (value, self.quantity.tick(value));
        Self {
            ticks: ticks.into_iter().map(text).collect(),
            ..self
        }
    }

    /// Place of a value on the axis, in the units of the screen.
    pub fn place(&self, value: f64) -> f64 {
        match self.scale {
            AxisScale::Linear => value,
            AxisScale::Log => value.max(1e-300).log10(),
            AxisScale::Shifted { unit } => (1.0 + value.max(-0.9 * unit) / unit).log10(),
        }
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

/// Multiples of 1, 2 or 5 times a power of ten, which is at least `least_step`.
fn steps([least, most]: [f64; 2], least_step: f64) -> Vec<f64> {
    let rough = ((most - least) / 6.0).max(least_step);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Zero, the first lost packet and thousands have places apart from each other, with a tick at each power.
    #[test]
    fn a_first_loss_is_seen_beside_thousands() {
        let axis = FigureAxis::from_zero("lost", AxisQuantity::Number, [0.0, 0.025, 1.0, 4000.0].into_iter());
        let height = axis.place(axis.range[1]) - axis.place(axis.range[0]);
        let places = [0.0, 0.025, 1.0, 4000.0].map(|value| axis.place(value) / height);
        assert!(places.windows(2).all(|pair| pair[1] - pair[0] > 0.08), "{places:?}");
        let texts: Vec<&str> = axis.ticks.iter().map(|tick| tick.1.as_str()).collect();
        assert_eq!(texts, ["0", "0.01", "0.1", "1", "10", "100", "1000"]);
    }

    #[test]
    fn processes_have_whole_ticks() {
        let axis = FigureAxis::linear("processes", AxisQuantity::Processes, [2.0, 4.0].into_iter(), &[]);
        let values: Vec<f64> = axis.ticks.iter().map(|tick| tick.0).collect();
        assert_eq!(values, [2.0, 3.0, 4.0]);
    }
}
