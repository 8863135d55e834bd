//! `netsig models NAME` with values: evaluates the models of a message and of a program. They describe no collective,
//! so `netsig predict` cannot evaluate them.

use netsig_base::units::{Bytes, Procs};
use netsig_model::model::{Case, Model, ModelSubject, ParameterValues};

use super::Args;
use crate::input::failure::Failure;
use crate::input::files;
use netsig_render::rows::{PrintedCell, PrintedRows};

/// Processes of a message.
const MESSAGE_PROCS: u32 = 2;

/// The command that evaluates a model.
pub(super) fn evaluation_command(model: &Model) -> String {
    let name = model.name;
    match (model.subject, model.needs) {
        (ModelSubject::Collective(collective), _) => {
            format!("netsig predict PROFILE --collective {collective} --model {name} …")
        }
        (ModelSubject::Exchange, _) => "netsig bounds EXCHANGE.csv …".to_owned(),
        (ModelSubject::Message | ModelSubject::Program, []) => {
            format!("netsig models {name} --set NAME=VALUE …")
        }
        (ModelSubject::Message | ModelSubject::Program, _) => {
            format!("netsig models {name} --profile PROFILE --size LIST …")
        }
    }
}

/// The value of the model for each size.
///
/// # Errors
/// If another command evaluates it, a parameter is not its own or has no value, or profile and sizes do not suit it.
pub(super) fn rows(args: &Args, model: &'static Model) -> Result<PrintedRows, Failure> {
    let needs_network = !model.needs.is_empty();
    let is_of_network = args.profile.is_some() && args.size.is_some();
    let is_without_network = args.profile.is_none() && args.size.is_none();
    let is_evaluated_here = matches!(model.subject, ModelSubject::Message | ModelSubject::Program);
    if !is_evaluated_here || needs_network && !is_of_network || !needs_network && !is_without_network {
        let problem = format!(
            "{} takes other options; write {}",
            model.name,
            evaluation_command(model)
        );
        return Err(Failure::usage(problem));
    }
    let parameter_values = values(args, model)?;
    let known = match &args.profile {
        Some(path) => files::profile(path)?.network(),
        None => model.example.known_network(),
    };
    let sizes = args.size.as_ref().map_or(&[Bytes(0)][..], |list| list.items());
    let two = Procs::new(MESSAGE_PROCS).expect("not zero");
    let value = |&size: &Bytes| Ok((size, model.time(&known, &parameter_values, Case::new(two, size))?.time));
    let values = sizes.iter().map(value).collect::<Result<Vec<_>, Failure>>()?;
    Ok(PrintedRows::of(values)
        .column("model", |_| PrintedCell::text(model.name))
        .column("size_bytes", |(size, _)| {
            PrintedCell::if_some(Some(*size).filter(|_| needs_network), PrintedCell::size)
        })
        .column("value", |(_, value)| PrintedCell::rounded(value.0))
        .column("unit", |_| PrintedCell::text(model.example.unit))
        .rows)
}

/// The values of the parameters.
fn values(args: &Args, model: &'static Model) -> Result<ParameterValues, Failure> {
    let is_parameter = |name: &str| model.parameters.iter().any(|parameter| parameter.name == name);
    if let Some((name, _)) = args.settings.iter().find(|(name, _)| !is_parameter(name)) {
        let problem = format!("{} has no parameter {name:?}; see netsig models {0}", model.name);
        return Err(Failure::usage(problem));
    }
    let given = |name: &str| Some(args.settings.iter().find(|setting| setting.0 == name)?.1);
    Ok(model.values(|parameter| given(parameter.name))?)
}
