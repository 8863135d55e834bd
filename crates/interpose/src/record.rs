//! A communicator of the program: its decisions, calls and schedules, kept as an attribute of it.

use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::{Duration, Instant};

use mpi::ffi;
use netsig_core::algorithm::{Algorithm, Collective, Layout};
use netsig_core::units::{Bytes, Procs, Rank};
use netsig_mpi::MpiError;

use crate::agreement::{self, Party};
use crate::call::{Buffers, Call};
use crate::choice::{Decision, Question};
use crate::member::Member;
use crate::report::{Account, Ledger, Tally};
use crate::run::Runner;
use crate::session::{self, Session, lock};
use crate::size_class::{class, least};

/// Calls of an alltoallv after which its sizes are looked at anew, at the latest.
const LONGEST_TRUST: u64 = 64;

/// A communicator of the program.
pub struct Record {
    /// This process in it.
    pub member: Member,
    /// Why all calls on it are passed on, if they are.
    left: Option<&'static str>,
    state: Mutex<State>,
    /// Locked as long as a schedule runs; the report never waits for it.
    runner: Mutex<Runner>,
    /// Ranks in `MPI_COMM_WORLD` of its processes.
    ranks: Vec<c_int>,
    /// Clusters of its processes, where they are known.
    layout: Option<Layout>,
    /// Tag of its messages, known from the first agreement on.
    tag: OnceLock<c_int>,
}

/// What changes with the calls. Locked for moments, never while messages are waited for.
#[derive(Default)]
struct State {
    /// By collective and class of sizes, one for each algorithm that ran, the last one in force: other
    /// exchanges of a class may be decided otherwise.
    entries: BTreeMap<Place, Vec<Entry>>,
    passed: BTreeMap<(Collective, &'static str), Tally>,
    /// Number of calls of `MPI_Alltoallv`, and the class of the last one.
    by_pair: (u64, u32),
}

/// A collective and a class of sizes.
type Place = (Collective, u32);

/// Calls of one class of sizes.
struct Entry {
    decision: Arc<Decision>,
    tally: Tally,
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
            ffi::PMPI_Comm_get_attr(
                comm,
                session.keyval,
                (&raw mut found).cast(),
                &raw mut is_set,
            )
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
            _ => session.left,
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
            state: Mutex::default(),
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
            Ok((place, decision)) => {
                let algorithm = decision.algorithm.filter(|_| session.is_on);
                let code = match algorithm {
                    None => pass(),
                    Some(own) => self.run(session, call, own),
                };
                let ended = Instant::now();
                self.lock().count(place, ended - started);
                (code, ended)
            }
            Err(Passed::Because(reason)) => {
                let code = pass();
                let ended = Instant::now();
                let mut state = self.lock();
                let tally = state.passed.entry((call.collective, reason)).or_default();
                tally.add(ended - started);
                (code, ended)
            }
            // The communicator's error handler was called by MPI.
            Err(Passed::Failed(MpiError(code))) => (code, started),
        }
    }

    /// What runs for a call, and its place among the entries.
    fn decision(&self, session: &Session, call: &Call) -> Result<(Place, Arc<Decision>), Passed> {
        if let Some(reason) = self.left {
            return Err(Passed::Because(reason));
        }
        let size = call.size(self.member).map_err(Passed::Because)?;
        let place = match size {
            Some(size) => Some((call.collective, class(size.0))),
            None => self.lock().trusted(),
        };
        if let Some(place) = place
            && let Some(entry) = self.lock().entries.get(&place).and_then(|own| own.last())
        {
            return Ok((place, Arc::clone(&entry.decision)));
        }
        if self.member.rank == Rank(0)
            && self.tag.get().is_none()
            && let Some(tag) = session.world.tag()
        {
            self.tag.get_or_init(|| tag);
        }
        let who = Party {
            comm: call.comm,
            member: self.member,
            layout: self.layout.as_ref(),
            tag: &self.tag,
        };
        // On rank 0 alone.
        let decide = |question: Question| match self.tag.get() {
            Some(_) => session.decide(question),
            None => Decision::library("too many communicators of several threads"),
        };
        let decision = match (call.buffers, place) {
            (Buffers::ByPair { send, receive }, _) => {
                agreement::by_pair(decide, who, (send, receive))?
            }
            (_, place) => {
                let size = Bytes(least(place.map_or(0, |(_, class)| class)));
                agreement::equal(decide, who, (call.collective, size))?
            }
        };
        let place = place.unwrap_or((call.collective, class(decision.size.0)));
        Ok((place, self.lock().enter(place, decision)))
    }

    /// Runs a schedule for a call; returns the code of MPI.
    fn run(&self, session: &Session, call: &Call, algorithm: Algorithm) -> c_int {
        let tag = *self.tag.get().expect("the ranks have agreed");
        let channel = session.world.channel(&self.ranks, tag);
        let done = lock(&self.runner).run(call, algorithm, channel);
        match done {
            Ok(()) => 0,
            // The program's error handler may call MPI.
            Err(error) => reported(call, error),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

impl State {
    /// The place of an alltoallv whose sizes need not be looked at: they are at the calls 0, 1, 2, 4 and so
    /// on, and at every 64th. All ranks count the calls of a communicator alike.
    fn trusted(&mut self) -> Option<Place> {
        let (calls, class) = &mut self.by_pair;
        let is_due = calls.is_power_of_two() || calls.is_multiple_of(LONGEST_TRUST);
        *calls += 1;
        (!is_due).then_some((Collective::Alltoallv, *class))
    }

    fn enter(&mut self, place: Place, decision: Decision) -> Arc<Decision> {
        if place.0 == Collective::Alltoallv {
            self.by_pair.1 = place.1;
        }
        let decision = Arc::new(decision);
        let all = self.entries.entry(place).or_default();
        let known = all
            .iter()
            .position(|own| own.decision.algorithm == decision.algorithm);
        let tally = known.map_or_else(Tally::default, |index| all.remove(index).tally);
        all.push(Entry {
            decision: Arc::clone(&decision),
            tally,
        });
        decision
    }

    fn count(&mut self, place: Place, elapsed: Duration) {
        if let Some(entry) = self.entries.get_mut(&place).and_then(|own| own.last_mut()) {
            entry.tally.add(elapsed);
        }
    }
}

/// Reports a failure in a schedule to the error handler of the program's communicator.
fn reported(call: &Call, MpiError(code): MpiError) -> c_int {
    // SAFETY: a communicator and a code of MPI.
    unsafe { ffi::PMPI_Comm_call_errhandler(call.comm, code) };
    code
}

/// Frees what this library keeps of a communicator that the program frees.
unsafe extern "C" fn forget(
    _: ffi::MPI_Comm,
    _: c_int,
    attribute: *mut c_void,
    _: *mut c_void,
) -> c_int {
    // SAFETY: the attribute is a pointer of `Arc::into_raw`, which MPI hands back once.
    let record = unsafe { Arc::from_raw(attribute.cast_const().cast::<Record>()) };
    session::part_with(&*record);
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
        let mut state = self.lock();
        for ((collective, _), entries) in &mut state.entries {
            for entry in entries {
                let tally = std::mem::take(&mut entry.tally);
                ledger.add(*collective, self.member.procs, &entry.decision, tally);
            }
        }
        for ((collective, reason), tally) in std::mem::take(&mut state.passed) {
            let decision = Decision::library(reason);
            ledger.add(collective, self.member.procs, &decision, tally);
        }
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
    let code = unsafe {
        ffi::PMPI_Comm_create_keyval(
            Some(no_copy),
            Some(forget),
            &raw mut keyval,
            std::ptr::null_mut(),
        )
    };
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
