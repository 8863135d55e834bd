//! Plans that are proposed for a prediction: what they have, what they take, what they promise.

use std::collections::BTreeSet;

use netsig_core::algorithm::{Collective, Method};
use netsig_core::model::hockney::Hockney;
use netsig_core::predict::design::Wish;
use netsig_core::units::{Bytes, Procs, Seconds, SecondsPerByte};
use netsig_measure::estimate::{Rates, estimate};
use netsig_measure::plan::{Operation, Plan};
use netsig_measure::proposal::{NoProposal, Proposal, propose};

const USUAL: [Bytes; 5] = [
    Bytes(256),
    Bytes(2 << 10),
    Bytes(16 << 10),
    Bytes(64 << 10),
    Bytes(256 << 10),
];

/// 100 Mbit/s and 0.1 ms, and the γ of what nothing is known of.
fn rates() -> Rates {
    Rates {
        hockney: Hockney::new(Seconds(1e-4), SecondsPerByte(8e-8)).unwrap(),
        contention: 1.5,
        launch_overhead: Seconds(1.0),
    }
}

fn proposed<'a>(
    algorithms: &[&str],
    sizes: &'a [Bytes],
    budget: f64,
) -> Result<Proposal<'a>, NoProposal> {
    let wish = Wish {
        collective: Collective::Alltoall,
        target: Procs::new(24).unwrap(),
        most: Procs::new(12).unwrap(),
        sizes,
        hockney: rates().hockney,
        profile: None,
    };
    let method = |name: &&str| Method::parse(Collective::Alltoall, name).unwrap();
    let methods: Vec<Method> = algorithms.iter().map(method).collect();
    propose(&wish, &methods, Seconds(budget), &rates())
}

/// The process counts and sizes of an algorithm.
fn cells(plan: &Plan, algorithm: &str) -> Vec<(u32, u64)> {
    let own = plan.cells().iter().filter(|cell| match cell.operation {
        Operation::Collective(_, method) => method.to_string() == algorithm,
        _ => false,
    });
    own.map(|cell| (cell.procs.get(), cell.size.0)).collect()
}

/// Until every cell has all the repetitions that it may have; what is left is less than a step.
#[test]
fn the_budget_is_used_and_kept_and_more_of_it_never_widens_the_intervals() {
    let mut before = f64::INFINITY;
    for budget in [30.0, 40.0, 55.0, 70.0, 85.0, 100.0, 120.0] {
        let proposal = proposed(&["direct", "pairwise"], &USUAL, budget).unwrap();
        let cost = proposal.cost.0;
        assert!((0.9 * budget..=budget).contains(&cost), "{budget}: {cost}");
        let width: f64 = proposal.outlooks.iter().map(|(_, one)| one.then).sum();
        assert!(width <= before, "{budget}: {before} {width}");
        before = width;
    }
}

/// An all-to-all without regimes takes γ times its contention-free bound, by which the estimate
/// of any plan goes as well; the mean that a tenth of spread makes is half a per cent more, and
/// headers a little.
#[test]
fn the_cost_is_that_of_the_plan() {
    for (algorithms, budget) in [
        (&["direct"][..], 30.0),
        (&["library", "library:linear"], 90.0),
    ] {
        let proposal = proposed(algorithms, &USUAL, budget).unwrap();
        let estimated = estimate(&proposal.plan, &rates()).high.0;
        let ratio = proposal.cost.0 / estimated;
        assert!((1.0..1.01).contains(&ratio), "{algorithms:?}: {ratio}");
    }
}

#[test]
fn the_least_plan_shows_growth_and_both_protocols() {
    let refused = proposed(&["direct", "pairwise"], &USUAL, 1.0).unwrap_err();
    let NoProposal::TooLittle { least, .. } = refused else {
        panic!("{refused}");
    };
    let plan = proposed(&["direct", "pairwise"], &USUAL, least.0)
        .unwrap()
        .plan;
    let counts = |algorithm| -> BTreeSet<u32> {
        let cells = cells(&plan, algorithm).into_iter();
        cells.map(|(procs, _)| procs).collect()
    };
    let (powers, others): (Vec<u32>, Vec<u32>) = counts("pairwise")
        .into_iter()
        .partition(|count| count.is_power_of_two());
    assert!(
        powers.len() >= 2 && others.len() >= 2,
        "{powers:?} {others:?}"
    );
    let is_complete = |count: &&u32| {
        let mut own = cells(&plan, "direct");
        own.retain(|cell| cell.0 == **count);
        let eager = own.iter().filter(|cell| cell.1 < 64 << 10).count();
        eager >= 2 && own.len() - eager >= 2
    };
    let direct = counts("direct");
    assert!(direct.contains(&12) && direct.iter().filter(is_complete).count() >= 3);
    let mut all = plan.cells().iter();
    assert!(all.clone().all(|cell| (4..=20).contains(&cell.repetitions)));
    assert!(all.any(|cell| cell.operation == Operation::PingPong));
}

/// One size alone does not tell start-ups from bytes.
#[test]
fn one_size_gets_a_second_under_its_protocol() {
    for (size, other) in [(1, 4), (4096, 1024), (128 << 10, 256 << 10)] {
        let sizes = [Bytes(size)];
        let proposal = proposed(&["direct"], &sizes, 60.0).unwrap();
        let cells = cells(&proposal.plan, "direct").into_iter();
        let sizes: BTreeSet<u64> = cells.map(|(_, size)| size).collect();
        assert_eq!(sizes, BTreeSet::from([size, other]));
    }
}
