//! Equality of algorithms.

use std::hash::{Hash, Hasher};

use super::setting::SettingValues;
use super::{Algorithm, Collective};

impl Algorithm {
    /// Values that distinguish algorithms; every entry has a name of its own.
    fn key(&self) -> (Collective, &'static str, SettingValues) {
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
