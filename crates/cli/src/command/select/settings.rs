//! The settings below a table of `netsig select`: they are longer than a row, and are copied whole.

use std::path::Path;

use itertools::Itertools as _;
use netsig_base::algorithm::{Collective, LIBRARY, MpiFlavour};
use netsig_model::predict::ranking::{self, CaseRanking, RankingPlace};

use crate::print::quote;

/// An algorithm and the words that make it run.
type NamedSetting = (String, String);

/// A title, and the name and words of each algorithm that `mpi` has. Then the same for the algorithms that only netsig
/// has, if they are the first somewhere: `netsig run` brings those under a program, if the library's own choice was
/// measured.
pub(super) fn lines(
    collective: Collective,
    mpi: MpiFlavour,
    rankings: &[CaseRanking],
    profile: &Path,
) -> impl Iterator<Item = String> {
    let has_library = rankings.iter().any(|ranking| ranking.library().is_some());
    let places: Vec<RankingPlace> = rankings.iter().flat_map(CaseRanking::places).collect();
    let mut of_library: Vec<NamedSetting> = Vec::new();
    let mut of_netsig: Vec<NamedSetting> = Vec::new();
    for place in places {
        let name = place.candidate.algorithm();
        match ranking::setting(collective, &name, mpi) {
            Some(setting) => of_library.push((name, setting.to_string())),
            None if has_library && place.rank == 1 && name != LIBRARY => of_netsig.push((name, run_command(profile))),
            None => {}
        }
    }
    let library_lines = titled(format!("Settings for {mpi}:"), of_library);
    library_lines.chain(titled(
        format!("Not in {mpi}; netsig runs these where they are first:"),
        of_netsig,
    ))
}

/// The command that runs a program with netsig's algorithms.
fn run_command(profile: &Path) -> String {
    let words = ["netsig".into(), "run".into(), profile.as_os_str().to_owned()];
    format!("{} -- mpirun …", quote::line(&words))
}

/// The title, and for each algorithm its name and its words, which stand whole on a line of their own; nothing without
/// algorithms.
fn titled(title: String, settings: Vec<NamedSetting>) -> impl Iterator<Item = String> {
    let distinct_settings: Vec<NamedSetting> = settings.into_iter().unique().collect();
    let head = (!distinct_settings.is_empty()).then_some(title);
    let line = move |(name, words): NamedSetting| format!("  {name}\n    {words}");
    head.into_iter().chain(distinct_settings.into_iter().map(line))
}
