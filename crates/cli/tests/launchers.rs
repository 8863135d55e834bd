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
    home.write("hosts", "a slots=9 # first\nb:2\nc\nd\n\ne\nf\ng\nh\nh\n");
    home
}

/// netsig that prints what it would run, within no Slurm allocation.
fn dry_run(home: &Home, options: &str) -> Command {
    let mut command = home.netsig(&format!(
        "measure plan.toml -o data.csv --dry-run {options}"
    ));
    command.env("NETSIG_RANK_PROGRAM", "rank");

    command.env("PATH", home.path("bin"));
    for name in [
        "SLURM_JOB_ID",
        "SLURM_NTASKS",
        "SLURM_JOB_NUM_NODES",
        "SLURM_MPI_TYPE",
        "PBS_NODEFILE",
    ] {
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

/// It prints the list of interfaces where old versions do.
const SRUN: &str =
    "#!/bin/sh\necho 'srun: none' >&2; echo 'srun: pmi2' >&2; echo 'srun: pmix' >&2\n";

const ARGUMENTS: &str = "rank plan.toml --output data.csv --launch";

#[test]
fn a_dry_run_prints_the_command_of_every_launch() {
    let home = home(&[("mpirun", OPEN_MPI), ("mpirun.mpich", MPICH)]);
    home.write("my hosts", "n1\nn2");
    let mpich =
        "--launcher mpich --ppn 4 --timeout 2m --budget 10m --launcher-option=-v --hostfile";
    let mut mpich = dry_run(&home, mpich);
    mpich.arg("my hosts");
    let replaced = "--launcher-option --map-by --launcher-option=node";
    for (command, expected) in [
        (
            dry_run(&home, "--hostfile hosts"),
            format!(
                "bin/mpirun -np 8 --map-by ppr:1:node --hostfile hosts {ARGUMENTS} 0 --timeout 60"
            ),
        ),
        (
            mpich,
            format!(
                "bin/mpirun.mpich -np 8 -ppn 4 -f 'my hosts' -v {ARGUMENTS} 0 --timeout 120 --budget 300"
            ),
        ),
        (
            dry_run(&home, "--ppn 8"),
            format!(
                "bin/mpirun -np 8 --map-by ppr:8:node:OVERSUBSCRIBE {ARGUMENTS} 0 --timeout 60"
            ),
        ),
        (
            dry_run(&home, replaced),
            format!("bin/mpirun -np 8 --map-by node {ARGUMENTS} 0 --timeout 60"),
        ),
        (
            dry_run(&home, "--on lab:ethernet-8x50"),
            "netsig lab exec ethernet-8x50 -- bin/mpirun -np 8 --map-by ppr:1:node rank".to_owned(),
        ),
    ] {
        let lines = printed(&home, command);
        assert_eq!(lines.len(), 2);
        assert!(lines[0].starts_with(&expected), "{lines:?}");
        let second = expected.replace("--launch 0", "--launch 1");
        assert!(lines[1].starts_with(&second), "{lines:?}");
    }
    home.command_refuses(
        &mut dry_run(&home, "--on sim:ethernet-8x50"),
        2,
        [
            "--dry-run prints how MPI is started",
            "leave one of them out",
        ],
    );
}

/// Slurm, PBS, a host file or nothing tells of fewer hosts than there are ranks.
#[test]
fn ranks_that_find_no_host_of_their_own_are_refused() {
    let home = home(&[("mpirun", OPEN_MPI), ("srun", "#!/bin/sh\n")]);
    home.write("three", "a\na\nb\nc\n");
    for (options, variable, said, ppn) in [
        (
            "",
            ("A", ""),
            "1 a host, need 8 hosts and there is 1; give --hostfile",
            8,
        ),
        (
            "--ppn 2",
            ("A", ""),
            "2 a host, need 4 hosts and there is 1; give",
            8,
        ),
        (
            "--hostfile three",
            ("A", ""),
            "1 a host, need 8 hosts and there are 3; give",
            3,
        ),
        (
            "",
            ("PBS_NODEFILE", "three"),
            "1 a host, need 8 hosts and there are 3; give",
            3,
        ),
        (
            "",
            ("SLURM_JOB_ID", "7"),
            "1 a host, need 8 hosts and there are 4; ask salloc",
            2,
        ),
        (
            "--launcher openmpi",
            ("SLURM_JOB_ID", "7"),
            "1 a host, need 8 hosts and there are 4; give",
            2,
        ),
    ] {
        let mut command = dry_run(&home, options);
        command
            .env(variable.0, variable.1)
            .env("SLURM_JOB_NUM_NODES", "4");
        let begin = format!("8 processes, {said}");
        let end = format!(
            "or give --ppn {ppn} (ranks then share hosts' memory, and times are not the network's)"
        );
        home.command_refuses(&mut command, 2, [&begin, &end]);
    }
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

/// With an srun, and a rank program that says of which MPI it is.
fn slurm_home() -> Home {
    let home = home(&[("mpirun", OPEN_MPI), ("srun", SRUN)]);
    script(
        &home,
        "mpich-rank",
        "#!/bin/sh\necho 'netsig-rank 0.1.0 (MPICH Version: 4.0.2)'\n",
    );
    home
}

/// netsig that prints what it would run within a Slurm allocation.
fn within(home: &Home, options: &str, tasks: &str, nodes: &str) -> Command {
    let mut command = dry_run(home, options);
    command
        .env("SLURM_JOB_ID", "7")
        .env("SLURM_NTASKS", tasks)
        .env("SLURM_JOB_NUM_NODES", nodes);
    command
}

#[test]
fn srun_is_used_within_an_allocation() {
    let home = slurm_home();
    let within = |options, tasks, nodes| within(&home, options, tasks, nodes);
    let srun = "bin/srun -n 8 --kill-on-bad-exit=1 --ntasks-per-node";
    let mut chosen = within("", "8", "8");
    chosen.env("SLURM_MPI_TYPE", "pmi2");
    for (command, expected) in [
        (
            within("", "16", "8"),
            format!("{srun}=1 --nodes=8 --mpi=pmix rank "),
        ),
        (
            within("--ppn 4", "16", "4"),
            format!("{srun}=4 --nodes=2 --mpi=pmix rank "),
        ),
        (chosen, format!("{srun}=1 --nodes=8 rank ")),
        (
            within("--launcher-option=--mpi=none", "8", "8"),
            format!("{srun}=1 --nodes=8 --mpi=none rank "),
        ),
        (
            within("--rank-program mpich-rank", "8", "8"),
            format!("{srun}=1 --nodes=8 --mpi=pmi2 mpich-rank "),
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
        (dry_run(&home, "--ppn 8"), "bin/mpirun -np 8 ".to_owned()),
        (
            dry_run(&home, "--launcher srun"),
            format!("{srun}=1 --nodes=8 --mpi=pmix rank "),
        ),
    ] {
        let lines = printed(&home, command);
        assert!(lines[0].starts_with(&expected), "{lines:?}");
    }
}

#[test]
fn launchers_that_cannot_start_the_ranks_are_refused() {
    let home = slurm_home();
    let within = |options, tasks, nodes| within(&home, options, tasks, nodes);
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
            dry_run(&home, "--rank-program mpich-rank --hostfile hosts"),
            [
                "",
                "is the mpirun of Open MPI; give the --rank-program for Open MPI or the --mpirun of MPICH",
            ],
        ),
        (
            dry_run(&home, "--ppn 2 --on lab:ethernet-8x50"),
            ["the lab has a host for each rank", "leave out --ppn"],
        ),
        (
            dry_run(&home, "--launcher mpich --mpirun bin/mpirun"),
            ["", "or give another --mpirun"],
        ),
    ] {
        home.command_refuses(&mut command, 2, complaint);
    }
}
