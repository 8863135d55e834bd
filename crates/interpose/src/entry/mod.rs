//! The functions that a program calls in place of the MPI library's.

mod by_rank;
mod collectives;
mod counted;
#[cfg(open_mpi)]
mod fortran;
#[cfg(open_mpi)]
mod fortran_by_rank;
mod lifetime;
mod type_names;

use std::ffi::CStr;

pub use counted::counted;

/// The C string of a name that ends in a null byte.
const fn name(bytes: &'static [u8]) -> &'static CStr {
    match CStr::from_bytes_with_nul(bytes) {
        Ok(name) => name,
        Err(_) => panic!("a name ends in a null byte"),
    }
}

/// Exports a C function of MPI that takes words: `$body` gets a closure that calls the next function of this name.
macro_rules! export {
    ($name:ident($($argument:ident: $type:ty),*) $body:expr) => {
        /// Called by the program in place of the MPI library's function of this name.
        ///
        /// # Safety
        /// The requirements of that function.
        #[unsafe(no_mangle)]
        #[allow(non_snake_case, clippy::too_many_arguments, reason = "those of MPI")]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> std::ffi::c_int {
            type Function = unsafe extern "C" fn($($type),*) -> std::ffi::c_int;
            static NEXT: crate::next::NextFunction = crate::next::NextFunction::new(crate::entry::name(
                concat!(stringify!($name), "\0").as_bytes(),
            ));
            // SAFETY: the function of this name has this type, and gets the program's own arguments.
            let pass = || unsafe { NEXT.function::<Function>()($($argument),*) };
            let body: fn(&mut dyn FnMut() -> std::ffi::c_int, $($type),*) -> std::ffi::c_int = $body;
            crate::fault::guarded(&mut { pass }, |pass| body(pass, $($argument),*))
        }
    };
}
pub(crate) use export;
