//! Regimes are read as they were written, and what would predict nonsense is refused.

use crate::profile::Profile;

const TEXT: &str = r#"
netsig_profile = 1
[hockney]
alpha_s = { value = 1e-4, lower = 1e-4, upper = 1e-4 }
beta_s_per_byte = { value = 2e-7, lower = 2e-7, upper = 2e-7 }
[[regimes]]
collective = "alltoall"
algorithm = "pairwise"
procs_class = "others"
confidence = 0.95
eager_limit_bytes = 65536
startup_s = 5e-5
latency_s = 1e-4
wire_s = [[256, 1e-5], [4096, 2e-4]]
beta_s_per_byte = 2e-7
covariance_of = ["startup_s", "eager.gamma"]
covariance = [[1e-12, 0], [0, 1e-4]]
errors = [{ kind = "eager", deviation = 0.05, cells = 12 }]
domain = { procs = [3, 6], smallest_bytes = 256, largest_bytes = 262144 }
[regimes.eager]
gamma = 1.1
growth = -0.2
overlap = 0
slowdown = 0.3
spread = 0.02
corrections = [[256, 0.1], [512, -0.1]]
stalls = { rate = 0.01, cost_s = 0.2, spread = 0.1, onset_bytes = 1e5, onset_lower_bytes = 9e4, onset_upper_bytes = 2e5 }
[[choice]]
collective = "alltoall"
algorithm = "pairwise"
model = "regimes"
reason = "it misses less"
"#;

#[test]
fn what_is_written_reads_back() {
    let profile = Profile::parse("p.toml", TEXT).unwrap();
    assert_eq!([profile.regimes.len(), profile.choices.len()], [1, 1]);
    assert_eq!(Profile::parse("p.toml", &profile.to_toml()), Ok(profile));
}

/// What stands in [`TEXT`], what is put in its place, and what is said of it.
const WRONG: [[&str; 3]; 30] = [
    [
        "\"pairwise\"\nprocs",
        "\"bruck\"\nprocs",
        "alltoall bruck has no regimes",
    ],
    [
        "\"others\"",
        "\"every\"",
        "domain.procs: 3 is not of the procs_class",
    ],
    ["\"others\"", "\"odd\"", "unknown variant `odd`"],
    ["0.95", "1.5", "confidence = 1.5 "],
    ["= 65536", "= -1", "in [[regimes]] eager_limit_bytes"],
    ["startup_s = 5e-5", "startup_s = -1.0", "startup_s = -1 "],
    [
        "[4096, 2e-4]",
        "[256, 2e-4]",
        "wire_s: [256, 0.0002] is not above",
    ],
    [
        "[4096, 2e-4]",
        "[4096, 1e-6]",
        "wire_s: [4096, 0.000001] is not above",
    ],
    [
        "[4096, 2e-4]",
        "[4096, inf]",
        "wire_s, beta_s_per_byte: time = inf ",
    ],
    [
        "byte = 2e-7\ncov",
        "byte = -1.0\ncov",
        "beta_s_per_byte: beta = -1 ",
    ],
    [
        "\"eager.gamma\"",
        "\"gamma\"",
        "\"gamma\" is none of latency_s, startup_s, eager.gamma",
    ],
    [
        "\"eager.gamma\"",
        "\"startup_s\"",
        "covariance_of names Startup twice",
    ],
    [
        "\"eager.gamma\"",
        "\"rendezvous.gamma\"",
        "names Rendezvous, which is not there",
    ],
    [
        "[0, 1e-4]]",
        "[0, 1e-4], [0, 0]]",
        "the covariance is not 2 by 2",
    ],
    ["[0, 1e-4]]", "[0, nan]]", "the covariance is not finite"],
    [
        "deviation = 0.05",
        "deviation = -1",
        "errors.deviation = -1 ",
    ],
    ["cells = 12", "cells = 0", "errors.cells = 0 "],
    [
        "[3, 6]",
        "[3, 4]",
        "domain.procs: 4 is not of the procs_class",
    ],
    ["gamma = 1.1", "gamma = -1.1", "eager.gamma = -1.1 "],
    ["growth = -0.2", "growth = inf", "eager.growth = inf "],
    ["overlap = 0", "overlap = -1", "eager.overlap = -1 "],
    ["spread = 0.02", "spread = nan", "eager.spread = NaN "],
    [
        "[512, -0.1]",
        "[128, -0.1]",
        "eager.corrections: 256, 128 do not ascend",
    ],
    ["[512, -0.1]", "[512, inf]", "eager.corrections = inf "],
    ["rate = 0.01", "rate = -0.01", "eager.stalls.rate = -0.01 "],
    [
        "cost_s = 0.2",
        "cost_s = -0.2",
        "eager.stalls.cost_s = -0.2 ",
    ],
    [
        "onset_bytes = 1e5",
        "onset_bytes = -1.0",
        "eager.stalls.onset_bytes = -1, ",
    ],
    [
        ", onset_bytes = 1e5",
        "",
        "eager.stalls has not all of onset_bytes",
    ],
    [
        "gamma = 1.1",
        "gamma = 1.1\nlambda = 0",
        "unknown field `lambda`",
    ],
    [
        "\"regimes\"",
        "\"nope\"",
        "[[choice]] of \"pairwise\": \"nope\" is not a model",
    ],
];

#[test]
fn what_would_predict_nonsense_is_named_with_its_section_and_key() {
    for [right, wrong, said] in WRONG {
        assert!(TEXT.contains(right), "{right}");
        let wrong = TEXT.replace(right, wrong);
        let problem = Profile::parse("p.toml", &wrong).unwrap_err().to_string();
        assert!(problem.contains(said), "{said:?} is not in {problem}");
        assert_eq!(problem.lines().count(), 1);
    }
}

#[test]
fn a_profile_without_any_protocol_is_refused() {
    let (before, after) = TEXT.split_once("[regimes.eager]").unwrap();
    let (_, after) = after.split_once("[[choice]]").unwrap();
    let text = format!("{before}[[choice]]{after}").replace(", \"eager.gamma\"", "");
    let text = text.replace("[[1e-12, 0], [0, 1e-4]]", "[[1e-12]]");
    let problem = Profile::parse("p.toml", &text).unwrap_err().to_string();
    assert!(
        problem.contains("neither eager nor rendezvous is there"),
        "{problem}"
    );
}
