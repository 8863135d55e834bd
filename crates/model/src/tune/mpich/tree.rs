//! MPICH's tree of conditions: nested objects whose order counts, and its place in the library file.

use std::fmt;

use netsig_base::algorithm::COLLECTIVES;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use super::name;
use crate::tune::is_tuned_collective;

/// Conditions in order, each with the tree behind it; a leaf is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MpichTree(pub Vec<(String, MpichTree)>);

/// First bytes of a tree in a library file.
const BEGIN: &[u8] = b"{\"collective=";

/// Beginning of the keys that name algorithms for all networks.
const ALGORITHM: &str = "algorithm=MPIR_";

impl MpichTree {
    /// The tree behind a condition.
    pub fn branch_mut(&mut self, key: &str) -> Option<&mut Self> {
        let mut all = self.0.iter_mut();
        all.find(|(condition, _)| condition == key).map(|(_, tree)| tree)
    }

    /// As JSON, in the order of the tree.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("texts and objects have a JSON form")
    }

    /// True if every leaf names an algorithm for all networks.
    fn is_generic(&self) -> bool {
        let is_leaf = |key: &str, tree: &Self| tree.0.is_empty() && key.starts_with(ALGORITHM);
        let mut all = self.0.iter();
        all.all(|(key, tree)| is_leaf(key, tree) || (!tree.0.is_empty() && tree.is_generic()))
    }

    /// True if the tree serves every collective that rules are written for.
    fn is_complete(&self) -> bool {
        let has = |name: String| self.0.iter().any(|(key, _)| *key == name);
        let mut ruled = COLLECTIVES
            .iter()
            .filter(|collective| is_tuned_collective(**collective));
        ruled.all(|collective| has(format!("collective={}", name(*collective))))
    }
}

/// The library's own tree for all networks and collectives; `None` if there is none. In the bytes of the library
/// file it is a text that ends in a zero byte.
pub fn generic_tree(library: &[u8]) -> Option<MpichTree> {
    let starts = places(library);
    let mut trees = starts.filter_map(|start| {
        let text = library[start..].split(|byte| *byte == 0).next()?;
        serde_json::from_slice::<MpichTree>(text).ok()
    });
    trees.find(|tree| tree.is_complete() && tree.is_generic())
}

/// Places of [`BEGIN`].
fn places(library: &[u8]) -> impl Iterator<Item = usize> {
    let braces = library.iter().enumerate().filter(|(_, byte)| **byte == BEGIN[0]);
    braces
        .map(|(place, _)| place)
        .filter(|place| library[*place..].starts_with(BEGIN))
}

impl<'de> Deserialize<'de> for MpichTree {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct MpichTreeVisitor;
        impl<'de> Visitor<'de> for MpichTreeVisitor {
            type Value = MpichTree;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("conditions")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<MpichTree, A::Error> {
                let mut all = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    all.push(entry);
                }
                Ok(MpichTree(all))
            }
        }
        from.deserialize_map(MpichTreeVisitor)
    }
}

impl Serialize for MpichTree {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.0.iter().map(|(key, tree)| (key, tree)))
    }
}
