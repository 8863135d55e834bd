//! Programs with and without the library preloaded: every result is the same bit by bit. The programs call each
//! collective by its own name, which the library intercepts, and by its `PMPI_` name. `NETSIG_TESTS=all` takes a
//! quarter of an hour with each MPI instead of seconds.

use std::process::Command;

use crate::long_form::is_long_form;
use crate::support::{ALGORITHMS, ProgramJob, REDUCTIONS, assert_ran, compile, compiler, is_mpich, library, text};

/// Seconds of all random calls in the long form, which runs with both MPIs: half an hour in all.
const LONG: u32 = 900;

/// The Fortran compiler, if there is one.
fn fortran() -> Option<String> {
    let compiler = compiler().replace("mpicc", "mpif90");
    let asked = Command::new(&compiler).arg("--version").output();
    if !asked.is_ok_and(|answer| answer.status.success()) {
        eprintln!("SKIPPED: gfortran is not installed, or this MPI has no Fortran");
        return None;
    }
    Some(compiler)
}

#[test]
fn random_calls_give_the_same_bits() {
    let job = ProgramJob::of("exercise.c");
    for (seed, algorithms) in (1u32..).zip(ALGORITHMS) {
        for (ranks, arguments) in [(4, &[][..]), (5, &["threads"])] {
            let seconds = if is_long_form() { LONG / 6 } else { 2 }.to_string();
            let seed = seed.to_string();
            let words = [&[&*seed, &*seconds], arguments].concat();
            let done = job.run(ranks, &words, &[("NETSIG_ALGORITHMS", algorithms)]);
            let said = text(&done.stderr);
            assert!(done.status.success(), "{algorithms}, {words:?}: {said}");
            assert_ran(&job.report(), algorithms.split("; "));
        }
    }
}

/// Results that keep their bits, and results of any order of the operands: of every operation, type, count, root and
/// communicator, in place or not, in threads or not.
#[test]
fn random_reductions_give_the_bits_that_are_promised() {
    let job = ProgramJob::of("reductions.c");
    for (seed, algorithms) in (1u32..).zip(REDUCTIONS) {
        for (ranks, arguments) in [
            (4, ["same-order", "same", ""]),
            (5, ["on", "any", "threads"]),
            (3, ["same-order", "same", "threads"]),
        ] {
            let seconds = if is_long_form() { LONG / 12 } else { 1 }.to_string();
            let [reductions, promise, threads] = arguments;
            let seed_text = seed.to_string();
            let all_words = [&*seed_text, &*seconds, promise, threads];
            let words = &all_words[..if threads.is_empty() { 3 } else { 4 }];
            let variables = [("NETSIG_ALGORITHMS", algorithms), ("NETSIG_REDUCTIONS", reductions)];
            let done = job.run(ranks, words, &variables);
            let said = text(&done.stderr);
            assert!(done.status.success(), "{algorithms}, {words:?}: {said}");
            assert_ran(&job.report(), algorithms.split("; "));
        }
    }
}

/// Sums are left to the library if a schedule would change their bits, and so are all reductions if they are switched off.
#[test]
fn the_report_says_why_reductions_were_left() {
    let job = ProgramJob::of("reductions.c");
    for (reductions, promise, reason) in [
        ("same-order", "same", "the library combines in another order"),
        ("same-order", "same", "NaN or zeros of both signs, by which"),
        ("same-order", "same", "elements of a derived type"),
        ("same-order", "same", "an operation that does not commute"),
        ("off", "same", "NETSIG_REDUCTIONS=off"),
    ] {
        let variables = [("NETSIG_ALGORITHMS", REDUCTIONS[0]), ("NETSIG_REDUCTIONS", reductions)];
        let done = job.run(4, &["7", "0", promise], &variables);
        assert!(done.status.success(), "{}", text(&done.stderr));
        let report = job.report();
        assert!(report.lines().any(|row| row.contains(reason)), "{reason}: {report}");
        let runs_ring = report.contains(",ring,");
        assert_eq!(runs_ring, reductions != "off", "{report}");
    }
}

/// Unusable settings cause a line, and the program runs as without the library.
#[test]
fn a_program_survives_bad_settings() {
    let job = ProgramJob::of("exercise.c");
    let truncated_file = job.home.path().join("profile.toml");
    std::fs::write(&truncated_file, "netsig_profile = 4\n[hockney]\n").unwrap();
    let truncated = truncated_file.to_str().unwrap();
    for (variables, said) in [
        (&[][..], "NETSIG_PROFILE names no profile"),
        (&[("NETSIG_PROFILE", "/nowhere")], "/nowhere: No such file"),
        (&[("NETSIG_PROFILE", truncated)], "profile.toml"),
        (&[("NETSIG_INTERPOSE", "perhaps")], "NETSIG_INTERPOSE=perhaps"),
        (&[("NETSIG_ALGORITHMS", "alltoall best")], "NETSIG_ALGORITHMS"),
        (&[("NETSIG_REDUCTIONS", "maybe")], "NETSIG_REDUCTIONS=maybe"),
        (
            &[
                ("NETSIG_ALGORITHMS", "alltoall direct"),
                ("NETSIG_REPORT", "/nowhere/r.csv"),
            ],
            "/nowhere/r.csv",
        ),
    ] {
        let done = job.run(2, &["1", "0"], variables);
        let stderr = text(&done.stderr);
        assert!(done.status.success(), "{variables:?}: {stderr}");
        let mut lines = stderr.lines().filter(|line| line.starts_with("netsig: "));
        assert!(lines.any(|line| line.contains(said)), "{variables:?}: {stderr}");
    }
    let off = job.run(2, &["1", "0"], &[("NETSIG_INTERPOSE", "off")]);
    assert!(off.status.success() && !text(&off.stderr).contains("netsig: "));
}

/// Other ranks cannot read the profile, or have settings that rank 0 lacks.
#[test]
fn the_settings_of_rank_0_hold_for_all() {
    let job = ProgramJob::of("exercise.c");
    let given = format!("NETSIG_ALGORITHMS={}", ALGORITHMS[0]);
    let (given, unreadable): (&[&str], &[&str]) = (&[&given], &["NETSIG_PROFILE=/nowhere"]);
    for (groups, runs) in [
        ([(1, given), (2, unreadable)], true),
        ([(1, unreadable), (2, given)], false),
    ] {
        let _ = std::fs::remove_file(job.home.path().join("report.csv"));
        let done = job.run_apart(&groups, &["1", "0"], &[]);
        let said = text(&done.stderr);
        assert!(done.status.success(), "{said}");
        assert_eq!(said.contains("/nowhere: No such file"), !runs, "{said}");
        assert_eq!(job.home.path().join("report.csv").exists(), runs);
    }
}

/// Threads cross on two communicators; processes of another world lack the library.
#[test]
fn calls_wait_for_none_that_the_program_does_not() {
    for (source, caught) in [("crossing.c", 5), ("spawning.c", 2)] {
        let job = ProgramJob::of(source);
        let done = job.run(2, &[], &[("NETSIG_ALGORITHMS", ALGORITHMS[0])]);
        let said = text(&done.stderr);
        if done.status.code() == Some(77) {
            eprintln!("SKIPPED: this MPI cannot do what {source} does");
            continue;
        }
        assert!(done.status.success(), "{source}: {said}");
        assert_eq!(job.caught_calls(), caught, "{source}: {}", job.report());
    }
}

/// The large-count functions of MPI 4.
#[test]
fn large_counts_give_the_same_bits() {
    if !is_mpich() {
        eprintln!("SKIPPED: Open MPI has no functions with large counts");
        return;
    }
    let job = ProgramJob::of("large.c");
    let done = job.run(4, &[], &[("NETSIG_ALGORITHMS", ALGORITHMS[0])]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert!(job.report().contains("windowed"), "{}", job.report());
}

/// Programs with the three interfaces of Fortran check their results; each of their calls is caught once.
#[test]
fn fortran_is_intercepted() {
    let Some(compiler) = fortran() else {
        return;
    };
    let large = is_mpich().then_some("usempif08_large.f90");
    for source in ["mpif.f", "usempi.f90", "usempif08.f90"].into_iter().chain(large) {
        let job = ProgramJob::compiled(&compiler, &["-fallow-argument-mismatch"], source);
        let done = job.run(3, &[], &[("NETSIG_ALGORITHMS", ALGORITHMS[0])]);
        assert!(done.status.success(), "{source}: {}", text(&done.stderr));
        let said = text(&done.stdout);
        let words: Vec<&str> = said.split_whitespace().collect();
        let (report, caught) = (job.report(), job.caught_calls());
        assert_eq!(words, ["ok", &*caught.to_string(), "calls"], "{source}: {report}");
    }
}

/// Python loads its modules so that others do not see their symbols.
#[test]
fn fortran_in_a_loaded_module_is_intercepted() {
    let Some(compiler) = fortran() else {
        return;
    };
    let job = ProgramJob::of("loads.c");
    let module = job.home.path().join("module.so");
    compile(&compiler, &["-shared", "-fPIC"], "module.f", &module);
    let done = job.run(3, &[], &[("NETSIG_ALGORITHMS", ALGORITHMS[0])]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    let report = job.report();
    assert_eq!(job.caught_calls(), 2, "{report}");
    assert!(report.contains("\nallreduce,3,"), "{report}");
}

/// A program does not start if a function that a preloaded library is linked to is missing.
#[test]
fn an_mpi_without_large_counts_has_all_that_the_library_is_linked_to() {
    let nm_output = Command::new("nm")
        .args(["--dynamic", "--undefined-only", "--format=posix"])
        .arg(library())
        .output()
        .unwrap();
    let listed = text(&nm_output.stdout);
    let names: Vec<_> = listed
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| name.starts_with("PMPI_"))
        .collect();
    assert!(names.contains(&"PMPI_Type_get_envelope"), "{names:?}");
    assert!(!names.iter().any(|name| name.ends_with("_c")), "{names:?}");
}
