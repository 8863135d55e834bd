//! The requested plan: a file, changed by options.

use std::path::{Path, PathBuf};

use netsig_measure::plan::MeasurementPlan;

use crate::input::failure::Failure;
use crate::input::file_kind::FileKind;
use crate::input::files;

/// A plan with its text.
#[derive(Debug, Clone)]
pub struct LoadedPlan {
    /// The file named by the user.
    pub file: PathBuf,
    /// The text of the plan, with the changes by options.
    pub text: String,
    /// The parsed text.
    pub plan: MeasurementPlan,
    /// True if the text is that of the file.
    pub is_text_of_file: bool,
    /// The text before a budget changed it.
    pub text_before_budget: Option<String>,
}

impl LoadedPlan {
    /// Reads a plan from `file`; a given `precision` replaces the one in the file.
    ///
    /// # Errors
    /// If the file is no plan.
    pub fn read(file: &Path, precision: Option<&str>) -> Result<Self, Failure> {
        let mut loaded_plan = Self::parse(file, files::text(file)?)?;
        match precision {
            // The ranks read the file as it is.
            None => loaded_plan.is_text_of_file = files::is_lasting(file) && is_plain(file, &loaded_plan.text),
            Some(precision) => loaded_plan = Self::parse(file, with_precision(&loaded_plan.text, precision))?,
        }
        Ok(loaded_plan)
    }

    /// Parses a text that replaces the content of `file`.
    ///
    /// # Errors
    /// If the text is no plan.
    pub fn parse(file: &Path, text: String) -> Result<Self, Failure> {
        let name = files::name(file);
        let plan = MeasurementPlan::parse(&name, &text).map_err(|error| {
            let other = FileKind::Plan.misnamed(&name, &text);
            other.map_or_else(|| error.into(), Failure::from)
        })?;
        Ok(Self {
            plan,
            file: file.to_owned(),
            text,
            is_text_of_file: false,
            text_before_budget: None,
        })
    }
}

/// True if the file holds `text` as it is, in UTF-8.
fn is_plain(file: &Path, text: &str) -> bool {
    std::fs::read(file).is_ok_and(|bytes| bytes == text.as_bytes())
}

/// The key of the precision; it must precede the first table.
const PRECISION: &str = "precision";

/// Replaces the precision in `text`, or adds it.
fn with_precision(text: &str, precision: &str) -> String {
    let head = text
        .lines()
        .take_while(|line| !line.trim_start().starts_with('['))
        .count();
    let is_precision = |line: &str| {
        let rest = line.trim_start().strip_prefix(PRECISION);
        rest.is_some_and(|rest| rest.trim_start().starts_with('='))
    };
    let mut lines: Vec<String> = vec![format!("{PRECISION} = \"{precision}\"")];
    for (number, line) in text.lines().enumerate() {
        if number >= head || !is_precision(line) {
            lines.push(line.to_owned());
        }
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_precision_is_replaced_or_put_in() {
        let rest = "seed = 1\n\n[pingpong]\nprecision = 3\n";
        let expected = format!("precision = \"2%\"\n{rest}");
        assert_eq!(with_precision(rest, "2%"), expected);
        let other = rest.replacen("seed", "precision=\"5%\" # coarse\nseed", 1);
        assert_eq!(with_precision(&other, "2%"), expected);
    }
}
