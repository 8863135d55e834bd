//! Process counts and sizes from numbers, text and arrays, broadcast against each other.

use itertools::Itertools as _;
use netsig_base::algorithm::PairSizes;
use netsig_base::units::list::{ListItem, QuantityList};
use netsig_base::units::{Bytes, Procs};
use numpy::{PyArrayDyn, PyArrayMethods as _};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyString};

use crate::error::usage;

/// Cases in the order of NumPy (C order), with the shape of their arrays.
pub struct CaseGrid {
    /// The process counts.
    pub procs: Vec<Procs>,
    /// The sizes.
    pub sizes: Vec<Bytes>,
    /// The shape, empty for a single case.
    pub shape: Vec<usize>,
}

impl CaseGrid {
    /// Reads and broadcasts process counts and sizes.
    ///
    /// # Errors
    /// If an argument holds no such numbers, or the shapes do not broadcast.
    pub fn of(procs: &Bound<'_, PyAny>, size: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = procs.py();
        let counts_array = array::<Procs>(procs, "procs", "process counts")?;
        let sizes = array::<Bytes>(size, "size", "sizes")?;
        let numpy = py.import("numpy")?;
        let shapes = (counts_array.getattr("shape")?, sizes.getattr("shape")?);
        let shape: Vec<usize> = match numpy.call_method1("broadcast_shapes", shapes.clone()) {
            Ok(shape) => shape.extract()?,
            Err(_) => {
                return Err(usage(
                    py,
                    format!(
                        "procs has the shape {} and size {}, which do not broadcast; give one of them a further axis, such as procs[:, None]",
                        shapes.0, shapes.1
                    ),
                ));
            }
        };
        let spread = |array: Bound<'_, PyAny>| -> PyResult<Vec<u64>> {
            let broadcast = numpy.call_method1("broadcast_to", (array, shape.clone()))?;
            let contiguous = numpy.call_method1("ascontiguousarray", (broadcast,))?;
            let typed = contiguous.cast_into::<PyArrayDyn<u64>>()?;
            Ok(typed.readonly().as_slice()?.to_vec())
        };
        let counts = spread(counts_array)?.into_iter();
        Ok(Self {
            procs: counts.map(count).collect(),
            sizes: spread(sizes)?.into_iter().map(Bytes).collect(),
            shape,
        })
    }

    /// Reads process counts and ascending sizes, each once, without broadcasting them.
    ///
    /// # Errors
    /// If an argument holds no such numbers.
    pub fn product(procs: &Bound<'_, PyAny>, size: &Bound<'_, PyAny>) -> PyResult<Self> {
        let counts = flat(&array::<Procs>(procs, "procs", "process counts")?)?;
        let sizes = flat(&array::<Bytes>(size, "size", "sizes")?)?;
        Ok(Self {
            procs: counts.into_iter().map(count).unique().collect(),
            sizes: sizes.into_iter().map(Bytes).sorted().dedup().collect(),
            shape: Vec::new(),
        })
    }

    /// The cases of an exchange, if one is given, else those of process counts and sizes.
    ///
    /// # Errors
    /// If both are given, and the errors of [`Self::of`].
    pub fn requested(
        py: Python<'_>,
        procs: Option<&Bound<'_, PyAny>>,
        size: Option<&Bound<'_, PyAny>>,
        pairs: Option<&PairSizes>,
    ) -> PyResult<Self> {
        let none = py.None().into_bound(py);
        match (procs, size, pairs) {
            (procs, size, None) => Self::of(procs.unwrap_or(&none), size.unwrap_or(&none)),
            (None, None, Some(pairs)) => Ok(Self {
                procs: vec![pairs.procs()],
                sizes: vec![pairs.mean()],
                shape: Vec::new(),
            }),
            (_, _, Some(_)) => Err(usage(
                py,
                "exchange states process count and sizes; leave procs and size out",
            )),
        }
    }

    /// All cases in order.
    pub fn cases(&self) -> impl Iterator<Item = (Procs, Bytes)> + Clone {
        self.procs.iter().copied().zip(self.sizes.iter().copied())
    }
}

/// The process counts of an argument, ascending, each once.
///
/// # Errors
/// If it holds no process counts.
pub fn ascending_counts(procs: &Bound<'_, PyAny>) -> PyResult<Vec<Procs>> {
    ascending(procs, "procs", "process counts")
}

/// The sizes of an argument, ascending, each once.
///
/// # Errors
/// If it holds no sizes.
pub fn ascending_sizes(size: &Bound<'_, PyAny>) -> PyResult<Vec<Bytes>> {
    ascending(size, "size", "sizes")
}

fn ascending<T: GridNumber>(object: &Bound<'_, PyAny>, name: &str, kind: &str) -> PyResult<Vec<T>> {
    let all: Vec<u64> = flat(&array::<T>(object, name, kind)?)?;
    if all.is_empty() {
        return Err(usage(object.py(), format!("{name} is empty; give one or more {kind}")));
    }
    Ok(all.into_iter().sorted().dedup().filter_map(T::of).collect())
}

/// The numbers of an array in C order.
fn flat(array: &Bound<'_, PyAny>) -> PyResult<Vec<u64>> {
    array.call_method0("ravel")?.call_method0("tolist")?.extract()
}

/// The number of rows of a square matrix of sizes, and its rows one after the other; `name` is the argument in errors.
///
/// # Errors
/// If the object is no such matrix.
pub fn size_matrix(object: &Bound<'_, PyAny>, name: &str) -> PyResult<(Procs, Vec<Bytes>)> {
    let sizes = array::<Bytes>(object, name, "sizes")?;
    let shape: Vec<usize> = sizes.getattr("shape")?.extract()?;
    let rows = match shape[..] {
        [rows, columns] if rows == columns => u32::try_from(rows).ok().and_then(|rows| Procs::new(rows).ok()),
        _ => None,
    };
    let Some(procs) = rows else {
        let problem = format!(
            "{name} has the shape ({}); give a square matrix, whose row i holds the bytes that process i sends",
            shape.iter().join(", ")
        );
        return Err(usage(object.py(), problem));
    };
    Ok((procs, flat(&sizes)?.into_iter().map(Bytes).collect()))
}

/// A process count that was checked where it was read.
fn count(number: u64) -> Procs {
    <Procs as ListItem>::of(number).expect("a checked process count")
}

/// A number of a grid.
trait GridNumber: ListItem {
    /// The least and the greatest allowed number.
    const RANGE: (u64, u64);
    /// A text that is accepted, for errors.
    const EXAMPLE: &'static str;
}

impl GridNumber for Procs {
    const RANGE: (u64, u64) = (1, u32::MAX as u64);
    const EXAMPLE: &'static str = "8..64";
}

impl GridNumber for Bytes {
    const RANGE: (u64, u64) = (0, i64::MAX as u64);
    const EXAMPLE: &'static str = "64KiB";
}

/// The numbers as an array of u64, each within its range; `name` is the argument in errors.
fn array<'py, T: GridNumber>(object: &Bound<'py, PyAny>, name: &str, kind: &str) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    let numpy = py.import("numpy")?;
    let wrong = |what: String| {
        usage(
            py,
            format!(
                "{name} {what}; give {kind} as integers or an array of them, or text such as \"{}\"",
                T::EXAMPLE
            ),
        )
    };
    if let Ok(text) = object.cast::<PyString>() {
        let items = parse_text::<T>(text.to_str()?).map_err(|error| usage(py, format!("{name}: {error}")))?;
        return as_array(&numpy, items);
    }
    if object.is_instance_of::<PyBool>() || object.is_none() {
        return Err(wrong(format!("is {}", object.repr()?)));
    }
    let array = numpy
        .call_method1("asarray", (object,))
        .map_err(|error| wrong(format!("is no array ({})", error.value(py))))?;
    let dtype = array.getattr("dtype")?;
    let letter: String = dtype.getattr("kind")?.extract()?;
    let length: usize = array.getattr("size")?.extract()?;
    match letter.as_str() {
        "i" | "u" => {}
        // An empty list has no type of its own.
        _ if length == 0 => {
            return array.call_method1("astype", ("uint64",));
        }
        "U" => {
            let texts: Vec<String> = array.call_method0("ravel")?.call_method0("tolist")?.extract()?;
            let parsed_texts = texts.iter().map(|text| text.parse::<T>().map(ListItem::number));
            let all_items: Result<Vec<u64>, _> = parsed_texts.collect();
            let items = all_items.map_err(|error| usage(py, format!("{name}: {error}")))?;
            let shape = array.getattr("shape")?;
            let flat_array = numpy.call_method("array", (items,), Some(&dtype_argument(py)?))?;
            return flat_array.call_method1("reshape", (shape,));
        }
        _ if is_scalar(&array)? => return Err(wrong(format!("is {}", object.repr()?))),
        "f" => {
            return Err(usage(
                py,
                format!("{name} is an array of {dtype}, and {kind} are whole; convert it with {name}.astype(int)"),
            ));
        }
        _ => return Err(wrong(format!("is an array of {dtype}"))),
    }
    let (least, most) = T::RANGE;
    for (is_wrong, limit) in [("less", least), ("greater", most)] {
        let places = numpy.call_method1(is_wrong, (&array, limit))?;
        if places.call_method0("any")?.is_truthy()? {
            let first = numpy.call_method1("argmax", (&places,))?;
            let value = array.call_method0("ravel")?.get_item(&first)?;
            let place = if is_scalar(&array)? {
                name.to_owned()
            } else {
                let index_tuple = numpy.call_method1("unravel_index", (first, array.getattr("shape")?))?;
                let indices: Vec<usize> = index_tuple.extract()?;
                format!("{name}[{}]", indices.iter().join(", "))
            };
            return Err(usage(
                py,
                format!("{place} is {value}; give {kind} from {least} to {most}"),
            ));
        }
    }
    array.call_method1("astype", ("uint64",))
}

fn is_scalar(array: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(array.getattr("ndim")?.extract::<usize>()? == 0)
}

/// One number, or the numbers of a list.
fn parse_text<T: GridNumber>(text: &str) -> Result<TextNumbers, String> {
    if !text.contains([',', '.']) || text.parse::<T>().is_ok() {
        let one = text.parse::<T>().map_err(|error| error.to_string())?;
        return Ok(TextNumbers::One(one.number()));
    }
    let list = text.parse::<QuantityList<T>>().map_err(|error| error.to_string())?;
    Ok(TextNumbers::Many(list.items().iter().map(|one| one.number()).collect()))
}

/// Numbers of a text.
enum TextNumbers {
    One(u64),
    Many(Vec<u64>),
}

fn as_array<'py>(numpy: &Bound<'py, PyModule>, numbers: TextNumbers) -> PyResult<Bound<'py, PyAny>> {
    let kind = dtype_argument(numpy.py())?;
    match numbers {
        TextNumbers::One(number) => numpy.call_method("array", (number,), Some(&kind)),
        TextNumbers::Many(numbers) => numpy.call_method("array", (numbers,), Some(&kind)),
    }
}

fn dtype_argument(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let kind = PyDict::new(py);
    kind.set_item("dtype", "uint64")?;
    Ok(kind)
}
