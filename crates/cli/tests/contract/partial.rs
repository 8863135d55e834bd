//! Lists of which a part can be answered: the part is printed, each cause of what is missing is
//! told once, and the exit code is 3.

use super::support::{Home, said, table};

#[test]
fn what_can_be_answered_is_printed_and_the_rest_told() {
    let home = Home::fitted();
    let hand = "netsig_profile = 2\n[hockney]\nalpha_s = { value = 6e-5, lower = 6e-5, upper = 6e-5 }\n\
                beta_s_per_byte = { value = 1e-8, lower = 1e-8, upper = 1e-8 }\n";
    home.write("hand.toml", hand);
    for (arguments, rows, causes) in [
        (
            "predict profile.toml --collective alltoall --algorithm direct --size 1KiB,2KiB --procs 8,64",
            2,
            &[
                "profile.toml: alltoall direct by signature among 64 processes with 1 KiB (and 1 more) is",
            ][..],
        ),
        (
            "select hand.toml --collective scatter --size 1KiB,8000000GiB --procs 8,1000000000 --show best",
            3,
            &["size = 8589934592000000 for each of 1000000000 processes"],
        ),
        (
            "simulate --network ethernet-4x50 --collective allgather --algorithm ring,bruck --size 1,2 --procs 4,8",
            4,
            &["ethernet-4x50: 8 ranks need 8 hosts"],
        ),
        (
            "simulate --model loggp --set L=1us --set o=1us --set g=1us --set G=1ns \
             --collective alltoall --algorithm pairwise,direct --size 1 --procs 4,8 --method closed-form",
            2,
            &[
                "alltoall direct among 4 has no exact",
                "alltoall direct among 8 has no exact",
            ],
        ),
    ] {
        let output = home
            .netsig(&format!("{arguments} --format csv"))
            .output()
            .unwrap();
        let told = said(&output);
        assert_eq!(output.status.code(), Some(3), "{arguments}: {told}");
        let (_, found) = table(&String::from_utf8(output.stdout).unwrap());
        assert_eq!(found.len(), rows, "{arguments}");
        let told = told
            .lines()
            .filter(|line| !line.contains(" note: ") && !line.contains(" warning: "));
        let told: Vec<&str> = told.collect();
        assert_eq!(told.len(), causes.len(), "{told:?}");
        for (line, cause) in told.iter().zip(causes) {
            assert!(line.starts_with(&format!("netsig: {cause}")), "{line}");
        }
    }
}
