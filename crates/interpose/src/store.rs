//! The key-value store of the job's process manager, through PMIx (PMIx Standard 4.1, chapters 3 and 6). Open MPI uses
//! it. A process puts a number there in `MPI_Init`, together with the entries of the MPI library, which waits there for
//! all processes. No message between processes is needed.
//!
//! PMIx is not linked: its functions are found in the library that the MPI library has loaded.

use std::ffi::{CStr, c_char, c_int};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::next::NextFunction;

/// Key of the number of a process.
const KEY: &CStr = c"netsig.build";

/// `PMIX_GLOBAL`: for processes of all hosts.
const GLOBAL: u8 = 3;

/// Types of values: `PMIX_BOOL` and `PMIX_INT32`.
const BOOL: u16 = 1;
const INT32: u16 = 9;

/// `PMIX_IMMEDIATE`: do not wait for missing entries.
const IMMEDIATE: &CStr = c"pmix.immediate";

/// `pmix_value_t`.
#[repr(C)]
struct PmixValue {
    kind: u16,
    data: [u64; 3],
}

/// `pmix_proc_t`.
#[repr(C)]
struct PmixProcess {
    job: [c_char; 256],
    rank: u32,
}

/// `pmix_info_t`.
#[repr(C)]
struct PmixInfo {
    key: [c_char; 512],
    flags: u32,
    value: PmixValue,
}

type PmixPut = unsafe extern "C" fn(u8, *const c_char, *mut PmixValue) -> c_int;
type PmixGet =
    unsafe extern "C" fn(*const PmixProcess, *const c_char, *const PmixInfo, usize, *mut *mut PmixValue) -> c_int;

/// True after `put`. The MPI libraries of a job call it on all ranks, or on none.
static IS_USED: AtomicBool = AtomicBool::new(false);

/// Puts the number of this process in the store, before the MPI library commits its entries. After a failure the store
/// lacks the number.
pub fn put(number: c_int) {
    static PUT: NextFunction = NextFunction::new(c"PMIx_Put");
    IS_USED.store(true, Ordering::Relaxed);
    let mut value = PmixValue::of(INT32, number);
    // SAFETY: the function of this name has this type, and copies a valid value.
    unsafe {
        if let Some(put) = PUT.find::<PmixPut>() {
            put(GLOBAL, KEY.as_ptr(), &raw mut value);
        }
    }
}

/// The store of this process's job.
pub struct KeyValueStore {
    get: PmixGet,
    job: [c_char; 256],
}

impl KeyValueStore {
    /// The store, if the MPI library uses it.
    pub fn open() -> Option<Self> {
        static GET: NextFunction = NextFunction::new(c"PMIx_Get");
        if !IS_USED.load(Ordering::Relaxed) {
            return None;
        }
        let job = std::env::var("PMIX_NAMESPACE").unwrap_or_default();
        Some(Self {
            // SAFETY: the function of this name has this type.
            get: unsafe { GET.find::<PmixGet>() }?,
            job: text(job.as_bytes()).unwrap_or([0; 256]),
        })
    }

    /// The number that a rank of the job has put in the store, if any.
    pub fn number(&self, rank: c_int) -> Option<c_int> {
        let process = PmixProcess {
            job: self.job,
            rank: u32::try_from(rank).ok()?,
        };
        let at_once = PmixInfo {
            key: text(IMMEDIATE.to_bytes())?,
            flags: 0,
            value: PmixValue::of(BOOL, 1),
        };
        let mut value: *mut PmixValue = ptr::null_mut();
        // SAFETY: valid structs of PMIx, which allocates the value by malloc; a number has no other memory.
        unsafe {
            let code = (self.get)(&raw const process, KEY.as_ptr(), &raw const at_once, 1, &raw mut value);
            if code != 0 || value.is_null() {
                return None;
            }
            let number = ((*value).kind == INT32).then(|| (&raw const (*value).data).cast::<c_int>().read());
            libc::free(value.cast());
            number
        }
    }
}

impl PmixValue {
    fn of(kind: u16, number: c_int) -> Self {
        let mut data = [0; 3];
        // SAFETY: the memory of the union's member, at its start.
        unsafe { (&raw mut data).cast::<c_int>().write(number) };
        Self { kind, data }
    }
}

/// A text in PMIx's memory, with a null byte at its end; `None` if it is too long.
fn text<const LENGTH: usize>(bytes: &[u8]) -> Option<[c_char; LENGTH]> {
    let mut text = [0; LENGTH];
    let room = text.get_mut(..bytes.len()).filter(|room| room.len() < LENGTH)?;
    for (place, byte) in room.iter_mut().zip(bytes) {
        *place = byte.cast_signed();
    }
    Some(text)
}
