//! The profile of the fits of a dataset.

use std::fmt::Display;

use itertools::Itertools as _;
use netsig_base::algorithm::Collective;
use netsig_base::data::{Dataset, Provenance};
use netsig_base::stats::sample::robust_deviation;
use netsig_base::text::refusal::Refusal;
use netsig_base::units::three_digits;

use super::{ChosenModelEntry, Profile, ProtocolEntry, ROOTED_MEANS, SUBSTITUTE_PROCS, VERSION};
use crate::fit::model::ModelFit;
use crate::fit::network::{self, ChosenModel, FittedRegimes, NetworkFit};
use crate::regimes::entry::{CellKindError, RegimesEntry, RepetitionAvailability};
use crate::regimes::fit::{CellKind, LeftOutCell, RegimesFit};

impl Profile {
    /// The profile of these fits, for predictions.
    pub fn of(fitted: &NetworkFit, provenance: Provenance, confidence: f64) -> Self {
        let point_to_point = &fitted.point_to_point;
        let regimes = fitted.regimes.iter();
        let mut provenance = with_rooted_means(provenance, &fitted.rooted_means);
        if let Some(procs) = fitted.substitute_procs {
            provenance.push(SUBSTITUTE_PROCS, procs.to_string());
        }
        Self {
            version: VERSION,
            provenance,
            hockney: fitted.hockney,
            plogp: fitted.plogp.clone(),
            protocol: point_to_point.eager_limit.map(|limit| ProtocolEntry {
                eager_above: limit.above,
                eager_up_to: limit.up_to,
            }),
            flows: point_to_point.flows,
            operations: fitted.operations.clone(),
            fitted: fitted.models.clone(),
            fields: fitted.fields.clone(),
            regimes: regimes
                .flat_map(|fitted_regimes| regimes_entries(fitted, fitted_regimes, confidence))
                .collect(),
            choices: fitted.chosen_models.iter().map(chosen_model_entry).collect(),
            clusters: fitted.grid.as_ref().map(|grid| grid.clusters.clone()),
            cluster_links: fitted.grid.as_ref().map_or(Vec::new(), |grid| grid.links.clone()),
        }
    }
}

impl Profile {
    /// Fits `data` from the files `source`, and makes the profile of the fits. The facts `named` are added to its
    /// provenance.
    ///
    /// # Errors
    /// If the data do not support the fit, or the fit has values that no profile may have.
    pub fn fit(
        data: &Dataset,
        source: &str,
        options: &network::NetworkFitOptions,
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
        if options.models_to_fit.is_regimes_alone() {
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
    /// If it has a value that no profile may have.
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

/// Adds the collectives with a root that have cells whose times are means over the ranks.
fn with_rooted_means(mut provenance: Provenance, collectives: &[Collective]) -> Provenance {
    if !collectives.is_empty() {
        provenance.push(ROOTED_MEANS, collectives.iter().join(","));
    }
    provenance
}

/// Refuses a signature that gives negative times: no profile with it could be read.
fn refuse_negative(fitted: &NetworkFit, source: &str) -> Result<(), Refusal> {
    for ModelFit { model, .. } in &fitted.signatures {
        let gammas = ["gamma", "gamma_below"].map(|name| model.value(name));
        if let Some(gamma) = gammas.into_iter().flatten().find(|gamma| *gamma < 0.0) {
            return Err(Refusal::data(format!(
                "{source}: alltoall {}: gamma = {} is negative, so the times do not grow with the size; check them or measure again",
                model.algorithm,
                three_digits(gamma)
            )));
        }
    }
    Ok(())
}

/// Errors of the regimes of a collective on data left out of the fit. They cover all algorithms,
/// since one algorithm has too few cells of a kind.
fn errors_of(fitted: &NetworkFit, collective: Collective) -> Vec<CellKindError> {
    let same = fitted.regimes.iter().filter(|other| other.collective == collective);
    let left_out = same.flat_map(|other| other.fit.left_out_cells.iter().copied());
    kind_errors(&left_out.collect::<Vec<_>>())
}

/// One entry for each class of process counts that has cells.
fn regimes_entries(
    fitted: &NetworkFit,
    fitted_regimes: &FittedRegimes,
    confidence: f64,
) -> impl Iterator<Item = RegimesEntry> {
    let errors = errors_of(fitted, fitted_regimes.collective);
    let mut fields = fitted.fields.iter();
    let stalls_beyond_bytes = fields.find_map(|field| field.stalls_beyond_bytes);
    fitted_regimes.fit.fits.iter().filter_map(move |fit: &RegimesFit| {
        Some(RegimesEntry {
            collective: fitted_regimes.collective,
            algorithm: fitted_regimes.algorithm.clone(),
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

fn repetitions(fit: &RegimesFit) -> RepetitionAvailability {
    if fit.cells.iter().all(|cell| cell.averaged.is_some()) {
        RepetitionAvailability::Unknown
    } else {
        RepetitionAvailability::Known
    }
}

fn chosen_model_entry(chosen_model: &ChosenModel) -> ChosenModelEntry {
    ChosenModelEntry {
        collective: chosen_model.collective,
        algorithm: chosen_model.algorithm.clone(),
        model: chosen_model.sufficient.model.name.to_owned(),
        reason: chosen_model.sufficient.reason.clone(),
        error: chosen_model.sufficient.error,
    }
}

/// Least number of cells of a kind for an estimate of the error.
const LEAST_CELLS: usize = 3;

fn kind_errors(left_out: &[LeftOutCell]) -> Vec<CellKindError> {
    let kinds = [
        CellKind::Startup,
        CellKind::Eager,
        CellKind::Rendezvous,
        CellKind::Stalling,
    ];
    let error = |kind: CellKind| {
        let of_kind = left_out.iter().filter(|cell| cell.kind == kind);
        let errors: Vec<f64> = of_kind.map(|cell| cell.error).collect();
        (errors.len() >= LEAST_CELLS).then(|| CellKindError {
            kind,
            cells: errors.len(),
            deviation: robust_deviation(errors),
        })
    };
    kinds.into_iter().filter_map(error).collect()
}
