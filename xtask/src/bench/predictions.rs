//! What predictions cost, from the table that the benchmarks of netsig-core print.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use super::figure::Figure;

/// A benchmark function with the most that each of its cases may take.
struct Target {
    function: &'static str,
    most: f64,
    unit: &'static str,
}

const TARGETS: [Target; 3] = [
    Target {
        function: "closed_form",
        most: 200.0,
        unit: "ns",
    },
    Target {
        function: "optimised_broadcast",
        most: 2.0,
        unit: "µs",
    },
    Target {
        function: "selection_map",
        most: 50.0,
        unit: "ms",
    },
];

/// The units of the table in seconds.
const UNITS: [(&str, f64); 5] = [
    ("ps", 1e-12),
    ("ns", 1e-9),
    ("µs", 1e-6),
    ("ms", 1e-3),
    ("s", 1.0),
];

/// Of the samples of every case the quickest, the middle and the slowest one.
const COLUMNS: [&str; 3] = ["fastest", "median", "slowest"];

/// One case of a benchmark function.
#[derive(Debug, PartialEq)]
struct Row {
    function: String,
    case: String,
    /// In seconds, in the order of [`COLUMNS`].
    times: [f64; 3],
}

/// Runs the benchmarks; every function must be there with a case.
pub(super) fn figures(root: &Path) -> Result<Vec<Figure>> {
    let rows = rows(&table(root)?)?;
    let mut figures = Vec::new();
    for target in &TARGETS {
        let before = figures.len();
        let own = rows.iter().filter(|row| row.function == target.function);
        for row in own {
            figures.push(target.figure(row)?);
        }
        let function = target.function;
        ensure!(figures.len() > before, "no benchmark {function} was run");
    }
    Ok(figures)
}

impl Target {
    fn figure(&self, row: &Row) -> Result<Figure> {
        let unit = seconds(self.unit)?;
        Ok(Figure {
            name: format!("{}/{}", row.function, row.case),
            values: row.times.map(|time| time / unit).to_vec(),
            target: self.most,
            unit: self.unit,
        })
    }
}

/// What the benchmarks print.
fn table(root: &Path) -> Result<String> {
    let arguments = "bench --package netsig-core --bench predictions -- --color never";
    let output = Command::new("cargo")
        .args(arguments.split(' '))
        .current_dir(root)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .context("cargo cannot be started")?;
    ensure!(output.status.success(), "cargo {arguments} failed");
    String::from_utf8(output.stdout).context("the benchmarks print UTF-8")
}

/// The cases of a table; what stands before its head is passed over.
fn rows(table: &str) -> Result<Vec<Row>> {
    let mut lines = table.lines().skip_while(|line| !line.contains(COLUMNS[0]));
    let (_, head) = lines.next().map(cells).context("no table was printed")?;
    let places = places(&head)?;
    let mut function = "";
    let mut rows = Vec::new();
    for line in lines.filter(|line| !line.trim().is_empty()) {
        let (name, cells) = cells(line);
        if cells.iter().all(|cell| cell.is_empty()) {
            function = name;
            continue;
        }
        let mut times = [0.0; 3];
        for (time, place) in times.iter_mut().zip(places) {
            let cell = cells.get(place).copied().unwrap_or_default();
            *time = duration(cell).with_context(|| format!("in the line {line:?}"))?;
        }
        rows.push(Row {
            function: function.to_owned(),
            case: name.to_owned(),
            times,
        });
    }
    Ok(rows)
}

/// Where the columns stand.
fn places(head: &[&str]) -> Result<[usize; 3]> {
    let mut places = [0; 3];
    for (place, name) in places.iter_mut().zip(COLUMNS) {
        let found = head.iter().position(|cell| *cell == name);
        *place = found.with_context(|| format!("the table has no column {name}"))?;
    }
    Ok(places)
}

/// The name at the end of a line's branch, and its cells.
fn cells(line: &str) -> (&str, Vec<&str>) {
    let line = line.trim_start_matches(['│', '├', '╰', '─', ' ']);
    let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
    (name, rest.split('│').map(str::trim).collect())
}

/// `1.25 µs` in seconds.
fn duration(text: &str) -> Result<f64> {
    let [number, unit] = text.split_whitespace().collect::<Vec<_>>()[..] else {
        bail!("{text:?} is not a number with a unit");
    };
    let number: f64 = number
        .parse()
        .with_context(|| format!("{number:?} is not a number"))?;
    Ok(number * seconds(unit)?)
}

fn seconds(unit: &str) -> Result<f64> {
    let found = UNITS.iter().find(|(name, _)| *name == unit);
    found
        .map(|(_, seconds)| *seconds)
        .with_context(|| format!("{unit:?} is not a unit of time"))
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
        for (row, expected) in rows.iter().zip([
            [26.56e-9, 72e-9, 3.447e-6],
            [172.4e-9, 173.7e-9, 177.5e-9],
            [11.3e-3, 11.45e-3, 1.084],
        ]) {
            for (got, expected) in row.times.iter().zip(expected) {
                assert!((got / expected - 1.0).abs() < 1e-12, "{row:?}");
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
            assert!(rows(bad).is_err(), "{bad}");
        }
    }
}
