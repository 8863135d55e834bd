//! The parameters of pairs, which every model of a collective is based on, and the clusters of the ranks.

use netsig_base::algorithm::Collective;
use netsig_base::data::cells::{CellKey, MeasuredCells, Statistic};
use netsig_base::data::{Experiment, places};
use netsig_base::network::Grid;
use netsig_base::units::{Bytes, Procs, Seconds};

use super::Options;
use crate::fit::hockney::{self, BaseError, HockneyFit};
use crate::fit::point_to_point::{self, PointToPoint};
use crate::fit::{FailedFit, Point, points};
use crate::model::Clustered;
use crate::model::hockney::Hockney;
use crate::model::plogp::PLogP;

/// The fits of pairs.
pub(super) struct PairFits {
    /// The ping-pong, or what stands in for it.
    pub(super) ping_pong: Vec<Point>,
    /// Process count of the all-to-all that stands in for a missing ping-pong, if it does.
    pub(super) without_pairs: Option<Procs>,
    pub(super) hockney: HockneyFit,
    /// Variances of α and β.
    pub(super) base_error: BaseError,
    /// pLogP tables, given or else measured.
    pub(super) plogp: Option<PLogP>,
    pub(super) point_to_point: PointToPoint,
    /// Clusters of the hosts with the times between them, if the data name them.
    pub(super) grid: Option<Grid>,
    pub(super) clusters: Option<Clustered>,
}

/// Fits the pairs.
///
/// # Errors
/// If there is neither a usable ping-pong nor an all-to-all in its place.
pub(super) fn fit(cells: &MeasuredCells, options: &Options) -> Result<PairFits, FailedFit> {
    let ping_pong = between_pairs(cells);
    let substitute = in_place_of_pairs(cells).filter(|_| ping_pong.is_empty());
    let without_pairs = substitute.as_ref().map(|(procs, _)| *procs);
    let ping_pong = substitute.map_or(ping_pong, |(_, points)| points);
    let confidence = options.model.confidence;
    let hockney = hockney::fit_ends(&ping_pong, confidence);
    let (hockney, base_error) = hockney.map_err(FailedFit::of("ping-pong"))?;
    let point_to_point = point_to_point::fit(cells, confidence);
    let measured = point_to_point.plogp.as_ref();
    let tables = measured.map(|measured| &measured.plogp);
    let plogp = options.plogp.as_ref().or(tables).cloned();
    let grid = places::grid(cells.provenance);
    let clusters = grid.as_ref();
    let clusters = clusters.and_then(|grid| clustered(cells, grid, &hockney.model()));
    Ok(PairFits {
        ping_pong,
        without_pairs,
        hockney,
        base_error,
        plogp,
        point_to_point,
        grid,
        clusters,
    })
}

/// The ping-pong, each size once: of several process counts that files state for it the one nearest to two.
fn between_pairs(cells: &MeasuredCells) -> Vec<Point> {
    let is_ping_pong = |key: &CellKey| key.experiment == Experiment::PingPong;
    let mut points = points(&cells.summaries, Statistic::Median, is_ping_pong);
    points.sort_by_key(|point| (point.size, point.procs.get().abs_diff(2)));
    points.dedup_by_key(|point| point.size);
    points
}

/// Largest size of an all-to-all in place of a ping-pong where the eager limit is not known: the
/// usual limit of MPI libraries.
const USUAL_LIMIT: Bytes = Bytes(64 << 10);

/// The time of one partner's message in the all-to-all among the fewest processes, below the eager
/// limit, in place of a ping-pong: contention among more processes is then relative to theirs.
fn in_place_of_pairs(cells: &MeasuredCells) -> Option<(Procs, Vec<Point>)> {
    let limit = cells.provenance.eager_limit().unwrap_or(USUAL_LIMIT);
    let is_alltoall = |key: &CellKey| {
        let alltoall = Experiment::Collective(Collective::Alltoall);
        key.experiment == alltoall && key.procs.get() > 1 && key.size < limit
    };
    let own = cells.summaries.keys().filter(|key| is_alltoall(key));
    let first = own.min_by_key(|key| (key.procs, key.algorithm.clone()))?;
    let mut points = points(&cells.summaries, Statistic::Median, |key| {
        is_alltoall(key) && key.procs == first.procs && key.algorithm == first.algorithm
    });
    for point in &mut points {
        point.time = Seconds(point.time.0 / point.procs.partners());
    }
    Some((first.procs, points))
}

/// The clusters of the ranks.
fn clustered(cells: &MeasuredCells, grid: &Grid, network: &Hockney) -> Option<Clustered> {
    let layout = places::layout(cells.provenance, "")?;
    let places = (layout, places::taking_part(cells.provenance));
    Some(Clustered::new(grid, places, network))
}
