//! Networks: scenarios that the lab emulates, graphs and trees that only the simulator knows.

pub mod binary_tree;
pub mod description;
pub mod scenario;
pub mod topology;
pub mod tree;

use std::ops::Range;
use std::str::FromStr;

use serde::Deserialize;

use crate::units::{self, ParseQuantityError, Seconds};

/// What TCP in Linux waits at least for an acknowledgement before it sends again (RFC 6298 asks for
/// a second).
pub const LINUX_RTO: Seconds = Seconds(0.2);

/// A quantity that a file writes as text with its unit.
#[derive(Deserialize)]
#[serde(transparent, bound = "T: FromStr<Err = ParseQuantityError>")]
struct Text<T>(#[serde(deserialize_with = "units::from_text")] T);

/// A fault and where in the text of a file it stands.
type Fault = (Range<usize>, String);
