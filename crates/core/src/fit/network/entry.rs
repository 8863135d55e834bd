//! What a profile keeps of the fits of a dataset.

use super::{AlgorithmFit, FittedModel, FittedRegimes, NetworkFit};
use crate::algorithm::Collective;
use crate::data::Provenance;
use crate::fit::Point;
use crate::fit::regimes::{Column, HeldOut, Kind, RegimesFit};
use crate::model::plogp::PLogP;
use crate::model::regimes::Regime;
use crate::profile::{
    Base, Choice, Domain, FlowsEntry, HockneyEntry, KindError, ModelEntry, Profile, ProtocolEntry,
    RegimesEntry, SignatureEntry,
};
use crate::stats::interval::{Estimate, Student};
use crate::stats::sample::robust_deviation;
use crate::units::Bytes;

impl NetworkFit {
    /// The profile that predictions read.
    pub fn profile(&self, provenance: Provenance, confidence: f64) -> Profile {
        let pairs = &self.point_to_point;
        Profile {
            provenance,
            hockney: HockneyEntry::from(&self.hockney),
            plogp: self.plogp.clone(),
            protocol: pairs.eager_limit.as_ref().map(ProtocolEntry::from),
            flows: pairs.flows.as_ref().map(FlowsEntry::from),
            signatures: self
                .signatures
                .iter()
                .filter_map(|fitted| fitted.entry(confidence))
                .collect(),
            models: self
                .models
                .iter()
                .filter_map(|fitted| fitted.entry(confidence, self.plogp.as_ref()))
                .collect(),
            regimes: self
                .regimes
                .iter()
                .flat_map(|fitted| fitted.entries(confidence, &self.errors_of(fitted.collective)))
                .collect(),
            choices: self.regimes.iter().map(FittedRegimes::choice).collect(),
        }
    }
}

impl AlgorithmFit {
    /// What predictions need of the fit; `None` if nothing was fitted.
    fn entry(&self, confidence: f64) -> Option<SignatureEntry> {
        let fitted = |p: &&Point| !self.fit.left_out.contains(&p.procs);
        let points: Vec<Point> = self.points.iter().filter(fitted).copied().collect();
        Some(SignatureEntry {
            collective: self.collective,
            algorithm: self.algorithm.clone(),
            signature: self.fit.signature,
            student: Student::new(confidence, self.fit.dof),
            parameters: self.fit.parameters.clone(),
            covariance: self.fit.covariance.clone(),
            errors: self.covariance.to_string(),
            threshold: self.fit.threshold,
            residuals: self.fit.residuals,
            saturation: self.fit.saturation,
            domain: Domain::of(&points)?,
        })
    }
}

impl FittedModel {
    /// What predictions need of the fit; `None` if nothing was fitted.
    fn entry(&self, confidence: f64, tables: Option<&PLogP>) -> Option<ModelEntry> {
        Some(ModelEntry {
            model: self.model,
            collective: self.collective,
            algorithm: self.algorithm.clone(),
            values: self.fit.values.clone(),
            estimates: self.fit.estimates.clone(),
            covariance: self.fit.covariance.clone(),
            student: Student::new(confidence, self.fit.dof),
            residual: self.fit.residual,
            errors: self.covariance.to_string(),
            base: Base::of(self.model, tables),
            domain: Domain::of(&self.points)?,
        })
    }
}

impl NetworkFit {
    /// How far the regimes of a collective are off what was left out. One algorithm has too few
    /// cells of a kind to tell.
    fn errors_of(&self, collective: Collective) -> Vec<KindError> {
        let same = self
            .regimes
            .iter()
            .filter(|other| other.collective == collective);
        let held_out = same.flat_map(|other| other.fit.held_out.iter().copied());
        kind_errors(&held_out.collect::<Vec<_>>())
    }
}

impl FittedRegimes {
    /// What predictions need of the fit.
    fn entries(&self, confidence: f64, errors: &[KindError]) -> Vec<RegimesEntry> {
        let entry = |fit: &RegimesFit| RegimesEntry {
            collective: self.collective,
            algorithm: self.algorithm.clone(),
            class: fit.class,
            model: fit.model.clone(),
            columns: fit.columns.clone(),
            covariance: fit.covariance.clone(),
            errors: errors.to_vec(),
            confidence,
            domain: fit.domain(),
        };
        self.fit.fits.iter().map(entry).collect()
    }

    fn choice(&self) -> Choice {
        Choice {
            collective: self.collective,
            algorithm: self.algorithm.clone(),
            model: self.verdict.rung.model().to_owned(),
            reason: self.verdict.reason.clone(),
        }
    }
}

impl RegimesFit {
    /// A parameter of the regression with its interval; `None` if it was not estimated.
    pub fn estimate(&self, wanted: Column, confidence: f64) -> Option<Estimate> {
        let place = self.columns.iter().position(|column| *column == wanted)?;
        let of = |regime: Regime| self.model.protocol(regime);
        let value = match wanted {
            Column::Latency => self.model.latency.0,
            Column::Startup => self.model.startup.0,
            Column::Gamma(regime) => of(regime)?.gamma,
            Column::Growth(regime) => of(regime)?.growth,
            Column::Overlap(regime) => of(regime)?.overlap,
            Column::Slowdown => of(Regime::Eager)?.slowdown,
        };
        let dof = self.cells.len().saturating_sub(self.columns.len()).max(1);
        let deviation = self.covariance[(place, place)].max(0.0).sqrt();
        let half = Student::new(confidence, dof).quantile() * deviation;
        Some(Estimate {
            value,
            lower: value - half,
            upper: value + half,
        })
    }

    /// What was measured.
    fn domain(&self) -> Domain {
        let mut procs: Vec<_> = self.cells.iter().map(|cell| cell.procs).collect();
        procs.sort_unstable();
        procs.dedup();
        let sizes = || self.cells.iter().map(|cell| cell.size);
        Domain {
            procs,
            smallest: sizes().min().unwrap_or(Bytes(0)),
            largest: sizes().max().unwrap_or(Bytes(0)),
        }
    }
}

/// How many cells of a kind tell how far the model is off.
const LEAST_CELLS: usize = 3;

fn kind_errors(held_out: &[HeldOut]) -> Vec<KindError> {
    let kinds = [Kind::Startup, Kind::Eager, Kind::Rendezvous, Kind::Stalling];
    let error = |kind: Kind| {
        let own = held_out.iter().filter(|held| held.kind == kind);
        let away: Vec<f64> = own.map(|held| held.error).collect();
        let cells = away.len();
        (cells >= LEAST_CELLS).then(|| KindError {
            kind,
            deviation: robust_deviation(away),
            cells,
        })
    };
    kinds.into_iter().filter_map(error).collect()
}
