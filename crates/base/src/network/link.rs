//! Numbers of hosts, switches and links, and the properties of a link.

use crate::units::{Bytes, BytesPerSecond, Seconds};

/// Number of a host or a switch: first all hosts, then all switches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Vertex(pub u32);

impl Vertex {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }

    pub(super) fn of(index: usize) -> Self {
        Self(u32::try_from(index).expect("at most 2^20 hosts and 2^20 switches"))
    }
}

/// Number of a link: one direction of a cable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkId(pub u32);

impl LinkId {
    /// The other direction of the same cable.
    #[must_use]
    pub fn reverse(self) -> Self {
        Self(self.0 ^ 1)
    }

    /// The number as an index into a table of all links.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One direction of a cable.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// The sending end.
    pub from: Vertex,
    /// The receiving end.
    pub to: Vertex,
    /// Rate in bytes per second.
    pub rate: BytesPerSecond,
    /// Buffer of the sending end's port; a full port drops. A host never drops its own messages,
    /// although a link that leaves a host has the value of its cable.
    pub buffer: Bytes,
    /// The propagation delay.
    pub delay: Seconds,
}

/// A full-duplex connection of a host and a switch, or of two switches: two links.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Cable {
    pub(super) ends: [Vertex; 2],
    pub(super) rate: BytesPerSecond,
    pub(super) buffer: Bytes,
    pub(super) delay: Seconds,
}

impl Cable {
    /// The two directions.
    pub(super) fn links(&self) -> [Link; 2] {
        let [a, b] = self.ends;
        let link = |from, to| Link {
            from,
            to,
            rate: self.rate,
            buffer: self.buffer,
            delay: self.delay,
        };
        [link(a, b), link(b, a)]
    }
}
