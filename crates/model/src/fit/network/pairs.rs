//! The parameters of pairs, which every model of a collective is based on, and the clusters of the ranks.

use itertools::Itertools as _;
use netsig_base::algorithm::{Collective, Sizes};
use netsig_base::data::cells::{CellKey, MeasuredCells, Statistic};
use netsig_base::data::{Experiment, places};
use netsig_base::network::Grid;
use netsig_base::text::shown::excerpt;
use netsig_base::units::{Bytes, Procs, Seconds, SecondsPerByte};

use super::{Options, measured};
use crate::fit::hockney::{self, BaseError, HockneyFit};
use crate::fit::point_to_point::{self, PointToPoint};
use crate::fit::{FailedFit, FitError, Point, points};
use crate::model::Clustered;
use crate::model::hockney::Hockney;
use crate::model::plogp::PLogP;
use crate::model::regimes::{self, Pattern, Wire};

/// The fits of pairs.
pub(super) struct PairFits {
    /// The ping-pong, or what stands in for it.
    pub(super) ping_pong: Vec<Point>,
    /// Process count of the collective that stands in for a missing ping-pong, if it does.
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
/// If there is neither a usable ping-pong nor a collective in its place.
pub(super) fn fit(cells: &MeasuredCells, options: &Options) -> Result<PairFits, FailedFit> {
    let ping_pong = between_pairs(cells);
    let substitute = in_place_of_pairs(cells).filter(|_| ping_pong.is_empty());
    let without_pairs = substitute.as_ref().map(|(procs, _)| *procs);
    let ping_pong = substitute.map_or(ping_pong, |(_, points)| points);
    if ping_pong.is_empty() {
        refuse_unknown(cells).map_err(FailedFit::of("ping-pong"))?;
    }
    let confidence = options.model.confidence;
    let hockney = match hockney::fit_ends(&ping_pong, confidence) {
        Err(_) if without_pairs.is_some() => hockney::rough(&ping_pong, confidence),
        found => found,
    };
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

/// Refuses data of collectives alone whose messages are not known.
fn refuse_unknown(cells: &MeasuredCells) -> Result<(), FitError> {
    let measured = excerpt(&measured(cells).join(", "));
    if measured.is_empty() {
        Ok(())
    } else {
        Err(FitError::NoPairs { measured })
    }
}

/// The ping-pong, each size once: of several process counts that files state for it the one nearest to two.
fn between_pairs(cells: &MeasuredCells) -> Vec<Point> {
    let is_ping_pong = |key: &CellKey| key.experiment == Experiment::PingPong;
    let mut points = points(&cells.summaries, Statistic::Median, is_ping_pong);
    points.sort_by_key(|point| (point.size, point.procs.get().abs_diff(2)));
    points.dedup_by_key(|point| point.size);
    points
}

/// Largest size of a collective in place of a ping-pong where the eager limit is not known: the
/// usual limit of MPI libraries.
const USUAL_LIMIT: Bytes = Bytes(64 << 10);

/// Least number of sizes below the limit; of fewer, all sizes count.
const LEAST_SIZES: usize = 4;

/// The time of one message in the collective among the fewest processes, below the eager limit, in place
/// of a ping-pong: contention among more processes is then relative to theirs. An all-to-all comes before
/// other collectives; of these a message is one of those that follow one another.
fn in_place_of_pairs(cells: &MeasuredCells) -> Option<(Procs, Vec<Point>)> {
    let pattern = |key: &CellKey| match key.experiment {
        Experiment::Collective(own) if key.procs.get() > 1 => Some((own, Pattern::of(own, &key.algorithm)?)),
        _ => None,
    };
    let described = cells.summaries.keys().filter_map(|key| Some((key, pattern(key)?)));
    let first =
        described.min_by_key(|(key, (own, _))| (*own != Collective::Alltoall, key.procs, *own, key.algorithm.clone()));
    let (first, (_, pattern)) = first?;
    let limit = cells.provenance.eager_limit().unwrap_or(USUAL_LIMIT);
    let up_to = |limit: Bytes| {
        points(&cells.summaries, Statistic::Median, |key| {
            let is_same = key.experiment == first.experiment && key.algorithm == first.algorithm;
            is_same && key.procs == first.procs && key.size < limit
        })
    };
    let mut points = up_to(limit);
    if points.len() < LEAST_SIZES {
        points = up_to(Bytes(u64::MAX));
    }
    let wire = Wire::straight(SecondsPerByte(0.0));
    for point in &mut points {
        let case = regimes::Point {
            procs: point.procs,
            size: point.size,
            network: None,
            pieces: Sizes::Equal.into(),
        };
        point.time = Seconds(point.time.0 / pattern.traffic(&wire, case).startups.max(1.0));
    }
    Some((first.procs, points))
}

/// The clusters of the ranks.
fn clustered(cells: &MeasuredCells, grid: &Grid, network: &Hockney) -> Option<Clustered> {
    let layout = places::layout(cells.provenance, "")?;
    let places = (layout, places::taking_part(cells.provenance));
    Some(Clustered::new(grid, places, network))
}
