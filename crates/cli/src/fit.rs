//! `netsig fit`: parameters from data, with intervals and what they mean.

use std::path::{Path, PathBuf};

use netsig_core::collective::{COLLECTIVES, Collective};
use netsig_core::dataset::{Dataset, Experiment, Provenance, Sample};
use netsig_core::fit::network::{self, AlgorithmFit, NetworkFit, Wanted};
use netsig_core::fit::saturation::Saturation;
use netsig_core::fit::signature::{Options, Parameter, ThresholdChoice, Unsaturated};
use netsig_core::registry::{self, Estimator, SIGNATURE};
use netsig_core::units::Seconds;

use crate::args::{self, CovarianceChoice, StatisticChoice};
use crate::failure::Failure;
use crate::files;
use crate::notes;
use crate::pairs;
use crate::parameters;
use crate::rows::Format;

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
    /// What to fit besides alpha and beta: auto (the signature, with a second gamma below M
    /// where the data show one, and all other models), or the name of one model.
    #[arg(long, value_name = "NAME", value_parser = wanted, default_value = "auto")]
    model: Wanted,
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
    /// A profile whose pLogP tables the models are fitted on that need them [default: those
    /// of the data, else alpha and beta in their place].
    #[arg(long, value_name = "FILE")]
    plogp: Option<PathBuf>,
    /// The level of intervals and tests.
    #[arg(long, value_parser = args::confidence, default_value = "0.95")]
    confidence: f64,
}

/// Reads `auto` or the name of a model that has parameters.
fn wanted(text: &str) -> Result<Wanted, String> {
    let fittable = || registry::of(Collective::Alltoall).filter(|m| m.estimator != Estimator::None);
    match text {
        "auto" => Ok(Wanted::All),
        SIGNATURE => Ok(Wanted::Signature),
        _ => fittable()
            .find(|model| model.name == text)
            .map(Wanted::One)
            .ok_or_else(|| {
                let names: Vec<&str> = fittable().map(|model| model.name).collect();
                format!("write auto or one of: {}", names.join(", "))
            }),
    }
}

impl Choices {
    /// What a fit without options does, for `statistic`.
    pub fn standard(statistic: StatisticChoice) -> Self {
        Self {
            model: Wanted::All,
            threshold: ThresholdChoice::Search,
            covariance: CovarianceChoice::Auto,
            statistic,
            keep_unsaturated: false,
            plogp: None,
            confidence: 0.95,
        }
    }

    fn options(&self) -> Result<network::Options, Failure> {
        let signature = Options {
            threshold: self.threshold,
            unsaturated: if self.keep_unsaturated {
                Unsaturated::Kept
            } else {
                Unsaturated::LeftOut
            },
            confidence: self.confidence,
            ..Options::default()
        };
        Ok(network::Options {
            signature,
            covariance: self.covariance.named(),
            statistic: self.statistic.into(),
            wanted: self.model,
            plogp: self.plogp.as_deref().map(files::plogp).transpose()?,
        })
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
    parameters::of_all(&fitted, args.format).print(args.format)?;
    pairs::tell(&fitted.point_to_point, &data.provenance)?;
    notes::tell_about_data(&fitted);
    if fitted.is_empty() {
        eprintln!(
            "netsig: note: the data hold no alltoall: alpha and beta are all that was fitted"
        );
    }
    for (collective, _) in COLLECTIVES {
        let is_of = |sample: &Sample| sample.experiment == Experiment::Collective(collective);
        if collective != Collective::Alltoall && data.samples.iter().any(is_of) {
            eprintln!("netsig: note: nothing is fitted to the samples of {collective}");
        }
    }
    if !fitted.models.is_empty() && fitted.plogp.is_none() {
        notes::tell_about_tables();
    }
    for failure in &fitted.failures {
        eprintln!("netsig: note: not fitted: {failure}");
    }
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
    files::refuse_void(data, source)?;
    let fitted = network::fit(data, &choices.options()?)
        .map_err(|error| Failure::data(format!("{shown}: {error}")))?;
    let mut provenance = Provenance::default();
    provenance.push("fitted_by", concat!("netsig ", env!("CARGO_PKG_VERSION")));
    provenance.push("data", shown);
    if let Some(tables) = &choices.plogp {
        provenance.push("plogp", tables.display());
    }
    for (key, value) in data.provenance.iter() {
        provenance.push(&format!("data_{key}"), value);
    }
    let profile = fitted.profile(provenance, choices.confidence);
    files::replace(output, profile.to_toml().as_bytes())?;
    Ok(fitted)
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
