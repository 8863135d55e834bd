//! `netsig fit`: parameters from data, with intervals and what they mean.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use netsig_core::dataset::{Dataset, Provenance};
use netsig_core::fit::Estimate;
use netsig_core::fit::network::{self, AlgorithmFit, NetworkFit};
use netsig_core::fit::saturation::Saturation;
use netsig_core::fit::signature::{Options, Parameter, Sides, ThresholdChoice, Unsaturated};
use netsig_core::model::signature::Form;
use netsig_core::units::{Bytes, Seconds};

use crate::args::{self, CovarianceChoice, StatisticChoice};
use crate::failure::Failure;
use crate::files;
use crate::rows::{Cell, Format, Rows};

/// Fit models to data, print them with intervals and diagnosis, write a profile.
#[derive(clap::Args)]
pub struct Args {
    /// The data file.
    data: PathBuf,
    /// The profile to write.
    #[arg(short, long, value_name = "PROFILE")]
    output: PathBuf,
    #[command(flatten)]
    choices: Choices,
    /// How to print the parameters.
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

/// How to fit.
#[derive(Debug, Clone, clap::Args)]
pub struct Choices {
    /// The model.
    #[arg(long, value_enum, default_value = "auto")]
    model: Model,
    /// M: a size, auto (search) or none.
    #[arg(long, value_parser = args::threshold, default_value = "auto")]
    threshold: ThresholdChoice,
    /// The covariance of the errors: auto, means, proportional, bandwidth-share, ols or
    /// ar1:RHO.
    #[arg(long, value_parser = args::covariance, default_value = "auto")]
    covariance: CovarianceChoice,
    /// What stands for the repetitions of a collective.
    #[arg(long, value_enum, default_value = "mean")]
    statistic: StatisticChoice,
    /// Keep process counts that do not saturate the network in the fit.
    #[arg(long)]
    keep_unsaturated: bool,
    /// The level of intervals and tests.
    #[arg(long, value_parser = args::confidence, default_value = "0.95")]
    confidence: f64,
}

/// Which model to fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Model {
    /// The signature, with a second gamma below M where the data show one.
    Auto,
    /// The signature as printed in 2006: gamma on the whole bound, one for all sizes.
    Signature,
    /// The signature as printed in 2007: gamma on the bandwidth term alone.
    SignatureBandwidth,
    /// The 2006 formula with its literal parentheses: delta added once.
    SignatureDeltaOnce,
}

impl Choices {
    /// What a fit without options does, for `statistic`.
    pub fn standard(statistic: StatisticChoice) -> Self {
        Self {
            model: Model::Auto,
            threshold: ThresholdChoice::Search,
            covariance: CovarianceChoice::Auto,
            statistic,
            keep_unsaturated: false,
            confidence: 0.95,
        }
    }

    fn options(&self) -> network::Options {
        let (form, sides) = match self.model {
            Model::Auto => (Form::Full, Sides::Tested),
            Model::Signature => (Form::Full, Sides::OneGamma),
            Model::SignatureBandwidth => (Form::Bandwidth, Sides::OneGamma),
            Model::SignatureDeltaOnce => (Form::FullDeltaOnce, Sides::OneGamma),
        };
        let signature = Options {
            form,
            sides,
            threshold: self.threshold,
            unsaturated: if self.keep_unsaturated {
                Unsaturated::Kept
            } else {
                Unsaturated::LeftOut
            },
            confidence: self.confidence,
            ..Options::default()
        };
        let covariance = match &self.covariance {
            CovarianceChoice::Auto => None,
            CovarianceChoice::Named(covariance) => Some(covariance.clone()),
        };
        network::Options {
            signature,
            covariance,
            statistic: self.statistic.into(),
        }
    }
}

/// Runs the command.
///
/// # Errors
/// If the data cannot be used or do not support the fit.
pub fn run(args: &Args) -> Result<(), Failure> {
    files::refuse_unwritable(&args.output)?;
    let data = files::dataset(&args.data)?;
    let fitted = fit_file(&data, &args.data, &args.output, &args.choices)?;
    parameter_rows(&fitted).print(args.format)?;
    for algorithm in &fitted.signatures {
        eprintln!("{}", meaning(algorithm));
        for warning in warnings(algorithm) {
            eprintln!(
                "netsig: warning: {} {}: {warning}",
                algorithm.collective, algorithm.algorithm
            );
        }
    }
    Ok(())
}

/// Fits `data`, which came from the file `source`, and writes the profile.
///
/// # Errors
/// If the data are void or do not support the fit, or the profile cannot be written.
pub fn fit_file(
    data: &Dataset,
    source: &Path,
    output: &Path,
    choices: &Choices,
) -> Result<NetworkFit, Failure> {
    let shown = source.display();
    if let Some(reason) = data.void() {
        return Err(Failure::data(format!(
            "{shown}: the data are void: {reason}; measure again"
        )));
    }
    let fitted = network::fit(data, &choices.options())
        .map_err(|error| Failure::data(format!("{shown}: {error}")))?;
    let mut provenance = Provenance::default();
    provenance.push("fitted_by", concat!("netsig ", env!("CARGO_PKG_VERSION")));
    provenance.push("data", shown);
    for (key, value) in data.provenance.iter() {
        provenance.push(&format!("data_{key}"), value);
    }
    let profile = fitted.profile(provenance, choices.confidence);
    files::replace(output, profile.to_toml().as_bytes())?;
    Ok(fitted)
}

/// All parameters with their intervals.
pub fn parameter_rows(fitted: &NetworkFit) -> Rows {
    let mut rows = Rows::new(&[
        "collective",
        "algorithm",
        "parameter",
        "value",
        "lower",
        "upper",
    ]);
    let mut push = |who: [&str; 3], estimate: Estimate, show: &dyn Fn(f64) -> String| {
        let mut row: Vec<Cell> = who.iter().map(|text| Cell::text(*text)).collect();
        row.extend(
            [estimate.value, estimate.lower, estimate.upper].map(|v| Cell::shown_as(v, show(v))),
        );
        rows.push(row);
    };
    let as_time = |v: f64| Seconds(v).to_string();
    let as_gap = |v: f64| format!("{:.4} ns/B", v * 1e9);
    push(["", "", "alpha_s"], fitted.hockney.alpha, &as_time);
    push(["", "", "beta_s_per_byte"], fitted.hockney.beta, &as_gap);
    for algorithm in &fitted.signatures {
        let collective = algorithm.collective.to_string();
        let who = |parameter| [collective.as_str(), algorithm.algorithm.as_str(), parameter];
        for (parameter, estimate) in &algorithm.fit.parameters {
            match parameter {
                Parameter::GammaBelow => {
                    push(who("gamma_below"), *estimate, &|v| format!("{v:.4}"));
                }
                Parameter::Gamma => push(who("gamma"), *estimate, &|v| format!("{v:.4}")),
                Parameter::Delta => push(who("delta_s"), *estimate, &as_time),
            }
        }
        if let Some(m) = algorithm.fit.threshold {
            let [value, lower, upper] = [m.value, m.lower, m.upper].map(Bytes::as_f64);
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "whole bytes put in above"
            )]
            push(
                who("threshold_bytes"),
                Estimate {
                    value,
                    lower,
                    upper,
                },
                &|v| Bytes(v as u64).to_string(),
            );
        }
    }
    rows
}

/// What a signature says, in a sentence.
pub fn meaning(algorithm: &AlgorithmFit) -> String {
    let fit = &algorithm.fit;
    let signature = &fit.signature;
    let name = format!("{} {}", algorithm.collective, algorithm.algorithm);
    let Some(threshold) = fit.threshold else {
        return format!(
            "{name} takes {:.2} times its contention-free time at every size.",
            signature.gamma
        );
    };
    let stalls = match signature.delta {
        Seconds(0.0) => " (delta is not distinguishable from 0)".to_owned(),
        delta => format!(" and {delta} more for each partner"),
    };
    format!(
        "{name} takes {:.2} times its contention-free time below {} per destination; from there on {:.2} times{stalls}.",
        signature.gamma_below.unwrap_or(signature.gamma),
        threshold.value,
        signature.gamma
    )
}

/// What a user must know before trusting a signature.
pub fn warnings(algorithm: &AlgorithmFit) -> Vec<String> {
    let fit = &algorithm.fit;
    let mut warnings = Vec::new();
    for (parameter, estimate) in &fit.parameters {
        let name = match parameter {
            Parameter::Gamma => "gamma",
            Parameter::GammaBelow => "gamma below M",
            Parameter::Delta => continue,
        };
        if estimate.value < 1.0 {
            warnings.push(format!(
                "{name} = {:.2} is below 1: the contention-free model is too slow there",
                estimate.value
            ));
        }
    }
    let gammas: Vec<String> = fit
        .gamma_by_procs
        .iter()
        .map(|(n, gamma)| format!("{gamma:.2} at {n}"))
        .collect();
    let gammas = gammas.join(", ");
    if !fit.left_out.is_empty() {
        let left_out: Vec<String> = fit.left_out.iter().map(ToString::to_string).collect();
        warnings.push(format!(
            "{} processes do not saturate the network and were left out of the fit; --keep-unsaturated keeps them",
            left_out.join(", ")
        ));
    }
    match fit.saturation {
        Saturation::From(_) => {}
        Saturation::NotReached => warnings.push(format!(
            "saturation is not reached: gamma still changes with the number of processes ({gammas}); measure more processes"
        )),
        Saturation::Unverified => warnings.push(format!(
            "saturation is unverified ({gammas}): it takes three process counts; predictions for more may be too low"
        )),
    }
    warnings
}
