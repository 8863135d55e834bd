//! Output of `fit`, `compare` and `predict` for data of known truth: known truths are found, impossible data are
//! refused unless forced, and doubtful data cause a warning.

use std::fmt::Write;

use crate::support::{
    ON_SIMULATOR, PLAN, PrintedRow, TestHome, number, parse_csv, printed_rows, stderr_text, with_changed_times,
};
use itertools::Itertools as _;

/// A data file with further `columns`; each cell is its columns and its times.
fn data_file(columns: &str, cells: impl IntoIterator<Item = (String, Vec<f64>)>) -> String {
    let place = "launch,experiment,collective,algorithm,procs,size_bytes";
    let mut text = format!("{place},{columns}repetition,time_s\n");
    for (cell, times) in cells {
        for (repetition, time) in times.iter().enumerate() {
            writeln!(text, "0,{cell},{repetition},{time:e}").unwrap();
        }
    }
    text
}

/// Times within 1 % of `time`.
fn times_about(time: f64, repetitions: u32) -> Vec<f64> {
    let error = |i: u32| 0.002 * (f64::from(i * 7 % 11) - 5.0);
    (0..repetitions).map(|i| time * (1.0 + error(i))).collect()
}

/// b, X, c and D of the regimes; γ is 1.1 below the eager limit and 1.6 from there on.
const STARTUP: f64 = 2e-5;
const OVERFLOW: f64 = 216_000.0;
const RATE: f64 = 0.01;
const TIMEOUT: f64 = 0.2;
const EAGER_LIMIT: u64 = 65536;

/// T₀ of an exchange, with β = 10 ns/B and 96 bytes of headers.
fn typical_time(n: u32, size: u64) -> f64 {
    let gamma = if size < EAGER_LIMIT { 1.1 } else { 1.6 };
    f64::from(n - 1) * (STARTUP + gamma * 1e-8 * (size as f64 + 96.0))
}

/// The probability that a repetition stalls.
fn stall_probability(n: u32, size: u64) -> f64 {
    let others = f64::from(n - 1);
    let port_bytes = others * size as f64;
    let share = 1.0 / (1.0 + (1.1 * OVERFLOW / port_bytes).powi(16));
    match size {
        EAGER_LIMIT.. => 0.0,
        _ => 1.0 - (-RATE * f64::from(n) * others * share).exp(),
    }
}

/// All-to-alls with their share of stalls, and other collectives without.
fn regimes_data() -> String {
    let sizes = || (8..=19).flat_map(|power| [1u64 << power, 3 << (power - 1)]);
    let pair = |size| {
        let jump = if size < EAGER_LIMIT { 0.0 } else { 1.5e-4 };
        let time = 1e-4 + 1e-8 * size as f64 + jump;
        (format!("pingpong,,,2,{size}"), times_about(time, 60))
    };
    let pairs = [0, 1].into_iter().chain(sizes()).map(pair);
    let cells = sizes().flat_map(|size| [4, 6, 8].map(|n| (n, size)));
    let exchange = |(n, size)| {
        let mut times = times_about(typical_time(n, size), 60);
        for (i, time) in (0..).zip(&mut times) {
            if (f64::from(i * 17 % 60) + 0.5) / 60.0 < stall_probability(n, size) {
                *time += TIMEOUT * (0.95 + 0.01 * f64::from(i % 11));
            }
        }
        (format!("collective,alltoall,direct,{n},{size}"), times)
    };
    let other_algorithms = [
        "allgather,ring",
        "scatter,binomial",
        "bcast,binary-segmented:1024",
        "bcast,pipeline:256",
    ];
    let other_cells = cells.clone().flat_map(|(n, size)| {
        other_algorithms.map(|who| {
            (
                format!("collective,{who},{n},{size}"),
                times_about(typical_time(n, size), 4),
            )
        })
    });
    data_file("", pairs.chain(cells.map(exchange)).chain(other_cells))
}

/// Predictions for more processes match the truth; predictions too far away are refused. Two in five repetitions stall
/// among eight at 48 KiB, so quantiles are far apart.
#[test]
fn regimes_are_found_and_predicted() {
    let home = TestHome::new();
    home.write("data.csv", &regimes_data());
    let stalled = |row: &[String], time| match (&*row[4], &*row[5]) {
        ("8", "49152") => 0.25,
        _ => time,
    };
    home.write("stalled.csv", &with_changed_times(&regimes_data(), stalled));
    let warning =
        "1 cell stalled in every repetition, until a tail-loss probe or a time-out of TCP (first: 8 processes, 48 KiB)";
    let told = home.stderr_of(&["fit stalled.csv -o p.toml"]);
    assert!(told.contains(warning), "{told}");
    let of = "predict p.toml --collective";
    let told = home.transcript(&[
        "fit data.csv -o p.toml",
        &format!("{of} alltoall --procs 12 --size 1KiB,8KiB,128KiB,512KiB"),
        &format!("{of} alltoall --procs 8 --size 48KiB --quantile 0.05"),
        &format!("{of} alltoall --procs 8 --size 48KiB --quantile 0.5"),
        &format!("{of} alltoall --procs 8 --size 48KiB --quantile 0.95"),
        &format!("{of} alltoall --procs 8 --size 48KiB --statistic median"),
        &format!("{of} alltoall --procs 8 --size 48KiB --statistic mean"),
        &format!("{of} alltoall --procs 8,33 --size 1KiB"),
        &format!("{of} alltoall --procs 8,33 --size 1KiB --extrapolate"),
        &format!("{of} alltoall --procs 33 --size 1KiB --model hockney"),
        &format!("{of} alltoall --procs 8 --size 1KiB,4MiB"),
        &format!("{of} allgather --procs 8 --size 1KiB"),
        &format!("{of} allgather --procs 8 --size 1KiB --algorithm bruck"),
        &format!("{of} scatter --procs 8 --size 1KiB"),
        &format!("{of} scatter --procs 8 --size 1KiB --algorithm binomial"),
        &format!("{of} scatter --procs 8 --size 1KiB --model binomial"),
        &format!("{of} bcast --procs 8 --size 1KiB --algorithm pipeline:segment=256B"),
    ]);
    insta::assert_snapshot!(told);
}

/// 100 us and 0.2 us a byte. All-to-alls of 4 take 1.5 times as long as without contention and, from
/// 64 KiB on, 0.3 s more, with a timer that expires in each.
fn stalling_data() -> String {
    let one_way = |size: u32| 1e-4 + 2e-7 * f64::from(size);
    let cells = (0..11).flat_map(|power| {
        let size = 512 << power;
        let stall = u32::from(size >= 65536);
        let all = 4.5 * one_way(size) + 0.3 * f64::from(stall);
        let exchange = format!("collective,alltoall,direct,4,{size},{stall}");
        let pair = format!("pingpong,,,2,{size},0");
        [(pair, times_about(one_way(size), 3)), (exchange, times_about(all, 3))]
    });
    data_file("rtos,", cells)
}

/// Without provenance, the ping-pong and times that a link does not allow show another time unit or another network.
#[test]
fn impossible_and_doubtful_data_are_told() {
    let home = TestHome::new();
    let text = stalling_data();
    let lines_without = |experiment: &str| -> String {
        let lines = text.split_inclusive('\n');
        lines.filter(|line| !line.contains(experiment)).collect()
    };
    let alltoalls = |change: fn(f64, f64) -> f64| {
        with_changed_times(&text, |row, time| match &*row[1] {
            "collective" => change(row[5].parse().unwrap(), time),
            _ => time,
        })
    };
    home.write("a.csv", &text);
    home.write("shared.csv", &format!("#@placement=a:2,b:2\n{text}"));
    home.write("fast.csv", &with_changed_times(&text, |_, time| time / 100.0));
    home.write("alltoalls.csv", &lines_without("pingpong"));
    home.write("pairs.csv", &lines_without("0,collective,"));
    home.write("wrong.csv", &alltoalls(|_, time| time * 1e-3));
    home.write("falling.csv", &alltoalls(|size, _| 10.0 / size));
    let mut table = "# OSU MPI Latency Test v7.3\n# Size          Latency (us)\n".to_owned();
    table.extend((4..20).map(|power| format!("{0} {0}.0\n", 1 << power)));
    home.write("one-p2.txt", &table);
    home.write("two-p2.txt", &table.replace(".0\n", "00.0\n"));
    home.run("import osu one-p2.txt two-p2.txt -o tables.csv");
    let before = home.files();
    let told = home.transcript(&[
        "fit tables.csv -o p.toml",
        "fit a.csv fast.csv -o p.toml",
        "fit alltoalls.csv fast.csv -o p.toml",
        "fit a.csv wrong.csv -o p.toml",
        "compare wrong.csv",
        "fit falling.csv -o p.toml --force",
    ]);
    insta::assert_snapshot!(told);
    assert!(before == home.files(), "nothing is written");
    let told = home.stderr_of(&[
        "fit a.csv -o p.toml",
        "fit a.csv alltoalls.csv -o p.toml",
        "fit a.csv fast.csv -o p.toml --force",
        "fit alltoalls.csv pairs.csv -o p.toml",
        "fit pairs.csv -o p.toml",
        "fit shared.csv -o p.toml --force",
        "fit wrong.csv -o p.toml --force",
    ]);
    insta::assert_snapshot!(told);
}

/// Ping-pongs of 60 us + 10 ns/B with pLogP, an eager limit of 64 KiB and two loads of transfers.
fn point_to_point_data() -> String {
    let tables = [0].into_iter().chain((0..=20).map(|i| 1u64 << i)).flat_map(|size| {
        let late = if size < EAGER_LIMIT { 0.0 } else { 1.8e-4 };
        let time = 1e-8 * size as f64 + late;
        [
            ("pingpong", 2, size, 60e-6 + time),
            ("round_trip", 2, size, 120e-6 + time),
            ("send_overhead", 2, size, 5e-6 + time / 2.0),
            ("receive_overhead", 2, size, 6e-6),
        ]
    });
    let rest = [
        ("gap", 2, 0, 1e-5),
        ("flow", 2, 1 << 25, 0.3),
        ("flow", 4, 1 << 25, 0.6),
    ];
    let cell = |(experiment, procs, size, time)| (format!("{experiment},,,{procs},{size}"), times_about(time, 11));
    let eager = "#@mpi_btl_tcp_eager_limit=65536\n";
    eager.to_owned() + &data_file("", tables.chain(rest).map(cell))
}

#[test]
fn pairs_are_reported_in_lines_and_rows() {
    let home = TestHome::new();
    home.write("pairs.csv", &point_to_point_data());
    let told = home.transcript(&["fit pairs.csv -o p.toml"]);
    insta::assert_snapshot!(told);
    let limits = "[protocol]\neager_above_bytes = 32768\neager_up_to_bytes = 65536\n";
    assert!(home.read("p.toml").contains(limits));
    let rows = home.run("fit pairs.csv -o p.toml --format csv");
    assert!(rows.contains(",plogp,send_overhead_s@1024,"), "{rows}");
}

/// The mean over ranks is the last resort, and a note states its use.
#[test]
fn numbers_of_other_programs_are_fitted_and_named() {
    let home = TestHome::new();
    let cells = (0..=20).flat_map(|power| {
        let time = 5e-5 + 1e-8 * f64::from(1 << power);
        let pair = (format!("pingpong,,,2,{},mean", 1 << power), vec![time]);
        let all = [4, 8].map(|procs| {
            [("min", 0.5), ("mean", 0.9), ("max", 1.0)].map(|(statistic, share)| {
                let place = format!("collective,alltoall,library,{procs},{}", 1 << power);
                let time = f64::from(procs - 1) * time * 1.5 * share;
                (format!("{place},{statistic}-over-ranks"), vec![time])
            })
        });
        all.into_iter().flatten().chain([pair])
    });
    home.write("imported.csv", &data_file("statistic,", cells));
    let told = home.stderr_of(&[
        "fit imported.csv -o p.toml",
        "compare imported.csv",
        "predict p.toml --collective alltoall --procs 8 --size 1KiB --quantile 0.9 --model regimes",
    ]);
    insta::assert_snapshot!(told);
}

/// For a rooted collective a mean over the ranks is shorter than the operation, unlike a maximum. `fit` and `select`
/// each state this once.
#[test]
fn means_of_rooted_collectives_are_doubted() {
    let table = |collective: &str, column: &str| {
        let lines = (0..10).map(|power| format!("{}  {}.5 9.0 300 1000\n", 1 << power, 10 + power));
        let head = format!("# OSU MPI {collective} Latency Test v7.4\n# Size  Avg Latency(us)");
        let rows: String = lines.collect();
        match column {
            "" => format!("{head}\n{}", rows.replace(" 9.0 300 1000", "")),
            _ => format!("{head}  Min Latency(us)  Max Latency(us)  Iterations\n{rows}"),
        }
    };
    let warnings = |collective: &str, column: &str| {
        let home = TestHome::new();
        for count in [4, 8] {
            home.write(&format!("p{count}.txt"), &table(collective, column));
        }
        let select = format!(
            "select p.toml --collective {} --procs 8 --size 64",
            collective.to_lowercase()
        );
        let told = home.stderr_of(&[
            "import osu p4.txt p8.txt -o data.csv",
            "fit data.csv -o p.toml",
            &select,
        ]);
        told.matches("leaves leave before the last rank is done").count()
    };
    assert_eq!(warnings("Gather", ""), 2);
    assert_eq!(warnings("Gather", "maximum"), 0);
    assert_eq!(warnings("Allgather", ""), 0);
}

/// The rules of a library take several algorithms, each with a section of the profile, which `predict` reads. Open MPI
/// 4.1 changes at 512 KiB among fewer than 8 processes, and between 3 and 4 processes where sizes differ.
#[test]
fn profiles_of_a_library_s_own_choices_are_read() {
    let home = TestHome::new();
    let collectives = ["alltoall", "alltoallv", "bcast"];
    let sizes = || [0, 1].into_iter().chain((8..=20).map(|power| 1u64 << power));
    for mpi in ["Open MPI v4.1.4", "Open MPI v5.0.7", "MPICH Version:\t4.0.2"] {
        let pair = |size| {
            let time = 1e-4 + 1e-8 * size as f64;
            (format!("pingpong,,,2,{size}"), times_about(time, 5))
        };
        let counts = sizes().flat_map(|size| [3, 4, 6, 8].map(|n| (n, size)));
        let call = |((n, size), collective)| {
            let cell = format!("collective,{collective},library,{n},{size}");
            (cell, times_about(typical_time(n, size), 5))
        };
        let calls = counts.cartesian_product(collectives).map(call);
        let data = data_file("", sizes().map(pair).chain(calls));
        home.write("data.csv", &format!("#@mpi={mpi}\n{data}"));
        home.run("fit data.csv -o p.toml");
        for collective in collectives {
            let case = format!("--collective {collective} --algorithm library --procs 3,6");
            home.run(&format!("predict p.toml {case} --size 1KiB,768KiB"));
        }
    }
}

/// An all-to-all of one size has no signature, with or without a broadcast beside it: a note states this, and the field
/// predicts it. One cell alone cannot be fitted.
#[test]
fn an_all_to_all_of_one_size_is_fitted() {
    let home = TestHome::new();
    let pair = |size: u64| {
        let time = 1e-4 + 1e-8 * size as f64;
        (format!("pingpong,,,2,{size}"), times_about(time, 5))
    };
    let call = |what: &str, (n, size)| {
        let cell = format!("collective,{what},{n},{size}");
        (cell, times_about(typical_time(n, size), 5))
    };
    let sizes = || (8..=18).step_by(2).map(|power| 1u64 << power);
    let pairs = || sizes().map(pair);
    let few = || [3, 4, 6].map(|n| call("alltoall,direct", (n, 1 << 14)));
    let calls = sizes().flat_map(|size| [3, 4, 6].map(|n| call("bcast,library", (n, size))));
    home.write("few.csv", &data_file("", pairs().chain(few())));
    home.write("both.csv", &data_file("", pairs().chain(few()).chain(calls)));
    home.write("one.csv", &data_file("", pairs().chain(few().into_iter().take(1))));
    home.assert_refused(
        "fit one.csv -o p.toml",
        3,
        ["one.csv: alltoall direct", "measure more sizes"],
    );
    for data in ["few", "both"] {
        let told = home.stderr_of(&[&format!("fit {data}.csv -o p.toml")]);
        assert!(told.contains("not fitted: alltoall direct signature"), "{told}");
        let warning = "alltoall direct: 16 KiB is the only size, so that others are predicted with a wide interval";
        assert!(told.contains(warning), "{told}");
        let case = "predict p.toml --collective alltoall --procs 8 --size 16KiB,64KiB --format csv";
        let (_, rows) = parse_csv(&home.run(case));
        for (row, size) in rows.iter().zip([1 << 14, 1 << 16]) {
            let [lower, upper] = ["lower_s", "upper_s"].map(|key| number(row, key));
            let truth = typical_time(8, size);
            assert!(lower < truth && truth < upper, "{row:?}: {truth}");
        }
        // A size that was not measured is much less sure.
        let width = |row: &PrintedRow| number(row, "upper_s") / number(row, "lower_s");
        assert!(width(&rows[1]) > 1.5 * width(&rows[0]), "{rows:?}");
    }
    home.run("predict p.toml --collective bcast --algorithm library --procs 6 --size 1KiB");
}

/// A network with another name may be another network: its times decide, also times of algorithms that the profile was
/// not fitted to. Another MPI is always refused.
#[test]
fn a_profile_of_another_network_or_mpi_is_refused() {
    let home = TestHome::new();
    let sizes = || (8..=18).step_by(2).map(|power| 1u64 << power);
    let data = |facts: &str, names: &[&str]| {
        let pairs = sizes().map(|size| {
            let time = 1e-4 + 1e-8 * size as f64;
            (format!("pingpong,,,2,{size}"), times_about(time, 5))
        });
        let cells = names.iter().cartesian_product(sizes());
        let calls = cells.flat_map(|(name, size)| {
            [3, 4, 6].map(|n| {
                let cell = format!("collective,bcast,{name},{n},{size}");
                (cell, times_about(1e-4 + typical_time(2, size), 5))
            })
        });
        format!("{facts}\n{}", data_file("", pairs.chain(calls)))
    };
    let unknown = ["pipeline:512", "pipeline:16384"];
    home.write("known.csv", &data("#@lab=one\n#@mpi=a", &["pipeline:1024"]));
    home.write("judged.csv", &data("#@lab=two\n#@mpi=a", &unknown));
    home.write("other.csv", &data("#@lab=one\n#@mpi=b", &unknown));
    home.run("fit known.csv -o p.toml");
    let compare = |data: &str| home.stderr_of(&[&format!("compare {data} --selection p.toml")]);
    let told = compare("judged.csv");
    assert!(told.contains("of another network: lab is"), "{told}");
    let told = compare("other.csv");
    assert!(told.contains("of another network or setting: mpi is"), "{told}");
}

/// The repetitions of either file count: the interval of beta shrinks.
#[test]
fn files_are_fitted_together() {
    let home = TestHome::measured();
    home.write("other.toml", &PLAN.replace("seed = 20", "seed = 21"));
    home.run(&format!("measure other.toml -o more.csv {ON_SIMULATOR}"));
    let half_width = |files: &str| {
        let fitted = printed_rows(&home, &format!("fit {files} -o p.toml --model signature"));
        let beta_row = fitted.iter().find(|row| row["parameter"] == "beta_s_per_byte");
        let beta = beta_row.unwrap();
        (number(beta, "upper") - number(beta, "lower")) / 2.0
    };
    assert!(half_width("data.csv") > half_width("data.csv more.csv"));
    let profile = home.read("p.toml");
    for fact in [
        "= \"data.csv, more.csv\"",
        "data_seed = \"20\"",
        "data_file_2_seed = \"21\"",
    ] {
        assert!(profile.contains(fact), "{fact}: {profile}");
    }
}

/// In a ping-pong of several process counts each size counts once, so `predict` can read the profile that `fit` writes.
/// Data of another program whose ranks shared hosts are fitted with a warning; measured ones are refused.
#[test]
fn odd_pairs_and_imported_hosts_are_fitted() {
    let home = TestHome::measured();
    let data = home.read("data.csv");
    let header = data.lines().find(|line| line.starts_with("experiment")).unwrap();
    let blank = ",".repeat(header.split(',').count() - 8);
    home.write("odd.csv", &format!("{data}pingpong,,,2000,64,0,0,0.0003{blank}\n"));
    home.run("fit odd.csv -o odd.toml");
    home.run("predict odd.toml --collective alltoall --procs 8 --size 1KiB");
    let shared = "#@placement=a:2,b:2\n#@imported_from=osu 7.0\n";
    let lines = data.lines().filter(|line| !line.starts_with('#'));
    let rows = lines.collect::<Vec<_>>().join("\n") + "\n";
    home.write("shared.csv", &format!("{shared}{rows}"));
    let output = home.netsig("fit shared.csv -o shared.toml").output().unwrap();
    let converted = shared.replace("imported_from", "converted_from");
    home.write("converted.csv", &format!("{converted}{rows}"));
    home.run("fit converted.csv -o converted.toml");
    let case = "shared.toml --collective alltoall --procs 3,8 --size 1KiB";
    let refusal = [
        "shared.toml: was measured with 2 ranks on a host, which does not tell the times of 4",
        "measure with --ppn 4 and fit again, or leave out --ppn",
    ];
    for command in ["predict", "select"] {
        let told = home.stderr_of(&[&format!("{command} {case} --ppn 2")]);
        let note = "note: the times are those of 2 ranks on a host, as was measured";
        assert!(told.contains(note), "{told}");
        home.assert_refused(&format!("{command} {case} --ppn 4"), 3, refusal);
    }
    let warning = "netsig: warning: shared.csv: 2 ranks shared host a";
    assert!(
        output.status.success() && stderr_text(&output).contains(warning),
        "{}",
        stderr_text(&output)
    );
    home.write("measured.csv", &format!("{shared}#@started_unix_s=1\n{rows}"));
    home.assert_refused(
        "fit measured.csv -o measured.toml",
        3,
        ["measured.csv: 2 ranks shared host a", "or give --force"],
    );
    // The terminal states the error of the parameters of LogGOPSim.
    let output = home
        .netsig("tune odd.toml --for loggopsim -o options")
        .output()
        .unwrap();
    assert!(
        stderr_text(&output).contains("the time of one message in LogGOPSim is up to"),
        "{}",
        stderr_text(&output)
    );
}
