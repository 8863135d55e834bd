//! The messages of a round: a list, or a rule that makes each when it is asked for.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use smallvec::SmallVec;

use super::Message;
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
/// assert_eq!(round.sends.get(499_999).unwrap().partner, Rank(499_990));
/// ```
#[derive(Clone)]
pub enum Messages {
    /// Written out.
    Listed(SmallVec<[Message; 1]>),
    /// By a rule.
    Each {
        /// The rule.
        rule: Rule,
        /// How many.
        count: u32,
    },
}

/// Makes a message from its number.
#[derive(Clone)]
pub struct Rule {
    /// Whose messages.
    frame: Frame,
    /// The message of this number, from 0.
    of: fn(Frame, u32) -> Message,
    /// How ranks and pieces are renumbered afterwards.
    turn: Option<Arc<Turn>>,
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

impl Rule {
    fn message(&self, number: u32) -> Message {
        let message = (self.of)(self.frame, number);
        match self.turn.as_deref() {
            Some(turn) => turn.message(message),
            None => message,
        }
    }
}

impl Messages {
    /// One message for each other rank, n − 1 in all, by the rule `of`.
    pub fn one_each(frame: Frame, of: fn(Frame, u32) -> Message) -> Self {
        Self::Each {
            rule: Rule {
                frame,
                of,
                turn: None,
            },
            count: frame.procs.get() - 1,
        }
    }

    /// The messages with ranks and pieces renumbered.
    pub(super) fn turned(self, turn: Turn) -> Self {
        match self {
            Self::Listed(list) => list.into_iter().map(|own| turn.message(own)).collect(),
            Self::Each { rule, count } => Self::Each {
                rule: Rule {
                    turn: Some(Arc::new(turn)),
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

    /// All in their order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Cow<'_, Message>> {
        (0..self.len()).map(|number| self.get(number).expect("less than their number"))
    }

    /// The message of this number, from 0, if there are so many.
    pub fn get(&self, number: usize) -> Option<Cow<'_, Message>> {
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

impl Default for Messages {
    fn default() -> Self {
        Self::Listed(SmallVec::new())
    }
}

impl FromIterator<Message> for Messages {
    fn from_iter<I: IntoIterator<Item = Message>>(messages: I) -> Self {
        Self::Listed(messages.into_iter().collect())
    }
}

impl From<Option<Message>> for Messages {
    fn from(message: Option<Message>) -> Self {
        message.map_or_else(Self::default, Self::from)
    }
}

impl From<Message> for Messages {
    fn from(message: Message) -> Self {
        Self::Listed([message].into())
    }
}

/// Whether the messages are the same, whatever makes them.
impl PartialEq for Messages {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Messages {}

impl fmt::Debug for Messages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::Slot;

    fn message(number: u32) -> Message {
        Message::single(Rank(4), Slot::Input(10 * number))
    }

    fn by_rule(count: u32) -> Messages {
        let frame = Frame {
            procs: Procs::new(9).unwrap(),
            rank: Rank(4),
            block: 0,
        };
        let rule = Rule {
            frame,
            of: |frame, number| Message::single(frame.rank, Slot::Input(10 * number)),
            turn: None,
        };
        Messages::Each { rule, count }
    }

    #[test]
    fn a_rule_is_as_good_as_its_list() {
        let list = [0, 1, 2].map(message);
        let (ruled, listed) = (by_rule(3), Messages::from_iter(list.clone()));
        assert_eq!(ruled, listed);
        assert_ne!(by_rule(2), listed);
        assert_eq!(format!("{ruled:?}"), format!("{list:?}"));
        assert_eq!((ruled.len(), ruled.iter().len()), (3, 3));
        for number in 0..4 {
            assert_eq!(ruled.get(number), listed.get(number));
        }
        assert!(by_rule(0).is_empty());
        assert_eq!(by_rule(0), Messages::default());
    }
}
