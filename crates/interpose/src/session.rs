//! This library in one program, from `MPI_Init` to `MPI_Finalize`.

use std::ffi::{CStr, c_char, c_int};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use mpi::ffi;
use netsig_core::algorithm::Layout;
use netsig_core::network::Clusters;
use netsig_core::profile::Profile;
use netsig_core::text::counted;
use netsig_core::units::Rank;
use netsig_mpi::MpiError;

use crate::choice::{Chooser, Decision, FLAVOUR, Question};
use crate::entry;
use crate::next::Next;
use crate::report::{Account, Ledger};
use crate::roll_call::Place;
use crate::settings::{self, Mode, Settings};
use crate::world::World;
use crate::{places, tell, tools};

/// What is the same for all calls.
pub struct Session {
    /// Key of the records among a communicator's attributes.
    pub keyval: c_int,
    /// True if schedules run.
    pub is_on: bool,
    /// Why all calls are passed on, if they are.
    pub left: Option<&'static str>,
    /// Why the profile does not speak for these processes, if so.
    unknown: Option<&'static str>,
    /// Clusters of the ranks of `MPI_COMM_WORLD`, where they are known.
    layout: Option<Layout>,
    settings: Settings,
    chooser: OnceLock<Mutex<Chooser>>,
    /// Where schedules run.
    pub world: World,
    records: Mutex<Vec<Weak<dyn Account>>>,
    ledger: Mutex<Ledger>,
    is_first: bool,
    /// Path of the report on the rank that writes it. A spawned program would replace its parent's.
    report: Option<PathBuf>,
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
    if !is_own_mpi() {
        if first_by_environment() {
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
    /// Agrees with all ranks; `None` if nothing is to be done.
    fn new(keyval: Keyval) -> Result<Option<Self>, MpiError> {
        // SAFETY: constants of the MPI library.
        let world = unsafe { ffi::RSMPI_COMM_WORLD };
        let place = place(world);
        let is_first = place.rank == 0;
        if let Some(absent) = place.absent()? {
            // Rank 0 says so, or rank 1 if that is the one.
            if place.rank == c_int::from(absent == 0) {
                tell(&format!(
                    "rank {absent} has no libnetsig_interpose.so, or another build of it; it must be in the same place on all hosts. The program runs unchanged"
                ));
            }
            return Ok(None);
        }
        let mut settings = if is_first {
            first_settings()
        } else {
            Settings::OFF
        };
        settings.share(world)?;
        if settings.mode == Mode::Off {
            return Ok(None);
        }
        let tool = tools::other();
        let facts = [tool.is_some(), tools::is_gpu_in_use()].map(u64::from);
        let [tools, gpus, most] = most([facts[0], facts[1], on_this_host(world)?], world)?;
        if tools > 0 {
            if is_first {
                let tool = tool.unwrap_or_else(|| "another rank's library".to_owned());
                tell(&format!(
                    "{tool} intercepts MPI, too; leave one of them out of LD_PRELOAD. The program runs unchanged"
                ));
            }
            return Ok(None);
        }
        let is_given = settings.given().is_ok_and(|given| !given.is_empty());
        let profile = settings.profile().unwrap_or_default();
        let layout = layout(profile.as_ref(), most, &place)?;
        let (unknown, why) = unknown(profile.as_ref(), most, layout.as_ref()).unzip();
        let left = match unknown {
            _ if gpus > 0 => Some("a library for GPUs is loaded"),
            Some(_) if is_given => None,
            unknown => unknown,
        };
        if is_first && gpus > 0 {
            tell(
                "a library for GPUs is loaded, whose memory netsig cannot tell from the host's; the MPI library's own algorithms run",
            );
        } else if is_first
            && left.is_some()
            && let Some(why) = why
        {
            tell(&format!("{why}; the MPI library's own algorithms run"));
        }
        let report = (is_first && !is_spawned()).then(settings::report).flatten();
        if let Some(path) = &report {
            check_report(path);
        }
        Ok(Some(Self {
            keyval: keyval()?,
            is_on: settings.mode == Mode::On,
            left,
            unknown,
            layout: layout.and_then(Result::ok),
            settings,
            chooser: OnceLock::new(),
            world: World::new()?,
            records: Mutex::default(),
            ledger: Mutex::default(),
            is_first,
            report,
            written: Mutex::new(Instant::now()),
        }))
    }

    /// The clusters of these ranks of `MPI_COMM_WORLD`, where they are known.
    pub fn layout(&self, ranks: &[c_int]) -> Option<Layout> {
        let ranks = ranks.iter().filter_map(|&rank| u32::try_from(rank).ok());
        Some(self.layout.as_ref()?.of_ranks(ranks.map(Rank)))
    }

    /// The decision for a question, on the rank that decides.
    pub fn decide(&self, question: Question) -> Decision {
        let made = || {
            // Rank 0 has read all of them before it shared them.
            let profile = self.settings.profile().unwrap_or_default();
            let network = self.settings.network().unwrap_or_default();
            let given = self.settings.given().unwrap_or_default();
            let profile = profile.ok_or("no profile");
            let profile = self.unknown.map_or(profile, Err);
            Mutex::new(Chooser::new(profile, network, given))
        };
        let decision = lock(self.chooser.get_or_init(made)).decide(question);
        if self.is_first && decision.is_outside() {
            let Question {
                collective, procs, ..
            } = question;
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
        let Some(path) = &self.report else {
            return Ok(());
        };
        let mut ledger = lock(&self.ledger);
        for record in lock(&self.records).iter().filter_map(Weak::upgrade) {
            record.settle(&mut ledger);
        }
        for (name, calls) in entry::counted() {
            ledger.set_counted(name, calls);
        }
        let written = ledger.write(path, self.is_on);
        written.map_err(|error| format!("{}: no report: {error}", path.display()))
    }
}

/// The clusters of all ranks, or why they have none: those of the profile, else the hosts with several
/// processes; `None` if there are neither.
fn layout(
    profile: Option<&Profile>,
    most: u64,
    place: &Place,
) -> Result<Option<Result<Layout, String>>, MpiError> {
    let of_profile = profile.and_then(|profile| profile.clusters.clone());
    let clusters = of_profile.or((most > 1).then_some(Clusters::EachHost));
    let layout = clusters.map(|own| places::layout(&own, (place.world, place.procs)));
    layout.transpose()
}

/// Why a profile does not speak for the processes, in a few words and in a sentence.
fn unknown(
    profile: Option<&Profile>,
    most: u64,
    layout: Option<&Result<Layout, String>>,
) -> Option<(&'static str, String)> {
    let measured = profile.map_or(1, |profile| u64::from(profile.per_host()));
    if most != measured {
        let own = counted(most, "process", "processes");
        let sentence = format!("a host has {own}, and the profile is of {measured} on each");
        return Some(("another number of processes on a host", sentence));
    }
    let Some(Err(problem)) = layout else {
        return None;
    };
    Some(("a host in no cluster of the profile", problem.clone()))
}

/// Locks; what another thread left behind when it panicked is as good as any.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The settings of this rank's environment, or a line about what is wrong with them.
fn first_settings() -> Settings {
    Settings::of_environment().unwrap_or_else(|problem| {
        tell(&format!("{problem}. The program runs unchanged"));
        Settings::OFF
    })
}

/// Says at the begin that the report cannot be written.
fn check_report(path: &Path) {
    if let Err(error) = Ledger::default().write(path, false) {
        tell(&format!(
            "{}: {error}; there will be no report, check NETSIG_REPORT",
            path.display()
        ));
    }
}

/// This process in a communicator of the whole job.
fn place(world: ffi::MPI_Comm) -> Place {
    let (mut rank, mut procs) = (0, 1);
    // SAFETY: a valid communicator.
    unsafe {
        ffi::PMPI_Comm_rank(world, &raw mut rank);
        ffi::PMPI_Comm_size(world, &raw mut procs);
    }
    Place { world, rank, procs }
}

/// True for a process that `MPI_Comm_spawn` started.
fn is_spawned() -> bool {
    // SAFETY: constants of the MPI library.
    unsafe {
        let mut parent = ffi::RSMPI_COMM_NULL;
        ffi::PMPI_Comm_get_parent(&raw mut parent);
        parent != ffi::RSMPI_COMM_NULL
    }
}

/// Number of processes that share memory with this one.
fn on_this_host(world: ffi::MPI_Comm) -> Result<u64, MpiError> {
    let mut size = 0;
    // SAFETY: constants of the MPI library, and a communicator that is freed here.
    unsafe {
        let mut host = ffi::RSMPI_COMM_NULL;
        MpiError::check(ffi::PMPI_Comm_split_type(
            world,
            ffi::RSMPI_COMM_TYPE_SHARED,
            0,
            ffi::RSMPI_INFO_NULL,
            &raw mut host,
        ))?;
        MpiError::check(ffi::PMPI_Comm_size(host, &raw mut size))?;
        MpiError::check(ffi::PMPI_Comm_free(&raw mut host))?;
    }
    Ok(u64::try_from(size).unwrap_or(1))
}

/// The largest of each fact over all ranks.
fn most(facts: [u64; 3], world: ffi::MPI_Comm) -> Result<[u64; 3], MpiError> {
    let mut most = [0u64; 3];
    // SAFETY: both arrays have three numbers of 64 bits.
    let code = unsafe {
        ffi::PMPI_Allreduce(
            facts.as_ptr().cast(),
            most.as_mut_ptr().cast(),
            3,
            ffi::RSMPI_UINT64_T,
            ffi::RSMPI_MAX,
            world,
        )
    };
    MpiError::check(code).map(|()| most)
}

/// True if the program uses the MPI of this build.
fn is_own_mpi() -> bool {
    static VERSION: Next = Next::new(c"PMPI_Get_library_version");
    type Version = unsafe extern "C" fn(*mut c_char, *mut c_int) -> c_int;
    let mut text: [c_char; 8192] = [0; 8192];
    let mut length = 0;
    // SAFETY: the function has this type in every MPI, and writes no more than its longest text, which is
    // shorter than the array.
    let text = unsafe {
        VERSION.function::<Version>()(text.as_mut_ptr(), &raw mut length);
        CStr::from_ptr(text.as_ptr()).to_string_lossy()
    };
    text.starts_with(&FLAVOUR.to_string())
}

/// True on the first rank of a job whose MPI cannot be asked.
fn first_by_environment() -> bool {
    let names = [
        "OMPI_COMM_WORLD_RANK",
        "PMIX_RANK",
        "PMI_RANK",
        "SLURM_PROCID",
    ];
    let rank = names.iter().find_map(|name| std::env::var(name).ok());
    rank.is_none_or(|rank| rank == "0")
}
