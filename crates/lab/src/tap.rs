//! Tap devices: network devices whose frames a program reads and writes, as if it were the cable.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;

use nix::errno::Errno;
use nix::libc::{IFF_NO_PI, IFF_TAP, IFNAMSIZ, O_NONBLOCK, TUNSETIFF, c_int, c_short};

use crate::error::{LabError, system};

/// The file through which the kernel makes tap devices, one for each time that it is opened.
const TUN_DEVICE: &str = "/dev/net/tun";

/// A tap device. It vanishes when this value is dropped.
pub(crate) struct TapDevice(File);

/// The head of the kernel's `struct ifreq`, which names a device and the kind to make it.
#[repr(C)]
struct InterfaceRequest {
    name: [u8; IFNAMSIZ],
    flags: c_short,
    /// The union behind the name has 24 bytes, of which `flags` takes two.
    rest: [u8; 22],
}

nix::ioctl_write_ptr_bad!(
    /// Makes the device that the request describes, and joins the open file to it.
    make_device,
    TUNSETIFF,
    InterfaceRequest
);

impl TapDevice {
    /// Makes the device `name` in the network namespace of the calling thread. Its reads never
    /// block, and programs started later do not inherit it.
    pub(crate) fn create(name: &str) -> Result<Self, LabError> {
        let mut options = File::options();
        options.read(true).write(true).custom_flags(O_NONBLOCK);
        let file = options.open(TUN_DEVICE).map_err(system("open", TUN_DEVICE))?;
        make(&file, name).map_err(system("make the tap device", name))?;
        Ok(Self(file))
    }

    /// The next frame that the kernel sends out of this device, in `room`; `None` if there is none
    /// now.
    pub(crate) fn read<'a>(&self, room: &'a mut [u8]) -> io::Result<Option<&'a [u8]>> {
        match (&self.0).read(room) {
            Ok(length) => Ok(Some(&room[..length])),
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Hands `frame` to the kernel as received by this device. A device that is down receives
    /// nothing, and the frame is lost as at the end of any cable.
    pub(crate) fn write(&self, frame: &[u8]) -> io::Result<()> {
        match (&self.0).write(frame) {
            Err(error) if error.raw_os_error() != Some(Errno::EIO as c_int) => Err(error),
            _ => Ok(()),
        }
    }
}

impl AsFd for TapDevice {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

#[expect(unsafe_code, reason = "the only way to make a tap device")]
fn make(file: &File, name: &str) -> nix::Result<()> {
    let mut request = InterfaceRequest {
        name: [0; IFNAMSIZ],
        flags: c_short::try_from(IFF_TAP | IFF_NO_PI).expect("the kernel's flags fit its field"),
        rest: [0; 22],
    };
    // The last byte stays 0: the kernel's names end with it.
    let room = request.name[..IFNAMSIZ - 1].get_mut(..name.len());
    room.ok_or(Errno::ENAMETOOLONG)?.copy_from_slice(name.as_bytes());
    // SAFETY: `request` has the layout and at least the size that this call reads and writes, and
    // it lives until the call returns; `file` is open.
    unsafe { make_device(file.as_raw_fd(), &raw const request) }?;
    Ok(())
}
