//! A file under import: its lines, its errors and its number of processes.

use std::collections::BTreeSet;

use super::Asked;
use crate::text::file_error::FileError;
use crate::units::Procs;

/// A file with the user's statements about it.
pub(super) struct File<'a> {
    pub name: &'a str,
    pub text: &'a str,
    pub asked: &'a Asked,
}

impl<'a> File<'a> {
    /// The trimmed lines with their numbers.
    pub fn lines(&self) -> impl Iterator<Item = (u64, &'a str)> + use<'a> {
        (1..).zip(self.text.lines().map(str::trim))
    }

    /// An error in a line.
    pub fn fault(&self, line: u64, problem: impl Into<String>) -> FileError {
        FileError::at_line(self.name, line, problem.into())
    }

    /// Number of processes: as `stated` in the file, else as the user says, else from the file's
    /// name.
    pub fn procs(&self, line: u64, stated: Option<Procs>) -> Result<Procs, FileError> {
        let fault = |problem| self.fault(line, problem);
        let procs = match (stated, self.asked.procs) {
            (Some(stated), Some(asked)) if stated != asked => {
                return Err(fault(format!(
                    "the file says {stated} processes, not {asked}; leave --procs out"
                )));
            }
            (Some(procs), _) | (None, Some(procs)) => procs,
            (None, None) => procs_in_name(self.name).map_err(fault)?,
        };
        if procs.get() == 1 {
            let problem = "one process exchanges nothing; give --procs N with the number that ran";
            return Err(fault(problem.to_owned()));
        }
        Ok(procs)
    }
}

/// True if a line holds cells, i.e. is neither empty nor a comment.
pub(super) fn is_row(text: &str) -> bool {
    !text.is_empty() && !text.starts_with('#')
}

/// Process count of an experiment between two processes.
pub(super) fn pair() -> Procs {
    Procs::new(2).expect("2 is not 0")
}

/// The number in `pN`, `nN` or `npN`, which must be a whole word in the last part of a path.
fn procs_in_name(path: &str) -> Result<Procs, String> {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let counts: BTreeSet<Procs> = name
        .split(|sign: char| !sign.is_ascii_alphanumeric())
        .filter_map(count)
        .collect();
    let mut counts = counts.into_iter();
    match (counts.next(), counts.next()) {
        (Some(count), None) => Ok(count),
        (Some(one), Some(other)) => Err(format!(
            "the file's name gives {one} and {other} processes; give --procs N"
        )),
        (None, _) => Err(
            "the number of processes is missing; give --procs N, or put pN, nN or npN \
             into the file's name, as in alltoall-p8.txt"
                .to_owned(),
        ),
    }
}

fn count(part: &str) -> Option<Procs> {
    let digits = part.trim_start_matches(|sign: char| sign.is_ascii_alphabetic());
    let prefix = &part[..part.len() - digits.len()];
    let is_count = ["p", "n", "np"].contains(&prefix.to_ascii_lowercase().as_str());
    is_count.then(|| digits.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_gives_the_process_count() {
        let found = |path| procs_in_name(path).map(Procs::get).ok();
        for (path, procs) in [
            ("osu_alltoall-direct-p10.txt", Some(10)),
            ("runs-p4/alltoall_np16", Some(16)),
            ("p8/n8-a.out", Some(8)),
            ("alltoall.p8.n8", Some(8)),
            ("alltoall.n2.p8", None),
            ("p8/alltoall.txt", None),
            ("imb8-top8-p-p0-p8x.txt", None),
            ("", None),
        ] {
            assert_eq!(found(path), procs, "{path}");
        }
    }
}
