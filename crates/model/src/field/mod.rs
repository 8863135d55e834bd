//! γ as a field: the ratio of the time to the contention-free time of the algorithm, learned over process
//! counts and sizes as far as the data go, with a deviation that grows beyond them.
//!
//! The papers' constant γ and their step at M are special cases. The formula is in [`crate::model::field`].

mod entry;
mod fit;
mod forecast;
mod free;
mod ground;
mod kernel;
mod nodes;
mod process;
mod table;

pub use self::entry::{FieldEntry, FieldFit};

pub use self::forecast::FieldForecast;
pub use self::free::FieldWire;
pub use self::ground::{FieldGround, FieldPairs};
pub use self::kernel::FieldPrior;
pub use self::table::{FieldRatio, FieldTable};
