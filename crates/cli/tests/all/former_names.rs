//! Names of earlier versions keep working: options, models, and models in profiles. `contract.rs` has `demo --out`, and
//! `run.rs` has `run --report`.

use super::support::TestHome;

/// Commands with former names of options or models, and the same commands with the present names.
const RENAMED: [[&str; 2]; 7] = [
    [
        "plan --budget 10m --for 'alltoall up to 16' --most 8 --sizes 1KiB..8KiB",
        "plan --budget 10m --prediction 'alltoall up to 16' --max-procs 8 --size 1KiB..8KiB",
    ],
    [
        "predict profile.toml --collective alltoall --procs 8 --sizes 1KiB --model free",
        "predict profile.toml --collective alltoall --procs 8 --size 1KiB --model contention_free",
    ],
    [
        "simulate --network ethernet-8x50 --collective alltoall --algorithm direct --procs 8 --sizes 1KiB",
        "simulate --network ethernet-8x50 --collective alltoall --algorithm direct --procs 8 --size 1KiB",
    ],
    [
        "fit data.csv -o - --model factor_003",
        "fit data.csv -o - --model plogp_overhead_factor",
    ],
    ["models factor_001", "models plogp_factor"],
    ["models upper_003", "models plogp_overhead_bound"],
    ["models tree", "models tree_bound"],
];

#[test]
fn former_names_of_options_and_models_are_accepted() {
    let home = TestHome::fitted();
    for [former, present] in RENAMED {
        assert_eq!(home.run(former), home.run(present), "{former}");
    }
}

#[test]
fn former_names_of_models_in_profiles_are_read() {
    let home = TestHome::fitted();
    let profile = home.read("profile.toml");
    let former = profile.replace("alltoall/plogp_factor\"", "alltoall/factor_001\"");
    assert_ne!(former, profile);
    home.write("former.toml", &former);
    let predict = |file: &str| {
        home.run(&format!(
            "predict {file} --collective alltoall --procs 8 --size 1KiB --model plogp_factor"
        ))
    };
    assert_eq!(predict("former.toml"), predict("profile.toml"));
}
