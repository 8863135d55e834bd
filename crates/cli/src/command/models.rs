//! `netsig models`: shows the formula, source, domain and an example of each model, and evaluates the models of one
//! message and of a program.

mod evaluation;

use std::io::{self, Write};
use std::path::PathBuf;

use itertools::Itertools;
use netsig_base::algorithm::Collective;
use netsig_base::units::list::QuantityList;
use netsig_base::units::{Bytes, Seconds};
use netsig_model::model::evaluation::find_models;
use netsig_model::model::setting::parse_setting;
use netsig_model::model::{self, Model, ModelEstimator, ModelParameter, ParameterRole};

use crate::input::failure::Failure;
use crate::print::rows::{PrintArgs, PrintFormat, print_rows, to_stdout};
use netsig_render::rows::{PrintedCell, PrintedRows, RowsBuilder};

/// List the models, describe one in full, or evaluate one of a message or a program.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A model, as in the list; subject/model where several have the name.
    name: Option<String>,
    /// Only the models of this collective.
    #[arg(long)]
    collective: Option<Collective>,
    /// Evaluate a model of one message on the network of this profile.
    #[arg(long, value_name = "FILE", requires = "name")]
    profile: Option<PathBuf>,
    /// Sizes of the message: 1KiB,4KiB or 1KiB..64KiB (doubling).
    #[arg(long, alias = "sizes", value_name = "LIST", requires = "profile")]
    size: Option<QuantityList<Bytes>>,
    /// Evaluate with this value of a parameter; may be repeated.
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parse_setting, requires = "name")]
    settings: Vec<(String, f64)>,
    #[command(flatten)]
    print: PrintArgs,
}

const EXAMPLES: &str = "\
Examples:
  netsig models plogp_factor
  netsig models --collective bcast --format csv
  netsig models message_plogp --profile data.toml --size 1KiB..64KiB
  netsig models agarwal --set rho=0.5 --set flits=16 --set dimensions=2 --set hops=4";

/// Runs the command.
///
/// # Errors
/// If there is no such model.
pub fn run(args: &Args) -> Result<(), Failure> {
    let selected_models: Vec<&'static Model> = match (&args.name, args.collective) {
        (None, None) => model::models().collect(),
        (None, Some(collective)) => model::of_collective(collective).collect(),
        (Some(name), None) => find_models(name)?,
        (Some(name), Some(collective)) => vec![model::find(collective, name)?],
    };
    if let ([model], true) = (
        &selected_models[..],
        args.profile.is_some() || !args.settings.is_empty(),
    ) {
        return Ok(print_rows(&evaluation::rows(args, model)?, args.print)?);
    }
    let each_model = selected_models.into_iter();
    let evaluations = each_model.map(|model| Ok((model, model.evaluate_example()?.time)));
    let evaluated_models: Vec<(&Model, Seconds)> = evaluations.collect::<Result<_, Failure>>()?;
    Ok(match (args.print.format, &args.name) {
        (PrintFormat::Table, None) => print_rows(&summary(evaluated_models).rows, args.print),
        (PrintFormat::Table, Some(_)) => to_stdout(|out| {
            let mut all = evaluated_models.iter();
            all.try_for_each(|(model, value)| write_model(model, *value, out))
        }),
        _ => print_rows(&details(evaluated_models), args.print),
    }?)
}

/// The columns that fit a screen.
fn summary(models: Vec<(&Model, Seconds)>) -> RowsBuilder<(&Model, Seconds)> {
    PrintedRows::of(models)
        .column("subject", |(model, _)| PrintedCell::text(model.subject))
        .column("model", |(model, _)| PrintedCell::text(model.name))
        .detail(1, "kind", |(model, _)| PrintedCell::text(model.kind))
        .sentences("formula", |(model, _)| PrintedCell::text(model.formula))
}

/// All columns, with the values of the examples.
fn details(models: Vec<(&Model, Seconds)>) -> PrintedRows {
    let parameters = |model: &Model| model.parameters.iter().map(|p| p.name).join(", ");
    summary(models)
        .sentences("source", |(model, _)| PrintedCell::text(model.source))
        .sentences("domain", |(model, _)| PrintedCell::text(model.domain))
        .sentences("needs", |(model, _)| PrintedCell::text(model.needs.iter().join("; ")))
        .sentences("parameters", |(model, _)| PrintedCell::text(parameters(model)))
        .sentences("example", |(model, _)| {
            PrintedCell::text(model.example.inputs_in_words())
        })
        .column("example_value", |(_, value)| PrintedCell::number(value.0))
        .column("example_unit", |(model, _)| PrintedCell::text(model.example.unit))
        .rows
}

fn write_model(model: &Model, value: Seconds, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}/{} ({})\n", model.subject, model.name, model.kind)?;
    writeln!(out, "  {}\n", model.formula)?;
    writeln!(out, "source      {}", model.source)?;
    writeln!(out, "domain      {}", model.domain)?;
    if !model.needs.is_empty() {
        writeln!(out, "needs       {}", model.needs.iter().join("; "))?;
    }
    for (index, parameter) in model.parameters.iter().enumerate() {
        let label = if index == 0 { "parameters" } else { "" };
        writeln!(out, "{label:<12}{}", describe(model, parameter))?;
    }
    writeln!(out, "evaluated   {}", evaluation::evaluation_command(model))?;
    writeln!(out, "example     {}", model.example.inputs_in_words())?;
    let shown = match model.example.unit {
        "s" => format!("{value} ({} s)", value.0),
        unit => format!("{} {unit}", value.0),
    };
    writeln!(out, "            gives {shown}\n")
}

fn describe(model: &Model, parameter: &ModelParameter) -> String {
    let origin = match (parameter.role, model.estimator) {
        (ParameterRole::Given, _) | (_, ModelEstimator::None | ModelEstimator::Repetitions) => "given with --set",
        (ParameterRole::Threshold | ParameterRole::Count, _) => "searched by a fit",
        _ => "estimated by a fit",
    };
    let default = match parameter.default {
        Some(value) if value.is_finite() => format!(", default {value}"),
        Some(_) => ", default none".to_owned(),
        None => String::new(),
    };
    format!("{}: {} ({origin}{default})", parameter.name, parameter.meaning)
}
