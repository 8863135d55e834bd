//! `cargo xtask vectors FILE...`: compares netsig-base and netsig-model with independently computed values of the
//! models. Prints one line for each failure, and a count at the end.
//!
//! A file is JSON: `parameter_sets`, networks by name, and `vectors`, a list of {`id`, `model`,
//! `inputs`, `expected`, `rel_tol`, `abs_tol`}. The networks of the file [`KNOWN_SETS`] are known in all files. Every number in `expected` must satisfy |got −
//! expected| ≤ `abs_tol` + `rel_tol`·|expected|; two whole numbers, text, booleans and null must be
//! equal; every expected key must exist, additional keys are allowed.

mod benchmark_size;
mod compare;
mod fit;
mod grid;
mod inputs;
mod library;
mod models;
mod plogpt;
mod reduction;

use std::fs;
use std::panic;

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::Value;

use self::compare::VectorTolerance;
use self::inputs::VectorInputs;

/// A file of vectors.
#[derive(Deserialize)]
struct VectorFile {
    #[serde(default)]
    parameter_sets: Value,
    vectors: Vec<Value>,
}

/// Number of vectors, number of failed ones, and the lines that describe their faults.
#[derive(Debug, Default, PartialEq, Eq)]
struct VectorTally {
    vectors: usize,
    failed: usize,
    faults: Vec<String>,
}

/// Runs the vectors of all files; false if any fails.
pub fn run(paths: &[&str]) -> Result<bool> {
    let mut tally = VectorTally::default();
    for path in paths {
        tally.add(path, &read(path)?);
    }
    for fault in &tally.faults {
        println!("{fault}");
    }
    println!("{}", tally.line());
    Ok(tally.failed == 0)
}

/// The file whose parameter sets all files may name.
const KNOWN_SETS: &str = "crates/model/tests/vectors.json";

fn read(path: &str) -> Result<VectorFile> {
    let file = read_alone(path)?;
    let known = read_alone(&crate::root().join(KNOWN_SETS).to_string_lossy())?;
    Ok(file.with_sets_of(&known))
}

fn read_alone(path: &str) -> Result<VectorFile> {
    let text = fs::read_to_string(path).with_context(|| format!("{path}: cannot be read"))?;
    parse(path, &text)
}

impl VectorFile {
    /// The file with the parameter sets of `known` that it does not define itself.
    fn with_sets_of(self, known: &Self) -> Self {
        let mut sets = known.parameter_sets.as_object().cloned().unwrap_or_default();
        sets.extend(self.parameter_sets.as_object().cloned().unwrap_or_default());
        Self {
            parameter_sets: Value::Object(sets),
            ..self
        }
    }
}

fn parse(name: &str, text: &str) -> Result<VectorFile> {
    serde_json::from_str(text).with_context(|| format!("{name}: is no file of vectors"))
}

impl VectorTally {
    fn add(&mut self, name: &str, file: &VectorFile) {
        for (number, vector) in (1..).zip(&file.vectors) {
            let faults = faults(vector, &file.parameter_sets);
            self.vectors += 1;
            self.failed += usize::from(!faults.is_empty());
            let text = |key| vector.get(key).and_then(Value::as_str);
            let id = text("id").map_or_else(|| format!("vector {number}"), str::to_owned);
            let model = text("model").unwrap_or("no model");
            let line = |fault| format!("{name}: {id} ({model}): {fault}");
            self.faults.extend(faults.into_iter().map(line));
        }
    }

    fn line(&self) -> String {
        let (vectors, failed) = (self.vectors, self.failed);
        let passed = vectors - failed;
        format!("{vectors} vectors: {passed} passed, {failed} failed")
    }
}

/// The faults of one vector; empty if it passes.
fn faults(vector: &Value, sets: &Value) -> Vec<String> {
    let judged = compute(vector, sets).and_then(|got| {
        let expected = vector.get("expected").context("nothing is expected")?;
        Ok(compare::faults(&got, expected, VectorTolerance::of(vector)))
    });
    judged.unwrap_or_else(|error| vec![format!("{error:#}")])
}

fn compute(vector: &Value, sets: &Value) -> Result<Value> {
    let given_name = vector.get("model").and_then(Value::as_str);
    let name = given_name.context("there is no model")?;
    let inputs = VectorInputs::of(vector, sets)?;
    // A panic of one model must not hide the results of the others.
    let computed = panic::catch_unwind(|| models::compute(name, &inputs));
    computed.unwrap_or_else(|_| bail!("the model panics"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines and the count for a file with these vectors and one parameter set.
    fn tally(vectors: &str) -> VectorTally {
        let sets = r#"{"affine": {"L": 5e-5, "g": [[0, 1e-5], [100, 1.1e-5]],
            "os": [[0, 1e-6]], "or": [[0, 1e-6]]}}"#;
        let text = format!(r#"{{"parameter_sets": {sets}, "vectors": [{vectors}]}}"#);
        let mut tally = VectorTally::default();
        tally.add("f.json", &parse("f.json", &text).unwrap());
        tally
    }

    fn one_fault(vector: &str) -> String {
        let tally = tally(vector);
        assert_eq!((tally.vectors, tally.failed), (1, 1), "{tally:?}");
        assert_eq!(tally.faults.len(), 1, "{tally:?}");
        tally.faults[0].clone()
    }

    #[test]
    fn the_worked_values_are_met() {
        for (name, line) in [
            ("vectors", "88 vectors: 88 passed, 0 failed"),
            ("reduction-vectors", "90 vectors: 90 passed, 0 failed"),
        ] {
            let path = crate::root().join(format!("crates/model/tests/{name}.json"));
            let mut tally = VectorTally::default();
            tally.add(name, &read(path.to_str().unwrap()).unwrap());
            assert_eq!(tally.faults, Vec::<String>::new());
            assert_eq!(tally.line(), line);
        }
    }

    #[test]
    fn a_wrong_value_is_a_failure() {
        let vector = |expected: &str| {
            format!(
                r#"{{"id": "a", "model": "alltoall.prop1", "rel_tol": 1e-12, "abs_tol": 0.0,
                "inputs": {{"n": 3, "m": 10.0, "alpha": 1.0, "beta": 0.5}}, "expected": {expected}}}"#
            )
        };
        assert_eq!(tally(&vector("12")).faults, Vec::<String>::new());
        assert_eq!(
            one_fault(&vector("12.5")),
            "f.json: a (alltoall.prop1): value: got 12.0, expected 12.5, off by -5e-1"
        );
        assert!(one_fault(&vector("null")).ends_with("value: got 12.0, expected null"));
        let mixed = [vector("12"), vector("13"), vector("[12]")].join(",");
        assert_eq!(tally(&mixed).line(), "3 vectors: 1 passed, 2 failed");
    }

    #[test]
    fn what_cannot_be_computed_is_a_failure() {
        let fault = |model: &str, inputs: &str| {
            one_fault(&format!(
                r#"{{"id": "a", "model": "{model}", "inputs": {inputs}, "expected": 1}}"#
            ))
        };
        assert!(fault("no.such", "{}").ends_with("(no.such): there is no model of this name"));
        let choice = fault("alltoall.signature", r#"{"variant": "wrong"}"#);
        assert!(choice.ends_with("there is no model of this name"));
        let prop1 = |inputs| fault("alltoall.prop1", inputs);
        assert!(prop1(r#"{"n": 3}"#).ends_with("the input alpha is missing"));
        assert!(prop1(r#"{"n": 0, "alpha": 1.0, "beta": 1.0}"#).contains(r#"n = 0: "0" is not a number of processes"#));
        let negative = r#"{"n": 3, "m": 1, "alpha": -1.0, "beta": 0.5}"#;
        assert!(prop1(negative).contains("alpha = -1 is not allowed"));
        let elsewhere = r#"{"params": "toy", "m": 1}"#;
        assert!(fault("plogp.g", elsewhere).contains(r#"no parameter set "toy""#));
        let strategy = r#"{"params": "affine", "P": 4, "m": 1, "strategy": "ring"}"#;
        assert!(fault("scatter", strategy).contains(r#""ring""#));
        assert!(one_fault("{}").contains("vector 1 (no model): there is no model"));
    }

    #[test]
    fn a_broken_file_is_refused() {
        let message = |text| format!("{:#}", parse("f.json", text).err().unwrap());
        assert!(message("{").starts_with("f.json: is no file of vectors: EOF"));
        assert!(message("{}").contains("missing field `vectors`"));
        assert!(read("/nowhere/f.json").is_err());
    }
}
