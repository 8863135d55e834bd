//! Messages of the command line in Python's words: options become keywords, and commands functions.

use itertools::Itertools as _;
use netsig_model::model;
use netsig_sim::simulate::SimModelKind;
use pyo3::prelude::*;
use strum::IntoEnumIterator as _;

use crate::clap_refusals;

/// Kind of the values of an option.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OptionValue {
    /// Present or not; a keyword is true.
    Flag,
    /// A value.
    Any,
    /// A name and a value; a keyword takes a dict.
    Setting,
}

/// The options that messages name, with their keywords.
const OPTIONS: [(&str, &str, OptionValue); 46] = [
    ("algorithm", "algorithm", OptionValue::Any),
    ("budget", "budget", OptionValue::Any),
    ("by-procs", "by_procs", OptionValue::Flag),
    ("clusters", "clusters", OptionValue::Any),
    ("collective", "collective", OptionValue::Any),
    ("commutative", "commutative", OptionValue::Flag),
    ("confidence", "confidence", OptionValue::Any),
    ("covariance", "covariance", OptionValue::Any),
    ("dry-run", "dry_run", OptionValue::Flag),
    ("extrapolate", "extrapolate", OptionValue::Flag),
    ("force", "force", OptionValue::Flag),
    ("hostfile", "hostfile", OptionValue::Any),
    ("hosts", "hosts", OptionValue::Any),
    ("keep-unsaturated", "keep_unsaturated", OptionValue::Flag),
    ("launcher", "launcher", OptionValue::Any),
    ("library", "library", OptionValue::Any),
    ("max-procs", "max_procs", OptionValue::Any),
    ("method", "method", OptionValue::Any),
    ("model", "model", OptionValue::Any),
    ("mpirun", "mpirun", OptionValue::Any),
    ("negligible", "negligible", OptionValue::Any),
    ("network", "network", OptionValue::Any),
    ("nodes", "nodes", OptionValue::Any),
    ("on", "on", OptionValue::Any),
    ("output", "output", OptionValue::Any),
    ("placement", "placement", OptionValue::Any),
    ("plogp", "plogp", OptionValue::Any),
    ("port-buffer", "port_buffer", OptionValue::Any),
    ("ppn", "ppn", OptionValue::Any),
    ("precision", "precision", OptionValue::Any),
    ("prediction", "prediction", OptionValue::Any),
    ("procs", "procs", OptionValue::Any),
    ("profile", "profile", OptionValue::Any),
    ("quantile", "quantile", OptionValue::Any),
    ("rank-program", "rank_program", OptionValue::Any),
    ("rate", "rate", OptionValue::Any),
    ("resume", "resume", OptionValue::Flag),
    ("rto-mode", "rto_mode", OptionValue::Any),
    ("seed", "seed", OptionValue::Any),
    ("segment", "segment", OptionValue::Any),
    ("set", "settings", OptionValue::Setting),
    ("sharing", "sharing", OptionValue::Any),
    ("size", "size", OptionValue::Any),
    ("threshold", "threshold", OptionValue::Any),
    ("train", "train", OptionValue::Any),
    ("uplink-rate", "uplink_rate", OptionValue::Any),
];

/// Commands and remarks on files of the command line in messages, with what Python has in their place.
const COMMANDS: [(&str, &str); 12] = [
    (", in a sweep extrapolate = true", ""),
    ("give it to `netsig fit`", "give it to `netsig.read_data`"),
    ("`netsig compare`", "`netsig.compare`"),
    ("`netsig fit`", "`netsig.fit`"),
    ("`netsig import`", "`netsig.import_data`"),
    (
        "fit them with netsig fit --force, and name the profile as well",
        "give netsig.fit(data) as well",
    ),
    ("netsig fit makes one", "netsig.fit makes one"),
    ("ask netsig predict", "ask Profile.predict"),
    ("sbatch for more --nodes", "sbatch for more nodes"),
    ("see compare for", "see netsig.compare for"),
    ("too many for --write-goal", "too many for to_goal()"),
    ("use --timeline", "use timeline()"),
];

/// Values of options besides numbers and the names of models.
const NAMED_VALUES: [&str; 3] = ["closed-form", "event", "proportional"];

/// A message of the command line in Python's words, also for the Python files of the package.
#[pyfunction]
#[pyo3(name = "_in_python")]
pub fn in_python(text: &str) -> String {
    let in_keywords = |line: &str| clap_refusals::in_python(line, literal).unwrap_or_else(|| line.to_owned());
    text.lines().map(|line| line_in_python(&in_keywords(line))).join("\n")
}

/// The start of a command with the name of a program, up to a back tick.
const IMPORT_OF: &str = "`netsig import ";

fn with_functions(line: &str) -> String {
    let replaced = COMMANDS.iter().fold(line.to_owned(), |line, (command, function)| {
        line.replace(command, function)
    });
    let Some((before, (program, after))) = replaced
        .split_once(IMPORT_OF)
        .and_then(|(before, rest)| Some((before, rest.split_once('`')?)))
    else {
        return replaced;
    };
    format!("{before}`netsig.import_data({program:?}, …)`{after}")
}

fn line_in_python(line: &str) -> String {
    let line_with_functions = with_functions(line);
    let mut words = line_with_functions.split(' ').peekable();
    let mut python_words = Vec::new();
    while let Some(word) = words.next() {
        let Some(found) = OptionWord::of(word) else {
            python_words.push(word.to_owned());
            continue;
        };
        if python_words.is_empty() && found.after.starts_with(':') {
            python_words.push(format!("{}{}", found.keyword, found.after));
            continue;
        }
        let value = words.next_if(|next| found.after.is_empty() && is_value(next));
        python_words.push(found.in_python(value));
    }
    python_words.join(" ")
}

/// An option in a message, with the signs around it.
struct OptionWord<'a> {
    before: &'a str,
    keyword: &'static str,
    value: OptionValue,
    after: &'a str,
}

impl<'a> OptionWord<'a> {
    fn of(word: &'a str) -> Option<Self> {
        let (before, dashed) = word.split_at(word.find("--")?);
        if !before.chars().all(|sign| matches!(sign, '(' | '`' | '\'')) {
            return None;
        }
        let name_and_rest = &dashed["--".len()..];
        let is_of_name = |sign: char| sign.is_ascii_lowercase() || sign == '-';
        let end = name_and_rest
            .find(|sign| !is_of_name(sign))
            .unwrap_or(name_and_rest.len());
        let (name, after) = name_and_rest.split_at(end);
        let (_, keyword, value) = OPTIONS.iter().find(|(option, ..)| *option == name)?;
        Some(Self {
            before,
            keyword,
            value: *value,
            after,
        })
    }

    /// The keyword with its value, if there is one.
    fn in_python(&self, value: Option<&str>) -> String {
        let Self {
            before, keyword, after, ..
        } = self;
        match (self.value, value) {
            (OptionValue::Flag, None) => format!("{before}{keyword}=True{after}"),
            // An option with its values, as the command line shows it: '--budget <TIME>'.
            (_, Some(next)) if next.starts_with('<') => {
                let (_, rest) = next.split_once('>').unwrap_or_default();
                format!("{before}{keyword}={rest}")
            }
            (OptionValue::Flag, Some(next)) => format!("{before}{keyword}=True {next}"),
            (_, None) => format!("{before}{keyword}={after}"),
            (kind, Some(word)) => {
                let core = word.trim_end_matches([';', ',', '.', ':', ')', '`']);
                let end = &word[core.len()..];
                match (kind, core.split_once('=')) {
                    (OptionValue::Setting, Some((name, number))) => {
                        format!("{before}{keyword}={{{name:?}: {number}}}{end}")
                    }
                    _ => format!("{before}{keyword}={}{end}", literal(core)),
                }
            }
        }
    }
}

/// True for a word behind an option that is its value: a placeholder, a number, or a known name.
fn is_value(word: &str) -> bool {
    let core = word.trim_end_matches([';', ',', '.', ':', ')', '`']);
    is_placeholder(core)
        || word.ends_with(':')
        || word.starts_with('<')
        || core.contains([':', '='])
        || core.starts_with(|sign: char| sign.is_ascii_digit())
        || NAMED_VALUES.contains(&core)
        || model::models().any(|model| model.name == core)
        || SimModelKind::iter().any(|kind| kind.to_string() == core)
}

fn is_placeholder(core: &str) -> bool {
    !core.is_empty() && core.chars().all(|sign| sign.is_ascii_uppercase())
}

/// A value as Python writes it: numbers and placeholders bare, several numbers as a list, other texts in quotes.
fn literal(core: &str) -> String {
    let is_number = |part: &str| part.parse::<f64>().is_ok();
    match core {
        _ if is_placeholder(core) || is_number(core) => core.to_owned(),
        _ if core.split(',').all(is_number) => format!("[{}]", core.split(',').join(", ")),
        _ => format!("{core:?}"),
    }
}
