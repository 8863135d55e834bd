//! Compares a computed value with the expected one; each difference is one line.

use serde_json::Value;

/// Allowed error of a number: `abs` + `rel`·|expected|.
#[derive(Debug, Clone, Copy)]
pub struct VectorTolerance {
    rel: f64,
    abs: f64,
}

impl VectorTolerance {
    /// The tolerance of `vector`; by default only rounding errors are allowed.
    pub fn of(vector: &Value) -> Self {
        let number = |key| vector.get(key).and_then(Value::as_f64);
        Self {
            rel: number("rel_tol").unwrap_or(1e-12),
            abs: number("abs_tol").unwrap_or(0.0),
        }
    }

    fn accepts(self, got: f64, expected: f64) -> bool {
        (got - expected).abs() <= self.abs + self.rel * expected.abs()
    }
}

/// The differences of `got` from `expected`.
pub fn faults(got: &Value, expected: &Value, tolerance: VectorTolerance) -> Vec<String> {
    let mut faults = Vec::new();
    add_faults("", got, expected, tolerance, &mut faults);
    faults
}

fn add_faults(field: &str, got: &Value, expected: &Value, tolerance: VectorTolerance, faults: &mut Vec<String>) {
    match (got, expected) {
        (Value::Object(got), Value::Object(entries)) => {
            for (key, expected) in entries {
                let dot = if field.is_empty() { "" } else { "." };
                let field = format!("{field}{dot}{key}");
                match got.get(key) {
                    Some(got) => add_faults(&field, got, expected, tolerance, faults),
                    None => faults.push(format!("{field}: got nothing, expected {expected}")),
                }
            }
        }
        (Value::Array(got), Value::Array(expected)) if got.len() == expected.len() => {
            for (index, (got, expected)) in got.iter().zip(expected).enumerate() {
                let field = format!("{field}[{index}]");
                add_faults(&field, got, expected, tolerance, faults);
            }
        }
        _ => {
            let field = if field.is_empty() { "value" } else { field };
            let is_whole = |value: &Value| value.is_i64() || value.is_u64();
            let difference = match (got.as_f64(), expected.as_f64()) {
                (Some(g), Some(e)) if !(is_whole(got) && is_whole(expected)) => {
                    (!tolerance.accepts(g, e)).then(|| format!(", off by {:e}", g - e))
                }
                _ => (got != expected).then(String::new),
            };
            let fault = |off| format!("{field}: got {got}, expected {expected}{off}");
            faults.extend(difference.map(fault));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(got: &Value, expected: &Value) -> Vec<String> {
        faults(got, expected, VectorTolerance { rel: 1e-3, abs: 0.5 })
    }

    #[test]
    fn numbers_have_a_tolerance_and_whole_ones_none() {
        let close = json!({"a": [1000.0, -1000.0], "b": {"c": 7, "d": null}, "e": 1});
        let expected = json!({"a": [1001.5, -998.6], "b": {"c": 7.4, "d": null}});
        assert_eq!(check(&close, &expected), Vec::<String>::new());
        let far = json!({"a": [1000.0, -1000.0], "b": {"c": 7}});
        let expected = json!({"a": [1001.6, -1000], "b": {"c": 8, "d": null}});
        let messages = [
            "a[0]: got 1000.0, expected 1001.6, off by -1.6000000000000227e0",
            "b.c: got 7, expected 8",
            "b.d: got nothing, expected null",
        ];
        assert_eq!(check(&far, &expected), messages);
    }

    #[test]
    fn another_kind_or_length_is_a_fault() {
        for (got, expected) in [
            (json!([1.0, 2.0]), json!([1.0])),
            (json!([]), json!([1])),
            (json!("1"), json!(1)),
            (json!(f64::NAN), json!(1.0)),
            (json!(true), json!("true")),
            (json!(1.0), json!({"a": 1.0})),
        ] {
            assert_eq!(check(&got, &expected).len(), 1, "{got} {expected}");
        }
    }
}
