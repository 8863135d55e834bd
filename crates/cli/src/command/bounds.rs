//! `netsig bounds`: lower bounds of any message exchange.

use std::path::PathBuf;

use netsig_base::units::{Bytes, Seconds, SecondsPerByte, duration};
use netsig_model::model::exchange::{BoundsRequest, MessageExchange, StepSynchrony, ZeroMessages};
use netsig_model::model::hockney::Hockney;
use netsig_model::model::signature::{Signature, SignatureForm};

use crate::input::failure::Failure;
use crate::input::files;
use crate::print::rows::{PrintArgs, print_rows};
use netsig_render::rows::{PrintedCell, PrintedRows};

/// Lower bounds of a message exchange that need not be uniform.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A square matrix of sizes in bytes (row i holds the messages of process i), or arcs under
    /// the header `from,to,size_bytes`.
    exchange: PathBuf,
    /// Start-up time of a message, such as 50us or 5e-5 (seconds).
    #[arg(long, value_name = "TIME", value_parser = duration, allow_hyphen_values = true)]
    alpha: Seconds,
    /// Time of a byte, such as 10ns or 1e-8 (seconds).
    #[arg(long, value_name = "TIME", value_parser = duration, allow_hyphen_values = true)]
    beta: Seconds,
    /// All processes start each of their messages together.
    #[arg(long)]
    synchronous: bool,
    /// Empty messages cost their start-up.
    #[arg(long)]
    count_zero_messages: bool,
    /// The contention ratio of a signature, for its time.
    #[arg(long, allow_hyphen_values = true)]
    gamma: Option<f64>,
    /// The extra time of each simultaneous communication from the threshold on.
    #[arg(
        long, value_name = "TIME", value_parser = duration, allow_hyphen_values = true,
        default_value = "0", requires = "gamma"
    )]
    delta: Seconds,
    /// The mean message size from which delta counts.
    #[arg(long, value_name = "BYTES", default_value = "0", requires = "gamma")]
    threshold: Bytes,
    #[command(flatten)]
    print: PrintArgs,
}

const EXAMPLES: &str = "\
Examples:
  netsig bounds exchange.csv --alpha 50us --beta 10ns
  netsig bounds exchange.csv --alpha 50us --beta 10ns --gamma 1.8 --format json";

/// Runs the command.
///
/// # Errors
/// If the file holds no exchange or a parameter is not possible.
pub fn run(args: &Args) -> Result<(), Failure> {
    let base = Hockney::new(args.alpha, SecondsPerByte(args.beta.0)).map_err(Failure::usage)?;
    let zero_messages = if args.count_zero_messages {
        ZeroMessages::Counted
    } else {
        ZeroMessages::Absent
    };
    let name = files::name(&args.exchange);
    let exchange = MessageExchange::parse(&name, &files::text(&args.exchange)?, zero_messages)?;
    let signature = args.gamma.map(|gamma| {
        let unchecked_signature = Signature {
            base,
            form: SignatureForm::Full,
            gamma,
            gamma_below: None,
            delta: args.delta,
            threshold: Some(args.threshold),
        };
        unchecked_signature.checked().map_err(Failure::usage)
    });
    let request = BoundsRequest {
        exchange: &exchange,
        base,
        stepping: if args.synchronous {
            StepSynchrony::Synchronous
        } else {
            StepSynchrony::Asynchronous
        },
        signature: signature.transpose()?,
    };
    let bound_rows = request.rows()?;
    let bounds = exchange.bounds(&base);
    eprintln!(
        "{} processes, {} messages; Delta_s = {}, Delta_r = {}, t_s = {}, t_r = {}",
        exchange.procs(),
        exchange.messages(),
        bounds.max_out_degree,
        bounds.max_in_degree,
        bounds.send_time,
        bounds.receive_time
    );
    let rows = PrintedRows::of(bound_rows)
        .column("bound", |row| PrintedCell::text(row.name))
        .column("time_s", |row| PrintedCell::time(row.time))
        .sentences("applies", |row| PrintedCell::text(row.applies))
        .sentences("meaning", |row| PrintedCell::text(row.meaning))
        .rows;
    Ok(print_rows(&rows, args.print)?)
}
