//! The settings of the environment. Rank 0 reads them and shares them with all ranks, so that all act alike.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Read as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use mpi::ffi;
use netsig_base::algorithm::{Algorithm, MpiFlavour};
use netsig_base::network::Network;
use netsig_base::text::decoded;
use netsig_model::predict::result_rule::ReductionMode;
use netsig_model::profile::Profile;
use netsig_mpi::MpiError;

use crate::agreement::{broadcast, broadcast_in_parts};
use crate::choice::FLAVOUR;
use crate::fault;
use crate::operation::CalledOperation;

/// Longest file that is read.
const MOST_BYTES: u64 = 64 << 20;

/// Mode of this library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InterposeMode {
    /// Nothing.
    Off,
    /// Chooses and counts, and passes all calls on.
    Report,
    /// Runs the chosen schedules.
    On,
}

/// The settings, equal on all ranks.
#[derive(Debug, Clone, PartialEq)]
pub struct InterposeSettings {
    /// Mode of the library.
    pub mode: InterposeMode,
    /// How much reductions may be changed.
    pub reductions: ReductionMode,
    /// Texts of the profile, of the network and of the given algorithms; empty if there is none.
    texts: [String; 3],
}

/// Absolute path of the report on rank 0, since the program may change its folder.
pub fn report() -> Option<PathBuf> {
    let path = std::env::var_os("NETSIG_REPORT")?;
    std::path::absolute(path).ok()
}

impl InterposeSettings {
    /// Settings that switch the library off.
    pub const OFF: Self = Self {
        mode: InterposeMode::Off,
        reductions: ReductionMode::Off,
        texts: [String::new(), String::new(), String::new()],
    };

    /// The settings of the environment.
    ///
    /// # Errors
    /// If a variable or its file is wrong; the error is a line about it.
    pub fn of_environment() -> Result<Self, String> {
        fault::panic_if_provoked("settings");
        let text = |name| std::env::var(name).unwrap_or_default();
        let mode = match text("NETSIG_INTERPOSE").as_str() {
            "" | "on" => InterposeMode::On,
            "report" => InterposeMode::Report,
            "off" => return Ok(Self::OFF),
            other => {
                return Err(format!("NETSIG_INTERPOSE={other} is none of on, report and off"));
            }
        };
        let reductions = match text("NETSIG_REDUCTIONS").as_str() {
            "" => ReductionMode::default(),
            given => given
                .parse()
                .map_err(|_| format!("NETSIG_REDUCTIONS={given} is none of off, same-order and on"))?,
        };
        let file = |name| match text(name).as_str() {
            "" => Ok(String::new()),
            path => read(path).map_err(|problem| format!("{path}: {problem}; check {name}")),
        };
        let settings = Self {
            mode,
            reductions,
            texts: [
                file("NETSIG_PROFILE")?,
                file("NETSIG_NETWORK")?,
                text("NETSIG_ALGORITHMS"),
            ],
        };
        let [profile, _, given] = &settings.texts;
        if profile.is_empty() && given.is_empty() {
            return Err("NETSIG_PROFILE names no profile".to_owned());
        }
        settings.check()?;
        Ok(settings)
    }

    /// Checks that the texts can be used.
    fn check(&self) -> Result<(), String> {
        self.given_algorithms()?;
        self.network()?;
        let profile = self.profile()?;
        let mpi = profile.as_ref().and_then(|parsed| parsed.provenance.get("data_mpi"));
        match mpi.map(|mpi| (mpi, MpiFlavour::from_version(mpi))) {
            Some((_, Some(flavour))) if flavour != FLAVOUR => Err(format!(
                "{} was measured with {flavour}, and this program runs on {FLAVOUR}; measure with that",
                name("NETSIG_PROFILE")
            )),
            _ => Ok(()),
        }
    }

    /// The profile, if there is one.
    ///
    /// # Errors
    /// If its text is no profile.
    pub fn profile(&self) -> Result<Option<Profile>, String> {
        let [text, ..] = &self.texts;
        let parsed = (!text.is_empty()).then(|| Profile::parse(&name("NETSIG_PROFILE"), text));
        parsed.transpose().map_err(|error| error.to_string())
    }

    /// The description of the network, if there is one.
    ///
    /// # Errors
    /// If its text is no network.
    pub fn network(&self) -> Result<Option<Network>, String> {
        let [_, text, _] = &self.texts;
        let parsed = (!text.is_empty()).then(|| Network::parse(&name("NETSIG_NETWORK"), text));
        parsed.transpose().map_err(|error| error.to_string())
    }

    /// The algorithms that the user gives.
    ///
    /// # Errors
    /// If an algorithm does not exist.
    pub fn given_algorithms(&self) -> Result<BTreeMap<CalledOperation, Algorithm>, String> {
        let [.., text] = &self.texts;
        let items = text.split(';').map(str::trim).filter(|item| !item.is_empty());
        let one = |item: &str| {
            let (name, algorithm) = item.split_once(' ').unwrap_or((item, ""));
            let operation =
                CalledOperation::named(name).ok_or_else(|| format!("NETSIG_ALGORITHMS: {name:?} is no collective"))?;
            let collective = operation.collective();
            let parsed = Algorithm::parse(collective, algorithm.trim());
            let found = parsed.map_err(|error| format!("NETSIG_ALGORITHMS: {error}"))?;
            Ok((operation, found))
        };
        items.map(one).collect()
    }

    /// Replaces all ranks' settings by rank 0's.
    ///
    /// # Errors
    /// If MPI fails.
    pub fn share(&mut self, world: ffi::MPI_Comm) -> Result<(), MpiError> {
        let mut head = [0u64; 5];
        (head[0], head[1]) = (self.mode as u64, self.reductions as u64);
        for (length, text) in head[2..].iter_mut().zip(&self.texts) {
            *length = text.len() as u64;
        }
        let mut bytes: Vec<u8> = head.iter().flat_map(|number| number.to_ne_bytes()).collect();
        broadcast(&mut bytes, world)?;
        let numbers: Vec<u64> = bytes
            .chunks_exact(8)
            .map(|word| u64::from_ne_bytes(word.try_into().expect("eight bytes")))
            .collect();
        self.mode = [InterposeMode::Off, InterposeMode::Report, InterposeMode::On]
            .into_iter()
            .find(|mode| *mode as u64 == numbers[0])
            .unwrap_or(InterposeMode::Off);
        self.reductions = [ReductionMode::Off, ReductionMode::SameOrder, ReductionMode::On]
            .into_iter()
            .find(|mode| *mode as u64 == numbers[1])
            .unwrap_or(ReductionMode::Off);
        for (text, length) in self.texts.iter_mut().zip(&numbers[2..]) {
            let mut bytes = std::mem::take(text).into_bytes();
            bytes.resize(usize::try_from(*length).unwrap_or(0), 0);
            if !bytes.is_empty() {
                broadcast_in_parts(&mut bytes, world)?;
            }
            *text = String::from_utf8_lossy(&bytes).into_owned();
        }
        Ok(())
    }
}

/// The text of a regular file.
fn read(path: &str) -> Result<String, String> {
    // Opening a pipe would wait for a writer.
    let opened = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY)
        .open(path);
    let file = opened.map_err(|error| error.to_string())?;
    let is_file = file.metadata().is_ok_and(|found| found.is_file());
    if !is_file {
        return Err("is no regular file".to_owned());
    }
    let mut bytes = Vec::new();
    let read = file.take(MOST_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err("has more than 64 MiB".to_owned());
    }
    decoded::text(bytes).map_err(|error| error.to_string())
}

/// The path in a variable, for messages.
fn name(variable: &str) -> String {
    let path = std::env::var_os(variable).unwrap_or_default();
    Path::new(&path).display().to_string()
}
