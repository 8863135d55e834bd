//! Reductions that others measured on Peak and Fugaku, from files that are not part of the repository.
//!
//! Sources: naughtont3/ompi-collectives-tuning, branch `tjn-peak`, and HLC-Lab/pico, commit 413bc5d, results/fugaku, both
//! converted to netsig's CSV under the algorithm names of the sources. Peak numbers the algorithms of Open MPI
//! (`ompi-K`); Fugaku names those of its library, which descends from Open MPI (`default-NAME`). Other names are left
//! out, also the libraries' own choices: they are one of these algorithms.

use std::path::Path;

use anyhow::Result;
use netsig_base::algorithm::{Collective, CollectiveMethod, LIBRARY, MpiFlavour, offered_algorithms};
use netsig_base::data::{Dataset, LaunchCell, OPERANDS_KEY};
use netsig_base::units::Procs;

use super::sets::{JudgedNetwork, SetGroup, SetSplit};
use crate::harness::process;

/// The judged collectives, by their names in the names of files.
const COLLECTIVES: [(&str, Collective); 2] = [
    ("allreduce", Collective::Allreduce),
    ("reduce_scatter", Collective::ReduceScatter),
];

/// Cuts that leave two counts on several hosts to fit.
const PEAK_CUTS: [u32; 3] = [64, 128, 256];
const FUGAKU_CUTS: [u32; 3] = [64, 512, 4096];

/// The algorithm of Fugaku's library that no entry of netsig has.
const WITHOUT_ENTRY: &str = "basic-linear";

/// Ranks on a host of Peak.
const PEAK_RANKS: u32 = 16;

/// The reductions of both machines in a folder with the folders `peak` and `fugaku`.
pub fn networks(folder: &Path) -> Result<Vec<JudgedNetwork>> {
    let mut networks = Vec::new();
    for (name, collective) in COLLECTIVES {
        networks.push(on_peak(folder, name, collective)?);
        networks.push(on_fugaku(folder, name, collective)?);
    }
    Ok(networks)
}

fn on_peak(folder: &Path, name: &str, collective: Collective) -> Result<JudgedNetwork> {
    let mut data = process::read_dataset(&folder.join(format!("peak/peak-{name}.csv")))?;
    rename(&mut data, |text| peak_name(collective, text));
    let hosts = (0..32).map(|host| format!("node{host}:{PEAK_RANKS}"));
    data.provenance.push("placement", hosts.collect::<Vec<_>>().join(","));
    data.provenance.push(OPERANDS_KEY, "sum:float");
    Ok(JudgedNetwork {
        data,
        splits: up_to(PEAK_CUTS),
        ..JudgedNetwork::new(&format!("peak-{name}"), SetGroup::Reductions)
    })
}

/// The sizes of reduce-scatters on Fugaku are of one block.
fn on_fugaku(folder: &Path, name: &str, collective: Collective) -> Result<JudgedNetwork> {
    let path = folder.join(format!("fugaku/{name}-all-algorithms.csv.gz"));
    let mut data = process::read_dataset(&path)?;
    rename(&mut data, |text| fugaku_name(collective, text));
    if collective == Collective::ReduceScatter {
        for sample in &mut data.samples {
            sample.cell.size.0 *= u64::from(sample.cell.procs.get());
        }
    }
    data.provenance.push(OPERANDS_KEY, "sum:float");
    Ok(JudgedNetwork {
        data,
        splits: up_to(FUGAKU_CUTS),
        ..JudgedNetwork::new(&format!("fugaku-{name}"), SetGroup::Reductions)
    })
}

fn up_to(cuts: [u32; 3]) -> Vec<SetSplit> {
    let split = |count| SetSplit::UpTo(Procs::new(count).expect("a cut has processes"));
    cuts.map(split).to_vec()
}

/// netsig's name of `ompi-K`.
fn peak_name(collective: Collective, text: &str) -> Option<String> {
    let number: u32 = text.strip_prefix("ompi-")?.parse().ok()?;
    offered_name(collective, |offered, _| offered == number)
}

/// netsig's name of `default-NAME`.
fn fugaku_name(collective: Collective, text: &str) -> Option<String> {
    let wanted = text.strip_prefix("default-")?.replace('_', "-");
    offered_name(collective, |_, offered| {
        offered.replace('_', "-") == wanted && wanted != WITHOUT_ENTRY
    })
}

/// `library:NAME` of the algorithm of Open MPI with this number and name, if its traffic is known.
fn offered_name(collective: Collective, is_wanted: impl Fn(u32, &str) -> bool) -> Option<String> {
    let offered = offered_algorithms(collective).into_iter();
    let mut of_library = offered.filter(|algorithm| algorithm.flavour == MpiFlavour::OpenMpi);
    let found = of_library.find(|algorithm| is_wanted(algorithm.number(), algorithm.name))?;
    let name = format!("{LIBRARY}:{}", found.name);
    let method = CollectiveMethod::parse(collective, &name).ok()?;
    method.traffic().map(|_| name)
}

/// Keeps the rows whose algorithm has another name, and gives them that name.
fn rename(data: &mut Dataset, algorithm: impl Fn(&str) -> Option<String>) {
    let renamed = |cell: &mut LaunchCell| {
        let name = algorithm(&cell.algorithm);
        if let Some(name) = &name {
            cell.algorithm = name.as_str().into();
        }
        name.is_some()
    };
    data.samples.retain_mut(|sample| renamed(&mut sample.cell));
    data.aggregates.retain_mut(|aggregate| renamed(&mut aggregate.cell));
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "experiment,collective,algorithm,procs,size_bytes,repetition,launch,time_s\n";

    /// Numbers and names of the sources become names of Open MPI's algorithms; others are left out.
    #[test]
    fn algorithms_have_the_names_of_open_mpi() {
        let rows = [
            "ompi-0",
            "ompi-1",
            "ompi-3",
            "ompi-6",
            "ompi-9",
            "default-default",
            "BINE-L",
        ];
        let lines = rows.map(|name| format!("collective,allreduce,{name},8,64,0,0,1.0\n"));
        let mut data = Dataset::read("data.csv", (HEAD.to_owned() + &lines.concat()).as_bytes()).unwrap();
        rename(&mut data, |text| peak_name(Collective::Allreduce, text));
        let names = data.samples.iter().map(|sample| sample.cell.algorithm.to_string());
        assert_eq!(
            names.collect::<Vec<_>>(),
            [
                "library:basic_linear",
                "library:recursive_doubling",
                "library:rabenseifner"
            ]
        );
        let of_fugaku = |text| fugaku_name(Collective::ReduceScatter, text);
        let halving = Some("library:recursive_halving".to_owned());
        assert_eq!(of_fugaku("default-recursive-halving"), halving);
        assert_eq!(of_fugaku("RING-UTOFU"), None);
        assert_eq!(fugaku_name(Collective::Allreduce, "default-basic_linear"), None);
    }
}
