//! A cable between two switches with a propagation delay. A thread reads each frame from the tap device at one end
//! and writes it to the tap device at the other end one delay later.
//!
//! A wire keeps the order of frames and loses none. The ports at its ends shape its traffic. A full delay queue takes
//! no further frame until one has left; meanwhile frames wait in the kernel, which keeps [`RING`] frames for each
//! end.

use std::convert::Infallible;
use std::io;
use std::os::fd::AsFd;
use std::thread;
use std::time::Instant;

use netsig_base::network::Link;
use netsig_base::text::sanitised::printable_message;
use nix::errno::Errno;
use nix::libc::c_ulong;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::prctl::set_timerslack;
use nix::sys::signal::{SigSet, SigmaskHow};

use crate::delay_queue::DelayQueue;
use crate::error::{LabError, system, system_or};
use crate::netns;
use crate::tap::TapDevice;
use crate::tool::IP;

/// Frames that the kernel keeps at each end until the thread reads them: full frames of more than a
/// second at 100 Mbit/s.
const RING: u32 = 10_000;

/// Longer than any frame.
const FRAME_CAPACITY: usize = 1 << 16;

/// Nanoseconds by which the kernel may wake the thread late to save timer interrupts; by default it
/// takes 50 µs.
const TIMER_SLACK: c_ulong = 1000;

/// One end of a wire: a device in the namespace of a switch.
pub(crate) struct LabWireEnd {
    pub(crate) namespace: String,
    pub(crate) device: String,
}

/// Makes the devices of both ends and joins them by a wire with the delay of `link`, until this process ends.
/// Messages call the link `name`.
pub(crate) fn start_wire(name: String, ends: &[LabWireEnd; 2], link: &Link) -> Result<(), LabError> {
    let [near, far] = ends;
    let mut wire = LabWire {
        taps: [near.open()?, far.open()?],
        queues: [DelayQueue::of(link), DelayQueue::of(link)],
    };
    let work = move || {
        let Err(error) = wire.forward();
        let remedy = "start the lab again, and leave its switches as they are";
        let error = system_or("forward frames on", name, remedy)(error);
        // Without this link, the lab would go on as another network.
        eprintln!("netsig lab: {}", printable_message(error.to_string()));
        std::process::exit(1);
    };
    start_without_signals(work).map_err(system("start", "the thread of a wire"))
}

/// Starts a thread that no signal interrupts: the main thread handles the signals to this process.
fn start_without_signals(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    // The thread inherits the mask, so that it never runs without it.
    let before = SigSet::all().thread_swap_mask(SigmaskHow::SIG_BLOCK)?;
    let started = thread::Builder::new().name("wire".to_owned()).spawn(work);
    before.thread_set_mask()?;
    started.map(drop)
}

impl LabWireEnd {
    fn open(&self) -> Result<TapDevice, LabError> {
        netns::run_in_namespace(&self.namespace, || {
            let tap = TapDevice::create(&self.device)?;
            let longer = format!("link set dev {} txqueuelen {RING}", self.device);
            IP.batch(&self.namespace, &longer)?;
            Ok(tap)
        })
    }
}

/// Two tap devices, and the delay queue that begins at each.
struct LabWire {
    taps: [TapDevice; 2],
    queues: [DelayQueue; 2],
}

impl LabWire {
    /// Forwards frames until a device fails.
    fn forward(&mut self) -> io::Result<Infallible> {
        set_timerslack(TIMER_SLACK)?;
        let mut room = vec![0; FRAME_CAPACITY];
        loop {
            let has_frame = self.wait()?;
            let [near, far] = &self.taps;
            let ways = [(near, far), (far, near)].into_iter().zip(has_frame);
            for (queue, ((from, to), has_frame)) in self.queues.iter_mut().zip(ways) {
                if has_frame && let Some(frame) = from.read(&mut room)? {
                    queue.push(frame, Instant::now());
                }
                while let Some(frame) = queue.pop_due(Instant::now()) {
                    to.write(&frame)?;
                }
            }
        }
    }

    /// Waits until a frame can enter or has to leave; returns for each end whether a frame can enter.
    fn wait(&self) -> io::Result<[bool; 2]> {
        let wanted = |queue: &DelayQueue| {
            if queue.has_room() {
                PollFlags::POLLIN
            } else {
                PollFlags::empty()
            }
        };
        let [near, far] = &self.taps;
        let mut ends = [(near, &self.queues[0]), (far, &self.queues[1])]
            .map(|(tap, queue)| PollFd::new(tap.as_fd(), wanted(queue)));
        let next = self.queues.iter().filter_map(DelayQueue::next_departure).min();
        let pause = next.map(|next| next.saturating_duration_since(Instant::now()).into());
        match ppoll(&mut ends, pause, None) {
            Ok(_) | Err(Errno::EINTR) => Ok(ends.map(|end| end.any() != Some(false))),
            Err(error) => Err(error.into()),
        }
    }
}
