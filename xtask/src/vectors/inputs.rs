//! What a vector gives its model: typed values out of JSON, looked up in the vector's own
//! inputs first and then in the parameter set that it names.

use std::fmt::Display;
use std::num::NonZeroU32;
use std::str::FromStr;

use anyhow::{Context, Result, anyhow, ensure};
use netsig_core::units::{Bytes, Procs, Rank, Seconds, SecondsPerByte};
use serde_json::Value;

/// The inputs of one vector.
pub struct Inputs<'a> {
    given: &'a Value,
    set: &'a Value,
}

/// The most that a number of JSON holds without loss.
const MOST: f64 = 9_007_199_254_740_992.0;

impl<'a> Inputs<'a> {
    /// The inputs of `vector`, with the parameter set they name out of `sets`.
    ///
    /// # Errors
    /// If there are no inputs, or no parameter set of that name.
    pub fn of(vector: &'a Value, sets: &'a Value) -> Result<Self> {
        let given = vector.get("inputs").context("there are no inputs")?;
        let set = match given.get("params") {
            None | Some(Value::Null) => &Value::Null,
            Some(Value::String(name)) => sets
                .get(name)
                .with_context(|| format!("params: there is no parameter set {name:?}"))?,
            Some(set) => set,
        };
        Ok(Self { given, set })
    }

    /// An input that must be there.
    ///
    /// # Errors
    /// If it is missing or not what `T` takes.
    pub fn get<T: Input>(&self, name: &str) -> Result<T> {
        self.find(name)?.with_context(|| missing(name))
    }

    /// An input that may be absent or null.
    ///
    /// # Errors
    /// If it is there and not what `T` takes.
    pub fn find<T: Input>(&self, name: &str) -> Result<Option<T>> {
        let value = self.given.get(name).or_else(|| self.set.get(name));
        let Some(value) = value.filter(|value| !value.is_null()) else {
            return Ok(None);
        };
        let read = T::read(value).with_context(|| format!("{name} = {value} is not {}", T::WHAT));
        read.map(Some)
    }

    /// An input that is one value for all, or a list of `count`.
    ///
    /// # Errors
    /// If it is there and not that.
    pub fn each<T: Input + Clone>(&self, name: &str, count: usize) -> Result<Option<Vec<T>>> {
        let values = match self.find(name)? {
            None => return Ok(None),
            Some(Either::Left(one)) => vec![one; count],
            Some(Either::Right(many)) => many,
        };
        let found = values.len();
        ensure!(
            found == count,
            "{name} has {found} values for {count} sizes"
        );
        Ok(Some(values))
    }

    /// An input that is the name of a `T`.
    ///
    /// # Errors
    /// If it is there and no `T` has that name.
    pub fn named<T: FromStr<Err: Display>>(&self, name: &str) -> Result<Option<T>> {
        let text: Option<String> = self.find(name)?;
        let parse = |text: String| text.parse().map_err(|error| anyhow!("{name}: {error}"));
        text.map(parse).transpose()
    }

    /// An input that is one of the words of `table`.
    ///
    /// # Errors
    /// If it is there and not in the table.
    pub fn one_of<T: Clone>(&self, name: &str, table: &[(&str, T)]) -> Result<Option<T>> {
        let Some(text) = self.find::<String>(name)? else {
            return Ok(None);
        };
        let found = table.iter().find(|(word, _)| *word == text);
        let known = || table.iter().map(|(word, _)| *word).collect::<Vec<_>>();
        found
            .map(|(_, value)| Some(value.clone()))
            .with_context(|| format!("{name} = {text:?} is not one of {}", known().join(", ")))
    }
}

/// What to say of an input that must be there and is not.
pub fn missing(name: &str) -> String {
    format!("the input {name} is missing")
}

/// What can stand in an input.
pub trait Input: Sized {
    /// What it is, for errors.
    const WHAT: &'static str;

    /// The value, if it is one.
    fn read(value: &Value) -> Option<Self>;
}

impl Input for f64 {
    const WHAT: &'static str = "a number";
    fn read(value: &Value) -> Option<Self> {
        value.as_f64()
    }
}

/// `8.0` is as good as `8`.
impl Input for u64 {
    const WHAT: &'static str = "a whole number from 0";
    fn read(value: &Value) -> Option<Self> {
        let whole = |number: &f64| number.fract() == 0.0 && (0.0..=MOST).contains(number);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "whole, and in range"
        )]
        let cast = |number: f64| number as u64;
        value
            .as_u64()
            .or_else(|| value.as_f64().filter(whole).map(cast))
    }
}

impl Input for u32 {
    const WHAT: &'static str = "a whole number from 0 to 2^32 - 1";
    fn read(value: &Value) -> Option<Self> {
        u64::read(value)?.try_into().ok()
    }
}

impl Input for NonZeroU32 {
    const WHAT: &'static str = "a whole number from 1 to 2^32 - 1";
    fn read(value: &Value) -> Option<Self> {
        Self::new(u32::read(value)?)
    }
}

impl Input for usize {
    const WHAT: &'static str = u64::WHAT;
    fn read(value: &Value) -> Option<Self> {
        u64::read(value)?.try_into().ok()
    }
}

impl Input for Bytes {
    const WHAT: &'static str = "a number of bytes";
    fn read(value: &Value) -> Option<Self> {
        u64::read(value).map(Self)
    }
}

impl Input for Procs {
    const WHAT: &'static str = "a number of processes";
    fn read(value: &Value) -> Option<Self> {
        Self::new(u32::read(value)?).ok()
    }
}

impl Input for Rank {
    const WHAT: &'static str = "a rank";
    fn read(value: &Value) -> Option<Self> {
        u32::read(value).map(Self)
    }
}

impl Input for Seconds {
    const WHAT: &'static str = "a number of seconds";
    fn read(value: &Value) -> Option<Self> {
        f64::read(value).map(Self)
    }
}

impl Input for SecondsPerByte {
    const WHAT: &'static str = "a number of seconds per byte";
    fn read(value: &Value) -> Option<Self> {
        f64::read(value).map(Self)
    }
}

impl Input for String {
    const WHAT: &'static str = "a text";
    fn read(value: &Value) -> Option<Self> {
        value.as_str().map(str::to_owned)
    }
}

impl Input for bool {
    const WHAT: &'static str = "true or false";
    fn read(value: &Value) -> Option<Self> {
        value.as_bool()
    }
}

impl<T: Input> Input for Vec<T> {
    const WHAT: &'static str = "a list of the right values";
    fn read(value: &Value) -> Option<Self> {
        value.as_array()?.iter().map(T::read).collect()
    }
}

impl<A: Input, B: Input> Input for (A, B) {
    const WHAT: &'static str = "a list of two";
    fn read(value: &Value) -> Option<Self> {
        let [a, b] = value.as_array()?.as_slice() else {
            return None;
        };
        Some((A::read(a)?, B::read(b)?))
    }
}

/// Either of two forms.
pub enum Either<A, B> {
    /// The one.
    Left(A),
    /// The other.
    Right(B),
}

impl<A: Input, B: Input> Input for Either<A, B> {
    const WHAT: &'static str = "in a form that is known here";
    fn read(value: &Value) -> Option<Self> {
        let left = A::read(value).map(Self::Left);
        left.or_else(|| B::read(value).map(Self::Right))
    }
}
