//! Operation and elements of a reduction: whether a schedule may combine them, and how their order matters.
//!
//! Predefined operations are served on the predefined types that the MPI standard names for them. MPI itself refuses
//! other pairs, or extends the standard. A predefined type is known by its name, which is looked up once.

use std::collections::{BTreeMap, HashMap};
use std::ffi::{CStr, c_char, c_int};
use std::sync::{OnceLock, PoisonError, RwLock};

use mpi::ffi;
use netsig_model::predict::result_rule::OrderDependence;
use netsig_mpi::{LocalOperation, MpiError};

use crate::datatype;
use crate::envelope::DatatypeEnvelope;
use crate::handle::{Word, handle, word};
use crate::numbers::NumberForm;

/// Operation and elements of a reduction that a schedule may run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CallOperands {
    /// The operation of MPI.
    pub operation: ffi::MPI_Op,
    /// Type of the elements.
    pub datatype: ffi::MPI_Datatype,
    /// Length of an element in a message, in bytes.
    pub size: usize,
    /// Distance between elements in memory, in bytes; longer than the element if it has gaps.
    pub extent: usize,
    /// How the result depends on the order of the operands.
    pub dependence: OrderDependence,
    /// Form of floating-point elements.
    pub form: Option<NumberForm>,
    /// True for an operation of the program.
    pub is_of_program: bool,
}

/// Reasons for leaving a reduction to the MPI library.
pub const DERIVED_TYPE: &str = "elements of a derived type";
pub const NOT_COMMUTATIVE: &str = "an operation that does not commute";
pub const OTHER_OPERANDS: &str = "an operation that is not defined for the type";

/// What is known of predefined operations on predefined types, by both handles.
type OperandTable = HashMap<[Word; 2], Result<KnownOperands, &'static str>>;

/// Length of the shortest integers whose sums wrap in Open MPI. In its vector instructions sums of shorter ones saturate, and
/// in the rest of a vector they wrap, so that they depend on where a vector is cut.
const SHORTEST_WRAPPING: usize = 4;

/// What a predefined operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OperationKind {
    Extreme,
    Sum,
    Product,
    Logical,
    Bitwise,
    ExtremeWithPlace,
}

/// What the elements of a predefined type are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ElementKind {
    Integer,
    /// An integer of Fortran, for which no logical operation is defined.
    FortranInteger,
    Logical,
    Byte,
    Floating(Option<NumberForm>),
    Complex(Option<NumberForm>),
    /// An integer with its place.
    IntegerPair,
    /// A floating-point number with its place.
    Pair(Option<NumberForm>),
}

impl CallOperands {
    /// The operands of a call, or the reason for leaving it to the library.
    pub fn of(operation: ffi::MPI_Op, datatype: ffi::MPI_Datatype) -> Result<Self, &'static str> {
        static KNOWN: OnceLock<RwLock<OperandTable>> = OnceLock::new();
        let kind = operation_kind(operation);
        if kind.is_none() && !commutes(operation)? {
            return Err(NOT_COMMUTATIVE);
        }
        let known = KNOWN.get_or_init(RwLock::default);
        // Operations of the program may be freed, and share what is known of the type.
        let key = [kind.map_or(0, |_| word(operation)), word(datatype)];
        let read = known.read().unwrap_or_else(PoisonError::into_inner).get(&key).copied();
        let found = read.unwrap_or_else(|| {
            let looked_up = KnownOperands::of(kind, datatype);
            // The handle of a derived type may become that of another one.
            if looked_up != Err(DERIVED_TYPE) {
                let mut all = known.write().unwrap_or_else(PoisonError::into_inner);
                all.insert(key, looked_up);
            }
            looked_up
        });
        found.map(|known| CallOperands {
            is_of_program: kind.is_none(),
            ..known.with(operation, datatype)
        })
    }

    /// The operation in the form that combines blocks.
    pub fn local_operation(&self) -> LocalOperation {
        LocalOperation {
            operation: self.operation,
            datatype: self.datatype,
            element: self.extent,
        }
    }

    /// True if elements lie in memory as in a message.
    pub fn is_plain(&self) -> bool {
        self.size == self.extent
    }
}

/// Operands without their handles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct KnownOperands {
    size: usize,
    extent: usize,
    dependence: OrderDependence,
    form: Option<NumberForm>,
}

impl KnownOperands {
    /// The operands of a predefined operation, or of one of the program.
    fn of(kind: Option<OperationKind>, datatype: ffi::MPI_Datatype) -> Result<Self, &'static str> {
        let elements = Self::elements(datatype)?;
        let Some(operation) = kind else {
            return Ok(Self {
                dependence: OrderDependence::Unknown,
                ..elements
            });
        };
        let element = element_kind(datatype, elements.size).ok_or(OTHER_OPERANDS)?;
        let (dependence, form) = dependence(operation, element).ok_or(OTHER_OPERANDS)?;
        let found = match operation {
            OperationKind::Sum if cfg!(open_mpi) && elements.size < SHORTEST_WRAPPING => OrderDependence::Unknown,
            _ => dependence,
        };
        Ok(Self {
            dependence: found,
            form,
            ..elements
        })
    }

    /// Length of the elements of a predefined type.
    fn elements(datatype: ffi::MPI_Datatype) -> Result<Self, &'static str> {
        let bytes = datatype::size(datatype)
            .filter(|bytes| *bytes > 0)
            .ok_or(OTHER_OPERANDS)?;
        if !DatatypeEnvelope::of(datatype).is_named() {
            return Err(DERIVED_TYPE);
        }
        let extent = usize::try_from(datatype::extent(datatype)).map_err(|_| OTHER_OPERANDS)?;
        let size = usize::try_from(bytes).map_err(|_| OTHER_OPERANDS)?;
        if extent < size {
            return Err(OTHER_OPERANDS);
        }
        Ok(Self {
            size,
            extent,
            dependence: OrderDependence::None,
            form: None,
        })
    }

    fn with(self, operation: ffi::MPI_Op, datatype: ffi::MPI_Datatype) -> CallOperands {
        let Self {
            size,
            extent,
            dependence,
            form,
        } = self;
        CallOperands {
            operation,
            datatype,
            size,
            extent,
            dependence,
            form,
            is_of_program: false,
        }
    }
}

/// What a predefined operation does; `None` for an operation of the program.
fn operation_kind(operation: ffi::MPI_Op) -> Option<OperationKind> {
    use OperationKind::{Bitwise, Extreme, ExtremeWithPlace, Logical, Product, Sum};
    // SAFETY: constants of the MPI library.
    let kinds = unsafe {
        [
            (ffi::RSMPI_SUM, Sum),
            (ffi::RSMPI_MAX, Extreme),
            (ffi::RSMPI_MIN, Extreme),
            (ffi::RSMPI_PROD, Product),
            (ffi::RSMPI_LAND, Logical),
            (ffi::RSMPI_LOR, Logical),
            (ffi::RSMPI_LXOR, Logical),
            (ffi::RSMPI_BAND, Bitwise),
            (ffi::RSMPI_BOR, Bitwise),
            (ffi::RSMPI_BXOR, Bitwise),
        ]
    };
    let found = kinds.into_iter().find(|(known, _)| *known == operation);
    let with_place = || {
        let SpecialOperations { minloc, maxloc, .. } = special_operations();
        [minloc, maxloc].contains(&operation).then_some(ExtremeWithPlace)
    };
    found.map(|(_, kind)| kind).or_else(with_place)
}

/// True if an operation of the program commutes.
fn commutes(operation: ffi::MPI_Op) -> Result<bool, &'static str> {
    // Fortran's handles of nothing are null pointers in Open MPI.
    if special_operations().null == operation || word(operation) == 0 {
        return Err(OTHER_OPERANDS);
    }
    let mut commutes: c_int = 0;
    // SAFETY: an operation of the program.
    let code = unsafe { ffi::PMPI_Op_commutative(operation, &raw mut commutes) };
    Ok(MpiError::check(code).is_ok() && commutes != 0)
}

/// Constants of the MPI library that have no name in Rust.
struct SpecialOperations {
    null: ffi::MPI_Op,
    minloc: ffi::MPI_Op,
    maxloc: ffi::MPI_Op,
}

#[cfg(open_mpi)]
fn special_operations() -> SpecialOperations {
    SpecialOperations {
        null: handle((&raw mut ffi::ompi_mpi_op_null).addr()),
        minloc: handle((&raw mut ffi::ompi_mpi_op_minloc).addr()),
        maxloc: handle((&raw mut ffi::ompi_mpi_op_maxloc).addr()),
    }
}

#[cfg(not(open_mpi))]
fn special_operations() -> SpecialOperations {
    SpecialOperations {
        null: handle(0x1800_0000),
        minloc: handle(0x5800_000b),
        maxloc: handle(0x5800_000c),
    }
}

/// How a result depends on the order of the operands, and their form; `None` if MPI does not define the operation for the
/// type. A product of complex numbers has intermediate results, and other forms of numbers are not looked into.
fn dependence(operation: OperationKind, kind: ElementKind) -> Option<(OrderDependence, Option<NumberForm>)> {
    use ElementKind::{Byte, Complex, Floating, FortranInteger, Integer, IntegerPair, Logical, Pair};
    use OperationKind as Op;
    let (found, form) = match (operation, kind) {
        (Op::Extreme | Op::Sum | Op::Product | Op::Bitwise, Integer | FortranInteger)
        | (Op::Logical, Integer | Logical)
        | (Op::Bitwise, Byte)
        | (Op::ExtremeWithPlace, IntegerPair) => return Some((OrderDependence::None, None)),
        (Op::Sum | Op::Product, Floating(form)) | (Op::Sum, Complex(form)) => (OrderDependence::Rounding, form),
        (Op::Product, Complex(_)) => (OrderDependence::Unknown, None),
        (Op::Extreme, Floating(form)) | (Op::ExtremeWithPlace, Pair(form)) => (OrderDependence::SpecialValues, form),
        _ => return None,
    };
    Some(if form.is_some() {
        (found, form)
    } else {
        (OrderDependence::Unknown, None)
    })
}

/// Names of predefined types that the program has renamed, by handle.
static FORMER_NAMES: RwLock<BTreeMap<Word, Option<String>>> = RwLock::new(BTreeMap::new());

/// Keeps the name of a predefined type before the program gives it another, perhaps not on all ranks.
pub fn keep_name(datatype: ffi::MPI_Datatype) {
    if datatype::size(datatype).is_some() && DatatypeEnvelope::of(datatype).is_named() {
        let mut all = FORMER_NAMES.write().unwrap_or_else(PoisonError::into_inner);
        all.entry(word(datatype)).or_insert_with(|| name(datatype));
    }
}

/// What the elements of a predefined type of `size` bytes are; `None` if it is unknown here.
fn element_kind(datatype: ffi::MPI_Datatype, size: usize) -> Option<ElementKind> {
    let former_names = FORMER_NAMES.read().unwrap_or_else(PoisonError::into_inner);
    let former = former_names.get(&word(datatype)).cloned();
    let name = former.unwrap_or_else(|| name(datatype))?;
    kind_of_name(name.strip_prefix("MPI_")?, size)
}

fn kind_of_name(name: &str, size: usize) -> Option<ElementKind> {
    use ElementKind::{Byte, Complex, Floating, FortranInteger, Integer, IntegerPair, Logical, Pair};
    let form = NumberForm::of_bytes;
    Some(match name {
        "INT" | "LONG" | "SHORT" | "LONG_LONG" | "LONG_LONG_INT" | "SIGNED_CHAR" | "UNSIGNED_CHAR"
        | "UNSIGNED_SHORT" | "UNSIGNED" | "UNSIGNED_INT" | "UNSIGNED_LONG" | "UNSIGNED_LONG_LONG" | "INT8_T"
        | "INT16_T" | "INT32_T" | "INT64_T" | "UINT8_T" | "UINT16_T" | "UINT32_T" | "UINT64_T" => Integer,
        "INTEGER" | "INTEGER1" | "INTEGER2" | "INTEGER4" | "INTEGER8" | "AINT" | "OFFSET" | "COUNT" => FortranInteger,
        "LOGICAL" | "C_BOOL" | "CXX_BOOL" => Logical,
        "BYTE" => Byte,
        "FLOAT" | "DOUBLE" | "LONG_DOUBLE" | "REAL" | "DOUBLE_PRECISION" | "REAL4" | "REAL8" => Floating(form(size)),
        "C_COMPLEX"
        | "C_FLOAT_COMPLEX"
        | "C_DOUBLE_COMPLEX"
        | "C_LONG_DOUBLE_COMPLEX"
        | "CXX_FLOAT_COMPLEX"
        | "CXX_DOUBLE_COMPLEX"
        | "CXX_LONG_DOUBLE_COMPLEX"
        | "COMPLEX"
        | "DOUBLE_COMPLEX"
        | "COMPLEX8"
        | "COMPLEX16" => Complex(form(size / 2)),
        "2INT" | "SHORT_INT" | "LONG_INT" | "2INTEGER" => IntegerPair,
        "FLOAT_INT" | "2REAL" => Pair(form(4)),
        "DOUBLE_INT" | "2DOUBLE_PRECISION" => Pair(form(8)),
        "LONG_DOUBLE_INT" => Pair(None),
        _ => return None,
    })
}

/// The name of a datatype.
fn name(datatype: ffi::MPI_Datatype) -> Option<String> {
    let mut text: [c_char; 256] = [0; 256];
    let mut length: c_int = 0;
    // SAFETY: a valid datatype, and room for more characters than a name has in any MPI.
    let code = unsafe { ffi::PMPI_Type_get_name(datatype, text.as_mut_ptr(), &raw mut length) };
    MpiError::check(code).ok()?;
    // SAFETY: MPI ends the name with a null byte.
    let name = unsafe { CStr::from_ptr(text.as_ptr()) };
    name.to_str().ok().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_served_on_the_types_of_the_standard() {
        use OperationKind::{Bitwise, Extreme, ExtremeWithPlace, Logical, Product, Sum};
        use OrderDependence::{None as Nothing, Rounding, SpecialValues, Unknown};
        let of = |operation, name, size| {
            let kind = kind_of_name(name, size)?;
            dependence(operation, kind).map(|(found, _)| found)
        };
        for (operation, name, size, expected) in [
            (Sum, "INT", 4, Some(Nothing)),
            (Sum, "DOUBLE", 8, Some(Rounding)),
            (Product, "C_DOUBLE_COMPLEX", 16, Some(Unknown)),
            (Extreme, "REAL4", 4, Some(SpecialValues)),
            (Extreme, "COMPLEX", 8, None),
            (ExtremeWithPlace, "2INT", 8, Some(Nothing)),
            (ExtremeWithPlace, "DOUBLE_INT", 12, Some(SpecialValues)),
            (ExtremeWithPlace, "LONG_DOUBLE_INT", 20, Some(Unknown)),
            (Sum, "LONG_DOUBLE", 16, Some(Unknown)),
            (ExtremeWithPlace, "INT", 4, None),
            (Logical, "DOUBLE", 8, None),
            (Logical, "INTEGER", 4, None),
            (Bitwise, "BYTE", 1, Some(Nothing)),
            (Sum, "BYTE", 1, None),
            (Sum, "CHAR", 1, None),
        ] {
            assert_eq!(of(operation, name, size), expected, "{operation:?} of {name}");
        }
    }
}
