//! Runs programs for a benchmark: netsig, other programs that must succeed, and programs whose
//! processor time and memory are measured.

use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use netsig_base::data::{Dataset, Provenance};
use nix::sys::resource::{UsageWho, getrusage};
use serde::de::DeserializeOwned;

use super::root;

/// The release build of netsig, run in a given folder.
pub struct NetsigProgram {
    program: PathBuf,
    folder: PathBuf,
}

impl NetsigProgram {
    /// netsig for runs in `folder`; `target` is the target of the Makefile that builds it.
    pub fn built(folder: &Path, target: &str) -> Result<Self> {
        let program = root().join("target/release/netsig");
        let shown = program.display();
        ensure!(program.is_file(), "{shown} is not built; run `make {target}`");
        Ok(Self {
            program,
            folder: folder.to_owned(),
        })
    }

    /// The folder of the runs.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The command `netsig WORDS`; `ROOT` in a word is replaced by the workspace's path.
    pub fn command(&self, words: &str) -> Command {
        let root = root().display().to_string();
        let mut command = Command::new(&self.program);
        command
            .args(words.split_whitespace().map(|w| w.replace("ROOT", &root)))
            .current_dir(&self.folder)
            // Open MPI refuses to run as root without these; containers run benchmarks as root.
            .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
            .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        command
    }

    /// Runs `netsig WORDS` and returns its output.
    pub fn run(&self, words: &str) -> Result<String> {
        output(&mut self.command(words))
    }

    /// Runs `netsig WORDS`, which prints CSV, and returns its rows.
    pub fn rows<R: DeserializeOwned>(&self, words: &str) -> Result<Vec<R>> {
        let printed = self.run(words)?;
        let mut reader = csv::Reader::from_reader(printed.as_bytes());
        Ok(reader.deserialize().collect::<Result<_, _>>()?)
    }

    /// Runs `netsig WORDS` and returns its duration in seconds.
    pub fn run_seconds(&self, words: &str) -> Result<f64> {
        let started = Instant::now();
        self.run(words)?;
        Ok(started.elapsed().as_secs_f64())
    }

    /// The data in a file of the folder.
    pub fn data(&self, file: &str) -> Result<Dataset> {
        read_dataset(&self.folder.join(file))
    }
}

/// The data in a file.
pub fn read_dataset(path: &Path) -> Result<Dataset> {
    let name = path.display().to_string();
    let file = File::open(path).with_context(|| format!("{name} cannot be opened"))?;
    Ok(Dataset::read(&name, file)?)
}

/// The seconds that all launches spent on `part`, from the facts `launch_K_s=wall W timed T
/// barriers B`.
pub fn spent_seconds(facts: &Provenance, part: &str) -> Result<f64> {
    let launches = facts.iter().filter(|(_, value)| value.starts_with("wall "));
    let seconds = launches.map(|(key, value)| {
        let mut words = value.split_whitespace().skip_while(|word| *word != part);
        let number = words.nth(1).and_then(|number| number.parse::<f64>().ok());
        number.with_context(|| format!("{key}={value} does not say how the time was spent"))
    });
    seconds.sum()
}

/// Runs a program that must succeed, and returns its output.
pub fn output(command: &mut Command) -> Result<String> {
    let command_parts = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = command_parts.map(|word| word.to_string_lossy()).collect();
    let shown = words.join(" ");
    let started = command.stdin(Stdio::null()).output();
    let output = started.with_context(|| format!("{shown} cannot be started"))?;
    let error_text = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{shown} failed: {error_text}");
    String::from_utf8(output.stdout).with_context(|| format!("{shown} prints UTF-8"))
}

/// Resources of a process.
#[derive(Debug, Clone, Copy)]
pub struct ProcessUsage {
    /// Processor time in user and system mode.
    pub seconds: f64,
    /// Peak memory.
    pub megabytes: f64,
}

impl ProcessUsage {
    /// The usage of a program that must succeed. It is the only child of a helper process, so that the usage of the
    /// helper's children is the program's.
    pub fn of(program: &Command) -> Result<Self> {
        let mut usage_command = Command::new(std::env::current_exe()?);
        let words = usage_command.arg("usage").arg(program.get_program());
        words.args(program.get_args());
        if let Some(folder) = program.get_current_dir() {
            usage_command.current_dir(folder);
        }
        let printed = output(&mut usage_command)?;
        let numbers: Result<Vec<f64>, _> = printed.split_whitespace().map(str::parse).collect();
        let [seconds, megabytes] = numbers?[..] else {
            anyhow::bail!("{printed:?} is not the output of netsig-bench usage");
        };
        Ok(Self { seconds, megabytes })
    }
}

/// `netsig-bench usage PROGRAM…`: runs the program and prints its processor seconds and peak
/// megabytes.
pub fn print_usage(words: &[OsString]) -> Result<bool> {
    let (program, arguments) = words.split_first().context("no program to run")?;
    output(Command::new(program).args(arguments))?;
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let times = [usage.user_time(), usage.system_time()];
    let seconds = times.map(|time| time.tv_sec() as f64 + time.tv_usec() as f64 * 1e-6);
    let megabytes = usage.max_rss() as f64 * 1024.0 / 1e6;
    println!("{} {megabytes}", seconds.iter().sum::<f64>());
    Ok(true)
}
