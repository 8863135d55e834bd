//! Integer sorts as large as class W of NPB's IS, whose `MPI_Alltoallv` brings the keys to the ranks that
//! sort them: `bench/programs/integer_sort.c` among 8 ranks and all hosts, and NPB's own program among 8 if
//! it was built. Of the first the seconds inside `MPI_Alltoallv` count, of the second its own time.

use anyhow::Result;

use super::launch::ProgramLaunch;
use super::programs::{self, PrintedRun, ProgramRow};
use crate::harness::campaign::NetworkSite;
use crate::harness::goals::{BenchGoal, at_least};

/// Ranks of the smaller sort and of NPB's, which takes powers of two.
const FEW: u32 = 8;

/// Least ratio of the time without the preloaded library to that with it.
const LEAST: f64 = 1.6;

/// Words before NPB's own time, and before its verdict.
const TIME: &str = "Time in seconds";
const VERDICT: &str = "Verification";

/// Runs what is missing; a row for each sort.
pub(super) fn rows(site: &NetworkSite, npb: Option<&str>) -> Result<Vec<ProgramRow>> {
    let own = |ranks| ProgramLaunch {
        name: "integer sort",
        around: "",
        command: "ROOT/target/programs/integer_sortEND".to_owned(),
        ranks,
    };
    let sorts = [FEW, site.drawn.whole.hosts().get()].map(own).into_iter();
    let sorts = sorts.map(|launch| (launch, PrintedRun::of as fn(&str) -> PrintedRun));
    let npb = npb.map(|program| {
        let launch = ProgramLaunch {
            name: "NPB IS, class W",
            around: "",
            command: program.to_owned(),
            ranks: FEW,
        };
        (launch, printed as fn(&str) -> PrintedRun)
    });
    let rows = sorts
        .chain(npb)
        .map(|(launch, read)| programs::row(&launch, site, (site.effort.of(4, 1), read)));
    rows.collect()
}

/// What NPB's program prints: `Time in seconds = T`, and whether the keys are sorted.
fn printed(text: &str) -> PrintedRun {
    let value = |name: &str| {
        let mut lines = text.lines().map(str::trim);
        let line = lines.find(|line| line.starts_with(name))?;
        let (_, value) = line.split_once('=')?;
        Some(value.trim())
    };
    PrintedRun {
        seconds: value(TIME).and_then(|time| time.parse().ok()).unwrap_or(f64::NAN),
        rest: value(VERDICT).unwrap_or_default().to_owned(),
    }
}

/// The gains of the sorts; one without a value if none ran.
pub(super) fn goals(rows: &[ProgramRow]) -> Vec<BenchGoal> {
    let goal = |name: &str, gain| BenchGoal::new(name, gain, at_least(LEAST, "×"));
    if rows.is_empty() {
        return vec![goal("integer sorts, without/with the preloaded library", None)];
    }
    let of = |row: &ProgramRow| {
        let ProgramRow { program, ranks, .. } = row;
        let name = format!("{program}, {ranks} ranks, without/with the preloaded library");
        goal(&name, Some(row.without_s / row.with_s))
    };
    rows.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_npb_is_read() {
        let text = " Class           =                        W\n \
                    Time in seconds =                     2.37\n \
                    Verification    =               SUCCESSFUL\n";
        let printed = printed(text);
        assert!((printed.seconds - 2.37).abs() < 1e-12);
        assert_eq!(printed.rest, "SUCCESSFUL");
    }
}
