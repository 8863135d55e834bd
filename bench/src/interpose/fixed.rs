//! The network that every run measures: a scenario that netsig ships, with Open MPI and a profile of the
//! all-to-all alone, learned in a minute on half of its hosts.
//!
//! Here the time saved that the report names is held against the truth (`saved`), and integer sorts run,
//! whose `MPI_Alltoallv` the profile of the all-to-all has to serve (`sorts`).

use anyhow::{Context as _, Result};
use netsig_base::network::named::SHIPPED;
use netsig_base::network::{Network, Port};
use netsig_base::units::{BitsPerSecond, BytesPerSecond, Seconds};

use super::{BENCHMARK, programs, saved, sorts};
use crate::harness::campaign::NetworkSite;
use crate::harness::draw::DrawnNetwork;
use crate::harness::effort::BenchEffort;
use crate::harness::learn::{self, EXCHANGE};

/// The scenario.
const NETWORK: &str = "ethernet-12x40";

/// The results on the network.
pub(super) struct FixedOutcome {
    pub(super) saved: Vec<saved::SavedRow>,
    pub(super) sorts: Vec<programs::ProgramRow>,
    pub(super) notes: Vec<String>,
}

/// Measures what is missing; without results if there is no profile. `npb` is the program IS.
pub(super) fn outcome(npb: Option<&str>, effort: BenchEffort) -> Result<FixedOutcome> {
    let site = NetworkSite::new(BENCHMARK, effort, drawn()?)?;
    let made = learn::made(&site, &[&EXCHANGE])?;
    let seconds = made.seconds;
    let about = format!("{}; {seconds:.0} s for the profile", site.drawn.summary());
    let notes = std::iter::once(about).chain(made.notes);
    let mut outcome = FixedOutcome {
        saved: Vec::new(),
        sorts: Vec::new(),
        notes: notes.map(|note| format!("{NETWORK}: {note}")).collect(),
    };
    if made.profile.is_some() {
        outcome.saved = saved::rows(&site)?;
        outcome.sorts = sorts::rows(&site, npb)?;
    }
    Ok(outcome)
}

/// The scenario and its half.
fn drawn() -> Result<DrawnNetwork> {
    let (_, text) = SHIPPED
        .iter()
        .find(|(name, _)| *name == NETWORK)
        .context("the scenario is shipped")?;
    let whole = Network::parse(NETWORK, text)?;
    let rate = BitsPerSecond::from(BytesPerSecond(1.0 / whole.host_gap().0));
    let port = Port::new(rate, whole.host_buffer());
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
