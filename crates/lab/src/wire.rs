//! A cable between two switches with a propagation delay: a thread that reads each frame from the
//! tap device at one end and writes it to the tap device at the other end one delay later.
//!
//! A wire keeps the order of frames and loses none. The ports at its ends shape what enters, and a
//! lane that is full reads no further frame until one has left; meanwhile frames wait in the kernel,
//! which keeps [`RING`] frames for each end.

use std::convert::Infallible;
use std::io;
use std::os::fd::AsFd;
use std::thread;
use std::time::Instant;

use netsig_base::network::Link;
use netsig_base::text::shown::message;
use nix::errno::Errno;
use nix::libc::c_ulong;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::prctl::set_timerslack;
use nix::sys::signal::{SigSet, SigmaskHow};

use crate::error::{LabError, system, system_or};
use crate::lane::Lane;
use crate::netns;
use crate::tap::Tap;
use crate::tool::IP;

/// Frames that the kernel keeps at each end until the thread reads them: full frames of more than a
/// second at 100 Mbit/s.
const RING: u32 = 10_000;

/// Longer than any frame.
const ROOM: usize = 1 << 16;

/// Nanoseconds by which the kernel may wake the thread late to save timer interrupts; by default it
/// takes 50 µs.
const TIMER_SLACK: c_ulong = 1000;

/// One end of a wire: a device in the namespace of a switch.
pub(crate) struct End {
    pub(crate) namespace: String,
    pub(crate) device: String,
}

/// Makes the devices of both ends and joins them by a wire as long as `link`, until this process
/// ends. `name` is the link's in messages.
pub(crate) fn lay(name: String, ends: &[End; 2], link: &Link) -> Result<(), LabError> {
    let [near, far] = ends;
    let mut wire = Wire {
        taps: [near.open()?, far.open()?],
        lanes: [Lane::of(link), Lane::of(link)],
    };
    let work = move || {
        let Err(error) = wire.forward();
        let remedy = "start the lab again, and leave its switches as they are";
        let error = system_or("forward frames on", name, remedy)(error);
        // Without this link, the lab would go on as another network.
        eprintln!("netsig lab: {}", message(error.to_string()));
        std::process::exit(1);
    };
    start_without_signals(work).map_err(system("start", "the thread of a wire"))
}

/// Starts a thread that no signal interrupts: those to this process are for its main thread.
fn start_without_signals(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    // The thread inherits the mask, so that it never runs without it.
    let before = SigSet::all().thread_swap_mask(SigmaskHow::SIG_BLOCK)?;
    let started = thread::Builder::new().name("wire".to_owned()).spawn(work);
    before.thread_set_mask()?;
    started.map(drop)
}

impl End {
    fn open(&self) -> Result<Tap, LabError> {
        netns::within(&self.namespace, || {
            let tap = Tap::create(&self.device)?;
            let longer = format!("link set dev {} txqueuelen {RING}", self.device);
            IP.batch(&self.namespace, &longer)?;
            Ok(tap)
        })
    }
}

/// Two tap devices, and the lane that begins at each.
struct Wire {
    taps: [Tap; 2],
    lanes: [Lane; 2],
}

impl Wire {
    /// Forwards frames until a device fails.
    fn forward(&mut self) -> io::Result<Infallible> {
        set_timerslack(TIMER_SLACK)?;
        let mut room = vec![0; ROOM];
        loop {
            let has_frame = self.wait()?;
            let [near, far] = &self.taps;
            let ways = [(near, far), (far, near)].into_iter().zip(has_frame);
            for (lane, ((from, to), has_frame)) in self.lanes.iter_mut().zip(ways) {
                if has_frame && let Some(frame) = from.read(&mut room)? {
                    lane.enter(frame, Instant::now());
                }
                while let Some(frame) = lane.leave(Instant::now()) {
                    to.write(&frame)?;
                }
            }
        }
    }

    /// Waits until a frame can enter or has to leave; tells at which ends one can enter.
    fn wait(&self) -> io::Result<[bool; 2]> {
        let wanted = |lane: &Lane| {
            if lane.has_room() {
                PollFlags::POLLIN
            } else {
                PollFlags::empty()
            }
        };
        let [near, far] = &self.taps;
        let mut ends =
            [(near, &self.lanes[0]), (far, &self.lanes[1])].map(|(tap, lane)| PollFd::new(tap.as_fd(), wanted(lane)));
        let next = self.lanes.iter().filter_map(Lane::next).min();
        let pause = next.map(|next| next.saturating_duration_since(Instant::now()).into());
        match ppoll(&mut ends, pause, None) {
            Ok(_) | Err(Errno::EINTR) => Ok(ends.map(|end| end.any() != Some(false))),
            Err(error) => Err(error.into()),
        }
    }
}
