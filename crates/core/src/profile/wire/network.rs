//! The point-to-point parameters as they stand in a profile.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{self, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::{REMEDY, refuse_impossible_interval};
use crate::model::hockney::Hockney;
use crate::model::plogp::{PLogP, Parameters};
use crate::profile::{FlowsEntry, HockneyEntry, ProtocolEntry};
use crate::stats::interval::Estimate;
use crate::units::parameter::{ParameterError, non_negative};
use crate::units::table::Table;
use crate::units::{Bytes, Seconds, SecondsPerByte};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WireHockney {
    alpha_s: Estimate,
    beta_s_per_byte: Estimate,
    #[serde(default)]
    residual: f64,
}

/// Rows of a table: size in bytes, time in seconds.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct WireTable(Vec<WireRow<Seconds>>);

/// What belongs to a size.
#[derive(Serialize)]
pub(super) struct WireRow<T>(pub(super) Bytes, pub(super) T);

/// Derived, it would pass over what a row has too much.
impl<'de, T: Deserialize<'de>> Deserialize<'de> for WireRow<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(RowVisitor(PhantomData))
    }
}

struct RowVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for RowVisitor<T> {
    type Value = WireRow<T>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a row [bytes, number]")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut row: A) -> Result<WireRow<T>, A::Error> {
        let short = |length| de::Error::invalid_length(length, &self);
        let size = row.next_element()?.ok_or_else(|| short(0))?;
        let time = row.next_element()?.ok_or_else(|| short(1))?;
        match row.next_element::<IgnoredAny>()? {
            None => Ok(WireRow(size, time)),
            Some(_) => Err(short(3)),
        }
    }
}

impl WireTable {
    pub(super) fn into_domain(self, name: &'static str) -> Result<Table, ParameterError> {
        Table::new(
            name,
            self.0
                .into_iter()
                .map(|WireRow(size, time)| (size, time))
                .collect(),
        )
    }
}

impl From<&Table> for WireTable {
    fn from(table: &Table) -> Self {
        Self(
            table
                .rows()
                .iter()
                .map(|&(size, time)| WireRow(size, time))
                .collect(),
        )
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "keys carry their unit")]
pub(super) struct WirePLogP {
    latency_s: Seconds,
    gap_s: WireTable,
    send_overhead_s: WireTable,
    receive_overhead_s: WireTable,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WireProtocol {
    eager_above_bytes: Bytes,
    eager_up_to_bytes: Bytes,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WireFlows {
    beta_f_s_per_byte: SecondsPerByte,
    beta_c_s_per_byte: SecondsPerByte,
    rho: f64,
    saturated_pairs: Option<u32>,
}

impl WireHockney {
    pub(super) fn into_domain(self) -> Result<HockneyEntry, String> {
        let wrong = |what: String| format!("[hockney] {what}; {REMEDY}");
        let (alpha, beta) = (self.alpha_s, self.beta_s_per_byte);
        let model = Hockney::new(Seconds(alpha.value), SecondsPerByte(beta.value));
        let model = model.map_err(|error| wrong(error.to_string()))?;
        refuse_impossible_interval("alpha_s", alpha).map_err(wrong)?;
        refuse_impossible_interval("beta_s_per_byte", beta).map_err(wrong)?;
        // Without α an empty message takes no time, and what was measured is infinitely more.
        if self.residual.is_nan() || self.residual < 0.0 {
            let residual = self.residual;
            return Err(wrong(format!("residual = {residual} is not at least 0")));
        }
        Ok(HockneyEntry {
            model,
            alpha,
            beta,
            residual: self.residual,
        })
    }
}

impl From<&HockneyEntry> for WireHockney {
    fn from(entry: &HockneyEntry) -> Self {
        Self {
            alpha_s: entry.alpha,
            beta_s_per_byte: entry.beta,
            residual: entry.residual,
        }
    }
}

impl WirePLogP {
    pub(super) fn into_domain(self) -> Result<PLogP, String> {
        let wrong = |error: ParameterError| format!("[plogp] {error}; mend the table");
        let parameters = Parameters {
            latency: self.latency_s,
            gap: self.gap_s.into_domain("gap_s").map_err(wrong)?,
            send_overhead: self
                .send_overhead_s
                .into_domain("send_overhead_s")
                .map_err(wrong)?,
            receive_overhead: self
                .receive_overhead_s
                .into_domain("receive_overhead_s")
                .map_err(wrong)?,
        };
        PLogP::new(parameters).map_err(wrong)
    }
}

impl WireProtocol {
    pub(super) fn into_domain(self) -> Result<ProtocolEntry, String> {
        let (Bytes(above), Bytes(up_to)) = (self.eager_above_bytes, self.eager_up_to_bytes);
        if above >= up_to {
            return Err(format!(
                "[protocol] eager_above_bytes = {above} is not below eager_up_to_bytes = {up_to}; {REMEDY}"
            ));
        }
        Ok(ProtocolEntry {
            eager_above: self.eager_above_bytes,
            eager_up_to: self.eager_up_to_bytes,
        })
    }
}

impl From<&ProtocolEntry> for WireProtocol {
    fn from(entry: &ProtocolEntry) -> Self {
        Self {
            eager_above_bytes: entry.eager_above,
            eager_up_to_bytes: entry.eager_up_to,
        }
    }
}

impl WireFlows {
    pub(super) fn into_domain(self) -> Result<FlowsEntry, String> {
        let wrong = |what: String| format!("[flows] {what}; {REMEDY}");
        for (key, gap) in [
            ("beta_f_s_per_byte", self.beta_f_s_per_byte),
            ("beta_c_s_per_byte", self.beta_c_s_per_byte),
        ] {
            non_negative(key, gap.0).map_err(|error| wrong(error.to_string()))?;
        }
        let rho = self.rho;
        if !(0.0..=1.0).contains(&rho) {
            return Err(wrong(format!("rho = {rho} is not between 0 and 1")));
        }
        if self.saturated_pairs == Some(0) {
            return Err(wrong(
                "saturated_pairs = 0 is no number of pairs".to_owned(),
            ));
        }
        Ok(FlowsEntry {
            beta_free: self.beta_f_s_per_byte,
            beta_contended: self.beta_c_s_per_byte,
            rho,
            saturated_pairs: self.saturated_pairs,
        })
    }
}

impl From<&FlowsEntry> for WireFlows {
    fn from(entry: &FlowsEntry) -> Self {
        Self {
            beta_f_s_per_byte: entry.beta_free,
            beta_c_s_per_byte: entry.beta_contended,
            rho: entry.rho,
            saturated_pairs: entry.saturated_pairs,
        }
    }
}

impl From<&PLogP> for WirePLogP {
    fn from(plogp: &PLogP) -> Self {
        let [gap_s, send_overhead_s, receive_overhead_s] = plogp.tables().map(WireTable::from);
        Self {
            latency_s: plogp.latency(),
            gap_s,
            send_overhead_s,
            receive_overhead_s,
        }
    }
}
