//! `netsig models NAME` with values: evaluates the models of one message and of a program, which describe no
//! collective that `netsig predict` could take.

use netsig_base::units::{Bytes, Procs};
use netsig_model::model::{Case, Model, Subject, Values};

use super::Args;
use crate::input::failure::Failure;
use crate::input::files;
use crate::print::rows::{Cell, Rows};

/// Processes of a message.
const TWO: u32 = 2;

/// The command that evaluates a model.
pub(super) fn command(model: &Model) -> String {
    let name = model.name;
    match (model.subject, model.needs) {
        (Subject::Collective(own), _) => {
            format!("netsig predict PROFILE --collective {own} --model {name} …")
        }
        (Subject::Exchange, _) => "netsig bounds EXCHANGE.csv …".to_owned(),
        (Subject::Message | Subject::Program, []) => {
            format!("netsig models {name} --set NAME=VALUE …")
        }
        (Subject::Message | Subject::Program, _) => {
            format!("netsig models {name} --profile PROFILE --size LIST …")
        }
    }
}

/// The value of the model for each size.
///
/// # Errors
/// If another command evaluates it, a parameter is not its own or has no value, or profile and sizes do not suit it.
pub(super) fn rows(args: &Args, model: &'static Model) -> Result<Rows, Failure> {
    let needs_network = !model.needs.is_empty();
    let is_of_network = args.profile.is_some() && args.size.is_some();
    let is_free = args.profile.is_none() && args.size.is_none();
    let is_own = matches!(model.subject, Subject::Message | Subject::Program);
    if !is_own || needs_network && !is_of_network || !needs_network && !is_free {
        let problem = format!("{} takes other options; write {}", model.name, command(model));
        return Err(Failure::usage(problem));
    }
    let values = values(args, model)?;
    let known = match &args.profile {
        Some(path) => files::profile(path)?.network(),
        None => model.example.known(),
    };
    let sizes = args.size.as_ref().map_or(&[Bytes(0)][..], |own| own.items());
    let two = Procs::new(TWO).expect("not zero");
    let value = |&size: &Bytes| Ok((size, model.time(&known, &values, Case::new(two, size))?.time));
    let values = sizes.iter().map(value).collect::<Result<Vec<_>, Failure>>()?;
    Ok(Rows::of(values)
        .column("model", |_| Cell::text(model.name))
        .column("size_bytes", |(size, _)| {
            Cell::if_some(Some(*size).filter(|_| needs_network), Cell::size)
        })
        .column("value", |(_, value)| Cell::number(value.0))
        .column("unit", |_| Cell::text(model.example.unit))
        .rows)
}

/// The values of the parameters.
fn values(args: &Args, model: &'static Model) -> Result<Values, Failure> {
    let is_own = |name: &str| model.parameters.iter().any(|own| own.name == name);
    if let Some((name, _)) = args.settings.iter().find(|(name, _)| !is_own(name)) {
        let problem = format!("{} has no parameter {name:?}; see netsig models {0}", model.name);
        return Err(Failure::usage(problem));
    }
    let given = |name: &str| Some(args.settings.iter().find(|own| own.0 == name)?.1);
    Ok(model.values(|parameter| given(parameter.name))?)
}
