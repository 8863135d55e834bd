//! Counts the packets that the machine itself dropped because its cores were too slow. A run with
//! such drops measured the machine instead of the network.

use crate::error::{LabError, system_or};

const SOURCE: &str = "/proc/net/softnet_stat";

/// Packets dropped since the machine started, summed over its cores.
pub(crate) fn drops() -> Result<u64, LabError> {
    let remedy = "mount /proc, as any Linux does";
    let text = std::fs::read_to_string(SOURCE).map_err(system_or("read", SOURCE, remedy))?;
    Ok(sum_drops(&text))
}

/// Sum of the second column, which is hexadecimal; each core has a line.
fn sum_drops(text: &str) -> u64 {
    text.lines()
        .filter_map(|line| line.split_whitespace().nth(1))
        .filter_map(|column| u64::from_str_radix(column, 16).ok())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_are_summed_over_cores_in_hexadecimal() {
        let text = "00000e46 00000010 00000001 00000000\n00000012 0000000a 00000000 00000000\n";
        assert_eq!(sum_drops(text), 26);
    }
}
