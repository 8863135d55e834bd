//! The inputs of a vector: typed values from JSON, given in the vector or in the parameter set that
//! it names.

use anyhow::{Context, Result, anyhow, ensure};
use netsig_base::units::table::SizeTable;
use netsig_base::units::{Bytes, Seconds};
use netsig_model::model::hockney::Hockney;
use netsig_model::model::plogp::{PLogP, PLogPParameters};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// The inputs of one vector.
pub struct VectorInputs(Map<String, Value>);

/// The largest integer up to which JSON numbers are exact.
const MOST_EXACT: f64 = 9_007_199_254_740_992.0;

/// One value for all items, or one for each.
#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrEach<T> {
    Same(T),
    PerItem(Vec<T>),
}

impl VectorInputs {
    /// The inputs of `vector`, completed by the parameter set of `sets` that they name.
    ///
    /// # Errors
    /// If there are no inputs, or no parameter set of this name.
    pub fn of(vector: &Value, sets: &Value) -> Result<Self> {
        let found_inputs = vector.get("inputs").and_then(Value::as_object);
        let given = found_inputs.context("there are no inputs")?;
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

    /// A required input.
    ///
    /// # Errors
    /// If the input is missing or is no `T`.
    pub fn get<T: DeserializeOwned>(&self, name: &str) -> Result<T> {
        self.find(name)?.with_context(|| format!("the input {name} is missing"))
    }

    /// An optional input; null counts as absent.
    ///
    /// # Errors
    /// If the input is present and is no `T`.
    pub fn find<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>> {
        let Some(value) = self.0.get(name).filter(|value| !value.is_null()) else {
            return Ok(None);
        };
        let read = serde_json::from_value(with_integers(value));
        read.map_err(|error| anyhow!("{name} = {value}: {error}"))
    }

    /// An input with one value for all items, or a list of `count` values; `standard` if absent.
    ///
    /// # Errors
    /// If the input is present and of another type or length.
    pub fn each<T: DeserializeOwned + Clone>(&self, name: &str, count: usize, standard: T) -> Result<Vec<T>> {
        let values = match self.find(name)?.unwrap_or(OneOrEach::Same(standard)) {
            OneOrEach::Same(one) => vec![one; count],
            OneOrEach::PerItem(many) => many,
        };
        let found = values.len();
        ensure!(found == count, "{name} has {found} values for {count} sizes");
        Ok(values)
    }

    /// The value in `table` of an input word; the first value if the input is absent.
    ///
    /// # Errors
    /// If the word is not in the table.
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

/// The same value with whole numbers such as `8.0` converted to integers such as `8`, recursively.
fn with_integers(value: &Value) -> Value {
    match value {
        Value::Array(values) => values.iter().map(with_integers).collect(),
        Value::Number(number) => match number.as_f64() {
            Some(float) if float.fract() == 0.0 && (0.0..=MOST_EXACT).contains(&float) => {
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

/// α and β; the input of β is `beta_F` if there is also another β.
pub fn hockney_base(inputs: &VectorInputs) -> Result<Hockney> {
    let alpha = inputs.get("alpha")?;
    let beta_f = inputs.find("beta_F")?;
    let beta = beta_f.map_or_else(|| inputs.get("beta"), Ok)?;
    Ok(Hockney::new(alpha, beta)?)
}

/// The pLogP tables; a single time T is a latency with gap 0, and a single gap `g_m` is the gap of
/// every size.
pub fn plogp(inputs: &VectorInputs) -> Result<PLogP> {
    let (latency, constant_gap) = match inputs.find("T")? {
        Some(time) => (time, Some(Seconds(0.0))),
        None => (inputs.get("L")?, inputs.find("g_m")?),
    };
    let table = |name| {
        let rows = match constant_gap {
            Some(gap) => vec![(Bytes(0), gap)],
            None => inputs.get(name)?,
        };
        anyhow::Ok(SizeTable::new(name, rows)?)
    };
    Ok(PLogP::new(PLogPParameters {
        latency,
        gap: table("g")?,
        send_overhead: table("os")?,
        receive_overhead: table("or")?,
    })?)
}
