//! Schedules that do not change the result of a reduction.
//!
//! # Rule
//! A result that no order of the operands changes may come from any schedule, as that of integers. Sums and products of
//! floating-point numbers come from schedules that combine the same pairs of operands as the library's own algorithm
//! ([`OperandPairs`]); where that algorithm is unknown, pairs of neighbours are tried. An operation of the program may do
//! anything with its operands, so that the library runs.
//!
//! Who lets results change gets any schedule, for operations of the program any in the order of the ranks.

use netsig_base::algorithm::{
    Algorithm, Collective, DecisionCase, ElementType, LibraryDecision, MpiFlavour, OperandPairs, ReductionOperands,
    ReductionOperation,
};
use netsig_base::schedule::OperandOrder;
use netsig_base::units::{Bytes, Procs};

use crate::profile::Profile;

/// How much reductions may be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, strum::EnumString, strum::Display, strum::VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum ReductionMode {
    /// Not at all: the library carries them out.
    Off,
    /// Results keep their bits.
    #[default]
    SameOrder,
    /// Operands may be combined in any order that is the same in every call.
    On,
}

/// How the result of a reduction depends on the order of its operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub enum OrderDependence {
    /// Not at all, as of integers; also for collectives that combine nothing.
    None,
    /// If operands are NaN, or zeros of both signs: the largest of floating-point numbers.
    SpecialValues,
    /// By rounding: sums and products of floating-point numbers.
    Rounding,
    /// In a way that only the program knows.
    Unknown,
}

/// The schedules that may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultRule {
    /// All.
    AnyOrder,
    /// Those that combine in the order of the ranks.
    RankOrder,
    /// Those that combine these pairs of operands.
    Pairs(OperandPairs),
    /// None.
    LibraryAlone,
}

impl OrderDependence {
    /// The dependence of a collective of these operands.
    pub fn of(collective: Collective, operands: ReductionOperands) -> Self {
        use ReductionOperation::{Max, Min, Prod, Sum};
        let is_rounded = matches!(operands.element(), ElementType::Double | ElementType::Float);
        match operands.operation() {
            _ if !collective.is_reduction() || !is_rounded => Self::None,
            Sum | Prod => Self::Rounding,
            Max | Min => Self::SpecialValues,
            _ => Self::None,
        }
    }
}

impl ResultRule {
    /// The rule for a call. `library` has the rules of the program's library, where they are known.
    pub fn of(
        mode: ReductionMode,
        dependence: OrderDependence,
        library: Option<&LibraryDecision>,
        case: DecisionCase,
    ) -> Self {
        match (mode, dependence) {
            (ReductionMode::Off, _) | (ReductionMode::SameOrder, OrderDependence::Unknown) => Self::LibraryAlone,
            (_, OrderDependence::None | OrderDependence::SpecialValues)
            | (ReductionMode::On, OrderDependence::Rounding) => Self::AnyOrder,
            (ReductionMode::On, OrderDependence::Unknown) => Self::RankOrder,
            (ReductionMode::SameOrder, OrderDependence::Rounding) => {
                let pairs = library.and_then(|rules| rules.operand_pairs(case));
                Self::Pairs(pairs.unwrap_or(OperandPairs::Neighbours))
            }
        }
    }

    /// The rule for the operands that a profile has measured, if results keep their bits.
    pub fn of_profile(profile: &Profile, collective: Collective, flavour: MpiFlavour, at: (Procs, Bytes)) -> Self {
        let operands = profile.operands();
        let case = DecisionCase {
            element: operands.element().bytes(),
            ..DecisionCase::new(at.0, at.1)
        };
        let rules = LibraryDecision::of(flavour, collective);
        Self::of(
            ReductionMode::default(),
            OrderDependence::of(collective, operands),
            rules,
            case,
        )
    }

    /// True if an algorithm may run.
    pub fn allows(self, algorithm: Algorithm) -> bool {
        match self {
            Self::AnyOrder => true,
            Self::RankOrder => algorithm.operand_order() == Some(OperandOrder::Ranks),
            Self::Pairs(pairs) => algorithm.operand_pairs() == Some(pairs),
            Self::LibraryAlone => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Open MPI combines short vectors of 16 ranks by recursive doubling, and vectors of 4 ranks below 8 bytes on a ring.
    #[test]
    fn sums_keep_the_pairs_of_the_library() {
        use OrderDependence::{None, Rounding, SpecialValues, Unknown};
        use ReductionMode::{Off, On, SameOrder};
        let allowed = |mode, dependence, count, bytes| -> String {
            let rules = LibraryDecision::of(MpiFlavour::OpenMpi, Collective::Allreduce);
            let case = DecisionCase::new(Procs::new(count).unwrap(), Bytes(bytes));
            let rule = ResultRule::of(mode, dependence, rules, case);
            let names = ["direct", "recursive-doubling", "rabenseifner", "ring"];
            let parsed = names.map(|name| Algorithm::parse(Collective::Allreduce, name).unwrap());
            let able = parsed.into_iter().filter(|algorithm| rule.allows(*algorithm));
            able.map(|algorithm| algorithm.to_string())
                .collect::<Vec<_>>()
                .join(" ")
        };
        let all = "direct recursive-doubling rabenseifner ring";
        let expected = [
            (SameOrder, Rounding, 16, 800, "recursive-doubling rabenseifner"),
            (SameOrder, Rounding, 16, 80_000, "recursive-doubling rabenseifner"),
            (SameOrder, Rounding, 3, 20_000, "ring"),
            (On, Rounding, 16, 800, all),
            (SameOrder, None, 16, 800, all),
            (SameOrder, SpecialValues, 16, 800, all),
            (SameOrder, Unknown, 16, 800, ""),
            (On, Unknown, 16, 800, "direct recursive-doubling"),
            (Off, None, 16, 800, ""),
        ];
        for (mode, dependence, count, bytes, names) in expected {
            assert_eq!(
                allowed(mode, dependence, count, bytes),
                names,
                "{mode} {dependence} {count} {bytes}"
            );
        }
    }

    #[test]
    fn only_floating_point_numbers_depend_on_the_order() {
        let of = |collective, text: &str| OrderDependence::of(collective, text.parse().unwrap());
        assert_eq!(of(Collective::Allreduce, "sum:double"), OrderDependence::Rounding);
        assert_eq!(of(Collective::Allreduce, "max:float"), OrderDependence::SpecialValues);
        assert_eq!(of(Collective::Allreduce, "sum:int"), OrderDependence::None);
        assert_eq!(of(Collective::Bcast, "sum:double"), OrderDependence::None);
    }
}
