//! Covariance of ln γ between two cases.
//!
//! # Formula
//! u is ln m. x is the logarithm of half the process count, or of the number of hosts if a host has several ranks.
//!
//! ```text
//! k = c² + (u−9)(u′−9)·t²                                        a constant and a slope in ln m
//!   + s₁²·M(3/2)(u − u′; ℓ₁)                                     smooth in ln m
//!   + s₂²·(½ + ½·M(5/2)(u − u′; ℓ₂))·D(x)·D(x′),  D = (1 − e^(−dx))/d   a damped trend in ln n
//!   + s₃²·M(3/2)(u − u′; ℓ₃)·min(x, x′)                          a random walk in ln n
//! ```
//!
//! If the messages of a reduction are blocks, k is the mean of k for the sizes of the vectors and k for the lengths of
//! the blocks. A library may take other steps for short vectors than those of the algorithm. Their u is 6 more, and k of
//! two such cases is 1 more: their level is their own.
//!
//! M(ν) is the Matérn correlation. If a host has several ranks, the trend and the walk occur twice: in the ranks of a
//! host and in the hosts. Cases on several hosts also share σ²·M(3/2)(u − u′; ℓ₃), for the network between hosts.
//!
//! Without times between two processes the level of ln γ is unknown: c = 3 and t = 2/5. With them T₀ is near the time
//! of one transfer: c = 0.4 and t = 0.05. The bytes that take as long as a start-up are then near the measured
//! number. Another protocol sends sizes from the eager limit on: their u is 1.5 more.
//!
//! # Source
//! netsig; Rasmussen and Williams 2006, section 4.2, for the correlations.

use nalgebra::DMatrix;

/// Number of hyperparameters.
pub(super) const HYPERPARAMETER_COUNT: usize = 9;

/// Indices of the hyperparameters.
pub(super) const SMOOTH: usize = 0;
pub(super) const SMOOTH_LENGTH: usize = 1;
pub(super) const TREND: usize = 2;
pub(super) const TREND_LENGTH: usize = 3;
pub(super) const WALK: usize = 4;
pub(super) const WALK_LENGTH: usize = 5;
pub(super) const NOISE: usize = 6;
pub(super) const DAMPING: usize = 7;
pub(super) const BALANCE: usize = 8;

/// Logarithms of the hyperparameters s₁, ℓ₁, s₂, ℓ₂, s₃, ℓ₃, the noise of a cell, d, and the bytes that
/// take as long as a start-up.
pub(super) type Hyperparameters = [f64; HYPERPARAMETER_COUNT];

/// Prior of the hyperparameters: log-normal, by medians and standard deviations of the logarithm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FieldPrior {
    /// Medians, in the order of the hyperparameters.
    pub medians: [f64; HYPERPARAMETER_COUNT],
    /// Standard deviations of their logarithms.
    pub spreads: [f64; HYPERPARAMETER_COUNT],
    /// σ: standard deviation of the share of ln γ that the network between hosts adds.
    pub step: f64,
    /// c and t: standard deviations of the level of ln γ, and of its slope in ln m.
    pub level: [f64; 2],
    /// Further distance in ln m of sizes from the eager limit on.
    pub protocol: f64,
    /// Factor of the deviations, for effects that the process does not model, such as a step of topology.
    pub widening: f64,
}

/// The likeliest values on the sets of bench/data/real. None is critical: a change of one by half moves the errors
/// there by a few per cent at most.
impl Default for FieldPrior {
    fn default() -> Self {
        Self {
            medians: [0.75, 2.8, 0.375, 4.0, 0.2, 3.0, 0.03, 0.5, 10_240.0],
            spreads: [0.7, 0.5, 0.6, 0.5, 0.8, 0.5, 0.7, 0.5, 1.5],
            step: 0.7,
            level: [3.0, 0.4],
            protocol: 1.5,
            widening: 1.2,
        }
    }
}

/// Variance of the level of ln γ of other steps than those of the algorithm, beside that of all steps.
const OTHER_STEPS_LEVEL: f64 = 1.0;

/// Level and slope of ln γ, and the spread of the balance, where times between two processes are known.
const POINT_TO_POINT_PRIOR: ([f64; 2], f64) = ([0.4, 0.05], 0.7);

impl FieldPrior {
    /// The prior where `balance` bytes take as long as a start-up between two processes.
    #[must_use]
    pub(super) fn with_point_to_point(mut self, balance: f64) -> Self {
        (self.level, self.spreads[BALANCE]) = POINT_TO_POINT_PRIOR;
        self.medians[BALANCE] = balance;
        self
    }
}

/// Coordinates of a case in the field.
#[derive(Debug, Clone, Copy)]
pub(super) struct FieldCoordinates {
    /// Index of the size among the sizes of the kernel.
    pub size: usize,
    /// Index of the length of the messages there.
    pub message: usize,
    /// x in the processes or hosts.
    pub outer: f64,
    /// x in the ranks of a host; `None` with one rank on a host.
    pub inner: Option<f64>,
    /// True if a library takes other steps than those of the algorithm.
    pub is_replaced: bool,
}

impl FieldCoordinates {
    /// The same coordinates of a case in which a library takes other steps.
    pub(super) fn replaced(self, is_replaced: bool) -> Self {
        Self { is_replaced, ..self }
    }

    /// Coordinates of a size, a length of messages and a process count, with `per_host` ranks on a host.
    pub(super) fn of([size, message]: [usize; 2], procs: f64, per_host: u32) -> Self {
        if per_host <= 1 {
            return Self {
                size,
                message,
                outer: (procs / 2.0).max(1.0).ln(),
                inner: None,
                is_replaced: false,
            };
        }
        let hosts = (procs / f64::from(per_host)).max(1.0);
        Self {
            size,
            message,
            outer: hosts.ln(),
            inner: Some((procs / hosts).ln()),
            is_replaced: false,
        }
    }

    fn has_several_hosts(&self) -> bool {
        self.inner.is_some() && self.outer > 0.0
    }
}

/// Covariance of two cases for one choice of hyperparameters, tabulated over sizes.
pub(super) struct FieldKernel {
    smooth: DMatrix<f64>,
    trend: DMatrix<f64>,
    walk: DMatrix<f64>,
    between_hosts: f64,
    damping: f64,
}

impl FieldKernel {
    /// The kernel over sizes, given by u.
    pub(super) fn new(hyper: &Hyperparameters, prior: &FieldPrior, sizes: &[f64]) -> Self {
        let value = |index: usize| hyper[index].exp();
        let count = sizes.len();
        let matrix_of = |f: &dyn Fn(f64, f64) -> f64| DMatrix::from_fn(count, count, |i, j| f(sizes[i], sizes[j]));
        let [level, slope] = prior.level.map(|deviation| deviation * deviation);
        let [smooth, trend, walk] = [SMOOTH, TREND, WALK].map(|index| value(index).powi(2));
        Self {
            smooth: matrix_of(&|u, v| {
                let line = level + slope * (u - 9.0) * (v - 9.0);
                line + smooth * matern_3_2(u - v, value(SMOOTH_LENGTH))
            }),
            trend: matrix_of(&|u, v| trend * f64::midpoint(1.0, matern_5_2(u - v, value(TREND_LENGTH)))),
            walk: matrix_of(&|u, v| walk * matern_3_2(u - v, value(WALK_LENGTH))),
            between_hosts: prior.step.powi(2) / walk,
            damping: value(DAMPING),
        }
    }

    /// k of two cases.
    pub(super) fn at(&self, a: &FieldCoordinates, b: &FieldCoordinates) -> f64 {
        let at_sizes = |matrix: &DMatrix<f64>| f64::midpoint(matrix[(a.size, b.size)], matrix[(a.message, b.message)]);
        let damped = |x: f64| (1.0 - (-self.damping * x).exp()) / self.damping;
        let (mut trend, mut walk) = (damped(a.outer) * damped(b.outer), a.outer.min(b.outer));
        if let (Some(inner_a), Some(inner_b)) = (a.inner, b.inner) {
            trend += damped(inner_a) * damped(inner_b);
            walk += inner_a.min(inner_b);
        }
        if a.has_several_hosts() && b.has_several_hosts() {
            walk += self.between_hosts;
        }
        let other_steps = if a.is_replaced && b.is_replaced {
            OTHER_STEPS_LEVEL
        } else {
            0.0
        };
        other_steps + at_sizes(&self.smooth) + at_sizes(&self.trend) * trend + at_sizes(&self.walk) * walk
    }
}

fn matern_3_2(distance: f64, length: f64) -> f64 {
    let r = distance.abs() / length * 3f64.sqrt();
    (-r).exp() * (1.0 + r)
}

fn matern_5_2(distance: f64, length: f64) -> f64 {
    let r = distance.abs() / length * 5f64.sqrt();
    (-r).exp() * (1.0 + r + r * r / 3.0)
}
