//! The profile of the fits of a dataset.

use std::fmt::Display;

use itertools::Itertools as _;
use netsig_base::algorithm::Collective;
use netsig_base::data::{Dataset, Provenance};
use netsig_base::stats::sample::robust_deviation;
use netsig_base::text::refusal::Refusal;

use super::{Choice, Profile, ProtocolEntry, ROOTED_MEANS, VERSION};
use crate::fit::model::ModelFit;
use crate::fit::network::{self, FittedRegimes, NetworkFit, SpeakingModel};
use crate::regimes::entry::{KindError, RegimesEntry, Repetitions};
use crate::regimes::fit::{HeldOut, Kind, RegimesFit};

impl Profile {
    /// The profile of these fits, for predictions.
    pub fn of(fitted: &NetworkFit, provenance: Provenance, confidence: f64) -> Self {
        let pairs = &fitted.point_to_point;
        let regimes = fitted.regimes.iter();
        let provenance = with_rooted_means(provenance, &fitted.rooted_means);
        Self {
            version: VERSION,
            provenance,
            hockney: fitted.hockney,
            plogp: fitted.plogp.clone(),
            protocol: pairs.eager_limit.map(|limit| ProtocolEntry {
                eager_above: limit.above,
                eager_up_to: limit.up_to,
            }),
            flows: pairs.flows,
            fitted: fitted.models.clone(),
            fields: fitted.fields.clone(),
            regimes: regimes.flat_map(|own| entries(fitted, own, confidence)).collect(),
            choices: fitted.speaking.iter().map(choice).collect(),
            clusters: fitted.grid.as_ref().map(|grid| grid.clusters.clone()),
            cluster_links: fitted.grid.as_ref().map_or(Vec::new(), |grid| grid.links.clone()),
        }
    }
}

impl Profile {
    /// Fits `data` from the files `source`, and makes the profile of the fits. Its provenance also has
    /// the facts `named`.
    ///
    /// # Errors
    /// If the data do not support the fit, or it has values that no profile may have.
    pub fn fit(
        data: &Dataset,
        source: &str,
        options: &network::Options,
        named: &[(&str, String)],
    ) -> Result<(NetworkFit, Self), Refusal> {
        let fitted = network::fit(data, options).map_err(|error| Refusal::data(error).about(source))?;
        refuse_negative(&fitted, source)?;
        let mut provenance = Provenance::default();
        provenance.push("fitted_by", concat!("netsig ", env!("CARGO_PKG_VERSION")));
        provenance.push("data", source);
        for (key, name) in named {
            provenance.push(key, name);
        }
        let mut profile = Self::of(&fitted, provenance, options.model.confidence);
        profile.add_facts(&data.provenance);
        if options.wanted.is_regimes_alone() {
            profile.choices.clear();
        }
        profile.refuse_unreadable(source)?;
        Ok((fitted, profile))
    }
}

impl Profile {
    /// Refuses a profile of the data `source` that could not be read again.
    ///
    /// # Errors
    /// Names the value that no profile may have.
    pub fn refuse_unreadable(&self, source: &str) -> Result<(), Refusal> {
        let refused = |problem: &dyn Display| {
            let problem = problem.to_string().lines().join(" ");
            let what = "gives values that no profile may have";
            let remedy = "check the sizes and times of the data, or measure again";
            Refusal::data(format!("{source}: the fit {what} ({problem}); {remedy}"))
        };
        let text = toml::to_string(self).map_err(|error| refused(&error))?;
        let read: Self = toml::from_str(&text).map_err(|error| refused(&error.message()))?;
        read.check().map_err(|problem| refused(&problem))
    }
}

/// The provenance, with the collectives with a root whose cells a mean over the ranks represents, if there are any.
fn with_rooted_means(mut provenance: Provenance, collectives: &[Collective]) -> Provenance {
    if !collectives.is_empty() {
        provenance.push(ROOTED_MEANS, collectives.iter().join(","));
    }
    provenance
}

/// Refuses a signature that gives negative times before it is written: no profile with it can be
/// read.
fn refuse_negative(fitted: &NetworkFit, source: &str) -> Result<(), Refusal> {
    for ModelFit { model, .. } in &fitted.signatures {
        let gammas = ["gamma", "gamma_below"].map(|name| model.value(name));
        if let Some(gamma) = gammas.into_iter().flatten().find(|gamma| *gamma < 0.0) {
            return Err(Refusal::data(format!(
                "{source}: alltoall {}: gamma = {gamma:.4} is negative, so the times do not grow with the size; check them or measure again",
                model.algorithm
            )));
        }
    }
    Ok(())
}

/// Errors of the regimes of a collective on data left out of the fit. They cover all algorithms,
/// since one algorithm has too few cells of a kind.
fn errors_of(fitted: &NetworkFit, collective: Collective) -> Vec<KindError> {
    let same = fitted.regimes.iter().filter(|other| other.collective == collective);
    let held_out = same.flat_map(|other| other.fit.held_out.iter().copied());
    kind_errors(&held_out.collect::<Vec<_>>())
}

/// One entry for each class of process counts that has cells.
fn entries(fitted: &NetworkFit, own: &FittedRegimes, confidence: f64) -> impl Iterator<Item = RegimesEntry> {
    let errors = errors_of(fitted, own.collective);
    let mut fields = fitted.fields.iter();
    let stalls_beyond_bytes = fields.find_map(|field| field.stalls_beyond_bytes);
    own.fit.fits.iter().filter_map(move |fit: &RegimesFit| {
        Some(RegimesEntry {
            collective: own.collective,
            algorithm: own.algorithm.clone(),
            class: fit.class,
            confidence,
            model: fit.model.clone(),
            columns: fit.columns.clone(),
            covariance: fit.covariance.clone(),
            errors: errors.clone(),
            domain: fit.domain()?,
            stalls_beyond_bytes,
            repetitions: repetitions(fit),
        })
    })
}

fn repetitions(fit: &RegimesFit) -> Repetitions {
    if fit.cells.iter().all(|cell| cell.averaged.is_some()) {
        Repetitions::Unknown
    } else {
        Repetitions::Known
    }
}

fn choice(own: &SpeakingModel) -> Choice {
    Choice {
        collective: own.collective,
        algorithm: own.algorithm.clone(),
        model: own.sufficient.model.name.to_owned(),
        reason: own.sufficient.reason.clone(),
        error: own.sufficient.error,
    }
}

/// Least number of cells of a kind for an estimate of the error.
const LEAST_CELLS: usize = 3;

fn kind_errors(held_out: &[HeldOut]) -> Vec<KindError> {
    let kinds = [Kind::Startup, Kind::Eager, Kind::Rendezvous, Kind::Stalling];
    let error = |kind: Kind| {
        let own = held_out.iter().filter(|held| held.kind == kind);
        let away: Vec<f64> = own.map(|held| held.error).collect();
        (away.len() >= LEAST_CELLS).then(|| KindError {
            kind,
            cells: away.len(),
            deviation: robust_deviation(away),
        })
    };
    kinds.into_iter().filter_map(error).collect()
}
