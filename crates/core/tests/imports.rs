//! Outputs of other benchmark programs become the data that they state: excerpts of outputs
//! from the lab and some written in the shape that the programs' sources give them. What
//! cannot be used is an error of one line, whatever the text.

#[path = "seeded/mod.rs"]
mod seeded;

use netsig_core::algorithm::Collective;
use netsig_core::data::import::{Asked, Imported, Input, PROGRAMS, Program, import};
use netsig_core::data::{Dataset, Experiment, Rejection, StatisticKind};
use netsig_core::units::Procs;
use proptest::prelude::*;
use proptest::sample::{Index, select};

const OSU: &str = include_str!("outputs/osu-5.3-alltoall-p8.txt");
const LATENCY: &str = include_str!("outputs/osu-5.3-latency.txt");
const OSU_7: &str = include_str!("outputs/osu-7.4-bcast-np4.txt");
const IMB: &str = include_str!("outputs/imb-2021.11.txt");
const REPRO: &str = include_str!("outputs/reprompi-barrier.txt");
const WINDOW: &str = include_str!("outputs/reprompi-window.txt");
const VERBOSE: &str = include_str!("outputs/reprompi-verbose.txt");
const SUMMARY: &str = include_str!("outputs/reprompi-summary-p4.txt");
const NETGAUGE: &str = include_str!("outputs/netgauge.txt");
const LOGP_MPI: &str = include_str!("outputs/logp_mpi.txt");

/// Every output with its program and a name that says all that is needed.
const OUTPUTS: [(Program, &str, &str); 10] = [
    (Program::Osu, "alltoall-p8.txt", OSU),
    (Program::Osu, "latency.txt", LATENCY),
    (Program::Osu, "bcast-np4.txt", OSU_7),
    (Program::Imb, "imb.txt", IMB),
    (Program::ReproMpi, "barrier.txt", REPRO),
    (Program::ReproMpi, "window.txt", WINDOW),
    (Program::ReproMpi, "verbose.txt", VERBOSE),
    (Program::ReproMpi, "summary-p4.txt", SUMMARY),
    (Program::Netgauge, "netgauge.txt", NETGAUGE),
    (Program::LogpMpi, "logp_mpi.txt", LOGP_MPI),
];

fn imported(program: Program, name: &str, text: &str) -> Imported {
    import(program, &[Input { name, text }], &Asked::default()).unwrap()
}

fn problem(program: Program, name: &str, text: &str) -> String {
    let message = import(program, &[Input { name, text }], &Asked::default())
        .unwrap_err()
        .to_string();
    assert_eq!(message.lines().count(), 1, "{message}");
    message
}

/// The columns that an aggregate or sample fills, as in the file that is written.
fn rows(data: &Dataset) -> Vec<String> {
    let mut text = Vec::new();
    data.write(&mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let rows = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    let filled = |row: &str| {
        let cells: Vec<&str> = row.split(',').filter(|cell| !cell.is_empty()).collect();
        cells.join(" ")
    };
    rows.map(filled).collect()
}

#[test]
fn osu_prints_statistics_over_ranks() {
    let Imported { data, notes } = imported(Program::Osu, "runs/alltoall-p8.txt", OSU);
    let rows = rows(&data);
    assert_eq!(rows.len(), 4 * 3);
    assert_eq!(
        rows[9..],
        [
            "collective alltoall library 8 131072 0 0 0.27865154 ok mean-over-ranks 20",
            "collective alltoall library 8 131072 0 0 0.26064767 ok min-over-ranks 20",
            "collective alltoall library 8 131072 0 0 0.30729781 ok max-over-ranks 20",
        ]
    );
    let provenance = |key| data.provenance.get(key);
    assert_eq!(
        provenance("imported_from"),
        Some("OSU micro-benchmarks 5.3")
    );
    assert_eq!(provenance("file"), Some("runs/alltoall-p8.txt"));
    assert!(
        provenance("source_benchmark")
            .unwrap()
            .contains("All-to-All")
    );
    assert!(notes.is_empty(), "{notes:?}");
}

#[test]
fn osu_latency_is_half_a_round_trip_between_two() {
    let data = imported(Program::Osu, "latency.txt", LATENCY).data;
    let expected = [
        "pingpong 2 0 0 0 0.00016433 ok mean",
        "pingpong 2 1 0 0 0.00017484 ok mean",
        "pingpong 2 65536 0 0 0.01347047 ok mean",
    ];
    assert_eq!(rows(&data), expected);
}

#[test]
fn osu_7_has_types_validation_and_percentiles() {
    let Imported { data, notes } = imported(Program::Osu, "bcast-np4.txt", OSU_7);
    let expected = [
        "collective bcast library 4 2048 0 0 wrong-data",
        "collective bcast library 4 1024 0 0 0.0000124 ok mean-over-ranks 1000",
        "collective bcast library 4 1024 0 0 0.0000101 ok min-over-ranks 1000",
        "collective bcast library 4 1024 0 0 0.0000147 ok max-over-ranks 1000",
        "collective bcast library 4 1024 0 1 0.0000125 ok mean-over-ranks 1000",
        "collective bcast library 4 1024 0 1 0.0000102 ok min-over-ranks 1000",
        "collective bcast library 4 1024 0 1 0.0000148 ok max-over-ranks 1000",
    ];
    assert_eq!(rows(&data), expected);
    assert_eq!(data.provenance.get("source_datatype"), Some("MPI_INT"));
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert!(notes[0].starts_with("bcast-np4.txt:14: left out: OSU MPI Bandwidth Test"));
    assert!(notes[1].starts_with("bcast-np4.txt:6: left out: a collective of 0 bytes"));
}

#[test]
fn imb_has_a_block_for_each_process_count() {
    let Imported { data, notes } = imported(Program::Imb, "imb-p99.txt", IMB);
    let expected = [
        "collective bcast library 8 2048 0 0 wrong-data",
        "collective alltoall library 4 256 0 0 0.00022183 ok mean-over-ranks 20",
        "collective alltoall library 4 256 0 0 0.00016331 ok min-over-ranks 20",
        "collective alltoall library 4 256 0 0 0.00037718 ok max-over-ranks 20",
        "collective alltoall library 4 65536 0 0 0.0517165 ok mean-over-ranks 20",
        "collective alltoall library 4 65536 0 0 0.04330749 ok min-over-ranks 20",
        "collective alltoall library 4 65536 0 0 0.07212529 ok max-over-ranks 20",
        "collective alltoall library 8 256 0 0 0.0003902 ok mean-over-ranks 20",
        "collective alltoall library 8 256 0 0 0.00029909 ok min-over-ranks 20",
        "collective alltoall library 8 256 0 0 0.00051499 ok max-over-ranks 20",
        "collective alltoall library 8 65536 0 0 0.14062696 ok mean-over-ranks 20",
        "collective alltoall library 8 65536 0 0 0.1309315 ok min-over-ranks 20",
        "collective alltoall library 8 65536 0 0 0.15022236 ok max-over-ranks 20",
        "pingpong 2 0 0 0 0.0001246 ok mean 20",
        "pingpong 2 256 0 0 0.00014602 ok mean 20",
        "pingpong 2 65536 0 0 0.01342388 ok mean 20",
        "collective bcast library 8 1024 0 0 0.0003202 ok mean-over-ranks 1000",
        "collective bcast library 8 1024 0 0 0.0003101 ok min-over-ranks 1000",
        "collective bcast library 8 1024 0 0 0.0003303 ok max-over-ranks 1000",
    ];
    assert_eq!(rows(&data), expected);
    let provenance = |key| data.provenance.get(key);
    assert_eq!(
        provenance("imported_from"),
        Some("Intel(R) MPI Benchmarks 2021.11")
    );
    assert_eq!(provenance("source_date"), Some("Fri Nov 20 18:20:12 2026"));
    let reasons: Vec<&str> = notes
        .iter()
        .map(|n| n.split_once(": left out: ").unwrap().1)
        .collect();
    let expected = [
        "Multi-Bcast is not imported",
        "Sendrecv is not imported",
        "a collective of 0 bytes sends nothing, so its time means nothing (2 lines)",
        "not measured (int-overflow)",
        "not measured (out-of-mem)",
        "not measured (time-out)",
    ];
    assert_eq!(reasons, expected);
}

#[test]
fn reprompi_prints_repetitions() {
    let Imported { data, notes } = imported(Program::ReproMpi, "barrier.txt", REPRO);
    let expected = [
        "collective alltoall library 4 400 0 0 0.000452572",
        "collective alltoall library 4 400 1 0 0.000317588",
        "pingpong 2 400 0 0 0.0001",
    ];
    assert_eq!(rows(&data), expected);
    assert_eq!(data.provenance.get("source_nprocs"), Some("4"));
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert!(data.aggregates.is_empty());
}

#[test]
fn reprompi_with_a_row_for_each_process() {
    let Imported { data, notes } = imported(Program::ReproMpi, "window.txt", WINDOW);
    // From the first start, of process 0, to the last end, of process 1.
    let time = |data: &Dataset| (data.samples[0].time.0 * 1e9).round() / 1e9;
    assert_eq!(
        (data.samples.len(), time(&data).to_string()),
        (1, "0.0015".into())
    );
    assert_eq!(data.rejected[0].reason, Rejection::Late);
    assert_eq!((data.rejected.len(), data.rejected[0].repetition), (1, 1));
    assert!(notes[0].contains("without the rows of all processes"));
    // Without a common clock: what the slower process measured.
    let data = imported(Program::ReproMpi, "verbose.txt", VERBOSE).data;
    assert_eq!(time(&data).to_string(), "0.00125");
    let twice = VERBOSE.replace("      1  ", "      0  ");
    assert!(problem(Program::ReproMpi, "a", &twice).contains("a:4: process 0 has a second row"));
}

#[test]
fn reprompi_summaries_are_statistics_of_repetitions() {
    let data = imported(Program::ReproMpi, "summary-p4.txt", SUMMARY).data;
    let expected = [
        "collective alltoall library 4 1000 0 0 0.0000096126 ok mean 9",
        "collective alltoall library 4 1000 0 0 0.0000105451 ok median 9",
        "collective alltoall library 4 1000 0 0 0.0000066999 ok min 9",
    ];
    assert_eq!(rows(&data), expected);
}

#[test]
fn netgauge_gives_plogp() {
    let Imported { data, notes } = imported(Program::Netgauge, "netgauge.txt", NETGAUGE);
    let nanoseconds = |experiment: Experiment| {
        let of = data
            .aggregates
            .iter()
            .filter(|a| a.place.experiment == experiment);
        let rounded = |time: f64| (time * 1e9).round();
        of.map(|a| (a.place.size.0, rounded(a.time.0)))
            .collect::<Vec<_>>()
    };
    let pingpong = [(1, 30_000.0), (1025, 40_000.0), (2049, 50_000.0)];
    assert_eq!(nanoseconds(Experiment::PingPong), pingpong);
    let gap = [(1, 9_000.0), (1025, 16_000.0), (2049, 23_000.0)];
    assert_eq!(nanoseconds(Experiment::Gap), gap);
    // 30 µs of half a round trip less 9 µs of gap.
    assert_eq!(nanoseconds(Experiment::Latency), [(0, 21_000.0)]);
    let send = [(1, 5_000.0), (1025, 8_000.0)];
    assert_eq!(nanoseconds(Experiment::SendOverhead), send);
    assert_eq!(nanoseconds(Experiment::ReceiveOverhead).len(), 3);
    assert!(
        data.aggregates
            .iter()
            .all(|a| a.statistic == StatisticKind::Median)
    );
    assert_eq!(
        notes,
        ["netgauge.txt:7: left out: a time that is not above 0"]
    );
}

#[test]
fn logp_mpi_is_read_as_its_line_of_names_says() {
    let data = imported(Program::LogpMpi, "logp_mpi.txt", LOGP_MPI).data;
    let rows = rows(&data);
    let expected = [
        "latency 2 0 0 0 0.0000521 ok mean",
        "send_overhead 2 0 0 0 0.0000051 ok mean",
        "send_overhead 2 0 0 0 0.0000049 ok min",
        "receive_overhead 2 0 0 0 0.0000061 ok mean",
        "receive_overhead 2 0 0 0 0.0000058 ok min",
        "gap 2 0 0 0 0.0000101 ok mean",
    ];
    assert_eq!(
        (&rows[..6], rows.len()),
        (&expected.map(str::to_owned)[..], 11)
    );
    let swapped = LOGP_MPI.replace("os_min    os_cnfint", "os_cnfint os_min");
    let data = imported(Program::LogpMpi, "logp_mpi.txt", &swapped).data;
    assert_eq!(data.aggregates[2].time.0.to_string(), "0.0000002");
}

#[test]
fn files_with_the_same_cell_are_launches() {
    let inputs = [
        ("a-p8", OSU),
        ("b-p4", OSU),
        ("c-p8", OSU),
        ("latency", LATENCY),
    ];
    let inputs = inputs.map(|(name, text)| Input { name, text });
    let data = import(Program::Osu, &inputs, &Asked::default())
        .unwrap()
        .data;
    let mut found: Vec<(u32, u32)> = data
        .aggregates
        .iter()
        .map(|a| (a.place.procs.get(), a.place.launch))
        .collect();
    found.dedup();
    assert_eq!(found, [(8, 0), (4, 0), (8, 1), (2, 0)]);
    let files: Vec<&str> = data
        .provenance
        .iter()
        .filter_map(|(key, value)| (key == "file").then_some(value))
        .collect();
    assert_eq!(files, ["a-p8", "b-p4", "c-p8", "latency"]);
}

#[test]
fn what_is_asked_for_counts() {
    let asked = Asked {
        procs: Procs::new(5).ok(),
        algorithm: "direct".into(),
        collective: Some(Collective::Alltoall),
    };
    let untitled = OSU.lines().skip(2).collect::<Vec<_>>().join("\r\n");
    let input = |name, text| [Input { name, text }];
    let data = import(Program::Osu, &input("p8", &untitled), &asked)
        .unwrap()
        .data;
    let place = &data.aggregates[0].place;
    assert_eq!((&*place.algorithm, place.procs.get()), ("direct", 5));
    let message = import(Program::Imb, &input("imb", IMB), &asked).unwrap_err();
    assert!(
        message
            .to_string()
            .contains("says 4 processes, not 5; leave --procs out")
    );
}

#[test]
fn what_cannot_be_used_is_named_with_its_line() {
    use Program::{Imb, LogpMpi, Netgauge, Osu, ReproMpi};
    let osu = |from: &str, to: &str| (Osu, "a-p8", OSU.replace(from, to));
    let repro = |from: &str, to: &str| (ReproMpi, "a", REPRO.replace(from, to));
    for ((program, name, text), expected) in [
        (
            osu("  278651.54", "  27x"),
            "a-p8:7: mean \"27x\" is not a time; correct or delete",
        ),
        (
            osu("  278651.54", ""),
            "a-p8:7: 4 values where the table has 5 columns; complete",
        ),
        (
            osu("131072  ", "128K  "),
            "a-p8:7: Size \"128K\" is not a whole number",
        ),
        (
            osu("MPI All", "NCCL All-"),
            "a-p8:1: holds nothing to import (a-p8:2: left out",
        ),
        (
            osu("# OSU", "#"),
            "a-p8:3: no title says what was measured; give the whole output",
        ),
        (osu("Avg", "Med"), "a-p8:4: 5 values where"),
        (
            (Osu, "a", OSU.to_owned()),
            "a:3: nothing says how many processes ran; give --procs N",
        ),
        (
            (Osu, "n1-p2", OSU.to_owned()),
            "n1-p2:3: the file's name speaks of 1 and of 2",
        ),
        (
            (Osu, "a", String::new()),
            "a:1: holds nothing to import; give what osu printed",
        ),
        (
            (Imb, "a", OSU.to_owned()),
            "a:1: holds nothing to import; give what imb printed",
        ),
        (
            (Imb, "a", IMB.replace("#processes", "#ranks")),
            "a:36: nothing says how many",
        ),
        (
            repro("nprocs=4", ""),
            "a:15: nothing says how many processes ran",
        ),
        (
            repro("#@datatype_size", "#@size"),
            "a:16: nothing says how large the datatype is",
        ),
        (
            repro("  100   0.0004", "  -1   0.0004"),
            "a:16: count \"-1\" is not a whole number",
        ),
        (
            repro(" runtime_sec", " time"),
            "a:16: the table has no column runtime_sec",
        ),
        (
            (Netgauge, "a", NETGAUGE.replace("1025 10", "1025 1")),
            "a:5: n is 1, and one message",
        ),
        (
            (LogpMpi, "a", LOGP_MPI.replace("= 0.0000521", "=")),
            "a:2: 0 values where",
        ),
    ] {
        let message = problem(program, name, &text);
        assert!(message.starts_with(expected), "{expected}: {message}");
    }
}

/// Parts of lines that readers look for.
const PARTS: [&str; 24] = [
    "# OSU MPI Latency Test v7.4",
    "# Size  Avg Latency(us)",
    "# Benchmarking Alltoall",
    "# #processes = ",
    "#bytes #repetitions t_min[usec] t_max[usec] t_avg[usec]",
    "#@nprocs=",
    "#@datatype_size_bytes=",
    "process test nrep count loc_tstart_sec loc_tend_sec",
    "test nrep count errorcode runtime_sec",
    "# size n PRTT(1,0,s) PRTT(n,0,s)",
    "# Latency = ",
    "# time bytes os os_min or or_min g",
    "MPI_Alltoall ",
    "18446744073709551615 ",
    "4294967296 ",
    "1e308 ",
    "-nan ",
    "0 ",
    "1 ",
    "2.5 ",
    "\t",
    "\n",
    "\r\n",
    "é",
];

/// Whatever the text: data that survive being written, or an error of one line.
fn holds(program: Program, text: &str) {
    let name = "a-p4";
    match import(program, &[Input { name, text }], &Asked::default()) {
        Ok(Imported { data, .. }) => {
            let mut written = Vec::new();
            data.write(&mut written).unwrap();
            let read = Dataset::read("data.csv", written.as_slice()).unwrap();
            assert_eq!(read, data);
        }
        Err(error) => {
            let message = error.to_string();
            assert_eq!(message.lines().count(), 1, "{message}");
            assert!(
                message.starts_with("a-p4:") && message.contains("; "),
                "{message}"
            );
        }
    }
}

proptest! {
    #![proptest_config(seeded::cases(2000))]

    #[test]
    fn any_text_is_data_or_an_error(
        parts in prop::collection::vec(select(PARTS.to_vec()), 0..40),
        noise in ".{0,40}",
        at in any::<Index>(),
    ) {
        let mut text = parts.concat();
        let ends: Vec<usize> = text.char_indices().map(|(place, _)| place).collect();
        text.insert_str(if ends.is_empty() { 0 } else { *at.get(&ends) }, &noise);
        for &program in PROGRAMS {
            holds(program, &text);
        }
    }

    #[test]
    fn a_damaged_output_is_data_or_an_error(
        output in select(OUTPUTS.to_vec()),
        damages in prop::collection::vec((any::<Index>(), any::<Index>(), any::<char>()), 1..6),
    ) {
        let (program, _, text) = output;
        let mut signs: Vec<char> = text.chars().collect();
        for (from, length, sign) in damages {
            let from = from.index(signs.len());
            let to = (from + length.index(30)).min(signs.len());
            signs.splice(from..to, (to % 3 > 0).then_some(sign));
            if signs.is_empty() {
                break;
            }
        }
        holds(program, &String::from_iter(signs));
    }
}

#[test]
fn every_output_survives_being_written() {
    for (program, name, text) in OUTPUTS {
        assert!(
            import(program, &[Input { name, text }], &Asked::default()).is_ok(),
            "{name}"
        );
        holds(program, text);
    }
}
