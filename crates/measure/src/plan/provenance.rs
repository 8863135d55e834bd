//! The text of a plan in the provenance of data: in one line.

use itertools::Itertools as _;

/// Provenance key of the plan that was carried out.
pub const PLAN: &str = "plan";

/// Provenance key of the requested plan, if a budget changed it.
pub const REQUESTED_PLAN: &str = "requested_plan";

/// Provenance key of the number of each rank's cluster.
pub const CLUSTERS: &str = "cluster_of_ranks";

/// A plan in one line: its line breaks are written as `\n`, and backslashes as `\\`.
pub fn escaped(plan: &str) -> String {
    plan.replace('\\', r"\\").replace('\n', r"\n")
}

/// Reverses [`escaped`].
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
