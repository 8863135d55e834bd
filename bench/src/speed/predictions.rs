//! Durations of predictions, from the table that the benchmarks of netsig-model print.

use anyhow::{Context, Result, ensure};
use netsig_base::units::Seconds;

use super::run_benchmark;
use crate::harness::goals::BenchGoal;

/// Benchmark functions: the upper bound of each case, its unit, and the unit in seconds.
const TARGETS: [(&str, f64, &str, f64); 3] = [
    ("closed_form", 200.0, "ns", 1e-9),
    ("optimised_broadcast", 2.0, "µs", 1e-6),
    ("selection_map", 50.0, "ms", 1e-3),
];

/// Columns of the samples of a case: minimum, median and maximum.
const COLUMNS: [&str; 3] = ["fastest", "median", "slowest"];

/// One case of a benchmark function.
#[derive(Debug, PartialEq)]
struct BenchCase {
    function: String,
    case: String,
    /// The times in the order of [`COLUMNS`].
    times: Vec<Seconds>,
}

/// Runs the benchmarks; every function must have at least one case.
pub(super) fn figures() -> Result<Vec<BenchGoal>> {
    let rows = read_table(&run_benchmark("netsig-model", "predictions", &["--color", "never"])?)?;
    let mut figures = Vec::new();
    for (function, most, unit, scale) in TARGETS {
        let before = figures.len();
        figures.extend(rows.iter().filter(|row| row.function == function).map(|row| {
            let values = row.times.iter().map(|time| time.0 / scale).collect();
            BenchGoal::measured(format!("{function}/{}", row.case), values, most, unit)
        }));
        ensure!(figures.len() > before, "no benchmark {function} was run");
    }
    Ok(figures)
}

/// The cases of a table; text before its head is skipped.
fn read_table(table: &str) -> Result<Vec<BenchCase>> {
    let mut lines = table.lines().skip_while(|line| !line.contains(COLUMNS[0]));
    let (_, head) = lines.next().map(split_line).context("no table was printed")?;
    let mut function = "";
    let mut rows = Vec::new();
    for line in lines.filter(|line| !line.trim().is_empty()) {
        let (name, cells) = split_line(line);
        if cells.iter().all(|cell| cell.is_empty()) {
            function = name;
            continue;
        }
        let time = |column: &&str| {
            let index = head.iter().position(|cell| cell == column);
            let found_cell = index.and_then(|place| cells.get(place));
            let cell = found_cell.with_context(|| format!("the table has no column {column}"))?;
            cell.parse::<Seconds>().with_context(|| format!("in the line {line:?}"))
        };
        rows.push(BenchCase {
            function: function.to_owned(),
            case: name.to_owned(),
            times: COLUMNS.iter().map(time).collect::<Result<_>>()?,
        });
    }
    Ok(rows)
}

/// The name at the end of a line's tree branch, and the cells of the line.
fn split_line(line: &str) -> (&str, Vec<&str>) {
    let unframed = line.trim_start_matches(['│', '├', '╰', '─', ' ']);
    let (name, rest) = unframed.split_once(' ').unwrap_or((unframed, ""));
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
        let rows = read_table(TABLE).unwrap();
        let names: Vec<_> = rows.iter().map(|row| (&*row.function, &*row.case)).collect();
        let expected = [
            ("closed_form", "alltoall/hockney"),
            ("closed_form", "scatter/binomial"),
            ("selection_map", "bcast"),
        ];
        assert_eq!(names, expected);
        for (row, expected) in rows.iter().zip([
            [26.56e-9, 72e-9, 3.447e-6],
            [172.4e-9, 173.7e-9, 177.5e-9],
            [11.3e-3, 11.45e-3, 1.084],
        ]) {
            for (got, expected) in row.times.iter().zip(expected) {
                assert!((got.0 / expected - 1.0).abs() < 1e-12, "{row:?}");
            }
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
            assert!(read_table(bad).is_err(), "{bad}");
        }
    }
}
