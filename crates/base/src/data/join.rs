//! Several data files as one: launches stay distinct, and provenance keeps differences.

use super::{Dataset, JobId, Provenance};

/// A launch number that cannot be raised above those of earlier files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("launch {0} cannot be numbered on from those of the other files; write smaller numbers")]
pub struct TooManyLaunches(u32);

impl Dataset {
    /// Adds the rows of a later file and numbers its launches on from the last one here. Facts
    /// about launches get the new numbers; other facts that these data do not state equally are
    /// kept under `file_NUMBER_KEY`.
    ///
    /// # Errors
    /// If a launch number becomes too large.
    pub fn join(&mut self, mut later: Self, number: usize) -> Result<(), TooManyLaunches> {
        let shift = self.next_launch()?;
        for launch in later.launches_mut() {
            *launch = shifted(*launch, shift)?;
        }
        let known = self.provenance.clone();
        for (key, value) in later.provenance.iter() {
            match JobId::of_key(key) {
                Some((job, fact)) => {
                    let launch = shifted(job.launch, shift)?;
                    let job = JobId { launch, ..job };
                    self.provenance.push(&job.key(fact), value);
                }
                None if known.get(key) == Some(value) => {}
                None => self.provenance.push(&format!("file_{number}_{key}"), value),
            }
        }
        self.append(later);
        Ok(())
    }

    /// Adds the rows unchanged.
    pub fn append(&mut self, mut later: Self) {
        self.samples.append(&mut later.samples);
        self.rejected.append(&mut later.rejected);
        self.aggregates.append(&mut later.aggregates);
        self.completed.append(&mut later.completed);
    }

    /// The next free launch number.
    fn next_launch(&mut self) -> Result<u32, TooManyLaunches> {
        let stated = stated_launches(&self.provenance).max();
        let last = self.launches_mut().map(|launch| *launch).max().max(stated);
        last.map_or(Ok(0), |last| shifted(last, 1))
    }

    /// Launch numbers of all rows.
    pub(super) fn launches_mut(&mut self) -> impl Iterator<Item = &mut u32> {
        let samples = self.samples.iter_mut().map(|row| &mut row.cell.launch);
        let rejected = self.rejected.iter_mut().map(|row| &mut row.cell.launch);
        let aggregates = self.aggregates.iter_mut().map(|row| &mut row.cell.launch);
        let completed = self.completed.iter_mut().map(|place| &mut place.launch);
        samples.chain(rejected).chain(aggregates).chain(completed)
    }
}

fn stated_launches(facts: &Provenance) -> impl Iterator<Item = u32> {
    let jobs = facts.iter().filter_map(|(key, _)| JobId::of_key(key));
    jobs.map(|(job, _)| job.launch)
}

fn shifted(launch: u32, shift: u32) -> Result<u32, TooManyLaunches> {
    launch.checked_add(shift).ok_or(TooManyLaunches(launch))
}

#[cfg(test)]
mod tests {
    use crate::data::testing::read;

    /// Rows, rejected repetitions, completed cells and facts of one launch stay together.
    #[test]
    fn launches_of_a_later_file_follow_those_of_the_earlier() {
        let rows = "pingpong,,,2,8,0,0,1e-4,\npingpong,,,2,8,0,2,1e-4,\n\
            pingpong,,,2,8,1,2,,late\n#@done=2,pingpong,,,2,8\n";
        let mut data = read("#@mpi=A\n#@seed=1\n#@launch_3_seed=9\n", ",status", rows);
        let later = "#@mpi=A\n#@seed=2\n#@launch_1_seed=3\n#@launch_2_job_1_s=wall 1\n";
        data.join(read(later, ",status", rows), 2).unwrap();
        let launches: Vec<u32> = data.samples.iter().map(|row| row.cell.launch).collect();
        assert_eq!(launches, [0, 2, 4, 6]);
        assert_eq!(data.rejected[1].cell.launch, 6);
        assert_eq!(data.completed[1].launch, 6);
        let entries = data.provenance.iter();
        let facts: Vec<String> = entries.map(|(key, value)| format!("{key}={value}")).collect();
        let expected = "mpi=A, seed=1, launch_3_seed=9, file_2_seed=2, launch_5_seed=3, \
            launch_6_job_1_s=wall 1";
        assert_eq!(facts.join(", "), expected);
    }

    #[test]
    fn a_launch_without_a_next_number_is_refused() {
        let last = || read("", "", "pingpong,,,2,8,0,4294967295,1e-4\n");
        let error = last().join(last(), 2).unwrap_err();
        assert!(error.to_string().starts_with("launch 4294967295 "));
    }
}
