//! The page of a report for Python.

use netsig_base::text::refusal::Refusal;
use netsig_base::units::Procs;
use netsig_base::units::list::QuantityList;
use netsig_model::predict::answer::refuse_single;
use netsig_render::report as rendered;
use netsig_render::report::{NamedSources, ReportOptions};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::arguments::parsed;
use crate::dataset::PyDataset;
use crate::dataset::given::no_source;
use crate::error::{of_type, refused, usage, warn};
use crate::files;
use crate::given_values::GivenRepetitions;
use crate::profile::PyProfile;

/// Process counts as text, or one or several numbers.
pub enum GivenCounts {
    /// A list as text.
    Text(String),
    /// One count.
    One(u32),
    /// Counts.
    Several(Vec<u32>),
}

impl<'py> FromPyObject<'_, 'py> for GivenCounts {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(text) = object.extract() {
            return Ok(Self::Text(text));
        }
        if let Ok(count) = object.extract() {
            return Ok(Self::One(count));
        }
        let several = object.extract().map(Self::Several);
        several.map_err(|_| of_type(&object, "a list of process counts", "give such as [8, 16] or \"8..64\""))
    }
}

/// One self-contained HTML page about data and profiles: the verdict, interactive figures, tables and a predictor.
///
/// Parameters
/// ----------
/// *sources : Dataset or Profile
///     In any order. Data and profiles of one network are taken together; data without a profile are fitted.
/// path : str or os.PathLike, optional
///     The file to write, completely or not at all.
/// procs : int, list of int or str, optional
///     Process counts that the page predicts, such as ``[64, 128]`` or ``"8..64"``. By default every count up to twice
///     the measured ones, at most about 48.
/// repetitions : int, default 6000
///     Most single repetitions of a collective that the page shows; more are thinned out evenly.
///
/// Returns
/// -------
/// str
///     The page as HTML. Notes on the sources are warnings.
///
/// Raises
/// ------
/// UsageError
///     Without sources, or for process counts that are none.
/// DataError
///     If a dataset has no time, or a process count is too far from all measurements.
#[pyfunction]
#[pyo3(signature = (*sources, path=None, procs=None, repetitions=GivenRepetitions(6000)),
    text_signature = "(*sources, path=None, procs=None, repetitions=6000)")]
pub fn report(
    py: Python<'_>,
    sources: &Bound<'_, PyTuple>,
    path: Option<&Bound<'_, PyAny>>,
    procs: Option<GivenCounts>,
    repetitions: GivenRepetitions,
) -> PyResult<String> {
    if sources.is_empty() {
        return Err(usage(py, "a report needs sources; give a Dataset or a Profile"));
    }
    let options = ReportOptions {
        procs: procs.map(|counts| counts.list(py)).transpose()?,
        repetitions: repetitions.0,
    };
    let counts = options.procs.as_ref().map_or(&[][..], QuantityList::items);
    refuse_single(counts).map_err(|refusal| refused(py, refusal))?;
    let named_sources = named(py, sources)?;
    let answer = py.detach(|| rendered::page(named_sources, &options));
    let page = answer.map_err(|refusal| refused(py, refusal))?;
    warn(py, &page.notes)?;
    if let Some(path) = path {
        files::replace(py, path, |out| out.write_all(page.html.as_bytes()))?;
    }
    Ok(page.html)
}

/// The sources with their names.
fn named(py: Python<'_>, sources: &Bound<'_, PyTuple>) -> PyResult<NamedSources> {
    let mut all = NamedSources::default();
    for source in sources {
        if let Ok(bound_profile) = source.cast::<PyProfile>() {
            let profile = bound_profile.get();
            all.profiles.push((profile.name.clone(), (*profile.profile).clone()));
        } else {
            let bound_dataset = source.cast::<PyDataset>().map_err(|_| no_source(&source))?;
            let dataset = bound_dataset.get();
            let added: Result<(), Refusal> = all.add_data(dataset.name.clone(), dataset.data.clone());
            added.map_err(|refusal| refused(py, refusal))?;
        }
    }
    Ok(all)
}

impl GivenCounts {
    fn list(self, py: Python<'_>) -> PyResult<QuantityList<Procs>> {
        let text = match self {
            Self::Text(text) => text,
            Self::One(count) => count.to_string(),
            Self::Several(counts) => counts.iter().map(u32::to_string).collect::<Vec<_>>().join(","),
        };
        parsed(py, "procs", format!("{text:?}"), text.parse())
    }
}
