//! The network that every run measures: a scenario that netsig ships, with Open MPI and a profile of the
//! all-to-all alone, learned in a minute on half of its hosts.
//!
//! Here the time saved that the report names is held against the truth (`saved`), and integer sorts run,
//! whose `MPI_Alltoallv` the profile of the all-to-all has to serve (`sorts`).

use anyhow::{Context as _, Result};
use netsig_base::network::named::SHIPPED;
use netsig_base::network::{Network, Port};
use netsig_base::units::{BitsPerSecond, BytesPerSecond, Seconds};

use super::{programs, saved, sorts};
use crate::draw::Drawn;
use crate::effort::Effort;
use crate::learn::{self, EXCHANGE};
use crate::site::Site;

/// The scenario.
const NETWORK: &str = "ethernet-12x40";

/// The results on the network.
pub(super) struct Outcome {
    pub(super) saved: Vec<saved::Row>,
    pub(super) sorts: Vec<programs::Row>,
    pub(super) notes: Vec<String>,
}

/// Measures what is missing; without results if there is no profile. `npb` is the program IS.
pub(super) fn outcome(benchmark: &str, npb: Option<&str>, effort: Effort) -> Result<Outcome> {
    let drawn = drawn()?;
    let site = Site::new(benchmark, &drawn.name)?;
    let made = learn::made(&drawn, &site, &[&EXCHANGE], effort)?;
    let notes = made.notes.iter().map(|note| format!("{NETWORK}: {note}"));
    let about = format!(
        "{NETWORK}: {}, {}; {:.0} s for the profile",
        drawn.whole.summary(),
        drawn.mpi,
        made.seconds
    );
    let mut outcome = Outcome {
        saved: Vec::new(),
        sorts: Vec::new(),
        notes: std::iter::once(about).chain(notes).collect(),
    };
    if made.profile.is_some() {
        outcome.saved = saved::rows(&drawn, &site, effort)?;
        outcome.sorts = sorts::rows(&drawn, &site, npb, effort)?;
    }
    Ok(outcome)
}

/// The scenario and its half.
fn drawn() -> Result<Drawn> {
    let (_, text) = SHIPPED
        .iter()
        .find(|(name, _)| *name == NETWORK)
        .context("the scenario is shipped")?;
    let whole = Network::parse(NETWORK, text)?;
    let rate = BitsPerSecond::from(BytesPerSecond(1.0 / whole.host_gap().0));
    let port = Port::new(rate, whole.host_buffer());
    let mut half = Network::star(whole.hosts().get() / 2, port)?;
    half.name = format!("{NETWORK}-half");
    half.congestion_control
        .clone_from(&whole.congestion_control);
    Ok(Drawn {
        name: NETWORK.to_owned(),
        whole,
        half,
        quarter: None,
        mpi: "openmpi",
        delay: Seconds(0.0),
    })
}
