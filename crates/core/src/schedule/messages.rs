//! The messages of a round: a list, or a rule that makes each when it is asked for.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use itertools::Either;
use smallvec::SmallVec;

use super::turn::Turn;
use crate::units::{Procs, Rank};

/// The messages of a round in their order. Neither a single message of one block nor a
/// million by a rule take memory beyond this.
///
/// ```
/// use netsig_core::algorithm::{Algorithm, Collective};
/// use netsig_core::units::{Bytes, Procs, Rank};
///
/// let direct = Algorithm::parse(Collective::Alltoall, "direct").unwrap();
/// let round = direct.schedule(Procs::new(1_000_000).unwrap(), Bytes(8)).round(Rank(999_990), 0);
/// assert_eq!(round.sends.len(), 999_999);
/// assert_eq!(round.sends.get(499_999).unwrap().to, Rank(499_990));
/// ```
#[derive(Clone)]
pub enum Messages<T> {
    /// Written out.
    Listed(SmallVec<[T; 1]>),
    /// By a rule.
    Each {
        /// The rule.
        rule: Rule<T>,
        /// How many.
        count: u32,
    },
}

/// A renumbering, and what it does to a message.
type Turned<T> = Arc<(Turn, fn(T, Turn) -> T)>;

/// Makes a message from its number.
#[derive(Clone)]
pub struct Rule<T> {
    /// Whose messages.
    frame: Frame,
    /// The message of this number, from 0.
    of: fn(Frame, u32) -> T,
    /// How ranks and pieces are renumbered afterwards.
    turned: Option<Turned<T>>,
}

/// What a rule makes messages from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    /// Who takes part.
    pub procs: Procs,
    /// Whose round it is.
    pub rank: Rank,
    /// The number of the block that the messages carry, where the rule needs one.
    pub block: u32,
}

impl Frame {
    /// Of a rank, for rules that need no block.
    pub fn of(procs: Procs, rank: Rank) -> Self {
        Self {
            procs,
            rank,
            block: 0,
        }
    }
}

/// Messages by a rule, one after the other.
pub struct ByRule<T> {
    rule: Rule<T>,
    left: Range<u32>,
}

impl<T> Rule<T> {
    fn message(&self, number: u32) -> T {
        let message = (self.of)(self.frame, number);
        match self.turned.as_deref() {
            Some((turn, turned)) => turned(message, *turn),
            None => message,
        }
    }
}

impl<T> Messages<T> {
    /// One message for each other rank, n − 1 in all, by the rule `of`.
    pub fn one_each(frame: Frame, of: fn(Frame, u32) -> T) -> Self {
        Self::Each {
            rule: Rule {
                frame,
                of,
                turned: None,
            },
            count: frame.procs.get() - 1,
        }
    }

    /// The messages, each renumbered by `turned`.
    pub(super) fn turned(self, turn: Turn, turned: fn(T, Turn) -> T) -> Self {
        match self {
            Self::Listed(list) => list.into_iter().map(|one| turned(one, turn)).collect(),
            Self::Each { rule, count } => Self::Each {
                rule: Rule {
                    turned: Some(Arc::new((turn, turned))),
                    ..rule
                },
                count,
            },
        }
    }

    /// How many.
    pub fn len(&self) -> usize {
        match self {
            Self::Listed(list) => list.len(),
            Self::Each { count, .. } => *count as usize,
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<T: Clone> Messages<T> {
    /// All in their order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Cow<'_, T>> {
        (0..self.len()).map(|number| self.get(number).expect("less than their number"))
    }

    /// The message of this number, from 0, if there are so many.
    pub fn get(&self, number: usize) -> Option<Cow<'_, T>> {
        match self {
            Self::Listed(list) => list.get(number).map(Cow::Borrowed),
            Self::Each { rule, count } => {
                let number = u32::try_from(number).ok();
                let number = number.filter(|number| number < count);
                number.map(|number| Cow::Owned(rule.message(number)))
            }
        }
    }
}

impl<T> Default for Messages<T> {
    fn default() -> Self {
        Self::Listed(SmallVec::new())
    }
}

impl<T> FromIterator<T> for Messages<T> {
    fn from_iter<I: IntoIterator<Item = T>>(messages: I) -> Self {
        Self::Listed(messages.into_iter().collect())
    }
}

impl<T> From<Option<T>> for Messages<T> {
    fn from(message: Option<T>) -> Self {
        message.map_or_else(Self::default, Self::from)
    }
}

impl<T> From<T> for Messages<T> {
    fn from(message: T) -> Self {
        Self::Listed([message].into())
    }
}

/// Whether the messages are the same, whatever makes them.
impl<T: Clone + PartialEq> PartialEq for Messages<T> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl<T: Clone + Eq> Eq for Messages<T> {}

impl<T: Clone + fmt::Debug> fmt::Debug for Messages<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<T> IntoIterator for Messages<T> {
    type Item = T;
    type IntoIter = Either<smallvec::IntoIter<[T; 1]>, ByRule<T>>;
    fn into_iter(self) -> Self::IntoIter {
        match self {
            Self::Listed(list) => Either::Left(list.into_iter()),
            Self::Each { rule, count } => Either::Right(ByRule {
                rule,
                left: 0..count,
            }),
        }
    }
}

impl<T> Iterator for ByRule<T> {
    type Item = T;
    fn next(&mut self) -> Option<T> {
        self.left.next().map(|number| self.rule.message(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_rule(count: u32) -> Messages<u32> {
        let frame = Frame {
            procs: Procs::new(9).unwrap(),
            rank: Rank(4),
            block: 0,
        };
        let of = |frame: Frame, number| frame.rank.0 + 10 * number;
        Messages::Each {
            rule: Rule {
                frame,
                of,
                turned: None,
            },
            count,
        }
    }

    #[test]
    fn a_rule_is_as_good_as_its_list() {
        let (ruled, listed) = (by_rule(3), Messages::from_iter([4, 14, 24]));
        assert_eq!(ruled, listed);
        assert_ne!(by_rule(2), listed);
        assert_eq!(format!("{ruled:?}"), "[4, 14, 24]");
        assert_eq!((ruled.len(), ruled.iter().len()), (3, 3));
        for number in 0..4 {
            assert_eq!(ruled.get(number), listed.get(number));
        }
        assert!(ruled.into_iter().eq(listed));
        assert!(by_rule(0).is_empty());
        assert_eq!(by_rule(0), Messages::default());
    }
}
