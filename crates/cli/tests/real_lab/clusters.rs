//! Algorithms that follow clusters, in the lab: every datum arrives between sites, and between hosts with
//! several processes each.

use std::fmt::Write as _;
use std::fs;

use netsig_base::algorithm::{COLLECTIVES, Collective, CollectiveMethod, algorithm_entries};
use netsig_base::data::{Dataset, cluster_facts};
use tempfile::TempDir;

use super::{compile, has_lab, netsig, path_of, rank_program, run_unless_void, stderr_text, workspace};
use crate::long_form::is_long_form;

/// Repetitions of each cell.
const REPETITIONS: usize = 2;

/// A plan with the number of its cells.
struct ClusterPlan {
    text: String,
    cells: usize,
}

/// A plan of all algorithms that follow clusters, with settings of few and of many.
fn plan(procs: &[u32], sizes: &str) -> ClusterPlan {
    let (mut text, mut cells) = (String::new(), 0);
    for &collective in COLLECTIVES {
        let named = algorithm_entries(collective).flat_map(|entry| [1, 300].map(|value| entry.text(|_| value)));
        let follows =
            |name: &String| CollectiveMethod::parse(collective, name).is_ok_and(|method| method.follows_clusters());
        let mut names: Vec<String> = named.filter(follows).collect();
        names.dedup();
        if !names.is_empty() {
            let sizes = sizes_of(collective, procs, sizes);
            write!(
                text,
                "[[collective]]\nname = \"{collective}\"\nalgorithms = {names:?}\nprocs = {procs:?}\n\
                 sizes = {sizes:?}\nrepetitions = {REPETITIONS}\n"
            )
            .unwrap();
            cells += names.len() * procs.len() * sizes.split(',').count();
        }
    }
    ClusterPlan { text, cells }
}

/// Sizes that the collective has: none of a barrier, whole elements in equal blocks of a reduction.
fn sizes_of(collective: Collective, procs: &[u32], sizes: &str) -> String {
    let unit = procs.iter().fold(8, |product: u64, count| product * u64::from(*count));
    match collective {
        Collective::Barrier => "0".to_owned(),
        _ if collective.is_reduction() => {
            let multiples = (0..).zip(sizes.split(',')).map(|(place, size)| {
                let least: u64 = size.trim().parse().unwrap();
                (least.next_multiple_of(unit) + place * unit).to_string()
            });
            multiples.collect::<Vec<_>>().join(",")
        }
        _ => sizes.to_owned(),
    }
}

/// Measures a plan; wrong data would be rejected.
fn measured(scenario: &str, options: &[&str], plan: &ClusterPlan) -> Dataset {
    let home = TempDir::new().unwrap();
    fs::write(home.path().join("plan.toml"), &plan.text).unwrap();
    let place = format!("lab:{scenario}");
    let arguments = ["measure", "plan.toml", "-o", "data.csv", "--on", &place];
    let mut command = netsig(home.path(), &[&arguments, options].concat());
    command
        .args(["--mpirun", &path_of("mpirun.openmpi")])
        .env("NETSIG_RANK_PROGRAM", rank_program());
    let output = run_unless_void(command, home.path());
    assert!(output.status.success(), "{}", stderr_text(&output));
    let file = fs::File::open(home.path().join("data.csv")).unwrap();
    let data = Dataset::read("data.csv", file).unwrap();
    assert_eq!(data.samples.len(), REPETITIONS * plan.cells, "{}", stderr_text(&output));
    data
}

/// The last host has fewer processes than the others; in the long form also as many.
#[test]
fn every_datum_arrives_between_hosts_with_several_processes() {
    if !has_lab() {
        return;
    }
    for ppn in if is_long_form() { 2..=4 } else { 3..=3 } {
        let all = 4 * ppn;
        let (counts, last) = if is_long_form() {
            (&[all - 1, all][..], ppn)
        } else {
            (&[all - 1][..], ppn - 1)
        };
        let plan = plan(counts, "1, 1001");
        let data = measured("ethernet-4x50", &["--ppn", &ppn.to_string()], &plan);
        let layout = cluster_facts::layout(&data.provenance, "").unwrap();
        assert!(layout.sizes().eq([ppn, ppn, ppn, last]), "{layout}");
    }
}

/// Sizes of less than a word, odd, and in the long form too large to be sent without the receiver's consent.
#[test]
fn every_datum_arrives_between_three_sites() {
    if !has_lab() {
        return;
    }
    let (plan, sites) = if is_long_form() {
        (plan(&[7, 12], "1, 1001, 70000"), "4+4+4")
    } else {
        (plan(&[11], "1, 1001"), "4+4+3")
    };
    let data = measured("wan-4-4-4-30x10", &[], &plan);
    let layout = cluster_facts::layout(&data.provenance, "").unwrap();
    assert_eq!(layout.to_string(), sites);
}

/// Sizes from which on the library overflows ports of 64 KiB between sites.
const SLOW: &str = "synchronisation = \"window\"\n[pingpong]\nsizes = \"1, 64, 1KiB..256KiB\"\nrepetitions = 3\n\
    [[collective]]\nname = \"alltoall\"\nalgorithms = [\"library\", \"two-phase-staggered:3\"]\n\
    procs = [8, 12]\nsizes = \"1KiB, 2KiB, 4KiB, 8KiB\"\nrepetitions = 4\n";

/// Under either MPI, a program's exchange of 4 KiB between three sites runs in two phases, and delivers all data.
#[test]
fn a_program_between_sites_exchanges_in_two_phases() {
    if !(is_long_form() && has_lab()) {
        return;
    }
    for mpi in ["openmpi", "mpich"] {
        let home_directory = TempDir::new().unwrap();
        let home = home_directory.path();
        fs::write(home.join("plan.toml"), SLOW).unwrap();
        let scenario_path = workspace().join("scenarios/wan-4-4-4-30x10.toml");
        let scenario = fs::read_to_string(scenario_path).unwrap();
        fs::write(home.join("sites.toml"), scenario.replace("128KiB", "64KiB")).unwrap();
        let mpirun = path_of(&format!("mpirun.{mpi}"));
        let ends_well = |arguments: &str| {
            let words: Vec<&str> = arguments.split(' ').collect();
            let mut command = netsig(home, &words);
            let program = workspace().join(format!("target/{mpi}/debug/netsig-rank"));
            command.env("NETSIG_RANK_PROGRAM", program);
            let output = run_unless_void(command, home);
            assert!(output.status.success(), "{mpi}: {}", stderr_text(&output));
            String::from_utf8(output.stdout).unwrap()
        };
        ends_well(&format!(
            "discover -o clusters.toml --on lab:sites.toml --mpirun {mpirun}"
        ));
        ends_well(&format!(
            "measure plan.toml -o data.csv --on lab:sites.toml --clusters clusters.toml --mpirun {mpirun}"
        ));
        ends_well("fit data.csv -o profile.toml");
        compile(home, mpi, &["-DRANKS=12", "-DLENGTH=1024"]);
        let this = env!("CARGO_BIN_EXE_netsig");
        let printed = ends_well(&format!(
            "lab exec ./sites.toml -- {this} run --output report.csv profile.toml -- {mpirun} -np 12 ./{mpi}"
        ));
        assert!(printed.contains("\n0 wrong\n"), "{mpi}: {printed}");
        let report = fs::read_to_string(home.join("report.csv")).unwrap();
        let is_ours = |line: &str| line.starts_with("alltoall,12,4096,1,") && line.contains(",two-phase-staggered:3,");
        assert!(report.lines().any(is_ours), "{mpi}: {report}");
    }
}

#[test]
fn a_host_in_no_cluster_is_named() {
    if !has_lab() {
        return;
    }
    let home = TempDir::new().unwrap();
    let file = |name: &str, text: &str| fs::write(home.path().join(name), text).unwrap();
    file("plan.toml", &plan(&[4], "1").text);
    file(
        "clusters.toml",
        "[[cluster]]\nname = 'a'\nhosts = 'h[0-1]'\n[[cluster]]\nname = 'b'\nhosts = 'h2'\n",
    );
    let arguments = ["measure", "plan.toml", "-o", "data.csv", "--on"];
    let mut command = netsig(home.path(), &[&arguments[..], &["lab:ethernet-4x50"]].concat());
    command
        .args(["--clusters", "clusters.toml"])
        .args(["--mpirun", &path_of("mpirun.openmpi")])
        .env("NETSIG_RANK_PROGRAM", rank_program());
    let output = run_unless_void(command, home.path());
    let message = stderr_text(&output);
    assert_eq!(output.status.code(), Some(1), "{message}");
    let told = "rank 3 runs on h3, which is in no cluster; add h3 to a [[cluster]]";
    assert!(message.contains(told), "{message}");
}
