//! TOML text of a network: a graph of switches with all hosts by name, or a binary tree.

use itertools::Itertools;
use toml::{Table, Value};

use super::{LinkSpec, Network, NetworkShape, TreeEdge, TrueSignature};
use crate::units::{BitsPerSecond, Seconds};

/// The text that [`Network::parse`] reads back to `network`.
pub(super) fn toml(network: &Network) -> String {
    let mut file = Table::new();
    let mut set = |key: &str, value: Value| file.insert(key.to_owned(), value);
    set("description", network.description.clone().into());
    set("congestion_control", network.congestion_control.clone().into());
    let limit = network.eager_limit;
    limit.map(|limit| set("eager_limit", limit.to_string().into()));
    for (key, duration) in [("latency", network.latency), ("rto", network.rto)] {
        duration.map(|seconds| set(key, time(seconds)));
    }
    network.truth.map(|truth| set("truth", of_truth(truth)));
    match &network.shape {
        NetworkShape::BinaryTree(heights) => {
            set("topology", "binary-tree".into());
            set("height", heights.iter().map(of_edge).collect_vec().into());
        }
        NetworkShape::Switches { switches, trunks } => {
            set("topology", "graph".into());
            // Default rate and buffer of hosts whose switch states none.
            file.extend(of_port(switches[0].host_link));
            let of_switch = |switch: &super::Switch| {
                let mut table = of_port(switch.host_link);
                table.insert("name".to_owned(), switch.name.clone().into());
                let hosts = (!switch.hosts.is_empty()).then(|| switch.hosts.iter().join(","));
                hosts.map(|hosts| table.insert("hosts".to_owned(), hosts.into()));
                Value::from(table)
            };
            let of_trunk = |trunk: &super::Trunk| {
                let mut table = of_port(trunk.link);
                let ends = trunk.ends.map(|end| Value::from(switches[end].name.clone()));
                table.insert("between".to_owned(), ends.to_vec().into());
                Value::from(table)
            };
            let switch = switches.iter().map(of_switch).collect_vec();
            file.insert("switch".to_owned(), switch.into());
            let link = trunks.iter().map(of_trunk).collect_vec();
            file.insert("link".to_owned(), link.into());
        }
    }
    toml::to_string(&file).expect("a network has a TOML form")
}

fn of_port(port: LinkSpec) -> Table {
    let pairs = [
        ("rate", port.rate.to_string().into()),
        ("port_buffer", port.buffer.to_string().into()),
        ("delay", time(port.delay)),
    ];
    table(pairs)
}

fn of_edge(edge: &TreeEdge) -> Value {
    let rate = BitsPerSecond::from(edge.bandwidth).to_string();
    let pairs = [("rate", rate.into()), ("delay", time(edge.delay))];
    table(pairs).into()
}

fn of_truth(truth: TrueSignature) -> Value {
    let pairs: [(&str, Value); 5] = [
        ("alpha", time(truth.alpha)),
        ("gamma", truth.gamma.into()),
        ("delta", time(truth.delta)),
        ("threshold", truth.threshold.to_string().into()),
        ("noise", truth.noise.into()),
    ];
    table(pairs).into()
}

fn table<const N: usize>(pairs: [(&str, Value); N]) -> Table {
    let owned = pairs.map(|(key, value)| (key.to_owned(), value));
    owned.into_iter().collect()
}

/// A time with all digits.
fn time(Seconds(seconds): Seconds) -> Value {
    format!("{seconds}s").into()
}
