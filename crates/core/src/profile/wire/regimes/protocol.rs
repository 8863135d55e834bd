//! How an algorithm does under one protocol, as it stands in a profile.

use serde::{Deserialize, Serialize};

use super::super::network::WireRow;
use crate::model::regimes::{Onset, Protocol, Stalls};
use crate::units::parameter::{finite, non_negative};
use crate::units::{Bytes, Seconds};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WireProtocolRegime {
    gamma: f64,
    growth: f64,
    overlap: f64,
    slowdown: f64,
    spread: f64,
    /// Rows of bytes and ρ.
    corrections: Vec<WireRow<f64>>,
    stalls: Option<WireStalls>,
}

/// How repetitions wait for time-outs; without an onset at any size.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireStalls {
    rate: f64,
    cost_s: Seconds,
    spread: f64,
    onset_bytes: Option<f64>,
    onset_lower_bytes: Option<f64>,
    onset_upper_bytes: Option<f64>,
}

impl WireProtocolRegime {
    /// The protocol, which is `name` where something is wrong with it.
    pub(super) fn into_domain(self, name: &str) -> Result<Protocol, String> {
        let named = |error: String| format!("{name}.{error}");
        self.refuse_impossible().map_err(named)?;
        let stalls = self.stalls.map(WireStalls::into_domain).transpose();
        let rows = self.corrections.iter();
        let rows: Vec<(Bytes, f64)> = rows.map(|WireRow(size, rho)| (*size, *rho)).collect();
        if let Some(pair) = rows.windows(2).find(|pair| pair[0].0 >= pair[1].0) {
            let [Bytes(before), Bytes(after)] = [pair[0].0, pair[1].0];
            return Err(named(format!(
                "corrections: {before}, {after} do not ascend"
            )));
        }
        Ok(Protocol {
            gamma: self.gamma,
            growth: self.growth,
            overlap: self.overlap,
            slowdown: self.slowdown,
            corrections: rows,
            spread: self.spread,
            stalls: stalls.map_err(named)?,
        })
    }

    fn refuse_impossible(&self) -> Result<(), String> {
        let text = |error: crate::units::parameter::ParameterError| error.to_string();
        non_negative("gamma", self.gamma).map_err(text)?;
        finite("growth", self.growth).map_err(text)?;
        non_negative("overlap", self.overlap).map_err(text)?;
        non_negative("slowdown", self.slowdown).map_err(text)?;
        non_negative("spread", self.spread).map_err(text)?;
        for WireRow(_, rho) in &self.corrections {
            finite("corrections", *rho).map_err(text)?;
        }
        Ok(())
    }
}

impl WireStalls {
    fn into_domain(self) -> Result<Stalls, String> {
        let text = |error: crate::units::parameter::ParameterError| error.to_string();
        non_negative("stalls.rate", self.rate).map_err(text)?;
        non_negative("stalls.cost_s", self.cost_s.0).map_err(text)?;
        non_negative("stalls.spread", self.spread).map_err(text)?;
        Ok(Stalls {
            rate: self.rate,
            cost: self.cost_s,
            spread: self.spread,
            onset: self.onset()?,
        })
    }

    fn onset(&self) -> Result<Option<Onset>, String> {
        let ends = [
            self.onset_bytes,
            self.onset_lower_bytes,
            self.onset_upper_bytes,
        ];
        let [bytes, lower, upper] = match ends {
            [None, None, None] => return Ok(None),
            [Some(bytes), Some(lower), Some(upper)] => [bytes, lower, upper],
            _ => {
                return Err(
                    "stalls has not all of onset_bytes, onset_lower_bytes, onset_upper_bytes"
                        .to_owned(),
                );
            }
        };
        if 0.0 < lower && lower <= bytes && bytes <= upper && upper.is_finite() {
            return Ok(Some(Onset {
                bytes,
                lower,
                upper,
            }));
        }
        Err(format!(
            "stalls.onset_bytes = {bytes}, from {lower} to {upper}, is not finite and above 0 with lower <= value <= upper"
        ))
    }
}

impl From<&Protocol> for WireProtocolRegime {
    fn from(protocol: &Protocol) -> Self {
        let rows = protocol.corrections.iter();
        Self {
            gamma: protocol.gamma,
            growth: protocol.growth,
            overlap: protocol.overlap,
            slowdown: protocol.slowdown,
            spread: protocol.spread,
            corrections: rows.map(|(size, rho)| WireRow(*size, *rho)).collect(),
            stalls: protocol.stalls.as_ref().map(WireStalls::from),
        }
    }
}

impl From<&Stalls> for WireStalls {
    fn from(stalls: &Stalls) -> Self {
        let onset = |of: fn(Onset) -> f64| stalls.onset.map(of);
        Self {
            rate: stalls.rate,
            cost_s: stalls.cost,
            spread: stalls.spread,
            onset_bytes: onset(|onset| onset.bytes),
            onset_lower_bytes: onset(|onset| onset.lower),
            onset_upper_bytes: onset(|onset| onset.upper),
        }
    }
}
