//! Fits for Python.

use netsig_base::data::cells::Statistic;
use netsig_base::text::refusal::Refusal;
use netsig_model::fit::model::{ModelFitOptions, UnsaturatedRule};
use netsig_model::fit::network;
use netsig_model::fit::notes::{doubts_about_tables, notes_on_failed_pairs, notes_on_fit};
use netsig_model::fit::parse_options;
use netsig_model::model::plogp::PLogP;
use netsig_model::profile;
use pyo3::prelude::*;

use crate::arguments::{SizeOrText, parsed, variant};
use crate::dataset::PyDataset;
use crate::dataset::given::GivenDataset;
use crate::error::{refused, warn};
use crate::given_profile::GivenProfile;
use crate::network::{NetworkArgument, given_network};
use crate::profile::PyProfile;

/// Arguments of [`fit`] besides the data.
struct FitArguments<'py> {
    model: &'py str,
    threshold: String,
    covariance: &'py str,
    statistic: &'py str,
    confidence: f64,
    plogp: Option<GivenProfile<'py>>,
    network: Option<NetworkArgument<'py>>,
    unsaturated: UnsaturatedRule,
}

impl FitArguments<'_> {
    /// The options of the fit of `data`, and facts for the profile's provenance.
    fn options(
        self,
        py: Python<'_>,
        data: &netsig_base::data::Dataset,
    ) -> PyResult<(network::NetworkFitOptions, Vec<(&'static str, String)>)> {
        let confidence = self.confidence.to_string();
        let threshold = self.threshold.as_str();
        let text = |text: &str| format!("{text:?}");
        let model = ModelFitOptions {
            threshold: parsed(
                py,
                "threshold",
                text(threshold),
                parse_options::parse_threshold(threshold),
            )?,
            unsaturated: self.unsaturated,
            confidence: parsed(
                py,
                "confidence",
                &confidence,
                parse_options::parse_confidence(&confidence),
            )?,
            ..ModelFitOptions::default()
        };
        let covariance = parse_options::parse_covariance(self.covariance);
        let statistic: Statistic = variant(py, "statistic", self.statistic)?;
        let mut named = Vec::new();
        let given_profile = self.plogp.map(GivenProfile::into_bound);
        let table_profile = given_profile.as_ref().map(Bound::get);
        named.extend(table_profile.map(|profile| ("plogp", profile.name.clone())));
        let plogp = table_profile.map(|profile| given_tables(py, profile)).transpose()?;
        let network = given_network(self.network)?;
        if let Some(network) = &network {
            named.push(("network", network.name.clone()));
            if let Some(procs) = data.largest_procs() {
                let enough = network.refuse_more_than_hosts(procs);
                enough.map_err(|error| refused(py, Refusal::request(error)))?;
            }
        }
        let options = network::NetworkFitOptions {
            model,
            covariance: parsed(py, "covariance", text(self.covariance), covariance)?,
            statistic,
            models_to_fit: parsed(py, "model", text(self.model), parse_options::parse_models(self.model))?,
            plogp,
            network,
            ..network::NetworkFitOptions::default()
        };
        Ok((options, named))
    }
}

/// The pLogP tables of a profile.
///
/// # Errors
/// If it has none.
pub fn given_tables(py: Python<'_>, profile: &PyProfile) -> PyResult<PLogP> {
    let tables = profile.profile.as_ref().clone().tables(&profile.name);
    tables.map_err(|error| refused(py, error))
}

/// Fits models to data.
///
/// Parameters
/// ----------
/// data : Dataset
///     Repetitions of a ping-pong and of collectives among several process counts.
/// model : str
///     The name of one model (see :func:`models`), or ``"auto"``: every model of an alltoall, the regimes of
///     every algorithm, and the choice of the simplest that suffices.
/// threshold : str, int or None
///     M in bytes, the size from which messages contend: a size, ``"auto"`` (search), or ``"none"``.
/// covariance : str
///     Covariance of the errors: ``"auto"``, ``"means"``, ``"proportional"``,
///     ``"bandwidth-share"``, ``"ols"`` or ``"ar1:RHO"``.
/// statistic : str
///     Statistic of the repetitions of a collective: ``"mean"`` or ``"median"``.
/// confidence : float
///     Level of intervals and tests, above 0 and below 1.
/// plogp : Profile, optional
///     A profile with the pLogP tables for models that need them. By default the tables of the data, or
///     alpha and beta in their place.
/// network : Network or str, optional
///     The links of the network, for the regimes; predictions then need the same.
/// keep_unsaturated : bool
///     Keep process counts that do not saturate the network in the fit.
///
/// Returns
/// -------
/// Profile
///
/// Raises
/// ------
/// DataError
///     If the data do not support the fit.
/// UsageError
///     If an argument cannot be used.
///
/// Warns
/// -----
/// NetsigWarning
///     For each note and warning of ``netsig fit``.
#[pyfunction]
#[pyo3(
    signature = (
        data, *, model="auto", threshold=Some(SizeOrText::Text("auto".to_owned())), covariance="auto",
        statistic="mean", confidence=0.9, plogp=None, network=None, keep_unsaturated=false
    ),
    text_signature = "(data, *, model='auto', threshold='auto', covariance='auto', statistic='mean', confidence=0.9, plogp=None, network=None, keep_unsaturated=False)"
)]
#[expect(clippy::too_many_arguments, reason = "Python's keywords")]
pub fn fit(
    py: Python<'_>,
    data: GivenDataset<'_>,
    model: &str,
    threshold: Option<SizeOrText>,
    covariance: &str,
    statistic: &str,
    confidence: f64,
    plogp: Option<GivenProfile<'_>>,
    network: Option<NetworkArgument<'_>>,
    keep_unsaturated: bool,
) -> PyResult<PyProfile> {
    let keep = keep_unsaturated;
    let arguments = FitArguments {
        model,
        threshold: threshold.map_or("none".to_owned(), |threshold| threshold.to_string()),
        covariance,
        statistic,
        confidence,
        plogp,
        network,
        unsaturated: if keep {
            UnsaturatedRule::Kept
        } else {
            UnsaturatedRule::LeftOut
        },
    };
    let dataset = data.into_bound();
    let PyDataset { data, name } = dataset.get();
    let (options, named) = arguments.options(py, data)?;
    let fitted = py.detach(|| {
        let (fitted, profile) = profile::Profile::fit(data, name, &options, &named)?;
        let mut notes = notes_on_failed_pairs(&fitted);
        notes.extend(notes_on_fit(&fitted, usize::MAX));
        notes.extend(doubts_about_tables(&fitted));
        notes.extend(profile.note_on_misses(data, options.network.as_ref()));
        Ok((notes, profile))
    });
    let (notes, profile) = fitted.map_err(|error: Refusal| refused(py, error))?;
    warn(py, &notes)?;
    Ok(PyProfile::new(profile, "profile".to_owned()))
}
