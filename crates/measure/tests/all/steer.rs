//! The plans of a campaign that steers itself, from data with known losses.

use std::collections::BTreeSet;

use netsig_base::algorithm::{Collective, CollectiveMethod, ReductionOperands};
use netsig_base::data::{Dataset, Experiment, LaunchCell, LossCounters};
use netsig_base::units::{Bytes, Procs, Seconds, SecondsPerByte};
use netsig_measure::budget::BudgetTooSmall;
use netsig_measure::estimate::{NetworkRates, estimate};
use netsig_measure::plan::{MeasurementPlan, Synchronisation, TimedOperation};
use netsig_measure::prediction_scope::{MeasuredProcs, PredictionScope};
use netsig_measure::steer::{CollectiveCells, SteerTarget};
use netsig_model::model::hockney::Hockney;

fn procs(count: u32) -> Procs {
    Procs::new(count).unwrap()
}

fn target(methods: &[&str]) -> SteerTarget {
    let method = |name: &&str| CollectiveMethod::parse(Collective::Alltoall, name).unwrap();
    SteerTarget {
        collective: Collective::Alltoall,
        methods: methods.iter().map(method).collect(),
        most_procs: procs(8),
        sizes: (10..=18).map(|power| Bytes(1 << power)).collect(),
        synchronisation: Synchronisation::Barrier,
        operands: ReductionOperands::default(),
    }
}

/// The plan of a launch for a prediction in words.
fn plan_for(prediction: &str, sizes: &[u64], operands: &str) -> MeasurementPlan {
    let predicted = PredictionScope::parse(prediction).unwrap();
    let wanted: Vec<Bytes> = sizes.iter().copied().map(Bytes).collect();
    let target = predicted.target(&wanted, MeasuredProcs::Half, operands.parse().unwrap());
    let plan = target
        .unwrap()
        .all_cells_plan(&CollectiveCells::default(), &rates(), Seconds(600.0));
    let text = plan.unwrap().to_toml();
    MeasurementPlan::parse("plan.toml", &text).unwrap()
}

/// 40 Mbit/s, 100 µs.
fn rates() -> NetworkRates {
    NetworkRates {
        hockney: Hockney::new(Seconds(1e-4), SecondsPerByte(2e-7)).unwrap(),
        contention: 1.0,
        launch_overhead: Seconds(1.0),
    }
}

/// An exchange at the speed of `rates` that loses segments from (n−1)·m = 150 kB on; among 8 processes half of the
/// repetitions of 32 KiB stall.
fn data() -> Dataset {
    let mut data = Dataset::default();
    for (count, power) in [4, 6, 8].into_iter().flat_map(|n| (10..16).map(move |p| (n, p))) {
        let size = Bytes(1 << power);
        let x = f64::from(count - 1) * size.as_f64();
        let place = LaunchCell {
            launch: 1,
            experiment: Experiment::Collective(Collective::Alltoall),
            algorithm: "direct".into(),
            procs: procs(count),
            size,
        };
        for repetition in 0..4 {
            let is_late = count == 8 && size == Bytes(32 << 10) && repetition % 2 == 0;
            let time = x * 2e-7 + if is_late { 0.2 } else { 0.0 };
            let mut sample = place.clone().sample(repetition, Seconds(time));
            sample.losses = LossCounters {
                retransmits: Some(if x > 150e3 { 20 } else { 0 }),
                ..LossCounters::default()
            };
            data.samples.push(sample);
        }
    }
    data
}

fn collective_cells() -> CollectiveCells {
    CollectiveCells::new(&data(), Collective::Alltoall, Some(Bytes(64 << 10)))
}

/// The sizes of a method among n processes.
fn sizes(plan: &MeasurementPlan, method: &str, count: u32) -> BTreeSet<u64> {
    let cells = plan.cells().iter().filter(
        |cell| matches!(cell.operation, TimedOperation::Collective(_, cell_method) if cell_method.to_string() == method),
    );
    let cells_of_count = cells.filter(|cell| cell.procs.get() == count);
    cells_of_count.map(|cell| cell.size.0).collect()
}

/// A port receives 150 kB from sizes of 21.9 KB on among 8 processes, of 30 KB among 6 and of 50 KB among 4. Between
/// the doubling sizes lie sizes on both sides of these, and one just below the eager limit.
#[test]
fn sizes_are_placed_around_the_onset_of_losses() {
    let plan = target(&["direct"])
        .all_cells_plan(&collective_cells(), &rates(), Seconds(60.0))
        .unwrap();
    let between = |count, low: u64, high: u64| {
        let sizes = sizes(&plan, "direct", count);
        let added = sizes.iter().filter(|size| !size.is_power_of_two());
        added.filter(|size| (low..high).contains(*size)).count()
    };
    assert!(between(8, 18_000, 40_000) >= 2, "{:?}", sizes(&plan, "direct", 8));
    assert!(between(4, 38_000, 64_000) >= 1, "{:?}", sizes(&plan, "direct", 4));
    assert!(sizes(&plan, "direct", 6).contains(&(56 << 10)));
}

/// More time gives more repetitions, never more than fit; too little time is refused with the time that suffices.
#[test]
fn a_launch_takes_the_time_that_it_is_given() {
    let target = target(&["direct", "pairwise"]);
    let takes = |plan: &MeasurementPlan| (estimate(plan, &rates()).high - rates().launch_overhead).0;
    let mut samples = 0;
    for time in [20.0, 40.0, 80.0] {
        let plan = target
            .all_cells_plan(&CollectiveCells::default(), &rates(), Seconds(time))
            .unwrap();
        assert!((0.6 * time..=time).contains(&takes(&plan)), "{time}: {}", takes(&plan));
        assert!(plan.samples() > samples);
        samples = plan.samples();
        for (method, counts) in [("direct", 2), ("pairwise", 3)] {
            let measured = (2..=8).filter(|count| !sizes(&plan, method, *count).is_empty());
            assert!(measured.count() >= counts, "{time} {method}");
        }
    }
    let BudgetTooSmall { least } = target
        .all_cells_plan(&CollectiveCells::default(), &rates(), Seconds(2.0))
        .unwrap_err();
    assert!(
        target
            .all_cells_plan(&CollectiveCells::default(), &rates(), least * 1.01)
            .is_ok()
    );
    let proposal = target.proposal(&rates(), Seconds(120.0)).unwrap();
    assert!((proposal.launches, takes(&proposal) < 120.0) == (3, true));
}

/// Equal blocks of whole elements need other sizes among other counts; the local operation is measured too. Both
/// kinds of counts are measured where ranks beyond a power of two take more steps.
#[test]
fn reductions_are_measured_in_whole_elements_with_their_operation() {
    let blocks = plan_for("reduce-scatter-block pairwise up to 12", &[100, 1000], "max:float");
    for (count, expected) in [(4, [96, 992]), (6, [96, 1008])] {
        assert_eq!(sizes(&blocks, "pairwise", count), BTreeSet::from(expected), "{count}");
    }
    assert_eq!(blocks.operands.to_string(), "max:float");
    let vectors = plan_for("allreduce rabenseifner,ring up to 16", &[8, 1000], "sum:double");
    let counts = |method| {
        (2..=8)
            .filter(|count| !sizes(&vectors, method, *count).is_empty())
            .collect::<Vec<_>>()
    };
    assert_eq!(counts("rabenseifner"), [3, 4, 6, 7, 8]);
    assert_eq!(counts("ring"), [4, 6, 8]);
    assert_eq!(sizes(&vectors, "ring", 6), BTreeSet::from([8, 1000]));
    for (plan, is_reduced) in [
        (&vectors, true),
        (&plan_for("alltoall direct up to 8", &[8], "sum:double"), false),
    ] {
        let cells = plan.cells().iter();
        let local = cells
            .filter(|cell| cell.operation == TimedOperation::LocalReduction)
            .count();
        assert_eq!(local > 1, is_reduced);
    }
    let barrier = plan_for("barrier library,tree up to 8", &[8, 1000], "sum:double");
    assert_eq!(sizes(&barrier, "tree", 4), BTreeSet::from([0]));
}

#[test]
fn cut_elements_are_refused() {
    let predicted = PredictionScope::parse("allreduce ring up to 8").unwrap();
    let refused = predicted.target(&[Bytes(100)], MeasuredProcs::Half, ReductionOperands::default());
    let line = "--size: 100 B has no whole number of double elements; write multiples of 8 bytes";
    assert_eq!(refused.unwrap_err().to_string(), line);
}

/// Three sizes lie between sizes a factor of four apart, none between sizes an eighth apart. The cell in which some
/// repetitions stall comes last.
#[test]
fn what_is_left_open_is_measured_again() {
    let target = target(&["direct"]);
    let direct = target.methods[0];
    let cells = |seen: &CollectiveCells, sizes: [u64; 2], seconds| -> Vec<String> {
        let onsets = [(direct, sizes.map(Bytes))];
        let plan = target.open_cells_plan(seen, &onsets, Seconds(seconds));
        let cells = plan.iter().flat_map(MeasurementPlan::cells);
        cells.map(ToString::to_string).collect()
    };
    let stalled = "alltoall direct among 8 with 32 KiB";
    let of = |size| format!("alltoall direct among 8 with {size}");
    let all = [of("16 KiB"), of("11585 B"), of("23170 B"), stalled.into()];
    assert_eq!(cells(&collective_cells(), [8 << 10, 32 << 10], 30.0), all);
    assert_eq!(cells(&collective_cells(), [32 << 10, 36 << 10], 30.0), [stalled]);
    assert_eq!(cells(&collective_cells(), [8 << 10, 32 << 10], 1.0), [all[0].clone()]);
    assert!(cells(&collective_cells(), [32 << 10, 36 << 10], 0.1).is_empty());
    assert!(cells(&CollectiveCells::default(), [32 << 10, 36 << 10], 30.0).is_empty());
}
