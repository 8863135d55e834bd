//! The profile as it stands in its file.

mod model;
mod network;
mod signature;

use std::collections::BTreeMap;

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use self::model::WireModel;
use self::network::{WireHockney, WirePLogP};
use self::signature::WireSignature;
use super::{Domain, Profile, VERSION};
use crate::dataset::Provenance;
use crate::file_error::{FileError, parse_toml};
use crate::units::{Bytes, Procs};

#[derive(Deserialize)]
struct Versioned {
    netsig_profile: toml::Spanned<u32>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireProfile {
    netsig_profile: u32,
    #[serde(default)]
    provenance: BTreeMap<String, String>,
    hockney: WireHockney,
    plogp: Option<WirePLogP>,
    #[serde(default, rename = "signature")]
    signatures: Vec<WireSignature>,
    #[serde(default, rename = "model")]
    models: Vec<WireModel>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireDomain {
    procs: Vec<Procs>,
    smallest_bytes: Bytes,
    largest_bytes: Bytes,
}

const HINT: &str = "a profile is what `netsig fit` writes";

pub(super) fn parse(name: &str, text: &str) -> Result<Profile, FileError> {
    let version = parse_toml::<Versioned>(name, text, HINT)?.netsig_profile;
    if version.get_ref() > &VERSION {
        let problem = format!(
            "profile version {} is newer than {VERSION}, the newest this netsig reads; update netsig or fit again",
            version.get_ref()
        );
        return Err(FileError::at_offset(
            name,
            text,
            version.span().start,
            problem,
        ));
    }
    let wire: WireProfile = parse_toml(name, text, HINT)?;
    wire.into_domain()
        .map_err(|problem| FileError::at_line(name, 1, problem))
}

pub(super) fn to_toml(profile: &Profile) -> String {
    toml::to_string(&WireProfile::from(profile)).expect("a profile has a TOML form")
}

impl WireProfile {
    fn into_domain(self) -> Result<Profile, String> {
        let mut provenance = Provenance::default();
        for (key, value) in &self.provenance {
            provenance.push(key, value);
        }
        let hockney = self.hockney.into_domain()?;
        let signatures = self
            .signatures
            .into_iter()
            .map(|s| s.into_domain(hockney.model));
        Ok(Profile {
            provenance,
            hockney,
            plogp: self.plogp.map(WirePLogP::into_domain).transpose()?,
            signatures: signatures.collect::<Result<_, _>>()?,
            models: self
                .models
                .into_iter()
                .map(WireModel::into_domain)
                .collect::<Result<_, _>>()?,
        })
    }
}

impl WireDomain {
    fn into_domain(self) -> Result<Domain, String> {
        if self.procs.is_empty() {
            return Err("its domain names no process count".to_owned());
        }
        Ok(Domain {
            procs: self.procs,
            smallest: self.smallest_bytes,
            largest: self.largest_bytes,
        })
    }
}

impl From<&Domain> for WireDomain {
    fn from(domain: &Domain) -> Self {
        Self {
            procs: domain.procs.clone(),
            smallest_bytes: domain.smallest,
            largest_bytes: domain.largest,
        }
    }
}

/// What no formula of a prediction can work with.
fn refuse_impossible(confidence: f64, dof: usize, covariance: &[Vec<f64>]) -> Result<(), String> {
    if !(confidence > 0.0 && confidence < 1.0) {
        return Err(format!("confidence = {confidence} is not between 0 and 1"));
    }
    if dof == 0 {
        return Err("dof = 0 leaves no interval".to_owned());
    }
    if !covariance.iter().flatten().all(|value| value.is_finite()) {
        return Err("the covariance is not finite".to_owned());
    }
    Ok(())
}

/// The square matrix of so many rows.
fn matrix(size: usize, rows: &[Vec<f64>]) -> Result<DMatrix<f64>, String> {
    if rows.len() != size || rows.iter().any(|row| row.len() != size) {
        return Err(format!("the covariance is not {size} by {size}"));
    }
    Ok(DMatrix::from_fn(size, size, |i, j| rows[i][j]))
}

fn rows(matrix: &DMatrix<f64>) -> Vec<Vec<f64>> {
    let row = |row: nalgebra::RowDVector<f64>| row.iter().copied().collect();
    (0..matrix.nrows())
        .map(|i| row(matrix.row(i).into_owned()))
        .collect()
}

impl From<&Profile> for WireProfile {
    fn from(profile: &Profile) -> Self {
        let facts = profile
            .provenance
            .iter()
            .map(|(k, v)| (k.to_owned(), v.to_owned()));
        Self {
            netsig_profile: VERSION,
            provenance: facts.collect(),
            hockney: WireHockney::from(&profile.hockney),
            plogp: profile.plogp.as_ref().map(WirePLogP::from),
            signatures: profile.signatures.iter().map(WireSignature::from).collect(),
            models: profile.models.iter().map(WireModel::from).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
netsig_profile = 1
[provenance]
data = "a.csv"
[hockney]
alpha_s = { value = 1e-4, lower = 0.9e-4, upper = 1.1e-4 }
beta_s_per_byte = { value = 2e-7, lower = 1.9e-7, upper = 2.1e-7 }
residual = 0.02
[[signature]]
collective = "alltoall"
algorithm = "direct"
form = "full"
confidence = 0.95
errors = "means"
dof = 20
threshold_bytes = { value = 65536, lower = 32768, upper = 65536 }
gamma = { value = 1.8, lower = 1.7, upper = 1.9 }
delta_s = { value = 2e-3, lower = 1e-3, upper = 3e-3 }
covariance_of = ["gamma", "delta"]
covariance = [[0.01, 0.0], [0.0, 1e-7]]
relative_residual = { below = 0.1, above = 0.05 }
domain = { procs = [4, 8], smallest_bytes = 256, largest_bytes = 262144 }
[plogp]
latency_s = 5e-5
gap_s = [[0, 1e-5], [1024, 2e-5]]
send_overhead_s = [[0, 1e-6]]
receive_overhead_s = [[0, 0]]
[[model]]
collective = "alltoall"
algorithm = "direct"
name = "factor_001"
confidence = 0.95
errors = "proportional"
dof = 20
relative_residual = 0.1
covariance_of = ["gamma"]
covariance = [[0.25]]
parameters = { gamma = { value = 0.5, lower = 0.4, upper = 0.6 }, threshold_bytes = inf }
domain = { procs = [4, 8], smallest_bytes = 256, largest_bytes = 262144 }
"#;

    fn problem(text: &str) -> String {
        parse("p.toml", text).unwrap_err().to_string()
    }

    #[test]
    fn what_is_written_reads_back() {
        let profile = parse("p.toml", TEXT).unwrap();
        assert_eq!(profile.models[0].values.numbers, [0.5, 0.0, f64::INFINITY]);
        assert_eq!(parse("p.toml", &to_toml(&profile)).unwrap(), profile);
    }

    #[test]
    fn a_newer_version_is_refused_before_anything_else_is_read() {
        let newer = TEXT.replace("netsig_profile = 1", "netsig_profile = 2\nfuture = 1");
        assert!(problem(&newer).starts_with("p.toml:2: profile version 2 is newer than 1"));
    }

    #[test]
    fn what_is_no_profile_is_one_line() {
        for bad in [
            "x = 1",
            "netsig_profile = [",
            &TEXT.replace("1.8", "nan"),
            &TEXT.replace("[0.01, 0.0], ", ""),
            &TEXT.replace("value = 1e-4", "value = -1.0"),
            &TEXT.replace("alltoall", "reduce"),
            &TEXT.replace("factor_001", "factor_002"),
            &TEXT.replace("[1024, 2e-5]", "[0, 2e-5]"),
            &TEXT.replace("latency_s = 5e-5", "latency_s = nan"),
            &TEXT.replace("gamma = { value = 0.5", "gemma = { value = 0.5"),
            &TEXT.replace("[4, 8]", "[]"),
            &TEXT.replace("form = \"full\"", "form = \"fool\""),
            &TEXT.replace("confidence", "confidenze"),
            &TEXT.replace("confidence = 0.95", "confidence = 1.5"),
            &TEXT.replace("dof = 20", "dof = 0"),
            &TEXT.replace("below = 0.1", "below = nan"),
            &TEXT.replace("[[0.01,", "[[inf,"),
            &TEXT
                .replace("[\"gamma\", \"delta\"]", "[\"delta\"]")
                .replace("[[0.01, 0.0], [0.0, 1e-7]]", "[[1e-7]]"),
        ] {
            let problem = problem(bad);
            assert!(
                problem.starts_with("p.toml:") && problem.lines().count() == 1,
                "{problem}"
            );
        }
    }
}
