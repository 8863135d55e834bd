//! Jobs of a campaign, and the keys of facts about a job in a data file.

use std::fmt;

/// One job of a campaign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct JobId {
    /// Number of the launch, from 0.
    pub launch: u32,
    /// Number of the variant: 0 leaves all choices to the MPI library, the others force algorithms
    /// of the library.
    pub variant: u32,
}

impl JobId {
    /// Key of a fact about this job in a data file: `launch_1_hosts`, or `launch_1_job_2_hosts` for
    /// a variant other than 0.
    pub fn key(self, fact: &str) -> String {
        match self.variant {
            0 => format!("launch_{}_{fact}", self.launch),
            variant => format!("launch_{}_job_{variant}_{fact}", self.launch),
        }
    }

    /// Job and fact of a key; `None` for a key of another form.
    pub fn of_key(key: &str) -> Option<(Self, &str)> {
        let (launch, fact) = key.strip_prefix("launch_")?.split_once('_')?;
        let launch = launch.parse().ok()?;
        let Some(rest) = fact.strip_prefix("job_") else {
            return Some((Self { launch, variant: 0 }, fact));
        };
        let (variant, fact) = rest.split_once('_')?;
        let variant = variant.parse().ok()?;
        Some((Self { launch, variant }, fact))
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "launch {}", self.launch)?;
        match self.variant {
            0 => Ok(()),
            variant => write!(f, ", job {variant}"),
        }
    }
}
