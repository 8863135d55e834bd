//! Other libraries that intercept MPI in the same program.

use std::ffi::{CStr, c_void};
use std::mem::MaybeUninit;

use crate::next::{behind, first};

/// The file of another library that intercepts `MPI_Alltoall`, in front of this one or behind it.
pub fn other() -> Option<String> {
    let ours = file_of(other as *mut c_void)?;
    let mpi = file_of(behind(c"PMPI_Alltoall"))?;
    let seen = [first(c"MPI_Alltoall"), behind(c"MPI_Alltoall")];
    let mut files = seen.into_iter().filter_map(file_of);
    files.find(|file| *file != ours && *file != mpi)
}

/// The file that contains an address.
fn file_of(address: *mut c_void) -> Option<String> {
    let mut info = MaybeUninit::<libc::Dl_info>::uninit();
    // SAFETY: dladdr fills the struct if it returns a nonzero value, and accepts any address.
    let info = unsafe {
        if libc::dladdr(address, info.as_mut_ptr()) == 0 {
            return None;
        }
        info.assume_init()
    };
    if info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: a null-terminated name that lives as long as its library is loaded.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    Some(name.to_string_lossy().into_owned())
}
