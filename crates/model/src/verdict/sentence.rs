//! Parts of sentences: enumerations and ranges of sizes.

use itertools::Itertools as _;
use netsig_base::units::{Bytes, EstimatedBytes, Procs};

/// Joins items as in a sentence.
pub(super) fn enumeration<T: ToString>(items: impl IntoIterator<Item = T>) -> String {
    let texts: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    match &texts[..] {
        [some @ .., last] if !some.is_empty() => format!("{} and {last}", some.join(", ")),
        few => few.join(""),
    }
}

/// Texts of process counts, such as "from 1 KiB on among 4 and 8, and from 512 B on among 12"; a text may be empty.
pub(super) fn among_counts(texts: impl IntoIterator<Item = (Procs, String)>) -> String {
    let mut by_text: Vec<(String, Vec<Procs>)> = Vec::new();
    for (procs, text) in texts {
        match by_text.iter_mut().find(|(known, _)| *known == text) {
            Some((_, counts)) => counts.push(procs),
            None => by_text.push((text, vec![procs])),
        }
    }
    let parts = by_text
        .into_iter()
        .map(|(text, counts)| format!("{text} among {}", enumeration(counts)).trim_start().to_owned());
    parts.collect_vec().join(", and ")
}

/// A size for people: whole KiB and small sizes as they are, others with three digits.
pub(super) fn size_text(size: Bytes) -> String {
    if size.0 < 1024 || size.0.is_multiple_of(1024) {
        size.to_string()
    } else {
        EstimatedBytes(size.as_f64()).to_string()
    }
}

/// A share in per cent, with a decimal if it is small.
pub(super) fn percent(share: f64) -> String {
    let digits = usize::from(share < 0.1995);
    format!("{:.digits$} %", share * 100.0)
}

/// The `chosen` sizes as ranges of the ascending sizes `all`, such as "1 KiB and 16 KiB to 64 KiB".
pub(super) fn size_ranges(all: &[Bytes], chosen: &[Bytes]) -> String {
    let marked = all.iter().map(|size| (chosen.contains(size), *size)).collect_vec();
    let runs = marked.chunk_by(|a, b| a.0 == b.0).filter(|run| run[0].0);
    enumeration(runs.map(|run| match run {
        [(_, only)] => size_text(*only),
        [(_, first), .., (_, last)] => format!("{} to {}", size_text(*first), size_text(*last)),
        [] => String::new(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_in_a_row_are_a_range() {
        let all = [1, 2, 4, 8, 16].map(|size| Bytes(size << 10));
        assert_eq!(
            size_ranges(&all, &[all[0], all[2], all[3], all[4]]),
            "1 KiB and 4 KiB to 16 KiB"
        );
        assert_eq!(size_ranges(&all, &[]), "");
    }
}
