//! A profile is read as it was written, and values that would predict nonsense are refused.

use super::Profile;
use crate::fit::fitted::Base;
use crate::fit::{Covariance, Point, hockney};
use crate::units::{Bytes, Procs, Seconds};

const TEXT: &str = r#"
netsig_profile = 2
[provenance]
data = "a.csv"
[hockney]
alpha_s = { value = 1e-4, lower = 0.9e-4, upper = 1.1e-4 }
beta_s_per_byte = { value = 2e-7, lower = 1.9e-7, upper = 2.1e-7 }
residual = 0.02
[plogp]
latency_s = 5e-5
gap_s = [[0, 1e-5], [1024, 2e-5]]
send_overhead_s = [[0, 1e-6]]
receive_overhead_s = [[0, 0]]
[protocol]
eager_above_bytes = 64512
eager_up_to_bytes = 65536
[flows]
beta_f_s_per_byte = 2e-7
beta_c_s_per_byte = 8e-7
rho = 0.25
saturated_pairs = 4
[[fitted]]
model = "alltoall/signature"
algorithm = "direct"
fitted_on = "hockney"
errors = "means"
student = { confidence = 0.95, dof = 20 }
covariance_of = ["gamma", "delta_s"]
covariance = [[0.01, 0.0], [0.0, 1e-7]]
residuals = { below = 0.1, above = 0.05 }
domain = { procs = [4, 8], smallest_bytes = 256, largest_bytes = 262144, saturation = { from = 4 } }
[fitted.parameters]
gamma = { value = 1.8, lower = 1.7, upper = 1.9 }
delta_s = { value = 2e-3, lower = 1e-3, upper = 3e-3 }
threshold_bytes = { value = 65536, lower = 32768, upper = 65536 }
[[fitted]]
model = "alltoall/factor_001"
algorithm = "direct"
fitted_on = "plogp"
errors = "proportional"
student = { confidence = 0.95, dof = 21 }
covariance_of = ["gamma"]
covariance = [[0.25]]
residuals = { below = 0.2, above = 0.2 }
domain = { procs = [3, 8], smallest_bytes = 256, largest_bytes = 262144 }
parameters = { gamma = { value = 0.5, lower = 0.4, upper = 0.6 }, threshold_bytes = inf }
[[fitted]]
model = "alltoall/tam"
algorithm = "direct"
fitted_on = "hockney"
errors = "bandwidth-share"
student = { confidence = 0.95, dof = 22 }
latency_s = [[0, 1e-3]]
covariance_of = []
covariance = []
residuals = { below = 0.3, above = 0.3 }
domain = { procs = [4], smallest_bytes = 0, largest_bytes = 9 }
parameters = {}
[[regimes]]
collective = "alltoall"
algorithm = "pairwise"
procs_class = "others"
confidence = 0.95
covariance_of = ["startup_s", "gamma_eager"]
covariance = [[1e-12, 0], [0, 1e-4]]
errors = [{ kind = "eager", deviation = 0.05, cells = 12 }]
domain = { procs = [3, 6], smallest_bytes = 256, largest_bytes = 262144 }
[regimes.model]
pattern = { exchange = "powers" }
eager_limit_bytes = 65536
startup_s = 5e-5
latency_s = 1e-4
wire = { times_s = [[256, 1e-5], [4096, 2e-4]], beta_s_per_byte = 2e-7 }
[regimes.model.eager]
gamma = 1.1
growth = -0.2
overlap = 0
slowdown = 0.3
spread = 0.02
corrections = [[256, 0.1], [512, -0.1]]
stalls = { rate = 0.01, cost_s = 0.2, spread = 0.1, onset = { bytes = 1e5, lower = 9e4, upper = 2e5 } }
[[choice]]
collective = "alltoall"
algorithm = "pairwise"
model = "regimes"
reason = "it misses less"
"#;

/// An excerpt of [`TEXT`], the text in its place, and an excerpt of the message.
const WRONG: [[&str; 3]; 61] = [
    [
        "= 2\n[prov",
        "= 1\n[prov",
        "p.toml:2: profile version 1 is older than 2",
    ],
    [
        "= 2\n[prov",
        "= 3\nfuture = 1\n[prov",
        "profile version 3 is newer than 2",
    ],
    ["value = 1e-4", "value = -1.0", "[hockney] alpha_s = "],
    ["upper = 1.1e-4", "upper = inf", "[hockney] alpha_s = "],
    [
        "lower = 1.9e-7",
        "lower = 3e-7",
        "[hockney] beta_s_per_byte = ",
    ],
    [
        "residual = 0.02",
        "residual = -1",
        "[hockney] residual = -1 ",
    ],
    [
        "[1024, 2e-5]",
        "[0, 2e-5]",
        "the table = [… 0 B, 0 B …] is not allowed",
    ],
    ["[1024, 2e-5]", "[1024, 2e-5, 9]", "a row [bytes, number]"],
    [
        "latency_s = 5e-5",
        "latency_s = nan",
        "L = NaN is not allowed",
    ],
    [
        "above_bytes = 64512",
        "above_bytes = 65536",
        "[protocol] eager_above_bytes = 65536 ",
    ],
    ["rho = 0.25", "rho = 1.5", "[flows] rho = 1.5 "],
    [
        "beta_f_s_per_byte = 2e-7",
        "beta_f_s_per_byte = -1",
        "[flows] beta_f_s_per_byte = -1 ",
    ],
    [
        "saturated_pairs = 4",
        "saturated_pairs = 0",
        "[flows] saturated_pairs = 0 ",
    ],
    [
        "alltoall/sig",
        "reduce/sig",
        "\"reduce\" is not a collective",
    ],
    [
        "factor_001",
        "factor_002",
        "\"factor_002\" is not a model of alltoall",
    ],
    [
        "\"plogp\"\nerr",
        "\"loggp\"\nerr",
        "unknown variant `loggp`",
    ],
    [
        "confidence = 0.95, dof = 20",
        "confidence = 1.5, dof = 20",
        "confidence = 1.5 ",
    ],
    [
        "confidence = 0.95, dof = 20",
        "confidenze = 0.95, dof = 20",
        "`confidenze`",
    ],
    ["dof = 20", "dof = 0", "dof = 0 leaves no interval"],
    ["below = 0.1", "below = nan", "residuals.below = NaN "],
    ["above = 0.05", "above = inf", "residuals.above = inf "],
    ["[[0.01,", "[[inf,", "the covariance is not finite"],
    ["[0.01, 0.0], ", "", "the covariance is not 1 by 1"],
    [
        "[\"gamma\", \"delta_s\"]",
        "[\"delta_s\"]",
        "covariance_of does not name \"gamma\"",
    ],
    [
        "[\"gamma\", \"delta_s\"]",
        "[\"gamma\", \"gamma\"]",
        "covariance_of names \"gamma\" twice",
    ],
    [
        "\"delta_s\"]",
        "\"threshold_bytes\"]",
        "not linear in threshold_bytes",
    ],
    [
        "lower = 1.7",
        "lower = -inf",
        "[[fitted]] signature of \"direct\": parameters.gamma = ",
    ],
    [
        "value = 2e-3, lower = 1e-3",
        "value = -2e-3, lower = -1",
        "delta_s = -0.002 is not at least 0",
    ],
    [
        "lower = 32768",
        "lower = 65537",
        "threshold_bytes = { value = 65536.0, lower = 65537.0, ",
    ],
    [
        "threshold_bytes = inf",
        "threshold_bytes = -5",
        "parameters.threshold_bytes = -5 is not at least 0",
    ],
    [
        "threshold_bytes = inf",
        "threshold_bytes = 9.5",
        "parameters.threshold_bytes = 9.5 is neither a whole number",
    ],
    [
        "threshold_bytes = inf",
        "treshold_bytes = 4096",
        "parameters.treshold_bytes is none of gamma, ",
    ],
    [
        "gamma = { value = 0.5",
        "gemma = { value = 0.5",
        "parameters.gemma is none of gamma, ",
    ],
    [
        "latency_s = [[0, 1e-3]]\n",
        "",
        "tam lacks its table latency_s",
    ],
    [
        "[[0.25]]",
        "[[0.25]]\nlatency_s = [[0, 1e-3]]",
        "factor_001 takes no table latency_s",
    ],
    [
        "[3, 8]",
        "[8, 3]",
        "domain.procs = [… 8, 3 …] does not ascend",
    ],
    ["[3, 8]", "[3, 3]", "domain.procs = [… 3, 3 …] "],
    ["[3, 8]", "[]", "domain.procs = [] names no process count"],
    [
        "smallest_bytes = 0",
        "smallest_bytes = 262145",
        "domain.smallest_bytes = 262145 ",
    ],
    [
        "\"pairwise\"\nprocs",
        "\"bruck:2\"\nprocs",
        "alltoall bruck:2 has no regimes",
    ],
    [
        "\"powers\"",
        "\"rounds\"",
        "model.pattern is not that of the algorithm",
    ],
    [
        "\"others\"",
        "\"every\"",
        "domain.procs: 3 is not of the procs_class",
    ],
    ["\"others\"", "\"odd\"", "unknown variant `odd`"],
    [
        "confidence = 0.95\ncov",
        "confidence = 1.5\ncov",
        "confidence = 1.5 ",
    ],
    [
        "startup_s = 5e-5",
        "startup_s = -1.0",
        "model.startup_s = -1 ",
    ],
    [
        "[4096, 2e-4]",
        "[256, 2e-4]",
        "times_s: [256, 0.0002] is not above",
    ],
    [
        "[4096, 2e-4]",
        "[4096, inf]",
        "times_s, beta_s_per_byte: time = inf ",
    ],
    [
        "\"gamma_eager\"",
        "\"gamma\"",
        "\"gamma\" is not a parameter of the regimes",
    ],
    [
        "\"gamma_eager\"",
        "\"startup_s\"",
        "covariance_of names \"startup_s\" twice",
    ],
    [
        "\"gamma_eager\"",
        "\"gamma_rendezvous\"",
        "\"gamma_rendezvous\", whose protocol is not there",
    ],
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
    ["gamma = 1.1", "gamma = -1.1", "model.eager.gamma = -1.1 "],
    ["growth = -0.2", "growth = inf", "eager.growth = inf "],
    ["spread = 0.02", "spread = nan", "eager.spread = NaN "],
    [
        "[512, -0.1]",
        "[128, -0.1]",
        "eager.corrections: 256, 128 do not ascend",
    ],
    ["rate = 0.01", "rate = -0.01", "eager.stalls.rate = -0.01 "],
    [
        "bytes = 1e5",
        "bytes = -1.0",
        "eager.stalls.onset = -1 bytes, ",
    ],
    [
        "gamma = 1.1",
        "gamma = 1.1\nlambda = 0",
        "unknown field `lambda`",
    ],
    [
        "\"regimes\"\nrea",
        "\"nope\"\nrea",
        "[[choice]] of \"pairwise\": \"nope\" is not a model",
    ],
];

fn problem(text: &str) -> String {
    Profile::parse("p.toml", text).unwrap_err().to_string()
}

#[test]
fn a_profile_reads_back_as_it_was_written() {
    let profile = Profile::parse("p.toml", TEXT).unwrap();
    let factor = &profile.fitted[1];
    assert_eq!(factor.values().unwrap().numbers, [0.5, 0.0, f64::INFINITY]);
    let bases = [0, 1].map(|place: usize| profile.fitted[place].fitted_on);
    assert_eq!(bases, [Base::Hockney, Base::Tables]);
    assert_eq!(Profile::parse("p.toml", &profile.to_toml()), Ok(profile));
}

#[test]
fn a_value_that_would_predict_nonsense_is_named_with_its_place() {
    for [right, wrong, said] in WRONG {
        assert!(TEXT.contains(right), "{right}");
        let problem = problem(&TEXT.replacen(right, wrong, 1));
        assert!(problem.contains(said), "{said:?} is not in {problem}");
        assert!(problem.starts_with("p.toml:") && problem.lines().count() == 1);
    }
    let sections = TEXT.split("[[choice]]").collect::<Vec<_>>();
    let twice = format!("{TEXT}[[choice]]{}", sections[1]);
    assert!(problem(&twice).contains("[[choice]] (Alltoall, \"pairwise\") stands twice"));
}

#[test]
fn a_model_that_was_fitted_on_tables_needs_them() {
    let is_of_tables = |line: &&str| {
        ["latency_s = 5", "gap_s", "send_", "receive_", "[plogp]"]
            .iter()
            .any(|key| line.starts_with(key))
    };
    let bare: Vec<&str> = TEXT.lines().filter(|line| !is_of_tables(line)).collect();
    assert!(problem(&bare.join("\n")).contains("the profile has no [plogp]"));
}

#[test]
fn regimes_without_any_protocol_are_refused() {
    let (before, after) = TEXT.split_once("[regimes.model.eager]").unwrap();
    let (_, after) = after.split_once("[[choice]]").unwrap();
    let text = format!("{before}[[choice]]{after}").replace(", \"gamma_eager\"", "");
    let text = text.replace("[[1e-12, 0], [0, 1e-4]]", "[[1e-12]]");
    assert!(problem(&text).contains("neither eager nor rendezvous is there"));
}

/// A line through noise has no α; an empty message then takes infinitely longer than that.
#[test]
fn a_fit_without_a_latency_reads_back() {
    let point = |(size, time)| Point {
        procs: Procs::new(2).unwrap(),
        size: Bytes(size),
        time: Seconds(time),
        deviation: Seconds(time / 100.0),
        repetitions: 10,
    };
    let times = [(0, 1e-6), (1000, 2e-6), (2000, 9e-6), (4000, 3e-5)];
    let (fitted, _) = hockney::fit(&times.map(point), &Covariance::Ols, 0.95).unwrap();
    let profile = Profile {
        hockney: fitted,
        ..Profile::parse("p.toml", TEXT).unwrap()
    };
    let again = Profile::parse("p.toml", &profile.to_toml())
        .unwrap()
        .hockney;
    assert_eq!((again.alpha.value, again.residual), (0.0, f64::INFINITY));
}
