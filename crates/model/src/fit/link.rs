//! Least time in which the bytes of a collective can pass a link: a shorter time shows a wrong unit or clock. The
//! module also finds cells that stalled in every repetition.
//!
//! # Formula
//! T ≥ β·B, with β of the ping-pong and B the bytes that some process must send or receive:
//!
//! | collective | B |
//! |---|---|
//! | alltoall, scatter, gather, allgather | (n−1)·m |
//! | bcast, reduce, allreduce | m |
//! | reduce-scatter | (n−1)·m/n |
//!
//! In an allreduce some process sends nearly 2·m, unless the network itself combines.
//!
//! # Domain
//! Processes with links of their own: if `placement` says that ranks share hosts, or imported data do not state it,
//! memory may carry bytes in place of links. Fewer bytes than [`LEAST_JUDGED`] are not judged, because buffers and
//! burst allowances may take them faster. A ping-pong of smaller messages judges nothing: its β may be that of
//! start-ups.
//!
//! # Source
//! The bytes of the busiest port, `claim2` of `netsig bounds`, for these collectives.

use netsig_base::algorithm::Collective;
use netsig_base::data::cells::{CellKey, CellRows, CellSummary, MeasuredCells, Statistic, summarise};
use netsig_base::data::{Dataset, Experiment, Sample, mixture};
use netsig_base::network::LINUX_RTO;
use netsig_base::text::counted;
use netsig_base::units::{Bytes, Seconds, SecondsPerByte};

use crate::fit::{hockney, points};

/// Least number of bytes over a link whose time is judged.
pub const LEAST_JUDGED: Bytes = Bytes(64 << 10);

/// Share of the least time below which a time is impossible, for any error of β.
const IMPOSSIBLE_SHARE: f64 = 0.5;

/// Least number of repetitions of a cell that counts as stalled.
const LEAST_REPETITIONS: usize = 3;

/// The level of the interval of β, which is not used.
const CONFIDENCE: f64 = 0.95;

/// A cell whose time is impossible.
#[derive(Debug, Clone, PartialEq, derive_more::Display)]
#[display(
    "{}: {time} is less than half of the {floor} that its {bytes} take over a link at the ping-pong's rate",
    shown(cell)
)]
pub struct TooFastCell {
    /// The cell.
    pub cell: CellKey,
    /// The median of the repetitions.
    pub time: Seconds,
    /// Least time of its bytes.
    pub floor: Seconds,
    /// Number of these bytes.
    pub bytes: Bytes,
}

/// Cells that stalled in every repetition.
#[derive(Debug, Clone, PartialEq, derive_more::Display)]
#[display(
    "{} stalled in every repetition (first: {}): the network never showed its unstalled time there, and the models count the stall as certain",
    counted(*count as u64, "cell", "cells"),
    shown(first)
)]
pub struct StalledCells {
    /// The first stalled cell.
    pub first: CellKey,
    /// Number of stalled cells.
    pub count: usize,
}

/// β of the ping-pongs of all `files` together; `None` if none reaches [`LEAST_JUDGED`].
pub fn gap(files: &[&Dataset]) -> Option<SecondsPerByte> {
    let mut pairs = Dataset::default();
    for data in files {
        pairs.append(data.subset(|place| place.experiment == Experiment::PingPong));
    }
    gap_of(&MeasuredCells::of(&pairs))
}

/// β of the ping-pongs; `None` if none reaches [`LEAST_JUDGED`].
pub fn gap_of(cells: &MeasuredCells) -> Option<SecondsPerByte> {
    let is_ping_pong = |key: &CellKey| key.experiment == Experiment::PingPong;
    let points = points(&cells.summaries, Statistic::Median, is_ping_pong);
    let reaches = points.iter().any(|point| point.size >= LEAST_JUDGED);
    let fit = hockney::fit_ends(&points, CONFIDENCE).ok();
    fit.filter(|_| reaches).map(|(fit, _)| fit.model().beta())
}

/// First cell of `data` that takes less than half of the time of its bytes at `gap`.
pub fn too_fast(data: &Dataset, gap: SecondsPerByte) -> Option<TooFastCell> {
    if !has_own_links(data) {
        return None;
    }
    let judged = |(cell, summary): (CellKey, CellSummary)| {
        let bytes = bytes_over_a_link(&cell).filter(|bytes| *bytes >= LEAST_JUDGED)?;
        let (time, floor) = (summary.median, gap * bytes);
        (time < floor * IMPOSSIBLE_SHARE).then_some(TooFastCell {
            cell,
            time,
            floor,
            bytes,
        })
    };
    summarise(data).into_iter().find_map(judged)
}

/// Cells with at least three repetitions, all of which stalled. In a stalled repetition a retransmission timer or a
/// tail-loss probe expired, and it took at least 200 ms longer than its bytes at `gap`. Cells whose bytes take 200 ms
/// or more are left out, because contention alone may delay them as much.
pub fn stalled(cells: &MeasuredCells, gap: SecondsPerByte) -> Option<StalledCells> {
    let has_stalled = |(cell, rows): &(&CellKey, &CellRows)| {
        let link_time = bytes_over_a_link(cell).map(|bytes| gap * bytes);
        let least = link_time.filter(|time| *time < LINUX_RTO).map(|time| time + LINUX_RTO);
        let is_stalled = |sample: &&Sample| {
            let losses = [sample.losses.rtos, sample.losses.tail_probes];
            losses.iter().flatten().any(|count| *count > 0) && least.is_some_and(|least| sample.time >= least)
        };
        rows.samples.len() >= LEAST_REPETITIONS && rows.samples.iter().all(is_stalled)
    };
    let mut stalled = cells.iter().filter(has_stalled);
    let (first, _) = stalled.next()?;
    Some(StalledCells {
        first: first.clone(),
        count: 1 + stalled.count(),
    })
}

/// Bytes that some process must send or receive; `None` if the cell is no collective.
fn bytes_over_a_link(cell: &CellKey) -> Option<Bytes> {
    let Experiment::Collective(collective) = cell.experiment else {
        return None;
    };
    let procs = u64::from(cell.procs.get());
    let (partners, size) = (procs - 1, cell.size.0);
    Some(Bytes(match collective {
        Collective::Bcast | Collective::Reduce | Collective::Allreduce => size * partners.min(1),
        Collective::ReduceScatter | Collective::ReduceScatterBlock => size / procs * partners,
        Collective::Barrier => 0,
        // Of pieces that differ, the busiest process has at least the mean.
        _ => size.saturating_mul(partners),
    }))
}

/// True if each process has a link of its own, as far as the data state it.
fn has_own_links(data: &Dataset) -> bool {
    match mixture::ranks_per_host(&data.provenance) {
        Some(most) => most == 1,
        None => data.provenance.get("imported_from").is_none(),
    }
}

fn shown(cell: &CellKey) -> String {
    let name = match cell.experiment {
        Experiment::Collective(collective) => format!("{collective} {}", cell.algorithm),
        _ => cell.algorithm.to_string(),
    };
    format!("{name}, {} processes, {}", cell.procs, cell.size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::read;

    /// 80 Mbit/s.
    const GAP: f64 = 1e-7;

    /// Ping-pongs up to `largest`, and a collective of 5 processes with its size and time.
    fn data(facts: &str, largest: u64, name: &str, size: u64, time: f64) -> Dataset {
        let pair = |size: u64| format!("pingpong,,,2,{size},0,0,{}\n", 1e-4 + GAP * size as f64);
        let pairs = [1, 2, 4, 8, 16].map(|part| pair(largest / part)).concat();
        let cell = format!("collective,{name},direct,5,{size},0,0,{time}\n");
        read(facts, "", &(pairs + &cell))
    }

    fn judged(data: &Dataset) -> Option<TooFastCell> {
        too_fast(data, gap(&[data]).unwrap())
    }

    /// Four blocks of 32 KiB are 131072 B, which take 13.1072 ms; half of that is 6.5536 ms. A
    /// broadcast need pass one message only.
    #[test]
    fn the_root_and_every_member_of_an_exchange_pass_all_other_blocks() {
        let of = |name, size, time| judged(&data("", 1 << 18, name, size, time));
        for name in ["scatter", "gather", "allgather", "alltoall"] {
            let found = of(name, 32 << 10, 6.55e-3).unwrap();
            assert_eq!(found.bytes, Bytes(131_072));
            assert!((found.floor.0 / 13.1072e-3 - 1.0).abs() < 1e-6, "{found:?}");
            assert_eq!(of(name, 32 << 10, 6.56e-3), None);
        }
        for name in ["bcast", "reduce", "allreduce"] {
            assert!(of(name, 128 << 10, 6.55e-3).is_some(), "{name}");
        }
        // Four fifths of 160 KiB.
        assert_eq!(of("reduce-scatter", 160 << 10, 6.55e-3).unwrap().bytes, Bytes(131_072));
        assert_eq!(of("barrier", 0, 1e-9), None);
        assert_eq!(of("bcast", 32 << 10, 1e-9), None);
    }

    #[test]
    fn what_buffers_or_memory_may_carry_is_not_judged() {
        for (fact, size, is_judged) in [
            ("placement=a:1,b:1", 16_384, true),
            ("placement=a:1,b:1", 16_383, false),
            ("placement=a:1,b:2", 16_384, false),
            ("imported_from=osu", 16_384, false),
        ] {
            let fast = data(&format!("#@{fact}\n"), 1 << 18, "alltoall", size, 1e-9);
            assert_eq!(judged(&fast).is_some(), is_judged, "{fact}");
        }
        // A ping-pong of small messages tells no rate.
        let small = data("", 32 << 10, "alltoall", 1 << 20, 1e-9);
        assert_eq!(gap(&[&small]), None);
        assert_eq!(gap(&[&Dataset::default()]), None);
    }

    /// The bytes of the cell take 26.2 ms. Each row has a time, the expired timers and the probes.
    #[test]
    fn a_cell_stalls_when_all_of_its_repetitions_do() {
        let all = |times: &[&str]| {
            let cell = "collective,alltoall,direct,5,65536";
            let numbered_times = times.iter().enumerate();
            let rows = numbered_times.map(|(number, time)| format!("{cell},{number},0,{time}\n"));
            let data = read("", ",rtos,tail_probes", &rows.collect::<String>());
            let found = stalled(&MeasuredCells::of(&data), SecondsPerByte(GAP));
            found.map(|found| (found.first.size.0, found.count))
        };
        let (by_timer, by_probe) = ("0.23,1,0", "0.5,0,2");
        assert_eq!(all(&[by_timer, by_probe, by_timer]), Some((65536, 1)));
        for other in ["0.22,1,", "0.5,0,0", "0.5,,"] {
            assert_eq!(all(&[by_timer, by_probe, other]), None, "{other}");
        }
        assert_eq!(all(&[by_timer, by_probe]), None);
    }
}
