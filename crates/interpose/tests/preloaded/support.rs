//! Shared by the tests of preloaded programs: compiles and runs a program, and reads its report.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// Algorithms with all kinds of messages: whole, in segments, relayed, several blocks in one message.
pub const ALGORITHMS: [&str; 3] = [
    "alltoall windowed:segment=100,window=2; alltoallv windowed:segment=100,window=3; bcast pipeline:100; \
     scatter binomial; gather binomial; allgather bruck; allgatherv windowed:segment=100,window=2; \
     gatherv windowed:segment=1000,window=1; scatterv pairwise-segmented:100",
    "alltoall bruck:3; alltoallv pairwise-segmented:1000; bcast scatter-allgather; scatter chain; gather chain; \
     allgather ring; allgatherv pairwise-segmented:1000; gatherv pairwise-segmented:100; \
     scatterv windowed:segment=100,window=4",
    "alltoall pairwise; alltoallv windowed:segment=4096,window=4; bcast scatter-allgather-ring; scatter flat; \
     gather flat; allgather recursive-doubling; allgatherv windowed:segment=4096,window=4; \
     gatherv windowed:segment=4096,window=8; scatterv windowed:segment=4096,window=1",
];

/// Algorithms of reductions and barriers: in rank order and in others, of trees, rings and halves, with segments and windows.
pub const REDUCTIONS: [&str; 4] = [
    "allreduce ring; reduce binomial; reduce-scatter pairwise; reduce-scatter-block butterfly; barrier dissemination",
    "allreduce rabenseifner; reduce rabenseifner; reduce-scatter ring; reduce-scatter-block recursive-halving; barrier tree",
    "allreduce windowed:3; reduce pipeline:100; reduce-scatter butterfly; reduce-scatter-block windowed:2; \
     barrier recursive-doubling",
    "allreduce recursive-doubling; reduce in-order-binary; reduce-scatter direct; reduce-scatter-block ring; \
     barrier double-ring",
];

/// A job of a program in a folder of its own.
pub struct ProgramJob {
    /// The folder.
    pub home: TempDir,
    program: PathBuf,
    /// Seconds after which it is ended.
    most_s: u32,
}

impl ProgramJob {
    /// Compiles a program of `tests/programs` with the compiler in `MPICC`.
    pub fn of(source: &str) -> Self {
        Self::compiled(&compiler(), &["-lpthread", "-lm"], source)
    }

    /// Compiles a program with this compiler and these options.
    pub fn compiled(compiler: &str, options: &[&str], source: &str) -> Self {
        let home = tempfile::tempdir().unwrap();
        let program = home.path().join("program");
        compile(compiler, options, source, &program);
        Self {
            home,
            program,
            most_s: 3600,
        }
    }

    /// The job with a time limit in seconds.
    pub fn ended_after(self, seconds: u32) -> Self {
        Self {
            most_s: seconds,
            ..self
        }
    }

    /// Runs the job on `ranks` ranks, with the library preloaded and these variables.
    pub fn run(&self, ranks: u32, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
        self.run_apart(&[(ranks, &[])], arguments, variables)
    }

    /// Runs the job on groups of ranks that have further variables, `NAME=VALUE`.
    pub fn run_apart(&self, groups: &[(u32, &[&str])], arguments: &[&str], variables: &[(&str, &str)]) -> Output {
        self.run_within(self.most_s, groups, arguments, variables)
    }

    /// Like [`Self::run_apart`], with a time limit.
    pub fn run_within(
        &self,
        most_s: u32,
        groups: &[(u32, &[&str])],
        arguments: &[&str],
        variables: &[(&str, &str)],
    ) -> Output {
        let preload = format!("LD_PRELOAD={}", preload());
        let mut command = Command::new("timeout");
        command
            .args(["--kill-after=10", &most_s.to_string()])
            .arg(compiler().replace("mpicc", "mpirun"));
        for (place, (ranks, group_variables)) in groups.iter().enumerate() {
            command
                .args((place > 0).then_some(":"))
                .args(["-np", &ranks.to_string(), "env"])
                .arg(&preload)
                .args(*group_variables)
                .arg(&self.program)
                .args(arguments);
        }
        command
            .current_dir(self.home.path())
            .envs([
                ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
                ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
                ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
                ("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe"),
                ("OMPI_MCA_mpi_yield_when_idle", "1"),
                ("OMPI_MCA_btl", "tcp,self"),
                // The binomial gather of Open MPI 4.1 mixes up elements where datatypes differ.
                ("OMPI_MCA_coll_tuned_use_dynamic_rules", "1"),
                ("OMPI_MCA_coll_tuned_gather_algorithm", "1"),
                ("NETSIG_REPORT", "report.csv"),
            ])
            .envs(variables.iter().copied());
        command.output().unwrap()
    }

    /// The algorithms in the report.
    pub fn report(&self) -> String {
        std::fs::read_to_string(self.home.path().join("report.csv")).unwrap()
    }

    /// Calls of the collectives in the report, whose rows name the number of ranks.
    pub fn caught_calls(&self) -> u32 {
        let report = self.report();
        let rows = report.lines().map(|row| row.split(',').collect::<Vec<_>>());
        let of_ranks = rows.filter(|row| row.get(1).is_some_and(|ranks| ranks.parse::<u32>().is_ok()));
        of_ranks.map(|row| row[3].parse::<u32>().unwrap()).sum()
    }
}

/// Asserts that a report has calls of each of the algorithms, `COLLECTIVE ALGORITHM`.
pub fn assert_ran<'a>(report: &str, algorithms: impl Iterator<Item = &'a str>) {
    for item in algorithms {
        let (collective, algorithm) = item.split_once(' ').unwrap();
        let is_of_item = |row: &str| row.starts_with(&format!("{collective},")) && row.contains(algorithm);
        assert!(report.lines().any(is_of_item), "{item} was not run:\n{report}");
    }
}

/// Compiles a source file of `tests/programs`.
pub fn compile(compiler: &str, options: &[&str], source: &str, to: &Path) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let built = Command::new(compiler)
        .args(["-O1", "-o"])
        .args([to, &folder.join(source)])
        .args(options)
        .output()
        .unwrap();
    assert!(built.status.success(), "{}", text(&built.stderr));
}

/// The C compiler of the MPI.
pub fn compiler() -> String {
    option_env!("MPICC").unwrap_or("mpicc").to_owned()
}

/// True if the MPI is MPICH.
pub fn is_mpich() -> bool {
    compiler().contains("mpich")
}

/// Value of `LD_PRELOAD` for the ranks.
pub fn preload() -> String {
    format!("{}:{}", library().display(), shim().display())
}

/// The lab's library, as `cargo build` leaves it. Without it idle ranks take the processors of the others.
pub fn shim() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join("target/debug/libnetsig_yield_shim.so")
}

/// The library, which `cargo build` puts above the folder of the test, or `make` into the folder of the MPI.
pub fn library() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().and_then(Path::parent).unwrap();
    let (shared, profile) = (folder.parent().unwrap(), folder.file_name().unwrap());
    let mpi = if is_mpich() { "mpich" } else { "openmpi" };
    let of_make = shared.with_file_name(mpi).join(profile);
    let places = [folder, &of_make].map(|place| place.join("libnetsig_interpose.so"));
    let file = places.into_iter().find(|place| place.is_file());
    file.expect("build netsig-interpose first, as `make test` does")
}

/// Output of a program.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
