//! The function that a program would call without this library.

use std::ffi::{CStr, c_void};
use std::mem::{size_of, transmute_copy};
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::loaded;

/// A function that follows this library in the order of loading, found at its first use.
pub struct NextFunction {
    name: &'static CStr,
    found: AtomicPtr<c_void>,
}

impl NextFunction {
    /// The function `name`.
    pub const fn new(name: &'static CStr) -> Self {
        Self {
            name,
            found: AtomicPtr::new(std::ptr::null_mut()),
        }
    }

    /// The function as a pointer of type `F`. Ends the program if there is none, since a program can only call
    /// functions of its MPI library.
    ///
    /// # Safety
    /// `F` is the function's type.
    pub unsafe fn function<F: Copy>(&self) -> F {
        // SAFETY: guaranteed by the caller.
        unsafe { self.find() }.unwrap_or_else(|| {
            crate::print_line(&format!(
                "{} is in no library behind libnetsig_interpose.so; leave it out of LD_PRELOAD",
                self.name.to_string_lossy()
            ));
            std::process::abort();
        })
    }

    /// The function as a pointer of type `F`, if there is one.
    ///
    /// # Safety
    /// `F` is the function's type.
    pub unsafe fn find<F: Copy>(&self) -> Option<F> {
        const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
        let mut found = self.found.load(Ordering::Relaxed);
        if found.is_null() {
            found = loaded::next_symbol(self.name);
            self.found.store(found, Ordering::Relaxed);
        }
        // SAFETY: the caller names the function's type, which has a pointer's size.
        (!found.is_null()).then(|| unsafe { transmute_copy(&found) })
    }
}
