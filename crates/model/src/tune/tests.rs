//! The files for a profile whose best choices are known, for 4 processes and more. The best choice is the library's
//! own up to 16 KiB each, from there on a throttled exchange, and from 64 KiB on the pairwise one.

use super::map::{MapPoint, OWN_DECISION};
use super::*;
use crate::profile::Profile;

/// The profile, measured by this MPI.
fn profile(mpi: &str) -> Profile {
    let mut profile = Profile::parse("p.toml", include_str!("tests/profile.toml")).unwrap();
    profile.provenance.push("data_mpi", mpi);
    profile
}

fn release(target: &str) -> TargetRelease {
    match NamedTarget::parse(target) {
        Ok(NamedTarget::Release(release)) => release,
        other => panic!("{other:?}"),
    }
}

const NAMES: CommentNames = CommentNames {
    profile: "p.toml",
    file: "rules",
};

/// The rules for 2 to 8 processes.
fn tuned(profile: &Profile, release: &TargetRelease) -> Vec<TunedCollective> {
    let counts = (2..=8).map(|count| Procs::new(count).unwrap());
    let request = TuningRequest {
        profile,
        network: None,
        release,
        counts: Some(counts.collect()),
        sizes: None,
        operations: ServedOperations::Every,
    };
    tune(&request).unwrap()
}

#[test]
fn rules_of_open_mpi_switch_at_totals_between_guards() {
    let profile = profile("Open MPI v4.1.4, package: Debian OpenMPI");
    for (target, name) in [("openmpi-4.1", "open_mpi_4_1"), ("openmpi-5.0.7", "open_mpi_5_0_7")] {
        let release = release(target);
        let all = tuned(&profile, &release);
        let text = openmpi::rules(&profile, &release, &all, NAMES);
        insta::assert_snapshot!(name, text);
    }
}

/// The launch in the documents is that of the file's comment.
#[test]
fn the_documents_launch_as_the_rules_say() {
    let programs = include_str!("../../../../docs/guide/src/programs.md");
    let slow_alltoall = include_str!("../../../../docs/guide/src/slow-alltoall.md");
    let launch = (release("openmpi-5.0").target.launch)("$PWD/rules.conf");
    for document in [programs, slow_alltoall] {
        assert!(document.contains(&launch), "{launch}");
    }
}

/// MPICH has no throttled exchange; its own tree holds where no rule does.
#[test]
fn mpich_keeps_its_own_branches_beside_the_rules() {
    let text = concat!(
        "\0{\"collective=bcast\":{\"comm_type=intra\":{\"composition=MPIDI_alpha\":{}}}}\0",
        "{\"collective=bcast\":{\"algorithm=MPIR_b\":{}},\"collective=scatter\":{\"algorithm=MPIR_s\":{}},",
        "\"collective=reduce\":{\"algorithm=MPIR_r\":{}},\"collective=allreduce\":{\"algorithm=MPIR_ar\":{}},",
        "\"collective=reduce_scatter\":{\"algorithm=MPIR_rs\":{}},\"collective=barrier\":{\"algorithm=MPIR_ba\":{}},",
        "\"collective=reduce_scatter_block\":{\"algorithm=MPIR_rsb\":{}},",
        "\"collective=gather\":{\"algorithm=MPIR_g\":{}},\"collective=allgather\":{\"algorithm=MPIR_a\":{}},",
        "\"collective=alltoall\":{\"comm_type=intra\":{\"is_sendbuf_inplace=yes\":{\"algorithm=MPIR_r\":{}},",
        "\"is_sendbuf_inplace=no\":{\"algorithm=MPIR_own\":{}}},\"comm_type=inter\":{\"algorithm=MPIR_x\":{}}}}\0"
    );
    let tree = mpich::generic_tree(text.as_bytes()).unwrap();
    let profile = profile("MPICH Version:\t4.0.2");
    let release = release("mpich-4");
    let all = tuned(&profile, &release);
    let file = mpich::patched(&tree, &all).unwrap();
    let comments = mpich::comments(&profile, &release, &all, NAMES).join("\n");
    insta::assert_snapshot!(format!("{comments}\n{}", file.replace("},\"", "},\n\"")));
    assert_eq!(mpich::generic_tree(b"{\"collective=bcast\":{}}\0"), None);
}

/// Data of another MPI: its own decision says nothing about Intel's.
#[test]
fn intel_mpi_has_ranges_and_no_gains_over_what_another_library_does() {
    let throttled_profile = profile("Open MPI v4.1.4, package: Debian OpenMPI");
    let release = release("intelmpi");
    let all = tuned(&throttled_profile, &release);
    assert!(all.is_empty(), "pairwise alone can be told");
    let mut profile = throttled_profile;
    for fitted in &mut profile.fitted {
        if fitted.algorithm == "throttled:4" {
            fitted.algorithm = "direct".to_owned();
        }
    }
    let all = tuned(&profile, &release);
    insta::assert_snapshot!(intelmpi::settings(&profile, &release, &all, NAMES));
}

/// A choice for all sizes is nowhere slower than the library's own decision, however much it gains elsewhere.
#[test]
fn one_rule_for_all_sizes_loses_nowhere() {
    let counts = vec![Procs::new(2).unwrap()];
    let sizes = vec![Bytes(1), Bytes(2)];
    let times = [[4.0, 9.0], [1.0, 9.1], [3.0, 8.0]];
    let map = TuningMap::new(counts, sizes, 3, |choice, _, size| {
        Some(times[choice][usize::from(size.0 == 2)])
    });
    let at = MapPoint { count: 0, size: 0 };
    let mean_times = [OWN_DECISION, 1, 2].map(|choice| map.over_sizes().time(choice, at));
    let root = |product: f64| Some((product.sqrt() * 1e9).round());
    let rounded_means = mean_times.map(|mean| mean.map(|mean| (mean * 1e9).round()));
    assert_eq!(rounded_means, [root(36.0), None, root(24.0)]);
}

/// The library runs algorithm 1 itself from 16 bytes for each of the 4 or 8 processes on. A block ends before the next
/// count, so that 4 processes stand for up to 7.
#[test]
fn no_rule_holds_below_the_sizes_of_its_algorithm() {
    let [four, eight] = [4, 8].map(|count| Procs::new(count).unwrap());
    let rules = |counts: &[Procs], sizes: &[u64]| {
        let sizes = sizes.iter().copied().map(Bytes).collect();
        let all = TuningMap::new(counts.to_vec(), sizes, 2, |choice, _, _| Some([2.0, 1.0][choice]));
        let map =
            all.only_where(|choice, procs, lengths| choice == 0 || lengths.start().0 >= u64::from(16 * procs.get()));
        let blocks = fewest_rules::fewest_blocks(&map, SizeMeasure::Each);
        let listed = |block: &RuleBlock| {
            block
                .rules
                .iter()
                .map(|rule| (rule.from.0, rule.choice))
                .collect::<Vec<_>>()
        };
        blocks.iter().map(listed).collect::<Vec<_>>()
    };
    assert_eq!(rules(&[four], &[32, 64, 128]), [[(0, 0), (64, 1), (129, 0)]]);
    // Below the first size the library decides.
    assert_eq!(rules(&[four], &[64, 128]), [[(0, 0), (64, 1), (129, 0)]]);
    assert_eq!(
        rules(&[four, eight], &[64, 112, 128]),
        [[(0, 0), (112, 1), (129, 0)], [(0, 0), (128, 1), (129, 0)]]
    );
}
