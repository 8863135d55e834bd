//! All-to-alls whose pieces go straight to their receivers over links between sites.

use itertools::Itertools as _;

use super::{Measured, NetworkFit, Problem};
use crate::fit::Point;
use crate::fit::ladder::LeftOut;
use crate::model::Case;

impl Measured<'_> {
    /// True if pieces that go straight to their receivers cross links between sites.
    pub(super) fn is_on_links(&self) -> bool {
        let sites = self.clusters.filter(|own| own.inside.is_none());
        self.is_between_clusters() && sites.is_some_and(|own| own.between.is_some())
    }

    /// Times by the model of a shared link, fitted without each process count in turn; `None` if the profile has
    /// no such model of the algorithm.
    pub(super) fn left_out_of_shared_link(&self, fitted: &NetworkFit) -> Option<LeftOut> {
        let mut models = fitted.models.iter();
        let own =
            models.find(|own| own.model.is_of_shared_link() && own.algorithm == self.algorithm)?;
        let network = &self.known(fitted);
        let mut times = LeftOut::new();
        for procs in self.points.iter().map(|p| p.procs).unique() {
            let (out, others): (Vec<Point>, Vec<Point>) =
                self.points.iter().partition(|p| p.procs == procs);
            let problem = Problem {
                model: own.model,
                algorithm: &self.algorithm,
                base: own.fitted_on,
                network,
                points: &others,
                options: &self.options.model,
            };
            let Ok(fit) = self.model(problem, fitted.base_error) else {
                continue;
            };
            let values = fit.model.values().ok()?;
            times.extend(out.iter().filter_map(|p| {
                let time = own.model.time(network, &values, Case::new(p.procs, p.size));
                Some(((p.procs, p.size), time.ok()?.time))
            }));
        }
        Some(times)
    }
}
