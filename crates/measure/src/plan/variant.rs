//! The jobs of one launch. An MPI library reads its choice of algorithms at the start of a job, so
//! every forced algorithm of the library needs a separate job.

use itertools::{Itertools, iproduct};
use netsig_base::algorithm::{AlgorithmNotOffered, CollectiveMethod, LibraryChoice, MpiFlavour};
use netsig_base::data::JobId;

use super::{MeasurementPlan, PlanCell, TimedOperation};

/// One job of a launch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanVariant {
    /// Number of the job: 0 leaves all choices to the library.
    pub number: u32,
    /// The forced algorithms, at most one for each collective.
    forced: Vec<LibraryChoice>,
}

impl MeasurementPlan {
    /// All jobs of all launches, in the order of execution.
    pub fn jobs(&self) -> Vec<JobId> {
        let variants = self.variants();
        iproduct!(0..self.launches, &variants)
            .map(|(launch, variant)| JobId {
                launch,
                variant: variant.number,
            })
            .collect()
    }

    /// The jobs of one launch, by number. Job 0, if not empty, has all cells that do not force an
    /// algorithm of the library; job v has, for each collective, the v-th forced algorithm.
    pub fn variants(&self) -> Vec<PlanVariant> {
        let mut forced: Vec<Vec<LibraryChoice>> = vec![Vec::new()];
        for choice in self.cells.iter().filter_map(forced_choice) {
            let is_free = |job: &Vec<LibraryChoice>| job.iter().all(|taken| taken.collective != choice.collective);
            if forced.iter().flatten().any(|known| *known == choice) {
                continue;
            }
            match forced[1..].iter_mut().find(|job| is_free(job)) {
                Some(job) => job.push(choice),
                None => forced.push(vec![choice]),
            }
        }
        let numbered = (0..).zip(forced);
        let variants = numbered.map(|(number, forced)| PlanVariant { number, forced });
        variants
            .filter(|variant| self.cells.iter().any(|cell| variant.measures(cell)))
            .collect()
    }
}

/// The library algorithm that a cell forces, if any.
fn forced_choice(cell: &PlanCell) -> Option<LibraryChoice> {
    match cell.operation {
        TimedOperation::Collective(_, CollectiveMethod::Library(choice)) if choice.is_forced() => Some(choice),
        _ => None,
    }
}

impl PlanVariant {
    /// True if this job measures `cell`.
    pub fn measures(&self, cell: &PlanCell) -> bool {
        match forced_choice(cell) {
            None => self.number == 0,
            Some(choice) => self.forced.contains(&choice),
        }
    }

    /// The environment variables that make `flavour` use the algorithms of this job.
    ///
    /// # Errors
    /// If the library does not offer one of the algorithms.
    pub fn environment(&self, flavour: MpiFlavour) -> Result<Vec<(String, String)>, AlgorithmNotOffered> {
        let choices = self.forced.iter();
        let variables_by_choice = choices.map(|choice| choice.environment(flavour));
        let variables: Vec<_> = variables_by_choice.flatten_ok().try_collect()?;
        Ok(variables.into_iter().unique().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
[pingpong]
sizes = 1
repetitions = 1
[[collective]]
name = "alltoall"
algorithms = ["direct", "library", "library:pairwise", "library:linear"]
procs = [4, 8]
sizes = 1
repetitions = 1
[[collective]]
name = "bcast"
algorithms = ["library:pipeline:8KiB"]
procs = 4
sizes = 1
repetitions = 1
"#;

    #[test]
    fn every_cell_belongs_to_one_job() {
        let plan = MeasurementPlan::parse("plan.toml", TEXT).unwrap();
        let variants = plan.variants();
        let cell_count = |variant: &PlanVariant| plan.cells().iter().filter(|cell| variant.measures(cell)).count();
        assert_eq!(variants.iter().map(cell_count).collect::<Vec<_>>(), [5, 3, 2]);
        assert_eq!(plan.cells().len(), 5 + 3 + 2);
        let of_first = variants[1].environment(MpiFlavour::OpenMpi).unwrap();
        for expected in [
            ("OMPI_MCA_coll_tuned_alltoall_algorithm", "2"),
            ("OMPI_MCA_coll_tuned_bcast_algorithm", "3"),
            ("OMPI_MCA_coll_tuned_bcast_algorithm_segmentsize", "8192"),
        ] {
            let mut all = of_first.iter().map(|(name, value)| (&**name, &**value));
            assert!(all.any(|one| one == expected), "{of_first:?}");
        }
        let problem = variants[1].environment(MpiFlavour::Mpich).unwrap_err();
        assert!(problem.to_string().contains("MPICH has no bcast algorithm"));
    }

    #[test]
    fn a_key_names_its_job() {
        let jobs = MeasurementPlan::parse("plan.toml", &format!("launches = 2\n{TEXT}"));
        for job in jobs.unwrap().jobs() {
            assert_eq!(JobId::of_key(&job.key("hosts")), Some((job, "hosts")));
        }
        let of = |key| JobId::of_key(key).map(|(job, rest)| (job.launch, job.variant, rest));
        assert_eq!(of("launch_1_s"), Some((1, 0, "s")));
        assert_eq!(of("launch"), None);
    }

    #[test]
    fn a_plan_of_forced_algorithms_has_no_job_without() {
        let text = TEXT.replace("\"direct\", \"library\", ", "");
        let forced = &text[text.find("[[").unwrap()..];
        let plan = MeasurementPlan::parse("plan.toml", forced).unwrap();
        let numbers: Vec<u32> = plan.variants().iter().map(|it| it.number).collect();
        assert_eq!(numbers, [1, 2]);
    }
}
