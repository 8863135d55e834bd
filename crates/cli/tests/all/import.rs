//! `netsig import`: files of other programs become a data file that netsig reads, and notes state the left-out parts.

use crate::support::{PrintedRow, TestHome, parse_csv};

/// The rows of a data file.
fn rows(data: &str) -> Vec<PrintedRow> {
    let lines: Vec<&str> = data.lines().filter(|line| !line.starts_with('#')).collect();
    parse_csv(&lines.join("\n")).1
}

#[test]
fn several_files_become_one() {
    let home = TestHome::new();
    for (name, text) in [
        (
            "alltoall-p8.txt",
            include_str!("../../../base/tests/outputs/osu-5.3-alltoall-p8.txt"),
        ),
        (
            "latency.txt",
            include_str!("../../../base/tests/outputs/osu-5.3-latency.txt"),
        ),
        ("imb.txt", include_str!("../../../base/tests/outputs/imb-2021.11.txt")),
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

/// Unusable parts are left out if something else remains.
#[test]
fn what_cannot_be_used_is_left_out_or_refused() {
    let home = TestHome::new();
    for name in ["batch.txt", "imb-as-osu.txt", "iallreduce-np4.txt", "alltoall-np4.txt"] {
        let path = format!("../base/tests/posted/{name}");
        home.write(name, &std::fs::read_to_string(path).unwrap());
    }
    home.write("alltoall-np1.txt", &home.read("alltoall-np4.txt"));
    home.write("binary", "\u{1}\u{2}");
    let told = home.transcript(&[
        "import batch.txt -o batch.csv",
        "import osu missing.txt iallreduce-np4.txt alltoall-np1.txt alltoall-np4.txt binary . -o suite.csv",
        "import osu missing.txt iallreduce-np4.txt -o none.csv",
        "import osu imb-as-osu.txt -o none.csv",
        "import osu alltoall-np4.txt ./alltoall-np4.txt -o none.csv",
        "import osu alltoall-np4.txt --collective bcast -o none.csv",
        "import osu alltoall-np4.txt --procs 0 -o none.csv",
        "import suite.csv -o none.csv",
        "import osu -o none.csv",
        "import nothing -o none.csv",
    ]);
    insta::assert_snapshot!(told);
}
