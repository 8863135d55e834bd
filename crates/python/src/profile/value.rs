//! Profiles as values: pickled, compared, hashed, and shown in notebooks.

use std::sync::Arc;

use netsig_base::units::{Seconds, three_digits};
use netsig_model::profile;
use pyo3::prelude::*;

use super::PyProfile;
use crate::frame::notebook_table;
use crate::pickle::{PickledObject, PickledState, text_hash, value_methods};

impl PartialEq for PyProfile {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.profile, &other.profile) || self.profile.to_toml() == other.profile.to_toml()
    }
}

impl PickledObject for PyProfile {
    const KIND: &'static str = "Profile";

    fn state(&self) -> PickledState {
        PickledState::of_text(&self.name, self.profile.to_toml())
    }

    fn of_state(state: &PickledState) -> Result<Self, String> {
        let name = state.fact("name")?;
        let profile = profile::Profile::parse(&name, state.text()?).map_err(|error| error.to_string())?;
        Ok(Self::new(profile, name))
    }
}

value_methods!(PyProfile);

#[pymethods]
impl PyProfile {
    fn __hash__(&self) -> u64 {
        text_hash(&self.profile.to_toml())
    }

    fn _repr_html_(&self) -> String {
        let hockney = &self.profile.hockney;
        let alpha = Seconds(hockney.alpha.value);
        let title = format!(
            "Profile({}): alpha = {alpha}, 1/beta = {} Mbit/s",
            self.name,
            three_digits(8e-6 / hockney.beta.value)
        );
        notebook_table(&self.choices(), &title)
    }
}
