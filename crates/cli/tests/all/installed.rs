//! An installation as `make install` lays it out, from the build under test: netsig finds its programs and libraries
//! there; shells, man and module systems find their files.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{parse_csv, skipped, stderr_text};
use tempfile::TempDir;

/// A plan, for the command that would carry it out.
const PLAN: &str = "[pingpong]\nsizes = \"1KiB\"\nrepetitions = 1\n";

/// The procedures of a module system, which print; then the module file is read.
const MODULE_SYSTEM: &str = "proc module-whatis {text} {}\nproc conflict {name} {}\n\
    proc prepend-path {name value} { puts \"$name=$value\" }\n\
    set ModulesCurrentModulefile [lindex $argv 0]\nset env(MANPATH) /elsewhere\n\
    source [lindex $argv 0]\nModulesHelp\n";

/// An installation below a temporary folder, as with DESTDIR.
struct Installation(TempDir);

impl Installation {
    fn new() -> Self {
        let netsig = Path::new(env!("CARGO_BIN_EXE_netsig"));
        let build = netsig.parent().unwrap().file_name().unwrap();
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../xtask/install-netsig");
        let installed = Self(TempDir::new().unwrap());
        let mut install = Command::new("bash");
        install.arg(script).arg(build).arg(installed.path(""));
        succeeds(&mut install);
        installed
    }

    fn path(&self, below: &str) -> PathBuf {
        self.0.path().join("usr").join(below)
    }

    fn netsig(&self) -> Command {
        let mut netsig = Command::new(self.path("bin/netsig"));
        netsig
            .current_dir(self.0.path())
            .env_remove("NETSIG_RANK_PROGRAM")
            .env_remove("NETSIG_YIELD_SHIM_PATH");
        netsig
    }
}

/// The output of a command that must succeed.
fn succeeds(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", stderr_text(&output));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn an_installation_is_complete() {
    let installed = Installation::new();
    finds_the_shim(&installed);
    finds_the_rank_programs(&installed);
    let completion = installed.path("share/bash-completion/completions/netsig");
    succeeds(Command::new("bash").arg("-n").arg(completion));
    for file in [
        "share/man/man1/netsig-lab-exec.1",
        "share/zsh/site-functions/_netsig",
        "share/fish/vendor_completions.d/netsig.fish",
        "share/doc/netsig/FORMATS.md",
        "share/netsig/plans/complete.toml",
        "share/netsig/slurm/netsig.sbatch",
    ] {
        assert!(installed.path(file).is_file(), "{file}");
    }
    has_licences(&installed);
    loads_as_a_module(&installed);
}

/// The licences are those of what is installed: not of packages that only tests or builds need.
fn has_licences(installed: &Installation) {
    let file = installed.path("share/doc/netsig/THIRD-PARTY-LICENSES.txt");
    let text = std::fs::read_to_string(file).unwrap();
    let headings = text.lines().filter(|line| line.starts_with("== "));
    let packages: Vec<&str> = headings
        .flat_map(|line| line.trim_matches(['=', ' ']).split(", "))
        .collect();
    for (name, is_linked) in [
        ("netsig-base", true),
        ("serde", true),
        ("mpi", true),
        ("pyo3", true),
        ("plotly.js", true),
        ("proptest", false),
        ("serde_derive", false),
    ] {
        let is_named = packages.iter().any(|package| package.split(' ').next() == Some(name));
        assert_eq!(is_named, is_linked, "{name}");
    }
}

fn finds_the_shim(installed: &Installation) {
    let mut check = installed.netsig();
    check.args(["lab", "check", "--format", "csv"]);
    // On a machine that can emulate nothing the command fails after its rows.
    let printed = check.output().unwrap().stdout;
    let (_, rows) = parse_csv(&String::from_utf8(printed).unwrap());
    let shim = rows.iter().find(|row| row["capability"] == "yield shim");
    let library_path = installed.path("lib/netsig/libnetsig_yield_shim.so");
    let place = library_path.canonicalize().unwrap();
    assert_eq!(shim.unwrap()["detail"], place.to_str().unwrap());
}

fn finds_the_rank_programs(installed: &Installation) {
    std::fs::write(installed.0.path().join("plan.toml"), PLAN).unwrap();
    for mpi in ["openmpi", "mpich"] {
        let rank_path = installed.path(&format!("lib/netsig/netsig-rank-{mpi}"));
        if !rank_path.exists() {
            skipped(&format!("no rank program for {mpi} is built to install"));
            continue;
        }
        let words = "measure plan.toml -o data.csv --ppn 2 --dry-run --launcher";
        let mut netsig = installed.netsig();
        let printed = succeeds(netsig.args(words.split(' ')).arg(mpi));
        let rank = rank_path.to_str().unwrap();
        assert!(printed.contains(rank), "{rank} is not in {printed}");
    }
}

fn loads_as_a_module(installed: &Installation) {
    let Ok(_) = Command::new("tclsh").arg("/dev/null").output() else {
        return skipped("no tclsh reads the module file");
    };
    let version = env!("CARGO_PKG_VERSION");
    let file = installed.path(&format!("share/modulefiles/netsig/{version}"));
    let system = installed.0.path().join("system.tcl");
    std::fs::write(&system, MODULE_SYSTEM).unwrap();
    let printed = succeeds(Command::new("tclsh").arg(system).arg(file));
    let prefix_path = installed.path("");
    let prefix = prefix_path.to_str().unwrap().trim_end_matches('/');
    let wanted = format!("PATH={prefix}/bin\nMANPATH={prefix}/share/man\n");
    assert_eq!(printed, wanted);
}
