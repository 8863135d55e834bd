//! How MPI programs are started: which launcher is taken, and the command lines that
//! `--dry-run` prints.

mod support;

use std::fs;

use assert_cmd::Command;
use support::{Home, script};

/// What `--version` says of each.
const OPEN_MPI: &str = "#!/bin/sh\necho 'Report bugs to http://www.open-mpi.org/community/help/'\n";
const MPICH: &str = "#!/bin/sh\necho 'HYDRA build details:'\n";

/// A directory with programs in its `bin`, which is all of PATH.
fn home(programs: &[(&str, &str)]) -> Home {
    let home = Home::new();
    fs::create_dir(home.path("bin")).unwrap();
    for (name, text) in programs {
        script(&home, &format!("bin/{name}"), text);
    }
    home.write("rank", "");
    home
}

/// netsig that prints what it would run, within no Slurm allocation.
fn dry_run(home: &Home, options: &str) -> Command {
    let mut command = home.netsig(&format!(
        "measure plan.toml -o data.csv --dry-run --rank-program rank {options}"
    ));
    command.env("PATH", home.path("bin"));
    for name in ["SLURM_JOB_ID", "SLURM_NTASKS", "SLURM_JOB_NUM_NODES"] {
        command.env_remove(name);
    }
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

const ARGUMENTS: &str = "rank plan.toml --output data.csv --launch";

#[test]
fn a_dry_run_prints_the_command_of_every_launch() {
    let home = home(&[("mpirun", OPEN_MPI), ("mpirun.mpich", MPICH)]);
    assert_eq!(
        printed(&home, dry_run(&home, "")),
        [0, 1].map(|launch| format!("bin/mpirun -np 8 {ARGUMENTS} {launch} --timeout 60"))
    );
    home.write("my hosts", "");
    let mut command = dry_run(
        &home,
        "--launcher mpich --timeout 2m --budget 10m --hostfile",
    );
    command.arg("my hosts");
    let lines = printed(&home, command);
    assert_eq!(
        lines[1],
        format!("bin/mpirun.mpich -np 8 -f 'my hosts' {ARGUMENTS} 1 --timeout 120 --budget 300")
    );
    let lab = printed(&home, dry_run(&home, "--on lab:ethernet-8x50"));
    assert!(lab[0].starts_with("netsig lab exec ethernet-8x50 -- bin/mpirun -np 8 rank "));
    home.command_refuses(
        &mut dry_run(&home, "--on sim:ethernet-8x50"),
        2,
        [
            "--dry-run prints how MPI is started",
            "leave one of them out",
        ],
    );
}

#[test]
fn an_algorithm_that_the_library_lacks_is_refused_first() {
    let home = home(&[("mpirun", OPEN_MPI)]);
    let plan = "[pingpong]\nsizes = 1\nrepetitions = 1\n[[collective]]\nname = \"bcast\"\n\
        algorithms = [\"library:nb\"]\nprocs = 4\nsizes = 1\nrepetitions = 1\n";
    home.write("plan.toml", plan);
    let lacks = "plan.toml: Open MPI has no bcast algorithm \"nb\"; it has: basic_linear";
    home.command_refuses(
        &mut dry_run(&home, ""),
        2,
        [lacks, "scatter_allgather_ring"],
    );
}

#[test]
fn srun_is_used_within_an_allocation() {
    let home = home(&[("mpirun", OPEN_MPI), ("srun", "#!/bin/sh\n")]);
    let within = |options: &str, tasks: &str, nodes: &str| {
        let mut command = dry_run(&home, options);
        command
            .env("SLURM_JOB_ID", "7")
            .env("SLURM_NTASKS", tasks)
            .env("SLURM_JOB_NUM_NODES", nodes);
        command
    };
    let srun = "bin/srun -n 8 --kill-on-bad-exit=1";
    for (command, expected) in [
        (within("", "16", "4"), format!("{srun} rank ")),
        (
            within("", "16", "8"),
            format!("{srun} --ntasks-per-node=1 rank "),
        ),
        (
            within("--mpirun bin/mpirun", "16", "8"),
            "bin/mpirun -np 8 ".to_owned(),
        ),
        (
            within("--launcher openmpi", "16", "8"),
            "bin/mpirun -np 8 ".to_owned(),
        ),
        (
            within("--on lab:ethernet-8x50", "1", "1"),
            "netsig lab exec ethernet-8x50 -- bin/mpirun ".to_owned(),
        ),
        (dry_run(&home, ""), "bin/mpirun -np 8 ".to_owned()),
        (dry_run(&home, "--launcher srun"), format!("{srun} rank ")),
    ] {
        let lines = printed(&home, command);
        assert!(lines[0].starts_with(&expected), "{lines:?}");
    }
    for (mut command, complaint) in [
        (
            within("", "4", "4"),
            [
                "the plan needs 8 processes and the Slurm allocation has 4 tasks",
                "for --ntasks=8",
            ],
        ),
        (
            within("--hostfile plan.toml", "8", "8"),
            [
                "srun takes the hosts from its allocation",
                "or give --mpirun",
            ],
        ),
        (
            dry_run(&home, "--launcher srun --mpirun bin/mpirun"),
            ["--launcher srun and --mpirun", "leave one out"],
        ),
        (
            dry_run(&home, "--launcher srun --on lab:ethernet-8x50"),
            [
                "srun starts nothing in the lab",
                "leave out --launcher srun",
            ],
        ),
        (
            dry_run(&home, "--launcher mpich"),
            ["no mpirun of MPICH is in PATH", "or give --mpirun"],
        ),
        (
            dry_run(&home, "--launcher mpich --mpirun bin/mpirun"),
            ["", "or give another --mpirun"],
        ),
    ] {
        home.command_refuses(&mut command, 2, complaint);
    }
}
