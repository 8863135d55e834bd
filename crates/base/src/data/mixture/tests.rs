//! Differences that make data a mixture, and differences that do not.

use super::*;
use crate::data::testing::read;

/// A file with these facts, a word each, and the row of an alltoall by `library`.
fn by_library(facts: &str) -> Dataset {
    with_row(facts, "collective,alltoall,library,4,8,0,0,1e-4\n")
}

fn measured(facts: &str) -> Dataset {
    with_row(facts, "pingpong,,,2,8,0,0,1e-4\n")
}

fn with_row(facts: &str, row: &str) -> Dataset {
    let facts = facts.split_whitespace().flat_map(|fact| ["#@", fact, "\n"]);
    read(&facts.collect::<String>(), "", row)
}

/// Differences within `a.csv`, or between it and `b.csv`.
fn differences_of(files: &[&Dataset]) -> Vec<String> {
    let names = ["a.csv", "b.csv"].iter().zip(files);
    let sources: Vec<NamedDataset> = names.map(|(name, data)| NamedDataset { name, data }).collect();
    let all = differences(&sources);
    all.iter().map(ToString::to_string).collect()
}

fn between(one: &str, other: &str) -> Vec<String> {
    differences_of(&[&measured(one), &measured(other)])
}

#[test]
fn each_fact_that_identifies_a_network_or_an_mpi_is_told() {
    for key in IDENTIFYING.iter().filter(|key| **key != PLACEMENT) {
        // Operation and type are checked when a file is read.
        let [one, other] = if *key == OPERANDS_KEY {
            ["sum:float", "max:int"]
        } else {
            ["x", "y"]
        };
        let found = between(&format!("{key}={one}"), &format!("{key}={other}"));
        let expected = format!("{key} is {one:?} in a.csv and {other:?} in b.csv");
        assert_eq!(found, [expected]);
    }
}

/// Two jobs of one cluster: other hosts, more of them, another day, another plan.
#[test]
fn two_jobs_of_one_cluster_are_no_mixture() {
    let differing = "netsig ranks hosts seed plan requested_plan kernel env_SLURM_JOB_ID \
        env_OMPI_MCA_plm_rsh_agent started_unix_s launch_0_s launch_1_started_unix_s launch_1_hosts";
    let job = |value: &str, placements: &str| {
        let facts = differing.split(' ').map(|key| format!("{key}={value} "));
        format!("mpi=A {}{placements}", facts.collect::<String>())
    };
    let four = job("1", "placement=a:1,b:1,c:1,d:1");
    let two = job("2", "placement=e:1,f:1 launch_1_placement=e:1,g:1");
    assert_eq!(between(&four, &two), [""; 0]);
}

/// Two files, of which one may lack facts of the other; data of netsig state whether the network is emulated or
/// simulated. One file with later launches and jobs, and a key that stands twice.
#[test]
fn files_that_differ_are_told_with_the_network_before_the_settings() {
    let file_pairs = [
        (
            "setting_btl=tcp mpi=A lab=x env_UCX_TLS=tcp",
            "setting_btl=sm mpi=B lab=y env_UCX_TLS=rc",
        ),
        ("placement=a:1,b:1", "placement=a:2,b:1"),
        ("placement=a:1,b:1", "placement=unknown"),
        ("mpi=A setting_btl=tcp", "mpi=A"),
        ("netsig=0.1 mpi=A lab=x", "netsig=0.1 imported_from=osu source_title=x"),
        ("netsig=0.1 mpi=A", "netsig=0.1 mpi=A lab=x"),
        ("netsig=0.1 mpi=A", "netsig=0.1 simulated=x"),
        ("netsig=0.1 mpi=A lab=x", "netsig=0.1 mpi=A lab=x undelayed_links=a"),
    ];
    let single_files = [
        "mpi=A launch_1_mpi=B launch_2_mpi=C",
        "env_UCX_TLS=tcp launch_2_env_UCX_TLS=",
        "mpi=A launch_2_env_UCX_TLS=tcp",
        "interface=eth0 interface=eth0 interface=ib0",
        "interface=eth0 launch_0_job_1_interface=ib0",
    ];
    let pair_lines = file_pairs.map(|(a, b)| format!("{a} | {b}\n  {}\n", between(a, b).join("\n  ")));
    let single_lines = single_files.map(|a| format!("{a}\n  {}\n", differences_of(&[&by_library(a)]).join("\n  ")));
    insta::assert_snapshot!(pair_lines.concat() + &single_lines.concat());
}

#[test]
fn the_most_ranks_on_a_host_are_those_of_any_launch() {
    let facts = &measured("placement=a:1 launch_1_placement=a:3,b:1").provenance;
    assert_eq!(ranks_per_host(facts), Some(3));
    assert_eq!(ranks_per_host(&Provenance::default()), None);
}

/// The settings of forced algorithms differ by design; where the library chooses, the same settings matter.
#[test]
fn a_forced_choice_is_no_difference_but_a_choice_left_to_the_library_is() {
    let choice = "setting_coll_tuned_alltoall_algorithm";
    let [none, forced] = ["0", "2"].map(|value| format!("{choice}={value}"));
    let variable = "launch_0_job_1_env_MPIR_CVAR_COLLECTIVE_FALLBACK=error";
    let by_job = by_library(&format!("{none} launch_0_job_1_{forced} {variable}"));
    assert_eq!(differences_of(&[&by_job]), [""; 0]);
    let [none, by_netsig] = [by_library(&none), measured(&forced)];
    assert_eq!(differences_of(&[&none, &by_netsig]), [""; 0]);
    let both = differences_of(&[&none, &by_library(&forced)]);
    let expected = format!(r#"{choice} is "0" in a.csv and "2" in b.csv"#);
    assert_eq!(both, [expected]);
}

/// Other components of Open MPI are off where an algorithm of `tuned` is forced, and on where the library chooses. Data
/// of earlier versions, and the first jobs of a file that one of them began, state nothing about them.
#[test]
fn components_before_tuned_are_settings_of_the_choice() {
    let [on, off] = ["35", "0"].map(|value| format!("setting_coll_han_priority={value}"));
    let hcoll = "launch_0_job_1_env_OMPI_MCA_coll_hcoll_enable=0";
    let by_job = by_library(&format!("mpi=A {on} launch_0_job_1_{off} {hcoll}"));
    assert_eq!(differences_of(&[&by_job]), [""; 0]);
    assert_eq!(differences_of(&[&by_library(&on), &measured(&off)]), [""; 0]);
    let both = differences_of(&[&by_library(&on), &by_library(&off)]);
    let expected = r#"setting_coll_han_priority is "35" in a.csv and "0" in b.csv"#;
    assert_eq!(both, [expected]);
    let earlier = by_library("netsig=0.1 mpi=A lab=x");
    let now = by_library(&format!("netsig=0.1 mpi=A lab=x {on}"));
    assert_eq!(differences_of(&[&earlier, &now]), [""; 0]);
    let resumed = by_library(&format!("netsig=0.1 mpi=A lab=x launch_1_{on}"));
    assert_eq!(differences_of(&[&resumed]), [""; 0]);
}

/// Long values are shown by the part that differs, after 15 equal characters.
#[test]
fn long_values_are_cut() {
    let [one, other] = ["b", "c"].map(|end| format!("mpi={}{end}{}", "a".repeat(90), "d".repeat(90)));
    let both = differences_of(&[&measured(&one), &measured(&other)]);
    let part = |end: &str| format!("\"…{}{end}{}…\"", "a".repeat(15), "d".repeat(44));
    let expected = format!("mpi is {} in a.csv and {} in b.csv", part("b"), part("c"));
    assert_eq!(both, [expected]);
}
