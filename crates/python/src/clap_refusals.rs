//! Refusals of options by the parser of the command line, as refusals of the keywords of a function.

/// Where advice for the command line alone begins.
const ADVICE: [&str; 2] = ["; tip: ", "; Usage: "];

/// The refusal in Python's words, without advice for the command line; `literal` writes a value as Python does.
/// `None` for other lines.
pub fn in_python(line: &str, literal: impl Fn(&str) -> String) -> Option<String> {
    unknown_keyword(line)
        .or_else(|| unsuited_value(line, literal))
        .or_else(|| {
            let without = without_advice(line);
            (without != line).then(|| without.to_owned())
        })
}

fn without_advice(line: &str) -> &str {
    let starts = ADVICE.iter().filter_map(|advice| line.find(advice));
    &line[..starts.min().unwrap_or(line.len())]
}

/// `unexpected argument '--foo' found; Usage: netsig measure …`.
fn unknown_keyword(line: &str) -> Option<String> {
    let (option, rest) = line.strip_prefix("unexpected argument '--")?.split_once('\'')?;
    let (_, usage) = rest.split_once("Usage: netsig ")?;
    let command = usage.split(' ').next()?;
    Some(format!("{command} has no keyword {}; leave it out", keyword(option)))
}

/// `invalid value 'x' for '--budget <TIME>': write …`.
fn unsuited_value(line: &str, literal: impl Fn(&str) -> String) -> Option<String> {
    let (value, rest) = line.strip_prefix("invalid value '")?.split_once("' for '--")?;
    let (option, problem) = rest.split_once("': ")?;
    let name = option.split(' ').next()?;
    Some(format!(
        "{}={}: {}",
        keyword(name),
        literal(value),
        without_advice(problem)
    ))
}

fn keyword(option: &str) -> String {
    let name = option.split('=').next().unwrap_or(option);
    name.replace('-', "_")
}
