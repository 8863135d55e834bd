//! `netsig fit`: fits parameters to data, with intervals and explanations.

mod pairs;
mod regimes;
mod verdict;

use std::fmt::Display;
use std::path::{Path, PathBuf};

use itertools::Itertools;
use netsig_core::algorithm::Collective;
use netsig_core::data::cells::Statistic;
use netsig_core::data::{Dataset, Experiment, Provenance, Sample};
use netsig_core::fit::fitted::FittedModel;
use netsig_core::fit::model::{ModelFit, Options, ThresholdChoice, Unsaturated};
use netsig_core::fit::network::{self, NetworkFit, Wanted};
use netsig_core::fit::saturation::Saturation;
use netsig_core::model::{self, Estimator, Model};
use netsig_core::profile::Profile;
use netsig_core::text::guess::guess;
use netsig_core::units::{Bytes, Seconds};

use crate::input::args::{self, CovarianceChoice};
use crate::input::data::DataArgs;
use crate::input::failure::Failure;
use crate::input::files;
use crate::input::kind::Kind;
use crate::input::network::NetworkArgs;
use crate::input::output::Output;
use crate::print::notes;
use crate::print::parameters::{self, Shown};
use crate::print::rows::{Format, PrintArgs};

/// Fit models to data, print them with intervals and diagnosis, write a profile.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    input: DataArgs,
    /// The profile to write.
    #[arg(short, long, value_name = "PROFILE")]
    output: PathBuf,
    /// The models besides alpha and beta: auto (every model of an alltoall, the regimes of every
    /// algorithm, and the choice of the simplest that suffices), or the name of one model.
    #[arg(long, value_name = "NAME", value_parser = wanted, default_value = "auto")]
    model: Wanted,
    /// M: a size, auto (search) or none.
    #[arg(long, value_parser = args::threshold, default_value = "auto", allow_hyphen_values = true)]
    threshold: ThresholdChoice,
    /// The covariance of the errors: auto, means, proportional, bandwidth-share, ols or
    /// ar1:RHO.
    #[arg(long, value_parser = args::covariance, default_value = "auto")]
    covariance: CovarianceChoice,
    /// The statistic of the repetitions of a collective.
    #[arg(long, value_parser = args::variant::<Statistic>(), default_value = "mean")]
    statistic: Statistic,
    /// Keep process counts that do not saturate the network in the fit.
    #[arg(long)]
    keep_unsaturated: bool,
    /// A profile with the pLogP tables for models that need them [default: the tables of the
    /// data, else alpha and beta in their place].
    #[arg(long, value_name = "FILE")]
    plogp: Option<PathBuf>,
    #[command(flatten)]
    network: NetworkArgs,
    /// The level of intervals and tests.
    #[arg(long, value_parser = args::confidence, default_value = "0.9")]
    confidence: f64,
    /// Show the parameters of every fitted model, a sentence for each algorithm, and the comparison of
    /// pLogP with the ping-pong. (csv and json hold all parameters anyway.)
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    print: PrintArgs,
}

const EXAMPLES: &str = "\
Examples:
  netsig fit data.csv -o data.toml
  netsig fit data.csv more.csv -o data.toml --all
  netsig fit data.csv -o data.toml --model signature --format csv";

/// Parses `auto` or the name of a model with parameters.
fn wanted(text: &str) -> Result<Wanted, String> {
    let is_fitted = |m: &&Model| m.estimator != Estimator::None;
    let fittable = || model::of(Collective::Alltoall).filter(is_fitted);
    if text == "auto" {
        return Ok(Wanted::All);
    }
    let named = fittable().find(|model| model.name == text);
    named.map(Wanted::One).ok_or_else(|| {
        let names = fittable().map(|model| model.name).join(", ");
        let guess = guess(text, &names);
        format!("{guess}write auto or one of: {names}")
    })
}

/// True if only the regimes are to be fitted.
fn wants_regimes(wanted: Wanted) -> bool {
    matches!(wanted, Wanted::One(model) if model.is_regimes())
}

/// The command alone, for the defaults of its options.
#[derive(clap::Parser)]
struct Alone {
    #[command(flatten)]
    args: Args,
}

impl Args {
    /// A fit with the default options.
    pub fn plain(data: &Path, output: &Path, network: NetworkArgs) -> Self {
        let (data, output) = (data.as_os_str(), output.as_os_str());
        let words = [
            "fit".as_ref(),
            "--output".as_ref(),
            output,
            "--".as_ref(),
            data,
        ];
        let Alone { args } = clap::Parser::parse_from(words);
        Self { network, ..args }
    }

    /// The profile to write.
    ///
    /// # Errors
    /// If it cannot be written, or would replace an input.
    pub fn output(&self) -> Result<Output, Failure> {
        let named = [self.plogp.as_deref(), self.network.path()];
        let named = named.into_iter().flatten();
        let reads: Vec<&Path> = self.input.paths().chain(named).collect();
        Output::replacing("--output", &self.output, Kind::Profile, &reads)
    }

    /// The options for a fit of `data`.
    fn options(&self, data: &Dataset) -> Result<network::Options, Failure> {
        let is_collective = |s: &&Sample| matches!(s.place.experiment, Experiment::Collective(_));
        let collectives = data.samples.iter().filter(is_collective);
        let most = collectives.map(|sample| sample.place.procs).max();
        let model = Options {
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
            model,
            covariance: self.covariance.0.clone(),
            statistic: self.statistic,
            wanted: self.model,
            plogp: self.plogp.as_deref().map(files::plogp).transpose()?,
            network: self.network.with_hosts_for(most)?,
        })
    }
}

/// Runs the command.
///
/// # Errors
/// If the data cannot be used or do not support the fit.
pub fn run(args: &Args) -> Result<(), Failure> {
    let output = args.output()?;
    let input = args.input.read()?;
    let data = &input.data;
    let plogp = args.plogp.as_ref().map(|path| path.display().to_string());
    let options = args.options(data)?;
    let network = options.network.as_ref().map(|own| own.name.clone());
    let named = [("plogp", plogp), ("network", network)];
    let named = named.into_iter();
    let named: Vec<_> = named.filter_map(|(key, name)| Some((key, name?))).collect();
    let fitted = fit_file(data, &input.name, &output, &options, &named)?;
    let shown = match (args.print.format, args.model) {
        (Format::Table, Wanted::All) if !args.all => Shown::Used,
        (Format::Table, _) => Shown::WithoutTables,
        _ => Shown::All,
    };
    parameters::of_all(&fitted, args.confidence, shown).print(args.print)?;
    pairs::tell(&fitted.point_to_point, &data.provenance)?;
    if let Some(found) = &fitted.point_to_point.agreement
        && (args.all || fitted.is_empty())
    {
        pairs::agreement::tell_details(found);
    }
    if let Some(procs) = fitted.without_pairs {
        eprintln!(
            "netsig: warning: no ping-pong: alpha and beta are those of one partner's message in the all-to-all among {procs}, below the eager limit; contention among {procs} is unknown, and that of more is relative to it"
        );
    }
    notes::tell_about_data(&fitted, data);
    input.tell_stalls();
    if fitted.is_empty() {
        eprintln!(
            "netsig: note: the data hold no alltoall or other collective that models describe: alpha and beta are all that was fitted"
        );
    }
    if !fitted.models.is_empty() && fitted.plogp.is_none() {
        notes::tell_about_tables();
    }
    let told = if args.all { usize::MAX } else { 1 };
    for failure in fitted.failures.iter().take(told) {
        eprintln!("netsig: note: not fitted: {failure}");
    }
    if fitted.failures.len() > told {
        let more = fitted.failures.len() - told;
        eprintln!("netsig: note: not fitted are {more} more; --all gives the reasons");
    }
    tell_warnings(&fitted);
    if args.all {
        tell_meanings(&fitted, args.model);
    }
    for sentence in verdict::verdict(&fitted, args.model, data) {
        eprintln!("{sentence}");
    }
    Ok(())
}

/// Prints a sentence for each algorithm.
fn tell_meanings(fitted: &NetworkFit, wanted: Wanted) {
    for own in &fitted.regimes {
        if wants_regimes(wanted) {
            eprintln!("{}", regimes::sentence(own));
        } else {
            eprintln!("{}", regimes::choice(own));
        }
    }
    for own in &fitted.signatures {
        if !fitted.regimes.iter().any(|other| other.are_of(&own.model)) {
            eprintln!("{}", sentence(own));
        }
    }
}

/// Prints the warnings about the chosen model of each algorithm.
fn tell_warnings(fitted: &NetworkFit) {
    let warn = |collective: &dyn Display, algorithm: &str, warnings: Vec<String>| {
        for warning in warnings {
            eprintln!("netsig: warning: {collective} {algorithm}: {warning}");
        }
    };
    for own in &fitted.regimes {
        let warnings = regimes::warnings(own);
        warn(&own.collective, &own.algorithm, warnings);
    }
    for own in &fitted.signatures {
        let mut regimes = fitted.regimes.iter();
        // Warnings about a signature are irrelevant if another model was chosen.
        if !regimes.any(|regimes| regimes.are_of(&own.model)) {
            let model = &own.model;
            warn(&model.model.subject, &model.algorithm, warnings(own));
        }
    }
}

/// Fits `data` from the files `source`, and writes the profile. Its provenance also has the facts
/// `named`.
///
/// # Errors
/// If the data do not support the fit, or the profile cannot be written.
pub fn fit_file(
    data: &Dataset,
    source: &str,
    output: &Output,
    options: &network::Options,
    named: &[(&str, String)],
) -> Result<NetworkFit, Failure> {
    let fitted = network::fit(data, options).map_err(|error| Failure::data(error).about(source))?;
    refuse_negative(&fitted, source)?;
    let mut provenance = Provenance::default();
    provenance.push("fitted_by", concat!("netsig ", env!("CARGO_PKG_VERSION")));
    provenance.push("data", source);
    for (key, name) in named {
        provenance.push(key, name);
    }
    let mut profile = Profile::of(&fitted, provenance, options.model.confidence);
    profile.add_facts(&data.provenance);
    if wants_regimes(options.wanted) {
        profile.choices.clear();
    }
    output.replace(profile.to_toml().as_bytes())?;
    Ok(fitted)
}

/// Refuses a signature that gives negative times before it is written: no profile with it can be
/// read.
fn refuse_negative(fitted: &NetworkFit, source: &str) -> Result<(), Failure> {
    for ModelFit { model, .. } in &fitted.signatures {
        let gammas = ["gamma", "gamma_below"].map(|name| model.value(name));
        if let Some(gamma) = gammas.into_iter().flatten().find(|gamma| *gamma < 0.0) {
            return Err(Failure::data(format!(
                "{source}: alltoall {}: gamma = {gamma:.4} is negative, so the times do not grow with the size; check them or measure again",
                model.algorithm
            )));
        }
    }
    Ok(())
}

/// Describes a signature in a sentence.
pub fn sentence(fit: &ModelFit) -> String {
    let (collective, name) = (fit.model.model.subject, &fit.model.algorithm);
    format!("{collective} {name} {}.", meaning(&fit.model))
}

/// Describes the times of a signature in words.
fn meaning(model: &FittedModel) -> String {
    let value = |name| model.value(name);
    let gamma = value("gamma").unwrap_or_default();
    let Some(threshold) = model.threshold() else {
        return format!("takes {gamma:.2} times its contention-free time at every size");
    };
    let stalls = match Seconds(value("delta_s").unwrap_or_default()) {
        Seconds(0.0) => " (delta is not distinguishable from 0)".to_owned(),
        delta => format!(" and {delta} more for each partner"),
    };
    format!(
        "takes {:.2} times its contention-free time below {} per destination; from there on {gamma:.2} times{stalls}",
        value("gamma_below").unwrap_or(gamma),
        Bytes::rounded(threshold.value),
    )
}

/// Warnings about the reliability of a signature.
pub fn warnings(fit: &ModelFit) -> Vec<String> {
    let mut warnings = Vec::new();
    for (name, words) in [("gamma_below", "gamma below M"), ("gamma", "gamma")] {
        if let Some(gamma) = fit.model.value(name).filter(|gamma| *gamma < 1.0) {
            warnings.push(format!(
                "{words} = {gamma:.2} is below 1: the contention-free model is too slow there"
            ));
        }
    }
    let gammas = fit.gamma_by_procs.iter();
    let gammas = gammas
        .map(|(n, gamma)| format!("{gamma:.2} at {n}"))
        .join(", ");
    if !fit.left_out.is_empty() {
        warnings.push(format!(
            "{} processes do not saturate the network and were left out of the fit; --keep-unsaturated keeps them",
            fit.left_out.iter().join(", ")
        ));
    }
    match fit.model.domain.saturation {
        Saturation::From(_) => {}
        Saturation::NotReached => warnings.push(format!(
            "saturation is not reached: gamma still changes with the number of processes ({gammas}); measure more processes"
        )),
        Saturation::Unverified if fit.gamma_by_procs.len() == 1 => warnings.push(format!(
            "all data are of one process count (gamma = {gammas}), so that saturation, growth with the processes and intervals at other counts cannot be estimated; measure three process counts"
        )),
        Saturation::Unverified => warnings.push(format!(
            "saturation is unverified ({gammas}): it takes three process counts; predictions for more may be too low"
        )),
    }
    warnings
}
