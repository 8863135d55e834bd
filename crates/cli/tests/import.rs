//! `netsig import`: files of other programs become a data file that netsig reads, and what
//! cannot be used is refused in one line that leaves every file as it was.

mod support;

use support::{Home, Row, said, table};

const OSU: &str = include_str!("../../core/tests/outputs/osu-5.3-alltoall-p8.txt");
const LATENCY: &str = include_str!("../../core/tests/outputs/osu-5.3-latency.txt");
const IMB: &str = include_str!("../../core/tests/outputs/imb-2021.11.txt");

/// The rows of a data file.
fn rows(home: &Home, name: &str) -> Vec<Row> {
    let text = home.read(name);
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    table(&lines.join("\n")).1
}

#[test]
fn several_files_become_one() {
    let home = Home::new();
    home.write("alltoall-p8.txt", OSU);
    home.write("latency.txt", LATENCY);
    home.does("import osu alltoall-p8.txt latency.txt -o data.csv --algorithm direct");
    let rows = rows(&home, "data.csv");
    assert_eq!(rows.len(), 4 * 3 + 3);
    assert_eq!(rows[0]["algorithm"], "direct");
    assert_eq!((&*rows[0]["procs"], &*rows[12]["procs"]), ("8", "2"));
    assert_eq!(rows[9]["time_s"], "0.27865154");
    assert_eq!(rows[9]["statistic"], "mean-over-ranks");
    assert!(
        home.read("data.csv")
            .contains("#@imported_from=OSU micro-benchmarks 5.3\n")
    );
}

#[test]
fn what_is_left_out_is_said() {
    let home = Home::new();
    home.write("imb.txt", IMB);
    let output = home
        .netsig("import imb imb.txt -o data.csv")
        .output()
        .unwrap();
    let message = said(&output);
    assert!(
        output.status.success() && output.stdout.is_empty(),
        "{message}"
    );
    let sendrecv = "netsig: note: imb.txt:61: left out: Sendrecv is not imported\n";
    assert!(message.contains(sendrecv), "{message}");
    assert!(
        message.ends_with("0 repetitions and 18 statistics in data.csv\n"),
        "{message}"
    );
}

#[test]
fn what_cannot_be_imported_is_refused() {
    let home = Home::new();
    home.write("osu.txt", OSU);
    home.write("p8.txt", OSU);
    home.write("old.csv", "kept");
    for (arguments, complaint) in [
        (
            "osu osu.txt -o new.csv",
            ["osu.txt:3: ", "as in alltoall-p8.txt"],
        ),
        (
            "imb p8.txt -o new.csv",
            ["p8.txt:1: ", "give the output of imb"],
        ),
        (
            "osu p8.txt -o old.csv",
            ["old.csv: ", "choose another --output or remove it"],
        ),
        (
            "osu p8.txt -o no/new.csv",
            ["no/new.csv: ", "choose another path"],
        ),
        ("osu p7.txt -o new.csv", ["p7.txt: ", "check the path"]),
        (
            "osu p8.txt osu.txt -o new.csv",
            ["osu.txt:3: ", "as in alltoall-p8.txt"],
        ),
        (
            "osu p8.txt -o new.csv --algorithm dircet",
            ["p8.txt:4: \"dircet\"", "N1"],
        ),
        (
            "osu p8.txt -o new.csv --procs 0",
            ["invalid value '0'", "a whole number from 1"],
        ),
        (
            "osu osu.txt -o new.csv --procs 1",
            ["osu.txt:3: one process", "the number that ran"],
        ),
        (
            "skampi p8.txt -o new.csv",
            ["invalid value 'skampi'", "netgauge, logp_mpi"],
        ),
    ] {
        home.refuses(&format!("import {arguments}"), 2, complaint);
    }
}
