//! The fixed network of every run: a scenario of netsig, with Open MPI and a profile of the all-to-all alone, learned
//! in a minute on half of its hosts.
//!
//! The saved time of the report is compared with the truth (`saved`). Integer sorts run, whose `MPI_Alltoallv` uses the
//! profile of the all-to-all (`sorts`).

use anyhow::{Context as _, Result};
use netsig_base::network::named::SHIPPED_SCENARIOS;
use netsig_base::network::{LinkSpec, Network};
use netsig_base::units::{BitsPerSecond, BytesPerSecond, Seconds};

use super::{programs, saved, sorts};
use crate::harness::campaign::BenchNetwork;
use crate::harness::draw::DrawnNetwork;
use crate::harness::effort::BenchEffort;
use crate::harness::learn::{self, ALLTOALL_CAMPAIGN};

/// The scenario.
const NETWORK: &str = "ethernet-12x40";

/// The results on the network.
pub(super) struct FixedOutcome {
    pub(super) saved: Vec<saved::SavedRow>,
    pub(super) sorts: Vec<programs::ProgramRow>,
    pub(super) notes: Vec<String>,
}

/// Measures missing data; has no results without a profile. `npb` is the program IS.
pub(super) fn measure(benchmark: &str, npb: Option<&str>, effort: BenchEffort) -> Result<FixedOutcome> {
    let bench_network = BenchNetwork::new(benchmark, effort, fixed_network()?)?;
    let made = learn::make_profile(&bench_network, &[&ALLTOALL_CAMPAIGN])?;
    let seconds = made.seconds;
    let about = format!("{}; {seconds:.0} s for the profile", bench_network.drawn.summary());
    let notes = std::iter::once(about).chain(made.notes);
    let mut outcome = FixedOutcome {
        saved: Vec::new(),
        sorts: Vec::new(),
        notes: notes.map(|note| format!("{NETWORK}: {note}")).collect(),
    };
    if made.profile.is_some() {
        outcome.saved = saved::rows(&bench_network)?;
        outcome.sorts = sorts::rows(&bench_network, npb)?;
    }
    Ok(outcome)
}

/// The scenario and its half.
fn fixed_network() -> Result<DrawnNetwork> {
    let (_, text) = SHIPPED_SCENARIOS
        .iter()
        .find(|(name, _)| *name == NETWORK)
        .context("the scenario is shipped")?;
    let whole = Network::parse(NETWORK, text)?;
    let rate = BitsPerSecond::from(BytesPerSecond(1.0 / whole.host_gap().0));
    let port = LinkSpec::new(rate, whole.host_buffer());
    let mut half = Network::star(whole.hosts().get() / 2, port)?;
    half.name = format!("{NETWORK}-half");
    half.congestion_control.clone_from(&whole.congestion_control);
    Ok(DrawnNetwork {
        name: NETWORK.to_owned(),
        whole,
        half,
        quarter: None,
        mpi: "openmpi",
        delay: Seconds(0.0),
    })
}
