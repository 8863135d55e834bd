//! The inputs of a vector: typed values out of JSON, its own and those of the parameter set
//! that it names.

use anyhow::{Context, Result, anyhow, ensure};
use netsig_core::model::hockney::Hockney;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// The inputs of one vector.
pub struct Inputs(Map<String, Value>);

/// The most that a number of JSON holds without loss.
const MOST: f64 = 9_007_199_254_740_992.0;

/// One value for all, or one for each.
#[derive(Deserialize)]
#[serde(untagged)]
enum Each<T> {
    Same(T),
    Own(Vec<T>),
}

impl Inputs {
    /// The inputs of `vector`, with the parameter set they name out of `sets`.
    ///
    /// # Errors
    /// If there are no inputs, or no parameter set of that name.
    pub fn of(vector: &Value, sets: &Value) -> Result<Self> {
        let given = vector.get("inputs").and_then(Value::as_object);
        let given = given.context("there are no inputs")?;
        let set = match given.get("params") {
            Some(Value::String(name)) => sets
                .get(name)
                .with_context(|| format!("params: there is no parameter set {name:?}"))?,
            Some(set) => set,
            None => &Value::Null,
        };
        let mut all = set.as_object().cloned().unwrap_or_default();
        all.extend(given.clone());
        Ok(Self(all))
    }

    /// An input that must be there.
    ///
    /// # Errors
    /// If it is missing or not what `T` takes.
    pub fn get<T: DeserializeOwned>(&self, name: &str) -> Result<T> {
        self.find(name)?
            .with_context(|| format!("the input {name} is missing"))
    }

    /// An input that may be absent or null.
    ///
    /// # Errors
    /// If it is there and not what `T` takes.
    pub fn find<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>> {
        let Some(value) = self.0.get(name).filter(|value| !value.is_null()) else {
            return Ok(None);
        };
        let read = serde_json::from_value(whole(value));
        read.map_err(|error| anyhow!("{name} = {value}: {error}"))
    }

    /// An input that is one value for all, or a list of `count`; `standard` if it is absent.
    ///
    /// # Errors
    /// If it is there and not that.
    pub fn each<T: DeserializeOwned + Clone>(
        &self,
        name: &str,
        count: usize,
        standard: T,
    ) -> Result<Vec<T>> {
        let values = match self.find(name)?.unwrap_or(Each::Same(standard)) {
            Each::Same(one) => vec![one; count],
            Each::Own(many) => many,
        };
        let found = values.len();
        ensure!(
            found == count,
            "{name} has {found} values for {count} sizes"
        );
        Ok(values)
    }

    /// An input that is one of the words of `table`; the first if it is absent.
    ///
    /// # Errors
    /// If it is not in the table.
    pub fn one_of<T: Clone>(&self, name: &str, table: &[(&str, T)]) -> Result<T> {
        let text: Option<String> = self.find(name)?;
        let is_meant = |(word, _): &&(&str, T)| text.as_ref().is_none_or(|text| text == word);
        let found = table.iter().find(is_meant);
        let known = || table.iter().map(|(word, _)| *word).collect::<Vec<_>>();
        found
            .map(|(_, value)| value.clone())
            .with_context(|| format!("{name} = {text:?} is not one of {}", known().join(", ")))
    }
}

/// The same with `8.0` as `8`, everywhere in it.
fn whole(value: &Value) -> Value {
    match value {
        Value::Array(values) => values.iter().map(whole).collect(),
        Value::Number(number) => match number.as_f64() {
            Some(float) if float.fract() == 0.0 && (0.0..=MOST).contains(&float) => {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "whole, and in range"
                )]
                let cast = float as u64;
                json!(number.as_u64().unwrap_or(cast))
            }
            _ => value.clone(),
        },
        _ => value.clone(),
    }
}

/// α and β, which is called `beta_F` where there is another.
pub fn base(inputs: &Inputs) -> Result<Hockney> {
    let alpha = inputs.get("alpha")?;
    let beta = inputs.find("beta_F")?;
    let beta = beta.map_or_else(|| inputs.get("beta"), Ok)?;
    Ok(Hockney::new(alpha, beta)?)
}
