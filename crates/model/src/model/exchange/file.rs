//! Exchanges as files: a square matrix of sizes, or a list of arcs.

use std::collections::HashMap;
use std::num::IntErrorKind;

use netsig_base::algorithm::PairSizes;
use netsig_base::text::file_error::FileError;
use netsig_base::text::{counted, is_whole_number};
use netsig_base::units::{Bytes, Procs, Rank};

use super::{ExchangeArc, MessageExchange, ZeroMessages};
use crate::model::regimes::MOST_PROCS;

/// The columns of a list of arcs, in any order.
const COLUMNS: [&str; 3] = ["from", "to", "size_bytes"];

/// The highest rank that a file may name.
const LAST_RANK: u32 = (1 << 24) - 1;

/// Accepted contents of an exchange file, appended to errors.
const HINT: &str = "give a square matrix of sizes in bytes, or arcs under the header from,to,size_bytes";

/// Lines with data, with their numbers.
type ExchangeFileLines<'a> = [(u64, &'a str)];

impl MessageExchange {
    /// Reads an exchange; `name` is the file's name in errors. Lines that begin with `#` are comments. The file is a
    /// square matrix or a list of arcs. A matrix has sizes in bytes and no header; row i lists the messages of sender
    /// i. A list has the columns `from`, `to` and `size_bytes`; its highest rank gives the number of processes.
    ///
    /// # Errors
    /// If a line does not fit, which the error names.
    pub fn parse(name: &str, text: &str, zero: ZeroMessages) -> Result<Self, FileError> {
        let (procs, arcs) = read_arcs(name, text)?;
        Self::new(procs, arcs, zero).map_err(|error| FileError::at_line(name, 1, error.to_string()))
    }
}

/// Reads the sizes of an exchange as [`MessageExchange::parse`] does; pairs that a list leaves out have 0
/// bytes.
///
/// # Errors
/// If a line does not fit, which the error names, or there are more than 2048 processes.
pub fn parse_pair_sizes(name: &str, text: &str) -> Result<PairSizes, FileError> {
    let (procs, arcs) = read_arcs(name, text)?;
    refuse_many_pairs(procs).map_err(|problem| FileError::at_line(name, 1, problem))?;
    let entries = arcs.into_iter().map(|arc| ((arc.from, arc.to), arc.size));
    let sizes: HashMap<(Rank, Rank), Bytes> = entries.collect();
    let size = |from, to| sizes.get(&(from, to)).copied().unwrap_or_default();
    Ok(PairSizes::new(procs, size))
}

/// Refuses sizes from pair to pair among more than 2048 processes.
///
/// # Errors
/// If there are more processes.
pub fn refuse_many_pairs(procs: Procs) -> Result<(), String> {
    if procs.get() <= MOST_PROCS {
        return Ok(());
    }
    Err(format!(
        "{procs} processes; sizes from pair to pair are predicted for at most {MOST_PROCS}"
    ))
}

/// The number of processes and the arcs of a file.
fn read_arcs(name: &str, text: &str) -> Result<(Procs, Vec<ExchangeArc>), FileError> {
    let lines: Vec<(u64, &str)> = (1..)
        .zip(text.trim_start_matches('\u{feff}').lines())
        .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
        .collect();
    let file_error = |(line, problem)| FileError::at_line(name, line, problem);
    let Some((first, rest)) = lines.split_first() else {
        return Err(file_error((1, format!("the file holds no sizes; {HINT}"))));
    };
    let has_header = cells(first.1).any(|cell| cell.starts_with(char::is_alphabetic));
    let parsed_arcs = if has_header {
        arcs_of_list(*first, rest)
    } else {
        arcs_of_matrix(&lines)
    };
    let arcs = parsed_arcs.map_err(file_error)?;
    let last = arcs.iter().map(|arc| arc.from.max(arc.to).0).max();
    let procs = Procs::new(last.map_or(1, |rank| rank + 1)).expect("at least one");
    Ok((procs, arcs))
}

/// Line number and error text.
type LineProblem = (u64, String);

/// Cells of a line, without quotes.
fn cells(line: &str) -> impl Iterator<Item = &str> {
    line.split(',').map(|cell| cell.trim().trim_matches('"'))
}

/// All cells of a matrix as arcs, the zeros included.
fn arcs_of_matrix(lines: &ExchangeFileLines) -> Result<Vec<ExchangeArc>, LineProblem> {
    let mut arcs = Vec::new();
    for (from, &(line, text)) in (0..).map(Rank).zip(lines) {
        let column_count = cells(text).count();
        if column_count != lines.len() || from.0 > LAST_RANK {
            let rows = lines.len();
            let columns = counted(column_count as u64, "column", "columns");
            let problem = format!("{columns} in a matrix of {rows} rows; {HINT}");
            return Err((line, problem));
        }
        for (to, cell) in (0..).map(Rank).zip(cells(text)) {
            let size = parse_integer(cell).map_err(|e| (line, format!("column {}: {e}", to.0 + 1)))?;
            arcs.push(ExchangeArc {
                from,
                to,
                size: Bytes(size),
            });
        }
    }
    Ok(arcs)
}

/// The arcs of a list, each once.
fn arcs_of_list(header: (u64, &str), lines: &ExchangeFileLines) -> Result<Vec<ExchangeArc>, LineProblem> {
    let names: Vec<&str> = cells(header.1).collect();
    let column_places = COLUMNS.map(|column| names.iter().position(|name| *name == column));
    let [Some(from), Some(to), Some(size)] = column_places else {
        let missing_column = COLUMNS.iter().zip(column_places).find(|(_, place)| place.is_none());
        let missing = missing_column.map_or("", |(name, _)| name);
        return Err((header.0, format!("column {missing:?} is missing; {HINT}")));
    };
    if lines.is_empty() {
        return Err((header.0, format!("no arc follows the header; {HINT}")));
    }
    let mut arcs = Vec::new();
    let mut ends = Vec::new();
    for &(line, text) in lines {
        let row: Vec<&str> = cells(text).collect();
        let arc = parse_arc(&row, names.len(), [from, to, size]).map_err(|problem| (line, problem))?;
        ends.push((arc.from, arc.to, line));
        arcs.push(arc);
    }
    ends.sort_unstable();
    let repeated = |pair: &&[(Rank, Rank, u64)]| (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1);
    if let Some(pair) = ends.windows(2).find(repeated) {
        let (from, to, earlier) = pair[0];
        let problem = format!("the arc {from} -> {to} is in line {earlier} too; add them up");
        return Err((pair[1].2, problem));
    }
    Ok(arcs)
}

/// The arc of one row of a list with `width` columns.
fn parse_arc(row: &[&str], width: usize, places: [usize; 3]) -> Result<ExchangeArc, String> {
    if row.len() != width {
        let count = row.len();
        return Err(format!(
            "{count} cells where the header has {width}; complete or delete the line"
        ));
    }
    let [from, to, size] = places.map(|place| row[place]);
    Ok(ExchangeArc {
        from: parse_rank(from).map_err(|problem| format!("from: {problem}"))?,
        to: parse_rank(to).map_err(|problem| format!("to: {problem}"))?,
        size: Bytes(parse_integer(size).map_err(|problem| format!("size_bytes: {problem}"))?),
    })
}

fn parse_rank(text: &str) -> Result<Rank, String> {
    let value = parse_integer(text)?;
    let found = u32::try_from(value).ok().filter(|rank| *rank <= LAST_RANK);
    found
        .map(Rank)
        .ok_or_else(|| format!("{value} is above {LAST_RANK}, the last rank netsig takes; number them from 0"))
}

fn parse_integer(text: &str) -> Result<u64, String> {
    text.parse().map_err(|error: std::num::ParseIntError| {
        let negative = text.strip_prefix('-').is_some_and(is_whole_number);
        match error.kind() {
            IntErrorKind::PosOverflow => format!("{text} is 2^64 or more; write a smaller number"),
            _ if negative => format!("{text} is negative; write 0 or more"),
            _ => format!("{text:?} is not an integer; write a number such as 4096"),
        }
    })
}

#[cfg(test)]
mod tests {
    use netsig_base::units::{Seconds, SecondsPerByte};

    use super::*;
    use crate::model::hockney::Hockney;

    fn parse(text: &str) -> Result<MessageExchange, FileError> {
        MessageExchange::parse("x.csv", text, ZeroMessages::Absent)
    }

    #[test]
    fn a_matrix_and_its_arcs_are_the_same_exchange() {
        let matrix = "# sizes\n7, 100,0\r\n0,0,250\n\n# the last\n0,3,0\n";
        let list = "\u{feff}\"size_bytes\",to,note,from\n250,2,x,1\n#\n3,1,y,2\n100,1,,0\n9,0,,0\n";
        let base = Hockney::new(Seconds(5e-5), SecondsPerByte(1e-8)).unwrap();
        let [matrix_result, list_result] = [matrix, list].map(|text| {
            let read = parse(text).unwrap();
            assert_eq!((read.procs().get(), read.messages()), (3, 3));
            (read.bounds(&base), read.direct_exchange_sync(&base))
        });
        assert_eq!(matrix_result, list_result);
        // By hand: 103 bytes in two messages to process 1; steps of 250 and of 3 bytes.
        let (bounds, steps) = matrix_result;
        assert!((bounds.per_vertex.0 - 1.0103e-4).abs() < 1e-15 && (steps.0 - 1.0253e-4).abs() < 1e-15);
        let counted = MessageExchange::parse("x.csv", matrix, ZeroMessages::Counted).unwrap();
        assert_eq!(counted.messages(), 6);
        let most = parse("from,to,size_bytes\n0,16777215,1\n").unwrap().procs();
        assert_eq!(most.get(), 1 << 24);
    }

    #[test]
    fn faults_are_named_with_their_line() {
        let matrices = [
            "#\n0,1,2\n3,0,4\n",
            "0,1\n# note\n\n2\n",
            "0,1\n-5,0\n",
            "0,99999999999999999999\n2,0\n",
            "# none\n",
            "from,to,size\n0,1,2\n",
        ];
        let list_rows = ["", "0,1,2\n#\n1,0,2\n0,1,9\n", "0,16777216,1\n", "-1,1,0\n"];
        let lists = list_rows.map(|rows| format!("# sizes\nfrom,to,size_bytes\n{rows}"));
        let texts = matrices.map(str::to_owned).into_iter().chain(lists);
        let errors = texts.map(|text| format!("{text:?}\n  {}\n", parse(&text).unwrap_err()));
        insta::assert_snapshot!(errors.collect::<String>());
    }
}
