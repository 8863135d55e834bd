//! Helpers for tests of this crate and of crates that use it, which include this file by its path.

use netsig_base::units::Procs;

pub(crate) fn procs(count: u32) -> Procs {
    Procs::new(count).unwrap()
}
