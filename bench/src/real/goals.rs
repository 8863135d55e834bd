//! The figures of `netsig-bench real` and their goals.

use std::collections::BTreeMap;

use itertools::Itertools as _;
use netsig_base::stats::sample::mean;

use super::judge::SetScore;
use super::rows::{SetRows, mean_over_cells};
use super::selection::{ONE_LAUNCH, SelectionRow, is_rooted};
use super::sets::SetGroup;
use crate::harness::goals::{BenchGoal, at_most, within};
use crate::harness::prediction::OURS;
use crate::harness::rivals::{LINE_PER_SIZE, NEIGHBOURS, PER_PEER, POWER_LAW};
use crate::harness::summary::middle;

/// Sets of one group.
type GroupSets<'a> = Vec<&'a SetRows<'a>>;

/// The figures with a goal.
pub fn goals(sets: &[SetRows], selection: &[SelectionRow]) -> Vec<BenchGoal> {
    let sets_of = |group: SetGroup| {
        let group_sets = sets.iter().filter(|set| set.ours.set.group == group);
        group_sets.collect_vec()
    };
    let real = sets_of(SetGroup::Real);
    let mut goals = errors_of_real(&real);
    goals.extend(intervals_of_real(&real));
    goals.extend(goals_of_papers(&sets_of(SetGroup::Papers)));
    goals.extend(goals_of_tables(&sets_of(SetGroup::Tables)));
    goals.extend(goals_of_selection(selection));
    goals
}

/// The goal of the mean over the sets of the ratios of netsig's errors to a rival's.
fn goal_against_rival(name: &str, sets: &GroupSets, rival: &str, most: f64) -> BenchGoal {
    let ratios = sets.iter().filter_map(|set| set.ratio(rival)).collect_vec();
    let value = (!ratios.is_empty()).then(|| mean(&ratios));
    let name = format!("{name}: errors against {rival}");
    BenchGoal::new(name, value, at_most(most, "times"))
}

fn errors_of_real(sets: &GroupSets) -> Vec<BenchGoal> {
    let rivals = [PER_PEER, LINE_PER_SIZE, POWER_LAW];
    let mut goals = rivals
        .map(|rival| goal_against_rival("real sets", sets, rival, 0.85))
        .into_iter()
        .collect_vec();
    let beaten = sets.iter().filter(|set| set.is_beaten()).count() as f64;
    goals.push(BenchGoal::new(
        "real sets: a rival is better",
        Some(beaten),
        at_most(0.0, "sets"),
    ));
    goals
}

fn intervals_of_real(sets: &GroupSets) -> Vec<BenchGoal> {
    let ours = sets.iter().map(|set| set.ours).collect_vec();
    let share = |figure: fn(&SetScore) -> f64| (!ours.is_empty()).then(|| 100.0 * mean_over_cells(&ours, figure));
    let large = ours.iter().filter(|row| row.score.cells >= 20);
    let narrow = large.filter(|row| row.score.covered < 0.6).count() as f64;
    let stalls: usize = ours.iter().map(|row| row.score.stalls).sum();
    let mut goals = vec![
        BenchGoal::new(
            "real sets: times in their 90 % intervals",
            share(|score| score.covered),
            within(85.0..=95.0, "%"),
        ),
        BenchGoal::new(
            "real sets of 20 cells or more: fewer than 60 % in intervals",
            Some(narrow),
            at_most(0.0, "sets"),
        ),
    ];
    goals.extend(interval_goal(sets));
    goals.extend([
        BenchGoal::new(
            "real sets: refused cells",
            share(|score| score.refused as f64 / score.cells as f64),
            at_most(2.0, "%"),
        ),
        BenchGoal::new(
            "real sets: stalls that no data showed",
            Some(stalls as f64),
            at_most(0.0, "cells"),
        ),
    ]);
    goals
}

/// Median and 90th percentile of the errors of each set, in per cent.
fn errors(sets: &GroupSets) -> [(&'static str, Vec<f64>); 2] {
    let errors_by = |figure: fn(&SetScore) -> f64| {
        let errors = sets.iter().map(|set| 100.0 * figure(&set.ours.score));
        errors.collect_vec()
    };
    [
        ("median", errors_by(|score| score.median)),
        ("90th percentile", errors_by(|score| score.p90)),
    ]
}

fn goals_of_papers(sets: &GroupSets) -> Vec<BenchGoal> {
    let goal = |((figure, errors), most): ((&str, Vec<f64>), f64)| {
        let worst = errors.into_iter().reduce(f64::max);
        let name = format!("papers' laws: largest {figure} of e");
        BenchGoal::new(name, worst, at_most(most, "%"))
    };
    errors(sets).into_iter().zip([5.0, 15.0]).map(goal).collect()
}

fn goals_of_tables(sets: &GroupSets) -> Vec<BenchGoal> {
    let goal = |((figure, errors), most): ((&str, Vec<f64>), f64)| {
        let value = (!errors.is_empty()).then(|| middle(&errors));
        let name = format!("OSU tables: {figure} of e, median over the sets");
        BenchGoal::new(name, value, at_most(most, "%"))
    };
    let error_goals = errors(sets).into_iter().zip([3.0, 12.0]).map(goal);
    let rivals = [LINE_PER_SIZE, NEIGHBOURS].map(|rival| goal_against_rival("OSU tables", sets, rival, 1.0));
    error_goals.chain(rivals).collect()
}

/// Mean over the sets of a method's penalty, in per cent; `None` without any.
pub fn mean_penalty<'a>(rows: impl Iterator<Item = &'a SelectionRow>, method: &str) -> Option<f64> {
    let method_rows = rows.filter(|row| row.method == method);
    let penalties = method_rows.map(|row| 100.0 * row.penalty).collect_vec();
    (!penalties.is_empty()).then(|| mean(&penalties))
}

/// The goal of netsig's penalty beyond the penalty of one launch.
fn penalty_goal(name: &str, rows: &[&SelectionRow]) -> BenchGoal {
    let penalty = |method| mean_penalty(rows.iter().copied(), method);
    BenchGoal::new(
        format!("{name}: penalty beyond that of one launch"),
        penalty(OURS).zip(penalty(ONE_LAUNCH)).map(|(ours, one)| ours - one),
        at_most(2.0, "points"),
    )
}

/// The goal of netsig's penalty beyond the penalty of one launch, for each machine with choices.
fn goals_of_selection(rows: &[SelectionRow]) -> Vec<BenchGoal> {
    let unrooted = rows.iter().filter(|row| !is_rooted(row.collective));
    let machines = unrooted.clone().map(|row| &row.machine).unique();
    let goal = |machine: &String| {
        let machine_rows = unrooted.clone().filter(|row| row.machine == *machine);
        penalty_goal(
            &format!("selection on {machine}, unrooted"),
            &machine_rows.collect_vec(),
        )
    };
    machines.map(goal).collect()
}

/// The figures of reductions with a goal, by machine and fitted counts.
pub fn goals_of_reductions(sets: &[SetRows], selection: &[SelectionRow]) -> Vec<BenchGoal> {
    let place = |set: &&SetRows| (set.ours.set.machine.clone(), set.ours.set.fitted.clone());
    let goals = sets
        .iter()
        .map(|set| place(&set))
        .unique()
        .flat_map(|(machine, fitted)| {
            let name = format!("reductions on {machine} {fitted}");
            let place_sets = sets
                .iter()
                .filter(|set| place(set) == (machine.clone(), fitted.clone()));
            let collected_sets = place_sets.collect_vec();
            let error_goal = |((figure, errors), most): ((&str, Vec<f64>), f64)| {
                let title = format!("{name}: {figure} of e, median over the sets");
                BenchGoal::new(title, Some(middle(&errors)), at_most(most, "%"))
            };
            let place_choices = selection
                .iter()
                .filter(|row| row.machine == machine && row.fitted == fitted);
            let mut goals = errors(&collected_sets)
                .into_iter()
                .zip([15.0, 40.0])
                .map(error_goal)
                .collect_vec();
            goals.push(penalty_goal(&name, &place_choices.collect_vec()));
            goals
        });
    goals.collect()
}

/// The goal of the mean interval score relative to the best rival's.
fn interval_goal(sets: &GroupSets) -> Option<BenchGoal> {
    let scores = sets.iter().flat_map(|set| set.rivals.iter().copied().chain([set.ours]));
    let by_method = scores.filter_map(|row| Some((row.score.method, row.score.interval_score?)));
    let grouped_scores = by_method.into_group_map();
    let full = |(method, method_scores): (&'static str, Vec<f64>)| {
        (method_scores.len() == sets.len()).then(|| (method, mean(&method_scores)))
    };
    let means: BTreeMap<&str, f64> = grouped_scores.into_iter().filter_map(full).collect();
    let rival_means = means.iter().filter(|(method, _)| **method != OURS);
    let best = rival_means.map(|(_, rival_mean)| *rival_mean).min_by(f64::total_cmp)?;
    let name = "real sets: mean interval score";
    Some(BenchGoal::new(name, means.get(OURS).copied(), at_most(best, "")))
}
