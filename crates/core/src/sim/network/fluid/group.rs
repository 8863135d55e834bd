//! Groups: classes of flows that share links with each other and with no others, and their
//! progress.

use std::ops::Range;

use crate::network::LinkId;
use crate::sim::queue::place;
use crate::sim::time::Time;
use crate::units::Seconds;

/// Flows that are alike: as many bytes left, and links that are alike.
#[derive(Debug, Clone)]
pub(super) struct Class {
    /// Where its flows are in the group.
    pub(super) flows: Range<usize>,
    /// Where its uses are in the group.
    pub(super) uses: Range<usize>,
    /// What each flow had left when the rates were last set.
    pub(super) bytes: f64,
    /// The rate of each flow in bytes per second.
    pub(super) rate: f64,
    /// When all of them finish.
    pub(super) finish: Time,
    /// Whether they have not finished.
    pub(super) is_active: bool,
}

impl Class {
    /// What each flow has left so long after the rates were set.
    fn left_after(&self, elapsed: Time) -> f64 {
        (self.bytes - self.rate * elapsed.seconds().0).max(0.0)
    }
}

/// How many links of a bundle each flow of a class uses.
#[derive(Debug, Clone, Copy)]
pub(super) struct Use {
    pub(super) bundle: u32,
    pub(super) links: u32,
}

/// Links that are alike.
#[derive(Debug, Clone)]
pub(super) struct Bundle {
    /// The rate of each in bytes per second.
    pub(super) rate: f64,
    /// How many there are.
    pub(super) links: u32,
    /// Where the classes that use it are in the group; empty until they are looked for.
    pub(super) users: Range<usize>,
}

/// What is to be done about a group when the present instant ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum Due {
    /// Nothing.
    #[default]
    Nothing,
    /// Classes have finished: share again among the others.
    Sharing,
    /// Flows came: put all into new classes.
    Parting,
}

/// Classes that are joined by links.
#[derive(Debug, Default)]
pub(super) struct Group {
    pub(super) due: Due,
    /// Tells the present rates from earlier ones and from other groups'.
    pub(super) stamp: u64,
    pub(super) classes: Vec<Class>,
    /// The flows by class.
    pub(super) flows: Vec<u32>,
    /// The uses by class.
    pub(super) uses: Vec<Use>,
    pub(super) bundles: Vec<Bundle>,
    /// The classes by bundle.
    pub(super) users: Vec<u32>,
    /// The links of all bundles.
    pub(super) links: Vec<LinkId>,
    /// When the rates were last set.
    since: Time,
}

impl Group {
    /// Raises what is due. Whether nothing was before.
    pub(super) fn raise(&mut self, due: Due) -> bool {
        let before = self.due;
        self.due = before.max(due);
        before == Due::Nothing
    }

    /// Finds the users of all bundles from the uses of all classes.
    pub(super) fn find_users(&mut self) {
        for used in &self.uses {
            self.bundles[used.bundle as usize].users.end += 1;
        }
        let mut end = 0;
        for bundle in &mut self.bundles {
            let count = bundle.users.len();
            bundle.users = end..end;
            end += count;
        }
        self.users.resize(end, 0);
        for (number, class) in self.classes.iter().enumerate() {
            for used in &self.uses[class.uses.clone()] {
                let end = &mut self.bundles[used.bundle as usize].users.end;
                self.users[*end] = place(number);
                *end += 1;
            }
        }
    }

    /// What each flow of an active class has left.
    pub(super) fn left(&self, class: &Class, now: Time) -> f64 {
        class.left_after(now - self.since)
    }

    /// Progresses to `now`. The classes that finish by then are no more active; tells each.
    pub(super) fn advance(&mut self, now: Time, mut finished: impl FnMut(&[u32])) {
        let elapsed = now - self.since;
        for class in self.classes.iter_mut().filter(|class| class.is_active) {
            if class.finish <= now {
                finished(&self.flows[class.flows.clone()]);
                class.is_active = false;
            } else {
                class.bytes = class.left_after(elapsed);
            }
        }
        self.since = now;
    }

    /// Starts to count from `now` with the rates that the classes have. Gives when the first
    /// finishes, if any is active: to the nearest picosecond, so that errors of floating
    /// point do not part what finishes together.
    pub(super) fn go_on(&mut self, now: Time) -> Option<Time> {
        self.since = now;
        let active = self.classes.iter_mut().filter(|class| class.is_active);
        let finishes = active.map(|class| {
            class.finish = now + Time::of(Seconds(class.bytes / class.rate));
            class.finish
        });
        finishes.min()
    }
}

/// How many flows of a class each of the `links` of a bundle carries.
pub(super) fn flows_per_link(class: &Class, used: Use, links: u32) -> u64 {
    class.flows.len() as u64 * u64::from(used.links) / u64::from(links)
}
