//! The pause of an idle loop.
//!
//! A loop that waits for messages asks the kernel without waiting whether its sockets are ready
//! (`poll`, `epoll_wait` with a time of zero), and yields if there was nothing to do. The questions of
//! a thread since its last pause decide what the next one does:
//!
//! * Nothing was ready: it waits until one of the sockets of the last question is, [`LONGEST`] at most.
//!   The processor is free until then, and the message is seen at once.
//! * Something was ready: it returns at once. The caller has read a message, perhaps asked again for
//!   more, and has not yet looked whether that completes what it waits for.
//! * There was no question: it sleeps for `NETSIG_YIELD_NS` nanoseconds, 20 µs by default.

use std::cell::RefCell;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicI64, Ordering};

use libc::{c_int, c_long, epoll_event, nfds_t, pollfd, timespec};

/// Longest wait for sockets: a loop may also wait for what no socket announces.
const LONGEST: timespec = pause_of(1_000_000);

/// Default duration of a sleep.
const DEFAULT_NS: c_long = 20_000;

/// Longest duration for one `nanosleep` without whole seconds.
const LONGEST_NS: c_long = 999_999_999;

/// Greatest number of sockets that a pause waits for; after a question about more it sleeps.
const MOST: usize = 256;

const NO_SOCKET: pollfd = pollfd {
    fd: -1,
    events: 0,
    revents: 0,
};

/// The sleep in nanoseconds; negative until the environment has been read.
static SLEEP_NS: AtomicI64 = AtomicI64::new(-1);

/// The questions of a thread since its last pause.
struct Asked {
    answer: Answer,
    /// The sockets of the last question; those after its length are of earlier ones.
    sockets: [pollfd; MOST],
}

#[derive(Clone, Copy)]
enum Answer {
    NotAsked,
    /// Nothing was ready; the last question was about this many sockets.
    NotReady(usize),
    /// A question found something ready.
    Ready,
}

thread_local! {
    static ASKED: RefCell<Asked> = const {
        RefCell::new(Asked {
            answer: Answer::NotAsked,
            sockets: [NO_SOCKET; MOST],
        })
    };
}

/// Pauses as the thread's questions demand. Meanwhile a signal handler of the program may ask and pause, too.
pub fn pause() {
    let (answer, mut sockets) = answered();
    match answer {
        Answer::NotAsked => sleep(),
        Answer::NotReady(count) => {
            wait(&mut sockets[..count]);
        }
        Answer::Ready => {}
    }
}

/// What was asked since the last time. In a signal handler that interrupts a note of this thread: nothing.
fn answered() -> (Answer, [pollfd; MOST]) {
    ASKED.with(|asked| match asked.try_borrow_mut() {
        Ok(mut asked) => {
            let answer = std::mem::replace(&mut asked.answer, Answer::NotAsked);
            (answer, asked.sockets)
        }
        Err(_) => (Answer::NotAsked, [NO_SOCKET; MOST]),
    })
}

/// As of the C library; notes a question that does not wait.
///
/// # Safety
///
/// As of the C library: `sockets` points to `count` sockets that nobody else uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn poll(sockets: *mut pollfd, count: nfds_t, milliseconds: c_int) -> c_int {
    let limit = pause_of(c_long::from(milliseconds) * 1_000_000);
    let limit = if milliseconds < 0 { null() } else { &raw const limit };
    // SAFETY: the caller promises valid sockets; the limit is null or valid for the whole call.
    let ready = unsafe { libc::ppoll(sockets, count, limit, null()) };
    if milliseconds == 0 {
        let asked = match usize::try_from(count) {
            Ok(count) if count > 0 && !sockets.is_null() => {
                // SAFETY: the caller promises this many sockets, which nobody else uses.
                unsafe { std::slice::from_raw_parts(sockets, count) }
            }
            _ => &[],
        };
        note(asked, ready);
    }
    ready
}

/// As of the C library; notes a question that does not wait. A set of sockets is ready to read if
/// one of it is ready.
///
/// # Safety
///
/// As of the C library: `events` points to `room` events that nobody else uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn epoll_wait(set: c_int, events: *mut epoll_event, room: c_int, milliseconds: c_int) -> c_int {
    // SAFETY: the caller promises room for the events; a null mask changes no signal.
    let ready = unsafe { libc::epoll_pwait(set, events, room, milliseconds, null()) };
    if milliseconds == 0 {
        let set = pollfd {
            fd: set,
            events: libc::POLLIN,
            revents: 0,
        };
        note(&[set], ready);
    }
    ready
}

/// Notes a question about `sockets` of which `ready` are ready, negative if the question failed. The question of a
/// signal handler that interrupts a note is not noted.
fn note(sockets: &[pollfd], ready: c_int) {
    ASKED.with(|asked| {
        let Ok(mut asked) = asked.try_borrow_mut() else {
            return;
        };
        asked.answer = match ready {
            _ if matches!(asked.answer, Answer::Ready) => Answer::Ready,
            1.. => Answer::Ready,
            0 if sockets.len() <= MOST => {
                asked.sockets[..sockets.len()].copy_from_slice(sockets);
                Answer::NotReady(sockets.len())
            }
            _ => Answer::NotAsked,
        };
    });
}

/// Waits until one of `sockets` is ready; returns how many are.
fn wait(sockets: &mut [pollfd]) -> c_int {
    let count = sockets.len() as nfds_t;
    // SAFETY: `sockets` and the limit are valid for the whole call; a null mask changes no signal.
    unsafe { libc::ppoll(sockets.as_mut_ptr(), count, &LONGEST, null()) }
}

/// Sleeps for the configured time.
fn sleep() {
    let pause = pause_of(sleep_ns());
    // SAFETY: `pause` is a valid timespec for the whole call, and a null second
    // argument asks for no remaining time.
    unsafe { libc::nanosleep(&raw const pause, null_mut()) };
}

const fn pause_of(nanoseconds: c_long) -> timespec {
    timespec {
        tv_sec: nanoseconds / 1_000_000_000,
        tv_nsec: nanoseconds % 1_000_000_000,
    }
}

/// The configured sleep, read from the environment once.
fn sleep_ns() -> c_long {
    let known = SLEEP_NS.load(Ordering::Relaxed);
    if known >= 0 {
        return known;
    }
    let read = configured_ns();
    SLEEP_NS.store(read, Ordering::Relaxed);
    read
}

/// `NETSIG_YIELD_NS` if it is a positive number, limited to the longest sleep. Uses C functions
/// only: the caller may be anywhere, even inside an allocator.
fn configured_ns() -> c_long {
    // SAFETY: the name is NUL-terminated; the result is null or a C string that stays
    // valid while nobody changes the environment, which is read at once.
    let wanted = unsafe {
        let text = libc::getenv(c"NETSIG_YIELD_NS".as_ptr());
        if text.is_null() { DEFAULT_NS } else { libc::atol(text) }
    };
    if wanted > 0 { wanted.min(LONGEST_NS) } else { DEFAULT_NS }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::fd::AsRawFd;
    use std::os::unix::net::UnixStream;
    use std::time::{Duration, Instant};

    /// Asks whether `socket` can be read.
    fn ask(socket: &UnixStream) -> c_int {
        let mut asked = readable(socket);
        // SAFETY: one socket, which nobody else uses.
        unsafe { poll(&raw mut asked, 1, 0) }
    }

    fn paused() -> Duration {
        let start = Instant::now();
        pause();
        start.elapsed()
    }

    /// The first pause after a question waits for the socket, the second one sleeps.
    #[test]
    fn a_pause_without_a_question_sleeps() {
        let (socket, _other) = UnixStream::pair().unwrap();
        assert_eq!(ask(&socket), 0);
        assert!(paused() >= Duration::from_millis(1));
        assert!(paused() >= Duration::from_micros(20));
    }

    /// A message ends the wait. After a question that found one no pause waits, even if a second
    /// question finds no more, as Open MPI asks.
    #[test]
    fn a_message_ends_the_wait() {
        let (socket, mut other) = UnixStream::pair().unwrap();
        assert_eq!(wait(&mut [readable(&socket)]), 0);
        other.write_all(b"x").unwrap();
        assert_eq!(wait(&mut [readable(&socket)]), 1);
        assert_eq!(ask(&socket), 1);
        note(&[readable(&socket)], 0);
        ASKED.with_borrow(|asked| assert!(matches!(asked.answer, Answer::Ready)));
    }

    /// A set of sockets is watched like a socket.
    #[test]
    fn a_question_about_a_set_is_noted() {
        // SAFETY: creates a set, and asks about it with room for one event.
        let (set, ready) = unsafe {
            let set = libc::epoll_create1(0);
            let mut event = epoll_event { events: 0, u64: 0 };
            (set, epoll_wait(set, &raw mut event, 1, 0))
        };
        assert_eq!(ready, 0);
        ASKED.with_borrow(|asked| {
            assert!(matches!(asked.answer, Answer::NotReady(1)));
            assert_eq!(asked.sockets[0].fd, set);
        });
    }

    /// A signal handler of the program may ask and pause while the thread waits, or notes a question.
    #[test]
    fn a_signal_handler_may_ask() {
        extern "C" fn handler(_: c_int) {
            assert_eq!(ask(&UnixStream::pair().unwrap().0), 0);
            pause();
        }
        let (socket, _other) = UnixStream::pair().unwrap();
        for _ in 0..20 {
            assert_eq!(ask(&socket), 0);
            // SAFETY: this thread gets the signal, for which there is a handler.
            unsafe {
                libc::signal(libc::SIGUSR1, handler as *const () as usize);
                let own = libc::pthread_self();
                let other = std::thread::spawn(move || {
                    std::thread::sleep(Duration::from_micros(300));
                    libc::pthread_kill(own, libc::SIGUSR1)
                });
                pause();
                assert_eq!(other.join().unwrap(), 0);
            }
        }
        ASKED.with_borrow_mut(|_| {
            note(&[readable(&socket)], 0);
            pause();
        });
    }

    fn readable(socket: &UnixStream) -> pollfd {
        pollfd {
            fd: socket.as_raw_fd(),
            events: libc::POLLIN,
            revents: 0,
        }
    }
}
