//! A measured figure with its target.

/// A figure and the most it may be.
pub(super) struct Figure {
    pub(super) name: String,
    pub(super) values: Vec<f64>,
    pub(super) target: f64,
    pub(super) unit: &'static str,
}

impl Figure {
    /// The middle of its values.
    fn median(&self) -> f64 {
        let mut sorted = self.values.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        sorted[sorted.len() / 2]
    }

    pub(super) fn is_met(&self) -> bool {
        self.median() <= self.target
    }

    pub(super) fn line(&self) -> String {
        let Self {
            name, unit, target, ..
        } = self;
        let verdict = if self.is_met() { "met" } else { "MISSED" };
        format!(
            "{name}  {:.3} {unit}  <= {target} {unit}  {verdict}",
            self.median()
        )
    }
}
