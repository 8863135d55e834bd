//! `netsig fit`: fits parameters to data, with intervals and explanations.

mod field;
mod point_to_point;
mod regimes;

use std::io::Write;
use std::path::{Path, PathBuf};

use netsig_base::data::Dataset;
use netsig_base::data::cells::Statistic;
use netsig_base::network::HostClusters;
use netsig_base::units::{EstimatedBytes, Seconds};
use netsig_model::fit::model::{ModelFit, ModelFitOptions, ThresholdChoice, UnsaturatedRule};
use netsig_model::fit::network::{self, ChosenModel, ModelsToFit, NetworkFit};
use netsig_model::fit::notes::{doubts_about_tables, notes_on_fit};
use netsig_model::fit::parse_options;
use netsig_model::fitted::FittedModel;
use netsig_model::model::{self, FIELD};
use netsig_model::profile::Profile;
use netsig_model::verdict::{CollectiveVerdict, VerdictRequest};

use crate::input::args::{self, CovarianceChoice};
use crate::input::data::DataArgs;
use crate::input::failure::Failure;
use crate::input::file_kind::FileKind;
use crate::input::files;
use crate::input::network::NetworkArgs;
use crate::input::output::OutputPath;
use crate::print::notes::{print, print_remark};
use crate::print::rows::{PrintArgs, PrintFormat, print_rows, to_stdout};
use crate::print::verdict::write_verdict;
use crate::print::{progress_sentence, quote};
use netsig_render::parameters::{self, ParameterSelection};

/// Fit models to data, print the verdict, write a profile.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    input: DataArgs,
    /// The profile to write; - is standard output.
    #[arg(short, long, value_name = "PROFILE")]
    output: PathBuf,
    /// The models besides alpha and beta: auto, or the name of one model. auto fits every model of an alltoall and the
    /// regimes of every algorithm, and chooses the simplest that suffices.
    #[arg(long, value_name = "NAME", value_parser = parse_options::parse_models, default_value = "auto")]
    model: ModelsToFit,
    /// M: a size, auto (search) or none.
    #[arg(long, value_parser = parse_options::parse_threshold, default_value = "auto", allow_hyphen_values = true)]
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
    #[arg(long, value_parser = parse_options::parse_confidence, default_value = "0.9")]
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

/// The command alone, for the defaults of its options.
#[derive(clap::Parser)]
struct FitCommand {
    #[command(flatten)]
    args: Args,
}

impl Args {
    /// A fit with the default options.
    pub fn with_defaults(data: &Path, output: &Path, network: NetworkArgs) -> Self {
        let (data, output) = (data.as_os_str(), output.as_os_str());
        let words = ["fit".as_ref(), "--output".as_ref(), output, "--".as_ref(), data];
        let FitCommand { args } = clap::Parser::parse_from(words);
        Self { network, ..args }
    }

    /// The profile to write.
    ///
    /// # Errors
    /// If it cannot be written, or would replace an input.
    pub fn output(&self) -> Result<OutputPath, Failure> {
        let optional_inputs = [self.plogp.as_deref(), self.network.path()];
        let named_inputs = optional_inputs.into_iter().flatten();
        let reads: Vec<&Path> = self.input.paths().chain(named_inputs).collect();
        OutputPath::replacing("--output", &self.output, FileKind::Profile, &reads)
    }

    /// The options for a fit of `data`.
    fn options(&self, data: &Dataset) -> Result<network::NetworkFitOptions, Failure> {
        let model = ModelFitOptions {
            threshold: self.threshold,
            unsaturated: if self.keep_unsaturated {
                UnsaturatedRule::Kept
            } else {
                UnsaturatedRule::LeftOut
            },
            confidence: self.confidence,
            ..ModelFitOptions::default()
        };
        Ok(network::NetworkFitOptions {
            model,
            covariance: self.covariance.0.clone(),
            statistic: self.statistic,
            models_to_fit: self.model,
            plogp: self.plogp.as_deref().map(files::plogp).transpose()?,
            network: self.network.with_hosts_for(data.largest_procs())?,
            ..network::NetworkFitOptions::default()
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
    print(&input.notes);
    let data = &input.data;
    let plogp = args.plogp.as_deref().map(files::name);
    let options = args.options(data)?;
    let network = options
        .network
        .as_ref()
        .map(|described_network| described_network.name.clone());
    let optional_facts = [("plogp", plogp), ("network", network)];
    let named_facts: Vec<_> = optional_facts
        .into_iter()
        .filter_map(|(key, name)| Some((key, name?)))
        .collect();
    let (fitted, profile) = fit_file(data, &input.name, &output, &options, &named_facts)?;
    let profile_name = if files::is_lasting(&args.output) {
        quote::line(&[args.output.clone().into_os_string()])
    } else {
        "PROFILE".to_owned()
    };
    let request = VerdictRequest {
        profile: Some(&profile),
        profile_name: &profile_name,
        data,
        network: options.network.as_ref(),
        procs: None,
    };
    let verdicts = request.verdicts();
    let has_details = args.all || args.model != ModelsToFit::All || verdicts.is_empty();
    print_results(args, &fitted, &verdicts, has_details)?;
    if has_details {
        point_to_point::print_results(&fitted, &data.provenance);
    }
    let most = if has_details { usize::MAX } else { 1 };
    print(&notes_on_fit(&fitted, most));
    print(&doubts_about_tables(&fitted));
    print(&Vec::from_iter(profile.note_on_misses(data, options.network.as_ref())));
    if args.all {
        print_meanings(&fitted, args.model);
    }
    Ok(())
}

/// Prints the verdicts first, and after them the parameters: in a table those of all models if details are wanted, in
/// csv and json all.
fn print_results(
    args: &Args,
    fitted: &NetworkFit,
    verdicts: &[CollectiveVerdict],
    has_details: bool,
) -> Result<(), Failure> {
    let write_verdicts = |out: &mut dyn Write| {
        let mut all = verdicts.iter();
        all.try_for_each(|verdict| write_verdict(&verdict.collective.to_string(), &verdict.answers(), out))
    };
    if args.print.format != PrintFormat::Table {
        let mut text = Vec::new();
        write_verdicts(&mut text).expect("memory can be written");
        progress_sentence::print(String::from_utf8_lossy(&text).trim_end());
        return Ok(print_rows(
            &parameters::of_all(fitted, args.confidence, ParameterSelection::All),
            args.print,
        )?);
    }
    to_stdout(write_verdicts)?;
    if has_details {
        print_rows(
            &parameters::of_all(fitted, args.confidence, ParameterSelection::WithoutTables),
            args.print,
        )?;
    }
    Ok(())
}

/// The parameters of the model that was chosen for an algorithm, in words.
fn describe_choice(choice: &ChosenModel, fitted: &NetworkFit) -> String {
    let (collective, algorithm) = (choice.collective, choice.algorithm.as_str());
    let chosen = choice.sufficient.model;
    match chosen.kind {
        model::ModelKind::ContentionFree => "contention does not show".to_owned(),
        _ if chosen.is_of_shared_link() => "the pieces between clusters share their links".to_owned(),
        _ if chosen.name == FIELD => fitted
            .field(collective, algorithm)
            .map_or_else(String::new, field::describe_field),
        _ => fitted
            .regimes(collective, algorithm)
            .map_or_else(String::new, regimes::describe_regimes),
    }
}

/// Prints a sentence for each algorithm.
fn print_meanings(fitted: &NetworkFit, wanted: ModelsToFit) {
    for choice in &fitted.chosen_models {
        let (collective, algorithm) = (choice.collective, &choice.algorithm);
        match fitted.regimes(collective, algorithm) {
            Some(regimes) if wanted.is_regimes_alone() => {
                eprintln!("{}", regimes::sentence(regimes));
            }
            _ => {
                let (reason, description) = (&choice.sufficient.reason, describe_choice(choice, fitted));
                eprintln!("{collective} {algorithm}: {reason}; {description}.");
            }
        }
    }
    for signature_fit in &fitted.signatures {
        if fitted
            .chosen_model(signature_fit.model.collective(), &signature_fit.model.algorithm)
            .is_none()
        {
            eprintln!("{}", sentence(signature_fit));
        }
    }
}

/// Fits `data` from the files `source`, and writes and returns the profile. The `named_facts` are added to its
/// provenance.
///
/// # Errors
/// If the data do not support the fit, or the profile cannot be written.
pub fn fit_file(
    data: &Dataset,
    source: &str,
    output: &OutputPath,
    options: &network::NetworkFitOptions,
    named_facts: &[(&str, String)],
) -> Result<(NetworkFit, Profile), Failure> {
    let (fitted, mut profile) = Profile::fit(data, source, options, named_facts)?;
    keep_clusters(&mut profile, output);
    output.replace(profile.to_toml().as_bytes())?;
    Ok((fitted, profile))
}

/// Keeps the clusters that `netsig discover` wrote to the replaced profile, unless the data name others.
fn keep_clusters(profile: &mut Profile, output: &OutputPath) {
    let replaced_grid = output.existing_file().and_then(|file| files::grid(file).ok());
    let Some(kept_grid) = replaced_grid.filter(|before| profile.grid().as_ref() != Some(before)) else {
        return;
    };
    let is_same = |clusters: &HostClusters| *clusters == kept_grid.clusters && profile.cluster_links.is_empty();
    if profile.clusters.as_ref().is_none_or(is_same) {
        profile.clusters = Some(kept_grid.clusters);
        profile.cluster_links = kept_grid.links;
        print_remark(format_args!("the clusters of hosts that {output} had are kept"));
    }
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
        EstimatedBytes(threshold.value),
    )
}
