//! A measurement plan: reads TOML, lists the cells to measure, and writes TOML.
//!
//! The order of cells is random but determined by the plan's seed and the launch. All ranks compute the same order,
//! and congestion after one size does not always affect the same next size.

mod cell;
mod number;
pub mod provenance;
mod settings;
mod stored;
mod variant;

use std::sync::Arc;

use netsig_base::algorithm::{
    AlltoallPhases, ClusterLayout, CollectiveCall, CollectiveMethod, ReductionOperands, Schedule,
};
use netsig_base::network::{ClusterGrid, Network};
use netsig_base::units::{Bytes, Procs};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use strum::{Display, EnumIs};

pub use cell::{PlanCell, TimedOperation};
pub use netsig_base::data::JobId;
pub use settings::{FloodedSizes, PLogPSettings, SizeRange};
pub use variant::PlanVariant;

/// The largest message: MPI counts bytes in a C int.
pub(crate) const LARGEST_MESSAGE: u64 = (1 << 31) - 1;

/// A measurement plan.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasurementPlan {
    /// Seed of the order of cells and of a simulated transport's noise.
    pub seed: u64,
    /// Number of launches (starts of the MPI jobs); each measures every cell.
    pub launches: u32,
    /// Relative half-width of the 95 % confidence interval of a cell's median at which its
    /// repetitions stop; `None`: all repetitions are carried out.
    pub precision: Option<f64>,
    /// Method of the common start of the ranks.
    pub synchronisation: Synchronisation,
    /// Operation and type of the elements of reductions.
    pub operands: ReductionOperands,
    /// Settings of the pLogP measurement, if planned.
    pub plogp: Option<PLogPSettings>,
    /// The network, for algorithms that follow the links between its switches.
    pub network: Option<Network>,
    /// The clusters of the hosts with the times between them, for algorithms that follow them.
    pub grid: Option<ClusterGrid>,
    /// All cells of one launch in the order of the file, at least one; all have passed the check.
    pub(crate) cells: Vec<PlanCell>,
}

/// Method of the common start of the ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Display, EnumIs)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Synchronisation {
    /// A barrier of netsig's own; each rank measures the time from its own exit from the barrier.
    #[default]
    Barrier,
    /// An agreed time on the common clock; a late rank invalidates the repetition.
    Window,
}

impl MeasurementPlan {
    /// True if a schedule depends on the links between switches, but the plan lacks them.
    pub fn lacks_links(&self) -> bool {
        let mut methods = self.cells.iter().filter_map(PlanCell::method);
        self.network.is_none() && methods.any(|method| method.follows_links())
    }

    /// True if a schedule depends on the clusters of the ranks, but the plan lacks them.
    pub fn lacks_clusters(&self) -> bool {
        let mut methods = self.cells.iter().filter_map(PlanCell::method);
        self.grid.is_none() && methods.any(|method| method.follows_clusters())
    }

    /// netsig's schedule of a cell for the clusters of its ranks; `None` if netsig does not schedule it.
    pub fn schedule(&self, cell: &PlanCell, layout: Option<ClusterLayout>) -> Option<Schedule> {
        let Some(CollectiveMethod::Schedule(algorithm)) = cell.method() else {
            return None;
        };
        let phases = || AlltoallPhases::of(self.network.as_ref()?, cell.procs);
        let is_phased = cell.method()?.follows_links();
        let call = CollectiveCall {
            phases: is_phased.then(phases).flatten().map(Arc::new),
            layout,
            element: self.operands.element().bytes(),
            ..CollectiveCall::new(cell.procs, cell.size)
        };
        let served = algorithm.serve(&call);
        Some(served.expect("every algorithm serves root 0 and pieces of one size"))
    }

    /// Operation and type of the elements, if the plan has reductions.
    pub fn reduced_operands(&self) -> Option<ReductionOperands> {
        self.cells.iter().any(PlanCell::is_reduction).then_some(self.operands)
    }

    /// The plan with collectives that start at agreed times, and with trials in place of warm-up repetitions.
    #[must_use]
    pub fn with_windows(mut self) -> Self {
        self.synchronisation = Synchronisation::Window;
        for cell in &mut self.cells {
            if matches!(cell.operation, TimedOperation::Collective(..)) {
                cell.warmup = 0;
            }
        }
        self
    }

    /// The cells of a launch in the order of the file.
    pub fn cells(&self) -> &[PlanCell] {
        &self.cells
    }

    /// Checks that all cells can be measured.
    ///
    /// # Errors
    /// If a cell cannot be measured; the text describes the first one.
    pub fn check(&self) -> Result<(), String> {
        self.cells.iter().try_for_each(|cell| cell.check(self.operands))
    }

    /// The cells of a job in their random order of measurement.
    pub fn order(&self, job: JobId) -> Vec<PlanCell> {
        let mut cells = self.cells.clone();
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(u64::from(job.launch));
        cells.shuffle(&mut rng);
        let variants = self.variants();
        let variant = variants.iter().find(|it| it.number == job.variant);
        cells.retain(|cell| variant.is_some_and(|variant| variant.measures(cell)));
        cells
    }

    /// The largest process count of any cell.
    pub fn procs(&self) -> Procs {
        self.cells
            .iter()
            .map(|cell| cell.procs)
            .max()
            .expect("a plan measures something")
    }

    /// The largest total [`volume`] of the whole plan's recorded repetitions.
    pub fn volume(&self) -> u64 {
        let of = |cell: &PlanCell| {
            let rows = self.rows(cell).into_iter();
            rows.map(|(size, count)| count * volume(cell.procs, size)).sum::<u64>()
        };
        self.cells.iter().map(of).sum::<u64>() * u64::from(self.launches)
    }

    /// Largest number of samples of the whole plan; for pLogP, at its initial sizes only.
    pub fn samples(&self) -> u64 {
        let rows = self.cells.iter().flat_map(|cell| self.rows(cell));
        rows.map(|(_, count)| count).sum::<u64>() * u64::from(self.launches)
    }

    /// Sizes of a cell and the largest number of samples of each, in one launch.
    fn rows(&self, cell: &PlanCell) -> Vec<(Bytes, u64)> {
        let once = u64::from(cell.repetitions);
        match (cell.operation, &self.plogp) {
            (TimedOperation::Flows, _) => vec![(cell.size, once * u64::from(cell.flows()))],
            (TimedOperation::PLogP, Some(settings)) => {
                let sizes = settings.initial_sizes().into_iter();
                sizes
                    .map(|size| (size, 3 * u64::from(settings.most_of(size))))
                    .collect()
            }
            _ => vec![(cell.size, once)],
        }
    }
}

/// The volume of one repetition, (n−1)·(m + 1000) in bytes: the unit of progress and remaining
/// time. The 1000 bytes stand for the start-up of a message.
pub fn volume(procs: Procs, size: Bytes) -> u64 {
    const START_UP: u64 = 1000;
    u64::from(procs.get() - 1) * (size.0 + START_UP)
}

#[cfg(test)]
mod tests {
    use netsig_base::algorithm::DOUBLE;

    use super::*;

    const TEXT: &str = include_str!("plan/everything.toml");

    fn plan(text: &str) -> MeasurementPlan {
        MeasurementPlan::parse("plan.toml", text).unwrap()
    }

    /// Fails to end soon if each cell is compared with all others.
    #[test]
    fn many_cells_are_read() {
        let text = "[[collective]]\nname = \"alltoall\"\nalgorithms = [\"direct\"]\nprocs = \"2..31+1\"\n\
                    sizes = \"1..10000+1\"\nrepetitions = 1\n";
        assert_eq!(plan(text).cells().len(), 300_000);
    }

    /// The plan, its cells, the defaults of pLogP, and the plan as it is written.
    #[test]
    fn everything_a_plan_can_say_is_read_and_written() {
        let plan = plan(TEXT);
        let cell = |cell: &PlanCell| {
            let (warmup, repetitions) = (cell.warmup, cell.repetitions);
            format!("{cell}, {warmup} and {repetitions} times\n")
        };
        let cells: String = plan.cells.iter().map(cell).collect();
        let head = MeasurementPlan {
            cells: Vec::new(),
            ..plan.clone()
        };
        let bare = MeasurementPlan::parse("p", "[plogp]").unwrap().plogp;
        let written = plan.to_toml();
        assert_eq!(MeasurementPlan::parse("again", &written).unwrap(), plan);
        insta::assert_snapshot!(format!("{head:?}\n{cells}{bare:?}\n\n{written}"));
    }

    /// Two parts of 2^30 and 2^30 - 1 bytes: together the largest message.
    #[test]
    fn the_largest_message_can_be_sent_and_divided() {
        plan("[pingpong]\nsizes = \"2147483647\"\nrepetitions = 1");
        for (algorithm, procs) in [("scatter-allgather", 3), ("pipeline:1MiB", 3), ("library:chain", 2)] {
            let plan = plan(&format!(
                "[[collective]]\nname = \"bcast\"\nalgorithms = [{algorithm:?}]\nprocs = {procs}\n\
                 sizes = 2147483647\nrepetitions = 1\n"
            ));
            let extent = plan.cells()[0].extent(DOUBLE);
            assert_eq!(extent.blocks.bytes(extent.division), 2 * 2_147_483_647);
        }
    }

    #[test]
    fn every_launch_has_its_own_order_of_the_same_cells() {
        let plan = plan(TEXT);
        let order = |launch| plan.order(JobId { launch, variant: 0 });
        let [first, again, second] = [0, 0, 1].map(order);
        assert_eq!(first, again);
        assert_ne!(first, second);
        assert!(first.iter().all(|cell| second.contains(cell)));
    }

    /// Bruck among 8: a message of 4 blocks; 8 blocks in, 8 out and 5 on their way. Segmented: 8 ranks with
    /// 2·8 messages of 2^18 segments.
    #[test]
    fn faults_are_one_line_with_place_and_remedy() {
        let relayed = TEXT.replace("throttled:2", "bruck:2");
        let segmented = TEXT.replace("throttled:2", "pairwise-segmented:1");
        let faults = [
            (TEXT, "seed", "sead"),
            (TEXT, "\"2.5%\"", "\"2.5\""),
            (TEXT, "\"2.5%\"", "1.0"),
            (TEXT, "\"0, 1..4\"", "\"2GiB\""),
            (TEXT, "1..64KiB", "1, 4GiB"),
            (TEXT, "most = 9", "most = 2"),
            (TEXT, "most = 9", "confidence = 0.5"),
            (TEXT, "most = 9", "epsilon = 0.0"),
            (TEXT, "[1, 2, 4]", "3000000000"),
            (TEXT, "1MiB", "0"),
            (TEXT, "\"alltoall\"", "\"reduction\""),
            (TEXT, "throttled:2", "ring"),
            (TEXT, "throttled:2", "direct"),
            (TEXT, "[4, 8]", "[0]"),
            (TEXT, "[4, 8]", "1"),
            (TEXT, "256, 1KiB", "4k"),
            (TEXT, "256, 1KiB", "0"),
            (TEXT, "256, 1KiB", "8GiB"),
            (&relayed, "256, 1KiB", "256, 512MiB"),
            (&relayed, "256, 1KiB", "256, 800MiB"),
            (&segmented, "256, 1KiB", "256KiB"),
            (TEXT, "repetitions = 5", "repetitions = 0"),
            (TEXT, TEXT, "seed = 1"),
        ];
        let reports = faults.map(|(text, old, new)| {
            assert!(text.contains(old), "{old}");
            let error = MeasurementPlan::parse("plan.toml", &text.replacen(old, new, 1)).unwrap_err();
            let old = if old == TEXT { "all" } else { old };
            format!("{old} → {new}\n  {error}\n")
        });
        insta::assert_snapshot!(reports.concat());
    }

    /// The whole vector is cut between elements; that of a reduce-scatter in equal blocks also into n of them.
    #[test]
    fn sizes_of_reductions_are_whole_elements() {
        let refusal = |collective: &str, sizes: &str, operands: &str| {
            let text = format!(
                "reduction = {operands:?}\n[[collective]]\nname = {collective:?}\nalgorithms = [\"library\"]\n\
                 procs = [3, 4]\n{sizes}\nrepetitions = 1\n"
            );
            let refused = MeasurementPlan::parse("plan.toml", &text).err();
            refused.map_or("accepted".to_owned(), |error| error.to_string())
        };
        let lines = [
            ("allreduce", "sizes = \"8,800\"", "sum:double"),
            ("allreduce", "sizes = \"8,100\"", "sum:double"),
            ("allreduce", "sizes = \"100\"", "max:float"),
            ("allreduce", "sizes = \"0\"", "sum:double"),
            ("allreduce", "", "sum:double"),
            ("allreduce", "sizes = \"8\"", "band:double"),
            ("allreduce", "sizes = \"8\"", "sum"),
            ("reduce-scatter", "sizes = \"8\"", "sum:double"),
            ("reduce-scatter-block", "sizes = \"96\"", "sum:double"),
            ("reduce-scatter-block", "sizes = \"48\"", "sum:double"),
            ("barrier", "", "sum:double"),
            ("barrier", "sizes = \"0\"", "sum:double"),
            ("barrier", "sizes = \"8\"", "sum:double"),
        ]
        .map(|(collective, sizes, operands)| {
            format!(
                "{collective} {sizes} {operands}\n  {}\n",
                refusal(collective, sizes, operands)
            )
        });
        insta::assert_snapshot!(lines.concat());
    }

    /// With 2^28 bytes on average, rank 0 has 3.35 times as many for the last of eight ranks.
    #[test]
    fn places_of_pieces_must_be_numbers_of_mpi() {
        let text = |size: &str| {
            format!(
                "[[collective]]\nname = \"alltoallv-skewed\"\nalgorithms = [\"library\"]\nprocs = 8\n\
                 sizes = {size:?}\nrepetitions = 1\n"
            )
        };
        let error = MeasurementPlan::parse("plan.toml", &text("256MiB")).unwrap_err();
        let refused = error.to_string();
        let remedy = "has an array of 27 times 268435456 bytes; write sizes up to 79536431 bytes";
        assert!(refused.contains(remedy), "{refused}");
        let cell = plan(&text("64MiB")).cells[0];
        assert_eq!(cell.pairs().unwrap().largest(), cell.extent(DOUBLE).division.size());
    }

    #[test]
    fn initial_sizes_double() {
        let mut settings = PLogPSettings::default();
        let [smallest, largest] = [3, 20].map(Bytes);
        settings.sizes = SizeRange { smallest, largest };
        assert_eq!(settings.initial_sizes(), [0, 3, 6, 12, 20].map(Bytes));
    }
}
