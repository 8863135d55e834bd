//! γ as a field: the ratio of the time to the contention-free time of the algorithm, over process counts and sizes.
//! It is learned from the data; its deviation grows beyond them.
//!
//! The papers' constant γ and their step at M are special cases. The formula is in [`crate::model::field`].

mod contention_free;
mod context;
mod entry;
mod fit;
mod forecast;
mod gaussian_process;
mod kernel;
mod nodes;
mod table;

pub use self::entry::{FieldEntry, FieldFit};

pub use self::contention_free::FieldWire;
pub use self::context::{FieldContext, FieldPointToPoint};
pub use self::forecast::FieldForecast;
pub use self::kernel::FieldPrior;
pub use self::table::{FieldRatio, FieldTable};
