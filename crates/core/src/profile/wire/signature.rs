//! A contention signature as it stands in a profile.

use serde::{Deserialize, Serialize};

use super::{
    REMEDY, WireDomain, matrix, no_interval, refuse_below, refuse_impossible,
    refuse_impossible_interval, refuse_impossible_residual, refuse_repeated, rows,
};
use crate::fit::saturation::Saturation;
use crate::fit::signature::{Parameter, Residuals, ThresholdEstimate};
use crate::model::Threshold;
use crate::model::hockney::Hockney;
use crate::model::signature::Signature;
use crate::profile::SignatureEntry;
use crate::stats::interval::{Estimate, Student};
use crate::units::{Bytes, Procs, Seconds};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WireSignature {
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

impl WireSignature {
    /// What no formula of a prediction can work with.
    fn refuse_impossible(&self) -> Result<(), String> {
        refuse_impossible(self.confidence, self.dof, &self.covariance)?;
        let Residuals { below, above } = self.relative_residual;
        refuse_impossible_residual("relative_residual.below", below)?;
        refuse_impossible_residual("relative_residual.above", above)?;
        for (key, estimate) in [
            ("gamma", Some(self.gamma)),
            ("gamma_below", self.gamma_below),
            ("delta_s", self.delta_s),
        ] {
            if let Some(estimate) = estimate {
                refuse_impossible_interval(key, estimate)?;
                refuse_below(key, estimate.value, 0.0)?;
            }
        }
        match self.threshold_bytes {
            Some(m) if !(m.lower <= m.value && m.value <= m.upper) => {
                let numbers = [m.value, m.lower, m.upper].map(|Bytes(bytes)| bytes);
                Err(no_interval("threshold_bytes", numbers))
            }
            _ => Ok(()),
        }
    }

    /// The estimates in the order of the covariance, which must hold each that has a value.
    fn parameters(&self) -> Result<Vec<(Parameter, Estimate)>, String> {
        refuse_repeated(&self.covariance_of)?;
        let given = [
            (Parameter::Gamma, Some(self.gamma)),
            (Parameter::GammaBelow, self.gamma_below),
            (Parameter::Delta, self.delta_s),
        ];
        let is_lost = |(parameter, estimate): &&(Parameter, Option<Estimate>)| {
            estimate.is_some() && !self.covariance_of.contains(parameter)
        };
        if let Some((parameter, _)) = given.iter().find(is_lost) {
            return Err(format!("covariance_of does not name {parameter:?}"));
        }
        let estimate = |wanted: &Parameter| {
            let found = given.iter().find(|(parameter, _)| parameter == wanted);
            found
                .and_then(|(parameter, estimate)| Some((*parameter, (*estimate)?)))
                .ok_or_else(|| format!("{wanted:?} has no value"))
        };
        self.covariance_of.iter().map(estimate).collect()
    }

    pub(super) fn into_domain(self, base: Hockney) -> Result<SignatureEntry, String> {
        let wrong =
            |what: String| format!("[[signature]] of {:?}: {what}; {REMEDY}", self.algorithm);
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
        let parameters = self.parameters().map_err(wrong)?;
        let collective = self
            .collective
            .parse()
            .map_err(|e: crate::algorithm::UnknownAlgorithm| wrong(e.to_string()))?;
        Ok(SignatureEntry {
            collective,
            signature,
            student: Student::new(self.confidence, self.dof),
            errors: self.errors,
            parameters,
            covariance: matrix(self.covariance_of.len(), &self.covariance).map_err(wrong)?,
            threshold: self.threshold_bytes,
            residuals: self.relative_residual,
            saturation: match self.saturated_from_procs {
                None => Saturation::Unverified,
                Some(count) => Procs::new(count).map_or(Saturation::NotReached, Saturation::From),
            },
            domain: self.domain.into_domain().map_err(wrong)?,
            algorithm: self.algorithm,
        })
    }
}

impl From<&SignatureEntry> for WireSignature {
    fn from(entry: &SignatureEntry) -> Self {
        Self {
            collective: entry.collective.to_string(),
            algorithm: entry.algorithm.clone(),
            form: entry.signature.form.to_string(),
            confidence: entry.student.confidence(),
            errors: entry.errors.clone(),
            dof: entry.student.dof(),
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
            covariance: rows(&entry.covariance),
            relative_residual: entry.residuals,
            domain: WireDomain::from(&entry.domain),
        }
    }
}
