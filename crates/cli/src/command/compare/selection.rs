//! `netsig compare DATA --selection PROFILE`: penalties of the algorithms that a profile chooses,
//! and their gain over the library's own choice.

use std::collections::BTreeMap;
use std::path::Path;

use itertools::Itertools;
use netsig_base::algorithm::{Collective, LIBRARY};
use netsig_base::data::cells::Statistic;
use netsig_base::data::mixture::{FactDifference, NamedDataset};
use netsig_base::data::processors::BusyCells;
use netsig_base::network::Network;
use netsig_base::stats::sample::median;
use netsig_model::fit::accepted::AcceptedData;
use netsig_model::predict::outside_domain::ExtrapolationRule;
use netsig_model::predict::penalty::{AlgorithmContest, JudgedChoice, PenaltyTotals, contests};
use netsig_model::predict::rate::rate_difference;
use netsig_model::predict::select::{CandidateRanker, RankedCandidate};
use netsig_model::profile::Profile;

use super::{Args, SelectionDetail};
use crate::input::failure::Failure;
use crate::input::files;
use crate::print::notes::{print, print_remark, print_warning};
use crate::print::rows::print_rows;
use netsig_render::rows::{PrintedCell, PrintedRows};

/// A contest with the choice in it.
struct JudgedContest {
    contest: AlgorithmContest,
    judged: JudgedChoice,
    /// |ln| of measured over predicted time of each algorithm with both.
    errors: Vec<f64>,
}

/// The judged choices, and the reasons for each left-out one.
#[derive(Default)]
struct JudgedChoices {
    chosen: Vec<JudgedContest>,
    left_out: Vec<String>,
}

/// Provenance facts that name a network; half of its hosts may have another name.
const NAME_FACTS: [&str; 2] = ["lab", "network"];

/// Median error of predicted times from which on a network with another name counts as another network. Profiles of
/// half of a network's hosts have errors of 0.06 to 0.14.
const OTHER_NETWORK_ERROR: f64 = 0.3;

/// Runs the command.
///
/// # Errors
/// If no cell has several algorithms, the profile chooses no measured algorithm, or the profile is of another network
/// or setting.
pub(super) fn run(args: &Args, path: &Path) -> Result<(), Failure> {
    let profile = files::profile(path)?;
    let network = args.network.load()?;
    if let Some(problem) = rate_difference(&profile, network.as_ref()) {
        let message = format!("{}: {problem}", files::name(path));
        print([&args.input.doubt(&message, "name the network that was measured")?]);
    }
    let AcceptedData { data, name, notes } = args.input.read()?;
    print(&notes);
    print(&BusyCells::of(&data).notes());
    let (contests, single_algorithm_cells) = contests(&data.without_busy_cells());
    if contests.is_empty() {
        let problem = "has no cell of several algorithms; measure the same process counts and sizes with two or more";
        return Err(Failure::data(problem).about(name));
    }
    if single_algorithm_cells > 0 {
        print_remark(format_args!(
            "cells of one algorithm, left out: {single_algorithm_cells}"
        ));
    }
    let profile_name = files::name(path);
    let statistic = args.statistic.unwrap_or(Statistic::Median);
    let JudgedChoices { chosen, left_out } = choose(&profile, network.as_ref(), contests, statistic)?;
    if chosen.is_empty() {
        let problems = left_out.iter().map(|problem| format!("{profile_name}: {problem}"));
        return Err(Failure::data(problems.unique().join("\n")));
    }
    check_network(
        args,
        &chosen,
        &profile_name,
        profile.differences(
            &profile_name,
            NamedDataset {
                name: &name,
                data: &data,
            },
        ),
    )?;
    for problem in left_out {
        print_remark(format_args!("left out: {profile_name}: {problem}"));
    }
    print_limits(&chosen);
    let rows = match args.show {
        SelectionDetail::Summary => summary(&chosen),
        SelectionDetail::Cells => cells(&chosen, statistic),
    };
    Ok(print_rows(&rows, args.print)?)
}

/// The profile's choices in all contests.
fn choose(
    profile: &Profile,
    network: Option<&Network>,
    contests: Vec<AlgorithmContest>,
    statistic: Statistic,
) -> Result<JudgedChoices, Failure> {
    let mut choices = JudgedChoices::default();
    for (collective, collective_contests) in contests_by_collective(contests) {
        if profile.algorithms(collective).is_empty() {
            choices
                .left_out
                .push(format!("holds no algorithm of {collective}; measure some and fit them"));
            continue;
        }
        let network_request = profile.rank(collective).network(network);
        let request = network_request
            .statistic(statistic)
            .too_far(ExtrapolationRule::Extrapolated);
        let ranker = request.ranker()?;
        for contest in collective_contests {
            match judge(&ranker, contest, statistic) {
                Ok(judged_contest) => choices.chosen.push(judged_contest),
                Err(problem) => choices.left_out.push(problem),
            }
        }
    }
    Ok(choices)
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

/// Doubts a profile of another MPI, interface or setting. Doubts another network name if the predicted times miss the
/// data, else only warns of it.
fn check_network(
    args: &Args,
    chosen: &[JudgedContest],
    profile_name: &str,
    differences: Vec<FactDifference>,
) -> Result<(), Failure> {
    let (names, others): (Vec<_>, Vec<_>) = differences.into_iter().partition(is_name);
    let remedy = "make one where the data were measured";
    if let Some(difference) = others.first() {
        let doubt = format!("{profile_name}: is a profile of another network or setting: {difference}");
        print([&args.input.doubt(&doubt, remedy)?]);
        return Ok(());
    }
    let Some(difference) = names.first() else {
        return Ok(());
    };
    let error = median(chosen.iter().flat_map(|one| one.errors.iter().copied()));
    if error < OTHER_NETWORK_ERROR {
        print_warning(format_args!(
            "the profile may be of another network: {difference}; one that is made where the data were measured chooses better"
        ));
        return Ok(());
    }
    let doubt = format!(
        "{profile_name}: is a profile of another network: {difference}, and half of the times differ by more than {:.1} x",
        error.exp()
    );
    print([&args.input.doubt(&doubt, remedy)?]);
    Ok(())
}

/// True if two networks differ in their names.
fn is_name(difference: &FactDifference) -> bool {
    NAME_FACTS.contains(&&*difference.key) && difference.values.iter().all(|value| !value.is_empty())
}

/// Notes on missing launches and a missing choice of the library.
fn print_limits(chosen: &[JudgedContest]) {
    let count_lacking = |is_lacking: fn(&JudgedChoice) -> bool| {
        let lacking = chosen.iter().filter(|one| is_lacking(&one.judged));
        lacking.count()
    };
    let without_oracle = count_lacking(|judged| judged.oracle.is_none());
    if without_oracle > 0 {
        print_remark(format_args!(
            "cells without two launches of all algorithms, whose penalties contain the luck of the fastest, and nothing shows how much: {without_oracle} of {}",
            chosen.len()
        ));
    }
    let without_gain = count_lacking(|judged| judged.gain.is_none());
    if without_gain > 0 {
        print_remark(format_args!(
            "cells without a gain, because `{LIBRARY}` was not measured in them: {without_gain} of {}",
            chosen.len()
        ));
    }
}

/// A row for each collective.
fn summary(chosen: &[JudgedContest]) -> PrintedRows {
    let judged = chosen.iter().map(|one| (one.contest.collective, &one.judged));
    let groups: BTreeMap<Collective, Vec<&JudgedChoice>> = judged.into_group_map().into_iter().collect();
    let totals = groups.into_iter().filter_map(|(collective, judged_cells)| {
        let totals = PenaltyTotals::of(judged_cells)?;
        Some((collective, totals))
    });
    PrintedRows::of(totals)
        .column("collective", |(collective, _)| PrintedCell::text(collective))
        .column("cells", |(_, total)| PrintedCell::number(total.cells))
        .column("mean_penalty", |(_, total)| PrintedCell::error(total.mean))
        .column("p90_penalty", |(_, total)| PrintedCell::error(total.p90))
        .column("worst_penalty", |(_, total)| PrintedCell::error(total.worst))
        .column("oracle_penalty", |(_, total)| {
            PrintedCell::if_some(total.oracle, PrintedCell::error)
        })
        .column("gain", |(_, total)| gain_cell(total.gain))
        .rows
}

/// A row for each cell.
fn cells(chosen: &[JudgedContest], statistic: Statistic) -> PrintedRows {
    let time = |one: &JudgedContest, name: &str| {
        let time = one.contest.time(name, statistic);
        PrintedCell::if_some(time, PrintedCell::time)
    };
    PrintedRows::of(chosen)
        .column("collective", |one| PrintedCell::text(one.contest.collective))
        .column("procs", |one| PrintedCell::number(one.contest.procs.get()))
        .column("size_bytes", |one| PrintedCell::size(one.contest.size))
        .column("algorithm", |one| PrintedCell::text(&one.judged.choice))
        .column("best", |one| PrintedCell::text(&one.judged.best))
        .column("penalty", |one| PrintedCell::error(one.judged.penalty))
        .column("oracle_penalty", |one| {
            PrintedCell::if_some(one.judged.oracle, PrintedCell::error)
        })
        .column("gain", |one| gain_cell(one.judged.gain))
        .detail(1, "time_s", |one| time(one, &one.judged.choice))
        .detail(1, "best_s", |one| time(one, &one.judged.best))
        .detail(1, "library_s", |one| time(one, LIBRARY))
        .rows
}

/// The cell of a gain; a table states if the library was not measured.
fn gain_cell(gain: Option<f64>) -> PrintedCell {
    let unknown = || PrintedCell::shown_as(serde_json::Value::Null, format!("no {LIBRARY}"));
    gain.map_or_else(unknown, PrintedCell::factor)
}
