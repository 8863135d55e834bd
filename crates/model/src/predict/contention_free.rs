//! Contention-free times: lower bounds of the time of a collective where no messages hinder each other.
//!
//! # Formula
//! For n ranks and m bytes, with α and β of one message, each bound is for ports that send and receive one message
//! at a time. g is the least time between two small messages of a port: g(1) of the pLogP tables, at most α; without
//! tables α. w(b) is the least time of b bytes at a port: β·b, or less if the tables show that they pass faster.
//!
//! | collective | bound |
//! |---|---|
//! | all-to-all | (n − 1)·(α + β·m) |
//! | broadcast | (⌈log₂ n⌉ − 1)·g + α + w(m) |
//! | scatter, gather, all-gather | (⌈log₂ n⌉ − 1)·g + α + w((n − 1)·m) |
//! | reduce | (⌈log₂ n⌉ − 1)·g + α + w(m) |
//! | all-reduce | (⌈log₂ n⌉ − 1)·g + α + w(2·(n − 1)·m/n) |
//! | reduce-scatter | (⌈log₂ n⌉ − 1)·g + α + w((n − 1)·m/n) |
//! | barrier | (⌈log₂ n⌉ − 1)·g + α |
//!
//! Of reductions m is the whole vector; the time of the operation is left out. The number of ranks that have data at
//! most doubles with each g, and the last message takes α and its bytes.
//!
//! Between clusters, α and β above are the least of all pairs: latencies of several messages overlap. A link between
//! two clusters adds another bound (`crossing.rs`), and the longest one counts.
//!
//! If each host is a cluster, messages inside it count as free, and its ranks share the bytes of an all-gather or a
//! reduction; hosts then take the place of ranks in the bounds above.
//!
//! # Domain
//! Direct exchange: an all-to-all that forwards pieces needs fewer start-ups than n − 1, and may fall below its bound
//! for small pieces. `β_w` of one message counts as the rate of the link; where TCP's window limits it, several
//! messages may be faster. A network that lets a burst pass at once, as the emulated one, may undercut the bounds of
//! small messages, too. Pieces of different sizes have no bound here. For more ranks than the clusters have, the
//! links carry the data of the known ranks alone.
//!
//! # Source
//! All-to-all: Steffenel 2006, eq. 1. Trees: Chan, Heimlich, Purkayastha, van de Geijn 2007 (Concurrency and
//! Computation 19(13)), section 4, with start-ups after Karp, Sahay, Santos, Schauser 1993. All-reduce and
//! reduce-scatter: Patarasuk and Yuan 2009 (JPDC 69). Between clusters: netsig.

mod crossing;

use netsig_base::algorithm::{Collective, CollectiveMethod};
use netsig_base::network::HostClusters;
use netsig_base::units::{Bytes, Procs, Seconds};

use self::crossing::{CaseCluster, is_exchange};
use super::modelled_algorithm::ModelledAlgorithm;
use super::ranking::flavour;
use super::request::BinomialForm;
use super::select::in_binomial_form;
use crate::model::segment::{Segment, SegmentSearch};
use crate::model::{Case, ParameterValues, SegmentChoice};
use crate::profile::Profile;

/// Least times at a port, in seconds.
struct PortTimes<'a> {
    profile: &'a Profile,
    /// α.
    message: f64,
    /// g.
    gap: f64,
    /// β.
    byte: f64,
}

impl Profile {
    /// Contention-free time of a collective by the best algorithm ([`crate::predict::contention_free`]): a lower bound
    /// of the time by any library. `size` is that of a piece, of a broadcast that of the message, of a reduction that
    /// of the whole vector. `None` for pieces of different sizes, and if no message crosses the network.
    pub fn contention_free_time(&self, collective: Collective, procs: Procs, size: Bytes) -> Option<Seconds> {
        let clusters = self.clusters_of(procs);
        let port = PortTimes::of(self);
        let at_ports = match self.clusters {
            Some(HostClusters::EachHost) => port.time_between_hosts(collective, &clusters, size)?,
            _ => port.time(collective, procs, size)?,
        };
        let between = self.crossing_time(collective, &clusters, size, port.byte);
        let time = at_ports.max(between.unwrap_or(0.0));
        (time > 0.0).then_some(Seconds(time))
    }

    /// Contention-free time of one algorithm: T₀ of its field if one was fitted, also to the library's own choice. Else it
    /// is the time by its closed form, at least [`Profile::contention_free_time`] between clusters. Of an all-to-all it
    /// is that bound. `None` if none of these is known.
    pub(crate) fn known_contention_free_time(
        &self,
        collective: Collective,
        algorithm: &str,
        procs: Procs,
        size: Bytes,
    ) -> Option<Seconds> {
        let bound = self.contention_free_time(collective, procs, size)?;
        if collective == Collective::Alltoall {
            return Some(bound);
        }
        if self.clusters == Some(HostClusters::EachHost) {
            return None;
        }
        let mpi = self.provenance.get("data_mpi");
        let by_field = self.field(collective, algorithm);
        let learned = by_field.and_then(|field| field.time_without_contention(mpi, procs, size));
        let time = learned.or_else(|| self.closed_form_time(collective, algorithm, procs, size))?;
        let has_links = !self.cluster_links.is_empty();
        Some(if has_links { Seconds(time.0.max(bound.0)) } else { time })
    }

    /// Time of an algorithm, which may be one of the MPI library by name, by its exact model on pLogP. The model knows no
    /// clusters. `None` without a model.
    fn closed_form_time(&self, collective: Collective, algorithm: &str, procs: Procs, size: Bytes) -> Option<Seconds> {
        let schedule = match CollectiveMethod::parse(collective, algorithm).ok()? {
            CollectiveMethod::Schedule(schedule) => schedule,
            library @ CollectiveMethod::Library(_) => library.schedule_algorithm(flavour(self)?)?,
        };
        let modelled = ModelledAlgorithm::of_algorithm(&schedule)?;
        let least = |segment: Segment| Segment::new(segment.bytes().min(size)).ok();
        let segment = modelled.segment.and_then(least);
        let best = SegmentChoice::Best(SegmentSearch::HillClimbing, Segment::BYTE);
        let case = Case {
            procs,
            size,
            segments: segment.map_or(best, SegmentChoice::Fixed),
        };
        let exact = in_binomial_form(modelled.model, BinomialForm::Exact);
        let found = exact.time(&self.network(), &ParameterValues::default(), case);
        found.ok().map(|found| found.time)
    }
}

impl<'a> PortTimes<'a> {
    /// The least times of all pairs.
    fn of(profile: &'a Profile) -> Self {
        let hockney = profile.hockney.model();
        let links = profile.cluster_links.iter();
        let messages = links.clone().map(|link| link.alpha().0);
        let bytes = links.map(|link| link.beta().0).filter(|byte| *byte > 0.0);
        let message = messages.fold(hockney.alpha().0, f64::min);
        let gap = profile.plogp.as_ref().map(|tables| tables.g(Bytes(1)).0);
        Self {
            profile,
            message,
            gap: gap.map_or(message, |gap| gap.min(message)),
            byte: bytes.fold(hockney.beta().0, f64::min),
        }
    }

    /// Bound of a collective among ranks of which each has a port.
    fn time(&self, collective: Collective, procs: Procs, size: Bytes) -> Option<f64> {
        let partners = procs.partners();
        let piece = size.as_f64();
        match collective {
            _ if is_exchange(collective) => Some(self.messages(partners, size)),
            Collective::Bcast => Some(self.tree(procs.get().into(), piece)),
            Collective::Scatter | Collective::Gather | Collective::Allgather => {
                Some(self.tree(procs.get().into(), partners * piece))
            }
            _ => Some(self.tree(
                procs.get().into(),
                reduced_vectors(collective, procs.get().into())? * piece,
            )),
        }
    }

    /// Bound of a collective whose messages inside a host are free.
    fn time_between_hosts(&self, collective: Collective, hosts: &[CaseCluster], size: Bytes) -> Option<f64> {
        let all_ranks: f64 = hosts.iter().map(|host| host.ranks).sum();
        let (count, piece) = (hosts.len() as f64, size.as_f64());
        let most = |value: &dyn Fn(&CaseCluster) -> f64| hosts.iter().map(value).fold(0.0, f64::max);
        match collective {
            _ if hosts.len() < 2 => None,
            _ if is_exchange(collective) => Some(self.messages(most(&|host| all_ranks - host.ranks), size)),
            Collective::Bcast => Some(self.tree(count, piece)),
            Collective::Scatter | Collective::Gather => {
                let root_host = hosts.iter().find(|host| host.has_root)?;
                Some(self.tree(count, (all_ranks - root_host.ranks) * piece))
            }
            Collective::Allgather => {
                let of_rank = most(&|host| (all_ranks - host.ranks) / host.ranks);
                Some(self.tree(count, of_rank * piece))
            }
            _ => {
                let of_host = reduced_vectors(collective, count)? * piece;
                Some(self.tree(count, of_host / most(&|host| host.ranks)))
            }
        }
    }

    /// Messages to `partners` ranks, one after the other.
    fn messages(&self, partners: f64, size: Bytes) -> f64 {
        partners * (self.message + self.byte * size.as_f64())
    }

    /// Data from one port to `groups` or back, of which `bytes` pass one port.
    fn tree(&self, groups: f64, bytes: f64) -> f64 {
        if groups < 2.0 {
            return 0.0;
        }
        let further_rounds = groups.log2().ceil() - 1.0;
        further_rounds * self.gap + self.message + self.bytes(bytes)
    }

    /// w(b).
    fn bytes(&self, bytes: f64) -> f64 {
        let by_rate = self.byte * bytes;
        let tables = self.profile.plogp.as_ref();
        tables.map_or(by_rate, |tables| by_rate.min(tables.wire_time(Bytes::rounded(bytes)).0))
    }
}

/// Least number of whole vectors that pass the busiest port of a reduction or barrier among `count` ranks; `None` for
/// other collectives.
fn reduced_vectors(collective: Collective, count: f64) -> Option<f64> {
    let others = (count - 1.0) / count;
    match collective {
        Collective::Reduce => Some(1.0),
        Collective::Allreduce => Some(2.0 * others),
        Collective::ReduceScatter | Collective::ReduceScatterBlock => Some(others),
        Collective::Barrier => Some(0.0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use netsig_base::algorithm::ClusterLayout;
    use netsig_base::network::{ClusterGrid, ClusterLink, HostCluster};
    use netsig_base::units::SecondsPerByte;
    use proptest::prelude::*;

    use super::*;
    use crate::fit::network::NetworkFitOptions;
    use crate::model::hockney::Hockney;
    use crate::testing::{assert_close, procs, read};

    const ALL: [Collective; 9] = [
        Collective::Alltoall,
        Collective::Bcast,
        Collective::Scatter,
        Collective::Gather,
        Collective::Allgather,
        Collective::Reduce,
        Collective::Allreduce,
        Collective::ReduceScatter,
        Collective::Barrier,
    ];

    /// 50 µs and 1 µs a byte inside a cluster.
    fn near() -> Hockney {
        Hockney::new(Seconds(5e-5), SecondsPerByte(1e-6)).unwrap()
    }

    /// A profile with these α and β alone.
    fn profile() -> Profile {
        let rows = (0..8).map(|power| {
            let size = 1 << (2 * power);
            let time = near().time(Bytes(size)).0;
            [0, 1, 2]
                .map(|number| format!("pingpong,,,2,{size},{number},0,{time}\n"))
                .concat()
        });
        let data = read("", "", &rows.collect::<String>());
        let options = NetworkFitOptions::default();
        Profile::fit(&data, "data.csv", &options, &[]).unwrap().1
    }

    fn cluster(name: &str, first: u32, hosts: u32) -> HostCluster {
        let host = |number| format!("h{number}");
        HostCluster {
            name: name.to_owned(),
            hosts: (first..first + hosts).map(host).collect(),
        }
    }

    /// Clusters of 4 and 8 hosts, 15 ms and `byte` s a byte apart.
    fn clustered_profile(byte: f64) -> Profile {
        let clusters = HostClusters::new(vec![cluster("a", 0, 4), cluster("b", 4, 8)]).unwrap();
        let times = [0u64, 1000, 100_000].map(|size| (Bytes(size), Seconds(0.015 + byte * size as f64)));
        let link = ClusterLink::new(["a", "b"].map(str::to_owned), times.to_vec()).unwrap();
        let mut profile = profile();
        profile.set_grid(ClusterGrid::new(clusters, vec![link]).unwrap());
        profile
    }

    fn time(profile: &Profile, collective: Collective, count: u32, size: u64) -> f64 {
        let found = profile.contention_free_time(collective, procs(count), Bytes(size));
        found.unwrap().0
    }

    #[track_caller]
    fn assert_near(found: f64, expected: f64) {
        assert!((found / expected - 1.0).abs() < 1e-6, "{found} is not {expected}");
    }

    /// By hand: among 8 a tree has three start-ups.
    #[test]
    fn without_clusters_the_bounds_are_those_of_hockney_s_ports() {
        let profile = profile();
        let hockney = profile.hockney.model();
        let found = profile.contention_free_time(Collective::Alltoall, procs(8), Bytes(1000));
        assert_close(found.unwrap(), hockney.alltoall(procs(8), Bytes(1000)).0);
        assert_near(time(&profile, Collective::Bcast, 8, 1000), 3.0 * 5e-5 + 1e-3);
        for collective in [Collective::Scatter, Collective::Gather, Collective::Allgather] {
            assert_near(time(&profile, collective, 8, 1000), 3.0 * 5e-5 + 7e-3);
        }
        assert_near(time(&profile, Collective::Reduce, 8, 1000), 3.0 * 5e-5 + 1e-3);
        assert_near(time(&profile, Collective::Allreduce, 8, 1000), 3.0 * 5e-5 + 1.75e-3);
        assert_near(
            time(&profile, Collective::ReduceScatter, 8, 1000),
            3.0 * 5e-5 + 0.875e-3,
        );
        assert_near(time(&profile, Collective::Barrier, 8, 0), 3.0 * 5e-5);
        let skewed = profile.contention_free_time(Collective::AlltoallvSkewed, procs(8), Bytes(1000));
        assert_eq!(skewed, None);
        assert_eq!(
            profile.contention_free_time(Collective::Bcast, procs(1), Bytes(1)),
            None
        );
    }

    /// Twelve ranks are 4 and 8, and 32 pieces cross the link each way. A link at 4 µs a byte carries them in turn; at
    /// 1 µs a byte it may be as fast as four ports.
    #[test]
    fn between_clusters_the_latency_and_the_bytes_of_the_link_count() {
        let slow = clustered_profile(4e-6);
        for collective in ALL {
            assert!(time(&slow, collective, 12, 1) >= 0.015, "{collective}");
            assert!(time(&slow, collective, 12, 1) < 0.016, "{collective}");
        }
        assert_near(time(&slow, Collective::Alltoall, 12, 1000), 0.015 + 0.128);
        assert_near(time(&slow, Collective::Bcast, 12, 1000), 0.015 + 0.004);
        assert_near(time(&slow, Collective::Gather, 12, 1000), 0.015 + 0.032);
        assert_near(time(&slow, Collective::Allgather, 12, 1000), 0.015 + 0.032);
        assert_near(time(&slow, Collective::Reduce, 12, 12_000), 0.015 + 0.048);
        assert_near(time(&slow, Collective::Allreduce, 12, 12_000), 0.015 + 0.048);
        assert_near(time(&slow, Collective::ReduceScatter, 12, 12_000), 0.015 + 0.032);
        assert_near(time(&slow, Collective::Barrier, 12, 0), 0.015);
        let fast = clustered_profile(1e-6);
        assert_near(time(&fast, Collective::Alltoall, 12, 1000), 0.015 + 0.008);
        // Ranks 0 and 1 are in one cluster.
        assert_near(time(&slow, Collective::Alltoall, 2, 1), 5.1e-5);
    }

    /// If each host is a cluster, its messages alone cross the network.
    #[test]
    fn messages_inside_a_host_are_free() {
        let mut profile = profile();
        profile.set_layout(&ClusterLayout::of_sizes(&[2, 2, 2]));
        profile.clusters = Some(HostClusters::EachHost);
        assert_near(time(&profile, Collective::Alltoall, 6, 1000), 4.0 * (5e-5 + 1e-3));
        assert_near(time(&profile, Collective::Bcast, 6, 1000), 2.0 * 5e-5 + 1e-3);
        // Each of three hosts sends 4/3 of the vector by its two ports.
        assert_near(time(&profile, Collective::Allreduce, 6, 3000), 2.0 * 5e-5 + 2e-3);
    }

    #[test]
    fn a_named_algorithm_takes_its_own_messages() {
        let profile = profile();
        let of = |algorithm| profile.known_contention_free_time(Collective::Bcast, algorithm, procs(8), Bytes(1000));
        assert_eq!(of("library"), None, "its tree is not known");
        assert_near(of("chain").unwrap().0, 7.0 * (5e-5 + 1e-3));
        assert_near(of("binomial").unwrap().0, 3.0 * (5e-5 + 1e-3));
    }

    proptest! {
        /// A fast link between clusters has the capacity of as many ports as there are ranks, and more of them take less
        /// time there.
        #[test]
        fn more_bytes_or_ranks_never_take_less_time(
            size in 0u64..1 << 24,
            further_bytes in 0u64..1 << 24,
            count in 2u32..20,
            further_ranks in 0u32..20,
            byte in 0.0..1e-5,
        ) {
            let beyond_ports = if byte > 2e-6 { further_ranks } else { 0 };
            for (profile, further_ranks) in [(profile(), further_ranks), (clustered_profile(byte), beyond_ports)] {
                // Of a reduce-scatter less crosses a link between clusters if they become more alike.
                for collective in ALL.into_iter().filter(|one| *one != Collective::ReduceScatter) {
                    let small = time(&profile, collective, count, size);
                    let large = time(&profile, collective, count + further_ranks, size + further_bytes);
                    prop_assert!(small <= large * (1.0 + 1e-12), "{} {} {}", collective, small, large);
                }
            }
        }
    }
}
