//! The report on one collective: measured cells, and predictions over process counts and sizes.

use std::collections::{BTreeMap, BTreeSet};

use itertools::iproduct;
use netsig_base::algorithm::{Collective, LIBRARY, MpiFlavour};
use netsig_base::units::{Bytes, Procs};
use netsig_model::fitted::ContentionModel;
use netsig_model::predict::curve::TimeCurve;
use netsig_model::predict::outside_domain::{ExtrapolationRule, FAR, OutsideDomain};
use netsig_model::predict::ranking::{self, CaseRanking};
use netsig_model::predict::select::CandidateRanker;
use netsig_model::verdict::{CellFinding, CollectiveVerdict, FittedPredictors, MeasuredLosses, losses_by_count};
use rayon::prelude::*;

use super::ReportOptions;
use super::paint::AlgorithmHues;
use super::subject::PageSubject;

/// Choices for the content of a page.
pub struct PageRequest<'a> {
    /// The choices of the user.
    pub options: &'a ReportOptions,
    /// Most process counts that are predicted unless the user names some.
    pub most_counts: usize,
}

/// One collective of a subject.
pub struct CollectiveChapter<'a> {
    /// The subject.
    pub subject: &'a PageSubject,
    /// The collective.
    pub collective: Collective,
    /// Measured cells by algorithm, process count and size.
    pub cells: Vec<CellFinding>,
    /// All algorithms that were measured or fitted, by name.
    pub algorithms: Vec<String>,
    /// Their hues.
    pub hues: AlgorithmHues,
    /// Predictions of fitted algorithms.
    pub predictors: FittedPredictors<'a>,
    /// All candidates; `None` without a profile that predicts the collective.
    pub ranker: Option<CandidateRanker<'a>>,
    /// Curves of all candidates, by process count.
    pub sheets: Vec<CurveSheet>,
    /// The verdict.
    pub verdict: CollectiveVerdict,
}

/// The curves of one process count.
pub struct CurveSheet {
    /// Number of processes.
    pub procs: Procs,
    /// Curves of the candidates.
    pub curves: Vec<TimeCurve>,
}

impl<'a> CollectiveChapter<'a> {
    /// The chapter of a collective of a subject.
    pub fn new(subject: &'a PageSubject, collective: Collective, request: &PageRequest) -> Self {
        let profile = subject.profile.as_ref();
        let predictors = profile.map_or_else(FittedPredictors::default, |fitted_profile| {
            FittedPredictors::of(fitted_profile, collective, None)
        });
        let mut cells = predictors.findings(&subject.data, collective);
        thin_out(&mut cells, request.options.repetitions);
        let measured_names = cells.iter().map(|cell| cell.algorithm.clone());
        let names: BTreeSet<String> = measured_names
            .chain(predictors.iter().map(|(name, _)| name.to_owned()))
            .collect();
        let mut algorithms: Vec<String> = names.into_iter().collect();
        algorithms.sort_by_key(|name| name != LIBRARY);
        let ranker = profile.filter(|_| !predictors.is_empty()).and_then(|fitted_profile| {
            let ranking_request = fitted_profile.rank(collective).too_far(ExtrapolationRule::Extrapolated);
            ranking_request.ranker().ok()
        });
        let mut chapter = Self {
            subject,
            collective,
            cells,
            hues: AlgorithmHues::of(collective, algorithms.iter().map(String::as_str)),
            algorithms,
            predictors,
            ranker,
            sheets: Vec::new(),
            verdict: subject.verdict(collective),
        };
        chapter.sheets = chapter.predict(request);
        chapter
    }

    /// Curves of all candidates for the wanted process counts.
    fn predict(&self, request: &PageRequest) -> Vec<CurveSheet> {
        let Some(ranker) = &self.ranker else {
            return Vec::new();
        };
        let most = self.size_range().map_or(Bytes(1 << 20), |[_, most]| most);
        let range = [Bytes(1), Bytes(most.0.saturating_mul(FAR.into()))];
        let counts = match &request.options.procs {
            Some(list) => list.items().to_vec(),
            None => self.counts_to_predict(request.most_counts),
        };
        let sheet = |&procs: &Procs| {
            let mut curves = ranker.curves(procs, range).ok()?;
            curves.retain(|curve| !curve.knots.is_empty());
            (!curves.is_empty()).then_some(CurveSheet { procs, curves })
        };
        counts.par_iter().filter_map(sheet).collect()
    }

    /// Every process count from 2 to twice the largest measured one; above `limit`, the measured ones and others evenly
    /// spaced. Of more measured ones than `limit`, some evenly spaced.
    fn counts_to_predict(&self, limit: usize) -> Vec<Procs> {
        let measured: Vec<u32> = self.measured_procs().iter().map(|procs| procs.get()).collect();
        let most = measured.last().copied().unwrap_or(8);
        let reach = most.saturating_mul(2);
        let step = (reach as usize).div_ceil(limit).max(1);
        let spaced_counts = (2..=reach).step_by(step).chain([most, reach]);
        let measured_step = measured.len().div_ceil(limit).max(1);
        let known = measured
            .iter()
            .copied()
            .step_by(measured_step)
            .filter(|procs| *procs > 1);
        let all_counts: BTreeSet<u32> = spaced_counts.chain(known).collect();
        all_counts
            .into_iter()
            .filter_map(|procs| Procs::new(procs).ok())
            .collect()
    }

    /// The rankings by process count and then size, without cases that cannot be predicted.
    pub fn cases(&self) -> Vec<CaseRanking<'_>> {
        let sheets_and_sizes = iproduct!(&self.sheets, self.sizes());
        let cases = sheets_and_sizes.map(|(sheet, size)| (sheet.procs, size));
        let ranker = self.ranker.as_ref();
        ranker.map_or_else(Vec::new, |candidate_ranker| candidate_ranker.answer(cases).found)
    }

    /// The reason why a process count is too far from the measurements, if the best candidate is too far.
    pub fn outside_reason(&self, procs: Procs) -> Option<OutsideDomain> {
        let [least, _] = self.size_range()?;
        let ranker = self.ranker.as_ref()?;
        let ranked = ranker.rank(procs, least).ok()?;
        ranked.iter().find_map(|one| ranker.reason_outside(one, procs, least))
    }

    /// Process counts that were measured or fitted, ascending.
    pub fn measured_procs(&self) -> BTreeSet<Procs> {
        let cells = self.cells.iter().map(|cell| cell.procs);
        let fitted = self
            .predictors
            .iter()
            .flat_map(|(_, predictor)| predictor.fitted_procs.iter().copied());
        cells.chain(fitted).collect()
    }

    /// The smallest and the largest size that was measured or fitted.
    pub fn size_range(&self) -> Option<[Bytes; 2]> {
        let profile = self.subject.profile.as_ref();
        let fitted = profile
            .into_iter()
            .flat_map(|fitted_profile| fitted_profile.contention_models_of(self.collective))
            .map(ContentionModel::domain);
        let cells = self.cells.iter().map(|cell| [cell.size; 2]);
        cells
            .chain(fitted.map(|domain| [domain.smallest, domain.largest]))
            .reduce(|[least, most], [low, high]| [least.min(low), most.max(high)])
    }

    /// Powers of two in the measured range, for tables and maps.
    pub fn sizes(&self) -> Vec<Bytes> {
        let [least, most] = self.size_range().unwrap_or([Bytes(256), Bytes(1 << 18)]);
        let powers = (0..63).map(|power| Bytes(1 << power));
        powers.filter(|size| (least..=most).contains(size)).collect()
    }

    /// Name of the axis of sizes.
    pub fn size_title(&self) -> &'static str {
        match self.collective {
            Collective::Bcast => "bytes of the message",
            reduction if reduction.is_reduction() => "bytes of the vector",
            _ => "bytes per destination",
        }
    }

    /// The MPI library of the data, if known.
    pub fn flavour(&self) -> Option<MpiFlavour> {
        ranking::flavour(self.subject.profile.as_ref()?)
    }

    /// The curves of a process count.
    pub fn sheet(&self, procs: Procs) -> Option<&CurveSheet> {
        self.sheets.iter().find(|sheet| sheet.procs == procs)
    }

    /// Name of the intervals, with their level if it is known.
    pub fn interval_name(&self) -> String {
        let profile = self.subject.profile.as_ref();
        let level = profile.and_then(|fitted_profile| fitted_profile.interval_level(self.collective));
        level.map_or_else(
            || "interval".to_owned(),
            |level| format!("{:.0} % interval", 100.0 * level),
        )
    }

    /// The measured losses of an algorithm by process count, where they are counted.
    pub fn measured_losses(&self, algorithm: &str) -> BTreeMap<Procs, MeasuredLosses> {
        losses_by_count(self.cells_of(algorithm))
    }

    /// The measured cells of an algorithm.
    pub fn cells_of(&self, algorithm: &str) -> impl Iterator<Item = &CellFinding> {
        self.cells.iter().filter(move |cell| cell.algorithm == algorithm)
    }
}

/// Leaves at most `most` repetitions of all cells, and at least three of each, evenly by rank.
fn thin_out(cells: &mut [CellFinding], most: usize) {
    let most_of_cell = (most / cells.len().max(1)).max(3);
    for cell in cells {
        cell.times = thinned(&cell.times, most_of_cell);
    }
}

/// At most `most` of the sorted times, evenly by rank, the first and the last among them.
fn thinned(times: &[f64], most: usize) -> Vec<f64> {
    let (count, most) = (times.len(), most.max(2));
    if count <= most {
        return times.to_vec();
    }
    let place = |index: usize| times[index * (count - 1) / (most - 1)];
    (0..most).map(place).collect()
}
