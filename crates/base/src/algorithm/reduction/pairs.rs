//! Which operands an algorithm combines with each other.
//!
//! A sum of floating-point numbers depends on it: (a + b) + c may differ from a + (b + c) in the last bits, while a + b and
//! b + a are equal. So two algorithms with the same pairs have the same sums and products, unless several operands are NaN.
//!
//! # Source
//! The expressions that the proof of delivery finds, for 2 to 17 ranks.

use super::super::traffic::{AlgorithmTraffic, ReductionForm};
use super::super::{Algorithm, Collective, DecisionCase, LibraryDecision};

/// Which operands are combined with each other, whatever the vector and its segments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperandPairs {
    /// After the fold, groups of 2^k neighbours with each other, for k = 0, 1, …
    Neighbours,
    /// Each rank's operand with all later ones together.
    Chain,
    /// Those of a binomial tree.
    Binomial,
    /// For each block another chain round the ring.
    Ring,
    /// Those of one form alone.
    Form(ReductionForm),
}

impl OperandPairs {
    /// The pairs of a reduction.
    pub fn of_form(form: ReductionForm) -> Self {
        use ReductionForm as Form;
        match form {
            Form::RecursiveDoubling | Form::Rabenseifner(_) | Form::ReduceRabenseifner(_) | Form::Butterfly => {
                Self::Neighbours
            }
            Form::ReduceFlat | Form::FlatReduceBcast | Form::ReduceChain | Form::ReducePipeline => Self::Chain,
            Form::ReduceBinomial | Form::ReduceBcast | Form::ReduceThenScatter => Self::Binomial,
            Form::Ring | Form::RingSegmented => Self::Ring,
            other => Self::Form(other),
        }
    }

    fn of_traffic(traffic: Option<AlgorithmTraffic>) -> Option<Self> {
        match traffic? {
            AlgorithmTraffic::Reduction(form) => Some(Self::of_form(form)),
            _ => None,
        }
    }
}

impl Algorithm {
    /// The pairs of a reduction; `None` where they depend on the clusters of the ranks.
    pub fn operand_pairs(&self) -> Option<OperandPairs> {
        OperandPairs::of_traffic(self.traffic())
    }
}

impl LibraryDecision {
    /// The pairs of what the library runs in a case by its own rules, if they are known.
    pub fn operand_pairs(&self, case: DecisionCase) -> Option<OperandPairs> {
        let run = self.runs(case)?;
        let traffic = match run.reduce {
            Some(name) => Self::of(self.flavour(), Collective::Reduce)?.traffic_of(name),
            None => self.traffic_of(run.name),
        };
        OperandPairs::of_traffic(traffic)
    }
}
