//! The choices of a profile among the measured algorithms, judged by the measured times.
//!
//! In each cell of several algorithms the profile chooses among the measured ones, and the choice is judged as
//! [`penalty`](super::penalty) says. A profile of another network or setting is in doubt; by another name alone only if
//! the predicted times miss the data.

use std::collections::BTreeMap;

use itertools::Itertools as _;
use netsig_base::algorithm::{Collective, LIBRARY};
use netsig_base::data::cells::Statistic;
use netsig_base::data::mixture::{FactDifference, NamedDataset};
use netsig_base::data::processors::BusyCells;
use netsig_base::network::Network;
use netsig_base::stats::sample::median;
use netsig_base::text::note::Note;
use netsig_base::text::refusal::Refusal;
use netsig_base::units::Seconds;

use super::outside_domain::ExtrapolationRule;
use super::penalty::{AlgorithmContest, JudgedChoice, PenaltyTotals, contests};
use super::rate::rate_difference;
use super::select::{CandidateRanker, RankedCandidate};
use crate::fit::accepted::DoubtfulDataRule;
use crate::profile::Profile;

/// Provenance facts that name a network; half of its hosts may have another name.
const NAME_FACTS: [&str; 2] = ["lab", "network"];

/// Median error of predicted times from which on a network with another name counts as another network. Profiles of
/// half of a network's hosts have errors of 0.06 to 0.14.
const OTHER_NETWORK_ERROR: f64 = 0.3;

/// A request to judge the choices of a profile.
pub struct JudgementRequest<'a> {
    /// The profile.
    pub profile: &'a Profile,
    /// Its name in messages.
    pub profile_name: &'a str,
    /// The measured data.
    pub measured: NamedDataset<'a>,
    /// The links of the network, if they are known.
    pub network: Option<&'a Network>,
    /// Statistic of the repetitions and of the predicted times.
    pub statistic: Statistic,
    /// Treatment of a profile of another network or setting.
    pub doubtful: DoubtfulDataRule,
}

/// A contest with the choice in it.
pub struct JudgedContest {
    /// The contest.
    pub contest: AlgorithmContest,
    /// The choice.
    pub judged: JudgedChoice,
    /// |ln| of measured over predicted time of each algorithm with both.
    errors: Vec<f64>,
}

/// The judged choices, at least one.
pub struct ProfileJudgement {
    /// The contests, by collective, process count and size.
    pub chosen: Vec<JudgedContest>,
    /// Notes and warnings.
    pub notes: Vec<Note>,
}

/// The judged choices, and the reasons for each left-out one.
#[derive(Default)]
struct JudgedChoices {
    chosen: Vec<JudgedContest>,
    left_out: Vec<String>,
}

impl JudgedContest {
    /// Measured time of an algorithm in the contest.
    pub fn time(&self, algorithm: &str, statistic: Statistic) -> Option<Seconds> {
        self.contest.time(algorithm, statistic)
    }
}

impl ProfileJudgement {
    /// Penalties and gain of each collective.
    pub fn totals(&self) -> Vec<(Collective, PenaltyTotals)> {
        let judged = self.chosen.iter().map(|one| (one.contest.collective, &one.judged));
        let groups: BTreeMap<Collective, Vec<&JudgedChoice>> = judged.into_group_map().into_iter().collect();
        let totals = groups.into_iter().filter_map(|(collective, judged_cells)| {
            let totals = PenaltyTotals::of(judged_cells)?;
            Some((collective, totals))
        });
        totals.collect()
    }
}

impl JudgementRequest<'_> {
    /// Judges the choices in all cells of several algorithms.
    ///
    /// # Errors
    /// If no cell has several algorithms, the profile chooses no measured algorithm, or the profile is of another
    /// network or setting.
    pub fn judge(&self) -> Result<ProfileJudgement, Refusal> {
        let NamedDataset { name, data } = self.measured;
        let mut notes = Vec::new();
        if let Some(problem) = rate_difference(self.profile, self.network) {
            let message = format!("{}: {problem}", self.profile_name);
            notes.push(
                self.doubtful
                    .warn_or_refuse(&message, "name the network that was measured")?,
            );
        }
        notes.extend(BusyCells::of(data).notes());
        let (contests, single_algorithm_cells) = contests(&data.without_busy_cells());
        if contests.is_empty() {
            let problem =
                "has no cell of several algorithms; measure the same process counts and sizes with two or more";
            return Err(Refusal::data(problem).about(name));
        }
        if single_algorithm_cells > 0 {
            notes.push(Note::remark(format!(
                "cells of one algorithm, left out: {single_algorithm_cells}"
            )));
        }
        let JudgedChoices { chosen, left_out } = self.choices(contests)?;
        let problems = left_out
            .iter()
            .map(|problem| format!("{}: {problem}", self.profile_name));
        if chosen.is_empty() {
            return Err(Refusal::data(problems.unique().join("\n")));
        }
        notes.extend(self.doubt_of_network(&chosen)?);
        notes.extend(problems.map(|problem| Note::remark(format!("left out: {problem}"))));
        notes.extend(notes_on_limits(&chosen));
        Ok(ProfileJudgement { chosen, notes })
    }

    /// The profile's choices in all contests.
    fn choices(&self, contests: Vec<AlgorithmContest>) -> Result<JudgedChoices, Refusal> {
        let mut choices = JudgedChoices::default();
        for (collective, collective_contests) in contests_by_collective(contests) {
            if self.profile.algorithms(collective).is_empty() {
                choices
                    .left_out
                    .push(format!("holds no algorithm of {collective}; measure some and fit them"));
                continue;
            }
            let network_request = self.profile.rank(collective).network(self.network);
            let request = network_request
                .statistic(self.statistic)
                .too_far(ExtrapolationRule::Extrapolated);
            let ranker = request.ranker()?;
            for contest in collective_contests {
                match judge(&ranker, contest, self.statistic) {
                    Ok(judged_contest) => choices.chosen.push(judged_contest),
                    Err(problem) => choices.left_out.push(problem),
                }
            }
        }
        Ok(choices)
    }

    /// Doubts a profile of another MPI, interface or setting. Doubts another network name if the predicted times miss
    /// the data, else only warns of it.
    fn doubt_of_network(&self, chosen: &[JudgedContest]) -> Result<Option<Note>, Refusal> {
        let name = self.profile_name;
        let differences = self.profile.differences(name, self.measured);
        let (names, others): (Vec<_>, Vec<_>) = differences.into_iter().partition(is_name);
        let remedy = "make one where the data were measured";
        if let Some(difference) = others.first() {
            let doubt = format!("{name}: is a profile of another network or setting: {difference}");
            return self.doubtful.warn_or_refuse(&doubt, remedy).map(Some);
        }
        let Some(difference) = names.first() else {
            return Ok(None);
        };
        let error = median(chosen.iter().flat_map(|one| one.errors.iter().copied()));
        if error < OTHER_NETWORK_ERROR {
            return Ok(Some(Note::warning(format!(
                "the profile may be of another network: {difference}; one that is made where the data were measured chooses better"
            ))));
        }
        let doubt = format!(
            "{name}: is a profile of another network: {difference}, and half of the times differ by more than {:.1} x",
            error.exp()
        );
        self.doubtful.warn_or_refuse(&doubt, remedy).map(Some)
    }
}

fn contests_by_collective(contests: Vec<AlgorithmContest>) -> BTreeMap<Collective, Vec<AlgorithmContest>> {
    let keyed_contests = contests.into_iter().map(|contest| (contest.collective, contest));
    keyed_contests.into_group_map().into_iter().collect()
}

/// Judges the profile's choice among the measured algorithms; an error is the reason why there is no choice.
fn judge(ranker: &CandidateRanker, contest: AlgorithmContest, statistic: Statistic) -> Result<JudgedContest, String> {
    let AlgorithmContest {
        collective,
        procs,
        size,
        ..
    } = contest;
    let is_measured = |name: &str| contest.algorithms().contains(&name);
    let best = ranker.best_of(procs, size, is_measured);
    let choice = best.map_err(|error| format!("{collective}, {procs} x {size}: {error}"))?;
    let judgement = contest.judge(&choice.algorithm(), statistic);
    let judged = judgement.expect("the choice is one of the measured algorithms");
    let ranking = ranker.rank_all(procs, size).unwrap_or_default().into_iter();
    let error = |candidate: RankedCandidate| {
        let measured = contest.time(&candidate.algorithm(), statistic)?;
        Some((measured / candidate.prediction.time).ln().abs())
    };
    let errors = ranking.filter(RankedCandidate::is_eligible).filter_map(error).collect();
    Ok(JudgedContest {
        contest,
        judged,
        errors,
    })
}

/// True if two networks differ in their names.
fn is_name(difference: &FactDifference) -> bool {
    NAME_FACTS.contains(&&*difference.key) && difference.values.iter().all(|value| !value.is_empty())
}

/// Notes on missing launches and a missing choice of the library.
fn notes_on_limits(chosen: &[JudgedContest]) -> Vec<Note> {
    let count_lacking = |is_lacking: fn(&JudgedChoice) -> bool| {
        let lacking = chosen.iter().filter(|one| is_lacking(&one.judged));
        lacking.count()
    };
    let mut notes = Vec::new();
    let without_oracle = count_lacking(|judged| judged.oracle.is_none());
    if without_oracle > 0 {
        notes.push(Note::remark(format!(
            "cells without two launches of all algorithms, whose penalties contain the luck of the fastest, and nothing shows how much: {without_oracle} of {}",
            chosen.len()
        )));
    }
    let without_gain = count_lacking(|judged| judged.gain.is_none());
    if without_gain > 0 {
        notes.push(Note::remark(format!(
            "cells without a gain, because `{LIBRARY}` was not measured in them: {without_gain} of {}",
            chosen.len()
        )));
    }
    notes
}
