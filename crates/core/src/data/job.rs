//! The jobs of a campaign, and the keys under which a data file keeps what one of them says.

use std::fmt;

/// One job of a campaign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct JobId {
    /// The number of its launch, from 0.
    pub launch: u32,
    /// The number of its variant: 0 leaves all choices to the MPI library, every other forces
    /// algorithms of it.
    pub variant: u32,
}

impl JobId {
    /// The key under which a data file keeps a fact about this job: `launch_1_hosts`, or
    /// `launch_1_job_2_hosts` for a variant other than 0.
    pub fn key(self, fact: &str) -> String {
        match self.variant {
            0 => format!("launch_{}_{fact}", self.launch),
            variant => format!("launch_{}_job_{variant}_{fact}", self.launch),
        }
    }

    /// The job and the fact that a key is about, if it is one.
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
