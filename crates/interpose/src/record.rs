//! A communicator of the program: its decisions, calls and schedules, kept as an attribute of it.

mod agreed;
mod reduced;

use std::ffi::{c_int, c_void};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::Instant;

use mpi::ffi;
use netsig_base::algorithm::{Algorithm, ClusterLayout};
use netsig_base::units::{Procs, Rank};
use netsig_mpi::{MpiError, SegmentOrder};

use crate::agreement;
use crate::by_rank::ByRankCall;
use crate::call::{CallBuffers, ProgramCall};
use crate::calls::{CallAction, CommunicatorCalls, UNBALANCED};
use crate::decision::CallDecision;
use crate::failure;
use crate::fault;
use crate::lock;
use crate::member::CommMember;
use crate::order::{KnownOrders, SPECIAL_NUMBERS};
use crate::reduction;
use crate::report::{CallAccount, CallLedger};
use crate::run::ScheduleRunner;
use crate::session::{self, InterposeSession};
use crate::size_class::CallClass;
use crate::trial::{BothSides, CallRunner, ComparisonPart};
use crate::vectors::ProgramVector;

/// A communicator of the program.
pub struct CommunicatorRecord {
    /// This process in it.
    pub member: CommMember,
    /// Reason for passing all calls on it on; `None` if decisions are made.
    pass_reason: Option<&'static str>,
    /// Locked for moments, never while this process waits for messages.
    calls: Mutex<CommunicatorCalls>,
    /// Locked as long as a schedule runs; the report never waits for it.
    runner: Mutex<ScheduleRunner>,
    /// Reductions of which it is known whether a schedule keeps their results.
    orders: Mutex<KnownOrders>,
    /// Ranks in `MPI_COMM_WORLD` of its processes.
    ranks: Vec<c_int>,
    /// Clusters of its processes, where they are known.
    layout: Option<ClusterLayout>,
    /// Tag of its messages, known from the first agreement on.
    tag: OnceLock<c_int>,
}

/// A call whose decision is known.
#[derive(Clone, Copy)]
struct DecidedCall<'a> {
    call: &'a ProgramCall,
    started: Instant,
    found: &'a FoundDecision,
}

/// The decision for a call.
struct FoundDecision {
    call_class: CallClass,
    decision: Arc<CallDecision>,
    /// True if the ranks have agreed on this very call.
    is_agreed: bool,
}

/// Reason for a call without a decision.
enum NoDecision {
    /// The call is passed on.
    Because(&'static str),
    /// MPI failed.
    Failed(MpiError),
}

impl From<MpiError> for NoDecision {
    fn from(error: MpiError) -> Self {
        Self::Failed(error)
    }
}

impl CommunicatorRecord {
    /// The record of a communicator, made at its first use; `None` for the null communicator.
    pub fn of(session: &InterposeSession, comm: ffi::MPI_Comm) -> Option<Arc<Self>> {
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
            return Self::create(session, comm);
        }
        let record: *const Self = found.cast_const().cast();
        // SAFETY: the attribute is a pointer of `Arc::into_raw`, which counts as an owner until the
        // communicator is freed.
        unsafe {
            Arc::increment_strong_count(record);
            Some(Arc::from_raw(record))
        }
    }

    fn create(session: &InterposeSession, comm: ffi::MPI_Comm) -> Option<Arc<Self>> {
        let (mut is_inter, mut size, mut rank) = (0, 0, 0);
        // SAFETY: a valid communicator.
        unsafe {
            ffi::PMPI_Comm_test_inter(comm, &raw mut is_inter);
            ffi::PMPI_Comm_size(comm, &raw mut size);
            ffi::PMPI_Comm_rank(comm, &raw mut rank);
        }
        let world_ranks = session.world.ranks(comm);
        let pass_reason = match size {
            _ if is_inter != 0 => Some("an inter-communicator"),
            1 => Some("one process"),
            _ if world_ranks.is_none() => Some("processes of several MPI_COMM_WORLDs"),
            _ => session.pass_reason(),
        };
        let member = CommMember {
            procs: Procs::new(u32::try_from(size).ok()?).ok()?,
            rank: Rank(u32::try_from(rank).ok()?),
        };
        let ranks = world_ranks.unwrap_or_default();
        let layout = session.layout(&ranks);
        let record = Arc::new(Self {
            member,
            pass_reason,
            calls: Mutex::default(),
            runner: Mutex::new(ScheduleRunner::new(member, layout.clone())),
            orders: Mutex::default(),
            ranks,
            layout,
            tag: OnceLock::new(),
        });
        let account: Arc<dyn CallAccount> = record.clone();
        session.keep_record(Arc::downgrade(&account));
        let attribute = Arc::into_raw(Arc::clone(&record)).cast_mut().cast();
        // SAFETY: a key of this library, and a pointer that the key's callback `forget` takes back.
        let code = unsafe { ffi::PMPI_Comm_set_attr(comm, session.keyval, attribute) };
        MpiError::check(code).ok().map(|()| record)
    }

    /// Carries out a call, by a schedule or by `pass`; returns the code of MPI.
    pub fn carry_out(&self, session: &InterposeSession, call: &ProgramCall, pass: impl FnOnce() -> c_int) -> c_int {
        let started = Instant::now();
        let (code, ended) = self.timed_call(session, call, started, pass);
        session.report(ended);
        code
    }

    /// Carries out a call; returns its code and the time of its end.
    fn timed_call(
        &self,
        session: &InterposeSession,
        call: &ProgramCall,
        started: Instant,
        pass: impl FnOnce() -> c_int,
    ) -> (c_int, Instant) {
        match self.decision(session, call) {
            Ok(found) => {
                let decided = DecidedCall {
                    call,
                    started,
                    found: &found,
                };
                self.run_decided(session, decided, pass)
            }
            Err(NoDecision::Because(reason)) => {
                let code = pass();
                let ended = Instant::now();
                self.calls().passed.count(call.operation(), reason, ended - started);
                (code, ended)
            }
            // MPI has called the communicator's error handler.
            Err(NoDecision::Failed(MpiError(code))) => (code, started),
        }
    }

    /// Carries out a call by its decision.
    fn run_decided(
        &self,
        session: &InterposeSession,
        decided: DecidedCall,
        pass: impl FnOnce() -> c_int,
    ) -> (c_int, Instant) {
        let DecidedCall { call, started, found } = decided;
        let (call_class, decision) = (found.call_class, &*found.decision);
        let algorithm = decision.algorithm.filter(|_| session.is_on);
        let vector = algorithm.and_then(|_| self.vector(call));
        let by_arguments = algorithm.map_or(Ok(None), |to_run| {
            self.reason_by_arguments(session, call, vector.as_ref(), to_run)
        });
        let (runs, part) = match (&by_arguments, algorithm) {
            (Ok(None), Some(_)) => self.calls().turn(call_class),
            _ => (CallRunner::Library, None),
        };
        let schedule = algorithm.filter(|_| runs == CallRunner::Schedule);
        // The schedule is charged with what the ranks agree on before its calls.
        let entered = part.map_or(started, |_| Instant::now());
        let left = match by_arguments {
            Ok(None) if schedule.is_some() => self.reason_by_data(session, decided, vector.as_ref()),
            known => known,
        };
        match left {
            Ok(None) => {}
            Ok(Some(reason)) => {
                let code = pass();
                let ended = Instant::now();
                let elapsed = ended - started;
                self.calls().count_left(call_class, decision, reason, elapsed);
                return (code, ended);
            }
            Err(MpiError(code)) => return (code, started),
        }
        if algorithm.is_some() {
            self.calls().take_turn(call_class);
        }
        let mut is_repeated = false;
        let code = match schedule {
            Some(to_run) => match self.run(session, call, to_run, decision.order) {
                0 if self.must_be_repeated(session, call, vector.as_ref()) => {
                    is_repeated = true;
                    pass()
                }
                code => code,
            },
            None => pass(),
        };
        let ended = Instant::now();
        self.calls().count(call_class, ended - started, runs);
        // Also after a failure: other ranks may have no failure, and wait for this rank.
        if let Some(part) = part {
            let sums = self.calls().add_time(call_class, runs, ended - entered);
            if part == ComparisonPart::Last {
                self.compare(session, call.comm, call_class, sums);
            }
        }
        if is_repeated {
            self.calls().leave(call_class, decision, SPECIAL_NUMBERS);
        }
        (code, ended)
    }

    /// Compares with all ranks, after the last call of a comparison, by the `nanoseconds` of this rank's calls.
    fn compare(
        &self,
        session: &InterposeSession,
        comm: ffi::MPI_Comm,
        call_class: CallClass,
        nanoseconds: BothSides<u64>,
    ) {
        let sums = [nanoseconds.library, nanoseconds.schedule];
        let seconds = reduction::seconds(sums, call_class.operation, self.member.procs, comm);
        // The communicator's error handler has told of a failure, and the next call meets it again.
        let Ok([library, schedule]) = seconds else {
            return;
        };
        let verdict = self.calls().compare(call_class, BothSides { library, schedule });
        if let Some(verdict) = verdict.filter(|_| self.member.rank == Rank(0)) {
            session.keep_verdict(&self.ranks, verdict);
        }
    }

    /// The decision for a call.
    fn decision(&self, session: &InterposeSession, call: &ProgramCall) -> Result<FoundDecision, NoDecision> {
        if let Some(reason) = self.pass_reason {
            return Err(NoDecision::Because(reason));
        }
        let length = call.length(self.member);
        let action = self.calls().action_for(call.operation(), length);
        match action {
            CallAction::Passed(reason) => Err(NoDecision::Because(reason)),
            CallAction::Decided(call_class, decision) => Ok(FoundDecision {
                call_class,
                decision,
                is_agreed: false,
            }),
            CallAction::Open => {
                let (call_class, decision) = self.agree(session, call, length)?;
                Ok(FoundDecision {
                    call_class,
                    decision,
                    is_agreed: true,
                })
            }
        }
    }

    /// The reason for leaving a call to the library, if its data give one. All ranks come to the same.
    fn reason_by_data(
        &self,
        session: &InterposeSession,
        decided: DecidedCall,
        vector: Option<&ProgramVector>,
    ) -> Result<Option<&'static str>, MpiError> {
        let call = decided.call;
        match (call.buffers, vector) {
            (CallBuffers::ByPair { .. }, _) if decided.found.is_agreed => Ok(None),
            (CallBuffers::ByPair { send, receive, .. }, _) => {
                // All sent data must be received.
                let sides = call.length(self.member).is_ok().then_some([send, receive]);
                let is_balanced = agreement::is_balanced(call.comm, self.member, sides)?;
                Ok((!is_balanced).then_some(UNBALANCED))
            }
            (_, Some(vector)) => Self::reason_by_numbers(session, call, vector),
            (_, None) => Ok(None),
        }
    }

    /// Runs a schedule for a call; returns the code of MPI.
    fn run(&self, session: &InterposeSession, call: &ProgramCall, algorithm: Algorithm, order: SegmentOrder) -> c_int {
        let tag = *self.tag.get().expect("the ranks have agreed");
        let channel = session.world.channel(&self.ranks, tag);
        let run = || lock(&self.runner).in_order(order).run(call, algorithm, channel);
        let done = fault::catch_panic(|| failure::without_world(run)).unwrap_or_else(|fault| {
            session.stop_deciding(&fault);
            Err(MpiError::INTERNAL)
        });
        match done {
            Ok(()) => 0,
            // The program's error handler may call MPI.
            Err(error) => failure::reported(call.comm, call.operation(), error),
        }
    }

    fn calls(&self) -> MutexGuard<'_, CommunicatorCalls> {
        lock(&self.calls)
    }
}

impl CallAccount for CommunicatorRecord {
    fn move_to_ledger(&self, ledger: &mut CallLedger) {
        self.calls().move_to_ledger(self.member.procs, ledger);
    }

    fn end(&self) {
        lock(&self.runner).forget_calls();
    }
}

/// Carries out a call of the program: by a schedule, or by `pass`, which calls the MPI library.
pub fn carry_out(call: &ProgramCall, pass: impl FnOnce() -> c_int) -> c_int {
    let Some(session) = session::current() else {
        return pass();
    };
    if let Some(reason) = session.reason_to_pass(call.collective) {
        return pass_on(session, call, session.pass_reason().unwrap_or(reason), pass);
    }
    match CommunicatorRecord::of(session, call.comm) {
        Some(record) => record.carry_out(session, call, pass),
        None => pass(),
    }
}

/// Passes a call of a collective on that needs no record: programs call it on many communicators.
fn pass_on(
    session: &InterposeSession,
    call: &ProgramCall,
    reason: &'static str,
    pass: impl FnOnce() -> c_int,
) -> c_int {
    let started = Instant::now();
    let code = pass();
    let ended = Instant::now();
    if code == 0 {
        session.count_passed(call, reason, ended - started);
        session.report(ended);
    }
    code
}

/// Carries out a call with a length for each rank.
pub fn carry_out_by_rank(call: &ByRankCall, pass: impl FnOnce() -> c_int) -> c_int {
    let Some(session) = session::current() else {
        return pass();
    };
    let Some(record) = CommunicatorRecord::of(session, call.comm) else {
        return pass();
    };
    let exchange = match record.pass_reason {
        Some(_) => call.without_buffers(),
        None => call.exchange(record.member),
    };
    record.carry_out(session, &exchange, pass)
}
