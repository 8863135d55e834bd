//! The text of a plan as the provenance of data keeps it: in one line.

use itertools::Itertools as _;

/// The provenance that holds the plan that was carried out.
pub const PLAN: &str = "plan";

/// The provenance that holds the plan that was asked for, where a budget changed it.
pub const REQUESTED_PLAN: &str = "requested_plan";

/// A plan in one line: its line breaks are written as `\n`, and backslashes as `\\`.
pub fn escaped(plan: &str) -> String {
    plan.replace('\\', r"\\").replace('\n', r"\n")
}

/// The plan that [`escaped`] has put into one line.
pub fn unescaped(line: &str) -> String {
    let mut parts = line.split(r"\\").map(|part| part.replace(r"\n", "\n"));
    parts.join(r"\")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_survives_its_way_through_a_line() {
        let plan = "seed = 1\n[[collective]]\nname = \"a\\\\b\\n\"\n";
        assert_eq!(unescaped(&escaped(plan)), plan);
        assert!(!escaped(plan).contains('\n'));
    }
}
