//! The queue of log lines. A separate thread writes them to standard error, so that a slow or stalled reader of the log
//! never blocks a call.

use std::{
    io::{self, Write, stderr},
    mem,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    thread,
    time::Duration,
};

/// Maximum size of the queued lines. As much again may be in the hands of the writing thread.
const MAX_QUEUED_BYTES: usize = 1024 * 1024;

/// The queued lines. Clones share the queue.
#[derive(Clone, Default)]
pub(super) struct LogQueue(Arc<Inner>);

#[derive(Default)]
struct Inner {
    queue: Mutex<Queue>,
    changed: Condvar,
    dropped: AtomicU64,
}

#[derive(Default)]
struct Queue {
    bytes: Vec<u8>,
    is_writing: bool,
}

impl LogQueue {
    /// Starts the thread that writes the lines to standard error.
    pub(super) fn start() -> io::Result<Self> {
        let queue = Self::default();
        let writer = queue.clone();
        thread::Builder::new().name("log".to_owned()).spawn(move || writer.write_all_to(stderr()))?;
        Ok(queue)
    }

    /// How many lines were lost, because the queue was full or could not be written.
    pub(super) fn dropped(&self) -> u64 {
        self.0.dropped.load(Relaxed)
    }

    /// Waits until all lines are written, or until the timeout.
    pub(super) fn flush(&self, timeout: Duration) {
        let is_pending = |queue: &mut Queue| queue.is_writing || !queue.bytes.is_empty();
        let _ = self.0.changed.wait_timeout_while(self.lock(), timeout, is_pending);
    }

    /// Writes queued lines, for as long as the process runs.
    fn write_all_to(&self, mut output: impl Write) {
        loop {
            let is_empty = |queue: &mut Queue| queue.bytes.is_empty();
            let mut queue =
                self.0.changed.wait_while(self.lock(), is_empty).unwrap_or_else(PoisonError::into_inner);
            let lines = mem::take(&mut queue.bytes);
            queue.is_writing = true;
            drop(queue);
            if output.write_all(&lines).is_err() {
                let lost = lines.split(|byte| *byte == b'\n').count() - 1;
                self.0.dropped.fetch_add(lost as u64, Relaxed);
            }
            self.lock().is_writing = false;
            self.0.changed.notify_all();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.0.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Queues a line. It never blocks and never fails: a line that does not fit is dropped and counted.
impl Write for LogQueue {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut queue = self.lock();
        if queue.bytes.len() + line.len() > MAX_QUEUED_BYTES {
            self.0.dropped.fetch_add(1, Relaxed);
        } else {
            queue.bytes.extend_from_slice(line);
            self.0.changed.notify_all();
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io::{PipeReader, Read, pipe},
        thread,
    };

    use super::*;

    const LINE: &[u8] = &[b'\n'; 1024];

    /// A queue whose lines are written to a pipe.
    fn piped_queue() -> (LogQueue, PipeReader) {
        let (queue, (reader, writer)) = (LogQueue::default(), pipe().expect("a pipe can be created"));
        let thread_queue = queue.clone();
        thread::spawn(move || thread_queue.write_all_to(writer));
        (queue, reader)
    }

    #[test]
    fn lines_are_written_in_order() {
        let (mut queue, mut reader) = piped_queue();
        for line in ["first\n", "second\n"] {
            queue.write_all(line.as_bytes()).expect("never fails");
        }
        let mut lines = [0; 13];
        reader.read_exact(&mut lines).expect("the lines are written");
        assert_eq!(&lines, b"first\nsecond\n");
    }

    #[test]
    fn a_stalled_reader_blocks_nobody_and_dropped_lines_are_counted() {
        let (mut queue, mut reader) = piped_queue();
        // The pipe, the lines that are being written, and the queue.
        let capacity = 64 * 1024 + 2 * MAX_QUEUED_BYTES;
        let lines = (2 * capacity / LINE.len()) as u64;
        for _ in 0..lines {
            queue.write_all(LINE).expect("never fails");
        }
        queue.flush(Duration::from_millis(10));
        let dropped = queue.dropped();
        assert!((lines / 2..lines).contains(&dropped), "{dropped} of {lines}");
        // All others are written when the reader continues.
        let mut read = vec![0; (lines - dropped) as usize * LINE.len()];
        reader.read_exact(&mut read).expect("the rest is written");
    }

    #[test]
    fn lines_that_cannot_be_written_are_counted() {
        let (mut queue, reader) = piped_queue();
        drop(reader);
        queue.write_all(b"lost\n").expect("never fails");
        queue.flush(Duration::from_secs(10));
        assert_eq!(queue.dropped(), 1);
    }
}
