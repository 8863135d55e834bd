//! The pause of an idle loop.
//!
//! A loop that waits for messages asks the kernel whether its sockets are ready (`poll`, `epoll_wait` with a time of
//! zero), and yields if it had nothing to do. The questions of a thread since its last pause decide the next pause:
//!
//! * Nothing was ready: the pause waits until a socket of the last question is ready, [`LONGEST`] at most. The
//!   processor is free until then, and the message is seen at once.
//! * Something was ready: the pause returns at once. The caller has read a message, perhaps questions again, and has not
//!   yet checked whether this completes its wait.
//! * There was no question: the pause sleeps for `NETSIG_YIELD_NS` nanoseconds, 20 µs by default.

use std::cell::RefCell;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicI64, Ordering};

use libc::{c_int, c_long, epoll_event, nfds_t, pollfd, timespec};

/// Longest wait for sockets: a loop may also wait for an event that no socket announces.
const LONGEST: timespec = pause_of(1_000_000);

/// Default duration of a sleep.
const DEFAULT_NS: c_long = 20_000;

/// Longest duration for one `nanosleep` without whole seconds.
const LONGEST_NS: c_long = 999_999_999;

/// Greatest number of sockets that a pause waits for; after a question about more it sleeps.
const MOST_SOCKETS: usize = 256;

const NO_SOCKET: pollfd = pollfd {
    fd: -1,
    events: 0,
    revents: 0,
};

/// The sleep in nanoseconds; negative until the environment has been read.
static SLEEP_NS: AtomicI64 = AtomicI64::new(-1);

/// The questions of a thread since its last pause.
struct PollQuestions {
    answer: PollAnswer,
    /// The sockets of the last question; entries beyond its length are outdated.
    sockets: [pollfd; MOST_SOCKETS],
}

#[derive(Clone, Copy)]
enum PollAnswer {
    NotAsked,
    /// Nothing was ready; the last question was about this many sockets.
    NotReady(usize),
    /// A question found something ready.
    Ready,
}

thread_local! {
    static QUESTIONS: RefCell<PollQuestions> = const {
        RefCell::new(PollQuestions {
            answer: PollAnswer::NotAsked,
            sockets: [NO_SOCKET; MOST_SOCKETS],
        })
    };
}

/// Pauses according to the thread's questions. Meanwhile a signal handler of the program may ask and pause, too.
pub fn pause() {
    let (answer, mut sockets) = take_answer();
    match answer {
        PollAnswer::NotAsked => sleep(),
        PollAnswer::NotReady(count) => {
            wait(&mut sockets[..count]);
        }
        PollAnswer::Ready => {}
    }
}

/// Takes the questions since the last call. A signal handler that interrupts [`note_question`] on this thread gets
/// none.
fn take_answer() -> (PollAnswer, [pollfd; MOST_SOCKETS]) {
    QUESTIONS.with(|questions| match questions.try_borrow_mut() {
        Ok(mut questions) => {
            let answer = std::mem::replace(&mut questions.answer, PollAnswer::NotAsked);
            (answer, questions.sockets)
        }
        Err(_) => (PollAnswer::NotAsked, [NO_SOCKET; MOST_SOCKETS]),
    })
}

/// `poll` of the C library; notes a question that does not wait.
///
/// # Safety
///
/// `sockets` points to `count` sockets that nobody else uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn poll(sockets: *mut pollfd, count: nfds_t, milliseconds: c_int) -> c_int {
    let duration = pause_of(c_long::from(milliseconds) * 1_000_000);
    let limit = if milliseconds < 0 { null() } else { &raw const duration };
    // SAFETY: the caller promises valid sockets; the limit is null or valid for the whole call.
    let ready = unsafe { libc::ppoll(sockets, count, limit, null()) };
    if milliseconds == 0 {
        let polled = match usize::try_from(count) {
            Ok(count) if count > 0 && !sockets.is_null() => {
                // SAFETY: the caller promises this many sockets, which nobody else uses.
                unsafe { std::slice::from_raw_parts(sockets, count) }
            }
            _ => &[],
        };
        note_question(polled, ready);
    }
    ready
}

/// `epoll_wait` of the C library; notes a question that does not wait. A set of sockets is ready to read if one of
/// its sockets is ready.
///
/// # Safety
///
/// `events` points to `room` events that nobody else uses.
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
        note_question(&[set], ready);
    }
    ready
}

/// Notes a question about `sockets`; `ready` of them are ready, or the question failed if it is negative. Ignores the
/// question of a signal handler that interrupts this function.
fn note_question(sockets: &[pollfd], ready: c_int) {
    QUESTIONS.with(|questions| {
        let Ok(mut questions) = questions.try_borrow_mut() else {
            return;
        };
        questions.answer = match ready {
            _ if matches!(questions.answer, PollAnswer::Ready) => PollAnswer::Ready,
            1.. => PollAnswer::Ready,
            0 if sockets.len() <= MOST_SOCKETS => {
                questions.sockets[..sockets.len()].copy_from_slice(sockets);
                PollAnswer::NotReady(sockets.len())
            }
            _ => PollAnswer::NotAsked,
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
        let mut questions = readable(socket);
        // SAFETY: one socket, which nobody else uses.
        unsafe { poll(&raw mut questions, 1, 0) }
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
        note_question(&[readable(&socket)], 0);
        QUESTIONS.with_borrow(|questions| assert!(matches!(questions.answer, PollAnswer::Ready)));
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
        QUESTIONS.with_borrow(|questions| {
            assert!(matches!(questions.answer, PollAnswer::NotReady(1)));
            assert_eq!(questions.sockets[0].fd, set);
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
                let this_thread = libc::pthread_self();
                let other = std::thread::spawn(move || {
                    std::thread::sleep(Duration::from_micros(300));
                    libc::pthread_kill(this_thread, libc::SIGUSR1)
                });
                pause();
                assert_eq!(other.join().unwrap(), 0);
            }
        }
        QUESTIONS.with_borrow_mut(|_| {
            note_question(&[readable(&socket)], 0);
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
