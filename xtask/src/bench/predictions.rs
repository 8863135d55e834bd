//! What predictions cost, from the table that the benchmarks of netsig-core print.

use anyhow::{Context, Result, ensure};
use itertools::Itertools;
use netsig_core::units::Seconds;

use super::benchmark;
use crate::figure::Figure;

/// Benchmark functions with the most that each of their cases may take, in a unit of so many
/// seconds.
const TARGETS: [(&str, f64, &str, f64); 3] = [
    ("closed_form", 200.0, "ns", 1e-9),
    ("optimised_broadcast", 2.0, "µs", 1e-6),
    ("selection_map", 50.0, "ms", 1e-3),
];

/// How often the benchmarks run. Of a case the fastest run counts: what else runs on the machine
/// can only make it slower.
const RUNS: usize = 3;

/// What counts of the samples of a case, and the column that a table begins with.
const COLUMN: &str = "median";
const FIRST: &str = "fastest";

/// One case of a benchmark function.
#[derive(Debug)]
struct Row {
    function: String,
    case: String,
    median: Seconds,
}

/// Runs the benchmarks; every function must be there with a case.
pub(super) fn figures() -> Result<Vec<Figure>> {
    let once = |_| rows(&benchmark("predictions", &["--color", "never"])?);
    let runs: Vec<Vec<Row>> = (0..RUNS).map(once).collect::<Result<_>>()?;
    let mut figures = Vec::new();
    for (function, most, unit, scale) in TARGETS {
        let rows = runs.iter().flatten();
        let own = rows.filter(|row| row.function == function);
        let cases = own.into_group_map_by(|row| &row.case);
        ensure!(!cases.is_empty(), "no benchmark {function} was run");
        for (case, rows) in cases.into_iter().sorted_by_key(|(case, _)| *case) {
            let fastest = rows.iter().map(|row| row.median.0).min_by(f64::total_cmp);
            let values = fastest.map(|seconds| seconds / scale).into_iter().collect();
            let name = format!("{function}/{case}");
            figures.push(Figure::new(name, values, most, unit));
        }
    }
    Ok(figures)
}

/// The cases of a table; what stands before its head is passed over.
fn rows(table: &str) -> Result<Vec<Row>> {
    let mut lines = table.lines().skip_while(|line| !line.contains(FIRST));
    let (_, head) = lines.next().map(cells).context("no table was printed")?;
    let mut function = "";
    let mut rows = Vec::new();
    for line in lines.filter(|line| !line.trim().is_empty()) {
        let (name, cells) = cells(line);
        if cells.iter().all(|cell| cell.is_empty()) {
            function = name;
            continue;
        }
        let place = head.iter().position(|cell| *cell == COLUMN);
        let cell = place.and_then(|place| cells.get(place));
        let cell = cell.with_context(|| format!("the table has no column {COLUMN}"))?;
        let median = cell.parse::<Seconds>();
        rows.push(Row {
            function: function.to_owned(),
            case: name.to_owned(),
            median: median.with_context(|| format!("in the line {line:?}"))?,
        });
    }
    Ok(rows)
}

/// The name at the end of a line's branch, and its cells.
fn cells(line: &str) -> (&str, Vec<&str>) {
    let line = line.trim_start_matches(['│', '├', '╰', '─', ' ']);
    let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
    (name, rest.split('│').map(str::trim).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
Timer precision: 20 ns
predictions                fastest       │ slowest       │ median        │ mean          │ samples │ iters
├─ closed_form                           │               │               │               │         │
│  ├─ alltoall/hockney     26.56 ns      │ 3.447 µs      │ 72 ns         │ 80.1 ns       │ 100     │ 12800
│  ╰─ scatter/binomial     172.4 ns      │ 177.5 ns      │ 173.7 ns      │ 173.7 ns      │ 100     │ 1600
╰─ selection_map                         │               │               │               │         │
   ╰─ bcast                11.3 ms       │ 1.084 s       │ 11.45 ms      │ 11.46 ms      │ 20      │ 20

";

    #[test]
    fn the_table_is_read_by_the_names_of_its_columns() {
        let rows = rows(TABLE).unwrap();
        let names: Vec<_> = rows
            .iter()
            .map(|row| (&*row.function, &*row.case))
            .collect();
        let expected = [
            ("closed_form", "alltoall/hockney"),
            ("closed_form", "scatter/binomial"),
            ("selection_map", "bcast"),
        ];
        assert_eq!(names, expected);
        for (row, expected) in rows.iter().zip([72e-9, 173.7e-9, 11.45e-3]) {
            assert!((row.median.0 / expected - 1.0).abs() < 1e-12, "{row:?}");
        }
    }

    #[test]
    fn what_is_no_table_is_refused() {
        for bad in [
            "",
            &TABLE.replace("median", "middle"),
            &TABLE.replace("72 ns", "72"),
            &TABLE.replace("72 ns", "72 h"),
        ] {
            assert!(rows(bad).is_err(), "{bad}");
        }
    }
}
