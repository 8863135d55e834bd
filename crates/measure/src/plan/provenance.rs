//! The plan in the provenance of data.

/// Provenance key of the plan that was carried out, in one line
/// ([`escaped`](netsig_base::text::line::escaped)).
pub const PLAN: &str = "plan";

/// Provenance key of the requested plan, if a budget changed it.
pub const REQUESTED_PLAN: &str = "requested_plan";
