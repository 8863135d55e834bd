//! The libraries of the program, and their symbols.

use std::ffi::{CStr, CString, c_int, c_void};
use std::mem::MaybeUninit;

/// Address of a symbol that follows this library in the order of loading, or of a library with private symbols, such as
/// one loaded by a module of Python; null if there is none.
pub fn next_symbol(name: &CStr) -> *mut c_void {
    // SAFETY: a null-terminated name.
    let found = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) };
    if !found.is_null() {
        return found;
    }
    let this_file = file_of(next_symbol as *mut c_void);
    let mut all = all_symbols(name).into_iter();
    all.find(|found| file_of(*found) != this_file)
        .unwrap_or(std::ptr::null_mut())
}

/// Address of the first symbol of this name in the program; null if there is none.
pub fn first_symbol(name: &CStr) -> *mut c_void {
    // SAFETY: a null-terminated name.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) }
}

/// Addresses of a symbol in all libraries of the program.
pub fn all_symbols(name: &CStr) -> Vec<*mut c_void> {
    let in_library = |library: &CString| {
        // SAFETY: null-terminated names; the flags open only a library that is loaded already.
        unsafe {
            let handle = libc::dlopen(library.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD);
            if handle.is_null() {
                return None;
            }
            let found = libc::dlsym(handle, name.as_ptr());
            libc::dlclose(handle);
            (!found.is_null()).then_some(found)
        }
    };
    names().iter().filter_map(in_library).collect()
}

/// The file names of the libraries of the program; the program's own name is empty.
pub fn names() -> Vec<CString> {
    unsafe extern "C" fn add(info: *mut libc::dl_phdr_info, _: usize, names: *mut c_void) -> c_int {
        // SAFETY: the vector of `names`, and a name that is valid during the call.
        unsafe {
            (*names.cast::<Vec<CString>>()).push(CStr::from_ptr((*info).dlpi_name).to_owned());
        }
        0
    }
    let mut names: Vec<CString> = Vec::new();
    // SAFETY: the function gets the vector.
    unsafe { libc::dl_iterate_phdr(Some(add), (&raw mut names).cast()) };
    names
}

/// The number of times that libraries were loaded or unloaded.
#[cfg(open_mpi)]
pub fn changes() -> u64 {
    unsafe extern "C" fn take(info: *mut libc::dl_phdr_info, _: usize, changes: *mut c_void) -> c_int {
        // SAFETY: the number of `changes`, and numbers that glibc has.
        unsafe { *changes.cast::<u64>() = (*info).dlpi_adds + (*info).dlpi_subs };
        1
    }
    let mut changes = 0u64;
    // SAFETY: the function gets the number.
    unsafe { libc::dl_iterate_phdr(Some(take), (&raw mut changes).cast()) };
    changes
}

/// The file that contains an address.
pub fn file_of(address: *mut c_void) -> Option<String> {
    let mut uninit_info = MaybeUninit::<libc::Dl_info>::uninit();
    // SAFETY: dladdr fills the struct if it returns a nonzero value, and accepts any address.
    let info = unsafe {
        if libc::dladdr(address, uninit_info.as_mut_ptr()) == 0 {
            return None;
        }
        uninit_info.assume_init()
    };
    if info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: a null-terminated name that lives as long as its library is loaded.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    Some(name.to_string_lossy().into_owned())
}
