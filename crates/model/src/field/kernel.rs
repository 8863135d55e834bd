//! Covariance of ln γ between two cases.
//!
//! # Formula
//! With u = ln m, and x the logarithm of the process count over 2, or with several ranks on a host that of the
//! number of hosts:
//!
//! ```text
//! k = c² + (u−9)(u′−9)·t²                                        a constant and a slope in ln m
//!   + s₁²·M(3/2)(u − u′; ℓ₁)                                     smooth in ln m
//!   + s₂²·(½ + ½·M(5/2)(u − u′; ℓ₂))·D(x)·D(x′),  D = (1 − e^(−dx))/d   a damped trend in ln n
//!   + s₃²·M(3/2)(u − u′; ℓ₃)·min(x, x′)                          a random walk in ln n
//! ```
//!
//! M(ν) is the Matérn correlation. With several ranks on a host the trend and the walk come twice, in the
//! ranks of a host and in the hosts, and σ²·M(3/2)(u − u′; ℓ₃) joins cases among several hosts: what
//! leaves a host is another network.
//!
//! Without times between two processes the level of ln γ is unknown, c = 3 and t = 2/5; with them T₀ is near
//! the time of one transfer, c = 0.4 and t = 0.05, and the balance is near theirs. A size from the eager limit
//! on counts as 1.5 further in u: it is sent by another protocol.
//!
//! # Source
//! netsig; Rasmussen and Williams 2006, section 4.2, for the correlations.

use nalgebra::DMatrix;

/// Number of hyperparameters.
pub(super) const COUNT: usize = 9;

/// ln of a hyperparameter at its place.
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
pub(super) type Hyper = [f64; COUNT];

/// Prior of the hyperparameters: log-normal, by medians and standard deviations of the logarithm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FieldPrior {
    /// Medians, in the order of the hyperparameters.
    pub medians: [f64; COUNT],
    /// Standard deviations of their logarithms.
    pub spreads: [f64; COUNT],
    /// σ: standard deviation of ln γ of what leaves a host.
    pub step: f64,
    /// c and t: standard deviations of the level of ln γ, and of its slope in ln m.
    pub level: [f64; 2],
    /// Further distance in ln m of sizes from the eager limit on.
    pub protocol: f64,
    /// Factor of the deviations, for what the process does not know: a step of topology.
    pub widening: f64,
}

/// The likeliest of each kind on the sets of bench/data/real; none is critical: no change of one by half
/// moves the errors there by more than a few per cent.
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

/// Level and slope of ln γ, and the spread of the balance, where times between two processes are known.
const OF_PAIRS: ([f64; 2], f64) = ([0.4, 0.05], 0.7);

impl FieldPrior {
    /// The prior where `balance` bytes take as long as a start-up between two processes.
    #[must_use]
    pub(super) fn with_pairs(mut self, balance: f64) -> Self {
        (self.level, self.spreads[BALANCE]) = OF_PAIRS;
        self.medians[BALANCE] = balance;
        self
    }
}

/// Place of a case in the field.
#[derive(Debug, Clone, Copy)]
pub(super) struct FieldPlace {
    /// Index of its size among those of the kernel.
    pub size: usize,
    /// x in the processes or hosts.
    pub outer: f64,
    /// x in the ranks of a host; `None` with one.
    pub inner: Option<f64>,
}

impl FieldPlace {
    /// The place of a process count with so many ranks on a host.
    pub(super) fn of(size: usize, procs: f64, per_host: u32) -> Self {
        if per_host <= 1 {
            return Self {
                size,
                outer: (procs / 2.0).max(1.0).ln(),
                inner: None,
            };
        }
        let hosts = (procs / f64::from(per_host)).max(1.0);
        Self {
            size,
            outer: hosts.ln(),
            inner: Some((procs / hosts).ln()),
        }
    }

    fn is_apart(&self) -> bool {
        self.inner.is_some() && self.outer > 0.0
    }
}

/// The covariances of sizes, for one choice of hyperparameters.
pub(super) struct FieldKernel {
    smooth: DMatrix<f64>,
    trend: DMatrix<f64>,
    walk: DMatrix<f64>,
    apart: f64,
    damping: f64,
}

impl FieldKernel {
    /// The kernel over sizes, given by u.
    pub(super) fn new(hyper: &Hyper, prior: &FieldPrior, sizes: &[f64]) -> Self {
        let value = |place: usize| hyper[place].exp();
        let count = sizes.len();
        let over = |f: &dyn Fn(f64, f64) -> f64| DMatrix::from_fn(count, count, |i, j| f(sizes[i], sizes[j]));
        let [level, slope] = prior.level.map(|own| own * own);
        let [smooth, trend, walk] = [SMOOTH, TREND, WALK].map(|place| value(place).powi(2));
        Self {
            smooth: over(&|u, v| {
                let line = level + slope * (u - 9.0) * (v - 9.0);
                line + smooth * matern_3_2(u - v, value(SMOOTH_LENGTH))
            }),
            trend: over(&|u, v| trend * f64::midpoint(1.0, matern_5_2(u - v, value(TREND_LENGTH)))),
            walk: over(&|u, v| walk * matern_3_2(u - v, value(WALK_LENGTH))),
            apart: prior.step.powi(2) / walk,
            damping: value(DAMPING),
        }
    }

    /// k of two places.
    pub(super) fn at(&self, a: &FieldPlace, b: &FieldPlace) -> f64 {
        let pair = (a.size, b.size);
        let damped = |x: f64| (1.0 - (-self.damping * x).exp()) / self.damping;
        let (mut trend, mut walk) = (damped(a.outer) * damped(b.outer), a.outer.min(b.outer));
        if let (Some(own), Some(other)) = (a.inner, b.inner) {
            trend += damped(own) * damped(other);
            walk += own.min(other);
        }
        if a.is_apart() && b.is_apart() {
            walk += self.apart;
        }
        self.smooth[pair] + self.trend[pair] * trend + self.walk[pair] * walk
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
