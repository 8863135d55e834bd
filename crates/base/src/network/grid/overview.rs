//! What there is to say about clusters: a row for each cluster and link, and notes on hosts that stand alone.

use super::{ClusterGrid, ClusterLink};
use crate::network::{HostCluster, HostClusters};
use crate::text::note::Note;
use crate::units::{Seconds, three_digits};

/// A cluster, or a link between two.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClusterRow<'a> {
    /// The cluster, or the first of two.
    pub cluster: &'a str,
    /// The second of two clusters.
    pub to: Option<&'a str>,
    /// The hosts of a cluster.
    pub hosts: Option<&'a [String]>,
    /// The link between the two clusters, or inside the one.
    pub link: Option<&'a ClusterLink>,
}

impl ClusterRow<'_> {
    /// The bandwidth of a long message in Mbit/s, if the times show one.
    pub fn megabits(&self) -> Option<f64> {
        self.link.and_then(megabits)
    }
}

impl ClusterGrid {
    /// The clusters by name; none where each host is a cluster.
    pub fn named_clusters(&self) -> &[HostCluster] {
        match &self.clusters {
            HostClusters::EachHost => &[],
            HostClusters::Named(clusters) => clusters,
        }
    }

    /// The clusters, then the links between them.
    pub fn rows(&self) -> impl Iterator<Item = ClusterRow<'_>> {
        let inside = self.named_clusters().iter().map(|cluster| ClusterRow {
            cluster: &cluster.name,
            to: None,
            hosts: Some(&cluster.hosts[..]),
            link: self.link(&cluster.name, &cluster.name),
        });
        let between = self.links.iter().filter_map(|link| {
            let [cluster, to] = link.cluster_names();
            (cluster != to).then_some(ClusterRow {
                cluster,
                to: Some(to),
                hosts: None,
                link: Some(link),
            })
        });
        inside.chain(between)
    }

    /// Notes on clusters of one host, with the nearest other cluster.
    pub fn notes(&self) -> Vec<Note> {
        let clusters = self.named_clusters().iter();
        clusters.filter_map(|cluster| self.lone_host_note(cluster)).collect()
    }

    fn lone_host_note(&self, cluster: &HostCluster) -> Option<Note> {
        let [host] = &cluster.hosts[..] else {
            return None;
        };
        let name = cluster.name.as_str();
        let links = self.links.iter().filter_map(|link| match link.cluster_names() {
            [one, other] if one == name => Some((other, link)),
            [one, other] if other == name => Some((one, link)),
            _ => None,
        });
        let size = |link: &ClusterLink| link.times().last().map_or(0.0, |(size, _)| size.as_f64());
        let longest_time = |link: &ClusterLink| link.time(size(link)).0;
        let (nearest, link) = links.min_by(|a, b| longest_time(a.1).total_cmp(&longest_time(b.1)))?;
        let rate = megabits(link).map_or(String::new(), |rate| format!(" and {} Mbit/s", three_digits(rate)));
        Some(Note::remark(format!(
            "{host} is alone in its cluster: {}{rate} from its nearest, {nearest}; check its link, or leave it out of the host file",
            rounded(link.alpha())
        )))
    }
}

/// The bandwidth of a long message, if the times show one.
fn megabits(link: &ClusterLink) -> Option<f64> {
    let beta = link.beta().0;
    (beta > 0.0).then(|| 8e-6 / beta)
}

/// A time with two significant digits, for sentences.
fn rounded(time: Seconds) -> Seconds {
    let scale = 10f64.powf(1.0 - time.0.log10().floor());
    Seconds((time.0 * scale).round() / scale)
}
