//! What users rely on where regimes are fitted and predicted: known truths come out, the simplest
//! model that suffices is taken, and what is too far from the data is refused.

mod support;

use std::fmt::Write;

use support::{Home, Row, number, retimed, said, table};

const HEADER: &str =
    "experiment,collective,algorithm,procs,size_bytes,repetition,launch,time_s,part,statistic";

/// α and β of the ping-pong, in seconds and seconds per byte.
const ALPHA: f64 = 1e-4;
const BETA: f64 = 1e-8;

/// b: start-ups of successive messages overlap.
const STARTUP: f64 = 2e-5;
const EAGER_LIMIT: u64 = 65536;
const GAMMA_EAGER: f64 = 1.1;
const GAMMA_RENDEZVOUS: f64 = 1.6;

/// h.
const HEADERS: f64 = 96.0;

/// X, c and D.
const OVERFLOW: f64 = 81_920.0;
const RATE: f64 = 0.01;
const TIMEOUT: f64 = 0.2;

const REPETITIONS: u32 = 60;

/// Numbers of [0, 1) that look random.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        let step = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = step.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f64 / f64::from(1 << 24)
    }
}

/// T₀ of an all-to-all.
fn typical(n: u32, size: u64) -> f64 {
    let others = f64::from(n - 1);
    let gamma = if size < EAGER_LIMIT {
        GAMMA_EAGER
    } else {
        GAMMA_RENDEZVOUS
    };
    others * STARTUP + gamma * BETA * others * (size as f64 + HEADERS)
}

/// The probability that a repetition stalls.
fn stalls(n: u32, size: u64) -> f64 {
    let count = f64::from(n);
    let surge = (count - 1.0).sqrt() * size as f64;
    let share = 1.0 / (1.0 + (OVERFLOW / surge).powi(6));
    match size {
        EAGER_LIMIT.. => 0.0,
        _ => 1.0 - (-RATE * count * (count - 1.0) * share).exp(),
    }
}

fn sizes() -> impl Iterator<Item = u64> {
    (8..=19).flat_map(|power| [1u64 << power, 3 << (power - 1)])
}

/// Ping-pongs, and all-to-alls of 4, 6 and 8 that follow the truth of this file; `others` do so
/// without stalls.
fn in_regimes(others: &[&str]) -> String {
    let mut text = format!("{HEADER}\n");
    let mut noise = Noise(7);
    for size in [0, 1].into_iter().chain(sizes()) {
        let jump = if size < EAGER_LIMIT { 0.0 } else { 1.5e-4 };
        for repetition in 0..REPETITIONS {
            let time = (ALPHA + BETA * size as f64 + jump) * (0.99 + 0.02 * noise.next());
            writeln!(text, "pingpong,,,2,{size},{repetition},0,{time},,").unwrap();
        }
    }
    for (size, n) in sizes().flat_map(|size| [4, 6, 8].map(|n| (size, n))) {
        let mut row = |who: &str, repetition, stall: f64| {
            let mut time = typical(n, size) * (0.99 + 0.02 * noise.next());
            if noise.next() < stall {
                time += TIMEOUT * (0.95 + 0.1 * noise.next());
            }
            let place = format!("{who},{n},{size},{repetition}");
            writeln!(text, "collective,{place},0,{time},,").unwrap();
        };
        for repetition in 0..REPETITIONS {
            row("alltoall,direct", repetition, stalls(n, size));
        }
        for (other, repetition) in others.iter().flat_map(|o| (0..4).map(move |r| (o, r))) {
            row(other, repetition, 0.0);
        }
    }
    text
}

fn fitted() -> Home {
    let home = Home::new();
    home.write("data.csv", &in_regimes(&[]));
    home.does("fit data.csv -o profile.toml");
    home
}

fn rows(home: &Home, arguments: &str) -> Vec<Row> {
    table(&home.does(&format!("{arguments} --format csv"))).1
}

const OF: &str = "predict profile.toml --collective alltoall";

#[test]
fn a_known_truth_comes_out_and_predicts_more_processes() {
    let home = Home::new();
    home.write("data.csv", &in_regimes(&[]));
    let output = home
        .netsig("fit data.csv -o profile.toml --format csv")
        .output()
        .unwrap();
    let message = said(&output);
    assert!(output.status.success(), "{message}");
    for part in [
        "alltoall direct: ",
        "below the eager limit of 64 KiB",
        "overflows from",
    ] {
        assert!(message.contains(part), "{part:?} is not in {message}");
    }
    let (_, parameters) = table(&String::from_utf8_lossy(&output.stdout));
    for (name, truth, tolerance) in [
        ("startup_s", STARTUP, 0.05),
        ("gamma_eager", GAMMA_EAGER, 0.03),
        ("gamma_rendezvous", GAMMA_RENDEZVOUS, 0.03),
        ("eager_limit_bytes", EAGER_LIMIT as f64, 1e-9),
        ("overflow_bytes", OVERFLOW, 0.2),
        ("stall_eager_s", TIMEOUT, 0.03),
    ] {
        let is_own = |row: &&Row| row["model"] == "regimes" && row["parameter"] == name;
        let row = parameters.iter().find(is_own).expect(name);
        let value = number(row, "value");
        assert!((value / truth - 1.0).abs() < tolerance, "{row:?}");
    }
    for size in [1024, 8192, 131_072, 524_288] {
        let row = &rows(&home, &format!("{OF} --procs 12 --size {size}"))[0];
        assert_eq!(
            [&row["model"], &row["standing"]],
            ["regimes", "extrapolated"]
        );
        let [lower, time, upper] = ["lower_s", "time_s", "upper_s"].map(|key| number(row, key));
        let truth = typical(12, size);
        assert!((time / truth - 1.0).abs() < 0.05, "{truth} {row:?}");
        assert!(lower < truth && truth < upper, "{truth} {row:?}");
    }
}

/// Without counters of losses, too.
#[test]
fn a_cell_that_only_stalled_is_named() {
    let home = Home::new();
    let stalled = |row: &[String], time| match [&*row[1], &row[3], &row[4]] {
        ["alltoall", "8", "49152"] => 0.25,
        _ => time,
    };
    home.write("data.csv", &retimed(&in_regimes(&[]), stalled));
    let output = home
        .netsig("fit data.csv -o profile.toml")
        .output()
        .unwrap();
    let message = said(&output);
    assert!(output.status.success(), "{message}");
    let warning = "1 cell waited for a time-out in every repetition (first: 8 processes, 48 KiB)";
    assert!(message.contains(warning), "{message}");
}

/// Two in five repetitions stall among eight at 48 KiB, so quantiles are far apart.
#[test]
fn quantiles_ascend_and_the_mean_carries_the_stalls() {
    let home = fitted();
    let of = format!("{OF} --procs 8 --size 48KiB");
    let levels = [0.05, 0.25, 0.5, 0.75, 0.95];
    let quantile = |level: f64| {
        let row = &rows(&home, &format!("{of} --quantile {level}"))[0];
        number(row, "time_s")
    };
    let times = levels.map(quantile);
    assert!(
        times.is_sorted() && times[4] - times[0] > 0.9 * TIMEOUT,
        "{times:?}"
    );
    let [median, mean] = ["median", "mean"].map(|statistic| {
        number(
            &rows(&home, &format!("{of} --statistic {statistic}"))[0],
            "time_s",
        )
    });
    assert!((median / times[2] - 1.0).abs() < 1e-12);
    let truth = typical(8, 49152) + stalls(8, 49152) * TIMEOUT;
    assert!((mean / truth - 1.0).abs() < 0.2, "{mean} {truth}");
}

#[test]
fn what_is_too_far_from_the_data_is_refused() {
    let home = fitted();
    for (arguments, why) in [
        (
            "--procs 8,33 --size 1KiB",
            "among 33 processes with 1 KiB is outside of",
        ),
        (
            "--procs 8 --size 1KiB,4MiB",
            "more than 4 times the 768 KiB",
        ),
    ] {
        let command = format!("{OF} {arguments} --format csv");
        for (command, code, rows) in [(format!("{command} --extrapolate"), 0, 2), (command, 3, 1)] {
            let output = home.netsig(&command).output().unwrap();
            let message = said(&output);
            assert_eq!(output.status.code(), Some(code), "{message}");
            assert!(message.contains(why), "{message}");
            assert_eq!(message.lines().count(), 1, "{message}");
            let (_, got) = table(&String::from_utf8_lossy(&output.stdout));
            let is_outside = got.iter().map(|row| row["standing"] == "outside");
            assert_eq!(is_outside.collect::<Vec<bool>>(), [false, true][..rows]);
        }
    }
    home.does(&format!("{OF} --procs 33 --size 1KiB --model hockney"));
}

/// What follows a pattern stands with its regimes beside the algorithms that were not measured, and
/// what follows none is named.
#[test]
fn every_measured_collective_is_predicted() {
    let home = Home::new();
    let others = [
        "allgather,ring",
        "scatter,binomial",
        "bcast,knomial:4",
        "bcast,pipeline:256",
    ];
    home.write("data.csv", &in_regimes(&others));
    let output = home
        .netsig("fit data.csv -o profile.toml")
        .output()
        .unwrap();
    let note = "note: nothing is fitted to bcast knomial:4\n";
    assert!(said(&output).contains(note), "{}", said(&output));
    let of = |collective: &str, rest: &str| {
        let cell = "--procs 8 --size 1KiB";
        rows(
            &home,
            &format!("predict profile.toml --collective {collective} {cell} {rest}"),
        )
    };
    let ring = of("allgather", "");
    assert_eq!(ring.len(), 1);
    assert_eq!(
        [&ring[0]["algorithm"], &ring[0]["model"]],
        ["ring", "regimes"]
    );
    let truth = typical(8, 1024);
    assert!((number(&ring[0], "time_s") / truth - 1.0).abs() < 0.05);
    let scatters = of("scatter", "");
    let measured = scatters
        .iter()
        .filter(|row| row["model"] == "regimes")
        .count();
    assert_eq!([scatters.len(), measured], [3, 1]);
    assert_eq!(of("scatter", "--algorithm binomial")[0]["model"], "regimes");
    assert_eq!(of("scatter", "--model binomial")[0]["model"], "binomial");
    assert_eq!(of("scatter", "--algorithm flat")[0]["model"], "flat");
    let pipeline = &of("bcast", "--algorithm pipeline:segment=256B")[0];
    assert_eq!(
        [&pipeline["algorithm"], &pipeline["model"]],
        ["pipeline:256", "regimes"]
    );
    home.refuses(
        "predict profile.toml --collective allgather --algorithm bruck --procs 8 --size 1KiB",
        3,
        [
            "profile.toml: has no regimes of allgather bruck, only of ring",
            "measure and fit it",
        ],
    );
}
