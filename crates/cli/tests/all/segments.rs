//! Segmented broadcasts of `examples/bcast.csv`: the search recommends what the wire can carry.

use std::fs;

use crate::support::{Home, Row, number, rows, said};

/// The example data and their profile.
fn fitted() -> Home {
    let home = Home::new();
    home.write(
        "bcast.csv",
        &fs::read_to_string("../../examples/bcast.csv").unwrap(),
    );
    home.does("fit bcast.csv -o bcast.toml");
    home
}

/// 64 KiB at 40 Mbit/s take 13.1 ms. The tables have g = 0.3 us at 32 bytes, and up to 2560 bytes the burst of the shaper.
#[test]
fn no_segment_is_faster_than_the_wire() {
    let home = fitted();
    let wire = 65_536.0 * 8.0 / 40e6;
    let case = "bcast.toml --collective bcast --procs 8 --size 64KiB";
    let free = "predict bcast.toml --collective bcast --model chain_seg --procs 8 --size 64KiB";
    let select = rows(&home, &format!("select {case}"));
    let is_free = |row: &&Row| row["standing"] == "contention-free";
    let mut times: Vec<f64> = select
        .iter()
        .filter(is_free)
        .map(|row| number(row, "time_s"))
        .collect();
    for segment in ["", "--segment 32", "--segment 1024"] {
        let predicted = rows(&home, &format!("{free} {segment}"));
        times.extend(predicted.iter().map(|row| number(row, "time_s")));
    }
    assert!(
        times.len() >= 6 && times.iter().all(|time| *time >= wire),
        "{times:?}"
    );

    let note = "of the measured sizes, 256 B to 256 KiB; measure it before use";
    let output = home.netsig(free).output().unwrap();
    assert!(said(&output).contains(note));
    let inside = home
        .netsig(&format!("{free} --segment 1024"))
        .output()
        .unwrap();
    assert!(!said(&inside).contains(note));
}
