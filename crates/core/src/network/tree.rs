//! The links of a tree of switches, and how many processes lie behind each.

use crate::units::parameter::{ParameterError, non_negative};
use crate::units::{Bytes, SecondsPerByte};

/// A link between two switches, or between a switch and its hosts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// How many processes are on its far side.
    pub below: u32,
    /// Its gap per byte in one direction.
    pub gap: SecondsPerByte,
    /// The buffer before it, beyond which packets are dropped; the bound takes no notice.
    pub buffer: Bytes,
}

/// The links of a tree.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree(Vec<Link>);

impl Tree {
    /// A tree with these links.
    ///
    /// # Errors
    /// If a gap is negative or not finite.
    pub fn new(links: Vec<Link>) -> Result<Self, ParameterError> {
        for link in &links {
            non_negative("gap", link.gap.0)?;
        }
        Ok(Self(links))
    }

    /// The links.
    pub fn links(&self) -> &[Link] {
        &self.0
    }
}
