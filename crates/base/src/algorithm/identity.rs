//! When two algorithms are the same.

use std::hash::{Hash, Hasher};

use super::setting::Values;
use super::{Algorithm, Collective};

impl Algorithm {
    /// What tells one from another; an entry has a name of its own.
    fn key(&self) -> (Collective, &'static str, Values) {
        (self.collective, self.entry.name, self.values)
    }
}

impl PartialEq for Algorithm {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Algorithm {}

impl Hash for Algorithm {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}
