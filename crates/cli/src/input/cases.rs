//! The common options of `predict` and `select`: profile, collective, process counts and sizes.

use std::path::{Path, PathBuf};

use itertools::iproduct;
use netsig_base::algorithm::{Collective, PairSizes};
use netsig_base::units::list::QuantityList;
use netsig_base::units::{Bytes, Procs};
use netsig_model::predict::answer::refuse_single;
use netsig_model::predict::outside_domain::ExtrapolationRule;

use super::failure::Failure;
use super::files;

/// Process counts and sizes of a collective, and the profile to predict them from.
#[derive(clap::Args)]
pub struct CaseArgs {
    /// The profile that `netsig fit` wrote; - is standard input.
    pub profile: PathBuf,
    /// The collective: alltoall, alltoallv, allgather, bcast, scatter, gather, allreduce, reduce, reduce-scatter,
    /// reduce-scatter-block or barrier.
    #[arg(long)]
    pub collective: Collective,
    /// Process counts: 8,16,32 or 8..64 (doubling) or 8..64+8 (steps).
    #[arg(
        long,
        value_name = "LIST",
        allow_hyphen_values = true,
        required_unless_present = "exchange"
    )]
    procs: Option<QuantityList<Procs>>,
    /// Bytes per destination (of a bcast: of the message; of a reduction: of the whole vector; of a barrier: none), as
    /// for --procs, with kB MB KiB MiB.
    #[arg(long, alias = "sizes", value_name = "LIST", allow_hyphen_values = true)]
    size: Option<QuantityList<Bytes>>,
    /// Sizes of an alltoallv from pair to pair, in place of --procs and --size. The file is a square matrix of bytes
    /// (row i holds the messages of process i), or arcs under the header `from,to,size_bytes`.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["procs", "size"])]
    exchange: Option<PathBuf>,
    /// Ranks on each host, as a check: any other number than in the measurements is refused [default: as measured].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub ppn: Option<u32>,
}

/// Treatment of cases far outside the measured range, by --extrapolate.
pub fn too_far(extrapolate: bool) -> ExtrapolationRule {
    if extrapolate {
        ExtrapolationRule::Extrapolated
    } else {
        ExtrapolationRule::Refused
    }
}

/// The requested sizes of a collective: 0 alone for a barrier.
///
/// # Errors
/// If no sizes are given to another collective, or sizes to a barrier.
pub fn sizes_of(collective: Collective, given: Option<&QuantityList<Bytes>>) -> Result<Vec<Bytes>, Failure> {
    match given.map(QuantityList::items) {
        None if collective == Collective::Barrier => Ok(vec![Bytes(0)]),
        None => Err(Failure::usage(
            "--size is missing; give sizes, such as --size 1KiB..256KiB",
        )),
        Some(sizes) if collective == Collective::Barrier && sizes != [Bytes(0)] => {
            Err(Failure::usage("a barrier has no data; leave out --size"))
        }
        Some(sizes) => Ok(sizes.to_vec()),
    }
}

/// The cases to predict.
pub struct RequestedCases {
    /// Process counts, at least one.
    pub procs: Vec<Procs>,
    /// Sizes, at least one; of pieces that differ their mean.
    pub sizes: Vec<Bytes>,
    /// Sizes from pair to pair, if given.
    pub pair_sizes: Option<PairSizes>,
}

impl CaseArgs {
    /// The cells.
    ///
    /// # Errors
    /// If the exchange cannot be read, or belongs to another collective than alltoallv, or of a single process; if
    /// sizes are missing, or a barrier has any.
    pub fn cases(&self) -> Result<RequestedCases, Failure> {
        let parsed_pairs = self.exchange.as_deref().map(|path| self.read_pair_sizes(path));
        let pair_sizes = parsed_pairs.transpose()?;
        let of_exchange = pair_sizes.iter().map(|pairs| (pairs.procs(), pairs.mean()));
        let (mut procs, mut sizes): (Vec<_>, Vec<_>) = of_exchange.unzip();
        procs.extend(self.procs.iter().flat_map(QuantityList::items));
        if self.exchange.is_none() {
            sizes = sizes_of(self.collective, self.size.as_ref())?;
        }
        refuse_single(&procs)?;
        Ok(RequestedCases {
            procs,
            sizes,
            pair_sizes,
        })
    }

    fn read_pair_sizes(&self, path: &Path) -> Result<PairSizes, Failure> {
        if self.collective != Collective::Alltoallv {
            return Err(Failure::usage(format!(
                "--exchange has the sizes of an alltoallv; give --collective alltoallv, not {}",
                self.collective
            )));
        }
        Ok(netsig_model::model::exchange::parse_pair_sizes(
            &files::name(path),
            &files::text(path)?,
        )?)
    }
}

impl RequestedCases {
    /// All combinations of process counts and sizes.
    pub fn combinations(&self) -> impl Iterator<Item = (Procs, Bytes)> + Clone {
        let all = iproduct!(&self.procs, &self.sizes);
        all.map(|(&procs, &size)| (procs, size))
    }
}
