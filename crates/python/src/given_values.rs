//! Arguments whose refusals name their keyword: collectives, algorithms, and whole numbers.

use netsig_base::algorithm::Collective;
use pyo3::prelude::*;

use crate::arguments::collective;
use crate::error::of_type;

/// The argument `collective`.
#[derive(Clone, Copy)]
pub struct GivenCollective(pub Collective);

impl<'py> FromPyObject<'_, 'py> for GivenCollective {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let text: PyResult<String> = object.extract();
        let name = text.map_err(|_| of_type(&object, "a str as collective", "give such as \"alltoall\""))?;
        collective(object.py(), &name).map(Self)
    }
}

/// Makes the type of an argument: its keyword, the type of the value, and what is wanted with an example.
macro_rules! keyword_argument {
    ($(#[$doc:meta])* $class:ident($value:ty), $wanted:literal, $remedy:literal) => {
        $(#[$doc])*
        pub struct $class(pub $value);

        impl<'py> FromPyObject<'_, 'py> for $class {
            type Error = PyErr;

            fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
                let value: PyResult<$value> = object.extract();
                value.map(Self).map_err(|_| of_type(&object, $wanted, $remedy))
            }
        }
    };
}

keyword_argument!(
    /// The argument `algorithm`.
    GivenAlgorithm(String),
    "a str as algorithm",
    "give such as \"pairwise\""
);
keyword_argument!(
    /// The argument `name`.
    GivenName(String),
    "a str as name",
    "give such as \"mine\""
);
keyword_argument!(
    /// The name of a column in brackets.
    GivenColumn(String),
    "the name of a column",
    "give a str, such as \"time_s\", or take rows of to_pandas()"
);
keyword_argument!(
    /// The argument `ppn`.
    #[derive(Clone, Copy)]
    GivenPpn(u32),
    "a number of processes a host as ppn",
    "give a whole number from 1"
);
keyword_argument!(
    /// The argument `seed`.
    #[derive(Clone, Copy)]
    GivenSeed(u64),
    "a number as seed",
    "give a whole number from 0"
);
keyword_argument!(
    /// The argument `repetitions`.
    #[derive(Clone, Copy)]
    GivenRepetitions(usize),
    "a number as repetitions",
    "give a whole number from 0"
);

impl From<&str> for GivenName {
    fn from(name: &str) -> Self {
        Self(name.to_owned())
    }
}
