//! Every command of the README and of the user guide, as printed there. Measurements run inside an emulated cluster of
//! eight hosts, everything else outside of it. `slurm.rs` runs the lines for Slurm.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use super::support::guide::{FencedBlock, GuidePage, copy_examples, pages};
use super::{has_lab, path_of, rank_program, workspace};
use crate::long_form::is_long_form;

/// Replaces plans that take minutes.
const PLAN: &str = r#"launches = 2
precision = "2%"
[pingpong]
sizes = "1, 64, 1KiB..256KiB"
repetitions = 3
[[collective]]
name = "alltoall"
algorithms = ["library"]
procs = [4, 6, 8]
sizes = "512, 8KiB, 64KiB"
repetitions = 3
[[collective]]
name = "bcast"
algorithms = ["binomial"]
procs = [4, 8]
sizes = "1KiB, 64KiB"
repetitions = 2
"#;

const GOAL: &str = "num_ranks 2\nrank 0 {\nsend 1000b to 1\n}\nrank 1 {\nrecv 1000b from 0\n}\n";

const SWEEP: &str = "[[sweep]]\nnetworks = [\"ethernet-4x50\"]\nmodels = [\"fluid\"]\n\
    collective = \"alltoall\"\nprocs = \"2..4\"\nsizes = \"1KiB\"\n";

/// Eight hosts on a slow network: it, not this machine's processors, determines the growth of times with the size, even
/// beside tests at idle priority.
fn slow() -> String {
    include_str!("../../../../scenarios/ethernet-8x50.toml").replace("50Mbit/s", "10Mbit/s")
}

/// Eight hosts at two sites.
const SITES: &str = "topology = 'tree'\nhosts = 8\nrate = '50Mbit/s'\nport_buffer = '64KiB'\n\
    [uplink]\nrate = '20Mbit/s'\nport_buffer = '64KiB'\nfirst_switch_hosts = 3\n";

/// Messages among the hosts along a ring, the later the longer.
fn exchange() -> String {
    let arcs = (0..8).map(|from| format!("{from},{},{}\n", (from + 1) % 8, 4000 * (from + 1)));
    format!("from,to,size_bytes\n{}", arcs.collect::<String>())
}

/// A program of the user.
pub const PROGRAM: &str = r"
#include <mpi.h>
int main(int argc, char **argv)
{
    static int send[8 * 1024], receive[8 * 1024];
    MPI_Init(&argc, &argv);
    for (int call = 0; call < 5; call++)
        MPI_Alltoall(send, 1024, MPI_INT, receive, 1024, MPI_INT, MPI_COMM_WORLD);
    return MPI_Finalize();
}
";

/// The commands of netsig in the README.
fn readme_commands() -> Vec<String> {
    let readme = fs::read_to_string(workspace().join("README.md")).unwrap();
    let commands = readme.lines().filter(|line| line.starts_with("target/release/netsig "));
    commands.map(shortened).collect()
}

/// Shortens campaigns to seconds with three sizes, and rankings to four times the largest size; between clusters
/// one launch of all cells takes 18 s. There are eight hosts, and one process count suffices for a page.
fn shortened(line: &str) -> String {
    let shorter = [
        ("--budget 2m", "--budget 20s --size 1KiB,4KiB,16KiB"),
        ("--size 1KiB..256KiB", "--size 1KiB..64KiB"),
        ("--size 256..16KiB", "--size 256,2KiB,16KiB"),
        ("--budget 3m", "--budget 30s"),
        ("-np 32", "-np 8"),
        ("-o report.html", "-o report.html --procs 8"),
    ];
    let shorten = |line: String, (old, new)| line.replace(old, new);
    shorter.into_iter().fold(line.to_owned(), shorten)
}

/// Puts the files into the directory that the README and the guide assume.
fn prepare_folder(home: &Path) {
    let path = |name: &str| home.join(name);
    for folder in ["target/release", "plans", "bin"] {
        fs::create_dir_all(path(folder)).unwrap();
    }
    for netsig in ["target/release/netsig", "bin/netsig"] {
        symlink(env!("CARGO_BIN_EXE_netsig"), path(netsig)).unwrap();
    }
    symlink(workspace().join("scenarios"), path("scenarios")).unwrap();
    let outputs = workspace().join("crates/base/tests/outputs");
    let osu = |name: &str| fs::read_to_string(outputs.join(name)).unwrap();
    let files = [
        ("plans/complete.toml", PLAN.to_owned()),
        ("plans/start-barrier.toml", PLAN.to_owned()),
        ("osu_latency.txt", osu("osu-5.3-latency.txt")),
        ("osu_alltoall-np8.txt", osu("osu-5.3-alltoall-p8.txt")),
        ("exchange.csv", exchange()),
        (
            "topology.conf",
            "SwitchName=s0 Nodes=n[0-255]\nSwitchName=s1 Nodes=n[256-511]\n\
            SwitchName=top Switches=s[0-1]\n"
                .to_owned(),
        ),
        ("sites.toml", SITES.to_owned()),
        ("slow.toml", slow()),
        ("program.goal", GOAL.to_owned()),
        ("sweep.toml", SWEEP.to_owned()),
        // An orterun of another name would look for its daemon beside itself.
        (
            "bin/mpirun",
            format!("#!/bin/sh\nexec {} \"$@\"\n", path_of("mpirun.openmpi")),
        ),
        ("any-mpi-program", "#!/bin/sh\nhostname\n".to_owned()),
        ("program.c", PROGRAM.to_owned()),
    ];
    for (name, text) in files {
        fs::write(path(name), text).unwrap();
    }
    let succeeds = |command: &mut Command| assert!(command.status().unwrap().success());
    let scripts = [path("any-mpi-program"), path("bin/mpirun")];
    succeeds(Command::new("chmod").arg("+x").args(scripts));
    let mut compiler = Command::new("mpicc.openmpi");
    succeeds(compiler.arg("-o").args([path("program"), path("program.c")]));
}

/// Runs a line of a shell in the directory, in the emulated cluster if it starts ranks itself.
fn run(home: &Path, line: &str) {
    let is_discovery = line.contains(" discover ") && !line.contains("--network");
    let is_check = line.contains(" doctor ");
    let measures = is_check || is_discovery || line.contains(" measure ") || line.contains(" learn ");
    let network = if line.contains("clusters.toml") {
        "./sites.toml"
    } else {
        "./slow.toml"
    };
    let runs = line.trim_start_matches("target/release/").starts_with("netsig run ");
    let starts_ranks = runs || line.starts_with("mpirun ") || measures && !line.contains("--on ");
    let script = format!("cp \"$NETSIG_LAB_HOSTFILE\" hosts; {line}");
    let mut command = if starts_ranks {
        let mut netsig = Command::new(env!("CARGO_BIN_EXE_netsig"));
        netsig.args(["lab", "exec", network, "--", "bash", "-c", &script]);
        netsig
    } else {
        let mut bash = Command::new("bash");
        bash.args(["-c", line]);
        bash
    };
    let inherited_path = std::env::var("PATH").unwrap();
    let path = format!("{}:{inherited_path}", home.join("bin").display());
    command
        .current_dir(home)
        .env("PATH", path)
        .env("NETSIG_RANK_PROGRAM", rank_program());
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    // Times of a busy machine may not support a prediction that far; the refusal says so.
    let is_too_far = output.status.code() == Some(3) && said.contains("--extrapolate");
    assert!(
        output.status.success() || line.contains(" predict ") && is_too_far,
        "{line}\n{said}"
    );
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(!runs || printed.contains("alltoall"), "{line}\n{said}");
}

#[test]
#[ignore = "asserts times"]
fn the_commands_of_the_readme_work() {
    if !has_lab() {
        return;
    }
    let home = TempDir::new().unwrap();
    prepare_folder(home.path());
    let commands = readme_commands();
    assert_eq!(commands.len(), 5, "{commands:?}");
    for line in commands {
        run(home.path(), &line);
    }
}

/// The substitute for a command of the guide in the short form of the test. It copies the example data of the
/// collective in place of the data that `learn` would write; the test of the README measures.
fn stand_in(line: &str) -> Option<String> {
    let word_after = |mark: &str| {
        let (_, rest) = line.split_once(mark)?;
        rest.split(' ').next()
    };
    if let (Some(collective), Some(data)) = (word_after("netsig learn '"), word_after(" -o ")) {
        let profile = data.replace(".csv", ".toml");
        let example = format!("{collective}.csv");
        return Some(format!(
            "[ {example} = {data} ] || cp {example} {data}; netsig fit {data} -o {profile}"
        ));
    }
    let is_measured = line.contains(" doctor ") || line.contains(" measure ");
    (!is_measured).then(|| line.to_owned())
}

/// True if a line of the guide is run on the emulated hosts, in the short form of the test: if it starts a program.
fn needs_hosts(line: &str) -> bool {
    is_long_form() || line.starts_with("netsig run ") || line.starts_with("mpirun ")
}

/// The commands of a page, including those with an output, since later commands may need their files; none if no
/// command for a shell needs the hosts.
fn page_commands(page: &GuidePage) -> Vec<String> {
    let blocks = page.blocks();
    let shell_blocks = blocks.iter().filter(|block| block.info == "sh");
    let mut for_shells = shell_blocks.flat_map(FencedBlock::commands);
    if !for_shells.any(|line| needs_hosts(&line)) {
        return Vec::new();
    }
    let all_commands = blocks.iter().flat_map(FencedBlock::commands);
    let without_sbatch = all_commands.filter(|line| !line.starts_with("sbatch "));
    let commands = without_sbatch.map(|line| shortened(&line));
    if is_long_form() {
        return commands.collect();
    }
    commands.filter_map(|line| stand_in(&line)).collect()
}

/// Each page runs in a directory of its own.
#[test]
#[ignore = "asserts times"]
fn the_commands_of_the_guide_work() {
    if !has_lab() {
        return;
    }
    let all_pages = pages();
    let commands_of_pages = all_pages.iter().map(page_commands);
    let command_lists: Vec<_> = commands_of_pages.filter(|commands| !commands.is_empty()).collect();
    assert!(!command_lists.is_empty());
    for commands in command_lists {
        let home = TempDir::new().unwrap();
        symlink(workspace().join("bench"), home.path().join("bench")).unwrap();
        let examples = home.path().join("examples");
        fs::create_dir(&examples).unwrap();
        prepare_folder(&examples);
        copy_examples(&examples);
        for line in commands {
            run(&examples, &line);
        }
    }
}
