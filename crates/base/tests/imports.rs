//! Outputs of other benchmark programs become the data that they state: excerpts of outputs
//! from the lab and some written in the shape that the programs' sources give them. What
//! cannot be used is an error of one line, whatever the text.

mod seeded;

use itertools::Itertools as _;
use netsig_base::algorithm::Collective;
use netsig_base::data::import::{Asked, Imported, Input, PROGRAMS, Program, import};
use netsig_base::data::{Aggregate, Dataset, Place, StatisticKind};
use netsig_base::text::file_error::FileError;
use netsig_base::units::Procs;
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
    import(Some(program), &[Input { name, text }], &Asked::default()).unwrap()
}

fn written(data: &Dataset) -> String {
    let mut text = Vec::new();
    data.write(&mut text).unwrap();
    String::from_utf8(text).unwrap()
}

/// The columns that an aggregate or sample fills, as in the file that is written.
fn rows(data: &Dataset) -> Vec<String> {
    let text = written(data);
    let rows = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    let filled = |row: &str| row.split(',').filter(|cell| !cell.is_empty()).join(" ");
    rows.map(filled).collect()
}

/// The facts but the version of netsig, the rows, and the notes on lines that were left out.
#[test]
fn outputs_become_the_data_that_they_state() {
    for (program, name, text) in OUTPUTS {
        let Imported { data, notes } = imported(program, name, text);
        let facts = data.provenance.iter().filter(|(key, _)| *key != "netsig");
        let facts = facts.map(|(key, value)| format!("{key} = {value}"));
        let told: Vec<String> = facts.chain(rows(&data)).chain(notes).collect();
        insta::assert_snapshot!(name, told.join("\n"));
        holds(program, text);
    }
}

/// Outputs and logs in the shapes in which people post them, with the numbers of processes given.
const POSTED: [(Option<Program>, &str, &[u32]); 29] = [
    (Some(Program::Osu), "put-latency.txt", &[]),
    (Some(Program::Osu), "imb-as-osu.txt", &[8]),
    (None, "imb-as-osu.txt", &[]),
    (Some(Program::Osu), "alltoallv-np8.txt", &[]),
    (Some(Program::Osu), "nan-np8.txt", &[]),
    (Some(Program::Osu), "ddt-p2.txt", &[]),
    (Some(Program::Osu), "omb-py.txt", &[]),
    (Some(Program::Osu), "crash-tail-p8.txt", &[]),
    (Some(Program::Imb), "imb-srun-tail.txt", &[]),
    (Some(Program::Osu), "separators.txt", &[360]),
    (Some(Program::Osu), "separators.txt", &[360, 320]),
    (Some(Program::Osu), "time-tail-p8.txt", &[]),
    (Some(Program::Osu), "ucx-warning-p8.txt", &[]),
    (Some(Program::Imb), "imb-hydra-label.txt", &[]),
    (Some(Program::Osu), "srun-label-p8.txt", &[]),
    (Some(Program::Imb), "imb-npmin1.txt", &[]),
    (Some(Program::Osu), "launch-line.txt", &[]),
    (Some(Program::Osu), "launch-line.txt", &[8]),
    (Some(Program::Osu), "loop.txt", &[16]),
    (Some(Program::Osu), "loop.txt", &[4, 8, 16]),
    (Some(Program::Osu), "loop.txt", &[8, 8, 8]),
    (Some(Program::Osu), "alltoall-n4-ppn8.txt", &[]),
    (Some(Program::Osu), "alltoall-n4-ppn8.txt", &[32]),
    (Some(Program::Osu), "pipe-p8.txt", &[]),
    (None, "batch.txt", &[]),
    (None, "markdown.txt", &[]),
    (None, "sbatch.txt", &[]),
    (None, "sbatch.txt", &[8]),
    (None, "imb-n1-ppn8.txt", &[]),
];

#[expect(clippy::disallowed_methods, reason = "a test reads its inputs")]
fn posted(name: &str) -> String {
    std::fs::read_to_string(format!("tests/posted/{name}")).unwrap()
}

/// Means, placements and notes of an import, or its error.
fn told(imported: Result<Imported, FileError>) -> Vec<String> {
    let Imported { data, notes } = match imported {
        Ok(imported) => imported,
        Err(error) => return vec![error.to_string()],
    };
    let mean =
        |number: &&Aggregate| ![StatisticKind::MinOverRanks, StatisticKind::MaxOverRanks].contains(&number.statistic);
    let row = |number: &Aggregate| {
        let Place {
            launch, procs, size, ..
        } = number.place;
        let subject = number.place.experiment;
        format!(
            "{subject:?} {procs} processes, {size} bytes, launch {launch}: {} s",
            number.time.0
        )
    };
    let rows = data.aggregates.iter().filter(mean).map(row);
    let placements = data.provenance.iter().filter(|(key, _)| *key == "placement");
    let placements = placements.map(|(key, value)| format!("{key} = {value}"));
    rows.chain(placements).chain(notes).collect()
}

#[test]
fn posted_outputs_become_what_can_be_read_in_them() {
    let told = POSTED.map(|(program, name, procs)| {
        let text = posted(name);
        let input = Input { name, text: &text };
        let procs: Vec<Procs> = procs.iter().map(|count| Procs::new(*count).unwrap()).collect();
        let options = format!("{program:?} {procs:?}");
        let asked = Asked {
            procs,
            ..Asked::default()
        };
        let told = told(import(program, &[input], &asked));
        format!("{name} {options}\n  {}\n", told.join("\n  "))
    });
    insta::assert_snapshot!(told.concat());
}

/// Lines below a table of OSU or IMB that are no rows of it: other tables of numbers, counts, addresses.
#[test]
fn other_numbers_below_a_table_are_no_rows() {
    let imb = posted("imb-npmin1.txt");
    for tail in [
        "  0:  10  21\n  1:  21  10",
        "4 8",
        "1714550400",
        "12",
        "16 10.0.0.1",
        "8 0000:07:00.0",
        "1234 5678 files",
        "1 0 0 123456 1234",
        "1 5.12",
        "28.11.2026 10:00:00",
        "# warm-up took 12 (us)",
        "Size of the heap: 12 MB (us)",
    ] {
        for (program, whole) in [(Program::Osu, OSU), (Program::Imb, &imb)] {
            let text = format!("{}\n{tail}\n", whole.trim_end());
            let before = imported(program, "x-p8", whole).data.aggregates;
            let after = imported(program, "x-p8", &text).data.aggregates;
            assert_eq!(before, after, "{program} {tail}");
        }
    }
}

/// Rows of several times of which one is none are left out whole.
#[test]
fn a_row_with_an_unusable_time_is_left_out() {
    for none in ["nan", "-nan(ind)", "-1.#IND", "inf", "0.00", "-1.00"] {
        let text = OSU.replace("260647.67", none);
        let Imported { data, notes } = imported(Program::Osu, "a-p8", &text);
        assert_eq!(data.aggregates.len(), 9, "{none}");
        assert_eq!(notes, ["a-p8:7: left out: a time that is no number above 0"]);
    }
}

/// A table below the title of another suite is not that of the title before it.
#[test]
fn tables_of_other_suites_are_left_out_and_named() {
    for title in [
        "OSU MPI_Put Latency Test v5.8",
        "OSU MPI_Accumulate latency Test v5.8",
        "OSU One Sided MPI_Get latency Test v3.6",
        "OSU NCCL-CUDA Broadcast Latency Test v7.4",
        "OSU NCCL-Bcast",
        "OSU OpenSHMEM Put Test v5.8",
        "OSU UPC++ Broadcast Latency Test v5.8",
        "NVSHMEM Put Latency Test",
        "UPC Memput Test v5",
        "MVAPICH2 RMA Put Latency",
        "OMB-Py MPI Put Latency Test",
        "OSU MPI Bandwidth Test v7.4",
        "OSU MPI Non-blocking Broadcast Latency Test v7.4",
    ] {
        let text = format!("{LATENCY}# {title}\n# Size          Latency (us)\n1 1.50\n2 2.50\n");
        let Imported { data, notes } = imported(Program::Osu, "latency.txt", &text);
        assert_eq!(data.aggregates.len(), 3, "{title}");
        let [note] = &*notes else { panic!("{title}: {notes:?}") };
        let name = title.split(" v").next().unwrap();
        assert!(note.ends_with(&format!("left out: {name} is not imported")), "{note}");
    }
}

/// A heading without a title of its own is that of a table of something unknown.
#[test]
fn a_table_without_a_title_is_left_out() {
    let text = format!("{LATENCY}\n# Size          Latency (us)\n1 1.50\n2 2.50\n");
    let Imported { data, notes } = imported(Program::Osu, "latency.txt", &text);
    assert_eq!((data.aggregates.len(), notes.len()), (3, 1), "{notes:?}");
    assert!(notes[0].contains("no title names the collective"), "{notes:?}");
}

/// A benchmark that printed nothing below its heading needs no number of processes.
#[test]
fn a_table_without_rows_is_left_out() {
    let empty = "# OSU MPI Broadcast Latency Test v7.4\n# Size       Avg Latency(us)\n";
    let inputs = [("bcast.txt", empty), ("alltoall-p8.txt", OSU)];
    let inputs = inputs.map(|(name, text)| Input { name, text });
    let Imported { data, notes } = import(None, &inputs, &Asked::default()).unwrap();
    assert_eq!((data.aggregates.len(), notes.len()), (12, 1), "{notes:?}");
    assert!(notes[0].contains("bcast.txt: left out:"), "{notes:?}");
}

/// A file that holds nothing is left out where another does; a broken row is an error among any files.
#[test]
fn a_file_that_holds_nothing_is_left_out_among_others() {
    let names = ["allreduce-np4.txt", "alltoall-np4.txt"];
    let texts = names.map(posted);
    let inputs: Vec<Input> = names
        .iter()
        .zip(&texts)
        .map(|(name, text)| Input { name, text })
        .collect();
    let imported = import(None, &inputs, &Asked::default()).unwrap();
    assert_eq!(imported.data.aggregates.len(), 2);
    let [note] = &*imported.notes else {
        panic!("{:?}", imported.notes)
    };
    assert!(
        note.starts_with("allreduce-np4.txt: left out: it holds nothing to import (line 1: "),
        "{note}"
    );
    assert!(import(None, &inputs[..1], &Asked::default()).is_err());
    let cut = Input {
        text: texts[1].trim_end().trim_end_matches('0'),
        ..inputs[1]
    };
    let refused = import(None, &[inputs[0], inputs[1], cut], &Asked::default()).unwrap_err();
    assert!(
        refused
            .to_string()
            .contains("5: the file ends within the number \"120.5\""),
        "{refused}"
    );
}

/// Other programs' prefixes, encodings of white space and lines in between change nothing.
#[test]
fn prefixes_of_launchers_change_no_row() {
    let whole = imported(Program::Osu, "alltoall-p8.txt", OSU).data;
    for (start, end) in [
        ("3: ", ""),
        ("[1,3]<stdout>:", "\r"),
        ("[prterun-n1-77@1,0]<stdout>: ", ""),
        ("[0] ", ""),
        (">> ", ""),
        ("node01: ", ""),
        (
            "\u{1b}[32m",
            "\u{1b}[0m\nreal 0m12.3s\n12 total processes killed\n 0 0x00abc main()\n",
        ),
        ("2026-02-01T10:00:00.123Z ", "\n\u{a0}\n"),
    ] {
        let lines = OSU.lines();
        let text: String = lines.flat_map(|line| [start, line, end, "\n"]).collect();
        let Imported { data, notes } = imported(Program::Osu, "alltoall-p8.txt", &text);
        assert_eq!(data.aggregates, whole.aggregates, "{start:?} {notes:?}");
    }
}

/// Other shapes of tables: another order of columns, rows of a process twice.
#[test]
fn columns_are_found_by_name_and_rows_by_process() {
    let swapped = LOGP_MPI.replace("os_min    os_cnfint", "os_cnfint os_min");
    let data = imported(Program::LogpMpi, "logp_mpi.txt", &swapped).data;
    assert_eq!(data.aggregates[2].time.0.to_string(), "0.0000002");
    let twice = VERBOSE.replace("      1  ", "      0  ");
    let refused = problem(Program::ReproMpi, "a", &twice, &Asked::default());
    assert!(refused.contains("a:4: process 0 has a second row"));
}

#[test]
fn files_with_the_same_cell_are_launches() {
    let names = ["a-p8", "b-p4", "c-p8"];
    let inputs = names.map(|name| Input { name, text: OSU });
    let asked = Asked::default();
    let data = import(Some(Program::Osu), &inputs, &asked).unwrap().data;
    let cells = data.aggregates.iter();
    let cells = cells.map(|a| (a.place.procs.get(), a.place.launch));
    assert!(cells.dedup().eq([(8, 0), (4, 0), (8, 1)]));
    let files = data.provenance.iter().filter(|(key, _)| *key == "file");
    assert!(files.map(|(_, name)| name).eq(names));
}

#[test]
fn what_is_asked_for_counts() {
    let asked = Asked {
        procs: vec![Procs::new(5).unwrap()],
        algorithm: "direct".into(),
        collective: Some(Collective::Alltoall),
    };
    let untitled = OSU.lines().skip(2).join("\r\n");
    let (name, text) = ("p5", &*untitled);
    let data = import(Some(Program::Osu), &[Input { name, text }], &asked)
        .unwrap()
        .data;
    let place = &data.aggregates[0].place;
    assert_eq!((&*place.algorithm, place.procs.get()), ("direct", 5));
    let procs = asked.procs;
    let asked = Asked {
        procs,
        ..Asked::default()
    };
    let refused = problem(Program::Imb, "imb", IMB, &asked);
    assert!(refused.contains("says 4 processes, not 5; leave --procs out"));
}

/// Outputs with something replaced.
#[test]
fn what_cannot_be_used_is_named_with_its_line() {
    use Program::{Imb, LogpMpi, Netgauge, Osu, ReproMpi};
    let refusals = [
        (Osu, "a-p8", OSU, "  278651.54", "  27x"),
        (Osu, "a-p8", OSU, "  278651.54", ""),
        (Osu, "a-p8", OSU, "131072  ", "128K  "),
        (Osu, "a-p8", OSU, "MPI All", "NCCL All-"),
        (Osu, "a-p8", OSU, "# OSU", "#"),
        (Osu, "a-p8", OSU, "Avg", "Med"),
        (Osu, "a", OSU, "", ""),
        (Osu, "n1-p2", OSU, "", ""),
        (Osu, "a-N4", OSU, "", ""),
        (Osu, "a-p8", OSU, "# OSU", "+ srun -n 4 osu_alltoall\n# OSU"),
        (Osu, "a-p1", OSU, "", ""),
        (Osu, "a", "", "", ""),
        (Imb, "a", OSU, "", ""),
        (Imb, "a", IMB, "#processes", "#ranks"),
        (ReproMpi, "a", REPRO, "nprocs=4", ""),
        (ReproMpi, "a", REPRO, "#@datatype_size", "#@size"),
        (ReproMpi, "a", REPRO, "  100   0.0004", "  -1   0.0004"),
        (ReproMpi, "a", REPRO, " runtime_sec", " time"),
        (Netgauge, "a", NETGAUGE, "1025 10", "1025 1"),
        (LogpMpi, "a", LOGP_MPI, "= 0.0000521", "="),
    ];
    let told = refusals.map(|(program, name, text, old, new)| {
        let text = text.replace(old, new);
        let refused = problem(program, name, &text, &Asked::default());
        format!("{name} of {program}, {old:?} → {new:?}\n  {refused}\n")
    });
    insta::assert_snapshot!(told.concat());
}

/// Parts of lines that readers look for.
const PARTS: &str = "# OSU MPI Latency Test v7.4|# Size  Avg Latency(us)|# Benchmarking Alltoall|\
    # #processes = |#bytes #repetitions t_min[usec] t_max[usec] t_avg[usec]|#@nprocs=|\
    #@datatype_size_bytes=|process test nrep count loc_tstart_sec loc_tend_sec|\
    test nrep count errorcode runtime_sec|# size n PRTT(1,0,s) PRTT(n,0,s)|# Latency = |\
    # time bytes os os_min or or_min g|MPI_Alltoall |18446744073709551615 |4294967296 |1e308 |\
    -nan |0 |1 |2.5 |\t|\n|\r\n|é|";

/// The error, of one line.
fn problem(program: Program, name: &str, text: &str, asked: &Asked) -> String {
    let refused = import(Some(program), &[Input { name, text }], asked).unwrap_err();
    let message = refused.to_string();
    assert_eq!(message.lines().count(), 1, "{message}");
    assert!(
        message.starts_with(&format!("{name}:")) && message.contains("; "),
        "{message}"
    );
    message
}

/// Whatever the text: data that survive being written, or an error of one line.
fn holds(program: Program, text: &str) {
    let (name, asked) = ("a-p4", Asked::default());
    match import(Some(program), &[Input { name, text }], &asked) {
        Ok(Imported { data, .. }) => {
            let read = Dataset::read("data.csv", written(&data).as_bytes());
            assert_eq!(read.unwrap(), data);
        }
        Err(_) => drop(problem(program, name, text, &asked)),
    }
}

fn any_part() -> impl Strategy<Value = String> {
    let parts: Vec<&str> = PARTS.split('|').collect();
    prop_oneof![4 => select(parts).prop_map(str::to_owned), 1 => ".{0,40}"]
}

proptest! {
    #![proptest_config(seeded::cases(2000))]

    #[test]
    fn any_text_is_data_or_an_error(parts in prop::collection::vec(any_part(), 0..40)) {
        for &program in PROGRAMS {
            holds(program, &parts.concat());
        }
    }

    #[test]
    fn a_damaged_output_is_data_or_an_error(
        (program, _, text) in select(OUTPUTS.to_vec()),
        damages in prop::collection::vec((any::<Index>(), 0..30usize, any_part()), 1..6),
    ) {
        let mut signs: Vec<char> = text.chars().collect();
        for (from, length, part) in damages {
            let from = from.index(signs.len() + 1);
            let to = (from + length).min(signs.len());
            signs.splice(from..to, part.chars());
        }
        holds(program, &String::from_iter(signs));
    }
}
