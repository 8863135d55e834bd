//! What a profile keeps of the fits of a dataset.

use super::{AlgorithmFit, FittedModel, NetworkFit};
use crate::dataset::Provenance;
use crate::fit::{Point, Student};
use crate::model::plogp::PLogP;
use crate::profile::{
    Base, Domain, FlowsEntry, HockneyEntry, ModelEntry, Profile, ProtocolEntry, SignatureEntry,
};

impl NetworkFit {
    /// The profile that predictions read.
    pub fn profile(&self, provenance: Provenance, confidence: f64) -> Profile {
        let pairs = &self.point_to_point;
        Profile {
            provenance,
            hockney: HockneyEntry::from(&self.hockney),
            plogp: self.plogp.clone(),
            protocol: pairs.eager_limit.as_ref().map(ProtocolEntry::from),
            flows: pairs.flows.as_ref().map(FlowsEntry::from),
            signatures: self
                .signatures
                .iter()
                .filter_map(|fitted| fitted.entry(confidence))
                .collect(),
            models: self
                .models
                .iter()
                .filter_map(|fitted| fitted.entry(confidence, self.plogp.as_ref()))
                .collect(),
        }
    }
}

impl AlgorithmFit {
    /// What predictions need of the fit; `None` if nothing was fitted.
    fn entry(&self, confidence: f64) -> Option<SignatureEntry> {
        let fitted = |p: &&Point| !self.fit.left_out.contains(&p.procs);
        let points: Vec<Point> = self.points.iter().filter(fitted).copied().collect();
        Some(SignatureEntry {
            collective: self.collective,
            algorithm: self.algorithm.clone(),
            signature: self.fit.signature,
            student: Student::new(confidence, self.fit.dof),
            parameters: self.fit.parameters.clone(),
            covariance: self.fit.covariance.clone(),
            errors: self.covariance.to_string(),
            threshold: self.fit.threshold,
            residuals: self.fit.residuals,
            saturation: self.fit.saturation,
            domain: Domain::of(&points)?,
        })
    }
}

impl FittedModel {
    /// What predictions need of the fit; `None` if nothing was fitted.
    fn entry(&self, confidence: f64, tables: Option<&PLogP>) -> Option<ModelEntry> {
        Some(ModelEntry {
            model: self.model,
            collective: self.collective,
            algorithm: self.algorithm.clone(),
            values: self.fit.values.clone(),
            estimates: self.fit.estimates.clone(),
            covariance: self.fit.covariance.clone(),
            student: Student::new(confidence, self.fit.dof),
            residual: self.fit.residual,
            errors: self.covariance.to_string(),
            base: Base::of(self.model, tables),
            domain: Domain::of(&self.points)?,
        })
    }
}
