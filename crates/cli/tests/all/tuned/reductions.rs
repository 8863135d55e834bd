//! Rules for reductions in the libraries: right results whatever the operation, and the algorithms that really run.

use itertools::{Itertools as _, iproduct};
use netsig_base::algorithm::{DecisionCase, LibraryDecision, OperatorKind, offered_algorithms};
use netsig_base::units::{Bytes, Procs};

use super::*;

/// Algorithms that are wrong for operations that do not commute are the fastest here. None is one that the library
/// chooses among 4 to 6, whose times would be taken for its own.
const COMMUTATIVE: &[MadeUpTimes] = &[
    ("allreduce", "library", |k, _, b| 4.0 * k * (ALPHA + b)),
    ("allreduce", "library:basic_linear", |k, _, b| 2.0 * k * (ALPHA + b)),
    ("allreduce", "library:ring", |k, _, b| k * ALPHA + 2.5 * b),
    ("allreduce", "library:segmented_ring:4096", |k, _, b| {
        2.0 * (k * ALPHA + b)
    }),
    ("reduce", "library", |k, _, b| 4.0 * k * (ALPHA + b)),
    ("reduce", "library:in-order_binary:4096", |_, log, b| {
        2.0 * log * (ALPHA + b)
    }),
    ("reduce", "library:pipeline:4096", |_, log, b| log * ALPHA + b),
    ("reduce-scatter", "library", |k, _, b| 4.0 * doubling(k, b)),
    ("reduce-scatter", "library:butterfly", |k, _, b| 2.0 * doubling(k, b)),
    ("reduce-scatter", "library:ring", |_, log, b| log * ALPHA + b),
    ("reduce-scatter-block", "library", |k, _, b| 4.0 * doubling(k, b)),
    ("reduce-scatter-block", "library:recursive_doubling", |k, _, b| {
        doubling(k, b)
    }),
];

/// The line of a file whose rules are wrong for some operations.
const WARNING: &str = "# These rules are wrong for operations that do not commute\n";

/// Products of matrices, which do not commute, and sums of the longest elements at several sizes.
fn products_and_sums() -> Vec<String> {
    let names = ["allreduce", "reduce", "reduce-scatter", "reduce-scatter-block"];
    let sizes = [32, 160, 1600, 16_000, 160_000];
    let calls = iproduct!(names, sizes, ["matrices", "longest"]);
    calls
        .map(|(name, bytes, elements)| format!("{name}:{bytes}:{elements}"))
        .collect()
}

#[test]
fn operations_that_do_not_commute_are_right_by_default() {
    let bench = TunedHome::new("Open MPI v4.1.4", COMMUTATIVE);
    bench.compile("mpicc.openmpi", &[], "calls.c", "calls");
    let calls = products_and_sums();
    let run = |text: &str| {
        let mut launch = open_mpi(Path::new("mpirun.openmpi"), &bench, RankHosts::One, &options(text));
        let (seen, output) = observe_calls(&mut launch, &calls);
        assert_eq!(seen.len(), calls.len(), "{}", stderr_text(&output));
        seen
    };
    let text = bench.tune("openmpi-4.1", "rules");
    assert!(!text.contains(WARNING), "{text}");
    for left_out in [
        "library:ring, library:segmented_ring:4096",
        "library:pipeline:4096",
        "library:ring",
    ] {
        let line = format!(
            "# left out as wrong for operations that do not commute (the option commutative takes them): {left_out}\n"
        );
        assert!(text.contains(&line), "{text}");
    }
    for ruled in ["basic_linear", "in-order_binary", "butterfly", "recursive_doubling"] {
        assert!(text.contains(&format!(": {ruled}, measured as ")), "{text}");
    }
    let seen = run(&text);
    assert!(seen.iter().all(|call| call.class == "done"), "{seen:#?}\n{text}");

    let text = bench.tune_with("openmpi-4.1", "rules", "--commutative");
    assert!(text.contains(WARNING) && !text.contains("left out"), "{text}");
    let seen = run(&text);
    for name in ["allreduce", "reduce", "reduce-scatter"] {
        let of_name = || calls.iter().zip(&seen).filter(|(_, call)| call.call == name);
        let is_wrong = of_name().any(|(call, seen)| call.ends_with("matrices") && seen.class == "wrong");
        assert!(is_wrong, "{name} {seen:#?}");
        assert!(of_name().all(|(call, seen)| call.ends_with("matrices") || seen.class == "done"));
    }
}

/// Algorithms that are forced together, one of each collective.
const FORCED_TOGETHER: [&[(Collective, &str)]; 5] = [
    &[
        (Collective::Allreduce, "library:rabenseifner"),
        (Collective::Reduce, "library:rabenseifner"),
        (Collective::ReduceScatterBlock, "library:recursive_halving"),
    ],
    &[
        (Collective::Allreduce, "library:ring"),
        (Collective::ReduceScatter, "library:ring"),
        (Collective::ReduceScatterBlock, "library:butterfly"),
    ],
    &[
        (Collective::Allreduce, "library:segmented_ring:64"),
        (Collective::Reduce, "library:in-order_binary"),
        (Collective::ReduceScatter, "library:butterfly"),
    ],
    &[
        (Collective::Allreduce, "library:segmented_ring"),
        (Collective::ReduceScatter, "library:recursive_halving"),
        (Collective::ReduceScatterBlock, "library:recursive_doubling"),
    ],
    // The reduce that these call is chosen by the library.
    &[
        (Collective::Allreduce, "library:nonoverlapping"),
        (Collective::ReduceScatter, "library:non-overlapping"),
        (Collective::ReduceScatterBlock, "library:basic_linear"),
    ],
];

/// The function of an algorithm of Open MPI by its name.
fn function_of(collective: Collective, algorithm: &str) -> String {
    let name = collective.to_string();
    let offers = offered_algorithms(collective);
    let mut of_open_mpi = offers.iter().filter(|offer| offer.flavour == MpiFlavour::OpenMpi);
    let offer = of_open_mpi.find(|offer| offer.name == algorithm).unwrap();
    let (_, _, _, functions) = COLLECTIVES.iter().find(|entry| entry.1 == name).unwrap();
    function(&name, functions, offer.number().into())
}

/// Starts the calls with algorithms that are forced, and further options.
fn run_forced(
    bench: &TunedHome,
    forced: &[(Collective, &str)],
    calls: &[String],
    further: &[&str],
) -> Vec<ObservedCall> {
    let variables = forced.iter().flat_map(|(collective, text)| {
        let Ok(CollectiveMethod::Library(choice)) = CollectiveMethod::parse(*collective, text) else {
            panic!("{text} is an algorithm of the library")
        };
        choice.environment(MpiFlavour::OpenMpi).unwrap()
    });
    let words = variables
        .unique()
        .flat_map(|(name, value)| ["-x".to_owned(), format!("{name}={value}")]);
    let options: Vec<String> = words.chain(further.iter().map(|word| (*word).to_owned())).collect();
    let mut launch = open_mpi(Path::new("mpirun.openmpi"), bench, RankHosts::One, &options);
    let (seen, output) = observe_calls(&mut launch, calls);
    assert_eq!(seen.len(), calls.len(), "{}", stderr_text(&output));
    seen
}

/// What runs by the functions that were called: the last of the collective, and the reduce that it calls.
fn ran(collective: Collective, path: &str) -> (Option<String>, Option<String>) {
    let prefix = format!("{}_", collective.to_string().replace('-', "_"));
    let last_of = |prefix: &str| {
        path.split('>')
            .rfind(|name| name.starts_with(prefix))
            .map(str::to_owned)
    };
    let reduce = last_of("reduce_intra_").filter(|_| collective != Collective::Reduce);
    (last_of(&prefix), reduce)
}

/// Every fallback of Open MPI's algorithms, by the functions of the library.
#[test]
fn open_mpi_runs_what_the_known_fallbacks_say() {
    let bench = TunedHome::without_profile();
    bench.compile("mpicc.openmpi", &[], "calls.c", "calls");
    let procs = Procs::new(u32::try_from(RANKS).unwrap()).unwrap();
    // Around the powers of two, the ranks and the segments of 8 doubles.
    let vectors = [0, 1, 3, 4, 5, 39, 40, 41, 320].map(|count| (count, "doubles", 8));
    let products = [0, 2, 3, 4, 5, 20, 40, 160].map(|count| (count, "matrices", 16));
    let mut fallbacks = BTreeSet::new();
    for forced in FORCED_TOGETHER {
        let all = iproduct!(forced, vectors.iter().chain(&products)).map(|((collective, text), vector)| {
            let (count, elements, length) = *vector;
            let bytes = count * length;
            // Blocks have these sizes, vectors are as many times as long.
            let is_block = *collective == Collective::ReduceScatterBlock;
            let size = if is_block { bytes * RANKS } else { bytes };
            let operator = if elements == "matrices" {
                OperatorKind::InOrder
            } else {
                OperatorKind::Predefined
            };
            let Ok(method) = CollectiveMethod::parse(*collective, text) else {
                panic!("{text}")
            };
            let case = DecisionCase {
                element: Bytes(length),
                operator,
                segment: method.segment(),
                ..DecisionCase::new(procs, Bytes(size))
            };
            let name = text.split(':').nth(1).unwrap();
            (*collective, name, case, format!("{collective}:{bytes}:{elements}"))
        });
        let cases: Vec<_> = all.collect();
        let calls: Vec<String> = cases.iter().map(|(.., call)| call.clone()).collect();
        let seen = run_forced(&bench, forced, &calls, &[]);
        for ((collective, name, case, call), seen) in cases.iter().zip(&seen) {
            let rules = LibraryDecision::of(MpiFlavour::OpenMpi, *collective).unwrap();
            let run = rules.runs_for(name, *case);
            let function = run.map(|run| function_of(*collective, run.name));
            let reduce = run.and_then(|run| Some(function_of(Collective::Reduce, run.reduce?)));
            let (ran_function, ran_reduce) = ran(*collective, &seen.path);
            assert_eq!(ran_function, function, "{name} {call} {seen:?}");
            if reduce.is_some() {
                assert_eq!(ran_reduce, reduce, "{name} {call} {seen:?}");
            }
            if let Some(other) = run.filter(|run| run.name != *name) {
                fallbacks.insert(format!("{collective} {name} > {}", other.name));
            }
        }
    }
    insta::assert_snapshot!(fallbacks.iter().join("\n"));
}

/// Fallbacks that no decision states: a vector too long for an integer, two processes alone, a segment shorter than an
/// element.
#[test]
fn open_mpi_refuses_what_no_rule_names() {
    let bench = TunedHome::without_profile();
    bench.compile("mpicc.openmpi", &[], "calls.c", "calls");
    let longest = i32::MAX as u64 / RANKS + 1;
    let calls = [
        format!("reduce-scatter-block:{longest}"),
        "barrier:0".to_owned(),
        "reduce:3200:longest".to_owned(),
        "reduce:3200:doubles".to_owned(),
    ];
    let forced = [
        (Collective::ReduceScatterBlock, "library:recursive_doubling"),
        (Collective::Barrier, "library:two_proc"),
        (Collective::Reduce, "library:binomial:31"),
    ];
    let seen = run_forced(&bench, &forced, &calls, &["-x", "NETSIG_FIRST_ONLY=1"]);
    let found = seen.iter().map(|call| (call.class.as_str(), call.path.as_str()));
    assert_eq!(
        found.collect::<Vec<_>>(),
        [
            (
                "done",
                "reduce_scatter_block_intra_recursivedoubling>reduce_scatter_block_basic_linear"
            ),
            ("failed", "barrier_intra_two_procs"),
            ("done", "reduce_intra_binomial>whole"),
            ("done", "reduce_intra_binomial>segments"),
        ]
    );
}

/// Open MPI's own rules hand 16 doubles among 48 processes on to a linear reduce and broadcast.
#[test]
fn open_mpi_hands_short_vectors_among_48_processes_on() {
    let bench = TunedHome::without_profile();
    bench.compile("mpicc.openmpi", &[], "calls.c", "calls");
    let options = ["-n", "48"].map(str::to_owned);
    let mut launch = open_mpi(Path::new("mpirun.openmpi"), &bench, RankHosts::One, &options);
    let calls = ["allreduce:128:doubles", "allreduce:256:doubles"].map(str::to_owned);
    let (seen, output) = observe_calls(&mut launch, &calls);
    let paths: Vec<&str> = seen.iter().map(|call| call.path.as_str()).collect();
    let halves = "allreduce_intra_redscat_allgather";
    let linear = "allreduce_intra_basic_linear>reduce_intra_basic_linear>bcast_intra_basic_linear";
    assert_eq!(
        paths,
        [format!("{halves}>{linear}"), halves.to_owned()],
        "{}",
        stderr_text(&output)
    );
}

/// Messages that all ranks send below and above the switch of a collective. Rank 1 serves rank 0, too, so that four ranks
/// exchange in two steps, or halve and double in four. Recursive doubling of a reduce-scatter sends 13 among 5.
#[test]
fn mpich_4_asks_each_reduction_for_its_operation_and_elements() {
    let bench = TunedHome::new("MPICH Version:\t4.0.2", MPICH);
    bench.compile("mpicc.mpich", &[], "calls.c", "calls");
    let text = bench.tune("mpich", "selection.json");
    let pairs = RANKS * (RANKS - 1);
    let mut calls = vec![("alltoall:1".to_owned(), None), ("barrier:0".to_owned(), None)];
    for (collective, measure, unit, [below, above]) in [
        ("allreduce", "avg_msg_size<=", 1, [10, 18]),
        ("reduce_scatter", "total_msg_size<=", 1, [13, pairs]),
        ("reduce_scatter_block", "total_msg_size<=", RANKS, [13, pairs]),
    ] {
        let name = collective.replace('_', "-");
        let (initial, rest) = collective.split_at(1);
        let first = format!("{}{rest}_intra_recursive_doubling", initial.to_uppercase());
        let last = switch(&text, collective, measure, &first) / unit;
        calls.push((format!("{name}:{last}"), Some(below)));
        calls.push((format!("{name}:{}", last + 1), Some(above)));
        // The library's own branch, which keeps the order of the ranks.
        calls.push((
            format!("{name}:{}:matrices", last.next_multiple_of(80) + 80),
            Some(below),
        ));
    }
    check_sent(&bench, "selection.json", &calls);

    // A reduce by halves of halves has 12 messages. The library's own branch has the tree, whose 4 messages also serve
    // three elements among five processes, products of matrices, and sizes above the rules.
    bench.tune_with("mpich", "short.json", "--size 1..1KiB");
    let calls = [
        ("alltoall:1", None),
        ("reduce:100", Some(12)),
        ("reduce:96:longest", Some(4)),
        ("reduce:128:longest", Some(12)),
        ("reduce:128:matrices", Some(4)),
        ("reduce:1024", Some(12)),
        ("reduce:1025", Some(4)),
    ];
    check_sent(&bench, "short.json", &calls.map(|(call, sent)| (call.to_owned(), sent)));
}

/// Checks that calls under a selection file are right, and the number of messages of all ranks.
fn check_sent(bench: &TunedHome, selection: &str, calls: &[(String, Option<u64>)]) {
    let named: Vec<String> = calls.iter().map(|(call, _)| call.clone()).collect();
    let (found, output) = observe_calls(&mut mpich(bench, selection), &named);
    assert_eq!(found.len(), calls.len(), "{}", stderr_text(&output));
    for ((call, sent), seen) in calls.iter().zip(&found) {
        assert_eq!(seen.class, "done", "{call} {found:#?}");
        assert!(sent.is_none_or(|sent| sent == seen.sent_by_all), "{call} {found:#?}");
    }
}
