//! Provenance as a section of a file: one key per fact.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use netsig_base::data::Provenance;

pub(super) fn serialize<S: Serializer>(facts: &Provenance, to: S) -> Result<S::Ok, S::Error> {
    facts.iter().collect::<BTreeMap<_, _>>().serialize(to)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Provenance, D::Error> {
    let facts = BTreeMap::<String, String>::deserialize(from)?;
    let mut provenance = Provenance::default();
    for (key, value) in &facts {
        provenance.push(key, value);
    }
    Ok(provenance)
}
