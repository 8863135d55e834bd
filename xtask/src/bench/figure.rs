//! A measured figure with its target.

/// A figure and the most it may be.
pub(crate) struct Figure {
    pub(crate) name: String,
    pub(crate) values: Vec<f64>,
    pub(crate) target: f64,
    pub(crate) unit: &'static str,
}

impl Figure {
    /// The middle of its values.
    fn median(&self) -> f64 {
        let mut sorted = self.values.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        sorted[sorted.len() / 2]
    }

    pub(crate) fn is_met(&self) -> bool {
        self.median() <= self.target
    }

    pub(crate) fn line(&self) -> String {
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
