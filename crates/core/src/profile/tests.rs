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

/// Excerpts of [`TEXT`], and what stands in their place.
const WRONG: [(&str, &str); 54] = [
    ("= 2\n[prov", "= 1\n[prov"),
    ("= 2\n[prov", "= 3\nfuture = 1\n[prov"),
    ("value = 1e-4", "value = -1.0"),
    ("residual = 0.02", "residual = -1"),
    ("[1024, 2e-5]", "[0, 2e-5]"),
    ("[1024, 2e-5]", "[1024, 2e-5, 9]"),
    ("latency_s = 5e-5", "latency_s = nan"),
    ("above_bytes = 64512", "above_bytes = 65536"),
    ("rho = 0.25", "rho = 1.5"),
    ("beta_f_s_per_byte = 2e-7", "beta_f_s_per_byte = -1"),
    ("saturated_pairs = 4", "saturated_pairs = 0"),
    ("alltoall/sig", "reduce/sig"),
    ("factor_001", "factor_002"),
    ("\"plogp\"\nerr", "\"loggp\"\nerr"),
    ("confidence = 0.95, dof = 20", "confidence = 1.5, dof = 20"),
    ("dof = 20", "dof = 0"),
    ("below = 0.1", "below = nan"),
    ("[[0.01,", "[[inf,"),
    ("[0.01, 0.0], ", ""),
    (r#"["gamma", "delta_s"]"#, r#"["delta_s"]"#),
    (r#"["gamma", "delta_s"]"#, r#"["gamma", "gamma"]"#),
    (r#""delta_s"]"#, r#""threshold_bytes"]"#),
    ("lower = 1.7", "lower = -inf"),
    ("value = 2e-3, lower = 1e-3", "value = -2e-3, lower = -1"),
    ("lower = 32768", "lower = 65537"),
    ("threshold_bytes = inf", "threshold_bytes = -5"),
    ("threshold_bytes = inf", "threshold_bytes = 9.5"),
    ("threshold_bytes = inf", "treshold_bytes = 4096"),
    ("latency_s = [[0, 1e-3]]\n", ""),
    ("[[0.25]]", "[[0.25]]\nlatency_s = [[0, 1e-3]]"),
    ("[3, 8]", "[8, 3]"),
    ("[3, 8]", "[]"),
    ("smallest_bytes = 0", "smallest_bytes = 262145"),
    ("\"pairwise\"\nprocs", "\"bruck:2\"\nprocs"),
    (r#""powers""#, r#""rounds""#),
    (r#""others""#, r#""every""#),
    ("confidence = 0.95\ncov", "confidence = 1.5\ncov"),
    ("startup_s = 5e-5", "startup_s = -1.0"),
    ("[4096, 2e-4]", "[256, 2e-4]"),
    ("[4096, 2e-4]", "[4096, inf]"),
    (r#""gamma_eager""#, r#""gamma""#),
    (r#""gamma_eager""#, r#""startup_s""#),
    (r#""gamma_eager""#, r#""gamma_rendezvous""#),
    ("deviation = 0.05", "deviation = -1"),
    ("cells = 12", "cells = 0"),
    ("[3, 6]", "[3, 4]"),
    ("gamma = 1.1", "gamma = -1.1"),
    ("growth = -0.2", "growth = inf"),
    ("spread = 0.02", "spread = nan"),
    ("[512, -0.1]", "[128, -0.1]"),
    ("rate = 0.01", "rate = -0.01"),
    ("bytes = 1e5", "bytes = -1.0"),
    ("gamma = 1.1", "gamma = 1.1\nlambda = 0"),
    ("\"regimes\"\nrea", "\"nope\"\nrea"),
];

fn parsed() -> Profile {
    Profile::parse("p.toml", TEXT).unwrap()
}

#[test]
fn a_profile_reads_back_as_it_was_written() {
    let profile = parsed();
    let factor = &profile.fitted[1];
    assert_eq!(factor.values().unwrap().numbers, [0.5, 0.0, f64::INFINITY]);
    let bases = [0, 1].map(|place: usize| profile.fitted[place].fitted_on);
    assert_eq!(bases, [Base::Hockney, Base::Tables]);
    assert_eq!(Profile::parse("p.toml", &profile.to_toml()), Ok(profile));
}

/// The text without the lines from the one excerpt up to the other.
fn without(from: &str, to: &str) -> String {
    let (before, after) = TEXT.split_once(from).unwrap();
    let (_, after) = after.split_once(to).unwrap();
    format!("{before}{to}{after}")
}

#[test]
fn a_value_that_would_predict_nonsense_is_named_with_its_place() {
    let told = |fault: &str, text: &str| {
        let error = Profile::parse("p.toml", text).unwrap_err().to_string();
        assert!(error.starts_with("p.toml:") && error.lines().count() == 1);
        format!("{fault}\n  {error}\n")
    };
    let mut all: Vec<String> = Vec::new();
    for (right, wrong) in WRONG {
        assert!(TEXT.contains(right), "{right}");
        let text = TEXT.replacen(right, wrong, 1);
        all.push(told(&format!("{right:?} → {wrong:?}"), &text));
    }
    let choice = TEXT.find("[[choice]]").unwrap();
    let twice = format!("{TEXT}{}", &TEXT[choice..]);
    all.push(told("a choice that stands twice", &twice));
    let tables = without("[plogp]", "[protocol]");
    all.push(told("a model of tables without tables", &tables));
    let lone = without("[regimes.model.eager]", "[[choice]]");
    let lone = lone.replace(", \"gamma_eager\"", "");
    let lone = lone.replace("[[1e-12, 0], [0, 1e-4]]", "[[1e-12]]");
    all.push(told("regimes without any protocol", &lone));
    insta::assert_snapshot!(all.concat());
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
    let mut profile = parsed();
    profile.hockney = fitted;
    let again = Profile::parse("p.toml", &profile.to_toml()).unwrap();
    let again = (again.hockney.alpha.value, again.hockney.residual);
    assert_eq!(again, (0.0, f64::INFINITY));
}
