//! A communicator of the program: its decisions, calls and schedules, kept as an attribute of it.

use std::ffi::{c_int, c_void};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::{Duration, Instant};

use mpi::ffi;
use netsig_base::algorithm::{Algorithm, Layout};
use netsig_base::units::{Procs, Rank};
use netsig_mpi::MpiError;

use crate::agreement::{self, Agreed, CONTRADICTING, Deciding, Kind, MOST_PROCS, Party, Terms};
use crate::call::{Buffers, Call, Length, Refused};
use crate::calls::{Calls, Turn};
use crate::choice::{Decision, Question};
use crate::failure;
use crate::fault;
use crate::lock;
use crate::member::Member;
use crate::reduction;
use crate::report::{Account, Ledger};
use crate::run::Runner;
use crate::session::{self, Session};
use crate::size_class::{Place, class};
use crate::trial::{Part, Runs, Sides};

/// A communicator of the program.
pub struct Record {
    /// This process in it.
    pub member: Member,
    /// Why all calls on it are passed on, if they are.
    left: Option<&'static str>,
    /// Locked for moments, never while messages are waited for.
    calls: Mutex<Calls>,
    /// Locked as long as a schedule runs; the report never waits for it.
    runner: Mutex<Runner>,
    /// Ranks in `MPI_COMM_WORLD` of its processes.
    ranks: Vec<c_int>,
    /// Clusters of its processes, where they are known.
    layout: Option<Layout>,
    /// Tag of its messages, known from the first agreement on.
    tag: OnceLock<c_int>,
}

/// Why no decision is asked for.
enum Passed {
    /// The call is passed on.
    Because(&'static str),
    /// MPI failed.
    Failed(MpiError),
}

impl From<MpiError> for Passed {
    fn from(error: MpiError) -> Self {
        Self::Failed(error)
    }
}

impl Record {
    /// The record of a communicator, made at its first use; `None` for the null communicator.
    pub fn of(session: &Session, comm: ffi::MPI_Comm) -> Option<Arc<Self>> {
        let mut found: *mut c_void = std::ptr::null_mut();
        let mut is_set: c_int = 0;
        // SAFETY: the null communicator is a constant of the MPI library; the pointers are to a word and
        // an int.
        let code = unsafe {
            if comm == ffi::RSMPI_COMM_NULL {
                return None;
            }
            ffi::PMPI_Comm_get_attr(comm, session.keyval, (&raw mut found).cast(), &raw mut is_set)
        };
        MpiError::check(code).ok()?;
        if is_set == 0 {
            return Self::made(session, comm);
        }
        let own: *const Self = found.cast_const().cast();
        // SAFETY: the attribute is a pointer of `Arc::into_raw`, which counts as an owner until the
        // communicator is freed.
        unsafe {
            Arc::increment_strong_count(own);
            Some(Arc::from_raw(own))
        }
    }

    fn made(session: &Session, comm: ffi::MPI_Comm) -> Option<Arc<Self>> {
        let (mut is_inter, mut size, mut rank) = (0, 0, 0);
        // SAFETY: a valid communicator.
        unsafe {
            ffi::PMPI_Comm_test_inter(comm, &raw mut is_inter);
            ffi::PMPI_Comm_size(comm, &raw mut size);
            ffi::PMPI_Comm_rank(comm, &raw mut rank);
        }
        let ranks = session.world.ranks(comm);
        let left = match size {
            _ if is_inter != 0 => Some("an inter-communicator"),
            1 => Some("one process"),
            _ if ranks.is_none() => Some("processes of several MPI_COMM_WORLDs"),
            _ => session.left(),
        };
        let member = Member {
            procs: Procs::new(u32::try_from(size).ok()?).ok()?,
            rank: Rank(u32::try_from(rank).ok()?),
        };
        let ranks = ranks.unwrap_or_default();
        let layout = session.layout(&ranks);
        let record = Arc::new(Self {
            member,
            left,
            calls: Mutex::default(),
            runner: Mutex::new(Runner::new(member, layout.clone())),
            ranks,
            layout,
            tag: OnceLock::new(),
        });
        let account: Arc<dyn Account> = record.clone();
        session.keep(Arc::downgrade(&account));
        let attribute = Arc::into_raw(Arc::clone(&record)).cast_mut().cast();
        // SAFETY: a key of this library, and a pointer that `forget` takes back.
        let code = unsafe { ffi::PMPI_Comm_set_attr(comm, session.keyval, attribute) };
        MpiError::check(code).ok().map(|()| record)
    }

    /// Carries out a call, by a schedule or by `pass`; returns the code of MPI.
    pub fn carry_out(&self, session: &Session, call: &Call, pass: impl FnOnce() -> c_int) -> c_int {
        let started = Instant::now();
        let (code, ended) = self.carried_out(session, call, started, pass);
        session.report(ended);
        code
    }

    /// The code of a call, and its end.
    fn carried_out(
        &self,
        session: &Session,
        call: &Call,
        started: Instant,
        pass: impl FnOnce() -> c_int,
    ) -> (c_int, Instant) {
        match self.decision(session, call) {
            Ok((place, decision)) => self.decided(session, (call, started), (place, &decision), pass),
            Err(Passed::Because(reason)) => {
                let code = pass();
                let ended = Instant::now();
                self.calls().pass(call.collective, reason, ended - started);
                (code, ended)
            }
            // The communicator's error handler was called by MPI.
            Err(Passed::Failed(MpiError(code))) => (code, started),
        }
    }

    /// Carries out a call as it was decided.
    fn decided(
        &self,
        session: &Session,
        (call, started): (&Call, Instant),
        (place, decision): (Place, &Decision),
        pass: impl FnOnce() -> c_int,
    ) -> (c_int, Instant) {
        let algorithm = decision.algorithm.filter(|_| session.is_on);
        let (runs, part) = match algorithm {
            Some(_) => self.calls().next(place),
            None => (Runs::Library, None),
        };
        let entered = Instant::now();
        let code = match algorithm.filter(|_| runs == Runs::Schedule) {
            Some(own) => self.run(session, call, own),
            None => pass(),
        };
        let ended = Instant::now();
        self.calls().count(place, ended - started, runs);
        // Also after a failure: others may have none, and wait for this rank.
        if let Some(part) = part {
            self.compare(session, call.comm, place, (runs, part, ended - entered));
        }
        (code, ended)
    }

    /// Keeps the time of a call of a comparison; after the last all ranks compare.
    fn compare(
        &self,
        session: &Session,
        comm: ffi::MPI_Comm,
        place: Place,
        (runs, part, time): (Runs, Part, Duration),
    ) {
        let Sides { library, schedule } = self.calls().keep(place, runs, time);
        if part == Part::Kept {
            return;
        }
        // A failure was told by the communicator's error handler, and the next call meets it again.
        let of = (place.0, self.member.procs);
        let Ok([library, schedule]) = reduction::seconds([library, schedule], of, comm) else {
            return;
        };
        let verdict = self.calls().compare(place, Sides { library, schedule });
        if let Some(verdict) = verdict.filter(|_| self.member.rank == Rank(0)) {
            session.keep_verdict(&self.ranks, verdict);
        }
    }

    /// What runs for a call, and its place among the calls.
    fn decision(&self, session: &Session, call: &Call) -> Result<(Place, Arc<Decision>), Passed> {
        if let Some(reason) = self.left {
            return Err(Passed::Because(reason));
        }
        let length = call.length(self.member);
        let turn = self.calls().turn(call.collective, length);
        match turn {
            Turn::Passed(reason) => Err(Passed::Because(reason)),
            Turn::Decided(place, decision) => {
                let runs = decision.algorithm.is_some() && session.is_on;
                if runs && !self.is_balanced(call, length)? {
                    return Err(Passed::Because("lengths that differ between sender and receiver"));
                }
                Ok((place, decision))
            }
            Turn::Open => self.agreed(session, call, length),
        }
    }

    /// True if what is sent is received: of pieces of one size the first call has shown it.
    fn is_balanced(&self, call: &Call, length: Result<Length, Refused>) -> Result<bool, MpiError> {
        let Buffers::ByPair { send, receive } = call.buffers else {
            return Ok(true);
        };
        let sides = length.is_ok().then_some([send, receive]);
        agreement::is_balanced(call.comm, self.member, sides)
    }

    /// Agrees with all ranks on what runs.
    fn agreed(
        &self,
        session: &Session,
        call: &Call,
        length: Result<Length, Refused>,
    ) -> Result<(Place, Arc<Decision>), Passed> {
        if self.member.rank == Rank(0)
            && self.tag.get().is_none()
            && let Some(tag) = session.world.tag()
        {
            self.tag.get_or_init(|| tag);
        }
        let party = Party {
            comm: call.comm,
            member: self.member,
            layout: self.layout.as_ref(),
            tag: &self.tag,
        };
        let deciding = Deciding {
            decide: |question: Question| match self.tag.get() {
                Some(_) => session.decide(question, &self.ranks),
                None => Decision::library("too many communicators of several threads"),
            },
            can_follow: |own| !session.is_on || self.can_run(session, call, own),
        };
        let is_aliased = !self.calls().has_met(call.collective) && call.is_aliased(self.member);
        let is_refused = |length: &Length| is_aliased && length.passed().is_none();
        let length = length.ok().filter(|length| !is_refused(length));
        let terms = length.map(|length| terms(call, length));
        let agreed = match call.buffers {
            Buffers::ByPair { .. } if self.member.procs.get() > MOST_PROCS => {
                return Err(Passed::Because("an alltoallv of more than 512 processes"));
            }
            Buffers::ByPair { send, receive } => agreement::by_pair(deciding, party, (terms, [send, receive]))?,
            Buffers::Equal { .. } => agreement::equal(deciding, party, terms)?,
        };
        let (Agreed::On(decision), Some(length)) = (agreed, length) else {
            self.calls().meet(call.collective, Some(CONTRADICTING));
            return Err(Passed::Because(CONTRADICTING));
        };
        self.calls().meet(call.collective, None);
        match length.passed() {
            Some(reason) => Err(Passed::Because(reason)),
            None => Ok(self.calls().enter(call.collective, (length, decision))),
        }
    }

    /// True if this rank can run a schedule for a call.
    fn can_run(&self, session: &Session, call: &Call, algorithm: Algorithm) -> bool {
        let prepared = fault::caught(|| lock(&self.runner).prepare(call, algorithm));
        match prepared {
            Ok(prepared) => prepared.is_ok(),
            Err(fault) => {
                session.break_off(&fault);
                false
            }
        }
    }

    /// Runs a schedule for a call; returns the code of MPI.
    fn run(&self, session: &Session, call: &Call, algorithm: Algorithm) -> c_int {
        let tag = *self.tag.get().expect("the ranks have agreed");
        let channel = session.world.channel(&self.ranks, tag);
        let run = || lock(&self.runner).run(call, algorithm, channel);
        let done = fault::caught(|| failure::without_world(run)).unwrap_or_else(|fault| {
            session.break_off(&fault);
            Err(MpiError::INTERNAL)
        });
        match done {
            Ok(()) => 0,
            // The program's error handler may call MPI.
            Err(error) => failure::reported(call.comm, call.collective, error),
        }
    }

    fn calls(&self) -> MutexGuard<'_, Calls> {
        lock(&self.calls)
    }
}

/// What the call must have alike on all ranks.
fn terms(call: &Call, length: Length) -> Terms {
    Terms {
        collective: call.collective,
        root: call.root,
        kind: match length {
            Length::Piece(size) => Kind::Class(class(size.0)),
            Length::ByPair => Kind::ByPair,
            Length::Nothing | Length::TooMuch => Kind::Passed,
        },
    }
}

/// Frees what this library keeps of a communicator that the program frees.
unsafe extern "C" fn forget(_: ffi::MPI_Comm, _: c_int, attribute: *mut c_void, _: *mut c_void) -> c_int {
    // SAFETY: the attribute is a pointer of `Arc::into_raw`, which MPI hands back once.
    let record = unsafe { Arc::from_raw(attribute.cast_const().cast::<Record>()) };
    // Without its calls in the report, at worst.
    let _ = fault::caught(|| session::part_with(&*record));
    0
}

/// Leaves the attribute out of duplicates of a communicator.
unsafe extern "C" fn no_copy(
    _: ffi::MPI_Comm,
    _: c_int,
    _: *mut c_void,
    _: *mut c_void,
    _: *mut c_void,
    flag: *mut c_int,
) -> c_int {
    // SAFETY: MPI gives the address of an int.
    unsafe { *flag = 0 };
    0
}

impl Account for Record {
    fn settle(&self, ledger: &mut Ledger) {
        self.calls().settle(self.member.procs, ledger);
    }

    fn end(&self) {
        lock(&self.runner).forget_calls();
    }
}

/// Makes the key of the records among a communicator's attributes.
///
/// # Errors
/// If MPI fails.
pub fn keyval() -> Result<c_int, MpiError> {
    let mut keyval = 0;
    // SAFETY: two callbacks of the types that MPI expects.
    let code =
        unsafe { ffi::PMPI_Comm_create_keyval(Some(no_copy), Some(forget), &raw mut keyval, std::ptr::null_mut()) };
    MpiError::check(code).map(|()| keyval)
}

/// Carries out a call of the program: by a schedule, or by `pass`, which calls the MPI library.
pub fn carry_out(call: &Call, pass: impl FnOnce() -> c_int) -> c_int {
    let session = session::current();
    let found = session.and_then(|session| Some((session, Record::of(session, call.comm)?)));
    match found {
        Some((session, record)) => record.carry_out(session, call, pass),
        None => pass(),
    }
}
