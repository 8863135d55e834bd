//! The settings of the MPI library: its control variables, read through MPI's tool interface.
//!
//! Each library has hundreds; the listed ones select the transports and the message sizes.

use std::ffi::CString;
use std::os::raw::c_int;
use std::ptr;

use mpi::ffi;

/// The control variables of Open MPI and of MPICH that affect times.
const NAMES: &[&str] = &[
    "pml",
    "mtl",
    "btl",
    "btl_tcp_if_include",
    "btl_tcp_eager_limit",
    "btl_tcp_rndv_eager_limit",
    "btl_tcp_max_send_size",
    "btl_tcp_sndbuf",
    "btl_tcp_rcvbuf",
    "btl_tcp_links",
    "btl_tcp_progress_thread",
    "btl_vader_eager_limit",
    "btl_sm_eager_limit",
    "mpi_yield_when_idle",
    "mpi_leave_pinned",
    "coll",
    "coll_han_priority",
    "coll_hcoll_enable",
    "coll_ucc_enable",
    "coll_tuned_use_dynamic_rules",
    "coll_tuned_dynamic_rules_filename",
    "coll_tuned_alltoall_algorithm",
    "coll_tuned_bcast_algorithm",
    "coll_tuned_bcast_algorithm_segmentsize",
    "coll_tuned_scatter_algorithm",
    "coll_tuned_gather_algorithm",
    "coll_tuned_allgather_algorithm",
    "coll_tuned_reduce_algorithm",
    "coll_tuned_reduce_algorithm_segmentsize",
    "coll_tuned_allreduce_algorithm",
    "coll_tuned_allreduce_algorithm_segmentsize",
    "coll_tuned_reduce_scatter_algorithm",
    "coll_tuned_reduce_scatter_block_algorithm",
    "coll_tuned_barrier_algorithm",
    "MPIR_CVAR_CH4_NETMOD",
    "MPIR_CVAR_CH4_SHM",
    "MPIR_CVAR_OFI_USE_PROVIDER",
    "MPIR_CVAR_CH4_OFI_EAGER_MAX_MSG_SIZE",
    "MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE",
    "MPIR_CVAR_POLLS_BEFORE_YIELD",
    "MPIR_CVAR_DEVICE_COLLECTIVES",
    "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE",
    "MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE",
    "MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM",
    "MPIR_CVAR_ALLTOALL_SHORT_MSG_SIZE",
    "MPIR_CVAR_ALLTOALL_MEDIUM_MSG_SIZE",
    "MPIR_CVAR_ALLTOALL_THROTTLE",
    "MPIR_CVAR_BCAST_INTRA_ALGORITHM",
    "MPIR_CVAR_SCATTER_INTRA_ALGORITHM",
    "MPIR_CVAR_GATHER_INTRA_ALGORITHM",
    "MPIR_CVAR_ALLGATHER_INTRA_ALGORITHM",
    "MPIR_CVAR_REDUCE_INTRA_ALGORITHM",
    "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM",
    "MPIR_CVAR_REDUCE_SCATTER_INTRA_ALGORITHM",
    "MPIR_CVAR_REDUCE_SCATTER_BLOCK_INTRA_ALGORITHM",
    "MPIR_CVAR_BARRIER_INTRA_ALGORITHM",
];

/// Size of the buffer for a value, in words of 8 bytes.
const LARGEST_VALUE_WORDS: usize = 8192;

/// The listed variables of this library, with their values.
pub fn read() -> Vec<(&'static str, String)> {
    let mut provided: c_int = 0;
    // SAFETY: the tool interface may be initialised at any time, more than once.
    let started = unsafe { ffi::MPI_T_init_thread(ffi::RSMPI_THREAD_SINGLE, &raw mut provided) };
    if success(started).is_none() {
        return Vec::new();
    }
    let values = NAMES.iter().filter_map(|&name| Some((name, value(name)?)));
    let settings = values.collect();
    // SAFETY: initialised above; no handle is left.
    unsafe { ffi::MPI_T_finalize() };
    settings
}

/// `None` if an MPI call returned an error code.
fn success(code: c_int) -> Option<()> {
    (c_int::try_from(ffi::MPI_SUCCESS) == Ok(code)).then_some(())
}

fn value(name: &str) -> Option<String> {
    let index = index(name)?;
    let kind = datatype_name(index)?;
    let mut handle: ffi::MPI_T_cvar_handle = ptr::null_mut();
    let mut count: c_int = 0;
    // SAFETY: the index is the library's own, and the variable belongs to no MPI object.
    let opened = unsafe { ffi::MPI_T_cvar_handle_alloc(index, ptr::null_mut(), &raw mut handle, &raw mut count) };
    success(opened)?;
    let mut words = vec![0u64; LARGEST_VALUE_WORDS];
    let fits = usize::try_from(count).is_ok_and(|count| count <= LARGEST_VALUE_WORDS);
    let read = fits.then(|| {
        // SAFETY: the value has `count` elements of at most 8 bytes, which fit.
        unsafe { ffi::MPI_T_cvar_read(handle, words.as_mut_ptr().cast()) }
    });
    // SAFETY: the handle was allocated above.
    unsafe { ffi::MPI_T_cvar_handle_free(&raw mut handle) };
    success(read?)?;
    in_words(&words, &kind)
}

fn index(name: &str) -> Option<c_int> {
    let name = CString::new(name).ok()?;
    let mut index: c_int = 0;
    // SAFETY: the name ends with a NUL.
    let found = unsafe { ffi::MPI_T_cvar_get_index(name.as_ptr(), &raw mut index) };
    success(found).map(|()| index)
}

/// The name of the variable's datatype.
fn datatype_name(index: c_int) -> Option<String> {
    // SAFETY: a constant of the MPI library.
    let mut datatype = unsafe { ffi::RSMPI_DATATYPE_NULL };
    let [mut name, mut verbosity, mut text, mut bind, mut scope]: [c_int; 5] = [0; 5];
    // SAFETY: names and descriptions of length 0 are not written; the other pointers are valid for
    // writing.
    let info_code = unsafe {
        ffi::MPI_T_cvar_get_info(
            index,
            ptr::null_mut(),
            &raw mut name,
            &raw mut verbosity,
            &raw mut datatype,
            ptr::null_mut(),
            ptr::null_mut(),
            &raw mut text,
            &raw mut bind,
            &raw mut scope,
        )
    };
    success(info_code)?;
    let mut name = [0u8; 256];
    let mut name_length: c_int = 0;
    // SAFETY: MPI's names of datatypes are shorter than 256 bytes.
    let named = unsafe { ffi::MPI_Type_get_name(datatype, name.as_mut_ptr().cast(), &raw mut name_length) };
    success(named)?;
    let length = usize::try_from(name_length).ok()?;
    Some(String::from_utf8_lossy(&name[..length]).into_owned())
}

/// Formats a value of datatype `kind` from memory that was initially zero.
fn in_words(words: &[u64], kind: &str) -> Option<String> {
    let bytes = words[0].to_ne_bytes();
    let short = [bytes[0], bytes[1], bytes[2], bytes[3]];
    match kind {
        "MPI_CHAR" => {
            let bytes = words.iter().flat_map(|word| word.to_ne_bytes());
            let text: Vec<u8> = bytes.take_while(|&byte| byte != 0).collect();
            Some(String::from_utf8_lossy(&text).into_owned())
        }
        "MPI_INT" => Some(c_int::from_ne_bytes(short).to_string()),
        "MPI_C_BOOL" => Some(bytes[0].to_string()),
        "MPI_UNSIGNED" => Some(u32::from_ne_bytes(short).to_string()),
        "MPI_UNSIGNED_LONG" | "MPI_UNSIGNED_LONG_LONG" => Some(words[0].to_string()),
        "MPI_DOUBLE" => Some(f64::from_ne_bytes(bytes).to_string()),
        _ => None,
    }
}
