//! `netsig compare DATA --selection PROFILE`: penalties of the algorithms that a profile chooses,
//! and their gain over the library's own choice.

use std::collections::BTreeMap;
use std::path::Path;

use itertools::Itertools;
use netsig_base::algorithm::{Collective, LIBRARY};
use netsig_base::data::cells::Statistic;
use netsig_base::data::mixture::{Difference, Source};
use netsig_base::network::Network;
use netsig_base::stats::sample::median;
use netsig_model::fit::accepted::Accepted;
use netsig_model::predict::outside::TooFar;
use netsig_model::predict::penalty::{Contest, Judged, Totals, contests};
use netsig_model::predict::rate::other_rate;
use netsig_model::predict::select::{CandidateRanker, Ranked};
use netsig_model::profile::Profile;

use super::{Args, Show};
use crate::input::failure::Failure;
use crate::input::files;
use crate::print::notes::print;
use crate::print::rows::{Cell, Rows};

/// A contest with the choice in it.
struct Chosen {
    contest: Contest,
    judged: Judged,
    /// |ln| of measured over predicted time of each algorithm with both.
    errors: Vec<f64>,
}

/// The judged choices, and why there are no others, in words.
#[derive(Default)]
struct JudgedChoices {
    chosen: Vec<Chosen>,
    left_out: Vec<String>,
}

/// Facts that name a network: half of its hosts may have another name.
const NAMES: [&str; 2] = ["lab", "network"];

/// Median error of the predicted times from which on a profile of a network with another name is
/// taken for one of another network. Profiles of half of a network's hosts have 0.06 to 0.14.
const OF_ANOTHER: f64 = 0.3;

/// Runs the command.
///
/// # Errors
/// If no cell has several algorithms, the profile chooses none of them in any cell, or is of another
/// network or setting.
pub(super) fn run(args: &Args, path: &Path) -> Result<(), Failure> {
    let profile = files::profile(path)?;
    let network = args.network.load()?;
    if let Some(problem) = other_rate(&profile, network.as_ref()) {
        let problem = format!("{}: {problem}", files::name(path));
        print([&args.input.doubt(&problem, "name the network that was measured")?]);
    }
    let Accepted { data, name, notes } = args.input.read()?;
    print(&notes);
    let (contests, single) = contests(&data);
    if contests.is_empty() {
        let problem = "has no cell of several algorithms; measure the same process counts and sizes with two or more";
        return Err(Failure::data(problem).about(name));
    }
    if single > 0 {
        eprintln!("netsig: note: cells of one algorithm, left out: {single}");
    }
    let place = files::name(path);
    let statistic = args.statistic.unwrap_or(Statistic::Median);
    let sources = (&profile, network.as_ref());
    let JudgedChoices { chosen, left_out } = choose(sources, contests, statistic)?;
    if chosen.is_empty() {
        let problems = left_out.iter().map(|problem| format!("{place}: {problem}"));
        return Err(Failure::data(problems.unique().join("\n")));
    }
    check_network(
        args,
        &chosen,
        &place,
        profile.differences(
            &place,
            Source {
                name: &name,
                data: &data,
            },
        ),
    )?;
    for problem in left_out {
        eprintln!("netsig: note: left out: {place}: {problem}");
    }
    tell_limits(&chosen);
    let rows = match args.show {
        Show::Summary => summary(&chosen),
        Show::Cells => cells(&chosen, statistic),
    };
    Ok(rows.print(args.print)?)
}

/// The profile's choices in all contests.
fn choose(
    (profile, network): (&Profile, Option<&Network>),
    contests: Vec<Contest>,
    statistic: Statistic,
) -> Result<JudgedChoices, Failure> {
    let mut choices = JudgedChoices::default();
    for (collective, own) in by_collective(contests) {
        if profile.algorithms(collective).is_empty() {
            choices
                .left_out
                .push(format!("holds no algorithm of {collective}; measure some and fit them"));
            continue;
        }
        let request = profile.rank(collective).network(network);
        let request = request.statistic(statistic).too_far(TooFar::Extrapolated);
        let ranker = request.ranker()?;
        for contest in own {
            match judge(&ranker, contest, statistic) {
                Ok(one) => choices.chosen.push(one),
                Err(problem) => choices.left_out.push(problem),
            }
        }
    }
    Ok(choices)
}

fn by_collective(contests: Vec<Contest>) -> BTreeMap<Collective, Vec<Contest>> {
    let of = contests.into_iter().map(|own| (own.collective, own));
    of.into_group_map().into_iter().collect()
}

/// The profile's choice among the measured algorithms, judged; or why there is none, in words.
fn judge(ranker: &CandidateRanker, contest: Contest, statistic: Statistic) -> Result<Chosen, String> {
    let Contest {
        collective,
        procs,
        size,
        ..
    } = contest;
    let is_measured = |name: &str| contest.algorithms().contains(&name);
    let choice = ranker.best_of(procs, size, is_measured);
    let choice = choice.map_err(|error| format!("{collective}, {procs} x {size}: {error}"))?;
    let judged = contest.judge(&choice.algorithm(), statistic);
    let judged = judged.expect("the choice is one of the measured algorithms");
    let ranking = ranker.rank_all(procs, size).unwrap_or_default().into_iter();
    let error = |one: Ranked| {
        let measured = contest.time(&one.algorithm(), statistic)?;
        Some((measured / one.prediction.time).ln().abs())
    };
    let errors = ranking.filter(Ranked::stands).filter_map(error).collect();
    Ok(Chosen {
        contest,
        judged,
        errors,
    })
}

/// Doubts a profile with another MPI, interface or setting, or of a network with another name whose
/// times are not those of the data; else warns of another name.
fn check_network(args: &Args, chosen: &[Chosen], place: &str, differences: Vec<Difference>) -> Result<(), Failure> {
    let (names, others): (Vec<_>, Vec<_>) = differences.into_iter().partition(is_name);
    let remedy = "make one where the data were measured";
    if let Some(difference) = others.first() {
        let what = format!("{place}: is a profile of another network or setting: {difference}");
        print([&args.input.doubt(&what, remedy)?]);
        return Ok(());
    }
    let Some(difference) = names.first() else {
        return Ok(());
    };
    let error = median(chosen.iter().flat_map(|one| one.errors.iter().copied()));
    if error < OF_ANOTHER {
        eprintln!(
            "netsig: warning: the profile may be of another network: {difference}; one that is made where the data were measured chooses better"
        );
        return Ok(());
    }
    let what = format!(
        "{place}: is a profile of another network: {difference}, and half of the times differ by more than {:.1} x",
        error.exp()
    );
    print([&args.input.doubt(&what, remedy)?]);
    Ok(())
}

/// True if two networks differ in their names.
fn is_name(difference: &Difference) -> bool {
    NAMES.contains(&&*difference.key) && difference.values.iter().all(|value| !value.is_empty())
}

/// Notes on missing launches and a missing choice of the library.
fn tell_limits(chosen: &[Chosen]) {
    let without = |is_lacking: fn(&Judged) -> bool| {
        let lacking = chosen.iter().filter(|one| is_lacking(&one.judged));
        lacking.count()
    };
    let once = without(|judged| judged.oracle.is_none());
    if once > 0 {
        eprintln!(
            "netsig: note: cells without two launches of all algorithms, whose penalties are too large by the luck of the best: {once} of {}",
            chosen.len()
        );
    }
    let unknown = without(|judged| judged.gain.is_none());
    if unknown > 0 {
        eprintln!(
            "netsig: note: cells without a gain, because `{LIBRARY}` was not measured in them: {unknown} of {}",
            chosen.len()
        );
    }
}

/// A row for each collective.
fn summary(chosen: &[Chosen]) -> Rows {
    let judged = chosen.iter().map(|one| (one.contest.collective, &one.judged));
    let groups: BTreeMap<Collective, Vec<&Judged>> = judged.into_group_map().into_iter().collect();
    let totals = groups.into_iter().filter_map(|(collective, own)| {
        let totals = Totals::of(own)?;
        Some((collective, totals))
    });
    Rows::of(totals)
        .column("collective", |(collective, _)| Cell::text(collective))
        .column("cells", |(_, own)| Cell::number(own.cells))
        .column("mean_penalty", |(_, own)| Cell::error(own.mean))
        .column("p90_penalty", |(_, own)| Cell::error(own.p90))
        .column("worst_penalty", |(_, own)| Cell::error(own.worst))
        .column("oracle_penalty", |(_, own)| Cell::if_some(own.oracle, Cell::error))
        .column("gain", |(_, own)| gain(own.gain))
        .rows
}

/// A row for each cell.
fn cells(chosen: &[Chosen], statistic: Statistic) -> Rows {
    let time = |one: &Chosen, name: &str| {
        let time = one.contest.time(name, statistic);
        Cell::if_some(time, Cell::time)
    };
    Rows::of(chosen)
        .column("collective", |one| Cell::text(one.contest.collective))
        .column("procs", |one| Cell::number(one.contest.procs.get()))
        .column("size_bytes", |one| Cell::size(one.contest.size))
        .column("algorithm", |one| Cell::text(&one.judged.choice))
        .column("best", |one| Cell::text(&one.judged.best))
        .column("penalty", |one| Cell::error(one.judged.penalty))
        .column("oracle_penalty", |one| Cell::if_some(one.judged.oracle, Cell::error))
        .column("gain", |one| gain(one.judged.gain))
        .detail(1, "time_s", |one| time(one, &one.judged.choice))
        .detail(1, "best_s", |one| time(one, &one.judged.best))
        .detail(1, "library_s", |one| time(one, LIBRARY))
        .rows
}

/// A gain; a table says where the library was not measured.
fn gain(gain: Option<f64>) -> Cell {
    let unknown = || Cell::shown_as(serde_json::Value::Null, format!("no {LIBRARY}"));
    gain.map_or_else(unknown, Cell::factor)
}
