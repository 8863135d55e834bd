//! Delays of links between switches: the delayed links, and the warning if this machine cannot hold frames back.

use itertools::Itertools;
use netsig_base::network::{Link, LinkId, Network};
use netsig_base::units::Seconds;

/// Set in a lab without delays: the links whose delay is emulated as 0.
pub(crate) const UNDELAYED: &str = "NETSIG_LAB_UNDELAYED_LINKS";

/// The longest delay of a link: the frames under way are in memory.
pub(crate) const LONGEST_DELAY: Seconds = Seconds(1.0);

/// Emulation of delays in the lab.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DelayEmulation {
    /// Frames are held back.
    Emulated,
    /// All delays are 0.
    Zero,
}

/// The cables between switches with a delay, by the first of their two links.
pub(crate) fn delayed(network: &Network) -> impl Iterator<Item = (LinkId, &Link)> {
    cables_between_switches(network).filter(|(_, link)| link.delay.0 > 0.0)
}

/// Each connection of two switches once, by the first of its two links.
pub(crate) fn cables_between_switches(network: &Network) -> impl Iterator<Item = (LinkId, &Link)> {
    let links = (0..).map(LinkId).zip(network.links());
    links.filter(|(id, link)| id.0 < id.reverse().0 && !network.is_host(link.from) && !network.is_host(link.to))
}

/// The names of the delayed links, as in `a -> b, b -> c`; `None` if there are none.
pub(crate) fn names(network: &Network) -> Option<String> {
    let link_names = delayed(network).map(|(id, _)| network.link_name(id));
    let names = link_names.format(", ").to_string();
    (!names.is_empty()).then_some(names)
}

/// The warning that this machine emulates the delays of `network` as 0, for the reason `lacking`,
/// which ends in a remedy.
pub(crate) fn warning(network: &Network, lacking: &str) -> Option<String> {
    let names = names(network)?;
    Some(format!(
        "{}: the delay of {names} is emulated as 0, since this machine has no tap devices: {lacking}",
        network.name
    ))
}
