//! Outputs of other benchmark programs become the data that they state: excerpts of outputs from the lab, and some in
//! the shape that the programs' sources give them. Unusable text is an error of one line.

mod seeded;

use itertools::Itertools as _;
use netsig_base::algorithm::Collective;
use netsig_base::data::import::{BenchmarkProgram, ImportInput, ImportOptions, ImportResult, PROGRAMS, import};
use netsig_base::data::{Aggregate, Dataset, ImportedStatistic, LaunchCell, OPERANDS_KEY};
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
const OUTPUTS: [(BenchmarkProgram, &str, &str); 10] = [
    (BenchmarkProgram::Osu, "alltoall-p8.txt", OSU),
    (BenchmarkProgram::Osu, "latency.txt", LATENCY),
    (BenchmarkProgram::Osu, "bcast-np4.txt", OSU_7),
    (BenchmarkProgram::Imb, "imb.txt", IMB),
    (BenchmarkProgram::ReproMpi, "barrier.txt", REPRO),
    (BenchmarkProgram::ReproMpi, "window.txt", WINDOW),
    (BenchmarkProgram::ReproMpi, "verbose.txt", VERBOSE),
    (BenchmarkProgram::ReproMpi, "summary-p4.txt", SUMMARY),
    (BenchmarkProgram::Netgauge, "netgauge.txt", NETGAUGE),
    (BenchmarkProgram::LogpMpi, "logp_mpi.txt", LOGP_MPI),
];

fn imported(program: BenchmarkProgram, name: &str, text: &str) -> ImportResult {
    import(Some(program), &[ImportInput { name, text }], &ImportOptions::default()).unwrap()
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
        let ImportResult { data, notes } = imported(program, name, text);
        let fact_pairs = data.provenance.iter().filter(|(key, _)| *key != "netsig");
        let facts = fact_pairs.map(|(key, value)| format!("{key} = {value}"));
        let lines: Vec<String> = facts.chain(rows(&data)).chain(notes).collect();
        insta::assert_snapshot!(name, lines.join("\n"));
        assert_data_or_error(program, text);
    }
}

/// Outputs and logs in the shapes in which people post them, with the numbers of processes given.
const POSTED: [(Option<BenchmarkProgram>, &str, &[u32]); 39] = [
    (Some(BenchmarkProgram::Osu), "put-latency.txt", &[]),
    (Some(BenchmarkProgram::Osu), "imb-as-osu.txt", &[8]),
    (None, "imb-as-osu.txt", &[]),
    (Some(BenchmarkProgram::Osu), "alltoallv-np8.txt", &[]),
    (Some(BenchmarkProgram::Osu), "nan-np8.txt", &[]),
    (Some(BenchmarkProgram::Osu), "ddt-p2.txt", &[]),
    (Some(BenchmarkProgram::Osu), "omb-py.txt", &[]),
    (Some(BenchmarkProgram::Osu), "crash-tail-p8.txt", &[]),
    (Some(BenchmarkProgram::Imb), "imb-srun-tail.txt", &[]),
    (Some(BenchmarkProgram::Osu), "separators.txt", &[360]),
    (Some(BenchmarkProgram::Osu), "separators.txt", &[360, 320]),
    (Some(BenchmarkProgram::Osu), "time-tail-p8.txt", &[]),
    (Some(BenchmarkProgram::Osu), "ucx-warning-p8.txt", &[]),
    (Some(BenchmarkProgram::Imb), "imb-hydra-label.txt", &[]),
    (Some(BenchmarkProgram::Osu), "srun-label-p8.txt", &[]),
    (Some(BenchmarkProgram::Imb), "imb-npmin1.txt", &[]),
    (Some(BenchmarkProgram::Osu), "launch-line.txt", &[]),
    (Some(BenchmarkProgram::Osu), "launch-line.txt", &[8]),
    (Some(BenchmarkProgram::Osu), "loop.txt", &[16]),
    (Some(BenchmarkProgram::Osu), "loop.txt", &[4, 8, 16]),
    (Some(BenchmarkProgram::Osu), "loop.txt", &[8, 8, 8]),
    (Some(BenchmarkProgram::Osu), "alltoall-n4-ppn8.txt", &[]),
    (Some(BenchmarkProgram::Osu), "alltoall-n4-ppn8.txt", &[32]),
    (Some(BenchmarkProgram::Osu), "pipe-p8.txt", &[]),
    (None, "batch.txt", &[]),
    (None, "markdown.txt", &[]),
    (None, "sbatch.txt", &[]),
    (None, "sbatch.txt", &[8]),
    (None, "imb-n1-ppn8.txt", &[]),
    (None, "osu-reductions.txt", &[]),
    (None, "block-np6.txt", &[]),
    (None, "barrier-np6.txt", &[]),
    (None, "floats-np6.txt", &[]),
    (None, "imb-reductions.txt", &[]),
    (None, "imb-2018.txt", &[]),
    (None, "imb-no-title.txt", &[]),
    (None, "two-versions.txt", &[]),
    (None, "reprompi-reductions.txt", &[]),
    (None, "omb-py-np4.txt", &[]),
];

#[expect(clippy::disallowed_methods, reason = "a test reads its inputs")]
fn posted(name: &str) -> String {
    std::fs::read_to_string(format!("tests/posted/{name}")).unwrap()
}

/// Means, placements, operands and notes of an import, or its error.
fn import_lines(imported: Result<ImportResult, FileError>) -> Vec<String> {
    let ImportResult { data, notes } = match imported {
        Ok(imported) => imported,
        Err(error) => return vec![error.to_string()],
    };
    let mean = |number: &&Aggregate| {
        ![ImportedStatistic::MinOverRanks, ImportedStatistic::MaxOverRanks].contains(&number.statistic)
    };
    let row = |number: &Aggregate| {
        let LaunchCell {
            launch, procs, size, ..
        } = number.cell;
        let subject = number.cell.experiment;
        format!(
            "{subject:?} {procs} processes, {size} bytes, launch {launch}: {} s",
            number.time.0
        )
    };
    let rows = data.aggregates.iter().filter(mean).map(row);
    let shown_facts = data
        .provenance
        .iter()
        .filter(|(key, _)| ["placement", OPERANDS_KEY].contains(key));
    let facts = shown_facts.map(|(key, value)| format!("{key} = {value}"));
    rows.chain(facts).chain(notes).collect()
}

#[test]
fn posted_outputs_become_what_can_be_read_in_them() {
    let outcomes = POSTED.map(|(program, name, counts)| {
        let text = posted(name);
        let input = ImportInput { name, text: &text };
        let procs: Vec<Procs> = counts.iter().map(|count| Procs::new(*count).unwrap()).collect();
        let options = format!("{program:?} {procs:?}");
        let import_options = ImportOptions {
            procs,
            ..ImportOptions::default()
        };
        let lines = import_lines(import(program, &[input], &import_options));
        format!("{name} {options}\n  {}\n", lines.join("\n  "))
    });
    insta::assert_snapshot!(outcomes.concat());
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
        for (program, whole) in [(BenchmarkProgram::Osu, OSU), (BenchmarkProgram::Imb, &imb)] {
            let text = format!("{}\n{tail}\n", whole.trim_end());
            let before = imported(program, "x-p8", whole).data.aggregates;
            let after = imported(program, "x-p8", &text).data.aggregates;
            assert_eq!(before, after, "{program} {tail}");
        }
    }
}

/// A row of several times is left out whole if one of them is no time.
#[test]
fn a_row_with_an_unusable_time_is_left_out() {
    for none in ["nan", "-nan(ind)", "-1.#IND", "inf", "0.00", "-1.00"] {
        let text = OSU.replace("260647.67", none);
        let ImportResult { data, notes } = imported(BenchmarkProgram::Osu, "a-p8", &text);
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
        let ImportResult { data, notes } = imported(BenchmarkProgram::Osu, "latency.txt", &text);
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
    let ImportResult { data, notes } = imported(BenchmarkProgram::Osu, "latency.txt", &text);
    assert_eq!((data.aggregates.len(), notes.len()), (3, 1), "{notes:?}");
    assert!(notes[0].contains("no title names the collective"), "{notes:?}");
}

/// A benchmark that printed nothing below its heading needs no number of processes.
#[test]
fn a_table_without_rows_is_left_out() {
    let empty = "# OSU MPI Broadcast Latency Test v7.4\n# Size       Avg Latency(us)\n";
    let texts = [("bcast.txt", empty), ("alltoall-p8.txt", OSU)];
    let inputs = texts.map(|(name, text)| ImportInput { name, text });
    let ImportResult { data, notes } = import(None, &inputs, &ImportOptions::default()).unwrap();
    assert_eq!((data.aggregates.len(), notes.len()), (12, 1), "{notes:?}");
    assert!(notes[0].contains("bcast.txt: left out:"), "{notes:?}");
}

/// A file that holds nothing is left out where another does; a broken row is an error among any files.
#[test]
fn a_file_that_holds_nothing_is_left_out_among_others() {
    let names = ["iallreduce-np4.txt", "alltoall-np4.txt"];
    let texts = names.map(posted);
    let inputs: Vec<ImportInput> = names
        .iter()
        .zip(&texts)
        .map(|(name, text)| ImportInput { name, text })
        .collect();
    let imported = import(None, &inputs, &ImportOptions::default()).unwrap();
    assert_eq!(imported.data.aggregates.len(), 2);
    let [note] = &*imported.notes else {
        panic!("{:?}", imported.notes)
    };
    assert!(
        note.starts_with("iallreduce-np4.txt: left out: it holds nothing to import (line 1: "),
        "{note}"
    );
    assert!(import(None, &inputs[..1], &ImportOptions::default()).is_err());
    let cut = ImportInput {
        text: texts[1].trim_end().trim_end_matches('0'),
        ..inputs[1]
    };
    let refused = import(None, &[inputs[0], inputs[1], cut], &ImportOptions::default()).unwrap_err();
    assert!(
        refused
            .to_string()
            .contains("5: the file ends within the number \"120.5\""),
        "{refused}"
    );
}

/// Data name an operation and type only if all their reductions have it.
#[test]
fn operands_that_differ_between_files_are_noted() {
    let texts = ["floats-np6.txt", "block-np6.txt"].map(|name| (name, posted(name)));
    let inputs: Vec<ImportInput> = texts.iter().map(|(name, text)| ImportInput { name, text }).collect();
    let ImportResult { data, notes } = import(None, &inputs, &ImportOptions::default()).unwrap();
    assert_eq!(data.provenance.get(OPERANDS_KEY), None);
    assert!(
        notes.iter().any(|note| note.contains("(unknown, sum:float)")),
        "{notes:?}"
    );
}

/// A table of sizes is none of a barrier, whatever the user says.
#[test]
fn a_barrier_has_no_sizes() {
    let text = "# Size       Avg Latency(us)\n1024      12.34\n";
    let of_barrier = ImportOptions {
        collective: Some(Collective::Barrier),
        ..ImportOptions::default()
    };
    let refused = import_error(BenchmarkProgram::Osu, "a-p4", text, &of_barrier);
    assert!(refused.contains("a-p4:2: a barrier has no size"), "{refused}");
    let without_title = "# Avg Latency(us)\n      12.34\n";
    let input = ImportInput {
        name: "a-p4",
        text: without_title,
    };
    let data = import(None, &[input], &of_barrier).unwrap().data;
    assert_eq!((data.aggregates.len(), data.aggregates[0].cell.size.0), (1, 0));
}

/// Other programs' prefixes, encodings of white space and lines in between change nothing.
#[test]
fn prefixes_of_launchers_change_no_row() {
    let whole = imported(BenchmarkProgram::Osu, "alltoall-p8.txt", OSU).data;
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
        let ImportResult { data, notes } = imported(BenchmarkProgram::Osu, "alltoall-p8.txt", &text);
        assert_eq!(data.aggregates, whole.aggregates, "{start:?} {notes:?}");
    }
}

/// Other shapes of tables: another order of columns, rows of a process twice.
#[test]
fn columns_are_found_by_name_and_rows_by_process() {
    let swapped = LOGP_MPI.replace("os_min    os_cnfint", "os_cnfint os_min");
    let data = imported(BenchmarkProgram::LogpMpi, "logp_mpi.txt", &swapped).data;
    assert_eq!(data.aggregates[2].time.0.to_string(), "0.0000002");
    let twice = VERBOSE.replace("      1  ", "      0  ");
    let refused = import_error(BenchmarkProgram::ReproMpi, "a", &twice, &ImportOptions::default());
    assert!(refused.contains("a:4: process 0 has a second row"));
}

#[test]
fn files_with_the_same_cell_are_launches() {
    let names = ["a-p8", "b-p4", "c-p8"];
    let inputs = names.map(|name| ImportInput { name, text: OSU });
    let import_options = ImportOptions::default();
    let data = import(Some(BenchmarkProgram::Osu), &inputs, &import_options)
        .unwrap()
        .data;
    let aggregates = data.aggregates.iter();
    let cells = aggregates.map(|a| (a.cell.procs.get(), a.cell.launch));
    assert!(cells.dedup().eq([(8, 0), (4, 0), (8, 1)]));
    let files = data.provenance.iter().filter(|(key, _)| *key == "file");
    assert!(files.map(|(_, name)| name).eq(names));
}

#[test]
fn what_is_asked_for_counts() {
    let import_options = ImportOptions {
        procs: vec![Procs::new(5).unwrap()],
        algorithm: "direct".into(),
        collective: Some(Collective::Alltoall),
    };
    let untitled = OSU.lines().skip(2).join("\r\n");
    let (name, text) = ("p5", &*untitled);
    let data = import(
        Some(BenchmarkProgram::Osu),
        &[ImportInput { name, text }],
        &import_options,
    )
    .unwrap()
    .data;
    let place = &data.aggregates[0].cell;
    assert_eq!((&*place.algorithm, place.procs.get()), ("direct", 5));
    let procs = import_options.procs;
    let procs_options = ImportOptions {
        procs,
        ..ImportOptions::default()
    };
    let refused = import_error(BenchmarkProgram::Imb, "imb", IMB, &procs_options);
    assert!(refused.contains("says 4 processes, not 5; leave --procs out"));
}

/// Outputs with something replaced.
#[test]
fn what_cannot_be_used_is_named_with_its_line() {
    use BenchmarkProgram::{Imb, LogpMpi, Netgauge, Osu, ReproMpi};
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
    let outcomes = refusals.map(|(program, name, text, old, new)| {
        let text = text.replace(old, new);
        let refused = import_error(program, name, &text, &ImportOptions::default());
        format!("{name} of {program}, {old:?} → {new:?}\n  {refused}\n")
    });
    insta::assert_snapshot!(outcomes.concat());
}

/// Parts of lines that readers look for.
const PARTS: &str = "# OSU MPI Latency Test v7.4|# Size  Avg Latency(us)|# Benchmarking Alltoall|\
    # #processes = |#bytes #repetitions t_min[usec] t_max[usec] t_avg[usec]|#@nprocs=|\
    #@datatype_size_bytes=|process test nrep count loc_tstart_sec loc_tend_sec|\
    test nrep count errorcode runtime_sec|# size n PRTT(1,0,s) PRTT(n,0,s)|# Latency = |\
    # time bytes os os_min or or_min g|MPI_Alltoall |18446744073709551615 |4294967296 |1e308 |\
    -nan |0 |1 |2.5 |\t|\n|\r\n|é|# OSU MPI Reduce_scatter_block Latency Test v5.7|# OSU MPI Barrier Latency Test v7.4|\
    # Datatype: MPI_INT.|# Avg Latency(us)|# Intel(R) MPI Benchmarks 2021.11, MPI-1 part|\
    # Benchmarking Reduce_scatter|# Benchmarking Barrier|#repetitions t_min[usec] t_max[usec] t_avg[usec]|\
    MPI_Reduce_scatter |MPI_Barrier |";

/// The error, of one line.
fn import_error(program: BenchmarkProgram, name: &str, text: &str, import_options: &ImportOptions) -> String {
    let refused = import(Some(program), &[ImportInput { name, text }], import_options).unwrap_err();
    let message = refused.to_string();
    assert_eq!(message.lines().count(), 1, "{message}");
    assert!(
        message.starts_with(&format!("{name}:")) && message.contains("; "),
        "{message}"
    );
    message
}

/// Any text gives data that survive being written, or an error of one line.
fn assert_data_or_error(program: BenchmarkProgram, text: &str) {
    let (name, import_options) = ("a-p4", ImportOptions::default());
    match import(Some(program), &[ImportInput { name, text }], &import_options) {
        Ok(ImportResult { data, .. }) => {
            let read = Dataset::read("data.csv", written(&data).as_bytes());
            assert_eq!(read.unwrap(), data);
        }
        Err(_) => drop(import_error(program, name, text, &import_options)),
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
            assert_data_or_error(program, &parts.concat());
        }
    }

    #[test]
    fn a_damaged_output_is_data_or_an_error(
        (program, _, text) in select(OUTPUTS.to_vec()),
        damages in prop::collection::vec((any::<Index>(), 0..30usize, any_part()), 1..6),
    ) {
        let mut characters: Vec<char> = text.chars().collect();
        for (from, length, part) in damages {
            let from = from.index(characters.len() + 1);
            let to = (from + length).min(characters.len());
            characters.splice(from..to, part.chars());
        }
        assert_data_or_error(program, &String::from_iter(characters));
    }
}
