//! Faults of netsig itself. A panic that left an entry point would abort the program. So panics end here, and the call
//! goes to the MPI library.

use std::cell::RefCell;
use std::ffi::c_int;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::Once;

use crate::print_line;

thread_local! {
    /// Place and message of this thread's last panic.
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// The result of `work`, or the place and message of its panic, which is not printed.
///
/// # Errors
/// If `work` panics.
pub fn catch_panic<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    static QUIET: Once = Once::new();
    // The program's own Rust code has another copy of the standard library, whose hook stays.
    QUIET.call_once(|| panic::set_hook(Box::new(keep_panic)));
    panic::catch_unwind(AssertUnwindSafe(work)).map_err(|_| LAST.take())
}

fn keep_panic(info: &PanicHookInfo) {
    let place = info.location().map(ToString::to_string).unwrap_or_default();
    let payload = info.payload();
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let words = text.or(payload.downcast_ref::<&str>().copied()).unwrap_or_default();
    let first = words.lines().next().unwrap_or_default();
    LAST.set(format!("{place}: {first}"));
}

/// Panics if `NETSIG_TEST_FAULT` is `panic:PLACE`, for tests.
pub fn panic_if_provoked(place: &str) {
    let wanted = std::env::var("NETSIG_TEST_FAULT").unwrap_or_default();
    let is_here = wanted.strip_prefix("panic:") == Some(place);
    assert!(!is_here, "provoked in {place}");
}

/// The line about a fault.
pub fn fault_line(fault: &str) -> String {
    format!("a fault of netsig ({fault}); please report it. The MPI library's own algorithms run from now on")
}

/// Runs the body of an entry point, which gets a function that calls the MPI library. After a panic the call is passed
/// on, unless the body has done so.
pub fn guarded(pass: &mut dyn FnMut() -> c_int, body: impl FnOnce(&mut dyn FnMut() -> c_int) -> c_int) -> c_int {
    let mut passed = None;
    let done = catch_panic(|| body(&mut || *passed.insert(pass())));
    done.unwrap_or_else(|fault| {
        static TOLD: Once = Once::new();
        TOLD.call_once(|| print_line(&fault_line(&fault)));
        passed.unwrap_or_else(pass)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_line_and_the_call_is_passed_on_once() {
        let fault = catch_panic(|| panic!("no {}\nmore", "way")).unwrap_err();
        assert!(fault.contains("fault.rs:") && fault.ends_with(": no way"), "{fault}");
        let calls = |body: fn(&mut dyn FnMut() -> c_int) -> c_int| {
            let mut calls = 0;
            let code = guarded(
                &mut || {
                    calls += 1;
                    calls + 6
                },
                body,
            );
            (code, calls)
        };
        assert_eq!(calls(|pass| pass()), (7, 1));
        assert_eq!(calls(|_| panic!("before")), (7, 1));
        let after = |pass: &mut dyn FnMut() -> c_int| {
            pass();
            panic!("after")
        };
        assert_eq!(calls(after), (7, 1));
    }
}
