//! `netsig models NAME` with values: evaluates the models of a message and of a program. They describe no collective,
//! so `netsig predict` cannot evaluate them.

use netsig_base::units::list::QuantityList;
use netsig_model::model::evaluation::EvaluationRequest;
use netsig_model::model::{Model, ModelSubject};

use super::Args;
use crate::input::failure::Failure;
use crate::input::files;
use netsig_render::rows::{PrintedCell, PrintedRows};

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
    let profile = args.profile.as_deref().map(files::profile).transpose()?;
    let request = EvaluationRequest {
        model,
        settings: &args.settings,
        network: profile.map(|profile| profile.network()),
        sizes: args.size.as_ref().map(QuantityList::items),
    };
    if !request.suits() {
        let problem = format!(
            "{} takes other options; write {}",
            model.name,
            evaluation_command(model)
        );
        return Err(Failure::usage(problem));
    }
    Ok(PrintedRows::of(request.values()?)
        .column("model", |_| PrintedCell::text(model.name))
        .column("size_bytes", |row| PrintedCell::if_some(row.size, PrintedCell::size))
        .column("value", |row| PrintedCell::rounded(row.value))
        .column("unit", |_| PrintedCell::text(model.example.unit))
        .rows)
}
