//! The parameters of pairs, which every model of a collective is based on, and the clusters of the ranks.

use itertools::Itertools as _;
use netsig_base::algorithm::{Collective, SizePattern};
use netsig_base::data::cells::{CellKey, MeasuredCells, Statistic};
use netsig_base::data::{Experiment, cluster_facts};
use netsig_base::network::ClusterGrid;
use netsig_base::text::sanitised::excerpt;
use netsig_base::units::{Bytes, Procs, Seconds, SecondsPerByte};

use super::{NetworkFitOptions, measured_algorithms};
use crate::fit::hockney::{self, HockneyFit, HockneyVariances};
use crate::fit::point_to_point::{self, PointToPointFits};
use crate::fit::{FailedFit, FitError, MeasuredPoint, points};
use crate::model::ClusteredRanks;
use crate::model::hockney::Hockney;
use crate::model::plogp::PLogP;
use crate::model::regimes::{self, TrafficPattern, WireTime};

/// The fits of pairs.
pub(super) struct PairFits {
    /// The ping-pong, or the points that replace it.
    pub(super) ping_pong: Vec<MeasuredPoint>,
    /// Process count of the collective that replaces a missing ping-pong; `None` with a ping-pong.
    pub(super) substitute_procs: Option<Procs>,
    pub(super) hockney: HockneyFit,
    /// Variances of α and β.
    pub(super) hockney_variances: HockneyVariances,
    /// pLogP tables, given or else measured.
    pub(super) plogp: Option<PLogP>,
    pub(super) point_to_point: PointToPointFits,
    /// Clusters of the hosts with the times between them, if the data name them.
    pub(super) grid: Option<ClusterGrid>,
    pub(super) clusters: Option<ClusteredRanks>,
}

/// Fits the pairs.
///
/// # Errors
/// If there is neither a usable ping-pong nor a collective in its place.
pub(super) fn fit(cells: &MeasuredCells, options: &NetworkFitOptions) -> Result<PairFits, FailedFit> {
    let measured_ping_pong = ping_pong_points(cells);
    let substitute = ping_pong_substitute(cells).filter(|_| measured_ping_pong.is_empty());
    let substitute_procs = substitute.as_ref().map(|(procs, _)| *procs);
    let ping_pong = substitute.map_or(measured_ping_pong, |(_, points)| points);
    if ping_pong.is_empty() {
        refuse_unknown_messages(cells).map_err(FailedFit::of("ping-pong"))?;
    }
    let confidence = options.model.confidence;
    let hockney_fit = match hockney::fit_ends(&ping_pong, confidence) {
        Err(_) if substitute_procs.is_some() => hockney::fit_roughly(&ping_pong, confidence),
        found => found,
    };
    let (hockney, hockney_variances) = hockney_fit.map_err(FailedFit::of("ping-pong"))?;
    let point_to_point = point_to_point::fit(cells, confidence);
    let measured = point_to_point.plogp.as_ref();
    let tables = measured.map(|measured| &measured.plogp);
    let plogp = options.plogp.as_ref().or(tables).cloned();
    let grid = cluster_facts::grid(cells.provenance);
    let known_grid = grid.as_ref();
    let clusters = known_grid.and_then(|grid| clustered(cells, grid, &hockney.model()));
    Ok(PairFits {
        ping_pong,
        substitute_procs,
        hockney,
        hockney_variances,
        plogp,
        point_to_point,
        grid,
        clusters,
    })
}

/// Refuses data of collectives alone whose messages are not known.
fn refuse_unknown_messages(cells: &MeasuredCells) -> Result<(), FitError> {
    let measured = excerpt(&measured_algorithms(cells).join(", "));
    if measured.is_empty() {
        Ok(())
    } else {
        Err(FitError::NoPairs { measured })
    }
}

/// The ping-pong, each size once. If files state several process counts for it, the one nearest to two is taken.
fn ping_pong_points(cells: &MeasuredCells) -> Vec<MeasuredPoint> {
    let is_ping_pong = |key: &CellKey| key.experiment == Experiment::PingPong;
    let mut points = points(&cells.summaries, Statistic::Median, is_ping_pong);
    points.sort_by_key(|point| (point.size, point.procs.get().abs_diff(2)));
    points.dedup_by_key(|point| point.size);
    points
}

/// Largest size of a collective in place of a ping-pong where the eager limit is not known: the
/// usual limit of MPI libraries.
const USUAL_LIMIT: Bytes = Bytes(64 << 10);

/// Least number of sizes below the limit; with fewer, all sizes are taken.
const LEAST_SIZES: usize = 4;

/// The times of one message below the eager limit, in the collective among the fewest processes, in place of a
/// ping-pong. Contention among more processes is then relative to theirs. An all-to-all comes before other collectives.
/// The time of a message is that of the collective divided by the number of messages that follow one another.
fn ping_pong_substitute(cells: &MeasuredCells) -> Option<(Procs, Vec<MeasuredPoint>)> {
    let pattern_of = |key: &CellKey| match key.experiment {
        Experiment::Collective(collective) if key.procs.get() > 1 => {
            Some((collective, TrafficPattern::of(collective, &key.algorithm)?))
        }
        _ => None,
    };
    let described = cells.summaries.keys().filter_map(|key| Some((key, pattern_of(key)?)));
    let first_described = described.min_by_key(|(key, (collective, _))| {
        (
            *collective != Collective::Alltoall,
            key.procs,
            *collective,
            key.algorithm.clone(),
        )
    });
    let (first, (_, pattern)) = first_described?;
    let limit = cells.provenance.eager_limit().unwrap_or(USUAL_LIMIT);
    let points_below = |limit: Bytes| {
        points(&cells.summaries, Statistic::Median, |key| {
            let is_same = key.experiment == first.experiment && key.algorithm == first.algorithm;
            is_same && key.procs == first.procs && key.size < limit
        })
    };
    let mut points = points_below(limit);
    if points.len() < LEAST_SIZES {
        points = points_below(Bytes(u64::MAX));
    }
    let wire = WireTime::proportional(SecondsPerByte(0.0));
    for point in &mut points {
        let case = regimes::RegimesPoint {
            procs: point.procs,
            size: point.size,
            network: None,
            pieces: SizePattern::Equal.into(),
        };
        point.time = Seconds(point.time.0 / pattern.traffic(&wire, case).startups.max(1.0));
    }
    Some((first.procs, points))
}

/// The clusters of the ranks.
fn clustered(cells: &MeasuredCells, grid: &ClusterGrid, network: &Hockney) -> Option<ClusteredRanks> {
    let layout = cluster_facts::layout(cells.provenance, "")?;
    let taking_part = cluster_facts::participating_ranks(cells.provenance);
    Some(ClusteredRanks::new(grid, layout, taking_part, network))
}
