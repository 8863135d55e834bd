//! The pLogP model of each closed form of an algorithm.

use netsig_base::algorithm::{ClosedForm, Collective};

use crate::model::{self, Model, reduction};

/// pLogP model of a closed form; `None` where the literature has none.
pub fn plogp_model(collective: Collective, form: ClosedForm) -> Option<&'static Model> {
    let name = match form {
        ClosedForm::Flat => "flat",
        ClosedForm::FlatSegmented => "flat_seg",
        ClosedForm::Chain | ClosedForm::ChainOfParts => "chain",
        ClosedForm::Pipeline => "chain_seg",
        ClosedForm::Binary => "binary",
        ClosedForm::Binomial | ClosedForm::BinomialOfParts => "binomial",
        ClosedForm::BinomialSegmented => "binomial_seg",
        ClosedForm::Pairwise => "plogp_a",
        ClosedForm::Direct | ClosedForm::SendsInTurn | ClosedForm::DirectUnrotated => "plogp_b",
        ClosedForm::Reduction(form) => reduction::name_of(form),
        ClosedForm::Steps => return None,
    };
    model::find(collective, name).ok()
}
