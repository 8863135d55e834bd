//! This library in one program, from `MPI_Init` to `MPI_Finalize`.

use std::collections::BTreeMap;
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::sync::{Mutex, OnceLock, Weak};
use std::time::{Duration, Instant};

use mpi::ffi;
use netsig_base::algorithm::{ClusterLayout, Collective};
use netsig_base::units::{Procs, Rank};
use netsig_model::predict::result_rule::ReductionMode;
use netsig_mpi::MpiError;

use crate::call::ProgramCall;
use crate::calls::PassedCalls;
use crate::choice::{CallQuestion, FLAVOUR, ScheduleChooser};
use crate::decision::CallDecision;
use crate::entry;
use crate::fault;
use crate::job;
use crate::order::OrderKey;
use crate::reduction::largest;
use crate::report::{CallAccount, CallLedger};
use crate::report_file::ReportFile;
use crate::roll_call;
use crate::scope::ProfileScope;
use crate::settings::{self, InterposeMode, InterposeSettings};
use crate::verdicts::{KnownByRanks, TrialVerdict, TrialVerdicts};
use crate::world::InterposeWorld;
use crate::{lock, places, print_line, tools};

/// State that all calls share.
pub struct InterposeSession {
    /// Key of the records among a communicator's attributes.
    pub keyval: c_int,
    /// True if schedules run.
    pub is_on: bool,
    scope: ProfileScope,
    settings: InterposeSettings,
    chooser: OnceLock<Mutex<ScheduleChooser>>,
    /// True after a fault in a decision.
    is_broken: AtomicBool,
    /// Communicator of the messages of schedules.
    pub world: InterposeWorld,
    verdicts: Mutex<TrialVerdicts>,
    /// Reductions that schedules combine in another order than the library.
    other_orders: Mutex<KnownByRanks<OrderKey, ()>>,
    /// Calls of collectives that need no record, by the number of processes.
    passed: Mutex<BTreeMap<Procs, PassedCalls>>,
    records: Mutex<Vec<Weak<dyn CallAccount>>>,
    ledger: Mutex<CallLedger>,
    is_first: bool,
    /// File of the report on the rank that writes it. A spawned program would replace its parent's.
    report: Option<ReportFile>,
    /// Time of the last report.
    written: Mutex<Instant>,
}

/// Time after which the report is written again, so that a killed program leaves a report.
const REPORT_INTERVAL: Duration = Duration::from_secs(1);

/// Makes the key of the records among a communicator's attributes.
pub type MakeKeyval = fn() -> Result<c_int, MpiError>;

/// The session; null before `MPI_Init`, after `MPI_Finalize`, and if this library does nothing.
static SESSION: AtomicPtr<InterposeSession> = AtomicPtr::new(std::ptr::null_mut());

/// True from the first `MPI_Init` on.
static BEGUN: AtomicBool = AtomicBool::new(false);

/// The session, if one is in progress.
pub fn current() -> Option<&'static InterposeSession> {
    // SAFETY: null, or a leaked session.
    unsafe { SESSION.load(Ordering::Acquire).as_ref() }
}

/// Begins the session, after MPI is initialised.
pub fn begin(keyval: MakeKeyval) {
    if BEGUN.swap(true, Ordering::AcqRel) {
        return;
    }
    if !job::is_own_mpi() {
        if job::first_by_environment() {
            print_line(&format!(
                "libnetsig_interpose.so was built for {FLAVOUR}, which this program does not use; preload the build for its MPI. The program runs unchanged"
            ));
        }
        return;
    }
    match InterposeSession::new(keyval) {
        Ok(Some(session)) => {
            SESSION.store(Box::into_raw(Box::new(session)), Ordering::Release);
        }
        Ok(None) => {}
        Err(MpiError(code)) => print_line(&format!(
            "MPI reports the error {code} at the start; the program runs unchanged"
        )),
    }
}

/// Ends the session before MPI ends, and writes the report.
pub fn end() {
    roll_call::end();
    let found = SESSION.swap(std::ptr::null_mut(), Ordering::AcqRel);
    // SAFETY: null, or a leaked session.
    if let Some(session) = unsafe { found.as_ref() } {
        session.end();
    }
}

/// Adds the calls of a freed communicator to the report.
pub fn settle_record(record: &dyn CallAccount) {
    if let Some(session) = current() {
        record.move_to_ledger(&mut lock(&session.ledger));
    }
}

impl InterposeSession {
    /// Agrees with all ranks; `None` if this library does nothing. From the roll call on all ranks call the same
    /// functions of MPI even after a failure, since other ranks wait.
    fn new(keyval: MakeKeyval) -> Result<Option<Self>, MpiError> {
        // SAFETY: constants of the MPI library.
        let world = unsafe { ffi::RSMPI_COMM_WORLD };
        let place = job::place_in_job(world);
        let is_first = place.rank == 0;
        if let Some(absent) = place.absent_rank()? {
            // Rank 0 prints the line, or rank 1 if rank 0 is absent.
            if place.rank == c_int::from(absent == 0) {
                print_line(&format!(
                    "rank {absent} has no libnetsig_interpose.so, or another build of it, or came late; it must be in the same place on all hosts. The program runs unchanged"
                ));
            }
            return Ok(None);
        }
        let mut settings = if is_first {
            first_settings()
        } else {
            InterposeSettings::OFF
        };
        settings.share(world)?;
        if settings.mode == InterposeMode::Off {
            return Ok(None);
        }
        let tool = tools::other_tool();
        let facts = [tool.is_some(), tools::is_gpu_in_use()].map(u64::from);
        let [tools, gpus, most_per_host] = largest([facts[0], facts[1], job::on_this_host(world)?], world)?;
        if tools > 0 {
            if is_first {
                let tool = tool.unwrap_or_else(|| "another rank's library".to_owned());
                print_line(&format!(
                    "{tool} intercepts MPI, too; leave one of them out of LD_PRELOAD. The program runs unchanged"
                ));
            }
            return Ok(None);
        }
        let hosts = places::hosts(world, place.procs)?;
        let scope = fault::catch_panic(|| ProfileScope::new(&settings, gpus > 0, most_per_host, &hosts));
        let [faults] = largest([u64::from(scope.is_err())], world)?;
        let Ok(scope) = scope.map_err(|fault| print_on_first_rank(is_first, &fault::fault_line(&fault))) else {
            return Ok(None);
        };
        if faults > 0 {
            return Ok(None);
        }
        if let Some(sentence) = &scope.sentence {
            print_on_first_rank(is_first, sentence);
        }
        let report_path = (is_first && !job::is_spawned()).then(settings::report).flatten();
        let report = report_path.map(ReportFile::new);
        report.iter().for_each(check_report);
        let is_on = settings.mode == InterposeMode::On;
        Ok(Some(Self {
            keyval: keyval()?,
            is_on,
            scope,
            settings,
            chooser: OnceLock::new(),
            is_broken: AtomicBool::new(false),
            world: InterposeWorld::new()?,
            verdicts: Mutex::default(),
            other_orders: Mutex::default(),
            passed: Mutex::default(),
            records: Mutex::default(),
            ledger: Mutex::new(CallLedger::new(is_on)),
            is_first,
            report,
            written: Mutex::new(Instant::now()),
        }))
    }

    /// True if results of reductions keep their bits.
    pub fn keeps_results(&self) -> bool {
        self.settings.reductions == ReductionMode::SameOrder
    }

    /// Reason for passing all calls on, if they are passed on.
    pub fn pass_reason(&self) -> Option<&'static str> {
        self.scope.pass_reason
    }

    /// Reason for passing all calls of a collective on, if they are passed on.
    pub fn reason_to_pass(&self, collective: Collective) -> Option<&'static str> {
        self.scope.reason_to_pass(collective)
    }

    /// The clusters of `ranks` of `MPI_COMM_WORLD`, where they are known.
    pub fn layout(&self, ranks: &[c_int]) -> Option<ClusterLayout> {
        let ranks = ranks.iter().filter_map(|&rank| u32::try_from(rank).ok());
        Some(self.scope.layout.as_ref()?.of_ranks(ranks.map(Rank)))
    }

    /// Keeps the verdict of a trial among `ranks`, on the rank that decides.
    pub fn keep_verdict(&self, ranks: &[c_int], verdict: TrialVerdict) {
        lock(&self.verdicts).keep(ranks, verdict);
    }

    /// Keeps that a schedule combines in another order than the library among `ranks`, on the rank that shares it.
    pub fn keep_other_order(&self, ranks: &[c_int], key: &OrderKey) {
        lock(&self.other_orders).keep(ranks, key.clone(), ());
    }

    /// True if an earlier communicator of `ranks` has shown that a schedule combines in another order than the library.
    pub fn knows_other_order(&self, ranks: &[c_int], key: &OrderKey) -> bool {
        lock(&self.other_orders).get(ranks, key).is_some()
    }

    /// Counts a call on a communicator without a record.
    pub fn count_passed(&self, call: &ProgramCall, reason: &'static str, elapsed: Duration) {
        let mut size = 0;
        // SAFETY: the library has accepted the communicator.
        let code = unsafe { ffi::PMPI_Comm_size(call.comm, &raw mut size) };
        let count = MpiError::check(code).ok().and_then(|()| u32::try_from(size).ok());
        if let Some(procs) = count.and_then(|ranks| Procs::new(ranks).ok()) {
            let mut all = lock(&self.passed);
            all.entry(procs).or_default().count(call.operation(), reason, elapsed);
        }
    }

    /// Decides a call among `ranks`, on the rank that decides.
    pub fn decide(&self, question: CallQuestion, ranks: &[c_int]) -> CallDecision {
        const BROKEN: &str = "a fault of netsig";
        if self.is_broken.load(Ordering::Relaxed) {
            return CallDecision::library(BROKEN);
        }
        let decided = fault::catch_panic(|| {
            let decision = self.decide_by_chooser(question);
            lock(&self.verdicts).apply(ranks, question.class(), decision)
        });
        decided.unwrap_or_else(|fault| {
            self.stop_deciding(&fault);
            CallDecision::library(BROKEN)
        })
    }

    /// Leaves all further decisions of this rank to the MPI library, after a fault.
    pub fn stop_deciding(&self, fault: &str) {
        let was_broken = self.is_broken.swap(true, Ordering::Relaxed);
        print_on_first_rank(self.is_first && !was_broken, &fault::fault_line(fault));
    }

    fn decide_by_chooser(&self, question: CallQuestion) -> CallDecision {
        fault::panic_if_provoked("decide");
        let make_chooser = || {
            // Rank 0 has checked all settings before it shared them.
            let parsed_profile = self.settings.profile().unwrap_or_default();
            let network = self.settings.network().unwrap_or_default();
            let given = self.settings.given_algorithms().unwrap_or_default();
            let known_profile = parsed_profile.ok_or("no profile");
            let profile = self.scope.unknown_reason.map_or(known_profile, Err);
            Mutex::new(ScheduleChooser::new(profile, network, given, self.settings.reductions))
        };
        let decision = lock(self.chooser.get_or_init(make_chooser)).decide(question);
        if self.is_first && decision.is_outside() {
            let CallQuestion { operation, procs, .. } = question;
            lock(&self.ledger).print_once(&format!(
                "{operation} of {procs} processes: {}; the MPI library's own algorithm runs",
                decision.reason
            ));
        }
        decision
    }

    /// Keeps a record for the report.
    pub fn keep_record(&self, record: Weak<dyn CallAccount>) {
        let mut records = lock(&self.records);
        records.retain(|account| account.strong_count() > 0);
        records.push(record);
    }

    /// Writes the report after a call if it is due at `now`.
    pub fn report(&self, now: Instant) {
        if self.report.is_none() {
            return;
        }
        let mut written = lock(&self.written);
        if now.duration_since(*written) >= REPORT_INTERVAL {
            *written = now;
            // A failure is reported at the start and at the end.
            let _ = self.write();
        }
    }

    fn end(&self) {
        if let Err(problem) = self.write() {
            print_line(&problem);
        }
        for record in lock(&self.records).iter().filter_map(Weak::upgrade) {
            record.end();
        }
        self.world.free();
    }

    /// Writes the report, if the settings name one.
    fn write(&self) -> Result<(), String> {
        let Some(file) = &self.report else {
            return Ok(());
        };
        let mut ledger = lock(&self.ledger);
        for record in lock(&self.records).iter().filter_map(Weak::upgrade) {
            record.move_to_ledger(&mut ledger);
        }
        for (procs, calls) in lock(&self.passed).iter_mut() {
            calls.move_to_ledger(*procs, &mut ledger);
        }
        for (name, calls) in entry::counted() {
            ledger.set_counted(name, calls);
        }
        let written = file.replace(&ledger.text());
        written.map_err(|error| format!("{}: no report: {error}", file.path().display()))
    }
}

/// The settings of this rank's environment; prints a line if they are wrong.
fn first_settings() -> InterposeSettings {
    let caught_read = fault::catch_panic(InterposeSettings::of_environment);
    let read = caught_read.unwrap_or_else(|fault| Err(fault::fault_line(&fault)));
    read.unwrap_or_else(|problem| {
        print_line(&format!("{problem}. The program runs unchanged"));
        InterposeSettings::OFF
    })
}

/// Prints a line at the start if the report cannot be written.
fn check_report(file: &ReportFile) {
    if let Err(error) = file.replace(&CallLedger::default().text()) {
        print_line(&format!(
            "{}: {error}; there will be no report, check NETSIG_REPORT",
            file.path().display()
        ));
    }
}

/// Writes a line to standard error on the first rank.
fn print_on_first_rank(is_first: bool, line: &str) {
    if is_first {
        print_line(line);
    }
}
