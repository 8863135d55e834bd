//! Collectives under contention in regimes: what an MPI library sends at once, what it asks
//! for first, and what overflows the port of a switch.
//!
//! # Formula
//! With V(w) the time that w bytes in a row take on the wire ([`Wire`]), s the start-ups on the
//! path of the algorithm, W its serial and W′ its shared time on the wire ([`Pattern`]):
//!
//! ```text
//! T₀(n, m) = (a + b·s + (γ + κ/(n−1))·W + λ·(W′ − W))·e^ρ(m)
//! ```
//!
//! in seconds, with one a and b for all sizes and γ, κ, λ, ρ for each protocol: eager messages and
//! those from the eager limit on. γ is the ratio of the papers' signature, in the limit of many
//! processes; κ says how the ratio differs among few; λ how much of a rank's successive messages
//! share its link. ρ(m) is what repeats at a size at all process counts.
//!
//! Where the links of the network are known, F is what its busiest link needs. Eager messages take
//! max(W, F) in place of W; the others take γ·F with the γ of eager ones at least, which is what
//! headers and acknowledgements cost on any link, while what contention costs at a port does not
//! add to a link that is the narrower one.
//!
//! Where eager messages overflow a port (F below), γ is γ + u·F: queues, and losses that are made up
//! for at once, take time whether or not a repetition stalls.
//!
//! A repetition waits for a time-out of TCP with the probability p = 1 − exp(−c·n·(n−1)·F): each
//! of the n·(n−1) connections may. Eager messages, x = (n−1)·m bytes towards one port, all leave
//! at once and overflow it from about X bytes on, F = 1/(1 + (X/x)⁴); they lose the end of a
//! message, and the repetition takes T₀ + D. From the eager limit on F = 1: losses come at any
//! moment, the others go on meanwhile, and of D there remains D²/(2·T₀), if that is less. Times
//! are therefore a mixture ([`Times`]), of which the mean, the median and quantiles follow.
//!
//! The papers' signature is the case with one protocol, κ = λ = ρ = 0, V(w) = β·w, a = 0, b = γ·α, and
//! a sharp F with p = 1 from X = (n−1)·M on, and D = (n−1)·δ.
//!
//! # Domain
//! n ≥ 2; each process on a host of its own, or alike on all hosts; sizes of a protocol that was
//! measured.
//!
//! # Source
//! netsig, on top of Steffenel 2006 (γ, δ, M) and of Kielmann, Bal, Verstoep 2000 (a gap that is
//! a table); METHODOLOGY.md derives it.

mod mixture;
mod traffic;
mod tree;
mod wire;

pub use self::mixture::{Stall, Times};
pub use self::traffic::{Class, Order, Pattern, Traffic};
pub use self::wire::Wire;

use crate::model::tree::Tree;
use crate::units::{Bytes, Procs, Seconds};

/// A fitted model of one algorithm.
#[derive(Debug, Clone, PartialEq)]
pub struct Regimes {
    /// What the algorithm puts on the wire.
    pub pattern: Pattern,
    /// How long bytes take on it.
    pub wire: Wire,
    /// a: what is paid once, however many processes.
    pub latency: Seconds,
    /// b: what one start-up adds, in seconds.
    pub startup: Seconds,
    /// Messages below the eager limit.
    pub eager: Option<Protocol>,
    /// Messages from it on.
    pub rendezvous: Option<Protocol>,
    /// The first size that is not sent at once; `None` if none was seen.
    pub eager_limit: Option<Bytes>,
}

/// The exponent of F: how sharply overflow sets in, from a tenth to nine tenths over a factor of
/// three, as in emulated ports of 32 and 64 KiB.
const SHARPNESS: i32 = 4;

/// How an algorithm shares the wire under one protocol of the MPI library.
#[derive(Debug, Clone, PartialEq)]
pub struct Protocol {
    /// γ.
    pub gamma: f64,
    /// κ.
    pub growth: f64,
    /// λ, at least 0.
    pub overlap: f64,
    /// u, at least 0; counts from the onset of stalls on.
    pub slowdown: f64,
    /// ρ: (m, ρ(m)), ascending in m; between them linear in ln(m + 1), beyond them constant. None
    /// means 0.
    pub corrections: Vec<(Bytes, f64)>,
    /// The standard deviation of ln T of one repetition that does not stall.
    pub spread: f64,
    /// Those that do; `None` if none was seen.
    pub stalls: Option<Stalls>,
}

/// How repetitions wait for time-outs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stalls {
    /// c: the rate on one connection and repetition.
    pub rate: f64,
    /// D.
    pub cost: Seconds,
    /// The standard deviation of ln D.
    pub spread: f64,
    /// Where they set in; `None` if they come at any size and moment.
    pub onset: Option<Onset>,
}

/// From how many bytes towards a port on it overflows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Onset {
    /// X: half of the final rate is reached there.
    pub bytes: f64,
    /// The least that the data do not rule out.
    pub lower: f64,
    /// The most.
    pub upper: f64,
}

/// The protocol of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Regime {
    /// Sent at once.
    Eager,
    /// Asked for first.
    Rendezvous,
}

/// What is asked of the model.
#[derive(Debug, Clone, Copy)]
pub struct Point<'a> {
    /// n.
    pub procs: Procs,
    /// m.
    pub size: Bytes,
    /// The links of the network, where they are known.
    pub tree: Option<&'a Tree>,
}

impl Regimes {
    /// The protocol of m bytes.
    pub fn regime(&self, size: Bytes) -> Regime {
        Regime::of(size, self.eager_limit)
    }

    /// How the algorithm does under a protocol, where it was measured.
    pub fn protocol(&self, regime: Regime) -> Option<&Protocol> {
        match regime {
            Regime::Eager => self.eager.as_ref(),
            Regime::Rendezvous => self.rendezvous.as_ref(),
        }
    }

    /// The times of a case, 0 for one process. Where its protocol was not measured the other
    /// stands for it; `None` if neither was.
    pub fn times(&self, point: Point) -> Option<Times> {
        let regime = self.regime(point.size);
        let other = || self.eager.as_ref().or(self.rendezvous.as_ref());
        let protocol = self.protocol(regime).or_else(other)?;
        let typical = match point.procs.get() {
            1 => Seconds(0.0),
            _ => self.typical(protocol, point),
        };
        let others = f64::from(point.procs.get().saturating_sub(1));
        Some(Times {
            typical,
            spread: protocol.spread,
            stall: protocol.stalls.map(|stalls| Stall {
                probability: stalls.probability(point.procs, others * point.size.as_f64()),
                from: typical,
                cost: stalls.added(typical),
                spread: stalls.spread,
            }),
        })
    }

    /// T₀.
    fn typical(&self, protocol: &Protocol, point: Point) -> Seconds {
        let traffic = self.pattern.traffic(&self.wire, point);
        let others = f64::from(point.procs.get().max(2) - 1);
        let ratio = protocol.gamma + protocol.growth / others;
        let overlap = protocol.overlap * (traffic.shared.0 - traffic.serial.0);
        let wire = match self.regime(point.size) {
            Regime::Eager => {
                let bytes = others * point.size.as_f64();
                let ratio = ratio + protocol.slowdown * protocol.share(bytes);
                ratio * traffic.serial.0.max(traffic.floor.0) + overlap
            }
            Regime::Rendezvous => {
                let plain = self.eager.as_ref().map_or(1.0, |eager| eager.gamma);
                (ratio * traffic.serial.0 + overlap).max(plain * traffic.floor.0)
            }
        };
        let starting = self.latency.0 + self.startup.0 * traffic.startups;
        let time = starting + wire.max(0.0);
        Seconds(time * protocol.correction(point.size).exp())
    }
}

impl Regime {
    /// The protocol of m bytes under an eager limit, where there is one.
    pub fn of(size: Bytes, eager_limit: Option<Bytes>) -> Self {
        match eager_limit {
            Some(limit) if size >= limit => Self::Rendezvous,
            _ => Self::Eager,
        }
    }
}

impl Protocol {
    /// F(x); 0 where no onset was seen.
    pub fn share(&self, bytes: f64) -> f64 {
        let onset = self.stalls.and_then(|stalls| stalls.onset);
        onset.map_or(0.0, |onset| onset.share(bytes))
    }

    /// ρ(m).
    pub fn correction(&self, size: Bytes) -> f64 {
        let (Some(first), Some(last)) = (self.corrections.first(), self.corrections.last()) else {
            return 0.0;
        };
        if size <= first.0 {
            return first.1;
        }
        let Some(pair) = self.corrections.windows(2).find(|pair| size <= pair[1].0) else {
            return last.1;
        };
        let [(lower, from), (upper, to)] = [pair[0], pair[1]];
        let [at, lower, upper] = [size, lower, upper].map(|size| size.as_f64().ln_1p());
        from + (to - from) * (at - lower) / (upper - lower)
    }
}

impl Stalls {
    /// p for n processes with x bytes towards one port.
    pub fn probability(&self, procs: Procs, bytes: f64) -> f64 {
        let share = self.onset.map_or(1.0, |onset| onset.share(bytes));
        -(-self.rate * connections(procs) * share).exp_m1()
    }

    /// The median of what a stall adds to T₀.
    pub(crate) fn added(&self, typical: Seconds) -> Seconds {
        match self.onset {
            Some(_) => self.cost,
            None => Seconds(self.cost.0 * (self.cost.0 / (2.0 * typical.0)).min(1.0)),
        }
    }
}

impl Onset {
    /// F(x).
    pub fn share(&self, bytes: f64) -> f64 {
        1.0 / (1.0 + (self.bytes / bytes).powi(SHARPNESS))
    }
}

/// n·(n − 1).
pub(crate) fn connections(procs: Procs) -> f64 {
    let n = f64::from(procs.get());
    n * (n - 1.0)
}
