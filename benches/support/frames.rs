//! Messages as gRPC frames them.

#![allow(dead_code, reason = "each program uses what it needs")]

use bytes::{Buf, BufMut, BytesMut};

/// Adds a message, framed.
pub fn put_message(framed: &mut BytesMut, message: &[u8]) {
    framed.put_u8(0);
    framed.put_u32(message.len().try_into().expect("a message is small"));
    framed.put_slice(message);
}

/// Takes the next message, if it is there as a whole.
pub fn next_message(unread: &mut BytesMut) -> Option<BytesMut> {
    let mut head = unread.get(1..5)?;
    let size = head.get_u32() as usize;
    if unread.len() < 5 + size {
        return None;
    }
    unread.advance(5);
    Some(unread.split_to(size))
}
