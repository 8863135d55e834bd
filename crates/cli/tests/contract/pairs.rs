//! What `netsig fit` says of pairs, and of numbers that other programs computed.

use std::fmt::Write as _;

use crate::support::Home;

const HEADER: &str =
    "experiment,collective,algorithm,procs,size_bytes,repetition,launch,time_s,part,statistic";

/// A ping-pong with pLogP, an eager limit of 64 KiB and two loads of transfers.
fn pairs() -> String {
    let mut text = format!("#@mpi_btl_tcp_eager_limit=65536\n{HEADER}\n");
    let mut push = |experiment: &str, procs: u32, size: u64, time: f64| {
        for repetition in 0..10 {
            let time = time * (1.0 + 1e-3 * f64::from((repetition * 7) % 10 - 4));
            writeln!(
                text,
                "{experiment},,,{procs},{size},{repetition},0,{time},,"
            )
            .unwrap();
        }
    };
    for size in [0].into_iter().chain((0..=20).map(|i| 1u64 << i)) {
        let late = if size >= 65536 { 1.8e-4 } else { 0.0 };
        let time = 1e-8 * size as f64 + late;
        push("pingpong", 2, size, 60e-6 + time);
        push("round_trip", 2, size, 120e-6 + time);
        push("send_overhead", 2, size, 5e-6 + time / 2.0);
        push("receive_overhead", 2, size, 6e-6);
    }
    push("gap", 2, 0, 1e-5);
    push("flow", 2, 1 << 25, 0.3);
    push("flow", 4, 1 << 25, 0.6);
    text
}

#[test]
fn a_fit_reports_pairs_in_lines_and_rows() {
    let home = Home::new();
    home.write("pairs.csv", &pairs());
    let output = home
        .netsig("fit pairs.csv -o p.toml --format csv")
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    for line in [
        "eager limit between 32 KiB and 64 KiB: the ping-pong changes by +180 us (rendezvous); os changes by +90",
        " there; configured: mpi_btl_tcp_eager_limit = 65536 bytes",
        "pLogP: L = 50.0 us, 22 sizes of g up to 1 MiB",
        "pLogP and the ping-pong agree in alpha, beta and g: 22 of 22 sizes",
        "  up to 1 KiB: 12 of 12 sizes agree",
        "  above 1 KiB: 10 of 10 sizes agree",
        "saturated from 1 pairs on",
    ] {
        assert!(said.contains(line), "{line} in {said}");
    }
    let profile = home.read("p.toml");
    assert!(profile.contains("[protocol]\neager_above_bytes = 32768\neager_up_to_bytes = 65536\n"));
    let rows = String::from_utf8(output.stdout).unwrap();
    for row in [
        ",pingpong,jump_s@65536,0.00018",
        ",pingpong,eager_limit_above_bytes,32768.0,,,pieces",
        ",pingpong,eager_limit_up_to_bytes,65536.0,,,pieces",
        ",plogp,latency_s,",
        ",plogp,send_overhead_s@1024,",
        ",flows,saturated_pairs,1.0,,,throughput",
    ] {
        assert!(rows.contains(row), "{row} in {rows}");
    }
    let table = home.does("fit pairs.csv -o p.toml");
    assert!(
        table.contains("latency_s") && !table.contains("send_overhead_s@"),
        "{table}"
    );
}

/// The mean over ranks is the last resort, and that it stands for a cell is said.
#[test]
fn numbers_of_other_programs_are_fitted_and_named() {
    let home = Home::new();
    let mut text = format!("{HEADER}\n");
    for size in (0..=20).map(|i| 1u64 << i) {
        let time = 5e-5 + 1e-8 * size as f64;
        writeln!(text, "pingpong,,,2,{size},0,0,{time},,mean").unwrap();
        for (procs, factor) in [(4, 1.5), (8, 1.5)] {
            let time = f64::from(procs - 1) * time * factor;
            for (statistic, share) in [
                ("min-over-ranks", 0.5),
                ("mean-over-ranks", 0.9),
                ("max-over-ranks", 1.0),
            ] {
                let time = time * share;
                writeln!(
                    text,
                    "collective,alltoall,library,{procs},{size},0,0,{time},,{statistic}"
                )
                .unwrap();
            }
        }
    }
    home.write("imported.csv", &text);
    let output = home.netsig("fit imported.csv -o p.toml").output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("42 max-over-ranks, 21 mean"), "{said}");
    assert!(
        said.contains("takes 1.50 times its contention-free time"),
        "{said}"
    );
    assert!(home.does("compare imported.csv").contains("signature"));
    let quantile = "predict p.toml --collective alltoall --procs 8 --size 1KiB --quantile 0.9";
    let unknown = [
        "regimes needs times of single repetitions",
        "ask for no quantile",
    ];
    home.refuses(&format!("{quantile} --model regimes"), 3, unknown);
}
