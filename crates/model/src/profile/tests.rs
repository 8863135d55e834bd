//! A profile is read as it was written, and values that would predict nonsense are refused.

use super::Profile;
use crate::fit::Covariance;
use crate::fit::hockney::fit;
use crate::fit::testing::points;
use crate::fitted::ContentionFreeBase;

/// All that a profile can hold.
const TEXT: &str = include_str!("tests/everything.toml");

/// Excerpts of [`TEXT`], and their wrong replacements.
const WRONG: [(&str, &str); 37] = [
    ("value = 1e-4", "value = -1.0"),
    ("[1024, 2e-5]", "[0, 2e-5]"),
    ("[1024, 2e-5]", "[1024, 2e-5, 9]"),
    ("latency_s = 5e-5", "latency_s = nan"),
    ("above_bytes = 64512", "above_bytes = 65536"),
    ("rho = 0.25", "rho = 1.5"),
    ("saturated_pairs = 4", "saturated_pairs = 0"),
    ("alltoall/sig", "scan/sig"),
    ("plogp_factor", "plogp_factors"),
    ("confidence = 0.95, dof = 20", "confidence = 1.5, dof = 20"),
    ("dof = 20", "dof = 0"),
    ("below = 0.1", "below = nan"),
    ("[0.01, 0.0], ", ""),
    (r#"["gamma", "delta_s"]"#, r#"["delta_s"]"#),
    (r#"["gamma", "delta_s"]"#, r#"["gamma", "gamma"]"#),
    (r#""delta_s"]"#, r#""threshold_bytes"]"#),
    ("value = 2e-3, lower = 1e-3", "value = -2e-3, lower = -1"),
    ("lower = 32768", "lower = 65537"),
    ("threshold_bytes = inf", "threshold_bytes = 9.5"),
    ("threshold_bytes = inf", "treshold_bytes = 4096"),
    ("latency_s = [[0, 1e-3]]\n", ""),
    ("[[0.25]]", "[[0.25]]\nlatency_s = [[0, 1e-3]]"),
    ("[3, 8]", "[8, 3]"),
    ("smallest_bytes = 0", "smallest_bytes = 262145"),
    ("\"pairwise\"\nprocs", "\"bruck:2\"\nprocs"),
    (r#""powers""#, r#""rounds""#),
    ("confidence = 0.95\ncov", "confidence = 1.5\ncov"),
    ("[4096, 2e-4]", "[256, 2e-4]"),
    (r#""gamma_eager""#, r#""startup_s""#),
    (r#""gamma_eager""#, r#""gamma_rendezvous""#),
    ("cells = 12", "cells = 0"),
    ("gamma = 1.1", "gamma = -1.1"),
    ("lengths = [1.5", "lengths = [0"),
    ("request_s = 1e-3", "request_s = -1e-3"),
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
    let factor = profile.fitted[1].values().unwrap();
    assert_eq!(factor.numbers, [0.5, 0.0, f64::INFINITY]);
    let bases = [0, 1].map(|place: usize| profile.fitted[place].fitted_on);
    assert_eq!(bases, [ContentionFreeBase::Hockney, ContentionFreeBase::Tables]);
    assert_eq!(Profile::parse("p.toml", &profile.to_toml()), Ok(profile));
}

/// The text without the lines from one excerpt up to another.
fn text_without(from: &str, to: &str) -> String {
    let (before, after) = TEXT.split_once(from).unwrap();
    let (_, after) = after.split_once(to).unwrap();
    format!("{before}{to}{after}")
}

#[test]
fn a_value_that_would_predict_nonsense_is_named_with_its_place() {
    let choice = TEXT.find("[[choice]]").unwrap();
    let without_eager = text_without("[regimes.model.eager]", "[[choice]]").replace(", \"gamma_eager\"", "");
    let lone = without_eager.replace("[[1e-12, 0], [0, 1e-4]]", "[[1e-12]]");
    let whole_texts = [
        ("a choice that stands twice", format!("{TEXT}{}", &TEXT[choice..])),
        (
            "a model of tables without tables",
            text_without("[plogp]", "[protocol]"),
        ),
        ("regimes without any protocol", lone),
    ];
    let changed = WRONG.map(|(right, wrong)| {
        assert!(TEXT.contains(right), "{right}");
        let fault = format!("{right:?} → {wrong:?}");
        (fault, TEXT.replacen(right, wrong, 1))
    });
    let whole = whole_texts.map(|(fault, text)| (fault.to_owned(), text));
    let reported = changed.into_iter().chain(whole).map(|(fault, text)| {
        let error = Profile::parse("p.toml", &text).unwrap_err().to_string();
        assert!(error.starts_with("p.toml:") && error.lines().count() == 1);
        format!("{fault}\n  {error}\n")
    });
    insta::assert_snapshot!(reported.collect::<String>());
}

/// A line through noise has no α; an empty message then takes infinitely longer than that.
#[test]
fn a_fit_without_a_latency_reads_back() {
    let times = [(0, 1e-6), (1000, 2e-6), (2000, 9e-6), (4000, 3e-5)];
    let mut profile = parsed();
    profile.hockney = fit(&points(&times), &Covariance::Ols, 0.95).unwrap().0;
    let read_back = Profile::parse("p.toml", &profile.to_toml()).unwrap();
    let latency_and_residual = (read_back.hockney.alpha.value, read_back.hockney.residual);
    assert_eq!(latency_and_residual, (0.0, f64::INFINITY));
}
