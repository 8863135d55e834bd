//! Parameters of `LogGOPSim`, the simulator of GOAL programs: L, o, g, G, O and S as its
//! command-line options, below comment lines with `#`.
//!
//! `LogGOPSim` reads options alone: `LogGOPSim -f PROGRAM.bin $(grep -v '^#' FILE)`. All six are
//! integers, so G, the time of a byte, loses digits in whole nanoseconds. The file has nanoseconds,
//! the unit of GOAL's calculations. If G would be more than [`MOST_ROUNDING`] off, it has picoseconds,
//! says so first, and gives the line in nanoseconds as a comment.
//!
//! # Formula
//! One message of m bytes takes L + 2·o + (m − 1)·max(O, G) in `LogGOPSim`; a port takes messages
//! g + (m − 1)·G apart. From pLogP, with M the largest size of g's table:
//!
//! | | with pLogP tables | from α and β alone |
//! |---|---|---|
//! | L | L + g(1) − os(1) − or(1) | α + β |
//! | o | (os(1) + or(1))/2 | 0 |
//! | g | g(1) | α: start-ups do not overlap |
//! | G | g(M)/M | β |
//! | O | (os(M) + or(M))/(2·M), at most G | 0 |
//! | S | the last eager size | the last eager size |
//!
//! If os(1) + or(1) exceeds L + g(1), o is 0 and L is L + g(1). An O of at most G changes no time
//! of a message, only that of calculations beside it.
//!
//! # Domain
//! G is the same for all sizes: the file states how far the time of a message is from the profile's. A
//! message is eager up to S in `LogGOPSim`; where the limit is not known, S is its default, 65535.
//! Nothing is lost or shared in its network.
//!
//! # Source
//! Hoefler, Schneider, Lumsdaine 2010 (HPDC), and the options of the program; L, o, g and G as in
//! [`LogGP::from_plogp`].

use itertools::Itertools as _;
use netsig_base::text::note::Note;
use netsig_base::units::parameter::ParameterError;
use netsig_base::units::{Bytes, Seconds, SecondsPerByte};

use crate::model::hockney::Hockney;
use crate::model::message::loggp::LogGP;
use crate::model::plogp::PLogP;
use crate::profile::Profile;
use crate::tune::exported_facts;

/// Largest relative error of G in whole nanoseconds.
pub const MOST_ROUNDING: f64 = 0.05;

/// The last eager size by default.
const DEFAULT_S: u64 = 65_535;

const BYTE: Bytes = Bytes(1);

/// A unit of time in the file.
#[derive(Debug, Clone, Copy)]
struct TimeUnit {
    name: &'static str,
    seconds: f64,
}

const NANO: TimeUnit = TimeUnit {
    name: "nanoseconds",
    seconds: 1e-9,
};

const PICO: TimeUnit = TimeUnit {
    name: "picoseconds",
    seconds: 1e-12,
};

/// The parameters in seconds.
struct LogGopSimParameters {
    loggp: LogGP,
    /// O, the overhead per byte.
    per_byte: SecondsPerByte,
    /// S, the last eager size.
    eager: Bytes,
}

/// Largest error of a message's time without a warning.
const SMALL_ERROR: f64 = 0.1;

/// A note on the largest error of a message's time, relative to the profile's.
///
/// # Errors
/// If the profile has no such parameters.
pub fn accuracy_note(profile: &Profile) -> Result<Note, ParameterError> {
    let (worst, size) = LogGopSimParameters::of(profile)?.worst_error(profile);
    let percent = worst * 100.0;
    let text =
        format!("the time of one message in LogGOPSim is up to {percent:.1} % from the profile's, furthest at {size}");
    Ok(if worst > SMALL_ERROR {
        Note::warning(text)
    } else {
        Note::remark(text)
    })
}

/// The text of the file; `name` is the name of the profile's file.
///
/// # Errors
/// If a time is beyond the integers of `LogGOPSim`, 2.1 s.
pub fn parameters(profile: &Profile, name: &str) -> Result<String, ParameterError> {
    let parameters = LogGopSimParameters::of(profile)?;
    let nano = parameters.options(NANO)?;
    let rounding = parameters.rounding(NANO);
    let pico = parameters.options(PICO).ok().filter(|_| rounding > MOST_ROUNDING);
    let unit = if pico.is_some() { PICO } else { NANO };
    let mut lines = vec![format!(
        "Parameters of LogGOPSim: times in {}, G and O in {} per byte, S in bytes.",
        unit.name, unit.name
    )];
    if pico.is_some() {
        lines.push(format!(
            "GOAL programs must give calculations in picoseconds too. In nanoseconds, with G {:.0} % \
             off: {nano}",
            rounding * 100.0
        ));
    }
    lines.extend(exported_facts::lines(profile, name));
    lines.extend(parameters.notes(profile, unit));
    lines.push("Use: LogGOPSim -f PROGRAM.bin $(grep -v '^#' FILE)".to_owned());
    let comments = lines.iter().map(|line| format!("# {line}"));
    Ok(comments.chain([pico.unwrap_or(nano) + "\n"]).join("\n"))
}

impl LogGopSimParameters {
    fn of(profile: &Profile) -> Result<Self, ParameterError> {
        let eager = exported_facts::eager_limit(profile).map(|limit| Bytes(limit.0.saturating_sub(1)));
        let (loggp, per_byte) = match &profile.plogp {
            Some(tables) => of_tables(tables)?,
            None => (of_hockney(&profile.hockney.model())?, SecondsPerByte(0.0)),
        };
        Ok(Self {
            loggp,
            per_byte,
            eager: eager.unwrap_or(Bytes(DEFAULT_S)),
        })
    }

    /// The options in a unit of time.
    fn options(&self, unit: TimeUnit) -> Result<String, ParameterError> {
        let Self { loggp, per_byte, eager } = self;
        let named_times = [
            ("L", loggp.latency().0),
            ("o", loggp.overhead().0),
            ("g", loggp.gap().0),
            ("G", loggp.gap_per_byte().0),
            ("O", per_byte.0),
        ];
        let mut options = Vec::new();
        for (name, seconds) in named_times {
            let units = (seconds / unit.seconds).round();
            if units > f64::from(i32::MAX) {
                let rule = "at most 2.1 s, which LogGOPSim can hold; fit the data of another network";
                return Err(ParameterError::new(name, seconds, rule));
            }
            options.push(format!("-{name} {units}"));
        }
        options.push(format!("-S {}", eager.0.min(i32::MAX as u64)));
        Ok(options.join(" "))
    }

    /// Relative error of G in whole units.
    fn rounding(&self, unit: TimeUnit) -> f64 {
        let units = self.loggp.gap_per_byte().0 / unit.seconds;
        if units > 0.0 {
            (units.round() / units - 1.0).abs()
        } else {
            0.0
        }
    }

    /// Largest relative error of the time of a message at the sizes of g's table, and its size.
    fn worst_error(&self, profile: &Profile) -> (f64, Bytes) {
        let known = profile.network().plogp;
        let rows = known.tables()[0].rows().iter().map(|(size, _)| *size);
        let error = |size: Bytes| {
            let whole = known.message(size).0;
            let error = (self.loggp.message(size).0 / whole - 1.0).abs();
            (if whole > 0.0 { error } else { 0.0 }, size)
        };
        let errors = rows.filter(|size| size.0 > 0).map(error);
        errors.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or_default()
    }

    /// Notes on the values, one line each.
    fn notes(&self, profile: &Profile, unit: TimeUnit) -> Vec<String> {
        let (worst, Bytes(size)) = self.worst_error(profile);
        let difference = match worst {
            ..5e-4 => String::new(),
            _ => format!(" within {:.1} %, furthest at {size} bytes", worst * 100.0),
        };
        let accuracy = format!(
            "One message takes the profile's time{difference}; rounding changes G by {:.1} %.",
            self.rounding(unit) * 100.0
        );
        let source = match profile.plogp {
            Some(_) => "L, o, g, G and O are from the pLogP tables of the profile.",
            None => {
                "L, g and G are from alpha and beta: o, the work of the processors, is not known, \
                 and g = alpha means that start-ups do not overlap."
            }
        };
        let eager = match exported_facts::eager_limit(profile) {
            Some(_) => "S is the last eager size.",
            None => "The eager limit is not known: S is LogGOPSim's default.",
        };
        vec![
            accuracy,
            source.to_owned(),
            eager.to_owned(),
            "Not carried over: contention, lost packets and their stalls.".to_owned(),
            "Verified in netsig's simulator of GOAL (netsig simulate --model loggp), not in LogGOPSim.".to_owned(),
        ]
    }
}

/// The parameters of tables, and O.
fn of_tables(tables: &PLogP) -> Result<(LogGP, SecondsPerByte), ParameterError> {
    let rows = tables.tables()[0].rows();
    let largest = rows.last().map_or(BYTE, |(size, _)| *size).max(BYTE);
    let per_byte = |time: Seconds| SecondsPerByte(time.0 / largest.as_f64());
    let gap = per_byte(tables.g(largest));
    let both = tables.os(largest) + tables.or(largest);
    if let Ok(loggp) = LogGP::from_plogp(tables, largest) {
        return Ok((loggp, SecondsPerByte(per_byte(both * 0.5).0.min(gap.0))));
    }
    let without_overhead = LogGP::new(tables.message(BYTE), Seconds(0.0), tables.g(BYTE), gap)?;
    Ok((without_overhead, SecondsPerByte(0.0)))
}

/// The parameters of α and β.
fn of_hockney(hockney: &Hockney) -> Result<LogGP, ParameterError> {
    LogGP::new(hockney.time(BYTE), Seconds(0.0), hockney.alpha(), hockney.beta())
}
