//! Jobs of the rank program on this machine, over the MPI of the compiler wrapper in
//! `MPICC`, as for the build: `mpicc.openmpi` means `mpirun.openmpi`.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use netsig_base::data::Dataset;

/// A job that takes a minute hangs. mpirun ends its ranks after SIGTERM, not after SIGKILL.
const TIMEOUT: [&str; 2] = ["--kill-after=10", "60"];

/// The exit code of `timeout` where it ended the job.
const TIMED_OUT: i32 = 124;

/// The lab's library, as `cargo build` leaves it. Without it waiting ranks take the processors of the others, and jobs
/// take a multiple of the time.
const SHIM: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../target/debug/libnetsig_yield_shim.so"
);

/// Names and values of environment variables.
pub type EnvironmentVariables = [(String, String)];

/// A job under way.
pub struct RankJob {
    process: Child,
    error_file: PathBuf,
}

/// End of a job.
pub struct RankJobEnd {
    pub succeeded: bool,
    pub message: String,
}

/// The variable that makes a rank fail, see CONTRIBUTING.md.
pub fn fault(how: &str) -> [(String, String); 1] {
    [("NETSIG_TEST_FAULT".to_owned(), how.to_owned())]
}

/// Starts `netsig-rank ARGUMENTS` in `home` on `ranks` ranks, with further variables in their
/// environment.
pub fn start(home: &Path, ranks: u32, arguments: &[&str], variables: &EnvironmentVariables) -> RankJob {
    let mpirun = match option_env!("MPICC").and_then(|cc| cc.split_once("mpicc")) {
        Some((folder, suffix)) => format!("{folder}mpirun{suffix}"),
        None => "mpirun".to_owned(),
    };
    let preloaded = Path::new(SHIM).is_file().then_some(SHIM);
    let error_path = home.join("said");
    let process = Command::new("timeout")
        .args(TIMEOUT)
        .args([&mpirun, "-np", &ranks.to_string()])
        .arg(env!("CARGO_BIN_EXE_netsig-rank"))
        .args(arguments)
        .current_dir(home)
        .envs([
            // Read by Open MPI alone.
            ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
            ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
            ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
            ("OMPI_MCA_mpi_yield_when_idle", "1"),
        ])
        .envs(preloaded.map(|shim| ("LD_PRELOAD", shim)))
        .envs(variables.iter().cloned())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(File::create(&error_path).unwrap())
        .spawn()
        .unwrap();
    RankJob {
        process,
        error_file: error_path,
    }
}

/// Runs a job with nothing else in its environment.
pub fn run(home: &Path, ranks: u32, arguments: &[&str]) -> RankJobEnd {
    start(home, ranks, arguments, &[]).end()
}

/// The data file of a job.
pub fn data(home: &Path) -> Dataset {
    Dataset::read("data.csv", File::open(home.join("data.csv")).unwrap()).unwrap()
}

impl RankJob {
    /// Standard error of the job so far.
    pub fn standard_error(&self) -> String {
        fs::read_to_string(&self.error_file).unwrap()
    }

    /// Waits for its end; a job that hangs is a failed test.
    pub fn end(mut self) -> RankJobEnd {
        let status = self.process.wait().unwrap();
        let message = self.standard_error();
        assert_ne!(status.code(), Some(TIMED_OUT), "a job hangs: {message}");
        let succeeded = status.success();
        RankJobEnd { succeeded, message }
    }
}

impl Drop for RankJob {
    fn drop(&mut self) {
        if self.process.try_wait().is_ok_and(|ended| ended.is_none()) {
            let id = self.process.id().to_string();
            let _ = Command::new("kill").args(["-TERM", &id]).status();
            let _ = self.process.wait();
        }
    }
}
