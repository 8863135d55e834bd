//! What makes data a mixture, and what does not.

use super::*;
use crate::data::testing::read;

/// A file with these facts and the row of an alltoall by `library`.
fn by_library(facts: &[&str]) -> Dataset {
    with_rows(facts, "collective,alltoall,library,4,8,0,0,1e-4\n")
}

fn measured(facts: &[&str]) -> Dataset {
    with_rows(facts, "pingpong,,,2,8,0,0,1e-4\n")
}

fn with_rows(facts: &[&str], rows: &str) -> Dataset {
    let facts = facts.iter().flat_map(|fact| ["#@", fact, "\n"]);
    read(&facts.collect::<String>(), "", rows)
}

/// What `a.csv`, and `b.csv` if there are two, differ in.
fn told(files: &[&Dataset]) -> Vec<String> {
    let names = ["a.csv", "b.csv"].iter().zip(files);
    let sources: Vec<Source> = names.map(|(name, data)| Source { name, data }).collect();
    differences(&sources)
        .iter()
        .map(ToString::to_string)
        .collect()
}

fn between(one: &[&str], other: &[&str]) -> Vec<String> {
    told(&[&measured(one), &measured(other)])
}

#[test]
fn each_fact_that_identifies_a_network_or_an_mpi_is_told() {
    for key in IDENTIFYING.iter().filter(|key| **key != PLACEMENT) {
        let said = between(&[&format!("{key}=x")], &[&format!("{key}=y")]);
        let expected = format!(r#"{key} is "x" in a.csv and "y" in b.csv"#);
        assert_eq!(said, [expected]);
    }
}

/// Two jobs of one cluster: other hosts, more of them, another day, another plan.
#[test]
fn two_jobs_of_one_cluster_are_no_mixture() {
    let differing = "netsig ranks hosts seed plan requested_plan kernel env_SLURM_JOB_ID \
        env_OMPI_MCA_plm_rsh_agent started_unix_s launch_0_s launch_1_started_unix_s launch_1_hosts";
    let job = |value: &str, placements: &[&str]| {
        let facts = differing.split(' ').map(|key| format!("{key}={value}"));
        let facts: Vec<String> = facts.chain(["mpi=Open MPI 4.1.4".to_owned()]).collect();
        let facts = facts.iter().map(String::as_str);
        measured(&facts.chain(placements.iter().copied()).collect::<Vec<_>>())
    };
    let four = job("1", &["placement=a:1,b:1,c:1,d:1"]);
    let two = job("2", &["placement=e:1,f:1", "launch_1_placement=e:1,g:1"]);
    assert_eq!(told(&[&four, &two]), [""; 0]);
}

/// Two files, where one may not state what the other does.
#[test]
fn files_that_differ_are_told_with_the_network_before_the_settings() {
    let real = &["netsig=0.1.0", "mpi=A"][..];
    let told = [
        (
            &["setting_btl=tcp", "mpi=A", "lab=x", "env_UCX_TLS=tcp"][..],
            &["setting_btl=sm", "mpi=B", "lab=y", "env_UCX_TLS=rc"][..],
        ),
        (&["placement=a:1,b:1"], &["placement=a:2,b:1"]),
        (&["placement=a:1,b:1"], &["placement=by hand"]),
        (&["mpi=A", "setting_btl=tcp"], &["mpi=A"]),
        (
            &["netsig=0.1.0", "mpi=A", "lab=x"],
            &["netsig=0.1.0", "imported_from=osu", "source_title=x"],
        ),
        // Data of netsig say whether the network is emulated or simulated.
        (real, &["netsig=0.1.0", "mpi=A", "lab=x"]),
        (real, &["netsig=0.1.0", "simulated=x"]),
    ]
    .map(|(one, other)| format!("{one:?}, {other:?}\n{}", lines(&between(one, other))));
    insta::assert_snapshot!(told.concat());
}

/// Later launches and jobs, and a key that stands twice.
#[test]
fn a_file_that_differs_from_itself_is_told() {
    let told = [
        &["mpi=A", "launch_1_mpi=B", "launch_2_mpi=C"][..],
        &["env_UCX_TLS=tcp", "launch_2_env_UCX_TLS="],
        &["mpi=A", "launch_2_env_UCX_TLS=tcp"],
        &["interface=eth0", "interface=eth0", "interface=ib0"],
        &["interface=eth0", "launch_0_job_1_interface=ib0"],
    ]
    .map(|facts| format!("{facts:?}\n{}", lines(&told(&[&by_library(facts)]))));
    insta::assert_snapshot!(told.concat());
}

fn lines(said: &[String]) -> String {
    said.iter().flat_map(|line| ["  ", line, "\n"]).collect()
}

#[test]
fn the_most_ranks_on_a_host_are_those_of_any_launch() {
    let facts = &measured(&["placement=a:1", "launch_1_placement=a:3,b:1"]).provenance;
    assert_eq!(ranks_per_host(facts), Some(3));
    assert_eq!(ranks_per_host(&Provenance::default()), None);
}

/// Algorithms that the library is told to take differ in the settings that tell it; where it
/// chooses itself, the same settings matter.
#[test]
fn a_forced_choice_is_no_difference_but_a_choice_left_to_the_library_is() {
    let choice = "setting_coll_tuned_alltoall_algorithm";
    let [none, forced] = ["0", "2"].map(|value| format!("{choice}={value}"));
    let job = format!("launch_0_job_1_{forced}");
    let variable = "launch_0_job_1_env_MPIR_CVAR_COLLECTIVE_FALLBACK=error";
    assert_eq!(told(&[&by_library(&[&none, &job, variable])]), [""; 0]);
    let by_netsig = measured(&[&forced]);
    assert_eq!(told(&[&by_library(&[&none]), &by_netsig]), [""; 0]);
    let both = told(&[&by_library(&[&none]), &by_library(&[&forced])]);
    let expected = format!(r#"{choice} is "0" in a.csv and "2" in b.csv"#);
    assert_eq!(both, [expected]);
}
