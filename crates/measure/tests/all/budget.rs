//! Plans that are fitted into any sufficient budget.

use itertools::Itertools;
use netsig_base::units::{Procs, Seconds, SecondsPerByte};
use netsig_measure::budget::fit_into_budget;
use netsig_measure::estimate::{NetworkRates, estimate};
use netsig_measure::plan::{MeasurementPlan, PlanCell, TimedOperation};
use netsig_model::model::hockney::Hockney;
use proptest::prelude::*;

const PLAN: &str = r#"
launches = 2
[pingpong]
sizes = "0, 1..1MiB"
repetitions = 20
[plogp]
sizes = "1..64KiB"
[flows]
pairs = [1, 2, 4]
size = "1MiB"
[[collective]]
name = "alltoall"
algorithms = ["direct", "pairwise"]
procs = [2, 4, 6, 8]
sizes = "256..1MiB"
repetitions = 20
"#;

/// Four sizes of the ping-pong, pLogP, two numbers of flows, and for two algorithms two
/// process counts with four sizes.
const LEAST_CELLS: usize = 4 + 1 + 2 + 2 * 2 * 4;

fn rates() -> NetworkRates {
    NetworkRates {
        hockney: Hockney::new(Seconds(1e-4), SecondsPerByte(2e-7)).unwrap(),
        contention: 2.0,
        launch_overhead: Seconds(1.0),
    }
}

fn plan() -> MeasurementPlan {
    MeasurementPlan::parse("p", PLAN).unwrap()
}

/// Duration that the budget limits.
fn needed(plan: &MeasurementPlan) -> Seconds {
    let estimate = estimate(plan, &rates());
    plan.precision.map_or(estimate.high, |_| estimate.low)
}

/// Least and greatest value of `of` over the cells of an operation, or over its cells of one process count.
fn ends<T: Ord + Copy>(
    plan: &MeasurementPlan,
    operation: TimedOperation,
    procs: Option<Procs>,
    of: fn(&PlanCell) -> T,
) -> (T, T) {
    let its = |cell: &&PlanCell| cell.operation == operation && procs.is_none_or(|p| p == cell.procs);
    let values = plan.cells().iter().filter(its).map(of);
    values.minmax().into_option().unwrap()
}

proptest! {
    #![proptest_config(crate::seeded::cases(64))]
    #[test]
    fn what_is_left_fits_and_keeps_its_ends(
        share in prop_oneof![Just(0.0), 0.0..1.1],
        precision in prop::option::of(0.01..0.1),
    ) {
        let mut plan = plan();
        plan.precision = precision;
        let refused = fit_into_budget(&plan, Seconds(0.0), &rates()).unwrap_err();
        let budget = refused.least + (needed(&plan) - refused.least) * share;
        let fitted = fit_into_budget(&plan, budget, &rates()).unwrap();
        prop_assert!(needed(&fitted.plan) <= budget);
        for cell in fitted.plan.cells() {
            let procs_ends = |plan| ends(plan, cell.operation, None, |cell| cell.procs);
            prop_assert_eq!(procs_ends(&plan), procs_ends(&fitted.plan));
            let size_ends = |plan| ends(plan, cell.operation, Some(cell.procs), |cell| cell.size);
            prop_assert_eq!(size_ends(&plan), size_ends(&fitted.plan));
        }
        // Repetitions are the last to go, down to three.
        let cells = fitted.plan.cells();
        let is_whole = cells.iter().all(|cell| plan.cells().contains(cell));
        prop_assert!(is_whole || cells.len() == LEAST_CELLS);
        prop_assert!(cells.iter().all(|cell| cell.repetitions >= 3));
        prop_assert_eq!(cells.len() + fitted.dropped.len(), plan.cells().len());
        prop_assert!(share < 1.0 || fitted.plan == plan);
        prop_assert_eq!(fit_into_budget(&plan, budget, &rates()).unwrap(), fitted);
    }
}

/// Of cells with equal gaps, the cell that saves most goes first. It is the largest inner size among 6, whose
/// neighbours among 4 and 8 are closer than the sizes beside it.
#[test]
fn the_most_expensive_of_the_least_informative_goes_first() {
    let budget = needed(&plan()) - Seconds(1.0);
    let fitted = fit_into_budget(&plan(), budget, &rates()).unwrap();
    let [first] = fitted.dropped[..] else {
        panic!("{:?}", fitted.dropped)
    };
    assert_eq!(first.to_string(), "alltoall direct among 6 with 512 KiB");
}
