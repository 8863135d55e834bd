//! Rankings of the algorithms as answers: with refusals, gains over the library's own choice, and notes.

use itertools::Itertools as _;
use netsig_base::algorithm::{
    Collective, CollectiveMethod, LIBRARY, MpiFlavour, MpiSetting, RuleAlgorithm, ServedOperations,
};
use netsig_base::text::counted;
use netsig_base::text::note::Note;
use netsig_base::text::refusal::Refusal;
use netsig_base::units::{Bytes, Procs, Seconds};

use super::HeldBack;
use super::notes;
use super::outside_domain::ExtrapolationRule;
use super::select::{CandidateRanker, RankedCandidate};
use crate::model::{Model, ModelKind};
use crate::profile::Profile;

/// The algorithms for a process count and size, the fastest first.
#[derive(Debug, Clone)]
pub struct CaseRanking<'a> {
    /// Number of processes.
    pub procs: Procs,
    /// The size.
    pub size: Bytes,
    /// The algorithms.
    pub ranked: Vec<RankedCandidate<'a>>,
    /// The library's own choice, if its time is comparable.
    library: Option<RankedCandidate<'a>>,
    /// The first measured algorithm that may be the best.
    best_measured: Option<RankedCandidate<'a>>,
}

/// A place of a ranking.
#[derive(Debug, Clone, Copy)]
pub struct RankingPlace<'r, 'a> {
    /// Number of the place, from 1.
    pub rank: u32,
    /// The algorithm.
    pub candidate: &'r RankedCandidate<'a>,
    /// Reason why the algorithm stands behind one with a longer time, if it does.
    pub held_back: Option<HeldBack>,
}

/// The requested rankings.
#[derive(Debug)]
pub struct RankingAnswer<'a> {
    /// The rankings, in the order of the cases.
    pub found: Vec<CaseRanking<'a>>,
    /// The causes of missing rankings.
    pub missing: Vec<Refusal>,
    /// Notes and warnings on the limits of the models.
    pub limits: Vec<Note>,
}

impl<'a> CaseRanking<'a> {
    /// The algorithms that may be the best.
    pub fn eligible(&self) -> impl Iterator<Item = &RankedCandidate<'a>> {
        self.ranked.iter().filter(|one| one.is_eligible())
    }

    /// The algorithms with their ranks, and the reasons for an order that differs from that of the times.
    pub fn places(&self) -> impl Iterator<Item = RankingPlace<'_, 'a>> {
        let mut longest = Seconds(0.0);
        (1..).zip(&self.ranked).map(move |(rank, candidate)| {
            let time = candidate.prediction.time;
            let is_held_back = time < longest;
            longest = if is_held_back { longest } else { time };
            RankingPlace {
                rank,
                candidate,
                held_back: is_held_back.then(|| candidate.held_back()),
            }
        })
    }

    /// The first measured algorithm that may be the best.
    pub fn best_measured(&self) -> Option<&RankedCandidate<'a>> {
        self.best_measured.as_ref()
    }

    /// The library's own choice, if its time is comparable.
    pub fn library(&self) -> Option<&RankedCandidate<'a>> {
        self.library.as_ref()
    }

    /// Time of the library's own choice over that of a candidate, if both are comparable.
    pub fn gain(&self, one: &RankedCandidate) -> Option<f64> {
        let library = self.library.filter(|_| one.is_eligible())?;
        Some(library.prediction.time / one.prediction.time)
    }
}

impl CandidateRanker<'_> {
    /// Ranks the candidates for all cases.
    pub fn answer<C>(&self, cases: C) -> RankingAnswer<'_>
    where
        C: IntoIterator<Item = (Procs, Bytes), IntoIter: Clone>,
    {
        let cases = cases.into_iter();
        let each_case = cases.clone();
        let rankings = each_case.map(|(procs, size)| self.ranking(procs, size));
        let (found, missing): (Vec<CaseRanking>, _) = rankings.partition_result();
        let mut limits = self.limits(cases);
        limits.extend(self.note_on_segments(found.iter().flat_map(|ranking| &ranking.ranked)));
        limits.extend(self.notes_on_unmeasured(&found));
        limits.extend(self.note_on_order(&found));
        RankingAnswer { found, missing, limits }
    }

    /// A note on segments outside of the measured sizes.
    pub fn note_on_segments<'r>(&self, shown: impl Iterator<Item = &'r RankedCandidate<'r>>) -> Option<Note> {
        let segments = shown.filter_map(|one| Some((one.algorithm(), one.prediction.segment?)));
        notes::on_segments(&self.request, segments)
    }

    /// A note on each algorithm that was never measured and stands before all measured ones.
    fn notes_on_unmeasured(&self, found: &[CaseRanking]) -> Vec<Note> {
        let firsts = found.iter().filter_map(|ranking| {
            let first = ranking.ranked.first()?;
            let beaten = ranking.best_measured()?;
            (first.is_eligible() && !first.is_measured()).then_some((ranking, first, beaten))
        });
        let by_family = firsts.into_group_map_by(|(_, first, _)| first.family());
        let note = |(family, firsts): (&str, Vec<_>)| {
            let (ranking, first, beaten): (&CaseRanking, &RankedCandidate, &RankedCandidate) = firsts[0];
            let collective = self.request.collective;
            let counts = firsts.iter().map(|(ranking, ..)| ranking.procs);
            let most = counts.max().unwrap_or(ranking.procs);
            Note::remark(format!(
                "{collective} {family} is first in {} of {} but was never measured: {} is predicted to take {} for {} among {}, and the best measured algorithm, {}, {}; measure it before you rely on it: netsig learn '{collective} library,{} up to {most}' -o more.csv",
                firsts.len(),
                counted(found.len() as u64, "case", "cases"),
                first.algorithm(),
                first.prediction.time,
                ranking.size,
                ranking.procs,
                beaten.algorithm(),
                beaten.prediction.time,
                first.algorithm(),
            ))
        };
        by_family
            .into_iter()
            .sorted_by_key(|(family, _)| *family)
            .map(note)
            .collect()
    }

    /// A note if Open MPI would run a first algorithm for operations that do not commute without asking. MPICH hands those
    /// on to its rules.
    fn note_on_order(&self, found: &[CaseRanking]) -> Option<Note> {
        let collective = self.request.collective;
        let mpi = flavour(&self.request.profile).filter(|mpi| *mpi == MpiFlavour::OpenMpi)?;
        let is_unchecked = |name: &String| {
            let method = CollectiveMethod::parse(collective, name).ok();
            let named = method.and_then(|method| RuleAlgorithm::of(mpi, collective, &method));
            named.is_some_and(|named| named.offer.served_operations() != ServedOperations::Every)
        };
        let firsts = found.iter().filter_map(|ranking| ranking.ranked.first());
        let mut unchecked = firsts.map(RankedCandidate::algorithm).filter(is_unchecked).unique();
        let names = unchecked.join(", ");
        (!names.is_empty()).then(|| {
            Note::remark(format!(
                "operations must commute for {names}, and {mpi} does not check that; use its setting where all operations \
                 of the program commute, as those of MPI do"
            ))
        })
    }

    /// The candidates for a case, the fastest first.
    ///
    /// # Errors
    /// If no candidate has a time, or all are too far from the measurements and such cases are refused.
    pub(super) fn ranking(&self, procs: Procs, size: Bytes) -> Result<CaseRanking<'_>, Refusal> {
        let collective = self.request.collective;
        if self.candidate_count() == 0 {
            let problem = format!("holds no algorithm of {collective}; measure some and fit them");
            return Err(Refusal::data(problem).about(self.request.name));
        }
        let mut ranked = self.rank(procs, size)?;
        let has_choice =
            self.request.too_far == ExtrapolationRule::Extrapolated || ranked.iter().any(RankedCandidate::is_eligible);
        let mut whys = ranked.iter();
        let why = whys.find_map(|one| self.reason_outside(one, procs, size));
        if let Some(why) = why.filter(|_| !has_choice) {
            return Err(Refusal::data(format!(
                "{collective} of {procs} processes: {why}; measure there, or give --extrapolate to rank all the same"
            ))
            .about(self.request.name));
        }
        let ranked_library = ranked.iter().find(|one| one.algorithm() == LIBRARY);
        let library = ranked_library.filter(|one| one.is_eligible()).copied();
        let mut eligible = ranked.iter().filter(|one| one.is_eligible());
        let best_measured = eligible.find(|one| one.is_measured()).copied();
        ranked.truncate(self.request.wanted.most_candidates);
        Ok(CaseRanking {
            procs,
            size,
            ranked,
            library,
            best_measured,
        })
    }

    /// Notes on the limits of the models for these cases.
    pub fn limits(&self, cases: impl Iterator<Item = (Procs, Bytes)>) -> Vec<Note> {
        let models: Vec<&Model> = self.models().collect();
        let mut notes = notes::on_predictions(&self.request, &models, cases);
        let is_free = |model: &&Model| model.kind == ModelKind::ContentionFree;
        if self.request.collective == Collective::Alltoall && models.iter().all(is_free) {
            notes.push(Note::warning(
                "no alltoall was measured: the times are without contention and do not show the fastest algorithm under contention",
            ));
        }
        notes
    }
}

/// The MPI library of the data of a profile, if that names it.
pub fn flavour(profile: &Profile) -> Option<MpiFlavour> {
    MpiFlavour::from_version(profile.provenance.get("data_mpi")?)
}

/// The setting that makes `mpi` run an algorithm, if there is one.
pub fn setting(collective: Collective, algorithm: &str, mpi: MpiFlavour) -> Option<MpiSetting> {
    let method = CollectiveMethod::parse(collective, algorithm).ok()?;
    method.mpi_setting(mpi)
}
