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
