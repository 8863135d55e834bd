//! Fitted regimes, and which model was chosen, as they stand in a profile.

mod protocol;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use self::protocol::WireProtocolRegime;
use super::network::WireRow;
use super::{REMEDY, WireDomain, matrix, refuse_impossible, refuse_repeated, rows};
use crate::algorithm::Collective;
use crate::fit::regimes::{Column, Kind};
use crate::model::regimes::{Class, Pattern, Regime, Regimes, Wire};
use crate::profile::{Choice, Domain, KindError, RegimesEntry};
use crate::registry;
use crate::units::parameter::non_negative;
use crate::units::{Bytes, Seconds, SecondsPerByte};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WireRegimes {
    collective: String,
    algorithm: String,
    #[serde(with = "WireClass")]
    procs_class: Class,
    confidence: f64,
    /// The first size that is not sent at once; absent where none was seen.
    eager_limit_bytes: Option<Bytes>,
    latency_s: Seconds,
    startup_s: Seconds,
    /// V(w), beyond 0 bytes.
    wire_s: Vec<WireRow<Seconds>>,
    beta_s_per_byte: SecondsPerByte,
    #[serde(with = "names")]
    covariance_of: Vec<Column>,
    covariance: Vec<Vec<f64>>,
    eager: Option<WireProtocolRegime>,
    rendezvous: Option<WireProtocolRegime>,
    errors: Vec<WireError>,
    domain: WireDomain,
}

/// The names of [`Class`].
#[derive(Serialize, Deserialize)]
#[serde(remote = "Class")]
enum WireClass {
    #[serde(rename = "every")]
    Every,
    #[serde(rename = "powers-of-two")]
    Power,
    #[serde(rename = "others")]
    Other,
}

/// The names of [`Kind`].
#[derive(Serialize, Deserialize)]
#[serde(remote = "Kind", rename_all = "lowercase")]
enum WireKind {
    Startup,
    Eager,
    Rendezvous,
    Stalling,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireError {
    #[serde(with = "WireKind")]
    kind: Kind,
    deviation: f64,
    cells: usize,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WireChoice {
    collective: String,
    algorithm: String,
    model: String,
    reason: String,
}

/// The names of what was estimated.
mod names {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{Column, Regime};

    const NAMES: [(Column, &str); 9] = [
        (Column::Latency, "latency_s"),
        (Column::Startup, "startup_s"),
        (Column::Gamma(Regime::Eager), "eager.gamma"),
        (Column::Growth(Regime::Eager), "eager.growth"),
        (Column::Overlap(Regime::Eager), "eager.overlap"),
        (Column::Slowdown, "eager.slowdown"),
        (Column::Gamma(Regime::Rendezvous), "rendezvous.gamma"),
        (Column::Growth(Regime::Rendezvous), "rendezvous.growth"),
        (Column::Overlap(Regime::Rendezvous), "rendezvous.overlap"),
    ];

    pub(super) fn serialize<S: Serializer>(all: &[Column], to: S) -> Result<S::Ok, S::Error> {
        let name = |column: &Column| NAMES.iter().find(|(own, _)| own == column).map(|own| own.1);
        let names: Vec<&str> = all.iter().filter_map(name).collect();
        names.serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Column>, D::Error> {
        let column = |name: String| {
            let found = NAMES.iter().find(|(_, own)| *own == name);
            found.map(|(column, _)| *column).ok_or_else(|| {
                let known: Vec<&str> = NAMES.iter().map(|(_, name)| *name).collect();
                D::Error::custom(format!("{name:?} is none of {}", known.join(", ")))
            })
        };
        let names = Vec::<String>::deserialize(from)?;
        names.into_iter().map(column).collect()
    }
}

impl WireRegimes {
    pub(super) fn into_domain(self) -> Result<RegimesEntry, String> {
        let who = format!("[[regimes]] of {:?}", self.algorithm);
        self.checked()
            .map_err(|what| format!("{who}: {what}; {REMEDY}"))
    }

    fn checked(self) -> Result<RegimesEntry, String> {
        let (collective, pattern) = pattern(&self.collective, &self.algorithm)?;
        // Their degrees of freedom are the cells of the errors.
        refuse_impossible(self.confidence, 1, &self.covariance)?;
        refuse_repeated(&self.covariance_of)?;
        non_negative("latency_s", self.latency_s.0).map_err(|e| e.to_string())?;
        non_negative("startup_s", self.startup_s.0).map_err(|e| e.to_string())?;
        let protocol = |own: Option<WireProtocolRegime>, name: &str| {
            own.map(|own| own.into_domain(name)).transpose()
        };
        let model = Regimes {
            pattern,
            wire: wire(&self.wire_s, self.beta_s_per_byte)?,
            latency: self.latency_s,
            startup: self.startup_s,
            eager: protocol(self.eager, "eager")?,
            rendezvous: protocol(self.rendezvous, "rendezvous")?,
            eager_limit: self.eager_limit_bytes,
        };
        refuse_unknown(&model, &self.covariance_of)?;
        let domain = self.domain.into_domain()?;
        refuse_misplaced(pattern, self.procs_class, &domain)?;
        Ok(RegimesEntry {
            collective,
            algorithm: self.algorithm,
            class: self.procs_class,
            model,
            covariance: matrix(self.covariance_of.len(), &self.covariance)?,
            columns: self.covariance_of,
            errors: errors(&self.errors)?,
            confidence: self.confidence,
            domain,
        })
    }
}

fn collective(name: &str) -> Result<Collective, String> {
    name.parse()
        .map_err(|e: crate::algorithm::UnknownAlgorithm| e.to_string())
}

fn pattern(of: &str, algorithm: &str) -> Result<(Collective, Pattern), String> {
    let collective = collective(of)?;
    let pattern = Pattern::of(collective, algorithm);
    pattern
        .map(|pattern| (collective, pattern))
        .ok_or_else(|| format!("{collective} {algorithm} has no regimes"))
}

/// V(w), which ascends from 0 bytes and 0 s.
fn wire(rows: &[WireRow<Seconds>], beta: SecondsPerByte) -> Result<Wire, String> {
    let mut times = vec![(Bytes(0), Seconds(0.0))];
    times.extend(rows.iter().map(|WireRow(size, time)| (*size, *time)));
    for pair in times.windows(2) {
        let [(lower, from), (upper, to)] = [pair[0], pair[1]];
        if lower.as_f64() >= upper.as_f64() || from.0 > to.0 {
            let row = format!("[{}, {}]", upper.0, to.0);
            return Err(format!("wire_s: {row} is not above the row before it"));
        }
    }
    let named = |error: crate::units::parameter::ParameterError| {
        format!("wire_s, beta_s_per_byte: {error}")
    };
    Wire::new(&times, beta).map_err(named)
}

/// No protocol at all, or an estimate of one that is not there.
fn refuse_unknown(model: &Regimes, columns: &[Column]) -> Result<(), String> {
    if model.eager.is_none() && model.rendezvous.is_none() {
        return Err("neither eager nor rendezvous is there".to_owned());
    }
    for column in columns {
        let regime = match column {
            Column::Latency | Column::Startup => continue,
            Column::Slowdown => Regime::Eager,
            Column::Gamma(regime) | Column::Growth(regime) | Column::Overlap(regime) => *regime,
        };
        if model.protocol(regime).is_none() {
            return Err(format!(
                "covariance_of names {regime:?}, which is not there"
            ));
        }
    }
    Ok(())
}

/// Process counts that the entry is not for.
fn refuse_misplaced(pattern: Pattern, class: Class, domain: &Domain) -> Result<(), String> {
    let mut counts = domain.procs.iter();
    match counts.find(|procs| pattern.class(**procs) != class) {
        Some(procs) => Err(format!("domain.procs: {procs} is not of the procs_class")),
        None => Ok(()),
    }
}

fn errors(all: &[WireError]) -> Result<Vec<KindError>, String> {
    let kinds: Vec<Kind> = all.iter().map(|error| error.kind).collect();
    if let Some(place) = (1..kinds.len()).find(|&place| kinds[..place].contains(&kinds[place])) {
        return Err(format!("errors has {:?} twice", kinds[place]));
    }
    let checked = |error: &WireError| {
        non_negative("errors.deviation", error.deviation).map_err(|e| e.to_string())?;
        if error.cells == 0 {
            return Err("errors.cells = 0 tells nothing".to_owned());
        }
        Ok(KindError {
            kind: error.kind,
            deviation: error.deviation,
            cells: error.cells,
        })
    };
    all.iter().map(checked).collect()
}

impl WireChoice {
    pub(super) fn into_domain(self) -> Result<Choice, String> {
        let wrong = |what: String| format!("[[choice]] of {:?}: {what}; {REMEDY}", self.algorithm);
        let collective = collective(&self.collective).map_err(wrong)?;
        registry::find(collective, &self.model).map_err(|e| wrong(e.to_string()))?;
        Ok(Choice {
            collective,
            algorithm: self.algorithm,
            model: self.model,
            reason: self.reason,
        })
    }
}

impl From<&RegimesEntry> for WireRegimes {
    fn from(entry: &RegimesEntry) -> Self {
        let model = &entry.model;
        let error = |error: &KindError| WireError {
            kind: error.kind,
            deviation: error.deviation,
            cells: error.cells,
        };
        Self {
            collective: entry.collective.to_string(),
            algorithm: entry.algorithm.clone(),
            procs_class: entry.class,
            confidence: entry.confidence,
            eager_limit_bytes: model.eager_limit,
            latency_s: model.latency,
            startup_s: model.startup,
            wire_s: model.wire.points().map(|(w, v)| WireRow(w, v)).collect(),
            beta_s_per_byte: model.wire.beta(),
            covariance_of: entry.columns.clone(),
            covariance: rows(&entry.covariance),
            eager: model.eager.as_ref().map(WireProtocolRegime::from),
            rendezvous: model.rendezvous.as_ref().map(WireProtocolRegime::from),
            errors: entry.errors.iter().map(error).collect(),
            domain: WireDomain::from(&entry.domain),
        }
    }
}

impl From<&Choice> for WireChoice {
    fn from(choice: &Choice) -> Self {
        Self {
            collective: choice.collective.to_string(),
            algorithm: choice.algorithm.clone(),
            model: choice.model.clone(),
            reason: choice.reason.clone(),
        }
    }
}
