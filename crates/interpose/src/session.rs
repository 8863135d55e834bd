//! This library in one program, from `MPI_Init` to `MPI_Finalize`.

use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::sync::{Mutex, OnceLock, Weak};
use std::time::{Duration, Instant};

use mpi::ffi;
use netsig_base::algorithm::Layout;
use netsig_base::units::Rank;
use netsig_mpi::MpiError;

use crate::choice::{Chooser, Decision, FLAVOUR, Question};
use crate::entry;
use crate::fault;
use crate::job;
use crate::reduction::largest;
use crate::report::{Account, Ledger};
use crate::report_file::ReportFile;
use crate::roll_call;
use crate::scope::Scope;
use crate::settings::{self, Mode, Settings};
use crate::size_class::class;
use crate::verdicts::{TrialVerdict, TrialVerdicts};
use crate::world::World;
use crate::{lock, places, tell, tools};

/// What is the same for all calls.
pub struct Session {
    /// Key of the records among a communicator's attributes.
    pub keyval: c_int,
    /// True if schedules run.
    pub is_on: bool,
    scope: Scope,
    settings: Settings,
    chooser: OnceLock<Mutex<Chooser>>,
    /// True after a fault in a decision.
    is_broken: AtomicBool,
    /// Where schedules run.
    pub world: World,
    verdicts: Mutex<TrialVerdicts>,
    records: Mutex<Vec<Weak<dyn Account>>>,
    ledger: Mutex<Ledger>,
    is_first: bool,
    /// File of the report on the rank that writes it. A spawned program would replace its parent's.
    report: Option<ReportFile>,
    /// When the report was last written.
    written: Mutex<Instant>,
}

/// Time after which the report is written anew: a program that is killed leaves one.
const WRITTEN_EVERY: Duration = Duration::from_secs(1);

/// Makes the key of the records among a communicator's attributes.
pub type Keyval = fn() -> Result<c_int, MpiError>;

/// The session; null before `MPI_Init`, after `MPI_Finalize`, and where nothing is to be done.
static SESSION: AtomicPtr<Session> = AtomicPtr::new(std::ptr::null_mut());

/// True from the first `MPI_Init` on.
static BEGUN: AtomicBool = AtomicBool::new(false);

/// The session, if one is in progress.
pub fn current() -> Option<&'static Session> {
    // SAFETY: null, or a leaked session.
    unsafe { SESSION.load(Ordering::Acquire).as_ref() }
}

/// Begins the session, after MPI is initialised.
pub fn begin(keyval: Keyval) {
    if BEGUN.swap(true, Ordering::AcqRel) {
        return;
    }
    if !job::is_own_mpi() {
        if job::first_by_environment() {
            tell(&format!(
                "libnetsig_interpose.so was built for {FLAVOUR}, which this program does not use; preload the build for its MPI. The program runs unchanged"
            ));
        }
        return;
    }
    match Session::new(keyval) {
        Ok(Some(session)) => {
            SESSION.store(Box::into_raw(Box::new(session)), Ordering::Release);
        }
        Ok(None) => {}
        Err(MpiError(code)) => tell(&format!(
            "MPI reports the error {code} at the begin; the program runs unchanged"
        )),
    }
}

/// Ends the session, before MPI ends; the report is written.
pub fn end() {
    roll_call::end();
    let found = SESSION.swap(std::ptr::null_mut(), Ordering::AcqRel);
    // SAFETY: null, or a leaked session.
    if let Some(session) = unsafe { found.as_ref() } {
        session.end();
    }
}

/// Settles a record whose communicator is freed.
pub fn part_with(record: &dyn Account) {
    if let Some(session) = current() {
        record.settle(&mut lock(&session.ledger));
    }
}

impl Session {
    /// Agrees with all ranks; `None` if nothing is to be done. From the roll call on all ranks call the same
    /// functions of MPI whatever fails on one: others would wait for it.
    fn new(keyval: Keyval) -> Result<Option<Self>, MpiError> {
        // SAFETY: constants of the MPI library.
        let world = unsafe { ffi::RSMPI_COMM_WORLD };
        let place = job::place(world);
        let is_first = place.rank == 0;
        if let Some(absent) = place.absent()? {
            // Rank 0 says so, or rank 1 if that is the one.
            if place.rank == c_int::from(absent == 0) {
                tell(&format!(
                    "rank {absent} has no libnetsig_interpose.so, or another build of it, or came late; it must be in the same place on all hosts. The program runs unchanged"
                ));
            }
            return Ok(None);
        }
        let mut settings = if is_first { first_settings() } else { Settings::OFF };
        settings.share(world)?;
        if settings.mode == Mode::Off {
            return Ok(None);
        }
        let tool = tools::other();
        let facts = [tool.is_some(), tools::is_gpu_in_use()].map(u64::from);
        let [tools, gpus, most] = largest([facts[0], facts[1], job::on_this_host(world)?], world)?;
        if tools > 0 {
            if is_first {
                let tool = tool.unwrap_or_else(|| "another rank's library".to_owned());
                tell(&format!(
                    "{tool} intercepts MPI, too; leave one of them out of LD_PRELOAD. The program runs unchanged"
                ));
            }
            return Ok(None);
        }
        let hosts = places::hosts(world, place.procs)?;
        let scope = fault::caught(|| Scope::new(&settings, (gpus > 0, most), &hosts));
        let [faults] = largest([u64::from(scope.is_err())], world)?;
        let Ok(scope) = scope.map_err(|fault| tell_first(is_first, &fault::line(&fault))) else {
            return Ok(None);
        };
        if faults > 0 {
            return Ok(None);
        }
        if let Some(sentence) = &scope.sentence {
            tell_first(is_first, sentence);
        }
        let report = (is_first && !job::is_spawned()).then(settings::report).flatten();
        let report = report.map(ReportFile::new);
        report.iter().for_each(check_report);
        let is_on = settings.mode == Mode::On;
        Ok(Some(Self {
            keyval: keyval()?,
            is_on,
            scope,
            settings,
            chooser: OnceLock::new(),
            is_broken: AtomicBool::new(false),
            world: World::new()?,
            verdicts: Mutex::default(),
            records: Mutex::default(),
            ledger: Mutex::new(Ledger::new(is_on)),
            is_first,
            report,
            written: Mutex::new(Instant::now()),
        }))
    }

    /// Why all calls are passed on, if they are.
    pub fn left(&self) -> Option<&'static str> {
        self.scope.left
    }

    /// The clusters of these ranks of `MPI_COMM_WORLD`, where they are known.
    pub fn layout(&self, ranks: &[c_int]) -> Option<Layout> {
        let ranks = ranks.iter().filter_map(|&rank| u32::try_from(rank).ok());
        Some(self.scope.layout.as_ref()?.of_ranks(ranks.map(Rank)))
    }

    /// Keeps what a trial among these ranks has shown, on the rank that decides.
    pub fn keep_verdict(&self, ranks: &[c_int], verdict: TrialVerdict) {
        lock(&self.verdicts).keep(ranks, verdict);
    }

    /// The decision for a question about calls among these ranks, on the rank that decides.
    pub fn decide(&self, question: Question, ranks: &[c_int]) -> Decision {
        const BROKEN: &str = "a fault of netsig";
        if self.is_broken.load(Ordering::Relaxed) {
            return Decision::library(BROKEN);
        }
        let decided = fault::caught(|| {
            let decision = self.decided(question);
            let place = (question.collective, class(question.size.0));
            lock(&self.verdicts).applied(ranks, place, decision)
        });
        decided.unwrap_or_else(|fault| {
            self.break_off(&fault);
            Decision::library(BROKEN)
        })
    }

    /// Leaves all further decisions of this rank to the MPI library, after a fault.
    pub fn break_off(&self, fault: &str) {
        let was_broken = self.is_broken.swap(true, Ordering::Relaxed);
        tell_first(self.is_first && !was_broken, &fault::line(fault));
    }

    fn decided(&self, question: Question) -> Decision {
        fault::provoked("decide");
        let made = || {
            // Rank 0 has read all of them before it shared them.
            let profile = self.settings.profile().unwrap_or_default();
            let network = self.settings.network().unwrap_or_default();
            let given = self.settings.given().unwrap_or_default();
            let profile = profile.ok_or("no profile");
            let profile = self.scope.unknown.map_or(profile, Err);
            Mutex::new(Chooser::new(profile, network, given))
        };
        let decision = lock(self.chooser.get_or_init(made)).decide(question);
        if self.is_first && decision.is_outside() {
            let Question { collective, procs, .. } = question;
            lock(&self.ledger).tell_once(&format!(
                "{collective} of {procs} processes: {}; the MPI library's own algorithm runs",
                decision.reason
            ));
        }
        decision
    }

    /// Keeps a record for the report.
    pub fn keep(&self, record: Weak<dyn Account>) {
        let mut records = lock(&self.records);
        records.retain(|own| own.strong_count() > 0);
        records.push(record);
    }

    /// Writes the report if that is due at this time, after a call.
    pub fn report(&self, now: Instant) {
        if self.report.is_none() {
            return;
        }
        let mut written = lock(&self.written);
        if now.duration_since(*written) >= WRITTEN_EVERY {
            *written = now;
            // A failure is told at the begin and at the end.
            let _ = self.write();
        }
    }

    fn end(&self) {
        if let Err(problem) = self.write() {
            tell(&problem);
        }
        for record in lock(&self.records).iter().filter_map(Weak::upgrade) {
            record.end();
        }
        self.world.free();
    }

    /// Writes the report, if one is wanted.
    fn write(&self) -> Result<(), String> {
        let Some(file) = &self.report else {
            return Ok(());
        };
        let mut ledger = lock(&self.ledger);
        for record in lock(&self.records).iter().filter_map(Weak::upgrade) {
            record.settle(&mut ledger);
        }
        for (name, calls) in entry::counted() {
            ledger.set_counted(name, calls);
        }
        let written = file.replace(&ledger.text());
        written.map_err(|error| format!("{}: no report: {error}", file.path().display()))
    }
}

/// The settings of this rank's environment, or a line about what is wrong with them.
fn first_settings() -> Settings {
    let read = fault::caught(Settings::of_environment);
    let read = read.unwrap_or_else(|fault| Err(fault::line(&fault)));
    read.unwrap_or_else(|problem| {
        tell(&format!("{problem}. The program runs unchanged"));
        Settings::OFF
    })
}

/// Says at the begin that the report cannot be written.
fn check_report(file: &ReportFile) {
    if let Err(error) = file.replace(&Ledger::default().text()) {
        tell(&format!(
            "{}: {error}; there will be no report, check NETSIG_REPORT",
            file.path().display()
        ));
    }
}

/// Writes a line to standard error on the first rank.
fn tell_first(is_first: bool, line: &str) {
    if is_first {
        tell(line);
    }
}
