//! Covariances of estimated parameters, and their form in files.

use nalgebra::DMatrix;

/// Factor by which rounding may enlarge a number.
const ROUNDING_FACTOR: f64 = 1.000_001;

/// Refuses a matrix that is not the covariance of `count` parameters.
///
/// # Errors
/// If the shape is wrong or an element impossible; the error names it.
pub fn check_covariance(matrix: &DMatrix<f64>, count: usize) -> Result<(), String> {
    if matrix.shape() != (count, count) {
        return Err(format!("the covariance is not {count} by {count}"));
    }
    if !matrix.iter().all(|value| value.is_finite()) {
        return Err("the covariance is not finite".to_owned());
    }
    for (i, j) in (0..count).flat_map(|i| (0..count).map(move |j| (i, j))) {
        let element = matrix[(i, j)];
        let most = (matrix[(i, i)].max(0.0) * matrix[(j, j)].max(0.0)).sqrt();
        if element.abs() > most * ROUNDING_FACTOR || (element - matrix[(j, i)]).abs() > most * (ROUNDING_FACTOR - 1.0) {
            return Err(format!("covariance[{i}][{j}] = {element} is none of these variances"));
        }
    }
    Ok(())
}

/// A square matrix as a list of rows.
pub(crate) mod square {
    use nalgebra::DMatrix;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(matrix: &DMatrix<f64>, to: S) -> Result<S::Ok, S::Error> {
        let rows = matrix.row_iter().map(|row| row.iter().copied().collect());
        rows.collect::<Vec<Vec<f64>>>().serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<DMatrix<f64>, D::Error> {
        let rows = Vec::<Vec<f64>>::deserialize(from)?;
        let size = rows.len();
        if rows.iter().any(|row| row.len() != size) {
            return Err(D::Error::custom(format!("the covariance is not {size} by {size}")));
        }
        Ok(DMatrix::from_fn(size, size, |i, j| rows[i][j]))
    }
}
