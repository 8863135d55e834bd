//! `netsig import`: files of other programs become a data file that netsig reads, and what is left
//! out is said.

mod support;

use support::{Home, Row, table};

/// The rows of a data file.
fn rows(data: &str) -> Vec<Row> {
    let lines: Vec<&str> = data.lines().filter(|line| !line.starts_with('#')).collect();
    table(&lines.join("\n")).1
}

#[test]
fn several_files_become_one() {
    let home = Home::new();
    for (name, text) in [
        (
            "alltoall-p8.txt",
            include_str!("../../core/tests/outputs/osu-5.3-alltoall-p8.txt"),
        ),
        (
            "latency.txt",
            include_str!("../../core/tests/outputs/osu-5.3-latency.txt"),
        ),
        (
            "imb.txt",
            include_str!("../../core/tests/outputs/imb-2021.11.txt"),
        ),
    ] {
        home.write(name, text);
    }
    let told = home.transcript(&[
        "import osu alltoall-p8.txt latency.txt -o data.csv --algorithm direct",
        "import imb imb.txt -o imb.csv",
    ]);
    insta::assert_snapshot!(told);
    let data = home.read("data.csv");
    assert!(data.contains("#@imported_from=OSU micro-benchmarks 5.3\n"));
    let rows = rows(&data);
    assert_eq!(rows.len(), 4 * 3 + 3);
    assert_eq!((&*rows[0]["procs"], &*rows[12]["procs"]), ("8", "2"));
    let keys = ["algorithm", "time_s", "statistic"].map(|key| &*rows[9][key]);
    assert_eq!(keys, ["direct", "0.27865154", "mean-over-ranks"]);
}
