//! What the report knows of one collective: measured cells, and predictions over process counts and sizes.

use std::collections::{BTreeMap, BTreeSet};

use itertools::iproduct;
use netsig_base::algorithm::{Collective, LIBRARY, MpiFlavour};
use netsig_base::data::Experiment;
use netsig_base::units::{Bytes, Procs};
use netsig_model::fitted::ContentionModel;
use netsig_model::predict::curve::Curve;
use netsig_model::predict::outside::{FAR, Outside, TooFar};
use netsig_model::predict::ranking::{self, CaseRanking};
use netsig_model::predict::select::CandidateRanker;
use netsig_model::profile::Profile;
use rayon::prelude::*;

use super::Options;
use super::cell::{self, Cell, Predictor};
use super::subject::Subject;

/// What a page shows.
pub struct Wanted<'a> {
    /// What the user chose.
    pub options: &'a Options,
    /// Most process counts that are predicted unless the user names some.
    pub most_counts: usize,
}

/// One collective of a subject.
pub struct Chapter<'a> {
    /// The subject.
    pub subject: &'a Subject,
    /// The collective.
    pub collective: Collective,
    /// Measured cells by algorithm, process count and size.
    pub cells: Vec<Cell>,
    /// All algorithms that were measured or fitted, by name.
    pub algorithms: Vec<String>,
    /// Predictions of fitted algorithms.
    pub predictors: BTreeMap<String, Predictor<'a>>,
    /// All candidates; `None` without a profile that predicts the collective.
    pub ranker: Option<CandidateRanker<'a>>,
    /// Curves of all candidates, by process count.
    pub sheets: Vec<Sheet>,
}

/// The curves of one process count.
pub struct Sheet {
    /// Number of processes.
    pub procs: Procs,
    /// Curves of the candidates.
    pub curves: Vec<Curve>,
}

impl<'a> Chapter<'a> {
    /// The chapter of a collective of a subject.
    pub fn new(subject: &'a Subject, collective: Collective, wanted: &Wanted) -> Self {
        let profile = subject.profile.as_ref();
        let predictors = profile.map_or_else(BTreeMap::new, |own| predictors(own, collective));
        let experiment = Experiment::Collective(collective);
        let cells = cell::cells(&subject.data, experiment, &predictors, wanted.options.repetitions);
        let names = cells.iter().map(|cell| cell.algorithm.clone());
        let names: BTreeSet<String> = names.chain(predictors.keys().cloned()).collect();
        let mut algorithms: Vec<String> = names.into_iter().collect();
        algorithms.sort_by_key(|name| name != LIBRARY);
        let ranker = profile.filter(|_| !predictors.is_empty()).and_then(|own| {
            let request = own.rank(collective).too_far(TooFar::Extrapolated);
            request.ranker().ok()
        });
        let mut chapter = Self {
            subject,
            collective,
            cells,
            algorithms,
            predictors,
            ranker,
            sheets: Vec::new(),
        };
        chapter.sheets = chapter.predict(wanted);
        chapter
    }

    /// Curves of all candidates for the wanted process counts.
    fn predict(&self, wanted: &Wanted) -> Vec<Sheet> {
        let Some(ranker) = &self.ranker else {
            return Vec::new();
        };
        let most = self.reach().map_or(Bytes(1 << 20), |[_, most]| most);
        let range = [Bytes(1), Bytes(most.0.saturating_mul(FAR.into()))];
        let counts = match &wanted.options.procs {
            Some(list) => list.items().to_vec(),
            None => self.counts(wanted.most_counts),
        };
        let sheet = |&procs: &Procs| {
            let mut curves = ranker.curves(procs, range).ok()?;
            curves.retain(|curve| !curve.knots.is_empty());
            (!curves.is_empty()).then_some(Sheet { procs, curves })
        };
        counts.par_iter().filter_map(sheet).collect()
    }

    /// Every process count from 2 to twice the most measured; of many the measured ones, and others evenly.
    fn counts(&self, limit: usize) -> Vec<Procs> {
        let measured = self.measured();
        let most = measured.last().map_or(8, |procs| procs.get());
        let reach = most.saturating_mul(2);
        let step = (reach as usize).div_ceil(limit).max(1);
        let all = (2..=reach).step_by(step).chain([reach]);
        let known = measured.iter().map(|procs| procs.get()).filter(|procs| *procs > 1);
        let all: BTreeSet<u32> = all.chain(known).collect();
        all.into_iter().filter_map(|procs| Procs::new(procs).ok()).collect()
    }

    /// The rankings by process count and then size; none where nothing is predicted.
    pub fn cases(&self) -> Vec<CaseRanking<'_>> {
        let places = iproduct!(&self.sheets, self.sizes());
        let places = places.map(|(sheet, size)| (sheet.procs, size));
        let ranker = self.ranker.as_ref();
        ranker.map_or_else(Vec::new, |own| own.answer(places).found)
    }

    /// Why a process count is too far from the measurements, if the best candidate is.
    pub fn outside(&self, procs: Procs) -> Option<Outside> {
        let [least, _] = self.reach()?;
        let ranker = self.ranker.as_ref()?;
        let ranked = ranker.rank(procs, least).ok()?;
        ranked.iter().find_map(|one| ranker.outside(one, procs, least))
    }

    /// Process counts that were measured or fitted, ascending.
    pub fn measured(&self) -> BTreeSet<Procs> {
        let cells = self.cells.iter().map(|cell| cell.procs);
        let fitted = self.predictors.values().flat_map(|own| own.fitted.iter().copied());
        cells.chain(fitted).collect()
    }

    /// The smallest and the largest size that was measured or fitted.
    pub fn reach(&self) -> Option<[Bytes; 2]> {
        let profile = self.subject.profile.as_ref();
        let fitted = profile
            .into_iter()
            .flat_map(|own| own.contention_of(self.collective))
            .map(ContentionModel::domain);
        let cells = self.cells.iter().map(|cell| [cell.size; 2]);
        cells
            .chain(fitted.map(|domain| [domain.smallest, domain.largest]))
            .reduce(|[least, most], [low, high]| [least.min(low), most.max(high)])
    }

    /// Powers of two in the measured range, for tables and maps.
    pub fn sizes(&self) -> Vec<Bytes> {
        let [least, most] = self.reach().unwrap_or([Bytes(256), Bytes(1 << 18)]);
        let powers = (0..63).map(|power| Bytes(1 << power));
        powers.filter(|size| (least..=most).contains(size)).collect()
    }

    /// Name of the axis of sizes.
    pub fn size_title(&self) -> &'static str {
        match self.collective {
            Collective::Bcast => "bytes of the message",
            _ => "bytes per destination",
        }
    }

    /// The MPI library of the data, if known.
    pub fn flavour(&self) -> Option<MpiFlavour> {
        ranking::flavour(self.subject.profile.as_ref()?)
    }

    /// The curves of a process count.
    pub fn sheet(&self, procs: Procs) -> Option<&Sheet> {
        self.sheets.iter().find(|sheet| sheet.procs == procs)
    }

    /// The measured cells of an algorithm.
    pub fn cells_of(&self, algorithm: &str) -> impl Iterator<Item = &Cell> {
        self.cells.iter().filter(move |cell| cell.algorithm == algorithm)
    }
}

impl Sheet {
    /// The curve of an algorithm.
    pub fn curve(&self, family: &str) -> Option<&Curve> {
        self.curves.iter().find(|curve| curve.family == family)
    }
}

/// Predictions of the median of every fitted algorithm.
fn predictors(profile: &Profile, collective: Collective) -> BTreeMap<String, Predictor<'_>> {
    let algorithms = profile.algorithms(collective).into_iter();
    let predictors = algorithms.filter_map(|algorithm| {
        let times = profile.predict(collective).algorithm(algorithm);
        let own = profile.contention_of(collective);
        let own = own.filter(|own| own.algorithm() == algorithm);
        let fitted: BTreeSet<Procs> = own.flat_map(|own| own.domain().procs.clone()).collect();
        let predictor = Predictor {
            predictor: times.predictor().ok()?,
            fitted: fitted.into_iter().collect(),
        };
        Some((algorithm.to_owned(), predictor))
    });
    predictors.collect()
}
