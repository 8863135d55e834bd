//! Programs at the limits of MPI with the library preloaded: many threads in collectives at once, and more than 2 GiB
//! in one call. The programs check their results.

use itertools::Itertools as _;

use crate::long_form::is_long_form;
use crate::support::{ALGORITHMS, ProgramJob, assert_ran, text};

/// Three ranks of sixteen threads, each thread on its own communicators.
#[test]
fn many_threads_get_their_own_data() {
    let job = ProgramJob::of("threads.c");
    for algorithms in ALGORITHMS {
        let rounds = if is_long_form() { "60" } else { "6" };
        let done = job.run(3, &["16", rounds], &[("NETSIG_ALGORITHMS", algorithms)]);
        let said = text(&done.stderr);
        if done.status.code() == Some(77) {
            eprintln!("SKIPPED: this MPI serves no threads");
            return;
        }
        assert!(done.status.success(), "{algorithms}: {said}");
        let report = job.report();
        assert_eq!(
            text(&done.stdout),
            format!("ok {} calls\n", job.caught_calls()),
            "{report}"
        );
        // The program calls no collective with a length for each rank but the alltoallv.
        let called = |item: &&str| {
            !["allgatherv ", "gatherv ", "scatterv "]
                .iter()
                .any(|name| item.starts_with(name))
        };
        assert_ran(&report, algorithms.split("; ").filter(called));
    }
}

/// A call of more than 2 GiB is passed on; a little less is served. A call that fails must also fail without the
/// library.
#[test]
fn calls_of_2_gib_end_as_without_the_library() {
    let job = ProgramJob::of("sparse.c");
    let cases = [
        ("bcast", "pipeline:1048576"),
        ("alltoall", "windowed:segment=1048576,window=2"),
        ("alltoallv", "windowed:segment=1048576,window=2"),
        ("allgather", "bruck"),
    ];
    let (cases, sizes): (_, &[_]) = if is_long_form() {
        (&cases[..], &["2050", "2046"])
    } else {
        (&cases[..1], &["2050"])
    };
    for ((collective, algorithm), mibs) in cases.iter().cartesian_product(sizes) {
        let words = [*mibs, collective];
        let given = format!("{collective} {algorithm}");
        let with = job.run(2, &words, &[("NETSIG_ALGORITHMS", &given)]);
        let said = text(&with.stderr);
        if !with.status.success() {
            let without = job.run_apart(&[(2, &["LD_PRELOAD="])], &words, &[]);
            assert_eq!(with.status, without.status, "{words:?}: {said}");
            eprintln!("SKIPPED: this MPI fails in {words:?}");
            continue;
        }
        assert_eq!(text(&with.stdout), format!("ok {collective}\n"));
        let told = match *mibs {
            "2050" => "more than 2 GiB",
            _ => algorithm,
        };
        let report = job.report();
        let is_told = |row: &str| row.starts_with(&format!("{collective},2,")) && row.contains(told);
        assert!(report.lines().any(is_told), "{words:?}: {report}");
    }
}
