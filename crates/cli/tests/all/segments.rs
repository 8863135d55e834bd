//! Segmented broadcasts of `examples/bcast.csv`: the recommended segments respect the speed of the wire, and `compare`
//! judges each algorithm at the segment in its name.

use std::fs;

use crate::support::{PrintedRow, TestHome, number, printed_rows, stderr_text};

/// The example data and their profile.
fn fitted() -> TestHome {
    let home = TestHome::new();
    home.write("bcast.csv", &fs::read_to_string("../../examples/bcast.csv").unwrap());
    home.run("fit bcast.csv -o bcast.toml");
    home
}

/// 64 KiB at 20 Mbit/s take 26.2 ms. Up to 2560 bytes the tables have the burst of the shaper.
#[test]
fn no_segment_is_faster_than_the_wire() {
    let home = fitted();
    let wire = 65_536.0 * 8.0 / 20e6;
    let case = "bcast.toml --collective bcast --procs 8 --size 64KiB";
    let free = "predict bcast.toml --collective bcast --model chain_seg --procs 8 --size 64KiB";
    let select = printed_rows(&home, &format!("select {case}"));
    let is_free = |row: &&PrintedRow| row["standing"] == "contention-free";
    let mut times: Vec<f64> = select.iter().filter(is_free).map(|row| number(row, "time_s")).collect();
    for segment in ["", "--segment 32", "--segment 1024"] {
        let predicted = printed_rows(&home, &format!("{free} {segment}"));
        times.extend(predicted.iter().map(|row| number(row, "time_s")));
    }
    assert!(times.len() >= 6 && times.iter().all(|time| *time >= wire), "{times:?}");

    let note = "of the measured sizes, 1 KiB to 256 KiB; measure it before use";
    let output = home.netsig(free).output().unwrap();
    assert!(stderr_text(&output).contains(note));
    let inside = home.netsig(&format!("{free} --segment 1024")).output().unwrap();
    assert!(!stderr_text(&inside).contains(note));
}

/// `compare` judges the time that `predict` gives for `pipeline:4096` among eight processes, though other segments
/// would be faster.
#[test]
fn a_segmented_algorithm_is_judged_at_its_own_segment() {
    let home = fitted();
    let by_procs = printed_rows(&home, "compare bcast.csv --train size<=1KiB --by-procs");
    let of = |name: &str, procs: &str| {
        let is_it =
            |row: &&PrintedRow| row["algorithm"] == name && row["model"] == "chain_seg" && row["procs"] == procs;
        by_procs.iter().find(is_it).unwrap().clone()
    };
    for procs in ["4", "6", "8"] {
        assert_eq!(of("pipeline:4096", procs)["points"], "9");
        assert_eq!(of("pipeline:4096", procs)["refused"], "0");
    }
    // The pairs are fitted from all data.
    let compare_command = "compare bcast.csv --train size!=65536 --by-procs";
    let judged = printed_rows(&home, compare_command);
    for segment in ["1024", "4096"] {
        let name = format!("pipeline:{segment}");
        let is_it = |row: &&PrintedRow| row["algorithm"] == name && row["model"] == "chain_seg" && row["procs"] == "8";
        let bias = number(judged.iter().find(is_it).unwrap(), "bias");
        let ask = format!(
            "predict bcast.toml --collective bcast --algorithm {name} --model chain_seg --procs 8 --size 64KiB"
        );
        let predicted = number(&printed_rows(&home, &ask)[0], "time_s");
        let measured = measured(&home, &name);
        assert!(
            (predicted / measured - 1.0 - bias).abs() < 1e-9,
            "{name}: {predicted} {measured} {bias}"
        );
    }
}

/// Mean time of an algorithm among 8 processes with 64 KiB; a repetition counts with the time of its last rank.
fn measured(home: &TestHome, algorithm: &str) -> f64 {
    let text = home.read("bcast.csv");
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with("#@")).collect();
    let titles: Vec<&str> = lines[0].split(',').collect();
    let at = |name: &str| titles.iter().position(|title| *title == name).unwrap();
    let times: Vec<f64> = lines[1..]
        .iter()
        .map(|line| line.split(',').collect::<Vec<&str>>())
        .filter(|row| {
            let key = ["collective", "algorithm", "procs", "size_bytes"].map(|name| row[at(name)]);
            key == ["bcast", algorithm, "8", "65536"]
        })
        .map(|row| row[at("time_s")].parse().unwrap())
        .collect();
    times.iter().sum::<f64>() / times.len() as f64
}
