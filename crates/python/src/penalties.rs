//! Penalties of a profile's choices, for Python.

use netsig_base::algorithm::LIBRARY;
use netsig_base::data::cells::Statistic;
use netsig_base::data::mixture::NamedDataset;
use netsig_model::fit::accepted::DoubtfulDataRule;
use netsig_model::predict::judgement::{JudgedContest, JudgementRequest, ProfileJudgement};
use pyo3::prelude::*;

use crate::arguments::variant;
use crate::columns::ArrowColumns;
use crate::dataset::PyDataset;
use crate::dataset::given::GivenDataset;
use crate::error::{refused, usage, warn};
use crate::network::{NetworkArgument, given_network};
use crate::profile::PyProfile;
use crate::table::PyResultTable;

#[pymethods]
impl PyProfile {
    /// Judges the algorithms that the profile chooses by measured times, as ``netsig compare --selection``.
    ///
    /// Parameters
    /// ----------
    /// data : Dataset
    ///     Measured data with cells of several algorithms.
    /// show : str
    ///     ``"summary"`` for a row for each collective, ``"cells"`` for every cell.
    /// statistic : str
    ///     Statistic of the repetitions and predicted times: ``"median"`` or ``"mean"``.
    /// network : Network or str, optional
    ///     The links of the network, if the profile was fitted with them.
    /// force : bool
    ///     Warn instead of refusing a profile of another network or setting.
    ///
    /// Returns
    /// -------
    /// Table
    ///     ``penalty`` is the time of the choice over that of the best measured algorithm, less 1.
    ///     ``oracle_penalty`` is that of an oracle, which chooses by half of the measurements. ``gain`` is
    ///     the time of the library's own choice over that of the choice.
    ///
    /// Raises
    /// ------
    /// DataError
    ///     If no cell has several algorithms, the profile chooses none of them, or, without ``force``,
    ///     the profile is of another network or setting.
    #[pyo3(signature = (data, *, show="summary", statistic="median", network=None, force=false))]
    fn penalties(
        &self,
        py: Python<'_>,
        data: GivenDataset<'_>,
        show: &str,
        statistic: &str,
        network: Option<NetworkArgument<'_>>,
        force: bool,
    ) -> PyResult<PyResultTable> {
        let dataset = data.into_bound();
        let PyDataset { data, name } = dataset.get();
        let network = given_network(network)?;
        let statistic: Statistic = variant(py, "statistic", statistic)?;
        let request = JudgementRequest {
            profile: &self.profile,
            profile_name: &self.name,
            measured: NamedDataset { name, data },
            network: network.as_ref(),
            statistic,
            doubtful: if force {
                DoubtfulDataRule::Taken
            } else {
                DoubtfulDataRule::Refused
            },
        };
        let judgement = py.detach(|| request.judge()).map_err(|error| refused(py, error))?;
        warn(py, &judgement.notes)?;
        match show {
            "summary" => Ok(summary(&judgement)),
            "cells" => Ok(cells(&judgement.chosen, statistic)),
            other => Err(usage(py, format!("show={other:?}: write summary or cells"))),
        }
    }
}

fn summary(judgement: &ProfileJudgement) -> PyResultTable {
    let totals = judgement.totals();
    let all = || totals.iter();
    let columns = ArrowColumns::default()
        .words("collective", all().map(|total| total.0))
        .sizes("cells", all().map(|total| u64::try_from(total.1.cells).ok()))
        .floats("mean_penalty", all().map(|total| Some(total.1.mean)))
        .floats("p90_penalty", all().map(|total| Some(total.1.p90)))
        .floats("worst_penalty", all().map(|total| Some(total.1.worst)))
        .floats("oracle_penalty", all().map(|total| total.1.oracle))
        .floats("gain", all().map(|total| total.1.gain));
    columns.batch().into()
}

fn cells(chosen: &[JudgedContest], statistic: Statistic) -> PyResultTable {
    let all = || chosen.iter();
    let time = |one: &JudgedContest, algorithm: &str| Some(one.time(algorithm, statistic)?.0);
    let columns = ArrowColumns::default()
        .words("collective", all().map(|one| one.contest.collective))
        .counts("procs", all().map(|one| Some(one.contest.procs.get())))
        .sizes("size_bytes", all().map(|one| Some(one.contest.size.0)))
        .words("algorithm", all().map(|one| &one.judged.choice))
        .words("best", all().map(|one| &one.judged.best))
        .floats("penalty", all().map(|one| Some(one.judged.penalty)))
        .floats("oracle_penalty", all().map(|one| one.judged.oracle))
        .floats("gain", all().map(|one| one.judged.gain))
        .floats("time_s", all().map(|one| time(one, &one.judged.choice)))
        .floats("best_s", all().map(|one| time(one, &one.judged.best)))
        .floats("library_s", all().map(|one| time(one, LIBRARY)));
    columns.batch().into()
}
