//! Regimes from repetitions. A known truth is found and predicted beyond the data, bad cells decide nothing, the same
//! data give the same fit, and the hierarchy of models stops where it should.

use netsig_base::algorithm::{Collective, SizePattern};
use netsig_base::data::cells::Statistic;
use netsig_base::data::{Dataset, Experiment, LaunchCell};
use netsig_base::units::{Bytes, Seconds, SecondsPerByte};
use netsig_model::fit::model_hierarchy::SufficientModel;
use netsig_model::fit::network::{self, NetworkFitOptions};
use netsig_model::model::REGIMES;
use netsig_model::model::regimes::{
    ExchangeOrder, OnsetSource, ProtocolParameters, Regimes, RegimesPoint, StallOnset, StallParameters, TrafficPattern,
    WireTime,
};
use netsig_model::profile::Profile;
use netsig_model::regimes::interval::{predict_by_regimes, reason_outside};
use proptest::prelude::*;

use crate::arbitrary::{procs, push};
use crate::pairs::profile_of;
use crate::seeded;

const ALPHA: f64 = 1e-4;
const GAP: SecondsPerByte = SecondsPerByte(2e-7);
const COUNTS: [u32; 3] = [4, 6, 8];
const SIZES: [u64; 8] = [256, 1024, 4096, 16_384, 49_152, 61_440, 65_536, 262_144];
const REPETITIONS: u32 = 40;

fn protocol(gamma: f64, stalls: Option<StallParameters>) -> ProtocolParameters {
    ProtocolParameters {
        gamma,
        growth: 0.0,
        slowdown: 0.0,
        correction: None,
        spread: 0.02,
        stalls,
    }
}

/// An exchange that overflows a port of which 100 kB pass.
fn truth(eager: f64, rendezvous: f64) -> Regimes {
    let stalls = StallParameters {
        rate: 0.01,
        cost: Seconds(0.22),
        spread: 0.1,
        onset: StallOnset {
            bytes: 100_000.0,
            lower: 100_000.0,
            upper: 100_000.0,
            source: OnsetSource::Data,
        },
    };
    Regimes {
        pattern: TrafficPattern::Exchange(ExchangeOrder::AtOnce),
        wire: WireTime::proportional(GAP),
        latency: Seconds(1.2e-4),
        startup: Seconds(8e-5),
        request: Seconds(0.0),
        eager: Some(protocol(eager, Some(stalls))),
        rendezvous: Some(protocol(rendezvous, None)),
        eager_limit: Some(Bytes(65_536)),
    }
}

fn point(count: u32, size: u64) -> RegimesPoint<'static> {
    RegimesPoint {
        procs: procs(count),
        size: Bytes(size),
        network: None,
        pieces: SizePattern::Equal.into(),
    }
}

const EXCHANGE: Experiment = Experiment::Collective(Collective::Alltoall);

/// A ping-pong, and exchanges whose times are given for the number of the cell, its process count
/// and its size.
fn measured(times: impl Fn(usize, u32, u64) -> Vec<f64>) -> Dataset {
    let mut data = Dataset::default();
    for size in std::iter::once(0).chain((0..11).map(|i| 256u64 << i)) {
        let time = ALPHA + GAP.0 * size as f64;
        push(&mut data, Experiment::PingPong, 2, size, [time; 4]);
    }
    let cells = COUNTS.iter().flat_map(|n| SIZES.map(|m| (*n, m)));
    for (place, (count, size)) in cells.enumerate() {
        push(&mut data, EXCHANGE, count, size, times(place, count, size));
    }
    data
}

/// The data of a model, each cell multiplied by `scale` of its number: repetitions at levels that
/// cover the distribution evenly, in another order.
fn data(model: &Regimes, scale: impl Fn(usize) -> f64) -> Dataset {
    let level = |i: u32| (f64::from((i * 17) % REPETITIONS) + 0.5) / f64::from(REPETITIONS);
    measured(|place, count, size| {
        let times = model.times(point(count, size)).unwrap();
        let time = |i| times.quantile(level(i)).0 * scale(place);
        (0..REPETITIONS).map(time).collect()
    })
}

fn profile(data: &Dataset) -> Profile {
    profile_of(data, &NetworkFitOptions::default())
}

/// The profile of an exchange all at once, measured among up to eight.
pub fn known_exchange() -> Profile {
    profile(&data(&truth(1.1, 1.7), |_| 1.0))
}

/// The relative error of the median at a case, and whether its interval holds the truth.
fn predicted(profile: &Profile, truth: &Regimes, count: u32, size: u64) -> (f64, bool) {
    let prediction = predict_by_regimes(&profile.regimes[0], point(count, size), Statistic::Median.into()).unwrap();
    let expected = truth.times(point(count, size)).unwrap().median();
    let interval = prediction.interval.unwrap();
    let holds = (interval.lower..=interval.upper).contains(&expected);
    (prediction.time / expected - 1.0, holds)
}

proptest! {
    #![proptest_config(seeded::cases(2))]

    /// The ratio of either protocol within 3 %, rate and onset of the time-outs within a third, times
    /// beyond within 6 %.
    #[test]
    fn a_known_truth_is_found(eager in 1.0..1.3f64, rendezvous in 1.4..2.2f64) {
        let truth = truth(eager, rendezvous);
        let profile = profile(&data(&truth, |_| 1.0));
        let model = &profile.regimes[0].model;
        prop_assert_eq!(model.eager_limit, Some(Bytes(65_536)));
        let [eager_fit, rendezvous_fit] = [&model.eager, &model.rendezvous].map(|of| of.as_ref().unwrap());
        // The ratio among eight.
        let ratio = |of: &ProtocolParameters| of.gamma + of.growth / (1.0 + 6.0 / 32.0);
        prop_assert!((ratio(eager_fit) / eager - 1.0).abs() < 0.03, "{eager_fit:?}");
        prop_assert!((ratio(rendezvous_fit) / rendezvous - 1.0).abs() < 0.03, "{rendezvous_fit:?}");
        let stalls = eager_fit.stalls.unwrap();
        prop_assert!((stalls.rate / 0.01).ln().abs() < 0.3, "{stalls:?}");
        prop_assert!((stalls.cost.0 / 0.22 - 1.0).abs() < 0.05, "{stalls:?}");
        let onset = stalls.onset;
        prop_assert!((onset.bytes / 100_000.0).ln().abs() < 0.3, "{onset:?}");
        // On both sides of every threshold.
        let sizes = [512, 4096, 24_576, 57_344, 98_304, 196_608];
        for (count, size) in [12, 16].into_iter().cycle().zip(sizes) {
            let (error, holds) = predicted(&profile, &truth, count, size);
            prop_assert!(error.abs() < 0.06, "{count} {size}: {error}");
            prop_assert!(holds, "{count} {size}");
        }
    }

    /// One cell that is three times too long, whichever it is, moves no other by 3.5 %.
    #[test]
    fn one_bad_cell_decides_nothing(bad in 0..24usize) {
        let truth = truth(1.1, 1.7);
        let [plain, spoilt] = [1.0, 3.0]
            .map(|factor| profile(&data(&truth, |place| if place == bad { factor } else { 1.0 })));
        for (count, size) in [(12, 8192), (12, 131_072), (16, 196_608)] {
            let [before, after] = [&plain, &spoilt].map(|one| predicted(one, &truth, count, size).0);
            prop_assert!((after - before).abs() < 0.035, "{count} {size}: {before} {after}");
        }
    }
}

#[test]
fn the_same_data_give_the_same_bytes() {
    let data = data(&truth(1.1, 1.7), |place| 1.0 + 0.01 * (place % 3) as f64);
    let mut reversed = data.clone();
    reversed.samples.reverse();
    let [first, again] = [data, reversed].map(|data| format!("{:?}", profile(&data).regimes));
    assert_eq!(first, again);
}

/// Predictions for two and four times the measured processes are less and less certain.
#[test]
fn intervals_widen_beyond_what_was_measured() {
    let uneven = |place| 1.0 + 0.03 * ((place * 5) % 7) as f64;
    let profile = profile(&data(&truth(1.1, 1.7), uneven));
    let width = |count| {
        let predicted = predict_by_regimes(&profile.regimes[0], point(count, 131_072), Statistic::Median.into());
        let interval = predicted.unwrap().interval.unwrap();
        (interval.upper / interval.lower).ln()
    };
    let widths = [8, 16, 32].map(width);
    assert!(widths.is_sorted_by(|near, far| near < far), "{widths:?}");
}

/// With noise of one per cent on the bound itself no richer model is taken; two protocols and an overflow need more
/// than a signature.
#[test]
fn the_hierarchy_stops_where_the_data_are_explained() {
    let sufficient = |data: &Dataset| -> SufficientModel {
        let mut fitted = network::fit(data, &NetworkFitOptions::default()).unwrap();
        fitted.chosen_models.remove(0).sufficient
    };
    let bound = sufficient(&measured(|place, count, size| {
        let time = f64::from(count - 1) * (ALPHA + GAP.0 * size as f64);
        let error = 0.01 * [0.0, 1.0, -1.0, 0.5, -0.5][place * 7 % 5];
        vec![time * (1.0 + error); 4]
    }));
    assert_eq!(bound.model.name, "hockney", "{}", bound.reason);
    let rich = sufficient(&data(&truth(1.1, 1.8), |_| 1.0));
    assert_eq!(rich.model.name, REGIMES, "{}", rich.reason);
}

/// Counters that rise from the first byte on show no full port: the onset comes from the times.
#[test]
fn counters_of_other_losses_are_left() {
    let mut data = data(&truth(1.1, 1.7), |_| 1.0);
    let onset = |data: &Dataset| {
        let model = profile(data).regimes[0].model.clone();
        model.eager.unwrap().stalls.unwrap().onset
    };
    let of_times = onset(&data);
    for sample in &mut data.samples {
        let LaunchCell { procs, size, .. } = sample.cell;
        let segments = u64::from(procs.get() * (procs.get() - 1)) * size.0 / 1448;
        sample.losses.retransmits = Some(u32::try_from(segments).unwrap());
    }
    assert_eq!(onset(&data), of_times);
}

/// From one process count, up to four times as many are predicted with the usual growth, in wide intervals; more are
/// not.
#[test]
fn from_one_process_count_contention_grows_as_usual() {
    let mut data = data(&truth(1.1, 1.7), |_| 1.0);
    data.samples
        .retain(|sample| sample.cell.experiment != EXCHANGE || sample.cell.procs == procs(8));
    let profile = profile(&data);
    let entry = &profile.regimes[0];
    assert_eq!(reason_outside(entry, point(8, 16_384)), None);
    assert_eq!(reason_outside(entry, point(12, 16_384)), None);
    assert!(reason_outside(entry, point(33, 16_384)).is_some());
    assert!(predicted(&profile, &truth(1.1, 1.7), 8, 16_384).0.abs() < 0.03);
    let width = |count: u32| {
        let prediction = predict_by_regimes(entry, point(count, 262_144), Statistic::Median.into()).unwrap();
        let interval = prediction.interval.unwrap();
        (interval.upper / interval.lower).ln()
    };
    assert!(width(16) > 1.2 * width(8), "{} {}", width(16), width(8));
}
