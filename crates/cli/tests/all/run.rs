//! `netsig run` with shell scripts as launchers: the options and variables of the ranks, and the output after the end
//! of the program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use crate::support::{TestHome, parse_csv, stderr_text, write_script};
use assert_cmd::Command;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;

/// Files that the build makes for each MPI, and the mark of the MPI in the version of its mpirun.
const MPIS: [(&str, &str, &str); 2] = [
    ("mpirun", "libnetsig_interpose-openmpi.so", "open-mpi.org"),
    ("mpiexec.hydra", "libnetsig_interpose-mpich.so", "HYDRA"),
];

/// The ranks run `ranks` with netsig's variables.
const MPIRUN: &str = r#"#!/bin/sh
if [ "$1" = --version ]; then
    echo MARK
    exit
fi
printf '%s\n' "$@" >words
while [ $# -gt 0 ]; do
    case $1 in NETSIG_*=*) export "$1" ;; esac
    shift
done
. ./ranks
"#;

const SRUN: &str = "#!/bin/sh\nprintf '%s\\n' \"$@\" >words\nenv | grep -E '^NETSIG_(INTERPOSE|NETWORK|PROFILE|REDUCTIONS|REPORT)=' | sort >>words\n";

/// Ranks that print and end with code 3.
const RANKS: &str = "echo result 42\ncat given.csv >\"$NETSIG_REPORT\"\nexit 3\n";

/// A report with a note, a replaced call, a call that was not replaced, and a counted call.
const REPORT: &str = "# netsig interposer report 3
# 2 communicators were left alone
collective,procs,size_bytes,calls,time_s,algorithm,call_s,library_call_s,library_calls,predicted_library_s,predicted_s,saved_s,left_gain_s,reason
alltoall,8,65536,100,2.5,pairwise,0.02474,0.0334,3,0.03,0.025,0.84,,
alltoall,8,64,10,0.001,,,0.0001,10,0.0001,,,,the library is the fastest
allreduce,8,4096,20,0.02,,,0.001,20,0.001,0.001,,0.008,results could differ
iallreduce,,,7,0,,,,7,,,,,passed on
";

/// A directory with netsig and its libraries, and one to run it in.
struct InstalledPlace {
    home: TestHome,
    installed: TempDir,
}

impl InstalledPlace {
    fn new() -> Self {
        // In the file system of the build directory, where netsig can be linked.
        let installed = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let netsig = assert_cmd::cargo::cargo_bin!("netsig");
        fs::hard_link(netsig, installed.path().join("netsig")).unwrap();
        let home = TestHome::new();
        let profile = fs::read_to_string("tests/refusals/home/profile.toml").unwrap();
        home.write("profile.toml", &profile);
        home.write("given.csv", REPORT);
        home.write("ranks", RANKS);
        for (mpirun, library, mark) in MPIS {
            fs::write(installed.path().join(library), "").unwrap();
            write_script(&home, mpirun, &MPIRUN.replace("MARK", mark));
        }
        write_script(&home, "srun", SRUN);
        Self { home, installed }
    }

    /// netsig with `arguments` separated by spaces.
    fn netsig(&self, arguments: &str) -> Command {
        let mut command = Command::new(self.installed.path().join("netsig"));
        command
            .args(arguments.split(' '))
            .current_dir(self.home.0.path())
            .env_remove("LD_PRELOAD")
            .timeout(Duration::from_secs(60));
        command
    }

    /// Runs netsig, and asserts that it ends with `code`.
    fn exits_with(&self, arguments: &str, code: i32) -> Output {
        let output = self.netsig(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{}", stderr_text(&output));
        output
    }

    /// Words and variables of the ranks, with names in the place of directories.
    fn words(&self) -> String {
        let temporary = regex_lite::Regex::new("/netsig-[^/]+").unwrap();
        let text = self.home.read("words");
        let places = [(self.home.0.path(), "HOME"), (self.installed.path(), "BIN")];
        let named = places
            .into_iter()
            .fold(text, |text, (path, name)| text.replace(path.to_str().unwrap(), name));
        temporary.replace_all(&named, "/TEMPORARY").into_owned()
    }

    fn library(&self, mpi: usize) -> PathBuf {
        self.installed.path().join(MPIS[mpi].1)
    }
}

/// Before the options of the user, and again for each program of Open MPI, whose option holds for
/// one program; libraries of the user and of the lab stay.
#[test]
fn the_ranks_of_both_mpis_get_the_interposer_and_its_variables() {
    let place = InstalledPlace::new();
    place.home.write("net.toml", include_str!("../refusals/home/net.toml"));
    let programs = "-np 1 ./first : -np 2 ./second --size 3";
    let mut words = Vec::new();
    for (option, mpirun) in [("--network net.toml", "./mpirun"), ("--mode report", "./mpiexec.hydra")] {
        let mut command = place.netsig(&format!("run profile.toml {option} -- {mpirun} {programs}"));
        command
            .env("NETSIG_LAB", "star")
            .env("NETSIG_YIELD_SHIM_PATH", "shim.so");
        let output = command.env("LD_PRELOAD", "one.so:two.so").output().unwrap();
        assert!(
            output.status.code().is_some_and(|code| code != 2),
            "{}",
            stderr_text(&output)
        );
        words.push(place.words());
    }
    insta::assert_snapshot!(words.join("\n"));
}

#[test]
fn srun_hands_on_its_environment_and_does_not_preload_the_library_itself() {
    let place = InstalledPlace::new();
    place.exits_with("run profile.toml --mpi mpich -- ./srun -n 2 ./program", 0);
    insta::assert_snapshot!(place.words());
}

/// A program that needs no launcher, or a script around it.
#[test]
fn another_command_gets_the_variables_in_its_environment() {
    let place = InstalledPlace::new();
    write_script(
        &place.home,
        "job",
        "#!/bin/sh\necho \"$@\" $LD_PRELOAD $NETSIG_INTERPOSE $NETSIG_REDUCTIONS\n",
    );
    for (variable, option, reductions) in [
        ("", "", "same-order"),
        ("off", "", "off"),
        ("off", "--reductions on ", "on"),
    ] {
        let mut command = place.netsig(&format!("run profile.toml --mpi openmpi {option}-- ./job a"));
        let output = command.env("NETSIG_REDUCTIONS", variable).output().unwrap();
        let expected = format!("a {} on {reductions}\n", place.library(0).display());
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            expected,
            "{}",
            stderr_text(&output)
        );
    }
}

#[test]
fn the_report_follows_the_output_of_the_program_whose_exit_code_stays() {
    let place = InstalledPlace::new();
    let files = place.home.files().len();
    let output = place.exits_with("run profile.toml --output kept.csv -- ./mpirun ./program", 3);
    let printed = String::from_utf8_lossy(&output.stdout);
    insta::assert_snapshot!(format!("{printed}{}", stderr_text(&output)));
    assert_eq!(place.home.read("kept.csv"), REPORT);
    assert_eq!(place.home.files().len(), files + 2, "words and the report");

    let run = "run profile.toml --output kept.csv --format csv -- ./mpirun ./program";
    let again = place.exits_with(run, 3);
    let (_, data) = REPORT.split_once("alone\n").unwrap();
    let printed = String::from_utf8_lossy(&again.stdout);
    assert_eq!(
        parse_csv(printed.strip_prefix("result 42\n").unwrap()).0,
        parse_csv(data).0
    );
    place.home.write("kept.csv", "a,b\n");
    place.home.write("words", "");
    let refused = place.exits_with(run, 2);
    assert!(stderr_text(&refused).starts_with("netsig: kept.csv: is no file of netsig"));
    assert_eq!(place.home.read("words"), "", "the program was not started");
}

#[test]
fn a_missing_report_is_told_in_a_line_and_an_earlier_one_is_kept() {
    let place = InstalledPlace::new();
    place.home.write("kept.csv", REPORT);
    for (ranks, code, problem) in [
        ("exit 0\n", 0, "the interposer wrote no report"),
        ("exit 7\n", 7, "the interposer wrote no report"),
        ("echo x >\"$NETSIG_REPORT\"\n", 0, "the report:1: does not begin with"),
    ] {
        place.home.write("ranks", ranks);
        let output = place.exits_with("run profile.toml -- ./mpirun ./program", code);
        let message = stderr_text(&output);
        assert!(message.starts_with(&format!("netsig: warning: {problem}")), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
        assert!(output.stdout.is_empty());
    }
    let (empty, _) = REPORT.split_once("alltoall").unwrap();
    place.home.write("given.csv", empty);
    place.home.write("ranks", RANKS);
    let output = place.exits_with("run profile.toml -- ./mpirun ./program", 3);
    assert!(stderr_text(&output).contains("warning: the report has no calls"));
    place.home.write("ranks", "exit 0\n");
    place.exits_with("run profile.toml --report kept.csv -- ./mpirun ./program", 0);
    assert_eq!(place.home.read("kept.csv"), REPORT);
}

#[test]
fn an_interposer_that_is_not_built_or_cannot_be_preloaded_is_refused() {
    let place = InstalledPlace::new();
    for (index, (mpirun, library, _)) in MPIS.into_iter().enumerate() {
        fs::remove_file(place.library(index)).unwrap();
        let output = place.exits_with(&format!("run profile.toml -- ./{mpirun} ./program"), 2);
        let mpi = library.trim_start_matches("libnetsig_interpose-");
        let remedy = format!("; run `make {}` where", mpi.trim_end_matches(".so"));
        let told = stderr_text(&output);
        assert!(told.contains(library) && told.contains(&remedy), "{told}");
    }
    let spaced = place.installed.path().join("my bin");
    fs::create_dir(&spaced).unwrap();
    fs::hard_link(place.installed.path().join("netsig"), spaced.join("netsig")).unwrap();
    fs::write(spaced.join(MPIS[0].1), "").unwrap();
    let mut netsig = Command::new(spaced.join("netsig"));
    netsig.args(["run", "profile.toml", "--", "./mpirun", "./program"]);
    let output = netsig.current_dir(place.home.0.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr_text(&output).ends_with("move netsig to another directory\n"),
        "{}",
        stderr_text(&output)
    );
    assert!(!Path::new(&place.home.path("words")).exists(), "no program was started");
}

/// Such as the mpirun of Intel MPI, which has the binary interface of MPICH.
#[test]
fn the_mpi_of_an_unknown_mpirun_is_named_by_the_user() {
    let place = InstalledPlace::new();
    write_script(&place.home, "mpirun", "#!/bin/sh\necho $NETSIG_INTERPOSE $LD_PRELOAD\n");
    let refused = place.exits_with("run profile.toml -- ./mpirun ./program", 2);
    assert!(stderr_text(&refused).starts_with("netsig: ./mpirun: is the mpirun of neither"));
    let output = place.exits_with("run profile.toml --mpi mpich -- ./mpirun ./program", 0);
    let expected = format!("on {}\n", place.library(1).display());
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
}

/// A launcher would continue without netsig, and its ranks without the launcher. SIGTERM ends the program before
/// netsig, which prints what the interposer has written until then.
#[test]
fn the_program_ends_with_netsig() {
    let place = InstalledPlace::new();
    let ranks = "cat given.csv >\"$NETSIG_REPORT\"\necho $$ >ranks.pid\nexec sleep 60\n";
    place.home.write("ranks", ranks);
    let files = place.home.files().len();
    let mut command = std::process::Command::new(place.installed.path().join("netsig"));
    command.args(["run", "profile.toml", "--", "./mpirun", "./program"]);
    command.current_dir(place.home.0.path());
    let netsig = command.stdout(Stdio::piped()).spawn().unwrap();
    let text = || fs::read_to_string(place.home.path("ranks.pid")).unwrap_or_default();
    let pid = wait_for(|| text().trim().parse().ok());
    kill(Pid::from_raw(netsig.id().cast_signed()), Signal::SIGTERM).unwrap();
    let output = netsig.wait_with_output().unwrap();
    wait_for(|| has_ended(pid).then_some(()));
    assert_eq!(output.status.code(), Some(143));
    assert!(String::from_utf8_lossy(&output.stdout).contains("pairwise"));
    assert_eq!(place.home.files().len(), files + 2, "words and ranks.pid");
}

fn wait_for<T>(mut found: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = found() {
            return found;
        }
        assert!(start.elapsed() < Duration::from_secs(30), "it does not come");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// True if there is no such process, or only its exit code is left.
fn has_ended(pid: i32) -> bool {
    let state = fs::read_to_string(format!("/proc/{pid}/stat"));
    state.is_ok_and(|text| text.contains(") Z ")) || kill(Pid::from_raw(pid), None).is_err()
}
