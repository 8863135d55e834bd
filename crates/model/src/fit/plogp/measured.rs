//! L, g(m), os(m) and or(m) from a dataset, with their intervals and doubts about them.
//!
//! # Method
//! os(m) and or(m) are measured directly. g(m) comes from the round trips by the formulas of the parent module; rows of
//! [`Experiment::Gap`] with m > 0 (a flood of messages of that size) take precedence. If RTT(m) is below RTT(0) by g(0)
//! or more, which leaves no gap, the shortest RTT(0) replaces RTT(0). The benchmark does so wherever RTT(m) is not
//! above RTT(0). At sizes that take as long as an empty message, noise decides this; every other g(m) would then be too
//! long by the spread of RTT(0). L comes from RTT(0) and g(0); without RTT(0) it is the value in the file. All values
//! are medians ([`medians`](crate::fit::medians)), and the variances of the parts add up.
//!
//! # Source
//! As in the parent module; the medians and the intervals are netsig's.

use std::collections::BTreeMap;

use netsig_base::data::cells::MeasuredCells;
use netsig_base::data::{Experiment, Sample};
use netsig_base::stats::interval::{IntervalEstimate, Variance};
use netsig_base::text::counted;
use netsig_base::units::table::SizeTable;
use netsig_base::units::{Bytes, Seconds};

use super::{gap_from_round_trips, latency};
use crate::fit::medians::{SizeMedian, medians_of_samples, size_medians};
use crate::fit::{FitError, refuse_too_few};
use crate::model::plogp::{PLogP, PLogPParameters};

/// Share by which os or or may exceed g: the benchmark's ε.
pub const EPSILON: f64 = 0.03;

/// Measured tables.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredPLogP {
    /// The tables.
    pub plogp: PLogP,
    /// L in seconds.
    pub latency: IntervalEstimate,
    /// g(m), os(m), or(m).
    pub gap: Vec<PLogPRow>,
    /// os(m).
    pub send_overhead: Vec<PLogPRow>,
    /// or(m).
    pub receive_overhead: Vec<PLogPRow>,
    /// L + g(m): the one-way time of a message. From round trips it is RTT(m) − RTT(0)/2, free of
    /// the error of g(0) and of the replacement of RTT(0) at short round trips.
    pub message: Vec<PLogPRow>,
    /// Doubts about the tables.
    pub doubts: Vec<PLogPDoubt>,
}

/// A row of a table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PLogPRow {
    /// Size m.
    pub size: Bytes,
    /// The value in seconds with its interval.
    pub estimate: IntervalEstimate,
    /// The variance of the value in s²; 0 if unknown.
    pub variance: Variance,
}

/// Doubt about measured tables.
#[derive(Debug, Clone, PartialEq, derive_more::Display)]
pub enum PLogPDoubt {
    /// RTT(0)/2 is below g(0): there is no latency, or g(0) is no gap of a saturated sender.
    #[display("RTT(0)/2 = {half_round_trip} is not above g(0) = {gap}: L is taken as 0")]
    NoLatency {
        /// RTT(0)/2.
        half_round_trip: Seconds,
        /// g(0).
        gap: Seconds,
    },
    /// os or or exceeds g at these sizes.
    #[display("os or or exceeds g at {}, first at {}", sizes(_0), _0[0])]
    SmallGap(Vec<Bytes>),
    /// RTT is below RTT(0) by g(0) or more at these sizes: g comes from the shortest RTT(0).
    #[display(
        "RTT(m) is below RTT(0) - g(0) at {}, first at {}: g is uncertain there",
        sizes(_0),
        _0[0]
    )]
    ShortRoundTrip(Vec<Bytes>),
    /// g(0) drifts while it is measured: messages do not yet saturate the sender.
    #[display("g(0) drifts from {first} to {second} while it is measured: the sender is not saturated")]
    Unsaturated {
        /// Median of the first half of the repetitions.
        first: Seconds,
        /// Median of the second half.
        second: Seconds,
    },
}

fn sizes(all: &[Bytes]) -> String {
    counted(all.len() as u64, "size", "sizes")
}

/// The experiments of pLogP alone.
const EXPERIMENTS: [Experiment; 4] = [
    Experiment::RoundTrip,
    Experiment::SendOverhead,
    Experiment::ReceiveOverhead,
    Experiment::Gap,
];

/// True if an experiment of pLogP was measured.
pub fn is_measured(cells: &MeasuredCells) -> bool {
    cells.iter().any(|(key, _)| EXPERIMENTS.contains(&key.experiment))
}

/// Computes the tables with intervals of level `confidence`.
///
/// # Errors
/// If g, os or or was not measured, or neither round trips nor a latency were.
pub fn measured_tables(cells: &MeasuredCells, confidence: f64) -> Result<MeasuredPLogP, FitError> {
    let parts = PLogPInputs::of(cells, confidence)?;
    let (latency, latency_doubt) = parts.latency(cells)?;
    let [gap, message] = parts.gaps_and_messages(Seconds(latency.value));
    let [send_overhead, receive_overhead] = [&parts.sends, &parts.receives].map(|medians| {
        let row = |median: &SizeMedian| parts.row(median.size, median.time, &[median.variance]);
        medians.iter().map(row).collect::<Vec<PLogPRow>>()
    });
    let round_trips = parts.round_trips.iter();
    let short_round_trips = round_trips.filter(|median| parts.leaves_no_gap(median.time));
    let short_sizes: Vec<Bytes> = short_round_trips.map(|median| median.size).collect();
    let tables = PLogPParameters {
        latency: Seconds(latency.value),
        gap: table("g", &gap)?,
        send_overhead: table("os", &send_overhead)?,
        receive_overhead: table("or", &receive_overhead)?,
    };
    let plogp = PLogP::new(tables)?;
    let small = plogp.sizes_with_small_gap(EPSILON);
    let doubts = [
        latency_doubt,
        (!small.is_empty()).then_some(PLogPDoubt::SmallGap(small)),
        (!short_sizes.is_empty()).then_some(PLogPDoubt::ShortRoundTrip(short_sizes)),
        drift(cells, parts.empty_gap.size),
    ];
    Ok(MeasuredPLogP {
        plogp,
        latency,
        gap,
        send_overhead,
        receive_overhead,
        message,
        doubts: doubts.into_iter().flatten().collect(),
    })
}

/// Inputs of the tables.
struct PLogPInputs {
    /// RTT(m), m > 0.
    round_trips: Vec<SizeMedian>,
    /// RTT(0).
    empty_round_trip: Option<SizeMedian>,
    /// g(0).
    empty_gap: SizeMedian,
    /// g(m) of floods, m > 0.
    floods: Vec<SizeMedian>,
    sends: Vec<SizeMedian>,
    receives: Vec<SizeMedian>,
    confidence: f64,
}

impl PLogPInputs {
    fn of(cells: &MeasuredCells, confidence: f64) -> Result<Self, FitError> {
        let [mut round_trips, sends, receives, mut floods] =
            EXPERIMENTS.map(|experiment| size_medians(cells, experiment));
        for (medians, what) in [(&sends, "os"), (&receives, "or"), (&floods, "g(0)")] {
            refuse_too_few(format!("{what} of pLogP"), medians.len(), 1)?;
        }
        let empty_gap = floods.remove(0);
        let is_empty = |median: &&SizeMedian| median.size == Bytes(0);
        let empty_round_trip = round_trips.first().filter(is_empty).copied();
        round_trips.retain(|median| median.size > Bytes(0));
        if !round_trips.is_empty() {
            refuse_too_few(NO_ROUND_TRIP, empty_round_trip.iter().count(), 1)?;
        }
        Ok(Self {
            round_trips,
            empty_round_trip,
            empty_gap,
            floods,
            sends,
            receives,
            confidence,
        })
    }

    /// True if a round trip is at most RTT(0) − g(0), which leaves no gap.
    fn leaves_no_gap(&self, round_trip: Seconds) -> bool {
        let empty = self.empty_round_trip.map(|empty| empty.time - self.empty_gap.time);
        empty.is_some_and(|least| round_trip <= least)
    }

    /// g(m) and L + g(m), ascending in m.
    fn gaps_and_messages(&self, latency: Seconds) -> [Vec<PLogPRow>; 2] {
        let empty_gap = self.empty_gap;
        let half = self.empty_round_trip.map(|empty| empty.variance.scaled(0.25));
        let flooded = |median: &SizeMedian| {
            let mut of_message = vec![median.variance];
            of_message.extend(half);
            of_message.extend(half.map(|_| empty_gap.variance));
            [
                self.row(median.size, median.time, &[median.variance]),
                self.row(median.size, latency + median.time, &of_message),
            ]
        };
        let mut rows = BTreeMap::from([(empty_gap.size, flooded(&empty_gap))]);
        if let (Some(empty), Some(half)) = (self.empty_round_trip, half) {
            let half_round_trip = empty.time * 0.5;
            let of_empty = [
                self.row(Bytes(0), empty_gap.time, &[empty_gap.variance]),
                self.row(Bytes(0), half_round_trip, &[half]),
            ];
            rows.insert(Bytes(0), of_empty);
            for median in &self.round_trips {
                let is_short = self.leaves_no_gap(median.time);
                let base = if is_short { empty.shortest } else { empty.time };
                let gap = gap_from_round_trips(median.time, base, empty_gap.time);
                let of_gap = [median.variance, empty.variance, empty_gap.variance];
                let both = [
                    self.row(median.size, gap, &of_gap),
                    self.row(median.size, median.time - half_round_trip, &[median.variance, half]),
                ];
                rows.insert(median.size, both);
            }
        }
        rows.extend(self.floods.iter().map(|median| (median.size, flooded(median))));
        [0, 1].map(|which: usize| rows.values().map(|both| both[which]).collect())
    }

    /// L, with a doubt if it had to be raised to zero.
    fn latency(&self, cells: &MeasuredCells) -> Result<(IntervalEstimate, Option<PLogPDoubt>), FitError> {
        let estimate = |time, parts: &[Variance]| self.row(Bytes(0), time, parts).estimate;
        let Some(empty) = self.empty_round_trip else {
            let stated = size_medians(cells, Experiment::Latency);
            refuse_too_few(NO_ROUND_TRIP, stated.len(), 1)?;
            return Ok((estimate(stated[0].time, &[stated[0].variance]), None));
        };
        let (half_round_trip, gap) = (empty.time * 0.5, self.empty_gap.time);
        let parts = [empty.variance.scaled(0.25), self.empty_gap.variance];
        let doubt = (half_round_trip <= gap).then_some(PLogPDoubt::NoLatency { half_round_trip, gap });
        Ok((estimate(latency(empty.time, gap), &parts), doubt))
    }

    /// Row of a value that is the sum of parts with these variances. Its interval does not reach
    /// below zero.
    fn row(&self, size: Bytes, value: Seconds, parts: &[Variance]) -> PLogPRow {
        let estimate = IntervalEstimate::around(value.0, parts, self.confidence);
        PLogPRow {
            size,
            estimate: IntervalEstimate {
                lower: estimate.lower.max(0.0),
                ..estimate
            },
            variance: Variance::sum(parts),
        }
    }
}

/// Missing measurement if there are neither round trips nor a latency.
const NO_ROUND_TRIP: &str = "RTT(0) of pLogP";

fn table(name: &'static str, rows: &[PLogPRow]) -> Result<SizeTable, FitError> {
    let sizes_and_values = rows.iter().map(|row| (row.size, Seconds(row.estimate.value)));
    Ok(SizeTable::new(name, sizes_and_values.collect())?)
}

/// Doubt if the first and the second half of the repetitions of g(0) differ by more than ε and by
/// more than their errors.
fn drift(cells: &MeasuredCells, size: Bytes) -> Option<PLogPDoubt> {
    let gap_cells = cells.of_experiment(Experiment::Gap);
    let size_cells = gap_cells.filter(|(key, _)| key.size == size);
    let samples: Vec<&Sample> = size_cells.flat_map(|(_, rows)| &rows.samples).copied().collect();
    let last = samples.iter().map(|sample| sample.repetition).max()?;
    let halves = samples.iter().partition(|sample| sample.repetition <= last / 2);
    let (first_half, second_half): (Vec<&Sample>, Vec<&Sample>) = halves;
    let median_of = |half: &[&Sample]| medians_of_samples(half).into_values().next();
    let (first, second) = (median_of(&first_half)?, median_of(&second_half)?);
    let difference = (second.time - first.time).0;
    let error = (first.variance.value + second.variance.value).sqrt();
    let is_visible = difference.abs() > (EPSILON * first.time.0).max(3.0 * error);
    is_visible.then_some(PLogPDoubt::Unsaturated {
        first: first.time,
        second: second.time,
    })
}

#[cfg(test)]
mod tests {
    use itertools::Itertools;

    use super::*;
    use crate::fit::testing;

    /// L = 50 µs, g(m) = 10 µs + 10 ns·m, os = 5 µs + 4 ns·m, or = 6 µs + 5 ns·m.
    fn truth(experiment: Experiment, m: f64) -> f64 {
        match experiment {
            Experiment::RoundTrip => 120e-6 + 1e-8 * m,
            Experiment::SendOverhead => 5e-6 + 4e-9 * m,
            Experiment::ReceiveOverhead => 6e-6 + 5e-9 * m,
            _ => 1e-5 + 1e-8 * m,
        }
    }

    fn all() -> Vec<(Experiment, u64, u32, f64)> {
        use Experiment::{Gap, ReceiveOverhead, RoundTrip, SendOverhead};
        let three = [RoundTrip, SendOverhead, ReceiveOverhead];
        let cells = three.into_iter().cartesian_product([0, 1024, 65536]);
        // A stall in eleven repetitions, and an error of one in a thousand.
        let errors = (0..11).map(|number| 1.0 + 1e-3 * (f64::from(number % 5) - 2.0));
        let repeated = |(experiment, size)| {
            let time = truth(experiment, size as f64);
            let stall = |number| if number == 10 { 0.2 } else { 0.0 };
            let times = errors.clone().enumerate();
            times.map(move |(number, error)| (experiment, size, 0, time * error + stall(number)))
        };
        cells.chain([(Gap, 0)]).flat_map(repeated).collect()
    }

    /// The tables of samples between two processes.
    fn tables(rows: impl IntoIterator<Item = (Experiment, u64, u32, f64)>) -> Result<MeasuredPLogP, FitError> {
        measured_tables(&MeasuredCells::of(&testing::data(rows)), 0.95)
    }

    #[test]
    fn a_known_network_comes_back_in_spite_of_stalls() {
        let found = tables(all()).unwrap();
        for (estimate, expected) in [
            (found.latency, 50e-6),
            (found.gap[0].estimate, 10e-6),
            (found.gap[1].estimate, 20.24e-6),
            (found.gap[2].estimate, 665.36e-6),
            (found.send_overhead[1].estimate, 9.096e-6),
            (found.receive_overhead[2].estimate, 333.68e-6),
        ] {
            let interval = estimate.lower..=estimate.upper;
            assert!(interval.contains(&expected), "{estimate:?}");
            let width = estimate.upper - estimate.lower;
            let is_close = (estimate.value / expected - 1.0).abs() < 0.01;
            assert!(is_close && width < 0.1 * expected, "{estimate:?}");
        }
        assert_eq!(found.doubts, []);
        let gap = Seconds(found.gap[1].estimate.value);
        assert_eq!(found.plogp.g(Bytes(1024)), gap);
    }

    #[test]
    fn floods_override_and_impossible_values_are_doubted() {
        let mut rows = all();
        rows.retain(|row| (row.0, row.1) != (Experiment::RoundTrip, 65536));
        for row in rows.iter_mut().filter(|row| row.0 == Experiment::Gap) {
            row.3 = 70e-6;
        }
        rows.push((Experiment::RoundTrip, 65536, 0, 30e-6));
        rows.push((Experiment::Gap, 1024, 0, 9e-6));
        let found = tables(rows).unwrap();
        assert_eq!(found.gap[1].estimate.value.to_bits(), 9e-6f64.to_bits());
        assert_eq!(found.latency.value.to_bits(), 0f64.to_bits());
        let doubts = &found.doubts[..];
        assert!(matches!(doubts[0], PLogPDoubt::NoLatency { .. }), "{doubts:?}");
        let small = PLogPDoubt::SmallGap(vec![Bytes(1024), Bytes(65536)]);
        let short = PLogPDoubt::ShortRoundTrip(vec![Bytes(65536)]);
        assert_eq!(doubts[1..], [small, short]);
    }

    /// Tables of other programs have no round trips but a latency, and no repetitions.
    #[test]
    fn stated_tables_serve_as_they_are() {
        let stated = [
            ("gap", 0, 1e-5),
            ("gap", 1024, 2e-5),
            ("send_overhead", 0, 1e-6),
            ("receive_overhead", 0, 2e-6),
            ("latency", 0, 5e-5),
        ];
        let rows = stated.map(|(kind, size, time)| format!("{kind},,,2,{size},0,0,{time},mean\n"));
        let data = crate::testing::read("", ",statistic", &rows.concat());
        let found = measured_tables(&MeasuredCells::of(&data), 0.95).unwrap();
        let expected = Seconds(7e-5);
        assert!((found.plogp.message(Bytes(1024)) / expected - 1.0).abs() < 1e-12);
        let wide = |row: &&PLogPRow| row.estimate.lower < row.estimate.upper;
        assert_eq!(found.gap.iter().find(wide), None);
    }

    #[test]
    fn a_drift_of_the_empty_gap_is_told() {
        let mut data = testing::data(all());
        for (number, sample) in (0..).zip(&mut data.samples) {
            sample.repetition = number % 11;
            if sample.cell.experiment == Experiment::Gap && sample.repetition <= 5 {
                sample.time = sample.time * 1.5;
            }
        }
        let doubts = measured_tables(&MeasuredCells::of(&data), 0.95).unwrap().doubts;
        let [PLogPDoubt::Unsaturated { .. }] = doubts[..] else {
            panic!("{doubts:?}")
        };
    }

    #[test]
    fn what_was_not_measured_is_named() {
        for (experiment, name) in [
            (Experiment::Gap, "g(0)"),
            (Experiment::SendOverhead, "os"),
            (Experiment::ReceiveOverhead, "or"),
        ] {
            let rows = all().into_iter().filter(|row| row.0 != experiment);
            let error = tables(rows).unwrap_err();
            assert!(error.to_string().starts_with(&format!("{name} of pLogP")));
        }
    }
}
