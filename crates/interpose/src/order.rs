//! Results of reductions that keep their bits.
//!
//! # Method
//! A schedule must combine the same pairs of operands as the library's own algorithm. That is found out before it
//! runs, since the library's choice may depend on settings that nobody else knows. Both reduce vectors of this library,
//! whose numbers are such that another order mostly gives other bits. The finding holds for later calls with the same
//! number of elements, type, operation and root. It comes after as many calls of the program as it takes itself, so that
//! programs of few calls do not pay for it.
//!
//! With the same pairs, the order of two operands can tell only if both are NaN. An all-reduce whose result has a NaN is
//! carried out again by the library, on all ranks alike, since all have the result. Before other sums, and before the
//! largest or smallest of floating-point numbers, the ranks agree whether they have such numbers.
//!
//! Where the schedule combines in another order, rank 0 remembers it for further communicators of the same processes.

use std::ffi::{c_int, c_void};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use mpi::ffi;
use netsig_base::algorithm::{Algorithm, Collective};
use netsig_model::predict::result_rule::OrderDependence;
use netsig_mpi::MpiError;

use crate::numbers::NumberForm;
use crate::vectors::ProgramVector;

/// Reasons for leaving a call to the library.
pub const OTHER_ORDER: &str = "the library combines in another order; NETSIG_REDUCTIONS=on allows it";
pub const WAITING: &str = "too few calls yet to find out the library's order";
pub const UNKNOWN_ORDER: &str =
    "too many lengths, or too long a vector, to find out the library's order; NETSIG_REDUCTIONS=on needs none";
pub const SPECIAL_NUMBERS: &str = "NaN or zeros of both signs, by which the order of the operands could tell";
pub const OTHER_BLOCKS: &str = "blocks that the schedule does not cut";

/// Most calls of a communicator whose order is known.
const MOST_KNOWN: usize = 128;

/// Longest vector for which the order is found out, in bytes.
const LONGEST_PROBE: usize = 64 << 20;

/// Least number of elements that are compared. Of sums of three numbers in another order at least a quarter differs, so that
/// another order is missed once in 10⁸ times.
const LEAST_COMPARED: u64 = 64;

/// The calls of which it is known whether a schedule combines in the library's order.
#[derive(Default)]
pub struct KnownOrders(Vec<(OrderKey, OrderState)>);

/// What is known of the order of some calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OrderState {
    /// Nothing, after so many calls.
    Seen(u64),
    /// A finding.
    Found(OrderFinding),
}

/// Whether a schedule combines in the library's order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderFinding {
    /// It does.
    Same,
    /// It does not.
    Other,
    /// It was not found out yet, since a program of few calls would pay for it.
    Waiting,
    /// It is not found out.
    Unknown,
}

/// The facts by which the library may choose its algorithm, and the schedule. They are the same on all ranks, as handles need
/// not be.
#[derive(Debug, Clone, PartialEq)]
pub struct OrderKey {
    collective: Collective,
    is_product: bool,
    size: usize,
    form: Option<NumberForm>,
    elements: u64,
    starts: Option<Vec<u64>>,
    root: u32,
    algorithm: Algorithm,
}

impl OrderKey {
    /// The key of a call.
    pub fn new(vector: &ProgramVector, algorithm: Algorithm) -> Self {
        Self {
            collective: vector.collective,
            is_product: is_product(vector),
            size: vector.operands.size,
            form: vector.operands.form,
            elements: vector.elements,
            starts: vector.starts.clone(),
            root: vector.root,
            algorithm,
        }
    }
}

impl KnownOrders {
    /// Whether the orders are the same; `None` if it is to be found out now, by so many calls of both as `compared_calls`
    /// says. That of calls beyond the first ones is not.
    pub fn next(&mut self, key: &OrderKey) -> Option<OrderFinding> {
        let known = self.0.iter_mut().find(|(known, _)| known == key);
        let Some((_, state)) = known else {
            if self.0.len() == MOST_KNOWN {
                return Some(OrderFinding::Unknown);
            }
            self.0.push((key.clone(), OrderState::Seen(1)));
            return Some(OrderFinding::Waiting);
        };
        match state {
            OrderState::Found(finding) => Some(*finding),
            OrderState::Seen(calls) if *calls < calls_before(key.elements) => {
                *calls += 1;
                Some(OrderFinding::Waiting)
            }
            OrderState::Seen(_) => None,
        }
    }

    /// Keeps a finding.
    pub fn keep(&mut self, key: &OrderKey, finding: OrderFinding) {
        let mut all = self.0.iter_mut();
        if let Some((_, state)) = all.find(|(known, _)| known == key) {
            *state = OrderState::Found(finding);
        }
    }
}

/// Calls of the library and of the schedule by which the order of so many elements is found out.
fn compared_calls(elements: u64) -> u64 {
    LEAST_COMPARED.div_ceil(elements.max(1))
}

/// Calls before the order is found out: one if that takes one call of both, else as many as it takes.
fn calls_before(elements: u64) -> u64 {
    match compared_calls(elements) {
        1 => 1,
        calls => 2 * calls,
    }
}

/// True if the ranks agree before each call whether the order could tell.
pub fn is_checked_before(collective: Collective, dependence: OrderDependence) -> bool {
    match dependence {
        OrderDependence::SpecialValues => true,
        OrderDependence::Rounding => collective != Collective::Allreduce,
        OrderDependence::None | OrderDependence::Unknown => false,
    }
}

/// Vectors by which the order of a reduction is found out.
pub struct OrderProbe {
    vector: ProgramVector,
    comm: ffi::MPI_Comm,
    rank: u32,
    send: Vec<u8>,
    results: [Vec<u8>; 2],
    /// Number of elements of the block of each rank.
    blocks: Vec<c_int>,
}

impl OrderProbe {
    /// Vectors for a call on `comm`, in which this process is `rank`; `None` if they would be too long.
    pub fn new(vector: &ProgramVector, comm: ffi::MPI_Comm, rank: u32) -> Option<Self> {
        let bytes = vector.bytes();
        let starts = vector.starts.iter().flat_map(|starts| starts.windows(2));
        let blocks = starts.map(|ends| c_int::try_from(ends[1] - ends[0]));
        (bytes <= LONGEST_PROBE).then_some(())?;
        Some(Self {
            vector: vector.clone(),
            comm,
            rank,
            send: vec![0; bytes],
            results: [vec![0; bytes], vec![0; bytes]],
            blocks: blocks.collect::<Result<_, _>>().ok()?,
        })
    }

    /// True if `run` has the same results as the library on this rank. All calls are made also after a failure, since other
    /// ranks wait for them.
    pub fn is_same(&mut self, mut run: impl FnMut(&ProgramVector) -> Result<(), MpiError>) -> bool {
        let times = compared_calls(self.vector.elements);
        let mut is_same = true;
        for time in 0..times {
            self.fill(time);
            is_same &= self.call_library().is_ok();
            let probe = ProgramVector {
                send: self.send.as_mut_ptr().cast(),
                receive: self.results[1].as_mut_ptr().cast(),
                ..self.vector.clone()
            };
            is_same &= run(&probe).is_ok();
            is_same &= self.results[0] == self.results[1];
        }
        is_same
    }

    /// Fills the vector of this rank with numbers.
    fn fill(&mut self, time: u64) {
        let is_product = is_product(&self.vector);
        let number = |place: usize| {
            let mut hasher = DefaultHasher::new();
            (self.rank, time, place).hash(&mut hasher);
            value(hasher.finish(), is_product)
        };
        match self.vector.operands.form {
            Some(NumberForm::Single) => {
                for (place, bytes) in self.send.chunks_exact_mut(4).enumerate() {
                    #[allow(clippy::cast_possible_truncation, reason = "the numbers are in the range of floats")]
                    bytes.copy_from_slice(&(number(place) as f32).to_ne_bytes());
                }
            }
            _ => {
                for (place, bytes) in self.send.chunks_exact_mut(8).enumerate() {
                    bytes.copy_from_slice(&number(place).to_ne_bytes());
                }
            }
        }
    }

    fn call_library(&mut self) -> Result<(), MpiError> {
        let send: *const c_void = self.send.as_ptr().cast();
        let receive: *mut c_void = self.results[0].as_mut_ptr().cast();
        let ProgramVector { operands, root, .. } = self.vector;
        let (datatype, operation) = (operands.datatype, operands.operation);
        let int = |number: u64| c_int::try_from(number).unwrap_or(c_int::MAX);
        let (count, root) = (int(self.vector.elements), int(root.into()));
        let first = self.blocks.first().copied().unwrap_or(0);
        // SAFETY: vectors of `count` elements, the sum of all blocks.
        let code = unsafe {
            match self.vector.collective {
                Collective::Reduce => ffi::PMPI_Reduce(send, receive, count, datatype, operation, root, self.comm),
                Collective::ReduceScatter => {
                    ffi::PMPI_Reduce_scatter(send, receive, self.blocks.as_ptr(), datatype, operation, self.comm)
                }
                Collective::ReduceScatterBlock => {
                    ffi::PMPI_Reduce_scatter_block(send, receive, first, datatype, operation, self.comm)
                }
                _ => ffi::PMPI_Allreduce(send, receive, count, datatype, operation, self.comm),
            }
        };
        MpiError::check(code)
    }
}

/// True for products, else a vector is summed.
fn is_product(vector: &ProgramVector) -> bool {
    // SAFETY: a constant of the MPI library.
    vector.operands.operation == unsafe { ffi::RSMPI_PROD }
}

/// A number whose sum with others depends on their order: of any sign, between 1/4 and 8. The factors of a product are near
/// 1, so that it stays finite.
fn value(random: u64, is_product: bool) -> f64 {
    let fraction = 1.0 + (random >> 12) as f64 / (1u64 << 52) as f64;
    let sign = if random & 1 == 0 { 1.0 } else { -1.0 };
    if is_product {
        return sign * (0.25 * (fraction - 1.5)).exp();
    }
    let exponent = f64::from(u32::try_from((random >> 1) % 5).unwrap_or(0)) - 2.0;
    sign * fraction * exponent.exp2()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums and products of five random numbers in two orders, in both forms.
    #[test]
    fn the_numbers_tell_the_order() {
        let mut differ = [0; 4];
        for case in 0u64..1000 {
            let numbers: Vec<u64> = (0..5)
                .map(|index| {
                    let mut hasher = DefaultHasher::new();
                    (case, index).hash(&mut hasher);
                    hasher.finish()
                })
                .collect();
            for (place, is_product) in [(0, false), (1, true)] {
                let values: Vec<f64> = numbers.iter().map(|&random| value(random, is_product)).collect();
                let combine = |a: f64, b: f64| if is_product { a * b } else { a + b };
                let forwards = values.iter().copied().reduce(combine).unwrap();
                let backwards = values.iter().rev().copied().reduce(combine).unwrap();
                differ[place] += i32::from(forwards.to_bits() != backwards.to_bits());
                #[allow(clippy::cast_possible_truncation, reason = "single precision is tested")]
                let singles: Vec<f32> = values.iter().map(|&number| number as f32).collect();
                let combine = |a: f32, b: f32| if is_product { a * b } else { a + b };
                let forwards = singles.iter().copied().reduce(combine).unwrap();
                let backwards = singles.iter().rev().copied().reduce(combine).unwrap();
                differ[2 + place] += i32::from(forwards.to_bits() != backwards.to_bits());
            }
        }
        assert!(differ.iter().all(|count| *count > 400), "{differ:?}");
    }
}
