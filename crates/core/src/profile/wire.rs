//! The profile as it stands in its file.

use std::collections::BTreeMap;

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use super::{Domain, HockneyEntry, Profile, SignatureEntry, VERSION};
use crate::dataset::Provenance;
use crate::file_error::{FileError, parse_toml};
use crate::fit::Estimate;
use crate::fit::saturation::Saturation;
use crate::fit::signature::{Parameter, Residuals, ThresholdEstimate};
use crate::model::Threshold;
use crate::model::hockney::Hockney;
use crate::model::signature::Signature;
use crate::units::{Bytes, Procs, Seconds, SecondsPerByte};

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
    #[serde(default, rename = "signature")]
    signatures: Vec<WireSignature>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireHockney {
    alpha_s: Estimate,
    beta_s_per_byte: Estimate,
    residual: f64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireSignature {
    collective: String,
    algorithm: String,
    form: String,
    confidence: f64,
    errors: String,
    dof: usize,
    /// The first process count with a steady γ; 0 where γ still changes; absent where unknown.
    saturated_from_procs: Option<u32>,
    threshold_bytes: Option<ThresholdEstimate>,
    gamma: Estimate,
    gamma_below: Option<Estimate>,
    delta_s: Option<Estimate>,
    covariance_of: Vec<Parameter>,
    covariance: Vec<Vec<f64>>,
    relative_residual: Residuals,
    domain: WireDomain,
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
            signatures: signatures.collect::<Result<_, _>>()?,
        })
    }
}

impl WireHockney {
    fn into_domain(self) -> Result<HockneyEntry, String> {
        let (alpha, beta) = (self.alpha_s, self.beta_s_per_byte);
        let model = Hockney::new(Seconds(alpha.value), SecondsPerByte(beta.value));
        let model = model.map_err(|error| format!("[hockney] {error}; fit again"))?;
        Ok(HockneyEntry {
            model,
            alpha,
            beta,
            residual: self.residual,
        })
    }
}

impl WireSignature {
    /// What no formula of a prediction can work with.
    fn refuse_impossible(&self) -> Result<(), String> {
        if !(self.confidence > 0.0 && self.confidence < 1.0) {
            return Err(format!(
                "confidence = {} is not between 0 and 1",
                self.confidence
            ));
        }
        if self.dof == 0 {
            return Err("dof = 0 leaves no interval".to_owned());
        }
        let Residuals { below, above } = self.relative_residual;
        if [below, above].iter().any(|r| !(r.is_finite() && *r >= 0.0)) {
            return Err(format!(
                "the relative residuals {below} and {above} are not possible"
            ));
        }
        if !self
            .covariance
            .iter()
            .flatten()
            .all(|value| value.is_finite())
        {
            return Err("the covariance is not finite".to_owned());
        }
        Ok(())
    }

    fn into_domain(self, base: Hockney) -> Result<SignatureEntry, String> {
        let wrong = |what: String| format!("signature of {:?}: {what}; fit again", self.algorithm);
        let signature = Signature {
            base,
            form: self.form.parse().map_err(wrong)?,
            gamma: self.gamma.value,
            gamma_below: self.gamma_below.map(|g| g.value),
            delta: Seconds(self.delta_s.map_or(0.0, |d| d.value)),
            threshold: self.threshold_bytes.map(|m| Threshold::From(m.value)),
        };
        let signature = signature
            .checked()
            .map_err(|error| wrong(error.to_string()))?;
        self.refuse_impossible().map_err(wrong)?;
        let size = self.covariance_of.len();
        if self.covariance.len() != size || self.covariance.iter().any(|row| row.len() != size) {
            return Err(wrong(format!("the covariance is not {size} by {size}")));
        }
        let estimate = |parameter: Parameter| {
            let found = match parameter {
                Parameter::Gamma => Some(self.gamma),
                Parameter::GammaBelow => self.gamma_below,
                Parameter::Delta => self.delta_s,
            };
            found
                .map(|estimate| (parameter, estimate))
                .ok_or_else(|| wrong(format!("{parameter:?} has no value")))
        };
        let parameters = self
            .covariance_of
            .iter()
            .copied()
            .map(estimate)
            .collect::<Result<_, _>>()?;
        let collective = self
            .collective
            .parse()
            .map_err(|e: crate::collective::UnknownAlgorithm| wrong(e.to_string()))?;
        if self.domain.procs.is_empty() {
            return Err(wrong("its domain names no process count".to_owned()));
        }
        Ok(SignatureEntry {
            collective,
            signature,
            confidence: self.confidence,
            errors: self.errors,
            parameters,
            covariance: DMatrix::from_fn(size, size, |i, j| self.covariance[i][j]),
            dof: self.dof,
            threshold: self.threshold_bytes,
            residuals: self.relative_residual,
            saturation: match self.saturated_from_procs {
                None => Saturation::Unverified,
                Some(count) => Procs::new(count).map_or(Saturation::NotReached, Saturation::From),
            },
            domain: Domain {
                procs: self.domain.procs,
                smallest: self.domain.smallest_bytes,
                largest: self.domain.largest_bytes,
            },
            algorithm: self.algorithm,
        })
    }
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
            hockney: WireHockney {
                alpha_s: profile.hockney.alpha,
                beta_s_per_byte: profile.hockney.beta,
                residual: profile.hockney.residual,
            },
            signatures: profile.signatures.iter().map(WireSignature::from).collect(),
        }
    }
}

impl From<&SignatureEntry> for WireSignature {
    fn from(entry: &SignatureEntry) -> Self {
        let rows = entry
            .covariance
            .row_iter()
            .map(|row| row.iter().copied().collect());
        Self {
            collective: entry.collective.to_string(),
            algorithm: entry.algorithm.clone(),
            form: entry.signature.form.to_string(),
            confidence: entry.confidence,
            errors: entry.errors.clone(),
            dof: entry.dof,
            saturated_from_procs: match entry.saturation {
                Saturation::From(procs) => Some(procs.get()),
                Saturation::NotReached => Some(0),
                Saturation::Unverified => None,
            },
            threshold_bytes: entry.threshold,
            gamma: entry
                .parameter(Parameter::Gamma)
                .expect("every signature has a gamma"),
            gamma_below: entry.parameter(Parameter::GammaBelow),
            delta_s: entry.parameter(Parameter::Delta),
            covariance_of: entry
                .parameters
                .iter()
                .map(|(parameter, _)| *parameter)
                .collect(),
            covariance: rows.collect(),
            relative_residual: entry.residuals,
            domain: WireDomain {
                procs: entry.domain.procs.clone(),
                smallest_bytes: entry.domain.smallest,
                largest_bytes: entry.domain.largest,
            },
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
"#;

    fn problem(text: &str) -> String {
        parse("p.toml", text).unwrap_err().to_string()
    }

    #[test]
    fn what_is_written_reads_back() {
        let profile = parse("p.toml", TEXT).unwrap();
        assert_eq!(profile.signatures[0].saturation, Saturation::Unverified);
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
            &TEXT.replace("alltoall", "bcast"),
            &TEXT.replace("[4, 8]", "[]"),
            &TEXT.replace("form = \"full\"", "form = \"fool\""),
            &TEXT.replace("confidence", "confidenze"),
            &TEXT.replace("confidence = 0.95", "confidence = 1.5"),
            &TEXT.replace("dof = 20", "dof = 0"),
            &TEXT.replace("below = 0.1", "below = nan"),
            &TEXT.replace("[[0.01,", "[[inf,"),
        ] {
            let problem = problem(bad);
            assert!(
                problem.starts_with("p.toml:") && problem.lines().count() == 1,
                "{problem}"
            );
        }
    }
}
