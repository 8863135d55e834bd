//! How MPI programs are started: which launcher is taken, and the command lines that
//! `--dry-run` prints.

mod support;

use std::fs;

use assert_cmd::Command;
use support::{Home, script};

/// What `--version` says of each.
const OPEN_MPI: &str = "#!/bin/sh\necho 'Report bugs to http://www.open-mpi.org/community/help/'\n";
const MPICH: &str = "#!/bin/sh\necho 'HYDRA build details:'\n";

/// It prints the list of interfaces where old versions do.
const SRUN: &str =
    "#!/bin/sh\necho 'srun: none' >&2; echo 'srun: pmi2' >&2; echo 'srun: pmix' >&2\n";

/// It says of which MPI it is.
const MPICH_RANK: &str = "#!/bin/sh\necho 'netsig-rank 0.1.0 (MPICH Version: 4.0.2)'\n";

/// A directory with programs in its `bin`, which is all of PATH.
fn home(programs: &[(&str, &str)]) -> Home {
    let home = Home::new();
    fs::create_dir(home.path("bin")).unwrap();
    for (name, text) in programs {
        script(&home, &format!("bin/{name}"), text);
    }
    script(&home, "mpich-rank", MPICH_RANK);
    home.write("rank", "");
    home.write(
        "my hosts",
        "a slots=9 # first\nb:2\nc\nd\n\ne\nf\ng\nh\nh\n",
    );
    home.write("three", "a\na\nb\nc\n");
    home
}

/// netsig that prints what it would run, with such words as `NAME=VALUE` in its environment;
/// `_` is a space within a word.
fn dry_run(home: &Home, words: &str) -> Command {
    let (variables, options): (Vec<&str>, Vec<&str>) = words
        .split_whitespace()
        .partition(|word| word.starts_with(char::is_uppercase));
    let mut command = home.netsig("measure plan.toml -o data.csv --dry-run");
    let inherited = std::env::vars_os().map(|(name, _)| name);
    let told = inherited.filter(|name| {
        let name = name.to_string_lossy();
        name.starts_with("SLURM_") || name.ends_with("FILE")
    });
    told.for_each(|name| {
        command.env_remove(name);
    });
    command
        .args(options.iter().map(|option| option.replace('_', " ")))
        .env("NETSIG_RANK_PROGRAM", "rank")
        .env("PATH", home.path("bin"))
        .envs(variables.iter().filter_map(|word| word.split_once('=')));
    command
}

/// The lines that it prints, with the directory left out; no file changes.
fn printed(home: &Home, mut command: Command) -> Vec<String> {
    let before = home.files();
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", support::said(&output));
    assert!(before == home.files());
    let here = format!("{}/", home.0.path().canonicalize().unwrap().display());
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| line.replace(&here, "")).collect()
}

/// The rows of a table, each in two halves.
fn rows(table: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = table.lines().filter(|line| !line.is_empty());
    lines.map(|line| line.split_once(" => ").unwrap())
}

/// Words, and how the command of the first launch begins. S8 is an allocation of 8 nodes.
const STARTED: &str = "
--hostfile my_hosts => bin/mpirun -np 8 --map-by ppr:1:node --hostfile 'my hosts' RANK
--hostfile three --ppn 3 => bin/mpirun -np 8 --map-by ppr:3:node:OVERSUBSCRIBE --hostfile three RANK
--ppn 8 --timeout 2m --budget 10m => bin/mpirun -np 8 --map-by ppr:8:node:OVERSUBSCRIBE rank plan.toml --output data.csv --launch 0 --timeout 120 --budget 300
--launcher-option --map-by --launcher-option=node => bin/mpirun -np 8 --map-by node RANK
--launcher mpich --ppn 8 --launcher-option=-v => bin/mpirun.mpich -np 8 -ppn 8 -v RANK
--on lab:ethernet-8x50 => netsig lab exec ethernet-8x50 -- bin/mpirun -np 8 --map-by ppr:1:node rank plan.toml
S8 => SRUN=1 --nodes=8 --mpi=pmix RANK
S8 --ppn 4 => SRUN=4 --nodes=2 --mpi=pmix RANK
S8 SLURM_MPI_TYPE=pmi2 => SRUN=1 --nodes=8 RANK
S8 --launcher-option=--mpi=none => SRUN=1 --nodes=8 --mpi=none RANK
S8 --rank-program mpich-rank => SRUN=1 --nodes=8 --mpi=pmi2 mpich-rank plan.toml
S8 --mpirun bin/mpirun => bin/mpirun -np 8 --map-by
S8 --launcher openmpi => bin/mpirun -np 8 --map-by
S8 --on lab:ethernet-8x50 => netsig lab exec ethernet-8x50 -- bin/mpirun
--launcher srun => SRUN=1 --nodes=8 --mpi=pmix RANK
";

/// Words, and the complaint: its begin, and its end.
const REFUSED: &str = "
 => 8 processes, 1 a host, need 8 hosts and there is 1; give --hostfile ... or give --ppn 8 SHARED
--ppn 2 => 8 processes, 2 a host, need 4 hosts and there is 1; give --hostfile ... or give --ppn 8 SHARED
--hostfile three => 8 processes, 1 a host, need 8 hosts and there are 3; give ... or give --ppn 3 SHARED
PBS_NODEFILE=three => 8 processes, 1 a host, need 8 hosts and there are 3; give ... or give --ppn 3 SHARED
S8 SLURM_JOB_NUM_NODES=4 => 8 processes, 1 a host, need 8 hosts and there are 4; ask salloc ... or give --ppn 2 SHARED
S8 SLURM_JOB_NUM_NODES=4 --launcher openmpi => 8 processes, 1 a host, need 8 hosts and there are 4; give ... or give --ppn 2 SHARED
S8 SLURM_NTASKS=4 => the plan needs 8 processes and the Slurm allocation has 4 tasks ... for --ntasks=8
S8 --hostfile three => srun takes the hosts from its allocation ... or give --mpirun
--launcher srun --mpirun bin/mpirun => --launcher srun and --mpirun ... leave one out
--launcher srun --on lab:ethernet-8x50 => srun starts nothing in the lab ... leave out --launcher srun
--ppn 2 --on lab:ethernet-8x50 => the lab has a host for each rank ... leave out --ppn
--on sim:ethernet-8x50 => --dry-run prints how MPI is started ... leave one of them out
--rank-program mpich-rank --ppn 8 =>  ... is the mpirun of Open MPI; give the --rank-program for Open MPI or the --mpirun of MPICH
--launcher mpich --mpirun bin/mpirun =>  ... or give another --mpirun
";

/// Within an allocation.
const S8: &str = "SLURM_JOB_ID=7 SLURM_NTASKS=16 SLURM_JOB_NUM_NODES=8";

#[test]
fn a_dry_run_prints_the_command_of_every_launch() {
    let home = home(&[
        ("mpirun", OPEN_MPI),
        ("mpirun.mpich", MPICH),
        ("srun", SRUN),
    ]);
    for (words, expected) in rows(STARTED) {
        let lines = printed(&home, dry_run(&home, &words.replace("S8", S8)));
        let expected = expected
            .replace(
                "RANK",
                "rank plan.toml --output data.csv --launch 0 --timeout 60",
            )
            .replace(
                "SRUN",
                "bin/srun -n 8 --kill-on-bad-exit=1 --ntasks-per-node",
            );
        assert_eq!(lines.len(), 2);
        assert!(lines[0].starts_with(&expected), "{lines:?}");
        assert_eq!(lines[0].replace("--launch 0", "--launch 1"), lines[1]);
    }
}

#[test]
fn launchers_that_cannot_start_the_ranks_are_refused() {
    let home = home(&[
        ("mpirun", OPEN_MPI),
        ("mpirun.mpich", MPICH),
        ("srun", SRUN),
    ]);
    let shared = "(ranks then share hosts' memory, and times are not the network's)";
    for (words, complaint) in rows(REFUSED) {
        let complaint = complaint.replace("SHARED", shared);
        let (begin, end) = complaint.split_once(" ... ").unwrap();
        let mut command = dry_run(&home, &words.replace("S8", S8));
        home.command_refuses(&mut command, 2, [begin, end]);
    }
    fs::remove_file(home.path("bin/mpirun.mpich")).unwrap();
    let missing = ["no mpirun of MPICH is in PATH", "or give --mpirun"];
    home.command_refuses(&mut dry_run(&home, "--launcher mpich"), 2, missing);
}

#[test]
fn an_algorithm_that_the_library_lacks_is_refused_first() {
    let home = home(&[("mpirun", OPEN_MPI)]);
    let plan = "[pingpong]\nsizes = 1\nrepetitions = 1\n[[collective]]\nname = \"bcast\"\n\
        algorithms = [\"library:nb\"]\nprocs = 4\nsizes = 1\nrepetitions = 1\n";
    home.write("plan.toml", plan);
    let lacks = "plan.toml: Open MPI has no bcast algorithm \"nb\"; it has: basic_linear";
    home.command_refuses(
        &mut dry_run(&home, "--ppn 4"),
        2,
        [lacks, "scatter_allgather_ring"],
    );
}
