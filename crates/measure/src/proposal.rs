//! Proposes a plan for a prediction: the cells of a design ([`netsig_core::predict::design`]) and
//! measurements between two ranks, within a budget.
//!
//! # Method
//! Without the time to start jobs, up to a tenth of the budget goes to measurements between two
//! ranks (`pairs`) and the rest to the design. Of plans with one and with two launches, the one
//! with the narrower mean interval is taken: a second launch measures the variance between
//! launches, but takes time from the cells.
//!
//! # Domain
//! As accurate as the model's times; a campaign keeps its own budget.

mod pairs;

use itertools::Itertools;
use netsig_core::algorithm::Method;
use netsig_core::predict::design::allocation::{Means, TooLittle, WARM_UP};
use netsig_core::predict::design::subject::Subject;
use netsig_core::predict::design::{Design, DesignError, Outlook, Wish, design};
use netsig_core::units::Seconds;

use self::pairs::Pairs;
use crate::estimate::Rates;
use crate::plan::{Cell, Operation, Plan, Synchronisation};

/// The candidate numbers of launches.
const LAUNCHES: [u32; 2] = [1, 2];

/// A plan with its duration and the expected intervals.
#[derive(Debug)]
pub struct Proposal<'a> {
    /// The plan.
    pub plan: Plan,
    /// Duration of the plan.
    pub cost: Seconds,
    /// The predicted operations, each with its expected interval.
    pub outlooks: Vec<(Subject<'a>, Outlook)>,
}

/// The reason for a missing proposal.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum NoProposal {
    /// The model does not describe the algorithm or the process counts.
    #[error(transparent)]
    Design(#[from] DesignError),
    /// The budget is too small.
    #[error(
        "the smallest useful plan takes {least}, and the budget is {budget}; raise --budget, or name fewer algorithms, sizes or processes"
    )]
    TooLittle {
        /// The given budget.
        budget: Seconds,
        /// The least duration of a sensible plan, in whole seconds.
        least: Seconds,
    },
    /// A cell that cannot be measured because of its size.
    #[error("--sizes: {0}")]
    Impossible(String),
}

/// Proposes a plan for `methods` that fits into `budget`. The job start, the overhead of
/// repetitions, and α and β between two ranks come from `rates`.
///
/// # Errors
/// If the model does not describe a method, or the budget is too small.
pub fn propose<'a>(
    wish: &Wish<'a>,
    methods: &[Method],
    budget: Seconds,
    rates: &Rates,
) -> Result<Proposal<'a>, NoProposal> {
    let mut subjects = Vec::new();
    for &method in methods {
        subjects.extend(Subject::all(wish, method)?);
    }
    let starts = rates.launch_overhead * jobs(methods);
    let largest = wish.sizes.last().copied().unwrap_or_default();
    let kept = pairs::Share::new(rates, largest);
    let draft = |launches: u32| {
        let times = f64::from(launches);
        let net = budget * (1.0 / times) - starts;
        let means = Means {
            available: (net - kept.of(net)) * times,
            launches,
        };
        let design = design(wish, &subjects, means, |procs| rates.overhead(procs));
        let design = design
            .map_err(|TooLittle { least }| (kept.with(least * (1.0 / times)) + starts) * times)?;
        let pairs = Pairs::within(kept.of(net), rates, largest);
        Ok(Draft {
            launches,
            cost: design.cost + (pairs.cost + starts) * times,
            pairs,
            design,
        })
    };
    let tried: [Result<Draft, Seconds>; 2] = LAUNCHES.map(draft);
    let refused = tried.iter().filter_map(|draft| draft.as_ref().err());
    let least = refused.fold(f64::INFINITY, |least, refused| least.min(refused.0));
    let drafts = tried.into_iter().filter_map(Result::ok);
    let best = drafts.reduce(|a, b| if b.width() <= a.width() { b } else { a });
    let draft = best.ok_or(NoProposal::TooLittle {
        budget,
        least: Seconds(least.ceil()),
    })?;
    let plan = draft.plan(&subjects).map_err(NoProposal::Impossible)?;
    Ok(Proposal {
        plan,
        cost: draft.cost,
        outlooks: subjects.into_iter().zip(draft.design.outlooks).collect(),
    })
}

/// Number of jobs of a launch: one, and one for each forced algorithm of the library.
fn jobs(methods: &[Method]) -> f64 {
    let is_forced =
        |method: &&Method| matches!(method, Method::Library(choice) if choice.is_forced());
    1.0 + methods.iter().filter(is_forced).count() as f64
}

/// A candidate proposal.
struct Draft {
    launches: u32,
    pairs: Pairs,
    design: Design,
    cost: Seconds,
}

impl Draft {
    /// Mean half-width of the intervals.
    fn width(&self) -> f64 {
        let outlooks = &self.design.outlooks;
        let sum: f64 = outlooks.iter().map(|outlook| outlook.then).sum();
        sum / outlooks.len() as f64
    }

    fn plan(&self, subjects: &[Subject]) -> Result<Plan, String> {
        let mut cells = self.pairs.cells.clone();
        for (subject, planned) in subjects.iter().zip(&self.design.cells) {
            let planned = planned
                .iter()
                .sorted_by_key(|it| (it.procs, it.repetitions, it.size));
            cells.extend(planned.map(|planned| Cell {
                operation: Operation::Collective(subject.collective, subject.method),
                procs: planned.procs,
                size: planned.size,
                warmup: WARM_UP,
                repetitions: planned.repetitions,
            }));
        }
        cells.iter().try_for_each(Cell::check)?;
        Ok(Plan {
            seed: 1,
            launches: self.launches,
            precision: None,
            synchronisation: Synchronisation::default(),
            plogp: self.pairs.plogp,
            cells,
        })
    }
}
